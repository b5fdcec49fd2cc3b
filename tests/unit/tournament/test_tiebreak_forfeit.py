"""A forfeit never helps the side that forfeits."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginref.tournament.berger import round_robin
from ginref.tournament.standing_tally import Board, Kind, Tally, history
from ginref.tournament.swiss import pair_swiss
from ginref.tournament.swiss_field import field_of
from ginref.tournament.tiebreak import (
    ROUND_ROBIN_ORDER,
    SWISS_ORDER,
    Criterion,
    Edition,
)
from ginref.tournament.tiebreak_rank import rank_entrants
from ginref.tournament.tiebreak_sum import ScoreBook

AWARD = 60
NAMES = [*"abcdefg"]
LOTS = {name: lot for lot, name in enumerate(reversed(NAMES))}

SUMMED = [
    criterion
    for criterion in Criterion
    if criterion not in {Criterion.HEAD_TO_HEAD, Criterion.LOTS}
]
OUTSIDE_BOARDS = [
    criterion
    for criterion in Criterion
    if criterion not in {Criterion.NET_PER_BOARD, Criterion.BOARDS_WON}
]


@st.composite
def fixtures(draw: st.DrawFn, number: int, first: str, second: str) -> Tally:
    """A fixture of any kind; no board is lost by more than the award."""
    kind = draw(
        st.sampled_from(
            [Kind.PLAYED, Kind.PLAYED, Kind.PLAYED, Kind.FORFEIT, Kind.DOUBLE_FORFEIT]
        )
    )
    winner = draw(st.sampled_from([first, second, None]))
    nets = draw(st.lists(st.integers(-AWARD, AWARD), max_size=3))
    boards = tuple(map(Board, nets))
    tally = Tally(
        round=number, first=first, second=second, winner=winner, boards=boards
    )
    if kind is Kind.PLAYED:
        return tally
    if kind is Kind.FORFEIT:
        return forfeited(tally, draw(st.sampled_from([first, second])), begun=False)
    both = tuple(Board(0, (first, second)) for _ in nets)
    return replace(tally, kind=kind, winner=None, boards=both)


def forfeited(tally: Tally, loser: str, *, begun: bool) -> Tally:
    winner = tally.second if loser == tally.first else tally.first
    boards = tuple(Board(board.net if begun else 0, (loser,)) for board in tally.boards)
    kind = Kind.PLAYED if begun else Kind.FORFEIT
    return replace(tally, winner=winner, kind=kind, boards=boards)


@st.composite
def swisses(draw: st.DrawFn) -> list[Tally]:
    """A Swiss of some rounds, with withdrawals, byes, absences and forfeits."""
    active = NAMES[: draw(st.integers(3, 7))]
    tallies: list[Tally] = []
    for number in range(1, draw(st.integers(2, 5))):
        staying = [name for name in active if draw(st.integers(0, 9))]
        paired = pair_swiss(field_of(staying, tallies))
        here = [draw(fixtures(number, a, b)) for a, b in paired.pairs]
        if paired.bye is not None:
            here.append(Tally(round=number, first=paired.bye, kind=Kind.BYE))
        here += [
            Tally(
                round=number,
                first=name,
                kind=Kind.ABSENCE,
                points=draw(st.sampled_from([0, 0.5])),
            )
            for name in active
            if name not in staying
        ]
        tallies += here
    return tallies


@st.composite
def round_robins(draw: st.DrawFn) -> list[Tally]:
    names = NAMES[: draw(st.integers(2, 6))]
    tallies = []
    for played in round_robin(names):
        for a, b in played.pairs:
            tallies.append(draw(fixtures(played.number, a, b)))
    return tallies


def played_losses(tallies: list[Tally]) -> list[tuple[int, str]]:
    """Where somebody lost in play, and who."""
    return [
        (at, tally.second if tally.winner == tally.first else tally.first)
        for at, tally in enumerate(tallies)
        if tally.kind is Kind.PLAYED and tally.winner and tally.second
    ]


def book_of(tallies: list[Tally], edition: Edition = Edition.GIN_2026) -> ScoreBook:
    rounds = max(tally.round for tally in tallies)
    return ScoreBook(history(tallies, AWARD), edition, rounds, LOTS)


def forfeit_one(data: st.DataObject, tallies: list[Tally]) -> tuple[str, list[Tally]]:
    """Let the loser of some fixture forfeit it instead, before or after it began."""
    losses = played_losses(tallies)
    if not losses:
        return tallies[0].first, tallies
    at, loser = data.draw(st.sampled_from(losses))
    begun = data.draw(st.booleans())
    instead = forfeited(tallies[at], loser, begun=begun)
    return loser, [*tallies[:at], instead, *tallies[at + 1 :]]


@given(st.data(), st.one_of(swisses(), round_robins()))
@settings(max_examples=80)
def test_to_forfeit_instead_of_losing_raises_no_value_of_the_loser(
    data: st.DataObject, tallies: list[Tally]
) -> None:
    loser, instead = forfeit_one(data, tallies)
    before, after = book_of(tallies), book_of(instead)

    for criterion in SUMMED:
        was = before.tie_break(criterion, loser).value
        now = after.tie_break(criterion, loser).value
        assert was is not None
        assert now is not None
        assert now <= was, criterion


@given(st.data(), st.one_of(swisses(), round_robins()))
@settings(max_examples=80)
def test_to_forfeit_instead_of_losing_passes_nobody_but_the_winner_by_its_boards(
    data: st.DataObject, tallies: list[Tally]
) -> None:
    loser, instead = forfeit_one(data, tallies)
    names = sorted({tally.first for tally in tallies} | {*filter(None, NAMES)})

    for criteria in (ROUND_ROBIN_ORDER, SWISS_ORDER):
        order = [criterion for criterion in criteria if criterion in OUTSIDE_BOARDS]
        ranks = [
            {
                placing.entrant: placing.rank
                for placing in rank_entrants(names, book_of(results), order)
            }
            for results in (tallies, instead)
        ]
        assert ranks[1][loser] >= ranks[0][loser]


@given(st.data(), st.one_of(swisses(), round_robins()))
@settings(max_examples=60)
def test_a_forfeit_instead_of_a_loss_leaves_all_others_their_values(
    data: st.DataObject, tallies: list[Tally]
) -> None:
    loser, instead = forfeit_one(data, tallies)
    before, after = book_of(tallies), book_of(instead)
    changed = {Criterion.NET_PER_BOARD, Criterion.BOARDS_WON, Criterion.WINS_PLAYED}

    for name in {*NAMES} - {loser}:
        for criterion in set(SUMMED) - changed:
            was = before.tie_break(criterion, name).value
            assert after.tie_break(criterion, name).value == was


def test_in_2024_a_forfeit_against_the_last_raised_ones_buchholz() -> None:
    lost = [
        Tally(round=1, first="a", second="b", winner="a"),
        Tally(round=2, first="a", second="c", winner="a"),
        Tally(round=3, first="a", second="d", winner="d"),
    ]
    instead = [*lost[:2], forfeited(lost[2], "a", begun=False)]

    values = {
        edition: [
            book_of(results, edition).tie_break(Criterion.BUCHHOLZ, "a").value
            for results in (lost, instead)
        ]
        for edition in (Edition.FIDE_2024, Edition.GIN_2026)
    }

    assert values == {Edition.FIDE_2024: [1, 2], Edition.GIN_2026: [1, 1]}


def test_a_forfeit_does_not_make_an_absence_count() -> None:
    lost = [
        Tally(round=1, first="a", kind=Kind.ABSENCE),
        Tally(round=2, first="a", second="b", winner="a"),
        Tally(round=3, first="a", second="c", winner="a"),
        Tally(round=4, first="a", second="d", winner="d"),
    ]
    instead = [*lost[:3], forfeited(lost[3], "a", begun=False)]

    values = {
        edition: [
            book_of(results, edition).tie_break(Criterion.BUCHHOLZ_CUT_1, "a").value
            for results in (lost, instead)
        ]
        for edition in (Edition.FIDE_2024, Edition.GIN_2026)
    }

    assert values == {Edition.FIDE_2024: [1, 2], Edition.GIN_2026: [1, 1]}


@pytest.mark.parametrize(
    ("net", "charged"),
    [
        pytest.param(30, -60, id="ahead, it is charged the award"),
        pytest.param(-10, -60, id="a little behind, it is charged the award"),
        pytest.param(-95, -95, id="far behind, it is charged what it stood at"),
    ],
)
def test_a_forfeited_board_costs_the_award_at_least(net: int, charged: int) -> None:
    boards = (Board(12), Board(net, ("a",)))
    tally = Tally(round=1, first="a", second="b", winner="b", boards=boards)

    known = history([tally], AWARD)

    assert known["a"][0].nets == (12, charged)
    assert known["b"][0].nets == (-12,)


def test_a_double_forfeit_scores_nothing_and_costs_both_the_award() -> None:
    boards = (Board(0, ("a", "b")),)
    tally = Tally(
        round=1, first="a", second="b", kind=Kind.DOUBLE_FORFEIT, boards=boards
    )

    known = history([tally], AWARD)

    assert [known[name][0].nets for name in "ab"] == [(-60,), (-60,)]
    assert [known[name][0].points for name in "ab"] == [0, 0]


def test_whoever_comes_is_not_marked_when_the_opponent_does_not() -> None:
    tally = Tally(round=1, first="a", second="b", winner="a", kind=Kind.FORFEIT)

    known = history([tally], AWARD)

    assert known["a"][0].points == 1
    assert not known["a"][0].is_unplayed_by_choice
    assert known["b"][0].is_unplayed_by_choice
