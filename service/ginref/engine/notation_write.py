"""A match as notation: every line in its standard form.

What stands in parentheses follows from the rest: it is for the reader's eye, and a
reader that is a program checks it.
"""

from collections.abc import Iterator
from typing import Final

from ginref.engine.match import Match
from ginref.engine.move import DrawStock, DrawUpcard, Knock, Move, Pass
from ginref.engine.notation_line import quote
from ginref.engine.ruleset import GIN, PRESETS, Ruleset
from ginref.engine.transcript import Deal, Transcript, replay

FORMAT_LINE: Final = "ginref match 1"
"""The first line; the number changes with the form of the rest."""

DIGEST_LETTERS: Final = 12
_STOCK_LINE_CARDS: Final = 16
_HEAD_WIDTH: Final = 5


def write_match(transcript: Transcript) -> str:
    """Write a match; reading it gives the same transcript.

    Raises:
        IllegalMoveError, UnknownCardError, ValueError: It cannot be played.
    """
    return "\n".join([*_head(transcript), *_body(transcript)]) + "\n"


def _head(transcript: Transcript) -> Iterator[str]:
    yield FORMAT_LINE
    yield from _rules_lines(transcript.rules)
    for seat, bot in zip(transcript.seats, transcript.bots, strict=True):
        yield f"seat {seat} {quote(bot)}"
    yield f"dealer {transcript.first_dealer}"
    if transcript.seed is not None:
        yield f"seed {quote(transcript.seed)}"


def _body(transcript: Transcript) -> Iterator[str]:
    rounds = iter(transcript.rounds)
    turn: list[str] = []
    match: Match | None = None
    for match, _, move, before in replay(transcript):
        if move is None or before is None:
            yield from _turn_lines(turn)
            if match.over is None:
                yield ""
                yield round_line(match)
                yield from _deal_lines(match, next(rounds).deal)
            continue
        if not turn:
            turn.append(_turn_head(before, move))
        turn.append(move_text(before, move, match))
        if not isinstance(move, DrawStock | DrawUpcard):
            yield from _turn_lines(turn)
        if _has_ended(before, match):
            yield result_line(match)
    yield from _turn_lines(turn)
    if match is not None and match.over:
        yield ""
        yield over_line(match)


def _turn_lines(turn: list[str]) -> Iterator[str]:
    """Yield the line of a turn, if there is one, and begin the next."""
    if turn:
        head, *moves = turn
        yield f"{head} {', '.join(moves)}"
        turn.clear()


def _rules_lines(rules: Ruleset) -> Iterator[str]:
    """Yield the preset of the rules, and every option that differs from it."""
    base = PRESETS.get(rules.name, GIN)
    yield f"rules {base.name} ({rules.digest[:DIGEST_LETTERS]})"
    preset = base.to_dict()
    for key, value in rules.to_dict().items():
        if value != preset[key]:
            yield f"option {key} {_option_text(value)}"


def _option_text(value: object) -> str:
    return quote(value) if isinstance(value, str) else str(value).lower()


def round_line(match: Match) -> str:
    """Return the heading of a round."""
    sides = match.round.dealer, match.round.non_dealer
    idle = [f"{seat} sits out" for seat in match.seats if seat not in sides]
    notes = ", ".join([f"{match.dealer} deals", *idle])
    return f"round {match.round_number} ({notes})"


def _deal_lines(match: Match, deal: Deal) -> Iterator[str]:
    """Yield the cards of a round: both hands, the upcard, and the stock."""
    hands = zip((match.round.non_dealer, match.round.dealer), deal.hands, strict=True)
    for seat, hand in sorted(hands):
        yield f"hand {seat!s:<{_HEAD_WIDTH}} {hand}"
    yield f"upcard {deal.upcard}"
    for at in range(0, len(deal.stock), _STOCK_LINE_CARDS):
        yield f"stock {' '.join(map(str, deal.stock[at : at + _STOCK_LINE_CARDS]))}"


def _turn_head(before: Match, move: Move) -> str:
    """Return what a line of moves begins with: the turn's number, and the seat."""
    number = "" if isinstance(move, Pass) else f"{turn_number(before)}."
    return f"{number:>4} {before.to_act!s:<{_HEAD_WIDTH}}"


def turn_number(match: Match) -> int:
    """Count the turn that is being played in its round, from 1; passes do not count."""
    return match.round.turns + 1


def move_text(before: Match, move: Move, after: Match) -> str:
    """Return a move, and in parentheses what it drew or laid down."""
    note = ""
    match move:
        case DrawStock():
            note = str(before.round.deck[before.round.drawn])
        case DrawUpcard():
            note = str(before.round.upcard)
        case Knock(melds=None):
            showdown = after.last_result.showdown if after.last_result else None
            note = " ".join(map(str, showdown.arrangement.melds)) if showdown else ""
        case _:
            pass
    return f"{move} ({note})" if note else str(move)


def _has_ended(before: Match, after: Match) -> bool:
    """Say whether the move between two moments ended a round."""
    return len(after.history) > len(before.history)


def result_line(match: Match) -> str:
    """Return the result of the round that has just ended."""
    summary, result = match.history[-1], match.last_result
    line = f"result {summary.outcome}"
    if summary.winner is not None:
        line += f", {summary.winner} {summary.points}"
    notes = []
    if result and result.showdown:
        spread = result.showdown.spread
        notes.append(f"{result.showdown.arrangement.points} to {spread.points}")
        if spread.layoffs:
            cards = " ".join(str(layoff.card) for layoff in spread.layoffs)
            notes.append(f"laid off {cards}")
    if summary.winner is not None and match.rules.games > 1:
        notes.append(_games(summary.columns))
    return f"{line} ({', '.join(notes)})" if notes else line


def _games(columns: tuple[int, ...]) -> str:
    numbers = [str(at + 1) for at in columns]
    if not numbers:
        return "no game"
    return f"{'game' if len(numbers) == 1 else 'games'} {' and '.join(numbers)}"


def over_line(match: Match) -> str:
    """Return the end of a match.

    Raises:
        ValueError: It is not over.
    """
    over = match.over
    if over is None:
        raise ValueError("the match is not over")
    by = f" by {', '.join(map(str, over.at_fault))}" if over.at_fault else ""
    winner = "nobody" if over.winner is None else str(over.winner)
    notes = ", ".join([f"{winner} wins", *_settlements(match)])
    return f"over {over.how}{by} ({notes})"


def _settlements(match: Match) -> Iterator[str]:
    """Yield the totals of each settled game with bonuses, and what each seat gets."""
    games = match.sheet.games
    for number, game in enumerate(games, 1):
        if game.settlement is None:
            continue
        rows = zip(
            match.seats, game.settlement.totals, game.settlement.balances, strict=True
        )
        which = f"game {number} " if len(games) > 1 else ""
        seats = ", ".join(f"{seat} {total} {own:+}" for seat, total, own in rows)
        yield f"{which}settled {seats}"
