"""The referee's share of a tournament's secret: made once, kept sealed."""

from collections.abc import Callable
from typing import Final

from ginref.app.packing import DamageError
from ginref.app.port import Chance, Sealer, SealError
from ginref.app.tournament_store import TournamentStore
from ginref.tournament.ledger import Ledger
from ginref.tournament.qualifying import deal_secret
from ginref.tournament.secret import commit_share, mix_secret

_SHARE_SIZE: Final = 32


class SecretKeeper:
    """Makes the referee's shares and knows what follows from them."""

    def __init__(self, store: TournamentStore, sealer: Sealer, chance: Chance) -> None:
        """Keep shares in a store, sealed."""
        self._store = store
        self._sealer = sealer
        self._chance = chance

    async def commitment(self, tournament: str) -> str:
        """Return the commitment to the share, which is made if there is none yet.

        Raises:
            DamageError: The share that is kept cannot be read.
        """
        kept = await self._store.secret(tournament)
        if kept is None:
            made = self._chance.token(_SHARE_SIZE)
            sealed = self._sealer.seal(made, _context(tournament))
            kept = await self._store.keep_secret(tournament, sealed)
        share = self._open(tournament, kept)
        return commit_share(tournament, "", share).hex()

    async def share(self, tournament: str) -> bytes:
        """Return the share, 32 bytes.

        Raises:
            DamageError: None is kept, or it cannot be read.
        """
        kept = await self._store.secret(tournament)
        if kept is None:
            message = f"the share of tournament {tournament} is lost"
            raise DamageError(message)
        return self._open(tournament, kept)

    async def secret(self, ledger: Ledger) -> bytes:
        """Return the tournament's secret, of all shares, 32 bytes.

        Raises:
            DamageError: The referee's share is lost, cannot be read, or is not the
                one that it has committed to.
        """
        share = await self._bound(ledger)
        shares = {bot: bytes.fromhex(text) for bot, text in ledger.shares.items()}
        return mix_secret(ledger.tournament, share, shares)

    async def dealer(self, ledger: Ledger) -> Callable[[str], bytes]:
        """Return what gives the match secret of a deal, 32 bytes.

        Raises:
            DamageError: As `secret`.
        """
        secret, share = await self.secret(ledger), await self._bound(ledger)
        return lambda deal: deal_secret(ledger.tournament, secret, share, deal)

    async def _bound(self, ledger: Ledger) -> bytes:
        """Return the share that the referee has committed to."""
        name = ledger.tournament
        share = await self.share(name)
        if commit_share(name, "", share).hex() != ledger.referee:
            message = f"another share of tournament {name} was committed to"
            raise DamageError(message)
        return share

    def _open(self, tournament: str, sealed: bytes) -> bytes:
        try:
            return self._sealer.open(sealed, _context(tournament))
        except SealError as error:
            message = f"the share of tournament {tournament} cannot be read"
            raise DamageError(message) from error


def _context(tournament: str) -> str:
    return f"tournament/{tournament}/share"
