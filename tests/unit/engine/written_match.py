"""A match in notation, and matches of many rules played at random."""

import random

from hypothesis import strategies as st

from ginref.engine.deadwood import discard_deadwoods
from ginref.engine.deck import derive_deck, draw_first_dealer, seed_secret
from ginref.engine.match import Match, apply, legal_moves, start_match
from ginref.engine.meld import DeclaredMeld
from ginref.engine.move import Discard, Knock, Move
from ginref.engine.phase import Throw
from ginref.engine.ruleset import GIN, HOLLYWOOD, PRESETS, Ruleset
from ginref.engine.seat import Seat
from ginref.engine.transcript import Deal, TranscribedRound, Transcript

MATCH = """\
ginref match 1
rules gin (7dcdbf670520)
option game_target 20
seat north careful
seat south "simple bot"
dealer south

round 1 (south deals)
hand north As Ks 4h 6h Jh Ad 3d 4d 9d 3c
hand south 9s Qs 7h 9h Jd Kd 7c Tc Jc Kc
upcard 3h
stock Ah 2s 8c 8d Th Qd Ac 5h 2d 5c 7d Td 2c Qh 6s 6d
stock 8s Ts 3s 6c Kh 9c 2h 8h 4s 5s Qc 5d 4c 7s Js
  1. north draw_upcard (3h), discard Ks
  2. south draw_upcard (Ks), discard Qs
  3. north draw_stock (Ah), discard Jh
  4. south draw_upcard (Jh), discard Tc
  5. north draw_stock (2s), discard 9d
  6. south draw_upcard (9d), knock 7h 9s9h9d JhJdJc KcKdKs
result knock, south 9 (7 to 16)

round 2 (south deals)
hand north 3s 4s Js 7h 8h 9h 4d Td 4c Tc
hand south 2s 8s Ts Th Qh 7d Jd Ac 3c Kc
upcard 5s
stock Ks
     north pass
  1. south draw_upcard (5s), discard Ts
  2. north draw_upcard (Ts), knock Js (7h8h9h 4s4d4c TsTdTc)
result knock, north 53 (3 to 56, laid off Th)

over completed (north wins)
"""


RULES: dict[str, Ruleset] = {
    **PRESETS,
    "short": GIN.but(game_target=30),
    "club": GIN.but(name="the club", version=3, big_gin_bonus=31, wall=0),
    "loose": GIN.but(name="x#y", layoff_on_gin=True, may_discard_taken_card=True),
    "tie": GIN.but(undercut_on_tie=False, next_dealer="alternate", round_limit=3),
    "walled": GIN.but(wall=27, turn_limit=3, round_limit=4),
    "settled": HOLLYWOOD.but(
        game_target=20, game_bonus=100, line_bonus=25, shutout="double_game_bonus"
    ),
    "ordinal": HOLLYWOOD.but(closed_policy="ordinal", stop="majority"),
}


def play(rules: Ruleset, seed: str, moves: int, *, seeded: bool) -> Transcript:
    """Play some moves at random, and end some matches early."""
    secret, chance = seed_secret(seed), random.Random(seed)
    seats = tuple(Seat)[: rules.seat_count]
    dealer = draw_first_dealer(secret, seats)
    match = start_match(rules, seats, dealer, lambda k: derive_deck(secret, k))
    rounds: list[tuple[Deal, list[Move]]] = [(Deal.of(match.round), [])]
    for _ in range(moves):
        seat = match.to_act
        if seat is None:
            break
        move = choose(match, seat, chance)
        number = match.round_number
        match = apply(match, seat, move, lambda k: derive_deck(secret, k))
        rounds[-1][1].append(move)
        if match.round_number > number:
            rounds.append((Deal.of(match.round), []))
    stopped_by = None
    if not match.over:
        stopped_by = chance.choice([None, (), (seats[1],), seats])
    return Transcript(
        rules=rules,
        bots=tuple(
            chance.choice(["simple", "", "two words", 'a "b"#', "žába\n"])
            for _ in seats
        ),
        first_dealer=dealer,
        rounds=tuple(TranscribedRound(deal, tuple(made)) for deal, made in rounds),
        seed=seed if seeded else None,
        stopped_by=stopped_by,
    )


def choose(match: Match, seat: Seat, chance: random.Random) -> Move:
    legal = legal_moves(match, seat)
    if not isinstance(match.round.phase, Throw):
        return chance.choice(legal)
    knocks = [move for move in legal if isinstance(move, Knock)]
    if knocks and chance.random() < 0.8:
        return declared(match, seat, chance.choice(knocks), chance)
    left = discard_deadwoods(match.round.hand(seat))
    throws = [move for move in legal if isinstance(move, Discard)]
    return min(throws, key=lambda move: (left[move.card], -move.card.points))


def declared(match: Match, seat: Seat, knock: Knock, chance: random.Random) -> Knock:
    """Declare the best melds sometimes, their cards in any order."""
    after = apply(match, seat, knock, lambda k: derive_deck(b"", k))
    assert after.last_result is not None
    showdown = after.last_result.showdown
    if showdown is None or chance.random() < 0.5:
        return knock
    claims = []
    for meld in showdown.arrangement.melds:
        cards = list(meld.cards)
        chance.shuffle(cards)
        claims.append(DeclaredMeld(tuple(cards)))
    return Knock(knock.card, tuple(claims))


transcripts = st.builds(
    play,
    st.sampled_from(sorted(RULES)).map(RULES.__getitem__),
    st.integers(0, 10**6).map(str) | st.just("two words # \u2028"),
    st.integers(0, 200),
    seeded=st.booleans(),
)
