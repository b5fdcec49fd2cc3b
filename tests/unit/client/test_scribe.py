import pytest

from ginref.engine.deck import draw_first_dealer, seed_secret
from ginref.engine.notation import parse_match, write_match
from ginref.engine.ruleset import GIN, HOLLYWOOD, THREE_HANDED, Ruleset
from ginref.engine.seat import Seat
from ginref_client.arena import Dealt, Happening, MatchResult, Moved, tell_match
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.scribe import Scribe, tell_transcript

SHORT = GIN.but(game_target=40)


def told(rules: Ruleset, seed: str) -> list[Happening]:
    bots = [Careful(), Simple(), Simple()][: rules.seat_count]
    return list(tell_match(bots, rules, seed_secret(seed)))


@pytest.mark.parametrize(
    "rules", [SHORT, HOLLYWOOD, THREE_HANDED], ids=lambda rules: rules.name
)
def test_what_was_written_down_is_told_as_it_was_played(rules: Ruleset) -> None:
    played = told(rules, "a")
    scribe = Scribe(["a", "b", "c"][: rules.seat_count], rules, "a")
    for happening in played:
        scribe.note(happening)

    transcript = scribe.transcript

    assert transcript is not None
    read = parse_match(write_match(transcript))
    assert read == transcript
    # Whoever has the cards of the hands does not have their order in the deck.
    assert [facts(one) for one in tell_transcript(read)] == [
        facts(one) for one in played
    ]


def facts(happening: Happening) -> object:
    match happening:
        case Dealt():
            return happening.number, happening.dealer, happening.match.round.hands
        case Moved():
            history = happening.match.history
            return happening.seat, happening.move, happening.drawn, history
        case _:
            return happening


def test_before_the_first_deal_there_is_nothing_to_write() -> None:
    assert Scribe(["a", "b"], SHORT).transcript is None


def test_a_match_that_breaks_off_is_written_as_far_as_it_went() -> None:
    scribe = Scribe(["a", "b"], SHORT)

    for happening in told(SHORT, "b")[:8]:
        scribe.note(happening)

    assert scribe.transcript is not None
    assert scribe.transcript.seed is None
    assert scribe.transcript.first_dealer is draw_first_dealer(
        seed_secret("b"), tuple(Seat)[:2]
    )
    again = list(tell_transcript(scribe.transcript))
    assert len(again) == 8
    assert not any(isinstance(one, MatchResult) for one in again)
