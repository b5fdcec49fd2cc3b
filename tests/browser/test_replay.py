"""The replay of a match in a real browser, and its verification there."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Page, Route, expect
from tests.browser.conftest import LATER_MS, Site, picture

from ginref.record.envelope import parse_envelope
from ginref.record.public_key import write_jwks

pytestmark = pytest.mark.usefixtures("exhibition")

Look = Callable[..., Page]

STEP_MS = 900
"""What a move takes that is played by itself."""


def record_of(site: Site) -> dict[str, Any]:
    """Read the record of the match that is shown, as JSON values."""
    path = site.referee.data / "records" / f"{site.shown.match_id}.json"
    document: dict[str, Any] = json.loads(parse_envelope(path.read_bytes()).payload)
    return document


def opened(look: Look, site: Site, place: str = "", *, has_clock: bool = False) -> Page:
    """Open the replay, and wait until it has judged the record."""
    page = look(f"/matches/{site.shown.match_id}/replay{place}", has_clock=has_clock)
    page.locator("[data-finding]").wait_for()
    return page


def test_a_match_is_replayed_to_its_last_move(look: Look, site: Site) -> None:
    record = record_of(site)
    page = opened(look, site)
    expect(page.locator("[data-finding]")).to_have_attribute("data-finding", "valid")
    page.get_by_role("button", name="Last").click()
    last = record["rounds"][-1]
    expect(page.locator(".ended")).to_contain_text(str(last["points"]))
    totals = page.locator(".game tfoot tr:first-child td").all_inner_texts()
    games = record["sheet"]["games"]
    assert totals == [str(total) for game in games for total in game["totals"]]
    picture(page, "replay-last")
    moves = sum(entry["kind"] == "move" for entry in record["entries"])
    deals = len(record["rounds"])
    assert page.url.endswith(f"#move-{moves + deals - 1}")


def test_a_record_is_shown_as_soon_as_it_is_signed(look: Look, site: Site) -> None:
    page = look(has_clock=True)
    told = {"@type": "ErrorInfo", "reason": "RECORD_NOT_READY"}
    refusal = {"code": 9, "message": "not yet", "details": [told]}
    page.route(
        "**/record", lambda route: route.fulfill(status=400, json=refusal), times=1
    )
    page.goto(f"/matches/{site.shown.match_id}/replay")
    expect(page.locator(".empty")).to_contain_text("is being signed")
    page.clock.fast_forward(LATER_MS)
    page.locator("[data-finding=valid]").wait_for()


def test_hands_are_those_that_were_dealt(look: Look, site: Site) -> None:
    page = opened(look, site)
    for seat in range(2):
        assert page.locator(".seat").nth(seat).locator(".card").count() == 10
    backs = page.locator(".seat .card.back")
    expect(backs).to_have_count(0)


def test_a_move_has_an_address(look: Look, site: Site) -> None:
    page = opened(look, site, "#move-7")
    here = page.locator(".moves a[aria-current=step]")
    expect(here).to_have_attribute("href", "#move-7")
    page.keyboard.press("ArrowRight")
    expect(here).to_have_attribute("href", "#move-8")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(here).to_have_attribute("href", "#move-6")
    assert page.url.endswith("#move-6")


def test_it_plays_by_itself_and_stops(look: Look, site: Site) -> None:
    page = opened(look, site, has_clock=True)
    page.get_by_role("button", name="Play").click()
    here = page.locator(".moves a[aria-current=step]")
    page.get_by_role("button", name="Pause").wait_for()
    for _ in range(2):
        before = here.get_attribute("href")
        page.clock.fast_forward(STEP_MS)
        expect(here).not_to_have_attribute("href", f"{before}")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def _tampered(envelope: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    outer = json.loads(envelope)
    payload = json.loads(base64.b64decode(outer["payload"]))
    change(payload)
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
    outer["payload"] = base64.b64encode(text.encode()).decode()
    return json.dumps(outer).encode()


def _other_winner(payload: dict[str, Any]) -> None:
    ending = payload["ending"]
    ending["winner"] = "south" if ending["winner"] == "north" else "north"


def _other_points(payload: dict[str, Any]) -> None:
    payload["rounds"][0]["points"] += 1


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_other_winner, id="another winner"),
        pytest.param(_other_points, id="another score"),
    ],
)
def test_a_changed_record_is_red(
    look: Look, site: Site, change: Callable[[dict[str, Any]], None]
) -> None:
    page = look()

    def answer(route: Route) -> None:
        body = route.fetch().json()
        envelope = base64.b64decode(body["envelope"])
        body["envelope"] = base64.b64encode(_tampered(envelope, change)).decode()
        route.fulfill(json=body)

    page.route("**/record", answer)
    page.goto(f"/matches/{site.shown.match_id}/replay")
    verdict = page.locator("[data-finding]")
    verdict.wait_for()
    assert verdict.get_attribute("data-finding") == "broken"
    picture(page, "replay-broken")


def test_a_key_of_somebody_else_is_said(look: Look, site: Site) -> None:
    other = Ed25519PrivateKey.generate().public_key()
    raw = other.public_bytes(Encoding.Raw, PublicFormat.Raw)
    jwks = base64.b64encode(write_jwks([raw])).decode()
    page = look()
    page.route("**/v1/keys", lambda route: route.fulfill(json={"jwks": jwks}))
    page.goto(f"/matches/{site.shown.match_id}/replay")
    verdict = page.locator("[data-finding]")
    verdict.wait_for()
    assert verdict.get_attribute("data-finding") == "unknown_key"
