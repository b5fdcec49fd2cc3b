/** Two colours of suits or four, as whoever looks at them prefers. */
const KEY = "ginref-suits";
const button = document.getElementById("suits");

function choose(count) {
  document.body.dataset.suits = count;
  button.textContent = count === "4" ? "Two colours" : "Four colours";
  button.setAttribute("aria-label", `Show suits in ${button.textContent.toLowerCase()}`);
}

choose(localStorage.getItem(KEY) ?? "2");
button.addEventListener("click", () => {
  const count = document.body.dataset.suits === "4" ? "2" : "4";
  localStorage.setItem(KEY, count);
  choose(count);
});
