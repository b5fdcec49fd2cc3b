"""What chance decides in a tournament, derived from one secret.

The referee commits to a share before anybody gives one; entrants commit to theirs and
reveal them at check-in. All of them together give the secret, so as long as one is
honest nobody could choose the draw or the cards. Lots follow from it and are open from
the draw on; they tell nothing about the boards, each of which opens by itself.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from ginref.engine.deck import expand, extract
from ginref.record.share import named

_SHARE: Final = b"ginref/tournament-share/v1"
_COMMITMENT: Final = b"ginref/tournament-commitment/v1"
_SECRET: Final = b"ginref/tournament-secret/v1"
_LOTS: Final = b"ginref/tournament-lots/v1"
_BOARDS: Final = b"ginref/tournament-boards/v1"


def commit_share(tournament: str, who: str, share: bytes) -> bytes:
    """Return the commitment to a share: whose it is keeps others from copying it.

    Args:
        tournament: Identity of the tournament.
        who: The bot whose share it is; empty for the referee.
        share: The share, 32 bytes.
    """
    return hashlib.sha256(named(_SHARE, tournament, who) + share).digest()


def mix_secret(tournament: str, referee: bytes, shares: Mapping[str, bytes]) -> bytes:
    """Return the tournament's secret of all shares, 32 bytes.

    Args:
        tournament: Identity of the tournament.
        referee: The referee's share.
        shares: The share of each bot that has revealed one.
    """
    parts = [referee]
    for bot, share in sorted(shares.items()):
        parts.append(named(b"", bot) + share)
    return expand(extract(b"".join(parts)), named(_SECRET, tournament))


def commit_secret(tournament: str, secret: bytes) -> bytes:
    """Return the commitment to a tournament's secret, 32 bytes."""
    return hashlib.sha256(named(_COMMITMENT, tournament) + secret).digest()


def lots_of(secret: bytes) -> bytes:
    """Return the secret of all lots, 32 bytes."""
    return expand(extract(secret), _LOTS)


def boards_of(secret: bytes, deal: str) -> bytes:
    """Return the match secret of all matches that share a deal, 32 bytes."""
    return expand(extract(secret), named(_BOARDS, deal))
