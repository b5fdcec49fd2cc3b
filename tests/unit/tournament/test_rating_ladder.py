import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.tournament.rating_ladder import Skill, new_version, play_ladder

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_vectors.json"
FIRST_WIN: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))["ratings"][
    "openskill_6.2.0_first_win"
]["BradleyTerryFull"]

SKILLS = st.builds(Skill, st.floats(0, 50), st.floats(0.5, 9))


def test_a_first_win_moves_both_as_openskill_does() -> None:
    winner, loser = play_ladder(Skill(), Skill(), 1)

    assert winner == pytest.approx(FIRST_WIN["winner"], rel=1e-12)
    assert loser == pytest.approx(FIRST_WIN["loser"], rel=1e-12)


# Source: openskill 6.2.0, BradleyTerryFull with its defaults.
@pytest.mark.parametrize(
    ("score", "means"),
    [
        pytest.param(1, (28.323413166239256, 25.803358582978944), id="won"),
        pytest.param(0.5, (25.268123680264928, 26.90345831690491), id="drawn"),
        pytest.param(0, (22.212834194290597, 28.003558050830872), id="lost"),
    ],
)
def test_unequal_bots_move_as_openskill_moves_them(
    score: float, means: tuple[float, float]
) -> None:
    first, second = play_ladder(Skill(), Skill(27, 5), score)

    assert (first.mean, second.mean) == pytest.approx(means, rel=1e-12)
    deviations = (7.915776907308953, 4.947582672337413)
    assert (first.deviation, second.deviation) == pytest.approx(deviations, rel=1e-12)


@given(SKILLS, SKILLS)
def test_a_win_never_costs_the_winner_and_never_helps_the_loser(
    first: Skill, second: Skill
) -> None:
    winner, loser = play_ladder(first, second, 1)

    assert winner.mean >= first.mean
    assert loser.mean <= second.mean
    mirrored = play_ladder(second, first, 0)
    assert mirrored[0] == pytest.approx(loser)
    assert mirrored[1] == pytest.approx(winner)


def test_with_drift_a_bot_never_freezes() -> None:
    skill = Skill()
    for _ in range(500):
        skill, _ = play_ladder(skill, Skill(25, 1), 0.5)

    still, _ = play_ladder(skill, Skill(25, 1), 1)

    assert still.mean - skill.mean > 0.05
    assert skill.deviation > 0.5


def test_a_new_version_keeps_the_mean_and_nothing_else() -> None:
    skill = new_version(Skill(31, 2))

    assert skill == Skill(31, Skill().deviation)
    assert skill.shown < Skill(31, 2).shown == 25
