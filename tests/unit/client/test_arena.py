import pytest

from ginref.engine.card import PACK
from ginref.engine.deck import seed_secret
from ginref.engine.error import IllegalMoveError
from ginref.engine.move import Discard, DrawStock, DrawUpcard, Knock, Move
from ginref.engine.ruleset import GIN, HOLLYWOOD
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref_client.arena import (
    Dealt,
    MatchResult,
    Moved,
    RoundEnded,
    play_match,
    tell_match,
)
from ginref_client.blame import BotFailedError
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.fact import FinishedMatch, FinishedRound, MatchInfo

SHORT = GIN.but(game_target=30)
SECRET = seed_secret("arena")


def test_the_same_secret_plays_the_same_match() -> None:
    first = play_match([Careful(), Simple()], SHORT, SECRET)

    assert play_match([Careful(), Simple()], SHORT, SECRET) == first
    assert play_match([Careful(), Simple()], SHORT, seed_secret("other")) != first


def test_a_match_is_told_from_the_first_deal_to_the_result() -> None:
    told = list(tell_match([Careful(), Simple()], HOLLYWOOD, SECRET))

    deals = [part for part in told if isinstance(part, Dealt)]
    rounds = [part for part in told if isinstance(part, RoundEnded)]
    moves = [part for part in told if isinstance(part, Moved)]
    assert isinstance(told[0], Dealt)
    assert isinstance(told[-1], MatchResult)
    assert [deal.number for deal in deals] == list(range(1, len(deals) + 1))
    assert tuple(part.summary for part in rounds) == told[-1].rounds
    assert len(moves) == told[-1].moves
    assert rounds[-1].sheet == told[-1].sheet


def test_a_draw_names_the_card_and_other_moves_do_not() -> None:
    for part in tell_match([Simple(), Simple()], SHORT, SECRET):
        if isinstance(part, Moved):
            drew = isinstance(part.move, DrawStock | DrawUpcard)
            assert (part.drawn is not None) == drew


def test_bots_hear_of_the_match() -> None:
    class Listener(Simple):
        def __init__(self) -> None:
            self.heard: list[object] = []

        def match_started(self, info: MatchInfo) -> None:
            self.heard.append(info)

        def round_over(self, ended: FinishedRound) -> None:
            self.heard.append(ended.summary)

        def match_over(self, result: FinishedMatch) -> None:
            self.heard.append(result.won)

    north, south = Listener(), Listener()

    result = play_match([north, south], SHORT, SECRET)

    assert isinstance(north.heard[0], MatchInfo)
    assert north.heard[0].bots == ("listener", "listener")
    assert tuple(north.heard[1:-1]) == result.rounds
    assert north.heard[-1] is (result.winner is Seat.NORTH)
    assert south.heard[-1] is (result.winner is Seat.SOUTH)


class Raising(Simple):
    def choose(self, view: SeatView) -> Move:
        raise LookupError(view.seat)


class Cheating(Simple):
    def choose(self, view: SeatView) -> Move:
        return Discard(next(card for card in PACK if card not in view.hand))


class Silent(Simple):
    def choose(self, view: SeatView) -> Move:  # noqa: ARG002
        return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("bot", "cause", "text"),
    [
        pytest.param(Raising, LookupError, "choose raised LookupError", id="it raises"),
        pytest.param(Cheating, IllegalMoveError, "illegal", id="it cheats"),
        pytest.param(Silent, type(None), "no move", id="it says nothing"),
    ],
)
def test_a_bot_that_fails_ends_the_match_and_is_named(
    bot: type[Simple], cause: type[BaseException], text: str
) -> None:
    with pytest.raises(BotFailedError, match=text) as failed:
        play_match([Simple(), bot()], SHORT, SECRET)

    assert failed.value.seat is Seat.SOUTH
    assert isinstance(failed.value.__cause__, cause)


def test_a_table_has_its_number_of_seats() -> None:
    with pytest.raises(ValueError, match="1 bots for 2 seats"):
        play_match([Simple()], SHORT, SECRET)


def test_a_match_at_the_limit_of_rounds_says_so() -> None:
    class Idle(Simple):
        def choose(self, view: SeatView) -> Move:
            move = super().choose(view)
            return Discard(view.discards[0].card) if isinstance(move, Knock) else move

    rules = GIN.but(round_limit=2, wall=29)

    result = play_match([Idle(), Idle()], rules, SECRET)

    assert len(result.rounds) == 2
    assert result.winner is None
    assert str(result.over.how) == "round_cap"
