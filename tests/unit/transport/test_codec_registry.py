import pytest
from google.protobuf.duration_pb2 import Duration

from ginref.app.caller import Role
from ginref.app.error import Reason, RefusedError
from ginref.app.registry_row import BotRow, OwnerRow, TokenRow
from ginref.transport.codec_registry import (
    bot_to_wire,
    key_from_wire,
    owner_to_wire,
    token_request_from_wire,
    token_to_wire,
)
from ginref.v1 import registry_pb2
from ginref.v1.registry_service_pb2 import (
    CreateBotRequest,
    CreateTokenRequest,
    SetBotKeyRequest,
)

KEY = bytes(range(32))
BOT = registry_pb2.ROLE_BOT
SPECTATOR = registry_pb2.ROLE_SPECTATOR


def test_a_token_of_a_bot_names_it() -> None:
    asked = token_request_from_wire(
        CreateTokenRequest(
            role=BOT,
            bot="careful",
            match_ids=["m1"],
            lifetime=Duration(seconds=1, nanos=500_000_000),
        )
    )

    assert (asked.role, asked.bot) == (Role.BOT, "careful")
    assert asked.match_ids == ("m1",)
    assert asked.lifetime_ms == 1500


def test_a_token_lasts_for_ever_unless_said_otherwise() -> None:
    asked = token_request_from_wire(CreateTokenRequest(role=SPECTATOR))

    assert asked.lifetime_ms is None


MALFORMED = [
    pytest.param({}, Reason.FIELD_MISSING, "role", id="no role"),
    pytest.param({"role": 17}, Reason.ENUM_UNKNOWN, "role", id="an unknown role"),
    pytest.param(
        {"role": BOT, "bot": "Careful"}, Reason.NAME_INVALID, "bot", id="a bad name"
    ),
    pytest.param(
        {"role": SPECTATOR, "match_ids": ["m1", ""]},
        Reason.FIELD_MISSING,
        "match_ids[1]",
        id="an empty match",
    ),
    pytest.param(
        {"role": SPECTATOR, "match_ids": ["m"] * 101},
        Reason.FIELD_INVALID,
        "match_ids",
        id="too many matches",
    ),
    pytest.param(
        {"role": SPECTATOR, "lifetime": Duration()},
        Reason.FIELD_INVALID,
        "lifetime",
        id="no time at all",
    ),
    pytest.param(
        {"role": SPECTATOR, "lifetime": Duration(seconds=-1)},
        Reason.FIELD_INVALID,
        "lifetime",
        id="less than none",
    ),
    pytest.param(
        {"role": SPECTATOR, "lifetime": Duration(seconds=1, nanos=-1)},
        Reason.FIELD_INVALID,
        "lifetime",
        id="half of it negative",
    ),
    pytest.param(
        {"role": SPECTATOR, "lifetime": Duration(seconds=315_576_000_000)},
        Reason.FIELD_INVALID,
        "lifetime",
        id="ten thousand years",
    ),
]


@pytest.mark.parametrize(("fields", "reason", "field"), MALFORMED)
def test_a_token_that_cannot_be_meant_is_refused(
    fields: dict[str, object], reason: Reason, field: str
) -> None:
    request = CreateTokenRequest(**fields)  # type: ignore[arg-type]

    with pytest.raises(RefusedError) as refused:
        token_request_from_wire(request)

    assert refused.value.reason is reason
    assert refused.value.facts["field"] == field


def test_rows_are_told_with_their_times() -> None:
    owner = owner_to_wire(OwnerRow(name="ada", created_ms=1_500))
    bot = bot_to_wire(BotRow(name="careful", owner="ada", house=True, created_ms=0))
    token = token_to_wire(
        TokenRow(
            token_id="t1",
            role=Role.SPECTATOR,
            bot=None,
            match_ids=("m1",),
            created_ms=0,
            expires_ms=1_000,
            revoked_ms=None,
        )
    )

    assert owner.create_time.ToMilliseconds() == 1_500
    assert (bot.owner, bot.house, bot.HasField("public_key")) == ("ada", True, False)
    assert token.role == SPECTATOR
    assert not token.HasField("bot")
    assert token.expire_time.ToMilliseconds() == 1_000
    assert not token.HasField("revoke_time")


def test_the_key_of_a_bot_is_told() -> None:
    row = BotRow(name="careful", owner="ada", house=False, created_ms=0, key=KEY)

    assert bot_to_wire(row).public_key == KEY


def test_a_key_is_32_bytes_or_there_is_none() -> None:
    assert key_from_wire(SetBotKeyRequest(public_key=KEY)) == KEY
    assert key_from_wire(CreateBotRequest()) is None
    for key in (b"", KEY[:-1], KEY + b"k"):
        with pytest.raises(RefusedError) as refused:
            key_from_wire(CreateBotRequest(public_key=key))
        assert refused.value.facts["field"] == "public_key"
