import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from ginref.record.public_key import (
    PublicKeyError,
    read_jwks,
    read_public_keys,
    thumbprint,
    write_jwks,
    write_pem,
)

MakeReferee = Callable[..., Any]

# Source: RFC 8037, appendix A.2 and A.3.
EXAMPLE_KEY = bytes.fromhex(
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
)
EXAMPLE_NAME = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
EXAMPLE_X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"


@pytest.fixture
def keys(referee: MakeReferee) -> list[bytes]:
    return [referee(number).public_key for number in range(3)]


def jwks(**changes: object) -> bytes:
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": EXAMPLE_X, **changes}
    return json.dumps({"keys": [jwk]}).encode()


def test_a_key_has_the_name_of_the_standard() -> None:
    assert thumbprint(EXAMPLE_KEY) == EXAMPLE_NAME


def test_a_set_gives_its_keys_by_name(keys: list[bytes]) -> None:
    found = read_public_keys(write_jwks(keys))

    assert list(found.items()) == [(thumbprint(key), key) for key in keys]


def test_pem_gives_all_its_keys_by_name(keys: list[bytes]) -> None:
    found = read_public_keys(b"Some words first.\n" + write_pem(keys))

    assert list(found.items()) == [(thumbprint(key), key) for key in keys]


def test_a_key_is_published_as_the_standard_writes_it() -> None:
    (jwk,) = json.loads(write_jwks([EXAMPLE_KEY]))["keys"]

    assert jwk == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": EXAMPLE_X,
        "kid": EXAMPLE_NAME,
        "use": "sig",
    }


def test_retired_keys_are_marked_and_read_like_others(keys: list[bytes]) -> None:
    when = "2026-11-30T12:00:00Z"
    retired = {thumbprint(keys[1]): when}
    by_name = {thumbprint(key): key for key in keys}

    listed = json.loads(write_jwks(keys, retired))["keys"]
    lines = write_pem(keys, retired).decode().splitlines()

    assert [jwk.get("retired_at") for jwk in listed] == [None, when, None]
    names = list(by_name)
    assert lines[::4] == [
        f"key {names[0]}",
        f"key {names[1]} retired {when}",
        f"key {names[2]}",
    ]
    assert set(lines[1::4]) == {"-----BEGIN PUBLIC KEY-----"}
    assert read_public_keys(write_jwks(keys, retired)) == by_name
    assert read_public_keys(write_pem(keys, retired)) == by_name


def test_a_single_key_is_read_like_a_set_of_one() -> None:
    (jwk,) = json.loads(write_jwks([EXAMPLE_KEY]))["keys"]

    assert read_jwks(json.dumps(jwk).encode()) == {EXAMPLE_NAME: EXAMPLE_KEY}


def test_a_key_may_leave_its_name_out() -> None:
    assert read_jwks(jwks()) == {EXAMPLE_NAME: EXAMPLE_KEY}


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        pytest.param(b"", "neither", id="nothing"),
        pytest.param(b"[]", "not a JSON Web Key Set", id="a list"),
        pytest.param(b'{"keys":7}', "not a JSON Web Key Set", id="no keys"),
        pytest.param(b'{"keys":[7]}', "not a JSON Web Key Set", id="a number"),
        pytest.param(jwks(kid="another"), "named 'another'", id="another name"),
        pytest.param(jwks(x=EXAMPLE_X[:-1]), "not 32 bytes", id="short"),
        pytest.param(jwks(x=EXAMPLE_X[:-1] + "p"), "not 32 bytes", id="left over"),
        pytest.param(jwks(x=7), "not 32 bytes", id="no text"),
        pytest.param(jwks(kty="RSA"), "no Ed25519 key", id="only others"),
        pytest.param(
            b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            "damaged PEM",
            id="damaged PEM",
        ),
        pytest.param(b"-----BEGIN PUBLIC KEY-----", "no Ed25519 key", id="cut off"),
    ],
)
def test_what_holds_no_key_is_refused(data: bytes, wrong: str) -> None:
    with pytest.raises(PublicKeyError, match=wrong):
        read_public_keys(data)


def test_a_private_key_is_not_taken_for_a_public_one() -> None:
    pem = ed25519.Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )

    with pytest.raises(PublicKeyError, match="a public key expected"):
        read_public_keys(pem)


def test_a_key_of_another_kind_is_refused_in_pem() -> None:
    pem = (
        ec.generate_private_key(ec.SECP256R1())
        .public_key()
        .public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )

    with pytest.raises(PublicKeyError, match="another kind"):
        read_public_keys(pem)
