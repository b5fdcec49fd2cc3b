"""The log: what it holds, that it holds together, and what it adds up to."""

import json
from dataclasses import is_dataclass, replace
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.tournament.driving import (
    Tournament,
    better_seed,
    one_stage,
    worse_seed,
)

from ginref.record.lifecycle import EndingKind
from ginref.record.setup import canonical
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError, LogError
from ginref.tournament.event import (
    Advanced,
    Awarded,
    Created,
    Event,
    MatchEnded,
    Registered,
    StageClosed,
)
from ginref.tournament.fold import fold
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.log import (
    START,
    append,
    decode_entry,
    encode_entry,
    head,
    verify_chain,
)
from ginref.tournament.option import Option
from ginref.tournament.plan import plan
from ginref.tournament.result import Cause, Forfeited, Outcome
from ginref.tournament.shape import from_json, to_json, word_of

EXACT = 2**53 - 1

KNOCKOUT = one_stage({"format": "single_elimination", "third_place": True})


@pytest.fixture(name="played")
def _played() -> Tournament:
    tournament = Tournament(KNOCKOUT)
    tournament.start(5)
    tournament.play(better_seed)
    return tournament


def values(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401, PLR0911
    """Return values of a field's type, of one's own making where it has limits."""
    args = get_args(kind)
    if kind is int:
        return st.integers(-EXACT, EXACT)
    if kind is str:
        return st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    if get_origin(kind) is tuple and args[-1] is Ellipsis:
        return st.lists(values(args[0]), max_size=3).map(tuple)
    if get_origin(kind) is tuple:
        return st.tuples(*map(values, args))
    if args:
        return st.one_of(*map(values, args))
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        fields = {name: values(hint) for name, hint in hints.items()}
        return st.builds(kind, **fields)
    return st.from_type(kind)


@pytest.mark.parametrize("kind", get_args(Event), ids=word_of)
@settings(max_examples=20)
@given(data=st.data())
def test_every_event_is_read_as_it_was_written(
    kind: type[Event], data: st.DataObject
) -> None:
    event = data.draw(values(kind))

    written = to_json(event, is_named=True)

    assert written["kind"] == word_of(kind)
    assert from_json(Event, Option(json.loads(canonical(written)))) == event


def test_an_event_is_written_in_plain_words() -> None:
    event = Awarded(
        fixture="f", attempt=1, result=Forfeited("ann", Cause.NO_SHOW), reason="absent"
    )

    assert to_json(event, is_named=True) == {
        "kind": "awarded",
        "fixture": "f",
        "attempt": 1,
        "result": {"kind": "forfeited", "loser": "ann", "cause": "no_show"},
        "reason": "absent",
    }


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"kind": "abandoned"}, "event.kind"),
        ({"kind": "registered", "bot": "ann"}, "event.owner"),
        ({"kind": "registered", "bot": 1, "owner": "b", "code": None}, "event.bot"),
        ({"kind": "advanced", "to": "lost", "reason": ""}, "event.to"),
        ("registered", "event.kind"),
    ],
)
def test_what_is_no_event_is_refused_by_its_path(value: object, path: str) -> None:
    with pytest.raises(FieldError) as caught:
        from_json(Event, Option(value, "event"))

    assert caught.value.path == path


def test_entries_are_read_as_they_were_written(played: Tournament) -> None:
    again = [decode_entry(encode_entry(entry)) for entry in played.entries]

    assert again == played.entries
    assert head(again) == head(played.entries)
    verify_chain(again, head(played.entries))


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"sequence":1}'])
def test_bytes_that_are_no_entry_are_refused(data: bytes) -> None:
    with pytest.raises(FieldError):
        decode_entry(data)


def test_an_entry_in_another_form_is_refused(played: Tournament) -> None:
    with pytest.raises(FieldError, match="canonical"):
        decode_entry(b" " + encode_entry(played.entries[0]))


def test_a_log_without_entries_has_a_head_of_its_own() -> None:
    assert head([]) == START
    verify_chain([], START)


def test_a_changed_entry_breaks_the_chain_behind_it(played: Tournament) -> None:
    at = 7
    changed = replace(played.entries[at], actor="somebody else")

    with pytest.raises(LogError) as caught:
        verify_chain([*played.entries[:at], changed, *played.entries[at + 1 :]])

    assert caught.value.sequence == at + 2


def test_a_missing_entry_is_noticed(played: Tournament) -> None:
    with pytest.raises(LogError) as caught:
        verify_chain([*played.entries[:4], *played.entries[5:]])

    assert caught.value.sequence == 5


def test_a_log_that_is_cut_short_has_another_head(played: Tournament) -> None:
    with pytest.raises(LogError, match="another entry"):
        verify_chain(played.entries[:-1], head(played.entries))


def test_time_never_goes_back_in_a_log(played: Tournament) -> None:
    event = Advanced(to=Lifecycle.ARCHIVED)

    entry = append(played.entries, event, time_ms=0, actor="a", request_id="late")

    assert entry.time_ms == played.entries[-1].time_ms


def test_a_log_adds_up_to_the_same_whoever_folds_it(played: Tournament) -> None:
    read = [decode_entry(encode_entry(entry)) for entry in played.entries]

    assert fold(played.configuration, read) == played.plan().ledger
    assert plan(played.configuration, read, played.now_ms) == played.plan()


def test_another_configuration_does_not_fit_a_log(played: Tournament) -> None:
    other = read_configuration(one_stage({"format": "single_elimination"}))

    with pytest.raises(LogError, match="another configuration"):
        plan(other, played.entries, played.now_ms)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(Created(tournament="t-2", configuration=""), id="created twice"),
        pytest.param(Advanced(to=Lifecycle.RUNNING), id="started in registration"),
        pytest.param(Registered(bot="ann", owner="owner-1"), id="entered twice"),
        pytest.param(Registered(bot="cat", owner="c", code="?"), id="an unknown code"),
        pytest.param(StageClosed(stage="main", rankings=()), id="closed too early"),
        pytest.param(
            MatchEnded(
                fixture="f",
                attempt=1,
                game=1,
                match="m",
                outcome=Outcome(ending=EndingKind.VOID),
            ),
            id="a match that nobody created",
        ),
    ],
)
def test_an_event_that_cannot_follow_is_refused_by_its_place(event: Event) -> None:
    tournament = Tournament(KNOCKOUT)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    tournament.add(Registered(bot="ann", owner="owner-1"))
    tournament.add(event)

    with pytest.raises(LogError) as caught:
        tournament.plan()

    assert caught.value.sequence == 4


def test_fixtures_have_the_same_identity_on_every_referee() -> None:
    first, second = Tournament(KNOCKOUT), Tournament(KNOCKOUT)
    for tournament in (first, second):
        tournament.start(5)
        tournament.step(worse_seed)

    ids = [
        {one.node: one.fixture_id for one in tournament.settle().fixtures()}
        for tournament in (first, second)
    ]

    assert ids[0] == ids[1]
    known = [identity for identity in ids[0].values() if identity]
    assert len(known) == len(set(known)) >= 3
