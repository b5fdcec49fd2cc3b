"""How a match comes to be: checked, set up, stored, and its seats offered."""

import base64
import hmac

from ginref.app.caller import Caller
from ginref.app.error import Reason, RefusedError
from ginref.app.live_match import LiveMatch
from ginref.app.match_store import Creation, Duplicate, EntryId, Wake
from ginref.app.promise import Promise
from ginref.app.reach import check_reach
from ginref.app.registry_row import read_bot
from ginref.app.report import MatchFacts
from ginref.app.reporting import match_facts
from ginref.app.request import NewMatch
from ginref.app.tools import Tools
from ginref.app.tournament_game import TournamentGame, creator_of
from ginref.record.entry import Created
from ginref.record.lifecycle import begin
from ginref.record.setup import DealSource, Setup, statement
from ginref.record.share import SHARE_SIZE, commit_boards, commit_referee


class Opening:
    """Opens matches for whoever may."""

    def __init__(self, tools: Tools) -> None:
        """Work with these tools."""
        self._tools = tools
        self._keeper = tools.keeper
        self._promise = Promise(tools.store, tools.monotonic)
        self._identity_key: bytes | None = None

    async def open(self, caller: Caller, new: NewMatch) -> MatchFacts:
        """Create a match and offer its seats; the same request gives the same match.

        Whether the caller's role allows it has been seen to.

        Raises:
            RefusedError: BOT_NOT_FOUND, FIELD_MISSING, FIELD_INVALID,
                SEEDED_NOT_ALLOWED, REQUEST_ID_REUSED, MATCH_EXPIRED for a match of
                which only the record is kept, LIMIT_EXCEEDED for too many of the
                caller's matches, or SEAT_NOT_YOURS for a token that is limited to
                other matches.
        """
        keys = await self._check(new)
        setup = await self._set_up(caller, new, keys)
        check_reach(caller, setup.match_id)
        await self._check_room(caller, setup.match_id)
        begun = await self._begin(setup, new.request_hash)
        if isinstance(begun, LiveMatch):
            self._tools.allowance.match_begun(setup.match_id, setup.creator)
            return match_facts(begun)
        if not begun.seen.same_request:
            raise _reused(new.request_id)
        return match_facts(await self._keeper.load(setup.match_id))

    async def open_game(self, game: TournamentGame) -> None:
        """Create a match of a tournament, unless it is there.

        A bot that was removed, or listed and never registered, does not show up.

        Raises:
            RefusedError: LIMIT_EXCEEDED: the store takes no new matches now.
        """
        place, rules = game.place, game.match.ruleset
        commitment = commit_boards(place.tournament, place.deal, game.boards)
        promise = statement(game.match_id, rules, game.bots, commitment)
        rows = [await self._tools.registry.get("bot", bot) for bot in game.bots]
        signer = self._tools.signer()
        setup = Setup(
            match_id=game.match_id,
            ruleset=rules,
            clock=game.match.clock,
            strikes_allowed=game.match.strikes,
            bots=game.bots,
            deal_source=DealSource.TOURNAMENT,
            referee_share=game.boards,
            seed=None,
            commitment=commitment,
            signature=signer.sign(promise),
            key_id=signer.key_id,
            creator=creator_of(place.tournament),
            durability=await self._promise.mode(),
            engine=self._tools.engine,
            keys=tuple(None if row is None else read_bot(row).key for row in rows),
            receipts=game.match.receipts,
            place=place,
        )
        await self._begin(setup, game.request_hash)

    async def _check_room(self, caller: Caller, match_id: str) -> None:
        """Let a caller create a match unless too many go on.

        Raises:
            RefusedError: LIMIT_EXCEEDED.
        """
        allowance = self._tools.allowance
        try:
            allowance.check_match(caller, match_id)
        except RefusedError:
            for other in allowance.perhaps_over(caller):
                stored = await self._tools.store.read(other)
                if stored is None or stored.over:
                    allowance.match_over(other)
            allowance.check_match(caller, match_id)

    async def _begin(self, setup: Setup, request_hash: bytes) -> LiveMatch | Duplicate:
        """Store a match and return it, unless it is stored already."""
        state, packer = begin(setup), self._keeper.packer
        creation = Creation(
            match_id=setup.match_id,
            request_hash=request_hash,
            setup=packer.pack_setup(setup),
            state=packer.pack_state(state),
            entry=packer.pack_entry(setup.match_id, EntryId(1), Created()),
            clock=setup.clock,
            seat_count=len(setup.bots),
            bots=setup.bots,
        )
        result = await self._tools.store.create(creation)
        if isinstance(result, Duplicate):
            return result
        live = LiveMatch(
            state=state,
            clock=result.clock,
            created_ms=result.now_ms,
            now_ms=result.now_ms,
        )
        self._keeper.remember(live)
        self._tools.observer.match_created()
        self._tools.hub.notify(Wake(setup.match_id, result.entry_id))
        return live

    async def match_id(self, caller: Caller, request_id: str) -> str:
        """Return the id of the match that follows from a caller's request."""
        return await self._derive(caller.identity, request_id)

    async def game_id(self, tournament: str, request_id: str) -> str:
        """Return the id of the match that follows from a tournament's order."""
        return await self._derive(creator_of(tournament), request_id)

    async def _derive(self, creator: str, request_id: str) -> str:
        if self._identity_key is None:
            self._identity_key = await self._tools.store.identity_key()
        name = f"{creator}\n{request_id}".encode()
        digest = hmac.digest(self._identity_key, name, "sha256")
        return "m" + base64.b32encode(digest[:10]).decode().lower()

    async def _check(self, new: NewMatch) -> tuple[bytes | None, ...]:
        """Check a new match; return the public keys of its bots."""
        if len(new.bots) != new.ruleset.seat_count:
            raise RefusedError(
                Reason.FIELD_INVALID,
                f"{new.ruleset.seat_count} bots expected, {len(new.bots)} given",
                field="bots",
            )
        seeded = new.deal_source is DealSource.SEEDED
        if seeded and not self._tools.allow_seeded:
            message = "this referee takes no seeds: they let the host choose the cards"
            raise RefusedError(Reason.SEEDED_NOT_ALLOWED, message)
        if seeded and new.seed is None:
            message = "a seeded deal needs a seed"
            raise RefusedError(Reason.FIELD_MISSING, message, field="seed")
        if not seeded and new.seed is not None:
            message = "a seed belongs to seeded deals, and to nothing else"
            raise RefusedError(Reason.FIELD_INVALID, message, field="seed")
        keys = []
        for bot in new.bots:
            row = await self._tools.registry.get("bot", bot)
            if row is None:
                message = f"there is no bot {bot}"
                raise RefusedError(Reason.BOT_NOT_FOUND, message, bot=bot)
            keys.append(read_bot(row).key)
        return tuple(keys)

    async def _set_up(
        self, caller: Caller, new: NewMatch, keys: tuple[bytes | None, ...]
    ) -> Setup:
        match_id = await self.match_id(caller, new.request_id)
        share = self._tools.chance.token(SHARE_SIZE)
        commitment = commit_referee(match_id, share)
        promise = statement(match_id, new.ruleset, new.bots, commitment)
        signer = self._tools.signer()
        return Setup(
            match_id=match_id,
            ruleset=new.ruleset,
            clock=new.clock,
            strikes_allowed=new.strikes_allowed,
            bots=new.bots,
            deal_source=new.deal_source,
            referee_share=share,
            seed=new.seed,
            commitment=commitment,
            signature=signer.sign(promise),
            key_id=signer.key_id,
            creator=caller.identity,
            # Settings change, and another server may have taken over.
            durability=await self._promise.mode(),
            engine=self._tools.engine,
            keys=keys,
            receipts=new.receipts,
        )


def _reused(request_id: str) -> RefusedError:
    message = "the request id was used for another request"
    return RefusedError(Reason.REQUEST_ID_REUSED, message, request_id=request_id)
