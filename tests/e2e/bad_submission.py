"""Moves that are malformed, or not now, not here or not by this bot."""

from typing import Final

from tests.e2e.bad_move import FAILED, LIMITED, WAITING, BadMove
from tests.e2e.position import over, taken

from ginref.v1 import move_pb2

_INVALID: Final = "INVALID_ARGUMENT"


def _malformed(
    name: str, reason: str, field: str, *, code: str = _INVALID, **fields: object
) -> BadMove:
    return BadMove(
        name=name,
        reason=reason,
        code=code,
        fields=lambda _: fields,
        facts=lambda _: {"field": field},
    )


def _unreadable(name: str, field: str, move: move_pb2.Move) -> BadMove:
    return _malformed(name, "MOVE_UNREADABLE", field, move=move)


UNTIMELY: Final = [
    BadMove(
        name="not the seat to act",
        reason="NOT_YOUR_TURN",
        code=FAILED,
        by=WAITING,
        facts=lambda p: {"to_act": p.mover},
    ),
    BadMove(
        name="a move of another bot",
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        by="eve",
        facts=lambda p: {"seat": p.mover},
    ),
    BadMove(
        name="a move for the opponent",
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        fields=lambda p: {"seat": p.waiting + 1},
        facts=lambda p: {"seat": p.waiting},
    ),
    BadMove(
        name="a seat that the table lacks",
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        fields=lambda _: {"seat": 3},
        facts=lambda _: {"seat": "east"},
    ),
    BadMove(
        name="a token for another match",
        reason="SEAT_NOT_YOURS",
        code="PERMISSION_DENIED",
        by=LIMITED,
    ),
    BadMove(
        name="the version before",
        reason="VERSION_STALE",
        code="ABORTED",
        at=taken,
        fields=lambda p: {"expected_version": p.version - 1},
        facts=lambda p: {"version": p.version, "expected_version": p.version - 1},
    ),
    BadMove(
        name="a version to come",
        reason="VERSION_STALE",
        code="ABORTED",
        fields=lambda p: {"expected_version": p.version + 1},
        facts=lambda p: {"version": p.version, "expected_version": p.version + 1},
    ),
    BadMove(
        name="no version yet",
        reason="VERSION_STALE",
        code="ABORTED",
        fields=lambda _: {"expected_version": 0},
        facts=lambda p: {"version": p.version, "expected_version": 0},
    ),
    BadMove(
        name="a request id with another move",
        reason="REQUEST_ID_REUSED",
        code="ALREADY_EXISTS",
        at=taken,
        text=lambda p: f"discard {p.discard}",
        fields=lambda _: {"request_id": "move 0"},
        facts=lambda _: {"request_id": "move 0"},
    ),
    BadMove(
        name="a request id with another version",
        reason="REQUEST_ID_REUSED",
        code="ALREADY_EXISTS",
        at=taken,
        text=lambda _: "draw_upcard",
        fields=lambda _: {"request_id": "move 0"},
        facts=lambda _: {"request_id": "move 0"},
    ),
    BadMove(
        name="a match that is nowhere",
        reason="MATCH_NOT_FOUND",
        code="NOT_FOUND",
        fields=lambda _: {"match_id": "mnowhere"},
        facts=lambda _: {"match_id": "mnowhere"},
    ),
    BadMove(
        name="a move after the end",
        reason="MATCH_OVER",
        code=FAILED,
        at=over,
        facts=lambda _: {"ending": "completed"},
    ),
]
"""Moves that are well-formed, but not now, not here or not by this bot."""

MALFORMED: Final = [
    _malformed("no request id", "REQUEST_ID_INVALID", "request_id", request_id=""),
    _malformed(
        "a request id of 65 bytes",
        "REQUEST_ID_INVALID",
        "request_id",
        request_id="x" * 65,
    ),
    _malformed(
        "a request id of 33 wide letters",
        "REQUEST_ID_INVALID",
        "request_id",
        request_id="\N{LATIN SMALL LETTER A WITH DIAERESIS}" * 33,
    ),
    _malformed(
        "no expected version",
        "FIELD_MISSING",
        "expected_version",
        expected_version=None,
    ),
    _malformed(
        "an expected version below nothing",
        "FIELD_INVALID",
        "expected_version",
        expected_version=-1,
    ),
    _malformed("no match", "FIELD_MISSING", "match_id", match_id=""),
    _malformed(
        "a match id that cannot be one", "FIELD_INVALID", "match_id", match_id="m 1\n"
    ),
    _malformed("the zero of the seats", "FIELD_MISSING", "seat", seat=0),
    BadMove(
        name="a seat of another world",
        reason="ENUM_UNKNOWN",
        code=_INVALID,
        fields=lambda _: {"seat": 17},
        facts=lambda _: {"field": "seat", "value": 17},
    ),
    BadMove(
        name="a seat below nothing",
        reason="ENUM_UNKNOWN",
        code=_INVALID,
        fields=lambda _: {"seat": -1},
        facts=lambda _: {"field": "seat", "value": -1},
    ),
    _malformed("no move", "FIELD_MISSING", "move", move=None),
    _malformed("a move of no kind", "FIELD_MISSING", "move.kind", move=move_pb2.Move()),
    _unreadable(
        "a text that is no move", "move.text", move_pb2.Move(text="deal me aces")
    ),
    _unreadable("an empty text", "move.text", move_pb2.Move(text="")),
    _unreadable(
        "a text of 129 letters", "move.text", move_pb2.Move(text="pass" + " " * 125)
    ),
    _unreadable(
        "a discard of nothing",
        "move.discard.card",
        move_pb2.Move(discard=move_pb2.Discard()),
    ),
    _unreadable(
        "a discard of a joker",
        "move.discard.card",
        move_pb2.Move(discard=move_pb2.Discard(card="joker")),
    ),
    _unreadable(
        "a meld of one card",
        "move.knock.declaration.melds[0]",
        move_pb2.Move(
            knock=move_pb2.Knock(
                card="As",
                declaration=move_pb2.Declaration(melds=[move_pb2.Meld(cards=["2s"])]),
            )
        ),
    ),
    _unreadable(
        "more melds than a hand has",
        "move.knock.declaration",
        move_pb2.Move(
            knock=move_pb2.Knock(
                card="As",
                declaration=move_pb2.Declaration(
                    melds=[move_pb2.Meld(cards=["2s", "3s", "4s"])] * 5
                ),
            )
        ),
    ),
    BadMove(
        name="a message of 17 KiB",
        reason="MESSAGE_TOO_LARGE",
        code="RESOURCE_EXHAUSTED",
        text=lambda _: "pass" * 4352,
        facts=lambda _: {"limit_bytes": 16384},
    ),
    BadMove(
        name="garbage",
        reason="MESSAGE_UNREADABLE",
        code=_INVALID,
        data=b"\xff\xff\xff\xff",
    ),
    BadMove(
        name="a message that breaks off",
        reason="MESSAGE_UNREADABLE",
        code=_INVALID,
        data=b"\x0a\x7fm",
    ),
    BadMove(
        name="text that is none",
        reason="MESSAGE_UNREADABLE",
        code=_INVALID,
        data=b"\x0a\x02\xc3\x28",
    ),
]
"""Messages that are no move at all."""
