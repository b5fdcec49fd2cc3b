"""What a host could try with the records it signs, and what comes of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import rfc8785

from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, build_record, chain_head
from ginref.record.entry import StampedEntry
from ginref.record.envelope import seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.setup import Setup
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
