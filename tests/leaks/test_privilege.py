"""No role gets a hidden card of a live match, by any call there is."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from tests.leaks.dealing import Deck, dealing
from tests.leaks.pair import other_world
from tests.leaks.performance import Performance, Table
from tests.leaks.script import Script, write_script
from tests.leaks.wire import CONNECT, WATCH, WATCH_TOURNAMENT, Sent
from tests.leaks.world import (
    NOBODY,
    OPERATOR,
    ORGANIZER,
    SEATED,
    SPECTATOR,
    STRANGER,
    World,
    in_world,
)

from ginref.engine.ruleset import THREE_HANDED
from ginref.transport.server import METHODS
from ginref.v1 import (
    bot_service_pb2,
    referee_service_pb2,
    registry_service_pb2,
    tournament_service_pb2,
)

MODULES: tuple[Any, ...] = (
    referee_service_pb2,
    registry_service_pb2,
    tournament_service_pb2,
    bot_service_pb2,
)

DESCRIBED: dict[str, MethodDescriptor] = {
    f"{service.name}/{method.name}": method
    for module in MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Every method of the API, as it is described."""

CALLERS = (OPERATOR, ORGANIZER, SPECTATOR, STRANGER, SEATED[0], NOBODY)

UNANSWERED = {
    "RefereeService/PrepareSeat",  # it is being played
    "RefereeService/SubmitMove",  # stale
    "RefereeService/GetMatchRecord",  # not over
    "RegistryService/CreateToken",  # of no known role
    "RegistryService/RevokeToken",  # there is none of that name
    "RegistryService/RotateToken",  # likewise
    "RegistryService/EndInvitation",  # likewise
    "RegistryService/RedeemInvitation",  # by no known code
    "RegistryService/CreateInvitation",  # for no known owner
    "RegistryService/SetBotKey",  # of no known bot
    "RegistryService/SetBotConsent",  # likewise
    "RefereeService/ChallengeBot",  # of a bot that accepts none
    "TournamentService/CreateTournament",  # of no configuration
    "TournamentService/PreviewTournament",  # likewise
}
"""Methods that refuse everybody in a match that goes on."""

TEXTS = {
    "bot": STRANGER,
    "name": "newcomer",
    "owner": "lab",
    "request_id": "peek",
    "preset": "gin",
    "ruleset_preset": "gin",
    "opponent": STRANGER,
    "clock_preset": "fast",
    "text": "draw_stock",
    "card": "As",
    "client": "peeking",
    "cursor": "2-0",
    "page_token": "",
    "seed": "seed",
    "tournament_id": "cup",
    "tournament_ids": "cup",
}
"""What is written into a field of text, by its name."""


def _script() -> Script:
    """Return the first script of two seats that leaves a match in play."""
    for script in map(write_script, range(1, 200)):
        is_for_two = script.silent and script.rules is not THREE_HANDED
        if is_for_two and script.observer is None and script.end != "strikes":
            return script
    raise AssertionError


def _requests(described: Descriptor, match_id: str) -> Iterator[Message]:
    """Yield requests of a kind: an empty one, and with each choice of its parts."""
    make: Any = GetMessageClass(described)
    yield make()
    choices = [group for group in described.oneofs if len(group.fields) > 1]
    width = max((len(group.fields) for group in choices), default=1)
    for number in range(width):
        message = make()
        _fill(message, match_id, number)
        yield message


def _fill(message: Any, match_id: str, number: int) -> None:  # noqa: ANN401 - of any kind
    for field in message.DESCRIPTOR.fields:
        group = field.containing_oneof
        if group and len(group.fields) > 1:
            if group.fields[number % len(group.fields)] is not field:
                continue
        elif field.name in {"clock", "cursor", "seed"}:
            continue
        _fill_field(message, field, match_id, number)


def _fill_field(
    message: Any,  # noqa: ANN401 - of any kind
    field: FieldDescriptor,
    match_id: str,
    number: int,
) -> None:
    name = field.name
    if field.message_type:
        if field.is_repeated or field.message_type.full_name.startswith("google."):
            return
        part = getattr(message, name)
        part.SetInParent()
        if name != "changes":
            _fill(part, match_id, number)
        return
    value: Any
    if name in {"match_id", "match_ids"}:
        value = match_id
    elif field.type == FieldDescriptor.TYPE_STRING:
        value = SEATED[0] if name == "bots" else TEXTS.get(name, "x")
    elif field.type == FieldDescriptor.TYPE_BYTES:
        value = bytes(32)
    else:
        value = 1
    if field.is_repeated:
        values = SEATED[:2] if name == "bots" else [value]
        getattr(message, name).extend(values)
    else:
        setattr(message, name, value)


async def _ask(world: World, performance: Performance, method: str) -> None:
    """Call a method with every request and as everybody."""
    described = DESCRIBED[method]
    for request in _requests(described.input_type, performance.match_id):
        for caller in CALLERS:
            if method == CONNECT:
                stream = await world.wire.connect(caller)
                hello: Any = bot_service_pb2.ConnectRequest()
                hello.hello.protocol = 1
                stream.say(hello)
                stream.say(request)
                await world.settle()
                await stream.close()
            elif method in {WATCH, WATCH_TOURNAMENT}:
                await world.wire.watch(caller, request, method)
                await world.settle()
            else:
                await world.call(caller, method, request)


async def _declare(world: World) -> None:
    """Declare a tournament, which can be changed then."""
    request = tournament_service_pb2.CreateTournamentRequest(request_id="declare")
    stage: Any = {"name": "main", "format": "round_robin"}
    request.configuration.update({"name": "cup", "stages": [stage]})
    await world.call(OPERATOR, "TournamentService/CreateTournament", request)


def _told(script: Script, decks: tuple[Deck, ...], method: str) -> list[Sent]:
    async def work(world: World) -> list[Sent]:
        table = Table(world, wants_events=False)
        for seat in script.seats:
            await table.attach(seat)
        performance = Performance(table, script)
        with dealing(decks, script.first_dealer):
            await performance.begin()
            await performance.act()
            await _declare(world)
            place = len(world.sent)
            await _ask(world, performance, method)
        await table.leave()
        return world.sent[place:]

    return in_world(work)


def test_every_method_that_is_served_is_described() -> None:
    served = {method.removeprefix("ginref.v1.") for method in METHODS}

    assert {one for one in served if not one.startswith("grpc.")} == set(DESCRIBED)


@pytest.mark.parametrize("method", DESCRIBED)
def test_nobody_is_told_by_a_method_what_is_hidden(method: str) -> None:
    script = _script()
    world = other_world(script, 0)
    # The seats see their own cards, and those are others in the other world.
    seated = {*SEATED[: len(script.seats)]} - {*world.blind}

    one = _told(script, script.decks, method)
    other = _told(script, world.decks, method)

    assert [sent[:3] for sent in one] == [sent[:3] for sent in other]
    assert [sent for sent in one if sent.to not in seated] == [
        sent for sent in other if sent.to not in seated
    ]
    assert {sent.to for sent in one} >= {*CALLERS}
    answers = {(sent.method, sent.kind) for sent in one}
    assert (method, "message") in answers or method in UNANSWERED
