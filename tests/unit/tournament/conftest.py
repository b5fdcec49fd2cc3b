import pytest
from tests.unit.tournament.driving import Tournament, better_seed, one_stage


@pytest.fixture
def bracket() -> Tournament:
    """A knock-out of four whose first round is played, the better seeds winning."""
    tournament = Tournament(one_stage({"format": "single_elimination"}))
    tournament.start(4)
    tournament.step(better_seed)
    tournament.settle()
    return tournament
