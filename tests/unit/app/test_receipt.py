"""Receipts: what the referee signs of each submission, if the match keeps them."""

from dataclasses import replace
from typing import Any

from tests.unit.app.judgment import refusal

from ginref.app.error import Reason, RefusedError
from ginref.app.request import UnreadMove
from ginref.app.salvage import PATIENCE_MS
from ginref.engine.seat import Seat
from ginref.record.agreement import confront
from ginref.record.clock import FAST
from ginref.record.envelope import parse_envelope, signer_of
from ginref.record.evidence import ReceiptLine, first_line, write_line
from ginref.record.receipt import RECEIPT_TYPE, Receipt, mismatch, read_receipt
from ginref.record.share import commit_seat
from ginref.record.submission import Submission
from ginref.record.verify import Finding, Verdict, verify_record

World = Any
"""The referee of `conftest`, whose class cannot be imported."""


class Pen:
    """Keeps the receipts of a match as its bots would."""

    def __init__(self, world: World, facts: Any) -> None:  # noqa: ANN401
        self.world = world
        self.facts = facts
        self.lines: dict[Seat, list[ReceiptLine]] = {Seat.NORTH: [], Seat.SOUTH: []}

    def keep(self, submission: Submission, envelope: bytes) -> Receipt:
        """Read a receipt that is signed as it should be, and keep it."""
        read = read_receipt(self.open(envelope))
        assert mismatch(read, submission) is None
        line = ReceiptLine(envelope.decode(), submission)
        self.lines[submission.seat].append(line)
        return read

    def open(self, envelope: bytes) -> bytes:
        signer = self.world.signer
        parsed = parse_envelope(envelope)
        key = {signer.key_id: signer.public_key}
        assert parsed.payload_type == RECEIPT_TYPE
        assert signer_of(parsed, key) == (signer.key_id, True)
        return parsed.payload

    async def refused(self, submission: Submission) -> Receipt:
        error = await refusal(self.world, submission, facts=self.facts)
        read = self.keep(submission, error.receipt)
        assert read.reason == error.reason
        return read

    async def moved(self) -> Receipt:
        submission = self.world.submission(await self.world.turn(self.facts))
        self.world.time.ms += 7
        report = await self.world.submit(submission, self.facts)
        read = self.keep(submission, report.receipt)
        assert (read.version, read.at_ms) == (report.version, report.time_ms)
        return read

    async def verdicts(self) -> list[Verdict]:
        """Compare the record with what each bot has kept."""
        signer, match_id = self.world.signer, self.facts.match_id
        keys = {signer.key_id: signer.public_key}
        await self.world.one.signing.sign_finished()
        verdict = verify_record(self.world.archive.records[match_id], keys)
        assert verdict.finding is Finding.VALID
        return [
            confront(
                verdict,
                first_line(match_id, seat) + b"".join(map(write_line, lines)),
                keys,
            )
            for seat, lines in self.lines.items()
        ]


async def test_every_answer_is_acknowledged_and_the_record_bears_all_of_it_out(
    world: World,
) -> None:
    forming = await world.create(receipts=True)
    pen = Pen(world, forming)
    early = Submission(
        match_id=forming.match_id,
        seat=Seat.SOUTH,
        expected_version=1,
        request_id="early",
        move=world.submission(await world.turn(await world.start())).move,
    )
    assert (await pen.refused(early)).commitment is None
    for seat, step in world.steps(forming):
        await world.step(forming, seat, step)

    moved = await pen.moved()
    commitment = commit_seat(moved.match_id, moved.seat, world.share(moved.seat))
    assert moved.commitment == commitment
    turn = await world.turn(forming)
    struck = [await pen.refused(world.wrong(turn)) for _ in range(2)]
    assert [one.place for one in struck] == [(moved.version, 1), (moved.version, 2)]
    stale = await pen.refused(world.submission(turn, expected_version=3))
    other = next(seat for seat in pen.lines if seat is not turn.view.seat)
    foreign = await pen.refused(world.submission(turn, seat=other))
    used = pen.lines[turn.view.seat][-2].submission
    assert used is not None
    again = replace(used, move=world.submission(turn).move)
    reused = await pen.refused(again)
    for _ in range(20):
        await pen.moved()
    world.time.ms += 10**6
    late = await pen.refused(world.submission(await world.turn(forming)))
    over = await pen.refused(world.submission(turn))

    unstored = [stale, foreign, reused, late, over]
    assert [one.reason for one in unstored] == [
        Reason.VERSION_STALE,
        Reason.NOT_YOUR_TURN,
        Reason.REQUEST_ID_REUSED,
        Reason.MOVE_LATE,
        Reason.MATCH_OVER,
    ]
    assert not any(one.is_stored for one in unstored)
    verdicts = await pen.verdicts()
    assert [(one.finding, one.problem) for one in verdicts] == [
        (Finding.VALID, None),
        (Finding.VALID, None),
    ]
    agreed = [one.evidence[0] for one in verdicts]
    assert sum(one.accepted for one in agreed) == 21
    assert sum(one.refused for one in agreed) == 8
    assert [one.unacknowledged for one in agreed] == [0, 0]


