"""What a bot knows of tournaments that nobody can take back: heads of logs, and shares.

The log of a tournament only grows. A bot that has kept how far it had grown, and the
digest that stood for it then, is a witness against a referee that tells it otherwise.
"""

import json
import logging
import secrets
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ginref.record.setup import canonical
from ginref.record.share import SHARE_SIZE
from ginref.tournament.secret import commit_share
from ginref.v1 import session_pb2
from ginref_client.error import SplitLogError
from ginref_client.lines import append, mend

_log = logging.getLogger(__name__)

FILE: Final = "tournaments.jsonl"
"""Name of the file in a bot's state folder."""


@dataclass(slots=True)
class _Kept:
    """What is kept of one tournament.

    Attributes:
        heads: Digests of its log, by length.
        shares: The bot's shares, by the referee's commitment to its own.
    """

    heads: dict[int, str] = field(default_factory=dict)
    shares: dict[str, bytes] = field(default_factory=dict, repr=False)


class Witness:
    """What a bot knows of the tournaments of one referee.

    One file, to which lines are only ever added: heads of logs, the bot's own shares,
    and what contradicted them. Without a folder all of it is kept in memory.
    """

    def __init__(self, folder: Path | None = None, server: str = "") -> None:
        """Keep what is told.

        Args:
            folder: A folder of the bot's own, which is there; None keeps nothing.
            server: Address of the referee: others have tournaments of their own.

        Raises:
            OSError: The file cannot be read.
        """
        self._path = None if folder is None else folder / FILE
        self._server = server
        self._kept: defaultdict[str, _Kept] = defaultdict(_Kept)
        if self._path is not None:
            for number, row in enumerate(mend(self._path).splitlines(), 1):
                try:
                    self._recall(json.loads(row))
                except (KeyError, TypeError, ValueError):
                    # A power cut can spoil more than the last line. What is left is
                    # worth more than none, and no reason not to play.
                    _log.warning("%s, line %d cannot be read", self._path, number)

    def note(self, head: session_pb2.TournamentHead, *, is_latest: bool) -> None:
        """Keep how far a log has grown.

        Args:
            head: Head of the log.
            is_latest: The referee says that it has grown no further than that. What
                it told when a match was created may come late.

        Raises:
            SplitLogError: The referee has shown another log before, or a longer one.
            OSError: The file cannot be written.
        """
        known = self._kept[head.tournament_id].heads
        digest = head.digest.hex()
        longest = max(known, default=0)
        facts = {
            "digest": digest,
            "length": head.length,
            "tournament_id": head.tournament_id,
        }
        if known.get(head.length, digest) != digest:
            self._add("contradiction", {**facts, "known": known[head.length]})
            problem = f"entry {head.length} of its log is another one than before"
            raise SplitLogError(head.tournament_id, problem, self._path)
        if is_latest and head.length < longest:
            self._add("contradiction", {**facts, "longest": longest})
            problem = f"its log had {longest} entries, and now has {head.length}"
            raise SplitLogError(head.tournament_id, problem, self._path)
        if head.length not in known:
            self._add("head", facts)
            known[head.length] = digest

    def answer(
        self, summons: session_pb2.Summons, bot: str
    ) -> session_pb2.CheckIn | None:
        """Return what to answer a tournament; None if there is nothing to say.

        A share is kept before its commitment leaves, and is the same one after a
        restart.

        Raises:
            SplitLogError: The referee has shown another log before, or a longer one.
            OSError: The file cannot be written.
        """
        if summons.HasField("head"):
            self.note(summons.head, is_latest=True)
        tournament, referee = summons.tournament_id, summons.referee_commitment.hex()
        answer = session_pb2.CheckIn(tournament_id=tournament)
        kept = self._kept[tournament]
        match summons.kind:
            case session_pb2.PREPARE_KIND_COMMITMENT if not referee:
                # It could choose its own share when it has seen the others.
                _log.warning(
                    "tournament %s: no share without the referee's", tournament
                )
                answer.no_share = True
            case session_pb2.PREPARE_KIND_COMMITMENT:
                share = kept.shares.get(referee) or self._make(tournament, referee, bot)
                answer.commitment = commit_share(tournament, bot, share)
                _log.info("tournament %s: checking in as %s", tournament, bot)
            case session_pb2.PREPARE_KIND_NONCE if referee in kept.shares:
                answer.share = kept.shares[referee]
            case session_pb2.PREPARE_KIND_NONCE:
                _log.error(
                    "tournament %s: the share was lost with the process that made it;"
                    " keep a state folder to be able to restart",
                    tournament,
                )
                return None
            case _:
                return None
        return answer

    def _make(self, tournament: str, referee: str, bot: str) -> bytes:
        share = secrets.token_bytes(SHARE_SIZE)
        facts = {
            "bot": bot,
            "commitment": commit_share(tournament, bot, share).hex(),
            "referee_commitment": referee,
            "share": share.hex(),
            "tournament_id": tournament,
        }
        self._add("share", facts, is_vital=True)
        self._kept[tournament].shares[referee] = share
        return share

    def _recall(self, facts: Mapping[str, Any]) -> None:
        if facts["server"] != self._server:
            return
        kept = self._kept[facts["tournament_id"]]
        if facts["kind"] == "head":
            kept.heads[facts["length"]] = facts["digest"]
        elif facts["kind"] == "share":
            kept.shares[facts["referee_commitment"]] = bytes.fromhex(facts["share"])

    def _add(
        self, kind: str, facts: Mapping[str, object], *, is_vital: bool = False
    ) -> None:
        if self._path is not None:
            line = canonical({"kind": kind, "server": self._server, **facts})
            append(self._path, line + b"\n", is_vital=is_vital)
