"""The page of a tournament: whole, closed to the outside, and readable by everybody."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from tests.unit.tournament.asking import ask
from tests.unit.tournament.driving import better_seed, forfeited
from tests.unit.tournament.exporting import Season

from ginref.adapters.tournament_report import Proof, render_report
from ginref.record.lifecycle import EndingKind
from ginref.tournament.export import build_export
from ginref.tournament.fixture import Fixture
from ginref.tournament.operation import Requeue
from ginref.tournament.plan import MatchOrder
from ginref.tournament.result import Outcome
from ginref.tournament.service_time import ServiceTime

EVIL = "<script>alert('Übung')</script> & \"more\""
VOID_TAGS = {"meta", "br", "circle", "line"}
PROOF = Proof(
    finding="Verified",
    key_id="the-key",
    records=7,
    services=(ServiceTime(bot="bot-01", submissions=4, referee_ms=6, longest_ms=3),),
    notes=("a note",),
)

Document = dict[str, Any]


class Reader(HTMLParser):
    """Reads a page and keeps what a test asks for."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data.strip())

    def every(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag == name]


@pytest.fixture(scope="module")
def document() -> Document:
    cup = Season(
        {
            "name": "cup",
            "title": EVIL,
            "stages": [
                {"name": "groups", "format": "round_robin", "promote": 3},
                {"name": "finals", "format": "double_elimination"},
            ],
        }
    )
    cup.draw(4)

    def choose(fixture: Fixture, order: MatchOrder) -> Outcome:
        if fixture.stage == "groups" and fixture.round == 2:
            worse = max(bot or "" for bot in fixture.entrants)
            return forfeited(worse, fixture=fixture, ending=EndingKind.NO_SHOW)
        return better_seed(fixture, order)

    cup.step(choose)
    again = cup.node("R1.1").fixture_id
    ask(cup, Requeue(fixture=again, attempt=1, reason=EVIL))
    cup.play(choose)
    cup.open()
    read: Document = json.loads(build_export(cup.configuration, cup.entries))
    return read


@pytest.fixture(scope="module")
def page(document: Document) -> str:
    return render_report(document, PROOF)


@pytest.fixture(scope="module")
def reader(page: str) -> Reader:
    return Reader(page)


def test_it_is_one_whole_page_without_anything_from_elsewhere(
    page: str, reader: Reader
) -> None:
    assert reader.open == []
    assert not re.search(r"https?:|//|@import|url\(|javascript:", page)
    names = {tag for tag, _ in reader.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form"}
    for _, attrs in reader.tags:
        assert not {name for name in attrs if name in {"src", "onclick", "onload"}}
        assert (attrs.get("href") or "#").startswith("#")
    policies = [one["content"] for one in reader.every("meta") if "http-equiv" in one]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_nothing_of_the_export_becomes_markup(page: str, reader: Reader) -> None:
    assert EVIL not in page
    assert reader.text.count(EVIL) == 4


def test_it_follows_light_and_dark_and_small_screens(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in page
    assert "max-width: 40rem" in page


def test_tables_say_what_their_heads_are_for(reader: Reader) -> None:
    assert all(one.get("scope") in {"col", "row"} for one in reader.every("th"))
    regions = [one for one in reader.every("div") if one.get("class") == "scroll"]
    assert len(regions) > 8
    assert all(one["aria-label"] and one["tabindex"] == "0" for one in regions)
    (html,) = reader.every("html")
    assert html["lang"] == "en"
    titled = {str(one["id"]) for one in reader.every("h2")}
    assert all(
        str(one["aria-labelledby"]) in titled
        for one in reader.every("section")
        if "aria-labelledby" in one
    )


@pytest.mark.parametrize(
    "said",
    [
        "Final ranking",
        "Cross-table",
        "Bracket",
        "What people decided",
        "requeued",
        "What was played again",
        "Reliability",
        "How everybody was served",
        "How to verify it",
        "the-key",
        "a note",
    ],
)
def test_it_tells(reader: Reader, said: str) -> None:
    assert said in reader.text


def test_a_forfeit_is_told_where_it_happened_and_in_the_table_of_reliability(
    reader: Reader, document: Document
) -> None:
    notes = [text for text in reader.text if text.endswith("forfeited: no show")]

    lost = [
        bot
        for match in document["matches"]
        if match["outcome"]["ending"] == "no_show"
        for bot in match["outcome"]["at_fault"]
    ]
    assert sorted(notes) == sorted(f"{bot} forfeited: no show" for bot in lost)
    at = reader.text.index("No-shows")
    assert reader.text.index("Void", at) > at


def test_a_tournament_that_has_not_begun_has_a_page_too(document: Document) -> None:
    bare = {
        **document,
        "stages": [],
        "matches": [],
        "ranking": [],
        "interventions": [],
        "attempts": [],
        "entrants": [],
        "chance": {**document["chance"], "secret": None},
    }
    proof = Proof(finding="Verified", key_id="k", records=None)

    told = Reader(render_report(bare, proof)).text

    assert "Nothing: everything followed from the rules." in told
    assert "Final ranking" not in told
