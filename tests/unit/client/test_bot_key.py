"""The key of a bot: kept in its folder, known to the referee, used for every move."""

import stat
from pathlib import Path

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from tests.unit.client.fake_referee import TOKEN, FakeReferee, listening, play

from ginref.engine.seat import Seat
from ginref.record.envelope import is_signature
from ginref.record.submission import Submission
from ginref.transport.codec_move import move_from_wire
from ginref.v1.registry_service_pb2 import SetBotKeyRequest, SetBotKeyResponse
from ginref_client.bot_key import FILE, BotKey, BotKeyError
from ginref_client.error import AccessError


class FakeRegistry:
    """Takes the key of a bot, or fails as it is told."""

    def __init__(self, *failures: grpc.StatusCode) -> None:
        self.failures = list(failures)
        self.keys: list[bytes] = []
        self.tokens: list[object] = []
        set_bot_key = grpc.unary_unary_rpc_method_handler(
            self.set_bot_key,
            request_deserializer=SetBotKeyRequest.FromString,
            response_serializer=SetBotKeyResponse.SerializeToString,
        )
        self.services = (
            grpc.method_handlers_generic_handler(
                "ginref.v1.RegistryService", {"SetBotKey": set_bot_key}
            ),
        )

    async def set_bot_key(
        self,
        request: SetBotKeyRequest,
        context: grpc.aio.ServicerContext[SetBotKeyRequest, SetBotKeyResponse],
    ) -> SetBotKeyResponse:
        self.tokens.append(dict(context.invocation_metadata() or ())["authorization"])
        if self.failures:
            await context.abort(self.failures.pop(), "as scripted")
        self.keys.append(request.public_key)
        return SetBotKeyResponse()


def test_a_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    first = BotKey.keep(tmp_path)

    again = BotKey.keep(tmp_path)

    assert again.public_key == first.public_key
    assert BotKey.keep(_folder(tmp_path / "other")).public_key != first.public_key
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {FILE, "other"}


def test_a_key_signs(tmp_path: Path) -> None:
    key = BotKey.keep(tmp_path)

    signature = key.sign(b"a move")

    assert is_signature(key.public_key, signature, b"a move")
    assert not is_signature(key.public_key, signature, b"another")


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    BotKey.keep(tmp_path)
    (tmp_path / FILE).chmod(0o640)

    with pytest.raises(BotKeyError, match="may be read by others"):
        BotKey.keep(tmp_path)


@pytest.mark.parametrize("kind", ["nothing", "a curve"])
def test_a_file_without_such_a_key_is_refused(tmp_path: Path, kind: str) -> None:
    curve = generate_private_key(SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    path = tmp_path / FILE
    path.touch(0o600)
    path.write_bytes(curve if kind == "a curve" else b"")

    with pytest.raises(BotKeyError, match=FILE):
        BotKey.keep(tmp_path)


async def test_every_submission_is_signed_by_the_key_that_the_referee_knows(
    tmp_path: Path,
) -> None:
    referee, registry = FakeReferee(), FakeRegistry()

    async with listening(referee, others=registry.services) as url:
        await play(url, state=tmp_path)

    key = BotKey.keep(tmp_path).public_key
    assert registry.keys == [key]
    assert registry.tokens == [f"Bearer {TOKEN}"]
    assert referee.moves
    for move in referee.moves:
        submission = Submission(
            match_id=move.match_id,
            seat=Seat.NORTH,
            expected_version=move.expected_version,
            request_id=move.request_id,
            move=move_from_wire(move.move, "move"),
        )
        assert is_signature(key, move.signature, submission.encode())


@pytest.mark.parametrize(
    "code", [grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNIMPLEMENTED]
)
async def test_a_referee_that_takes_no_key_gets_no_signatures(
    tmp_path: Path, code: grpc.StatusCode
) -> None:
    referee = FakeReferee()

    async with listening(referee, others=FakeRegistry(code).services) as url:
        await play(url, state=tmp_path)

    assert referee.moves
    assert not [move for move in referee.moves if move.HasField("signature")]


async def test_a_bot_without_a_folder_has_no_key() -> None:
    referee, registry = FakeReferee(), FakeRegistry()

    async with listening(referee, others=registry.services) as url:
        await play(url)

    assert registry.keys == []
    assert not [move for move in referee.moves if move.HasField("signature")]


async def test_a_failure_is_no_answer_about_the_key(tmp_path: Path) -> None:
    referee, registry = FakeReferee(), FakeRegistry(grpc.StatusCode.UNAVAILABLE)

    async with listening(referee, others=registry.services) as url:
        await play(url, state=tmp_path)

    assert len(registry.tokens) == 2
    assert all(move.HasField("signature") for move in referee.moves)


async def test_a_token_that_is_refused_for_the_key_is_refused(tmp_path: Path) -> None:
    registry = FakeRegistry(grpc.StatusCode.UNAUTHENTICATED)

    async with listening(FakeReferee(), others=registry.services) as url:
        with pytest.raises(AccessError):
            await play(url, state=tmp_path)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
