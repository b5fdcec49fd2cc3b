"""Files and texts that people hand to one another, each with its reader."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from tests.fuzz.draw import Draw
from tests.fuzz.target import Target, reader, text_reader
from tests.fuzz.twist import twisted
from tests.unit.conftest import Referee, build_setup, play
from tests.unit.record.witness import keep, told, write
from tests.unit.tournament.driving import one_stage
from tests.unit.tournament.exporting import sealed, season

from ginref.adapters.cursor import format_cursor, parse_cursor
from ginref.adapters.key_file import Ed25519Signer, RetiredKey, read_key
from ginref.adapters.redis_address import UnsupportedStoreError, parse_store_url
from ginref.adapters.secret_file import SecretFileError
from ginref.adapters.tournament_file import TournamentFileError, read_tournament
from ginref.adapters.yaml_reader import YamlError, read_yaml
from ginref.app.limit import read_limits
from ginref.cli.judgment import judge
from ginref.engine.card import Card, CardSet
from ginref.engine.error import NotationError, RulesetError
from ginref.engine.move import parse_move
from ginref.engine.notation import MatchNotationError, parse_match
from ginref.engine.ruleset_text import read_ruleset
from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.document import PAYLOAD_TYPE, build_record, chain_head, parse_record
from ginref.record.entry import Resigned
from ginref.record.envelope import EnvelopeError, parse_envelope, seal_envelope
from ginref.record.evidence import ReceiptLine
from ginref.record.evidence_read import read_evidence
from ginref.record.public_key import (
    PublicKeyError,
    read_public_keys,
    write_jwks,
    write_pem,
)
from ginref.record.receipt import read_receipt
from ginref.record.setup import canonical
from ginref.record.shape import RecordError
from ginref.record.verify import Verdict, verify_record
from ginref.tournament.configuration_read import read_configuration
from ginref.tournament.error import FieldError
from ginref.tournament.example import EXAMPLES
from ginref.tournament.export import PAYLOAD_TYPE as EXPORT_TYPE
from ginref.tournament.export_verify import verify_export
from ginref.tournament.preview import THINK_MS, preview
from ginref.tournament.witness import read_heads
from ginref.transport.address import Address, BindError
from ginref.transport.codec_tournament_preview import preview_to_wire
from ginref_client.certificate import CertificateError, read_fingerprint
from ginref_client.endpoint import parse_endpoints
from ginref_client.error import EndpointError

_GOLDEN: Final = Path(__file__).parents[1] / "golden"
_REFEREE: Final = Referee()
_KEYS: Final = {_REFEREE.key_id: _REFEREE.public_key}

_ENTRANTS: Final = 16

Twisting = Callable[[Any], object]


def _records() -> list[bytes]:
    """Return signed records, the shortest of each layout first."""
    found = [path.read_bytes() for path in _GOLDEN.glob("records/format-*/*.json")]
    return sorted(found, key=len)[:12]


def _payloads() -> list[bytes]:
    return [parse_envelope(one).payload for one in _records()]


def _notations() -> list[bytes]:
    return [path.read_bytes() for path in sorted(_GOLDEN.glob("matches/*.gin"))]


@lru_cache(1)
def _kept() -> tuple[bytes, bytes, tuple[bytes, ...]]:
    """Return a record, what a bot has kept of its match, and receipts out of that."""
    setup = replace(build_setup(90), receipts=True)
    log = play(90, setup=setup, ending=Resigned(Seat.SOUTH), moves=10, refusals=0.2)
    payload = build_record(*log)
    record = seal_envelope(payload, PAYLOAD_TYPE, _REFEREE)
    lines = told(payload, keep(*log, Seat.NORTH))
    receipts = [one.receipt.encode() for one in lines if isinstance(one, ReceiptLine)]
    return record, write(setup, Seat.NORTH, lines), tuple(receipts)


@lru_cache(1)
def _export() -> bytes:
    return sealed(season(one_stage({"format": "swiss", "rounds": 2})))


def _configurations() -> list[Any]:
    """Return declarations of tournaments of every format."""
    return [read_yaml(text.encode()).value for text in EXAMPLES.values()]


def _foretell(document: object) -> object:
    """Read a declaration, and say what it comes to."""
    shown = preview(read_configuration(document), _ENTRANTS, THINK_MS)
    return preview_to_wire(shown, THINK_MS)


def _yaml() -> list[bytes]:
    return [
        *(text.encode() for text in EXAMPLES.values()),
        b"a: &a [1, 2]\nb: *a\nc: {<<: *a}\nd: !!binary aGk=\ne: 2026-01-01\n",
        b"- |\n  text\n- 'x'\n- ~\n- true\n- 1_000\n",
    ]


@lru_cache(1)
def _folder() -> Path:
    """Return a folder of this process, which goes with it."""
    folder = Path(tempfile.mkdtemp(prefix="ginref-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _judge_file() -> Callable[[bytes], object]:
    """Judge bytes as `ginref verify` judges a file, with a bot's evidence."""
    folder = _folder()
    path, evidence = folder / "record.json", folder / "evidence.jsonl"
    _, kept, _ = _kept()
    evidence.write_bytes(kept)
    match_id = read_evidence(kept).match_id

    def check(data: bytes) -> None:
        path.write_bytes(data)
        judged = judge(_KEYS, path, evidence={match_id: (evidence,)})
        json.dumps(judged.facts)

    return check


