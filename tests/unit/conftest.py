"""Whole matches from a seed, and a referee that signs: what many tests start from."""

import hashlib
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ginref.engine.card import PACK
from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.match import Match, legal_moves
from ginref.engine.move import PASS, Discard, Knock, Move
from ginref.engine.phase import Throw
from ginref.engine.ruleset import GIN, Ruleset
from ginref.engine.seat import Seat
from ginref.record.clock import FAST, ClockPolicy
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Created,
    Entry,
    Moved,
    Refused,
    Resigned,
    Revealed,
    StampedEntry,
    TimedOut,
    Voided,
)
from ginref.record.lifecycle import MatchState, Stage, begin, step
from ginref.record.proof import submission_of
from ginref.record.public_key import thumbprint
from ginref.record.setup import DealSource, Setup, commitment_to, statement
from ginref.record.share import commit_seat
from ginref.record.tournament_place import TournamentPlace

SHORT = GIN.but(name="short", game_target=40)
CREATED_MS = 1_790_000_000_000
LONG_MS = 10**7
"""Longer than any deadline of a test."""


class Referee:
    """Signs with a key that follows from a number."""

    def __init__(self, number: int = 0) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(_secret("referee", number))
        public = self._key.public_key()
        self.public_key = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = thumbprint(self.public_key)

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def bot_key(seat: Seat) -> Referee:
    """The key of a seat's bot; a bot signs as a referee does."""
    return Referee(100 + seat)


PlayedMatch = tuple[Setup, tuple[StampedEntry, ...]]


@pytest.fixture(scope="session")
def referee() -> Callable[..., Referee]:
    return Referee


@pytest.fixture(scope="session")
def make_setup() -> Callable[..., Setup]:
    return build_setup


@pytest.fixture(scope="session")
def play_match() -> Callable[..., PlayedMatch]:
    return play


def build_setup(  # noqa: PLR0913 - what a test may want to be different
    number: int = 0,
    *,
    rules: Ruleset = SHORT,
    seeded: bool = False,
    clock: ClockPolicy = FAST,
    strikes_allowed: int = 3,
    signing: Collection[Seat] = (),
    place: TournamentPlace | None = None,
) -> Setup:
    """What a referee fixes when it creates a match; seats that sign have keys."""
    bots = ("careful", "greedy", "patient")[: rules.seat_count]
    match_id = f"match-{number}"
    share = _secret("share", number)
    commitment = commitment_to(match_id, place, share)
    referee = Referee()
    source = DealSource.TOURNAMENT if place else DealSource.SHARES
    signed = statement(match_id, rules, bots, commitment)
    return Setup(
        match_id=match_id,
        ruleset=rules,
        clock=clock,
        strikes_allowed=strikes_allowed,
        bots=bots,
        deal_source=DealSource.SEEDED if seeded else source,
        referee_share=share,
        seed=f"seed {number}" if seeded else None,
        commitment=commitment,
        signature=referee.sign(signed),
        key_id=referee.key_id,
        creator="operator",
        durability="memory",
        engine="0.1.0",
        keys=tuple(
            bot_key(seat).public_key if seat in signing else None
            for seat in tuple(Seat)[: len(bots)]
        ),
        place=place,
    )


def play(  # noqa: PLR0913 - what a test may want to be different
    number: int = 0,
    *,
    ending: Entry | None = None,
    ends_in: Stage = Stage.PLAYING,
    moves: int = 20,
    refusals: float = 0.02,
    shares: tuple[bool, ...] = (True, True, True),
    setup: Setup | None = None,
) -> PlayedMatch:
    """Play a match to its end, or to an ending that comes from outside.

    Args:
        number: Everything follows from it.
        ending: What ends the match early; None plays it to the end.
        ends_in: The stage in which it does.
        moves: After how many moves, if that is play.
        refusals: How often a bot tries an illegal move.
        shares: Which seats have a share.
        setup: What was fixed at creation.
    """
    setup = setup or build_setup(number)
    chance = random.Random(number)
    log = [StampedEntry(1, 0, CREATED_MS, Created())]
    state, played = begin(setup), 0
    while not state.ending:
        in_play = state.stage is Stage.PLAYING
        if ending and state.stage is ends_in and (not in_play or played >= moves):
            entry = ending
        else:
            entry = _next_entry(state, chance, refusals, shares)
        wait_ms = LONG_MS if isinstance(entry, TimedOut) else chance.randrange(150)
        state = step(state, entry)
        entry = _signed(setup, StampedEntry(state.version, state.refusals, 0, entry))
        played += isinstance(entry, Moved)
        time_ms = log[-1].time_ms + wait_ms
        log.append(StampedEntry(state.version, state.refusals, time_ms, entry))
    return setup, tuple(log)


def _signed(setup: Setup, stamped: StampedEntry) -> Entry:
    """Sign what the bot of a seat with a key submits."""
    submission, entry = submission_of(setup, stamped), stamped.entry
    if submission is None or setup.key_of(submission.seat) is None:
        return entry
    assert isinstance(entry, Moved | Refused)
    signature = bot_key(submission.seat).sign(submission.encode())
    return replace(entry, signature=signature)


def _next_entry(
    state: MatchState, chance: random.Random, refusals: float, shares: Sequence[bool]
) -> Entry:
    seat, match_id = state.awaited[0], state.setup.match_id
    share = _secret(f"{match_id}/{seat}", 0) if shares[seat] else None
    if state.stage is Stage.FORMING:
        return Accepted(seat)
    if state.stage is Stage.COMMITTING:
        return Committed(seat, share and commit_seat(match_id, seat, share))
    if state.match is None:
        return Revealed(seat, share or b"")
    request_id, referee_ms = chance.randbytes(16).hex(), chance.randrange(7)
    waited_ms = chance.randrange(40) if chance.random() < 0.9 else None
    times = referee_ms, None, waited_ms
    # No bot of a test is so bad that it loses the match by it.
    if state.strikes_left(seat) and chance.random() < refusals:
        return Refused(seat, request_id, _wrong_move(state.match, seat), *times)
    return Moved(seat, request_id, _choose(state.match, seat, chance), *times)


def _choose(match: Match, seat: Seat, chance: random.Random) -> Move:
    """Play well enough that every way to end a round is seen."""
    legal = legal_moves(match, seat)
    if not isinstance(match.round.phase, Throw):
        return chance.choice(legal)
    knocks = [move for move in legal if isinstance(move, Knock)]
    if knocks and chance.random() < 0.8:
        return chance.choice(knocks)
    left = discard_deadwoods(match.round.hand(seat))
    throws = [move for move in legal if isinstance(move, Discard)]
    return min(throws, key=lambda move: (left[move.card], -move.card.points))


def _wrong_move(match: Match, seat: Seat) -> Move:
    if isinstance(match.round.phase, Throw):
        hand = match.round.hand(seat)
        return Discard(next(card for card in PACK if card not in hand))
    return Discard(PACK[0]) if PASS in legal_moves(match, seat) else PASS


def _secret(purpose: str, number: int) -> bytes:
    return hashlib.sha256(f"{purpose} {number}".encode()).digest()


ENDINGS: dict[str, Entry] = {
    "resigned": Resigned(Seat.SOUTH),
    "aborted": Aborted(),
    "void": Voided(),
    "timed out": TimedOut(),
}


@pytest.fixture(params=list(ENDINGS.values()), ids=list(ENDINGS))
def early_ending(request: pytest.FixtureRequest) -> Entry:
    entry: Entry = request.param
    return entry
