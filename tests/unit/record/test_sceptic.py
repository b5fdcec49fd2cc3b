"""What a host could try with the records it signs, and what comes of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import rfc8785
from tests.unit.conftest import Referee
from tests.unit.record.gallery import PLACE
from tests.unit.record.witness import Log, keep, write

from ginref.engine.move import DRAW_STOCK, PASS
from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.document import PAYLOAD_TYPE, build_record, chain_head
from ginref.record.entry import Moved, Refused, StampedEntry, TimedOut
from ginref.record.envelope import seal_envelope
from ginref.record.evidence import ReceiptLine
from ginref.record.flaw import Flaw
from ginref.record.setup import Setup, statement
from ginref.record.share import commit_referee
from ginref.record.verify import Finding, Verdict, verify_record

MakeReferee = Callable[..., Any]
MakeSetup = Callable[..., Setup]
Play = Callable[..., tuple[Setup, tuple[StampedEntry, ...]]]
Document = dict[str, Any]
Judge = Callable[[Document], Verdict]


def rechained(document: Document) -> Document:
    document["chain"] = chain_head(document["entries"]).hex()
    return document


def test_a_swapped_deck_does_not_follow_from_the_shares(
    play_match: Play, judge: Judge
) -> None:
    # The same seats and shares, played with the cards of another referee's share.
    setup, entries = play_match(7, refusals=0)
    share = bytes(32)
    swapped = replace(
        setup, referee_share=share, commitment=commit_referee(setup.match_id, share)
    )
    _, played = play_match(7, refusals=0, setup=swapped)
    document = json.loads(build_record(setup, entries))
    other = json.loads(build_record(swapped, played))
    for name in ("entries", "rounds", "sheet", "ending", "clocks"):
        document[name] = other[name]

    verdict = judge(rechained(document))

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.MOVE)
    assert str(verdict.problem).startswith("entry ")


def test_a_swapped_deck_does_not_follow_from_the_commitment(
    play_match: Play, make_setup: MakeSetup, judge: Judge
) -> None:
    # The host grinds a share that it likes better, after it has committed to one.
    liked = replace(make_setup(7), referee_share=bytes(32))
    document = json.loads(build_record(*play_match(7, setup=liked)))

    verdict = judge(document)

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.DEAL)
    assert verdict.problem == (
        "openings.referee_share: not the share the referee committed to"
    )


def test_a_commitment_cannot_be_swapped_without_its_key(
    play_match: Play, make_setup: MakeSetup, judge: Judge
) -> None:
    share = bytes(32)
    setup = make_setup(7)
    swapped = replace(
        setup, referee_share=share, commitment=commit_referee(setup.match_id, share)
    )
    document = json.loads(build_record(*play_match(7, setup=swapped)))

    assert judge(document).wrong is Flaw.SIGNATURE


def test_a_share_switched_off_afterwards_deals_other_cards(
    whole: Document, judge: Judge
) -> None:
    document = json.loads(json.dumps(whole))
    entries = document["entries"]
    commit = next(one for one in entries if one["kind"] == "commit")
    commit["commitment"] = None
    gone = next(
        at
        for at, one in enumerate(entries)
        if one["kind"] == "reveal" and one["seat"] == commit["seat"]
    )
    del entries[gone]
    for entry in entries[gone:]:
        entry["version"] -= 1

    verdict = judge(rechained(document))

    assert verdict.finding is Finding.BROKEN
    assert verdict.wrong is Flaw.MOVE


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        pytest.param(
            (True, False),
            "shares of the referee and north, none of south: none of them chose the"
            " cards by itself",
            id="one",
        ),
        pytest.param(
            (False, False),
            "the referee's share alone: no seat kept the host from choosing the cards",
            id="both",
        ),
    ],
)
def test_a_share_switched_off_beforehand_is_told(
    play_match: Play, judge: Judge, shares: tuple[bool, ...], says: str
) -> None:
    verdict = judge(json.loads(build_record(*play_match(7, shares=shares))))

    assert verdict.finding is Finding.VALID
    assert verdict.deals == says


def test_nothing_is_said_of_cards_that_were_not_dealt(
    gallery: dict[str, bytes], judge: Judge
) -> None:
    assert judge(json.loads(gallery["not committed"])).deals is None


def test_a_log_split_in_two_cannot_be_put_together_again(
    play_match: Play, judge: Judge
) -> None:
    setup, entries = play_match(7, refusals=0)
    _, others = play_match(7, refusals=0.2)
    one = json.loads(build_record(setup, entries))
    other = json.loads(build_record(setup, others))
    at = len(one["entries"]) // 2
    one["entries"][at:] = other["entries"][at:]

    as_it_was, anew = judge(dict(one)), judge(rechained(one))

    assert as_it_was.wrong in {Flaw.CHAIN, Flaw.CLOCK}
    assert anew.finding is Finding.BROKEN


def test_a_season_signed_again_with_another_key_is_not_trusted(
    gallery: dict[str, bytes], referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    stranger = referee(1)
    season = [
        verify_record(seal_envelope(gallery[name], PAYLOAD_TYPE, stranger), keys)
        for name in ("settled", "void", "resigned")
    ]

    assert {verdict.finding for verdict in season} == {Finding.UNKNOWN_KEY}
    assert {verdict.wrong for verdict in season} == {Flaw.KEY}


def test_a_stolen_name_of_a_key_does_not_make_a_signature(
    gallery: dict[str, bytes], referee: MakeReferee, keys: dict[str, bytes]
) -> None:
    envelope = json.loads(seal_envelope(gallery["void"], PAYLOAD_TYPE, referee(1)))
    envelope["signatures"][0]["keyid"] = referee().key_id

    verdict = verify_record(rfc8785.dumps(envelope), keys)

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.SIGNATURE)


def test_a_seeded_deal_is_never_told_as_a_fair_one(
    gallery: dict[str, bytes], judge: Judge
) -> None:
    document = json.loads(gallery["seeded"])

    verdict = judge(document)
    document["match"]["deal_source"] = "shares"
    disguised = judge(document)

    assert verdict.deals == "seeded: the host chose the cards, these are not fair deals"
    assert disguised.finding is Finding.BROKEN


def test_a_forged_refusal_of_a_legal_move_is_found(
    play_match: Play, judge: Judge
) -> None:
    setup, entries = play_match(7, refusals=0)
    document = json.loads(build_record(setup, entries))
    listed = document["entries"]
    at = next(at for at, one in enumerate(listed) if one["kind"] == "move")
    refused = {**listed[at], "kind": "strike", "refusal": 1, "request_id": "forged"}
    listed.insert(at, {**refused, "version": listed[at]["version"] - 1})
    mover = Seat.parse(refused["seat"])
    document["strikes"][mover] += 1

    verdict = judge(rechained(document))

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.MOVE)
    assert str(verdict.problem).endswith("the refused move is legal")


def test_a_hidden_refusal_is_found_where_it_would_have_cost_the_match(
    gallery: dict[str, bytes], judge: Judge
) -> None:
    document = json.loads(gallery["lost by strikes"])
    document["entries"] = [
        one for one in document["entries"] if one["kind"] != "strike"
    ]

    verdict = judge(rechained(document))

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.ENDING)


def test_a_timeout_that_came_too_early_is_found(play_match: Play, judge: Judge) -> None:
    setup, entries = play_match(7, refusals=0.2)
    document = json.loads(build_record(setup, entries))
    cut = len(document["entries"]) // 2
    last = document["entries"][cut]
    version = document["entries"][cut - 1]["version"] + 1
    timeout = {"kind": "timeout", "version": version, "at_ms": last["at_ms"]}
    document["entries"][cut:] = [timeout]

    verdict = judge(rechained(document))

    assert (verdict.finding, verdict.wrong) == (Finding.BROKEN, Flaw.CLOCK)


# --- records that are true in themselves, and that evidence exposes ----------


def confronted(
    played: tuple[Setup, Log], signed: tuple[Setup, Log], keys: dict[str, bytes]
) -> tuple[Verdict, str | None]:
    """Show what north has kept of one match beside the record that the host signs.

    By itself the record is found to be true; what is returned is the judgment of it,
    and what is found beside the evidence.
    """
    record = seal_envelope(build_record(*signed), PAYLOAD_TYPE, Referee())
    alone = verify_record(record, keys)
    assert (alone.finding, alone.problem) == (Finding.VALID, None)
    kept = write(played[0], Seat.NORTH, keep(*played, Seat.NORTH))
    beside = confront(alone, kept, keys)
    assert (beside.finding.exit_code, beside.wrong) == (1, Flaw.EVIDENCE)
    return alone, beside.problem


@pytest.fixture(scope="module")
def played(
    play_match: Play, make_setup: MakeSetup, keys: dict[str, bytes]
) -> tuple[Setup, Log]:
    """A match with receipts, in which one illegal move too many loses at once."""
    setup = replace(make_setup(7, strikes_allowed=0), receipts=True)
    log = play_match(7, setup=setup, refusals=0)
    record = seal_envelope(build_record(*log), PAYLOAD_TYPE, Referee())
    kept = write(setup, Seat.NORTH, keep(*log, Seat.NORTH))
    beside = confront(verify_record(record, keys), kept, keys)
    assert (beside.finding, beside.problem) == (Finding.VALID, None)
    return log


def accepted(entries: Log) -> int:
    """Where a move of north stands that the referee has accepted."""
    return next(
        at
        for at, one in enumerate(entries)
        if isinstance(one.entry, Moved) and one.entry.seat is Seat.NORTH and at > 20
    )


def test_forged_refusal_of_a_move_as_late(
    played: tuple[Setup, Log], keys: dict[str, bytes]
) -> None:
    # The host has accepted the move, and says later that it never came in time.
    setup, entries = played
    at = accepted(entries)
    late = replace(entries[at], entry=TimedOut(), time_ms=entries[at].time_ms + 10**6)

    _, problem = confronted(played, (setup, (*entries[:at], late)), keys)

    version = entries[at].version
    assert str(problem).endswith(
        f"the referee has signed that entry {version} is this submission, accepted;"
        " in the record it is 'timeout'"
    )


def test_forged_refusal_of_a_move_as_illegal(
    played: tuple[Setup, Log], keys: dict[str, bytes]
) -> None:
    # The record has an illegal move in the place of the one that was accepted.
    setup, entries = played
    at = accepted(entries)
    moved = entries[at].entry
    assert isinstance(moved, Moved)
    illegal = PASS if moved.move != PASS else DRAW_STOCK
    forged = Refused(moved.seat, moved.request_id, illegal, 0)
    log = (*entries[:at], replace(entries[at], entry=forged))

    _, problem = confronted(played, (setup, log), keys)

    assert str(problem).endswith(f"in the record it is {illegal} of north, refused")


def test_swapped_deck(
    played: tuple[Setup, Log], play_match: Play, keys: dict[str, bytes]
) -> None:
    # The host has committed to another share than it signs for in the record.
    setup, _ = played
    share = bytes(32)
    commitment = commit_referee(setup.match_id, share)
    said = statement(setup.match_id, setup.ruleset, setup.bots, commitment)
    swapped = replace(
        setup,
        referee_share=share,
        commitment=commitment,
        signature=Referee().sign(said),
    )

    _, problem = confronted(played, play_match(7, setup=swapped, refusals=0), keys)

    assert str(problem).startswith("evidence: line 2: the record has commitment: ")


def test_switched_off_share(
    played: tuple[Setup, Log], play_match: Play, keys: dict[str, bytes]
) -> None:
    # The host has left out the share of north, and says that it gave none.
    setup, _ = played
    without = play_match(7, setup=setup, shares=(False, True), refusals=0)

    alone, problem = confronted(played, without, keys)

    assert str(alone.deals).startswith("shares of the referee and south, none of north")
    assert problem == (
        "evidence: line 3: north has a share, and the record says that it has none"
    )
    # Whoever does not believe the bot can believe what the referee has signed.
    receipts = [
        line for line in keep(*played, Seat.NORTH) if isinstance(line, ReceiptLine)
    ]
    beside = confront(alone, write(setup, Seat.NORTH, receipts), keys)
    assert str(beside.problem).endswith(
        "the referee has signed that north has a share in the deal;"
        " in the record it has none"
    )


def test_rerun(
    played: tuple[Setup, Log], play_match: Play, keys: dict[str, bytes]
) -> None:
    # The host did not like how the match went, and has let it be played once more.
    again = play_match(8, setup=played[0], refusals=0)

    _, problem = confronted(played, again, keys)

    assert "the referee has signed that entry " in str(problem)


def test_seeded_deal(
    played: tuple[Setup, Log],
    play_match: Play,
    make_setup: MakeSetup,
    keys: dict[str, bytes],
) -> None:
    # The host has chosen the cards of a match that it had offered as a fair one.
    seeded = replace(make_setup(7, seeded=True, strikes_allowed=0), receipts=True)

    alone, problem = confronted(played, play_match(7, setup=seeded, refusals=0), keys)

    assert alone.deals == "seeded: the host chose the cards, these are not fair deals"
    assert problem == (
        'evidence: line 2: the record has deal_source: "seeded" where "shares" is'
        " expected, as the seat was offered"
    )


def test_relabelled_board(
    play_match: Play, make_setup: MakeSetup, keys: dict[str, bytes]
) -> None:
    # A match of a tournament, signed as another attempt under another log.
    setup = replace(make_setup(90, place=PLACE, strikes_allowed=0), receipts=True)
    played = play_match(90, setup=setup, refusals=0)
    place = replace(PLACE, attempt=2, head="cd" * 32)

    _, problem = confronted(played, (replace(setup, place=place), played[1]), keys)

    expected = "evidence: line 2: the record has place.attempt: 2 where 1 is expected"
    assert str(problem).startswith(expected)