@lru_cache(1)
def _verdict() -> Verdict:
    return verify_record(_kept()[0], _KEYS)


def _confront(data: bytes) -> None:
    confront(_verdict(), data, _KEYS)


def _read_key_file() -> Callable[[bytes], object]:
    """Read bytes as the file of one of a referee's keys."""
    path = _folder() / f"{_REFEREE.key_id}.pem"
    path.touch(mode=0o600)

    def check(data: bytes) -> None:
        path.write_bytes(data)
        try:
            read_key(path)
        except SecretFileError:
            return

    return check


def _key_files() -> list[bytes]:
    retired = RetiredKey(_REFEREE.key_id, _REFEREE.public_key, "2026-11-30T00:00:00Z")
    return [Ed25519Signer.generate().to_file(), retired.to_file()]


def _public_keys() -> list[bytes]:
    keys = [Referee(number).public_key for number in range(3)]
    since = {Referee(1).key_id: "2026-11-30T00:00:00Z"}
    return [write_jwks(keys, since), write_pem(keys, since), *_key_files()]


def _heads() -> list[bytes]:
    facts = {"kind": "head", "tournament_id": "t", "length": 3, "digest": "ab" * 32}
    return [json.dumps(facts).encode() + b"\n" for _ in range(2)]


def _twisting(
    documents: Callable[[], Sequence[Any]],
    act: Twisting,
    *refusals: type[Exception],
    share: int = 20,
) -> Target:
    """Return a target whose bytes say what is otherwise in sound documents."""

    def make() -> Callable[[bytes], object]:
        sound = documents()

        def check(data: bytes) -> None:
            draw = Draw(data)
            try:
                act(twisted(draw.pick(sound), draw))
            except refusals:
                return

        return check

    return Target(make=make, seeds=_choices, share=share)


def _choices() -> list[bytes]:
    return [bytes(range(16)), b"\x01\x07" * 20, b"\xff" * 40, bytes(range(64, 128))]


def _verify_signed(document: Any) -> None:  # noqa: ANN401 - JSON
    """Verify a record whose chain is put right, and that its referee has signed."""
    entries = document.get("entries") if isinstance(document, dict) else None
    if isinstance(entries, list) and all(isinstance(one, dict) for one in entries):
        document = {**document, "chain": chain_head(entries).hex()}
    payload = canonical(document)
    verify_record(seal_envelope(payload, PAYLOAD_TYPE, _REFEREE), _KEYS)


def _verify_export(document: Any) -> None:  # noqa: ANN401 - JSON
    payload = canonical(document)
    verify_export(seal_envelope(payload, EXPORT_TYPE, _REFEREE), _KEYS)


def _export_documents() -> list[Any]:
    return [json.loads(parse_envelope(_export()).payload)]


def _evidence_rows() -> list[Any]:
    return [[json.loads(row) for row in _kept()[1].splitlines()]]


