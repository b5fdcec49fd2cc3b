"""Who may call what; and that nobody sees a hidden card of a live match."""

from collections.abc import Sequence
from typing import Any

import grpc.aio
import pytest
from google.protobuf.message import Message
from tests.e2e.answer import Answer, cards_in, of_error
from tests.e2e.host import (
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    STRANGER,
    Room,
    texts,
)
from tests.e2e.permission import (
    CALLERS,
    CODES,
    GARBAGE,
    NOBODY,
    PERMISSIONS,
    methods,
)
from tests.e2e.position import Position, taken

from ginref.engine.card import CardSet
from ginref.engine.seat import Seat
from ginref.v1 import move_pb2, registry_pb2

OUTSIDERS = (SPECTATOR, STRANGER, ORGANIZER, OPERATOR)

ROLES = {
    name.removeprefix("ROLE_").lower(): number
    for name, number in registry_pb2.Role.items()
    if number
}
"""Every role, and its number on the wire."""


def test_every_method_of_the_api_has_its_callers() -> None:
    assert set(methods()) == set(PERMISSIONS)


def _metadata(room: Room, caller: str) -> tuple[tuple[str, str], ...]:
    if caller == NOBODY:
        return ()
    if caller == GARBAGE:
        return (("authorization", "Bearer gr_garbage"),)
    return room.metadata(caller)


async def _called(room: Room, caller: str, method: str, request: Message) -> Answer:
    """Call a method; return the refusal, or an answer without a reason."""
    path, metadata = f"/ginref.v1.{method}", _metadata(room, caller)
    data = request.SerializeToString()
    channel: Any = room.channel
    try:
        if method == "BotService/Connect":
            stream = channel.stream_stream(path)(metadata=metadata)
            # To a stream that is refused at once nothing can be written.
            if not PERMISSIONS[method].reason(caller):
                await stream.write(data)
            assert await stream.read() is not grpc.aio.EOF
            stream.cancel()
        elif "/Watch" in method:
            stream = channel.unary_stream(path)(data, metadata=metadata)
            assert await stream.read() is not grpc.aio.EOF
            stream.cancel()
        else:
            await channel.unary_unary(path)(data, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        return of_error(error)
    return Answer("", code="OK")


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("method", PERMISSIONS)
async def test_a_method_is_for_its_callers_only(
    room: Room, method: str, caller: str
) -> None:
    permission = PERMISSIONS[method]
    request = await permission.ask(room)
    before = await room.lists()

    answer = await _called(room, caller, method, request)

    reason = permission.reason(caller)
    assert (answer.reason, answer.code) == (reason, CODES.get(reason, "OK"))
    if reason:
        assert await room.lists() == before
        assert not answer.leaks
    if reason == "ROLE_NOT_ALLOWED":
        role = "bot" if caller in {*SEATED, STRANGER} else caller
        call = method.rpartition("/")[2]
        assert answer.facts == {"role": role, "call": call}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("caller", [ORGANIZER, OPERATOR])
async def test_nobody_hands_out_more_than_its_own_role(
    room: Room, caller: str, role: str
) -> None:
    request = {"role": ROLES[role], "bot": SEATED[0] if role == "bot" else None}
    theirs = await room.make_token(role, bot=request["bot"])
    reasons = set()
    for method, fields in (
        ("CreateToken", request),
        ("RevokeToken", {"token_id": theirs.token.token_id}),
    ):
        try:
            await room.registry(caller, method, **fields)
            reasons.add("")
        except grpc.aio.AioRpcError as error:
            reasons.add(of_error(error).reason)

    above = caller == ORGANIZER and role in {ORGANIZER, OPERATOR}
    assert reasons == {"ROLE_NOT_ALLOWED" if above else ""}


async def test_nobody_gets_the_record_of_a_live_match(room: Room) -> None:
    match_id = await room.deal(taken())

    for caller in (*OUTSIDERS, *SEATED):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await room.referee(caller, "GetMatchRecord", match_id=match_id)
        assert of_error(refused.value).reason == "RECORD_NOT_READY"


def _public(position: Position) -> CardSet:
    """Every card that lay open on the table."""
    return CardSet.of(entry.card for entry in position.match.round.discards)


def _check(messages: Sequence[Message], known: CardSet) -> None:
    """Check that messages name no other cards, however they are read."""
    for message in messages:
        named = cards_in("\n".join(texts(message)))
        assert not named - known
        match = message.match  # type: ignore[attr-defined] # of looks and watches
        match.ClearField("referee_commitment")
        match.ClearField("commitment_signature")
        data = message.SerializeToString()
        hidden = CardSet((1 << 52) - 1) - known
        assert not [card for card in hidden if f"\x02{card}".encode() in data]


async def test_nobody_sees_a_hidden_card_of_a_live_match(room: Room) -> None:
    start = taken()
    match_id = await room.deal(start)
    watches = {caller: room.watch(caller, match_id) for caller in (*OUTSIDERS, *SEATED)}
    seen: dict[str, list[Any]] = {
        caller: [await watch.read()] for caller, watch in watches.items()
    }
    positions = [start]
    illegal = f"knock {start.melded}"
    for text in (illegal, f"discard {start.discard}", "draw_stock", None):
        position = positions[-1]
        move = text or f"discard {position.discard}"
        await _submit(room, match_id, position, move, struck=text is illegal)
        if text is not illegal:
            positions.append(position.play(move))
        for caller, watch in watches.items():
            seen[caller].append(await watch.read())

    for caller, watch in watches.items():
        looked = await room.referee(caller, "GetMatch", match_id=match_id)
        assert bool(looked.seat_views) == (caller in SEATED)
        seen[caller].append(looked)
        watch.cancel()

    open_cards = _public(positions[-1])
    for caller, messages in seen.items():
        own = CardSet()
        if caller in SEATED:
            seat = Seat(SEATED.index(caller))
            for position in positions:
                own |= position.match.round.hand(seat)
        _check(messages, open_cards | own)
    assert all(len(position.hand - open_cards) > 5 for position in positions)


async def _submit(
    room: Room, match_id: str, position: Position, text: str, *, struck: bool
) -> None:
    """Make a move of the seat to act, which costs a strike or not."""
    call = room.referee(
        SEATED[position.mover],
        "SubmitMove",
        match_id=match_id,
        seat=position.mover + 1,
        expected_version=position.version,
        request_id=text,
        move=move_pb2.Move(text=text),
    )
    if not struck:
        await call
        return
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    assert of_error(refused.value).strikes_left == "2"
