"""Lies that a referee could sign, each with what its finding begins with."""

from collections.abc import Callable
from typing import Any

from ginref.record.flaw import Flaw

Document = dict[str, Any]


def first(document: Document, kind: str) -> int:
    """Where the first entry of a kind stands."""
    kinds = [entry["kind"] for entry in document["entries"]]
    return kinds.index(kind)


def drop_an_entry(document: Document) -> str:
    dropped = document["entries"].pop(12)
    following = document["entries"][12]["version"]
    return f"entry {following}: it does not follow entry {dropped['version'] - 1}"


def repeat_an_entry(document: Document) -> str:
    document["entries"].insert(12, document["entries"][12])
    version = document["entries"][12]["version"]
    return f"entry {version}: it does not follow entry {version}"


def forget_the_creation(document: Document) -> str:
    del document["entries"][0]
    return "entry 2: it does not follow entry 0"


def forget_everything(document: Document) -> str:
    document["entries"].clear()
    return "entry 1: the creation is missing"


def create_twice(document: Document) -> str:
    document["entries"][1] = {"at_ms": 0, "kind": "new", "version": 2}
    return "entry 2: a match is created once"


def turn_back_time(document: Document) -> str:
    entry = document["entries"][20]
    entry["at_ms"] = document["entries"][19]["at_ms"] - 1
    return f"entry {entry['version']}: its time is before"


