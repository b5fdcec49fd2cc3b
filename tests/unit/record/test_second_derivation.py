"""Decks, draws and commitments in JavaScript beside those in Python."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.unit.record.javascript import node

from ginref.engine.deck import derive_deck, draw_first_dealer, draw_lots, permute_suits
from ginref.engine.seat import Seat

GOLDEN = Path(__file__).parents[2] / "golden"

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


def derived(asked: Sequence[Sequence[object]]) -> list[Any]:
    """Ask the module of the derivations."""
    done = node("--input-type=module", "-e", DERIVE, text=json.dumps(asked))
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


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
