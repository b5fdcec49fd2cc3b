"""The secret: nobody chooses it, and draw and boards follow from it."""

import hashlib
import json
from pathlib import Path

import pytest
from tests.unit.tournament.asking import ask, refusal
from tests.unit.tournament.driving import Tournament, better_seed, one_stage

from ginref.record.share import commit_boards
from ginref.tournament.audit import audit
from ginref.tournament.error import LogError, Objection
from ginref.tournament.event import (
    Advanced,
    CheckedIn,
    Exit,
    Registered,
    ShareRevealed,
)
from ginref.tournament.lifecycle import Lifecycle
from ginref.tournament.operation import (
    Advance,
    CheckIn,
    CommitShare,
    Enter,
    OpenSecret,
    RevealShare,
    SeedField,
)
from ginref.tournament.roster import unrevealed
from ginref.tournament.secret import (
    boards_of,
    commit_secret,
    commit_share,
    lots_of,
    mix_secret,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "tournament_shares.json"
SECRET = hashlib.sha256(b"a secret").digest()
REFEREE = hashlib.sha256(b"the referee").digest()
BOTS = ("ann", "bob", "cat")
DRAWN = one_stage({"format": "single_elimination"}, entry={"seeding": "draw"})


def share_of(bot: str) -> bytes:
    return hashlib.sha256(bot.encode()).digest()


def checked_in() -> Tournament:
    """Let three bots check in with a share each, and freeze the roster."""
    tournament = Tournament(DRAWN)
    ask(tournament, Advance(to=Lifecycle.REGISTRATION))
    for bot in BOTS:
        ask(tournament, Enter(bot=bot, owner=f"of-{bot}"))
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    ask(tournament, CommitShare(commitment=commit_share("t-1", "", REFEREE).hex()))
    for bot in BOTS:
        commitment = commit_share("t-1", bot, share_of(bot)).hex()
        ask(tournament, CheckIn(bot=bot, latency=9, commitment=commitment))
    ask(tournament, Advance(to=Lifecycle.SEEDING))
    return tournament


def drawn_with(secret: bytes, *bots: str) -> Tournament:
    """Let bots reveal their shares, and play to the end with a secret."""
    tournament = checked_in()
    for bot in bots:
        ask(tournament, RevealShare(bot=bot, share=share_of(bot).hex()))
    tournament.now_ms += 60_000
    tournament.settle()
    lots, commitment = lots_of(secret), commit_secret("t-1", secret)
    ask(tournament, SeedField(lots=lots.hex(), commitment=commitment.hex()))
    ask(tournament, Advance(to=Lifecycle.RUNNING))
    tournament.play(better_seed)
    return tournament


def test_the_draw_follows_from_the_shares_of_all() -> None:
    shares = {bot: share_of(bot) for bot in BOTS}
    secret = mix_secret("t-1", REFEREE, shares)
    tournament = drawn_with(secret, *BOTS)
    ask(tournament, OpenSecret(secret=secret.hex(), share=REFEREE.hex()))

    report = audit(tournament.configuration, tournament.entries)

    assert report.is_open
    assert report.interventions == ()


def test_a_bot_that_keeps_its_share_to_itself_is_out() -> None:
    shares = {bot: share_of(bot) for bot in BOTS[:2]}
    secret = mix_secret("t-1", REFEREE, shares)
    tournament = drawn_with(secret, *BOTS[:2])
    ask(tournament, OpenSecret(secret=secret.hex(), share=REFEREE.hex()))

    report = audit(tournament.configuration, tournament.entries)

    ledger = tournament.plan().ledger
    assert ledger.departures[BOTS[2]].exit is Exit.SHARE
    assert BOTS[2] not in ledger.order
    assert report.interventions == ()


@pytest.mark.parametrize(
    ("secret", "share", "what"),
    [
        (SECRET, REFEREE, "not that of all shares"),
        (SECRET, SECRET, "not the share that was committed to"),
    ],
)
def test_a_secret_of_other_shares_is_found(
    secret: bytes, share: bytes, what: str
) -> None:
    tournament = drawn_with(secret, *BOTS)
    ask(tournament, OpenSecret(secret=secret.hex(), share=share.hex()))

    with pytest.raises(LogError, match=what):
        audit(tournament.configuration, tournament.entries)


def test_the_field_is_not_seeded_while_shares_are_missing() -> None:
    tournament = checked_in()
    lots = SeedField(lots=lots_of(SECRET).hex())

    assert refusal(tournament, lots) is Objection.WRONG_TIME
    assert unrevealed(tournament.plan().ledger) == BOTS


def test_a_share_is_the_one_that_was_committed_to() -> None:
    tournament = checked_in()
    other = RevealShare(bot="ann", share=share_of("bob").hex())
    stranger = RevealShare(bot="dan", share=share_of("dan").hex())

    assert refusal(tournament, other) is Objection.INVALID
    assert refusal(tournament, stranger) is Objection.UNKNOWN
    right = RevealShare(bot="ann", share=share_of("ann").hex())
    ask(tournament, right)
    assert ask(tournament, right).events == ()
    tournament.add(ShareRevealed(bot="bob", share=share_of("ann").hex()))
    with pytest.raises(LogError, match="has not committed"):
        tournament.plan()


def test_the_referee_commits_first_and_once() -> None:
    tournament = Tournament(DRAWN)
    ask(tournament, Advance(to=Lifecycle.REGISTRATION))
    ask(tournament, Enter(bot="ann", owner="of-ann"))
    ask(tournament, Advance(to=Lifecycle.CHECK_IN))
    commitment = commit_share("t-1", "ann", share_of("ann")).hex()
    ask(tournament, CheckIn(bot="ann", commitment=commitment))

    late = CommitShare(commitment=commit_share("t-1", "", REFEREE).hex())
    assert refusal(tournament, late) is Objection.WRONG_TIME
    again = checked_in()
    other = CommitShare(commitment=commit_share("t-1", "", SECRET).hex())
    assert refusal(again, other) is Objection.CONFLICT


def drawn_by(secret: bytes, lots: bytes, commitment: bytes) -> Tournament:
    document = one_stage({"format": "single_elimination"}, entry={"seeding": "draw"})
    tournament = Tournament(document)
    tournament.add(Advanced(to=Lifecycle.REGISTRATION))
    for bot in BOTS:
        tournament.add(Registered(bot=bot, owner=f"of-{bot}"))
    tournament.add(Advanced(to=Lifecycle.CHECK_IN))
    for bot in BOTS:
        tournament.add(CheckedIn(bot=bot))
    tournament.add(Advanced(to=Lifecycle.SEEDING))
    ask(tournament, SeedField(lots=lots.hex(), commitment=commitment.hex()))
    tournament.add(Advanced(to=Lifecycle.RUNNING))
    tournament.play(better_seed)
    ask(tournament, OpenSecret(secret=secret.hex()))
    return tournament


def test_the_draw_follows_from_the_secret_that_was_committed_to() -> None:
    tournament = drawn_by(SECRET, lots_of(SECRET), commit_secret("t-1", SECRET))

    report = audit(tournament.configuration, tournament.entries)

    assert report.is_open
    assert report.interventions == ()


@pytest.mark.parametrize(
    ("lots", "commitment", "what"),
    [
        (lots_of(SECRET), commit_secret("t-2", SECRET), "committed to"),
        (bytes(32), commit_secret("t-1", SECRET), "do not follow"),
    ],
)
def test_another_secret_than_the_one_committed_to_is_found(
    lots: bytes, commitment: bytes, what: str
) -> None:
    tournament = drawn_by(SECRET, lots, commitment)

    with pytest.raises(LogError, match=what):
        audit(tournament.configuration, tournament.entries)


def test_every_share_changes_the_secret_and_no_order_does() -> None:
    shares = {"ann": b"a" * 32, "bob": b"b" * 32}

    secret = mix_secret("t-1", b"r" * 32, shares)

    assert secret == mix_secret("t-1", b"r" * 32, dict(reversed(shares.items())))
    others = {
        mix_secret("t-2", b"r" * 32, shares),
        mix_secret("t-1", b"s" * 32, shares),
        mix_secret("t-1", b"r" * 32, {**shares, "ann": b"c" * 32}),
        mix_secret("t-1", b"r" * 32, {"ann": b"b" * 32, "bob": b"a" * 32}),
        mix_secret("t-1", b"r" * 32, {"ann": b"a" * 32}),
    }
    assert len(others | {secret}) == 6


def test_commitments_name_whose_they_are() -> None:
    share, boards = b"a" * 32, boards_of(SECRET, "main/1/1")

    shares = {commit_share("t-1", who, share) for who in ("", "ann", "bob")}
    deals = {commit_boards("t-1", deal, boards) for deal in ("main/1/1", "main/1/2")}

    assert (len(shares), len(deals)) == (3, 2)
    assert boards != boards_of(SECRET, "main/1/2")


def test_published_shares_commit_and_mix_as_they_always_have() -> None:
    for vector in json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]:
        name, referee = vector["tournament"], bytes.fromhex(vector["referee_share"])
        shares = {bot: bytes.fromhex(one) for bot, one in vector["shares"].items()}
        secret = mix_secret(name, referee, shares)

        assert commit_share(name, "", referee).hex() == vector["referee_commitment"]
        assert vector["commitments"] == {
            bot: commit_share(name, bot, share).hex() for bot, share in shares.items()
        }
        assert secret.hex() == vector["secret"]
        assert commit_secret(name, secret).hex() == vector["commitment"]
        assert lots_of(secret).hex() == vector["lots"]
        for board in vector["boards"]:
            boards = boards_of(secret, board["deal"])
            assert boards.hex() == board["secret"]
            assert (
                commit_boards(name, board["deal"], boards).hex()
                == (board["commitment"])
            )