def receive_later_than_it_was_stored(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["turn_ms"][1] = entry["at_ms"] + 1
    return f"entry {entry['version']}: a turn is sent, its move received"


def answer_before_the_turn_was_sent(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["turn_ms"][0] = entry["turn_ms"][1] + 1
    return f"entry {entry['version']}: a turn is sent, its move received"


def move_late(document: Document) -> str:
    for entry in document["entries"][20:]:
        entry["at_ms"] += 60_000
    return f"entry {document['entries'][20]['version']}: it came "


def take_longer(document: Document) -> str:
    for entry in document["entries"][20:]:
        entry["at_ms"] += 300
    return "clocks["


def time_out_early(document: Document) -> str:
    cut = document["entries"][20]
    document["entries"][20:] = [
        {"at_ms": cut["at_ms"], "kind": "timeout", "version": cut["version"]}
    ]
    return f"entry {cut['version']}: the seat had "


def play_an_illegal_move(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["move"] = "draw_stock"
    return f"entry {entry['version']}: the accepted move is illegal (wrong_phase"


def move_for_the_other_seat(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["seat"] = "north" if entry["seat"] == "south" else "south"
    return f"entry {entry['version']}: the accepted move is illegal (not_your_turn"


def move_for_a_third_seat(document: Document) -> str:
    entry = document["entries"][first(document, "move")]
    entry["seat"] = "east"
    return f"entry {entry['version']}: the match has no seat east"


def strike_a_legal_move(document: Document) -> str:
    at = first(document, "strike")
    strike, after = document["entries"][at], document["entries"][at + 1]
    strike["move"] = after["move"]
    return f"entry {strike['version']}-1: the refused move is legal"


def hide_a_strike(document: Document) -> str:
    del document["entries"][first(document, "strike")]
    return "strikes["


def call_a_strike_a_step(document: Document) -> str:
    at = first(document, "strike")
    strike = document["entries"][at]
    del strike["refusal"]
    for entry in document["entries"][at:]:
        entry["version"] += 1
    return f"entry {strike['version']}: a step and a counted refusal are mixed up"


def go_on_after_the_end(document: Document) -> str:
    last = document["entries"][-1]
    added = {**last, "version": last["version"] + 1}
    document["entries"].append(added)
    return f"entry {added['version']}: the match is over before it"


def stop_before_the_end(document: Document) -> str:
    del document["entries"][-1]
    return "ending: the match is not over"


def reveal_another_share(document: Document) -> str:
    entry = document["entries"][first(document, "reveal")]
    entry["share"] = "00" * 32
    return f"entry {entry['version']}: the share is not the one committed to"


def take_a_seat_twice(document: Document) -> str:
    document["entries"][2]["seat"] = document["entries"][1]["seat"]
    return "entry 3: it cannot follow at this point of the match"


def move_before_the_deal(document: Document) -> str:
    move = document["entries"][first(document, "move")]
    early = {"at_ms": 500, "turn_ms": [None, 500], "version": 4}
    document["entries"][3] = {**move, **early}
    for entry in document["entries"][4:]:
        entry["at_ms"] += 500
    return "entry 4: it is a move, but no cards are dealt"


def open_another_referee_share(document: Document) -> str:
    document["openings"]["referee_share"] = "00" * 32
    return "openings.referee_share: not the share the referee committed to"


def commit_to_something_else(document: Document) -> str:
    document["match"]["commitment"] = "00" * 32
    return "openings.referee_share: not the share the referee committed to"


def seat_another_bot(document: Document) -> str:
    document["match"]["bots"][0] = "cheat"
    return "match.signature: not made with the key"


def move_to_another_match(document: Document) -> str:
    document["match"]["match_id"] = "match-9"
    return "openings.referee_share"


def change_the_winner(document: Document) -> str:
    winner = document["ending"]["winner"]
    document["ending"]["winner"] = "north" if winner == "south" else "south"
    return f'ending.winner: "{document["ending"]["winner"]}" where "{winner}"'


def change_the_score(document: Document) -> str:
    document["sheet"]["games"][0]["totals"][0] += 1
    return "sheet.games[0].totals[0]"


def change_a_round(document: Document) -> str:
    document["rounds"][1]["points"] += 5
    return "rounds[1].points"


def forget_a_round(document: Document) -> str:
    number = len(document["rounds"]) - 1
    document["rounds"].pop()
    return f"rounds[{number}]: nothing where"


def lay_down_another_meld(document: Document) -> str:
    document["rounds"][0]["showdown"]["melds"][0] = "As 2s 3s"
    return "rounds[0].showdown.melds[0]"


def claim_another_secret(document: Document) -> str:
    document["openings"]["secret"] = "00" * 32
    return "openings.secret"


def claim_another_dealer(document: Document) -> str:
    dealer = document["openings"]["first_dealer"]
    document["openings"]["first_dealer"] = "north" if dealer == "south" else "south"
    return "openings.first_dealer"


def give_time_back(document: Document) -> str:
    document["clocks"][1]["bank_ms"] += 1
    return "clocks[1].bank_ms"


def credit_more_than_the_time(document: Document) -> str:
    entry = document["entries"][20]
    entry["credit_ms"] = 60_000
    return f"entry {entry['version']}: 60000 ms cannot be the credit"


def credit_nothing(document: Document) -> str:
    document["entries"][20]["credit_ms"] = 0
    return "entries[20].credit_ms: a whole number from 1 on expected"


def void_what_is_there(document: Document) -> str:
    last = document["entries"][-1]
    void = {"kind": "void", "version": last["version"], "at_ms": last["at_ms"]}
    document["entries"][-1] = {**void, "lost": 1}
    return f"entry {last['version']}: it does not follow"


def put_one_for_true(document: Document) -> str:
    document["strikes"][0] = False
    return "strikes[0]"


TAMPERINGS: dict[Callable[[Document], str], Flaw] = {
    drop_an_entry: Flaw.CHAIN,
    repeat_an_entry: Flaw.CHAIN,
    forget_the_creation: Flaw.CHAIN,
    forget_everything: Flaw.CHAIN,
    create_twice: Flaw.CHAIN,
    turn_back_time: Flaw.CLOCK,
    receive_later_than_it_was_stored: Flaw.CLOCK,
    answer_before_the_turn_was_sent: Flaw.CLOCK,
    move_late: Flaw.CLOCK,
    take_longer: Flaw.CLOCK,
    time_out_early: Flaw.CLOCK,
    play_an_illegal_move: Flaw.MOVE,
    move_for_the_other_seat: Flaw.MOVE,
    move_for_a_third_seat: Flaw.MOVE,
    strike_a_legal_move: Flaw.MOVE,
    hide_a_strike: Flaw.MOVE,
    call_a_strike_a_step: Flaw.MOVE,
    go_on_after_the_end: Flaw.ENDING,
    stop_before_the_end: Flaw.ENDING,
    reveal_another_share: Flaw.DEAL,
    take_a_seat_twice: Flaw.DEAL,
    move_before_the_deal: Flaw.MOVE,
    open_another_referee_share: Flaw.DEAL,
    commit_to_something_else: Flaw.DEAL,
    seat_another_bot: Flaw.SIGNATURE,
    move_to_another_match: Flaw.DEAL,
    change_the_winner: Flaw.ENDING,
    change_the_score: Flaw.SCORE,
    change_a_round: Flaw.SCORE,
    forget_a_round: Flaw.SCORE,
    lay_down_another_meld: Flaw.SCORE,
    claim_another_secret: Flaw.DEAL,
    claim_another_dealer: Flaw.DEAL,
    give_time_back: Flaw.CLOCK,
    credit_more_than_the_time: Flaw.CLOCK,
    credit_nothing: Flaw.FORM,
    void_what_is_there: Flaw.CHAIN,
    put_one_for_true: Flaw.MOVE,
}
"""Every lie, and what kind of thing is wrong with it."""