async def test_the_same_submission_gets_the_same_receipt_from_every_replica(
    world: World,
) -> None:
    facts, other = await world.start(receipts=True, strikes_allowed=1), None
    other = await world.replica()
    turn = await world.turn(facts)
    good, wrong = world.submission(turn), world.wrong(turn)
    struck = await refusal(world, wrong, facts=facts)
    taken = await world.submit(good, facts)
    turn = await world.turn(facts)
    last, fatal = world.wrong(turn), world.wrong(turn)
    if turn.view.seat is not wrong.seat:
        await refusal(world, last, facts=facts)
    lost = await refusal(world, fatal, facts=facts)
    world.time.ms += 12_345

    for desk in (world.desk, other.desk):
        for before, submission in ((struck, wrong), (lost, fatal)):
            after = await refusal(world, submission, facts=facts, desk=desk)
            assert after.receipt == before.receipt
        assert (await world.submit(good, facts, desk)).receipt == taken.receipt

    ended = read_receipt(parse_envelope(lost.receipt).payload)
    assert ended.is_stored
    assert ended.refusal == 0


async def test_what_is_signed_after_a_loss_agrees_with_the_void_record(
    world: World,
) -> None:
    facts = await world.start(receipts=True)
    pen, held = Pen(world, facts), world.store._matches[facts.match_id]  # noqa: SLF001
    for _ in range(6):
        await pen.moved()
    asleep, fresh = await world.replica(), await world.replica()
    await asleep.keeper.load(facts.match_id)
    first = await pen.moved()
    submission = pen.lines[first.seat][-1].submission
    assert submission is not None
    for _ in range(3):
        await pen.moved()
    held.state = held.creation.setup
    held.log[-4] = replace(held.log[-4], entry=b"damaged")
    for pause_ms in (FAST.start_ms, PATIENCE_MS):
        world.time.ms += pause_ms
        await fresh.sweeper.sweep()

    # One process remembers the match as it was before the move.
    error = await refusal(world, submission, facts=facts, desk=asleep.desk)
    read = pen.keep(submission, error.receipt)

    assert (read.reason, read.version) == (Reason.MATCH_OVER, held.version)
    for verdict in await pen.verdicts():
        assert (verdict.finding, verdict.problem) == (Finding.VALID, None)
        assert "it has lost" in verdict.notes[-1]


async def test_a_turn_that_was_over_in_time_is_not_said_to_have_timed_out(
    world: World,
) -> None:
    facts = await world.start()
    before = await world.one.keeper.load(facts.match_id)
    await world.move(facts)
    world.time.ms += 10**6

    # The deadline that is past is another turn's.
    judge = world.desk._judge  # noqa: SLF001
    assert not await judge.time_out(before)
    assert await judge.time_out(await world.one.keeper.load(facts.match_id))


async def test_a_match_that_keeps_no_receipts_signs_nothing(world: World) -> None:
    signed: list[bytes] = []

    class Counting:
        key_id = world.signer.key_id

        def sign(self, message: bytes) -> bytes:
            signed.append(message)
            signature: bytes = world.signer.sign(message)
            return signature

    replica = await world.replica(signer=Counting)
    facts = await world.start()
    turn = await world.turn(facts)

    error = await refusal(world, world.wrong(turn), facts=facts, desk=replica.desk)
    report = await world.submit(world.submission(turn), facts, replica.desk)
    stale = await refusal(world, world.submission(turn), facts=facts, desk=replica.desk)

    assert (error.receipt, report.receipt, stale.receipt) == (b"", b"", b"")
    assert signed == []


async def test_a_move_that_cannot_be_read_is_acknowledged_as_that(
    world: World,
) -> None:
    facts = await world.start(receipts=True)
    plain = await world.start()
    pen = Pen(world, facts)
    caller = world.player(facts, Seat.NORTH)

    async def receipt(match_id: str, seat: Seat) -> bytes:
        error = RefusedError(Reason.MOVE_UNREADABLE, "no move")
        unread = UnreadMove(match_id=match_id, seat=seat, request_id="x")
        await world.desk.receipts.acknowledge_unread(caller, unread, error)
        return error.receipt

    read = read_receipt(pen.open(await receipt(facts.match_id, Seat.NORTH)))
    assert (read.reason, read.submission) == (Reason.MOVE_UNREADABLE, None)
    assert read.version == facts.version
    # Not for the seat of another, nor where there are none.
    assert await receipt(facts.match_id, Seat.SOUTH) == b""
    assert await receipt(plain.match_id, Seat.NORTH) == b""
    assert await receipt("mnowhere", Seat.NORTH) == b""
    world.store.away = True
    assert await receipt(facts.match_id, Seat.NORTH) == b""
