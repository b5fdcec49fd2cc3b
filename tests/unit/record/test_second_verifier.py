"""The verifier in JavaScript beside the one in Python: both come to the same."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from tests.unit.record.tampering import TAMPERINGS

from ginref.engine.deck import derive_deck, draw_first_dealer, draw_lots, permute_suits
from ginref.engine.seat import Seat
from ginref.record.document import PAYLOAD_TYPE, chain_head
from ginref.record.envelope import parse_envelope, seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.public_key import write_jwks, write_pem
from ginref.record.verify import verify_record

ROOT = Path(__file__).parents[3]
JAVASCRIPT = ROOT / "clients" / "javascript"
GOLDEN = ROOT / "tests" / "golden"

MakeReferee = Callable[..., Any]
Document = dict[str, Any]
Verify = Callable[..., tuple[int, list[Document]]]

NOT_JUDGED = {
    "move_late",
    "take_longer",
    "time_out_early",
    "give_time_back",
    "credit_more_than_the_time",
    "strike_a_legal_move",
}
"""Lies about clocks and about refusals, which the second verifier leaves alone."""

SMALL = {
    "three_handed",
    "seeded",
    "one_share",
    "lost_by_strikes",
    "not_revealed",
    "timed_out",
    "oklahoma",
    "credited",
    "signed_by_one",
}
"""Records that were kept and are quick to judge."""

DERIVE = """\
import * as derive from "./derive.mjs";
import { readFileSync } from "node:fs";
const hex = (text) => (text === null ? null : Buffer.from(text, "hex"));
const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = asked.map(([name, ...rest]) => {
  switch (name) {
    case "deck": return derive.deck(hex(rest[0]), rest[1]).join(" ");
    case "dealer": return derive.firstDealer(hex(rest[0]), rest[1]);
    case "suits": return derive.suits(hex(rest[0]), rest[1]).join("");
    case "lots": return derive.lots(hex(rest[0]), rest[1]);
    case "seed": return derive.seedSecret(rest[0]).toString("hex");
    case "referee": return derive.commitReferee(rest[0], hex(rest[1])).toString("hex");
    case "seat":
      return derive.commitSeat(rest[0], rest[1], hex(rest[2])).toString("hex");
    case "mix":
      return derive.mix(rest[0], hex(rest[1]), rest[2].map(hex)).toString("hex");
    case "tournament": {
      const [{ tournament, referee_share, shares, boards }] = rest;
      const opened = Object.fromEntries(
        Object.entries(shares).map(([bot, share]) => [bot, hex(share)]),
      );
      const secret = derive.mixTournament(tournament, hex(referee_share), opened);
      const commit = (who, share) =>
        derive.commitTournamentShare(tournament, who, share).toString("hex");
      return {
        referee_commitment: commit("", hex(referee_share)),
        commitments: Object.fromEntries(
          Object.entries(opened).map(([bot, share]) => [bot, commit(bot, share)]),
        ),
        secret: secret.toString("hex"),
        commitment: derive.commitTournament(tournament, secret).toString("hex"),
        lots: derive.lotsOf(secret).toString("hex"),
        boards: boards.map(({ deal }) => {
          const board = derive.boardsOf(secret, deal);
          const made = derive.commitBoards(tournament, deal, board).toString("hex");
          return { deal, secret: board.toString("hex"), commitment: made };
        }),
      };
    }
  }
});
process.stdout.write(JSON.stringify(answers));
"""


def _node(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    program = shutil.which("node")
    if program is None:
        pytest.skip("no Node.js is installed")
    return subprocess.run(
        [program, *arguments],
        cwd=JAVASCRIPT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def derived(asked: Sequence[Sequence[object]]) -> list[Any]:
    """Ask the module of the derivations."""
    done = _node("--input-type=module", "-e", DERIVE, text=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.fixture
def verify(tmp_path: Path, keys: dict[str, bytes]) -> Verify:
    """Write envelopes to files and run the second verifier on all of them."""
    trusted = tmp_path / "keys.json"
    trusted.write_bytes(write_jwks(keys.values()))

    def run(
        envelopes: Sequence[bytes], *, key_file: Path | None = trusted
    ) -> tuple[int, list[Document]]:
        files = []
        for number, envelope in enumerate(envelopes):
            path = tmp_path / f"{number}.json"
            path.write_bytes(envelope)
            files.append(str(path))
        options = ["--keys", str(key_file)] if key_file else []
        done = _node("verify.mjs", *files, *options, "--json")
        assert not done.stderr, done.stderr
        return done.returncode, [json.loads(one) for one in done.stdout.splitlines()]

    return run


@pytest.fixture
def seal(referee: MakeReferee) -> Callable[[bytes], bytes]:
    return lambda payload: seal_envelope(payload, PAYLOAD_TYPE, referee())


def test_published_decks_and_draws_are_the_same_in_javascript() -> None:
    golden = json.loads((GOLDEN / "decks.json").read_text(encoding="utf-8"))
    pairs = [
        *((("deck", one["secret"], one["k"]), one["deck"]) for one in golden["decks"]),
        *(
            (("dealer", one["secret"], one["seats"]), one["first_dealer"])
            for one in golden["first_dealers"]
        ),
        *(
            (("suits", one["secret"], one["k"]), one["suits"])
            for one in golden["suits"]
        ),
        *(
            (("lots", one["secret"], one["count"]), one["lots"])
            for one in golden["lots"]
        ),
        *((("seed", one["text"]), one["secret"]) for one in golden["seeds"]),
    ]

    assert derived([asked for asked, _ in pairs]) == [answer for _, answer in pairs]


def test_published_shares_commit_and_mix_to_the_same_in_javascript() -> None:
    golden = json.loads((GOLDEN / "shares.json").read_text(encoding="utf-8"))
    asked: list[tuple[object, ...]] = []
    expected = []
    for one in golden["vectors"]:
        match_id, referee = one["match_id"], one["referee_share"]
        asked.append(("referee", match_id, referee))
        expected.append(one["referee_commitment"])
        asked.append(("mix", match_id, referee, one["seat_shares"]))
        expected.append(one["match_secret"])
        for seat, share in enumerate(one["seat_shares"]):
            if share is not None:
                asked.append(("seat", match_id, seat, share))
                expected.append(one["seat_commitments"][seat])

    assert derived(asked) == expected


def test_published_shares_of_tournaments_give_the_same_boards_in_javascript() -> None:
    text = (GOLDEN / "tournament_shares.json").read_text(encoding="utf-8")
    vectors = json.loads(text)["vectors"]

    answers = derived([("tournament", vector) for vector in vectors])

    for vector, told in zip(vectors, answers, strict=True):
        assert told == {name: vector[name] for name in told}


def test_secrets_of_chance_give_the_same_decks_and_draws_in_both_languages() -> None:
    chance = random.Random(5)
    cases = [(chance.randbytes(32), chance.randrange(2**32)) for _ in range(200)]
    seats = [str(seat) for seat in Seat]

    answers = derived(
        [
            asked
            for secret, k in cases
            for asked in (
                ("deck", secret.hex(), k),
                ("suits", secret.hex(), k),
                ("dealer", secret.hex(), seats),
                ("lots", secret.hex(), k % 300),
            )
        ]
    )

    assert answers == [
        answer
        for secret, k in cases
        for answer in (
            " ".join(map(str, derive_deck(secret, k))),
            "".join(map(str, permute_suits(secret, k))),
            str(draw_first_dealer(secret, tuple(Seat))),
            list(draw_lots(secret, k % 300)),
        )
    ]


def test_both_come_to_the_same_for_every_kind_of_match(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    keys: dict[str, bytes],
    verify: Verify,
) -> None:
    envelopes = [seal(payload) for payload in gallery.values()]

    code, told = verify(envelopes)

    assert code == 4  # one of them is not open yet
    for name, envelope, facts in zip(gallery, envelopes, told, strict=True):
        verdict = verify_record(envelope, keys)
        assert (facts["finding"], facts["problem"]) == (verdict.finding, None), name
        assert facts["exit_code"] == verdict.finding.exit_code
        assert facts["signed"] == list(map(str, verdict.signed_seats)), name
        if verdict.record and verdict.replayed:
            assert facts["moves"] == verdict.move_count
            assert facts["sheet"] == verdict.record.document["sheet"]


def test_no_record_with_another_byte_is_accepted(
    gallery: dict[str, bytes], seal: Callable[[bytes], bytes], verify: Verify
) -> None:
    chance = random.Random(6)
    changed = []
    for _ in range(300):
        envelope = bytearray(seal(gallery[chance.choice(["void", "no share", "box"])]))
        envelope[chance.randrange(len(envelope))] ^= chance.randrange(1, 256)
        changed.append(bytes(envelope))

    code, told = verify(changed)

    assert code == 1
    assert len(told) == 300
    assert not [facts for facts in told if facts["finding"] == "valid"]


def test_odd_envelopes_are_read_alike(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    keys: dict[str, bytes],
    verify: Verify,
) -> None:
    sealed = seal(gallery["void"])
    odd = [
        b"\xef\xbb\xbf" + sealed,
        sealed.decode().encode("utf-16"),
        sealed.replace(b"{", b'{"more":NaN,', 1),
        *(
            sealed.replace(b'"keyid":', b'"keyid":%b,"k":' % value)
            for value in (b"7", b"null")
        ),
    ]

    _, told = verify(odd)

    assert [verify_record(one, keys).finding for one in odd] == ["broken"] * len(odd)
    assert [facts["finding"] for facts in told] == ["broken"] * len(odd)


def test_signed_lies_are_named_as_the_first_verifier_names_them(
    whole: Document, referee: MakeReferee, verify: Verify
) -> None:
    lies = []
    for tamper in TAMPERINGS:
        document = deepcopy(whole)
        tamper(document)
        document["chain"] = chain_head(document["entries"]).hex()
        payload = rfc8785.dumps(document)
        lies.append(seal_envelope(payload, PAYLOAD_TYPE, referee()))

    _, told = verify(lies)

    named = {
        tamper.__name__: facts["wrong"]
        for tamper, facts in zip(TAMPERINGS, told, strict=True)
        if tamper.__name__ not in NOT_JUDGED
    }
    assert named == {
        tamper.__name__: str(flaw)
        for tamper, flaw in TAMPERINGS.items()
        if tamper.__name__ not in NOT_JUDGED
    }


def test_the_second_verifier_misses_times_and_accuses_nobody_wrongly(
    referee: MakeReferee, keys: dict[str, bytes], verify: Verify
) -> None:
    chance = random.Random(7)
    documents = [
        json.loads(parse_envelope(path.read_bytes()).payload)
        for path in sorted((GOLDEN / "records").glob("format-*/*.json"))
        if path.stem in SMALL
    ]
    envelopes = []
    for _ in range(150):
        document = deepcopy(chance.choice(documents))
        _change_something(document, chance)
        document["chain"] = chain_head(document["entries"]).hex()
        payload = rfc8785.dumps(document)
        envelopes.append(seal_envelope(payload, PAYLOAD_TYPE, referee()))

    _, told = verify(envelopes)

    assert len(told) == 150
    for envelope, facts in zip(envelopes, told, strict=True):
        verdict = verify_record(envelope, keys)
        if facts["finding"] == "broken":
            assert verdict.problem is not None, facts
        else:
            assert verdict.wrong in {None, Flaw.CLOCK, Flaw.FORM}, verdict.problem


def _change_something(document: Document, chance: random.Random) -> None:
    """Put another value of the same kind somewhere."""
    place: Any = document
    inside: Any = chance.choice(sorted(set(document) - {"chain", "format"}))
    while isinstance(place[inside], dict | list) and place[inside]:
        place = place[inside]
        inside = chance.choice(
            sorted(place) if isinstance(place, dict) else range(len(place))
        )
    old = place[inside]
    if isinstance(old, int):
        place[inside] = old + chance.choice([-1, 1])
    elif isinstance(old, str):
        place[inside] = chance.choice(["north", "south", "As", "pass", old + " As"])
    else:
        place[inside] = "south"


def test_a_key_that_is_not_given_is_not_trusted(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    referee: MakeReferee,
    tmp_path: Path,
    verify: Verify,
) -> None:
    pem, stranger = tmp_path / "keys.pem", tmp_path / "stranger.pem"
    retired = {referee().key_id: "2026-11-30T12:00:00Z"}
    both = [referee(1).public_key, referee().public_key]
    pem.write_bytes(write_pem(both, retired))
    (tmp_path / "keys.json").write_bytes(write_jwks(both, retired))
    stranger.write_bytes(write_pem([referee(1).public_key]))
    envelope = seal(gallery["void"])

    assert verify([envelope], key_file=pem)[0] == 0
    assert verify([envelope], key_file=tmp_path / "keys.json")[0] == 0
    assert verify([envelope], key_file=None)[0] == 3
    code, (facts,) = verify([envelope], key_file=stranger)
    assert (code, facts["finding"], facts["wrong"]) == (3, "unknown_key", Flaw.KEY)


def test_people_read_what_was_proved_and_what_was_not(
    gallery: dict[str, bytes],
    seal: Callable[[bytes], bytes],
    keys: dict[str, bytes],
    tmp_path: Path,
) -> None:
    record, trusted = tmp_path / "record.json", tmp_path / "keys.json"
    record.write_bytes(seal(gallery["hollywood"]))
    trusted.write_bytes(write_jwks(keys.values()))

    done = _node("verify.mjs", str(record), "--keys", str(trusted))

    assert done.returncode == 0
    first, *lines = done.stdout.splitlines()
    assert first == f"{record}: VALID"
    told = dict(line.strip().split(maxsplit=1) for line in lines if "game" not in line)
    assert told["played"].endswith(" moves")
    assert told["deals"] == "shares of the referee and 2 seats"
    assert "clocks" in told["not"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        pytest.param([], 2, "usage: verify.mjs RECORD", id="nothing"),
        pytest.param(["x", "--keys", "nowhere"], 1, "no such file", id="no keys"),
        pytest.param(["x", "--fast"], 1, "unknown option --fast", id="unknown option"),
    ],
)
def test_a_wrong_call_is_named(arguments: list[str], code: int, says: str) -> None:
    done = _node("verify.mjs", *arguments)

    assert done.returncode == code
    assert says in done.stderr
    assert done.stdout == ""
