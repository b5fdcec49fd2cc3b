"""What a referee answers to bad input, however it was sent."""

import re
from dataclasses import dataclass, field
from typing import Any

import grpc.aio
from google.rpc import error_details_pb2, status_pb2

from ginref.engine.card import Card, CardSet
from ginref.v1 import error_reason_pb2, session_pb2

_INSIDE = re.compile(
    r"Traceback|File \"|\w(?:Error|Exception)\b(?!Info)|object at 0x|<class|\.py\b"
    r"|ginref\.(?:app|engine|record|adapters|transport)|(?i:redis|valkey|/tmp|/home)"
)
"""What only the inside of a referee knows."""

_CARDS = re.compile(r"(?<![A-Za-z0-9])(?:[A23456789TJQK][shdc])+(?![A-Za-z0-9])")


@dataclass(frozen=True)
class Answer:
    """A refusal.

    Attributes:
        reason: Its reason; empty for one that the core of gRPC makes on its own.
        facts: Its facts.
        code: Code of the status; empty on a stream, which goes on.
        text: All of it, as text.
        strikes_left: What the refusal says of strikes beside the facts.
    """

    reason: str
    facts: dict[str, str] = field(default_factory=dict)
    code: str = ""
    text: str = ""
    strikes_left: str | None = None

    @property
    def cards(self) -> CardSet:
        """Every card that it names."""
        return cards_in(self.text)

    @property
    def leaks(self) -> list[str]:
        """What it tells of the inside of the referee."""
        return _INSIDE.findall(self.text)


def cards_in(text: str) -> CardSet:
    """Return every card that a text names."""
    words = _CARDS.findall(text)
    return CardSet.of(
        Card.parse(word[place : place + 2])
        for word in words
        for place in range(0, len(word), 2)
    )


def of_status(
    code: grpc.StatusCode,
    message: str | None,
    metadata: Any,  # noqa: ANN401 - pairs
) -> Answer:
    """Read a refusal that ended a call."""
    texts = [str(message)]
    reason, facts = "", {}
    for key, value in metadata or ():
        if key != "grpc-status-details-bin":
            texts.append(f"{key}: {value!r}")
            continue
        status = status_pb2.Status.FromString(value)
        infos = [
            detail
            for detail in status.details
            if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)
        ]
        assert len(infos) == 1
        info = error_details_pb2.ErrorInfo()
        infos[0].Unpack(info)
        assert (status.code, status.message) == (code.value[0], message)
        assert info.domain == "ginref"
        assert len(value) < 4096
        reason, facts = info.reason, dict(info.metadata)
        texts += map(str, status.details)
    return Answer(
        reason=reason,
        facts=facts,
        code=code.name,
        text="\n".join(texts),
        strikes_left=facts.get("strikes_left"),
    )


def of_error(error: grpc.aio.AioRpcError) -> Answer:
    """Read the refusal of a call."""
    return of_status(error.code(), error.details(), error.trailing_metadata())


def of_refusal(refusal: session_pb2.Refusal) -> Answer:
    """Read a refusal that a stream told, and went on."""
    name = error_reason_pb2.ErrorReason.Name(refusal.reason)
    left = refusal.strikes_left if refusal.HasField("strikes_left") else None
    return Answer(
        reason=name.removeprefix("ERROR_REASON_"),
        facts=dict(refusal.facts),
        text=str(refusal),
        strikes_left=None if left is None else str(left),
    )