def _confront_rows(rows: Any) -> None:  # noqa: ANN401 - JSON
    rows = rows if isinstance(rows, list) else [rows]
    _confront(b"".join(canonical(row) + b"\n" for row in rows))


def _receipts() -> list[bytes]:
    return [parse_envelope(one).payload for one in _kept()[2][:4]]


READING: Final[Mapping[str, Target]] = {
    "record": Target(make=_judge_file, seeds=_records, share=20),
    "record facts": _twisting(
        lambda: [json.loads(one) for one in _payloads()], _verify_signed
    ),
    "record payload": Target(
        make=reader(parse_record, RecordError), seeds=_payloads, share=30
    ),
    "envelope": Target(
        make=reader(parse_envelope, EnvelopeError), seeds=_records, share=60
    ),
    "receipt": Target(
        make=reader(read_receipt, RecordError), seeds=_receipts, share=60
    ),
    "evidence": Target(make=reader(_confront), seeds=lambda: [_kept()[1]], share=10),
    "evidence rows": _twisting(_evidence_rows, _confront_rows),
    "heads": Target(
        make=reader(lambda data: list(read_heads(data, "f")), ValueError),
        seeds=_heads,
        share=60,
    ),
    "export": Target(
        make=reader(lambda data: verify_export(data, _KEYS)),
        seeds=lambda: [_export()],
        share=20,
    ),
    "export facts": _twisting(_export_documents, _verify_export, share=1),
    "yaml": Target(make=reader(read_yaml, YamlError), seeds=_yaml, share=60),
    "tournament file": Target(
        make=reader(read_tournament, TournamentFileError), seeds=_yaml, share=40
    ),
    "tournament facts": _twisting(_configurations, _foretell, FieldError),
    "match notation": Target(
        make=text_reader(parse_match, MatchNotationError), seeds=_notations, share=5
    ),
    "move": Target(
        make=text_reader(parse_move, NotationError),
        seeds=lambda: [b"draw_stock", b"discard As", b"knock 7c AsAhAd 2s3s4s -"],
        share=60,
    ),
    "card": Target(
        make=text_reader(Card.parse, NotationError),
        seeds=lambda: [b"As", b"Td"],
        share=20,
    ),
    "cards": Target(
        make=text_reader(CardSet.parse, NotationError),
        seeds=lambda: [b"As Td 7c", b""],
        share=20,
    ),
    "ruleset": Target(
        make=text_reader(read_ruleset, RulesetError),
        seeds=lambda: [
            b"gin",
            b'{"preset": "gin", "boards": 4, "next_dealer": "alternate"}',
        ],
        share=60,
    ),
    "public keys": Target(
        make=reader(read_public_keys, PublicKeyError), seeds=_public_keys, share=40
    ),
    "key file": Target(make=_read_key_file, seeds=_key_files, share=20),
    "store address": Target(
        make=text_reader(parse_store_url, UnsupportedStoreError),
        seeds=lambda: [
            b"redis+sentinel://u:p@a:1,[::1]:2/main?db=2&replicas=1",
            b"unix:///run/x.sock",
            b"rediss://h:6379?ssl_cert_reqs=none",
        ],
        share=40,
    ),
    "referee address": Target(
        make=text_reader(parse_endpoints, EndpointError),
        seeds=lambda: [b"127.0.0.1:7878,https://a.b:1", b"[::1]:80", b"http://x"],
        share=40,
    ),
    "listen address": Target(
        make=text_reader(Address.parse, BindError),
        seeds=lambda: [b"127.0.0.1:7878", b"[::1]:0"],
        share=20,
    ),
    "limits": Target(
        make=text_reader(read_limits, ValueError),
        seeds=lambda: [b"creates=5/50,watches=off", b"off"],
        share=20,
    ),
    "fingerprint": Target(
        make=text_reader(read_fingerprint, CertificateError),
        seeds=lambda: [b"ab:" * 31 + b"cd"],
        share=10,
    ),
    "cursor": Target(
        make=text_reader(parse_cursor, ValueError),
        seeds=lambda: [format_cursor(17, "m1").encode()],
        share=20,
    ),
}
"""Readers of files and texts, by what they read."""
