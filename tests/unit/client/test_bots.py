import itertools
from pathlib import Path

import pytest

from ginref.engine.deck import seed_secret
from ginref.engine.ruleset import GIN, HOLLYWOOD, OKLAHOMA, Ruleset
from ginref.engine.seat import Seat
from ginref_client.arena import play_match
from ginref_client.bot import Bot
from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.loading import load_bot

EXAMPLE = Path("clients/python/examples/first_bot.py")


@pytest.mark.parametrize("rules", [GIN, HOLLYWOOD, OKLAHOMA], ids=lambda r: r.name)
@pytest.mark.parametrize("bot", [Simple, Careful], ids=lambda bot: bot.name)
def test_a_bot_plays_whole_matches(bot: type[Bot], rules: Ruleset) -> None:
    short = rules.but(game_target=40)

    result = play_match([bot(), bot()], short, seed_secret("whole"))

    assert result.winner is not None


@pytest.mark.parametrize("bot", [Simple, Careful], ids=lambda bot: bot.name)
def test_a_bot_is_a_function_of_the_view(bot: type[Bot]) -> None:
    def play() -> object:
        return play_match([bot(), bot()], GIN, seed_secret("twice"))

    assert play() == play()


def test_a_bot_knows_big_gin() -> None:
    rules = GIN.but(big_gin_bonus=31, game_target=20)

    for seed in range(3):
        play_match([Careful(), Simple()], rules, seed_secret(f"big {seed}"))


def test_careful_beats_simple() -> None:
    won = 0
    for deal, seat in itertools.product(range(10), (Seat.NORTH, Seat.SOUTH)):
        bots = [Careful(), Simple()] if seat is Seat.NORTH else [Simple(), Careful()]
        won += play_match(bots, GIN, seed_secret(f"duel {deal}")).winner is seat

    assert won > 12


def test_the_example_of_the_documentation_is_short_and_plays() -> None:
    first = load_bot(str(EXAMPLE))

    result = play_match([first(), Simple()], GIN, seed_secret("first"))

    assert result.winner is not None
    assert len(EXAMPLE.read_text().splitlines()) <= 20
