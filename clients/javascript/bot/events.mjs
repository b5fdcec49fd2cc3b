/** Server-sent events, as the HTML standard has them. */

/** Yield the events in chunks of bytes: their kind, id and data. */
export async function* readEvents(chunks) {
  const decoder = new TextDecoder();
  let text = "";
  let event = { kind: "", id: "", data: [] };
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split(/\r?\n/);
    text = lines.pop();
    for (const line of lines) {
      if (line === "") {
        if (event.data.length > 0) yield { ...event, data: event.data.join("\n") };
        event = { kind: "", id: "", data: [] };
      } else {
        read(event, line);
      }
    }
  }
}

function read(event, line) {
  const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
  if (name === "event") event.kind = value;
  if (name === "id") event.id = value;
  if (name === "data") event.data.push(value);
}
