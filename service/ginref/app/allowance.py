"""What each token has left of what it may ask for, in this process."""

import contextlib
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from ginref.app.caller import Caller, Role
from ginref.app.error import Reason, RefusedError
from ginref.app.limit import UNLIMITED, Cap, Kind, Limits
from ginref.record.submission import Submission

_TOKENS: Final = 10_000
"""Tokens that are remembered for each kind; one that is forgotten starts anew."""

_TURNS: Final = 20_000
"""Seats whose latest turn is remembered, likewise."""

_MATCHES: Final = 100_000
"""Matches that are counted at most."""

_ASKED: Final = 8
"""Matches of which the store is asked whether they are over, before a refusal."""


class Allowance:
    """Counts what tokens ask for, and refuses what is too much.

    The first submission of a turn costs nothing and is never refused here. An
    operator's token is held to no limit: it can do worse than ask too often.
    """

    def __init__(
        self,
        limits: Limits = UNLIMITED,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with everything left; `monotonic` tells seconds."""
        self._limits = limits
        self._monotonic = monotonic
        # When each token will have all of it left again, by kind.
        self._full_at: dict[Kind, OrderedDict[str, float]] = {
            kind: OrderedDict() for kind in Kind
        }
        self._streams: Counter[tuple[str, Cap]] = Counter()
        self._turns: OrderedDict[tuple[str, int], int] = OrderedDict()
        # Matches that were created here and go on, and by whom.
        self._creators: dict[str, str] = {}
        self._made: dict[str, dict[str, None]] = {}

    def spend(self, caller: Caller, kind: Kind) -> None:
        """Count one of a kind.

        Raises:
            RefusedError: RATE_LIMITED.
        """
        rate = self._limits.rates.get(kind)
        if rate is None or caller.role is Role.OPERATOR:
            return
        token, full_at = caller.token_id, self._full_at[kind]
        now = self._monotonic()
        step = 1 / rate.per_second
        full = max(full_at.get(token, now), now) + step
        wait = full - now - rate.burst * step
        if wait > step / 1000:
            raise RefusedError(
                Reason.RATE_LIMITED,
                f"too many {kind}: {rate.per_second} a second are allowed",
                limit=kind,
                resets_ms=math.ceil(round(wait * 1000, 3)),
            )
        full_at[token] = full
        full_at.move_to_end(token)
        if len(full_at) > _TOKENS:
            full_at.popitem(last=False)

    def is_new(self, submission: Submission, version: int) -> bool:
        """Say whether a submission is the first for a turn that a seat has come to.

        Args:
            submission: From whoever holds the seat.
            version: Of the match. A turn that is to come is none yet, and a turn
                before one that was submitted for is none any more.
        """
        place = submission.match_id, int(submission.seat)
        turn, turns = submission.expected_version, self._turns
        latest = turns.get(place, -1)
        if latest > version:
            # The store has lost what came after, and it is played again.
            latest = -1
        if not latest < turn <= version:
            return False
        turns[place] = turn
        turns.move_to_end(place)
        if len(turns) > _TURNS:
            turns.popitem(last=False)
        return True

    def forget(self, submission: Submission) -> None:
        """Take a submission for new when it comes again: it has not been judged."""
        place = submission.match_id, int(submission.seat)
        if self._turns.get(place) == submission.expected_version:
            self._turns[place] -= 1

    @contextlib.contextmanager
    def stream(self, caller: Caller, *, is_watch: bool) -> Iterator[None]:
        """Count a stream for as long as the context lasts.

        Raises:
            RefusedError: LIMIT_EXCEEDED, before it begins.
        """
        token = caller.token_id
        held = [(token, Cap.STREAMS), *([(token, Cap.WATCHES)] if is_watch else ())]
        for key in held:
            self._check(caller, key[1], self._streams[key])
        self._streams.update(held)
        try:
            yield
        finally:
            self._streams.subtract(held)
            for key in held:
                if not self._streams[key]:
                    del self._streams[key]

    def check_match(self, caller: Caller, match_id: str) -> None:
        """Let a caller create a match, or ask for one again.

        Raises:
            RefusedError: LIMIT_EXCEEDED.
        """
        if match_id not in self._creators:
            self._check(caller, Cap.MATCHES, len(self._made.get(caller.identity, ())))
            self._check(caller, Cap.ALL_MATCHES, len(self._creators))

    def match_begun(self, match_id: str, creator: str) -> None:
        """Count a match that was created here."""
        self._creators[match_id] = creator
        self._made.setdefault(creator, {})[match_id] = None
        if len(self._creators) > _MATCHES:
            self.match_over(next(iter(self._creators)))

    def match_over(self, match_id: str) -> None:
        """Count a match no more; one that was created elsewhere never was."""
        creator = self._creators.pop(match_id, None)
        if creator is not None:
            del self._made[creator][match_id]
            if not self._made[creator]:
                del self._made[creator]

    def perhaps_over(self, caller: Caller) -> list[str]:
        """Return a few matches, the oldest first, that may have ended elsewhere."""
        made = self._made.get(caller.identity, {})
        asked = [*islice(made, _ASKED), *islice(self._creators, _ASKED)]
        for match_id in dict.fromkeys(asked):
            # The next time come others.
            creator = self._creators[match_id]
            self.match_over(match_id)
            self.match_begun(match_id, creator)
        return asked

    def _check(self, caller: Caller, cap: Cap, count: int) -> None:
        most = self._limits.caps.get(cap)
        if most is None or count < most or caller.role is Role.OPERATOR:
            return
        message = f"{most} {cap.replace('-', ' ')} at once are allowed"
        raise RefusedError(Reason.LIMIT_EXCEEDED, message, limit=cap, most=most)
