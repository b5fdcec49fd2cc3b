"""The last questions of a run, when all is well and every match is over."""

from typing import Final

from tests.simulation.ledger import Claim
from tests.simulation.line import End
from tests.simulation.stream import Stream
from tests.simulation.world import SPECTATOR, World

from ginref.app.caller import Caller, Role
from ginref.app.error import RefusedError

_SAMPLE: Final = 3
"""Submissions whose answer is known that are sent once more."""

_ATTACHING: Final = 0.3
"""How many runs end with every bot attaching once more."""


class Audit:
    """Asks about what is over."""

    def __init__(self, world: World) -> None:
        """Ask the referees of a world."""
        self._world = world
        self._dice = world.network.dice

    async def ask_again(self) -> None:
        """Send moves again, ask for records, and attach once more."""
        claims = list(self._world.ledger.claims.values())
        unsettled = [claim for claim in claims if not claim.is_settled]
        settled = [claim for claim in claims if claim.is_settled]
        sample = range(min(_SAMPLE, len(settled)))
        unsettled += [self._dice.pick(settled) for _ in sample]
        for claim in unsettled:
            if not claim.is_settled:
                self._world.journal.count("outcome asked for afterwards")
            await self._submit(claim)
        for match_id in self._world.server.truths:
            await self._ask_for_record(match_id)
        await self._world.vigil.judge_attachments()
        if self._dice.chance(_ATTACHING):
            for bot in self._world.players:
                await self._attach(bot)

    async def _submit(self, claim: Claim) -> None:
        world, submission = self._world, claim.submission
        bots = world.server.truths[submission.match_id].bots
        caller = world.players[bots[submission.seat]].caller
        try:
            await world.line.call_until_done(
                lambda r: r.desk.submit_move(caller, submission, r.tools.monotonic()),
                world.ledger.claim(submission),
            )
        except RefusedError as error:
            world.journal.note("still", submission.request_id, error.reason)

    async def _ask_for_record(self, match_id: str) -> None:
        world = self._world
        record = await world.line.call_until_done(
            lambda r: r.desk.match_record(SPECTATOR, match_id)
        )
        if record != world.archive.records[match_id]:
            world.journal.problem(f"another record of {match_id} is published")

    async def _attach(self, bot: str) -> None:
        world = self._world
        caller = Caller(token_id=f"t-{bot}", role=Role.BOT, bot=bot)
        referee = self._dice.pick(world.referees)
        stream = Stream(world.network, referee, caller, {}, 0)
        first = await stream.read()
        stream.cut()
        if isinstance(first, End):
            world.journal.problem(f"{bot} cannot attach: {first}")
        if live := await world.server.live_matches(bot):
            world.journal.problem(f"{bot} still has {live}")
