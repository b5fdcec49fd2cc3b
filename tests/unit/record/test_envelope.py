import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginref.record.envelope import (
    EnvelopeError,
    is_same_content,
    is_signature,
    pae,
    parse_envelope,
    seal_envelope,
)
from ginref.record.public_key import write_pem

MakeReferee = Callable[..., Any]
OPENSSL = shutil.which("openssl")


def test_type_and_payload_are_signed_as_the_standard_says() -> None:
    # Source: the example of the DSSE protocol document.
    signed = pae("http://example.com/HelloWorld", b"hello world")

    assert signed == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


@given(st.tuples(st.text(), st.binary()), st.tuples(st.text(), st.binary()))
def test_two_payloads_are_never_signed_as_the_same_bytes(
    one: tuple[str, bytes], two: tuple[str, bytes]
) -> None:
    assert (pae(*one) == pae(*two)) is (one == two)


def test_signatures_are_those_of_the_standard() -> None:
    # Source: RFC 8032, section 7.1, test 3.
    key = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    signature = (
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    )

    assert is_signature(bytes.fromhex(key), bytes.fromhex(signature), b"\xaf\x82")
    assert not is_signature(bytes.fromhex(key), bytes.fromhex(signature), b"\xaf")
    assert not is_signature(b"no key", bytes.fromhex(signature), b"\xaf\x82")


@given(payload=st.binary(), kind=st.text(min_size=1))
def test_what_is_sealed_comes_back_signed(
    referee: MakeReferee, payload: bytes, kind: str
) -> None:
    signer = referee()

    envelope = parse_envelope(seal_envelope(payload, kind, signer))

    assert (envelope.payload, envelope.payload_type) == (payload, kind)
    (signature,) = envelope.signatures
    assert signature.key_id == signer.key_id
    assert is_signature(signer.public_key, signature.value, envelope.signed)


@pytest.mark.parametrize(
    ("payload", "kind", "same"),
    [
        pytest.param(b"payload", "type", True, id="another key"),
        pytest.param(b"payloat", "type", False, id="another payload"),
        pytest.param(b"payload", "tape", False, id="another type"),
    ],
)
def test_what_envelopes_hold_is_compared_whoever_signed(
    referee: MakeReferee, payload: bytes, kind: str, *, same: bool
) -> None:
    one = seal_envelope(b"payload", "type", referee())

    assert is_same_content(one, seal_envelope(payload, kind, referee(1))) is same


def test_what_is_no_envelope_is_like_itself_alone(referee: MakeReferee) -> None:
    sealed = seal_envelope(b"payload", "type", referee())

    assert is_same_content(b"damaged", b"damaged")
    assert not is_same_content(b"damaged", sealed)
    assert not is_same_content(sealed, b"damaged")


def test_the_same_payload_gives_the_same_envelope(referee: MakeReferee) -> None:
    one, two = (seal_envelope(b"payload", "type", referee()) for _ in range(2))

    assert one == two


@pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")
def test_openssl_finds_the_signature_good(referee: MakeReferee, tmp_path: Path) -> None:
    assert OPENSSL is not None
    signer = referee()
    whole = json.loads(seal_envelope(b'{"a":1}', "type", signer))
    payload = base64.b64decode(whole["payload"])
    (tmp_path / "key.pem").write_bytes(write_pem([signer.public_key]))
    (tmp_path / "signed").write_bytes(b"DSSEv1 4 type %d " % len(payload) + payload)
    signature = base64.b64decode(whole["signatures"][0]["sig"])
    (tmp_path / "sig").write_bytes(signature)
    command = [OPENSSL, "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin"]
    command += ["-in", "signed", "-sigfile", "sig"]

    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert "Verified Successfully" in done.stdout


def test_members_that_are_not_known_are_passed_over(referee: MakeReferee) -> None:
    whole = json.loads(seal_envelope(b"payload", "type", referee()))
    whole["more"] = whole["signatures"][0]["more"] = 1

    assert parse_envelope(json.dumps(whole).encode()).payload == b"payload"


def test_a_signature_may_name_no_key(referee: MakeReferee) -> None:
    whole = json.loads(seal_envelope(b"payload", "type", referee()))
    del whole["signatures"][0]["keyid"]

    (signature,) = parse_envelope(json.dumps(whole).encode()).signatures

    assert signature.key_id == ""


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        pytest.param({"payload": None}, "payload is missing", id="no payload"),
        pytest.param({"payloadType": 7}, "payloadType is missing", id="no type"),
        pytest.param({"signatures": {}}, "signatures is missing", id="no list"),
        pytest.param({"signatures": [{}]}, "sig is missing", id="no signature"),
        pytest.param({"signatures": [7]}, "sig is missing", id="not an object"),
        pytest.param({"signatures": [{"sig": "AA=="}]}, "of 1 bytes", id="short"),
        pytest.param({"payload": "cGF5*"}, "not base64", id="not base64"),
        pytest.param({"payload": "QQ"}, "not base64", id="no padding"),
        pytest.param({"payload": "QR=="}, "one right form", id="bits left over"),
    ],
)
def test_what_is_no_envelope_is_refused(
    referee: MakeReferee, change: dict[str, object], wrong: str
) -> None:
    whole = {**json.loads(seal_envelope(b"p", "type", referee())), **change}

    with pytest.raises(EnvelopeError, match=wrong):
        parse_envelope(json.dumps(whole).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(EnvelopeError):
        parse_envelope(data)
