"""One run: a table of bots, referees that come and go, and the end of all trouble."""

import asyncio
import hashlib
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.simulation.dice import Dice
from tests.simulation.hand import Hand
from tests.simulation.journal import Journal
from tests.simulation.ledger import Following, Ledger
from tests.simulation.line import End, Feed, Line
from tests.simulation.loop import SimulatedLoop
from tests.simulation.network import Network
from tests.simulation.plan import BOTS, MatchPlan, Plan
from tests.simulation.player import Player, watching
from tests.simulation.referee import Referee, SharedArchive, Surroundings
from tests.simulation.remote_store import Wakes
from tests.simulation.server import StoreServer
from tests.simulation.stream_player import StreamPlayer
from tests.simulation.vigil import Vigil

from ginref.adapters.key_file import Ed25519Signer
from ginref.adapters.memory_registry import MemoryRegistry
from ginref.adapters.sealing import AesSealer
from ginref.app.caller import Caller, Role
from ginref.app.error import RefusedError
from ginref.app.registry_row import BotRow, write_bot
from ginref.app.report import MatchFacts
from ginref.app.request import NewMatch
from ginref.app.watch import WatchStep
from ginref.engine.seat import Seat
from ginref.record.setup import DealSource

HOST: Final = Caller(token_id="t-host", role=Role.ORGANIZER)
SPECTATOR: Final = Caller(token_id="t-eye", role=Role.SPECTATOR)

_SIGNER: Final = Ed25519Signer.of(
    Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"simulated").digest())
)
_SEALER: Final = AesSealer(hashlib.sha256(b"sealed").digest())

_BREATH: Final = (0.01, 0.2)
"""Seconds before a spectator comes back."""


class World:
    """Everything that there is in one run."""

    def __init__(
        self, seed: int, plan: Plan, loop: SimulatedLoop, *, keep: bool
    ) -> None:
        """Be as planned; nothing happens yet."""
        self.plan = plan
        self.loop = loop
        self.journal = Journal(loop.time, keep=keep)
        self.network = Network(Dice(seed, "network"), plan.weather, self.journal)
        self.server = StoreServer(
            loop.time, Dice(seed, "identity").octets(32), self.journal
        )
        self.wakes = Wakes(self.server, self.network)
        self.archive = SharedArchive(self.network)
        self.ledger = Ledger(self.journal)
        self.registry = MemoryRegistry()
        self.signer = _SIGNER
        self.sealer = _SEALER
        around = Surroundings(
            server=self.server,
            network=self.network,
            wakes=self.wakes,
            registry=self.registry,
            archive=self.archive,
            signer=_SIGNER,
            sealer=_SEALER,
            dice=Dice(seed, "secrets"),
        )
        self.referees = tuple(
            Referee(f"referee-{number}", around) for number in range(plan.referees)
        )
        self.line = Line(self.referees, self.network)
        self.players = {
            bot: self._player(bot, style) for bot, style in plan.styles.items()
        }
        self.vigil = Vigil(self.server, self.network, self.players)
        self._hand_dice = Dice(seed, "hands")
        self.is_troubled = True
        self.calm = 0.0

    def _player(self, bot: str, style: str) -> Player:
        kind = StreamPlayer if style == "stream" else Player
        player = kind(bot, style, self.line, self.ledger, self._deal_hand)
        if isinstance(player, StreamPlayer):
            player.capacity = self.plan.capacity
            player.floods = bot == self.plan.flooder
        return player

    def _deal_hand(self, facts: MatchFacts, seat: Seat) -> Hand:
        number = int(facts.ruleset.name.rpartition("-")[2])
        traits = self.plan.matches[number].traits[seat]
        hand = Hand(facts.match_id, seat, traits, self._hand_dice)
        if not self.is_troubled:
            hand.heal()
        return hand

    async def begin(self) -> None:
        """Start referees, bots, organizers and spectators."""
        for bot in BOTS:
            row = BotRow(name=bot, owner="owner", house=False, created_ms=0)
            await self.registry.add("bot", bot, write_bot(row))
        self.vigil.begin()
        self.network.start(self.wakes.run())
        for referee in self.referees:
            referee.start()
        for player in self.players.values():
            if isinstance(player, StreamPlayer):
                player.attach()
        for number, match in enumerate(self.plan.matches):
            self.network.start(self._organize(number, match))

    # --- who takes part ------------------------------------------------------------

    async def _organize(self, number: int, match: MatchPlan) -> None:
        rules = match.rules.but(name=f"{match.rules.name}-{number}")
        new = NewMatch(
            request_id=f"new-{number}",
            ruleset=rules,
            bots=match.bots,
            clock=match.clock,
            strikes_allowed=match.strikes_allowed,
            deal_source=DealSource.SEEDED if match.seed else DealSource.SHARES,
            seed=match.seed,
        )
        calls = [self._create(new) for _ in range(2 if match.twice else 1)]
        facts = (await asyncio.gather(*calls))[0]
        for watcher in range(self.plan.spectators):
            following = Following(f"eye-{number}-{watcher}", facts.match_id)
            self.ledger.followings.append(following)
            self.network.start(self._follow(following))
        for seat, bot in zip(Seat, match.bots, strict=False):
            player = self.players[bot]
            if not isinstance(player, StreamPlayer):
                self.network.start(player.play(facts, seat))
        if match.abort_after is not None:
            await asyncio.sleep(match.abort_after)
            await self._abort(facts.match_id)

    async def _create(self, new: NewMatch) -> MatchFacts:
        facts = await self.line.call_until_done(
            lambda r: r.desk.create_match(HOST, new)
        )
        self.ledger.made.setdefault(new.request_id, set()).add(facts.match_id)
        return facts

    async def _abort(self, match_id: str) -> None:
        try:
            await self.line.call_until_done(
                lambda r: r.desk.abort_match(HOST, match_id)
            )
        except RefusedError as error:
            self.journal.note("abort", error.reason)

    async def _follow(self, following: Following) -> None:
        """Watch a match to its end, from wherever the dice say."""
        network, cursor = self.network, ""
        while True:
            referee = network.dice.pick(self.referees)
            feed: Feed[WatchStep] = Feed(
                network, referee, watching(SPECTATOR, following.match_id, cursor)
            )
            while not isinstance(step := await feed.read(), End):
                self.ledger.stepped(following, step)
                cursor = step.cursor
                if step.facts.ending is not None:
                    return
                if self.is_troubled and network.dice.chance(0.02):
                    feed.cut()
            if step.error is not None:
                self.journal.count(f"watch ended: {step.error.reason}")
            if cursor:
                self.journal.count("watch resumed")
            await asyncio.sleep(network.dice.between(*_BREATH))

    @property
    def unfinished(self) -> tuple[str, ...]:
        """What is not over yet."""
        truths, records = self.server.truths, self.archive.records
        missing = len(self.plan.matches) - len(truths)
        return (
            *(f"{missing} matches to be made" for _ in range(min(1, missing))),
            *(one for one, truth in truths.items() if not truth.over),
            *(f"record of {one}" for one in truths if one not in records),
            *(
                f"{one.name} of {one.match_id}"
                for one in self.ledger.followings
                if not one.steps or one.steps[-1].facts.ending is None
            ),
        )

    @property
    def is_over(self) -> bool:
        """Every match is over, signed, and seen to its end."""
        made = len(self.ledger.made) == len(self.plan.matches)
        return made and not self.unfinished
