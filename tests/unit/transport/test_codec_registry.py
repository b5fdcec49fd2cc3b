import pytest
from google.protobuf.duration_pb2 import Duration

from ginref.app.caller import Role
from ginref.app.error import Reason, RefusedError
from ginref.app.registry_row import (
    BotRow,
    Grant,
    InvitationRow,
    Joining,
    OwnerRow,
    TokenRow,
)
from ginref.transport.codec_registry import (
    INVITATION_MS,
    bot_to_wire,
    invitation_request_from_wire,
    invitation_to_wire,
    key_from_wire,
    owner_to_wire,
    read_secret_request_id,
    rotation_from_wire,
    token_request_from_wire,
    token_to_wire,
)
from ginref.v1 import registry_pb2
from ginref.v1.registry_service_pb2 import (
    CreateBotRequest,
    CreateInvitationRequest,
    CreateTokenRequest,
    RotateTokenRequest,
    SetBotKeyRequest,
)

KEY = bytes(range(32))
BOT = registry_pb2.ROLE_BOT
SPECTATOR = registry_pb2.ROLE_SPECTATOR


def test_a_token_of_a_bot_names_it() -> None:
    grant, lifetime_ms = token_request_from_wire(
        CreateTokenRequest(
            role=BOT,
            bot="careful",
            match_ids=["m1"],
            tournament_ids=["cup", "league"],
            lifetime=Duration(seconds=1, nanos=500_000_000),
        )
    )

    assert grant == Grant(
        role=Role.BOT,
        bot="careful",
        match_ids=("m1",),
        tournament_ids=("cup", "league"),
    )
    assert lifetime_ms == 1500


def test_a_token_lasts_for_ever_unless_said_otherwise() -> None:
    asked = token_request_from_wire(CreateTokenRequest(role=SPECTATOR))

    assert asked == (Grant(role=Role.SPECTATOR), None)


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
        {"role": SPECTATOR, "tournament_ids": ["cup", "a cup"]},
        Reason.NAME_INVALID,
        "tournament_ids[1]",
        id="no name of a tournament",
    ),
    pytest.param(
        {"role": SPECTATOR, "tournament_ids": ["cup"] * 101},
        Reason.FIELD_INVALID,
        "tournament_ids",
        id="too many tournaments",
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
            tournament_ids=("cup",),
            created_ms=0,
            expires_ms=1_000,
            revoked_ms=None,
        )
    )

    assert owner.create_time.ToMilliseconds() == 1_500
    assert (bot.owner, bot.house, bot.HasField("public_key")) == ("ada", True, False)
    assert token.role == SPECTATOR
    assert [*token.match_ids, *token.tournament_ids] == ["m1", "cup"]
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


def test_a_rotation_has_no_overlap_and_the_old_lifetime_unless_said_otherwise() -> None:
    plain = RotateTokenRequest(token_id="t1")
    full = RotateTokenRequest(
        token_id="t1", lifetime=Duration(seconds=2), overlap=Duration(seconds=1)
    )

    assert rotation_from_wire(plain) == ("t1", None, 0)
    assert rotation_from_wire(full) == ("t1", 2000, 1000)
    assert rotation_from_wire(
        RotateTokenRequest(token_id="t1", overlap=Duration())
    ) == ("t1", None, 0)


@pytest.mark.parametrize(
    ("fields", "reason", "at"),
    [
        ({}, Reason.FIELD_MISSING, "token_id"),
        ({"overlap": Duration(seconds=-1)}, Reason.FIELD_INVALID, "overlap"),
        ({"lifetime": Duration()}, Reason.FIELD_INVALID, "lifetime"),
    ],
    ids=["no token", "an overlap of less than nothing", "no lifetime"],
)
def test_a_rotation_that_cannot_be_is_refused(
    fields: dict[str, Duration], reason: Reason, at: str
) -> None:
    token_id = "" if at == "token_id" else "t1"

    with pytest.raises(RefusedError) as refused:
        rotation_from_wire(RotateTokenRequest(token_id=token_id, **fields))

    assert (refused.value.reason, refused.value.facts["field"]) == (reason, at)


def test_an_invitation_is_for_one_bot_and_a_day_unless_said_otherwise() -> None:
    plain = CreateInvitationRequest()
    full = CreateInvitationRequest(owner="ada", uses=100, lifetime=Duration(seconds=1))

    assert invitation_request_from_wire(plain) == (None, 1, INVITATION_MS)
    assert invitation_request_from_wire(full) == ("ada", 100, 1000)


@pytest.mark.parametrize("uses", [-1, 0, 101])
def test_an_invitation_for_nobody_or_for_too_many_is_refused(uses: int) -> None:
    with pytest.raises(RefusedError) as refused:
        invitation_request_from_wire(CreateInvitationRequest(uses=uses))

    assert refused.value.reason is Reason.FIELD_INVALID
    assert refused.value.facts["field"] == "uses"


def test_an_invitation_is_told_with_who_has_come_and_without_its_salt() -> None:
    row = InvitationRow(
        invitation_id="i1",
        owner=None,
        uses=2,
        salt=b"salt",
        created_ms=1_000,
        expires_ms=2_000,
        tokens_expire_ms=None,
        joined=(Joining(bot="swift", request="digest", joined_ms=1_500),),
    )

    told = invitation_to_wire(row)

    assert (told.invitation_id, told.uses, [*told.bots]) == ("i1", 2, ["swift"])
    assert not told.HasField("owner")
    assert told.expire_time.ToMilliseconds() == 2_000
    assert b"salt" not in told.SerializeToString()


@pytest.mark.parametrize("text", ["", "a" * 15, "a" * 65])
def test_a_request_id_that_somebody_could_guess_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read_secret_request_id(text)

    assert refused.value.reason is Reason.REQUEST_ID_INVALID
    assert read_secret_request_id("a" * 16) == "a" * 16
