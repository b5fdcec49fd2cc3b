"""What the script of a step is given, as the protocol has it."""

import asyncio

import hiredis
from hypothesis import given
from hypothesis import strategies as st

from ginref.adapters.redis_apply import call_of
from ginref.adapters.redis_call import Call, pack, words_of
from ginref.adapters.redis_reply import bucket_of, entry_id_of, idem_record
from ginref.adapters.redis_script import Script, match_keys, shard_keys, shard_of
from ginref.app.match_store import Change, SubmissionKey

SEATS = st.none() | st.integers(0, 3)
NUMBERS = st.integers(0, 2**40)

CHANGES = st.builds(
    Change,
    match_id=st.text(st.characters(codec="utf-8"), min_size=1, max_size=9),
    expected_version=st.integers(0, 2**32 - 2),
    expected_refusals=st.integers(0, 2**16 - 2),
    entry=st.binary(max_size=20),
    refusal=st.booleans(),
    state=st.binary(max_size=20),
    key=st.none()
    | st.builds(
        SubmissionKey,
        digest=st.binary(min_size=10, max_size=10),
        request_hash=st.binary(min_size=8, max_size=8),
    ),
    mover=SEATS,
    to_act=SEATS,
    window_ms=st.none() | NUMBERS,
    ending=st.booleans(),
    judge_time=st.booleans(),
    due_only=st.booleans(),
)


def read(packed: bytes) -> list[bytes]:
    parser = hiredis.Reader()
    parser.feed(packed)
    command: list[bytes] = parser.gets()
    assert not parser.has_data()
    return command


def text(value: object) -> bytes:
    if value is None:
        return b""
    return b"%d" % value if isinstance(value, int) else str(value).encode()


@given(CHANGES)
def test_a_change_is_written_word_by_word(change: Change) -> None:
    entry_id = entry_id_of(change)
    keys, shard = match_keys(change.match_id), shard_keys(shard_of(change.match_id))
    known = [b"", b"", b""]
    if change.key is not None:
        record = idem_record(change.key, entry_id)
        known = [bucket_of(change.key).encode(), change.key.digest, record]

    key, words = call_of(change, entry_id)

    assert key == keys.match
    assert read(b"*%d\r\n%b" % (words.number, words.data)) == [
        b"7",
        *map(text, (keys.match, keys.log, keys.idem)),
        *map(text, (shard.deadline, shard.outbox, shard.beat, shard.outage)),
        text(change.match_id),
        text(shard.wake),
        text(change.expected_version),
        text(change.expected_refusals),
        text(f"{entry_id.version}-{entry_id.refusal}"),
        change.entry,
        text(change.refusal),
        change.state,
        *known,
        text(change.mover),
        text(change.to_act),
        text(change.window_ms),
        text(change.ending),
        b"due" if change.due_only else b"late" if change.judge_time else b"",
    ]


WORDS = st.lists(st.text() | st.binary() | st.integers(), min_size=1, max_size=5)


@given(WORDS)
def test_a_command_is_read_as_it_was_meant(words: list[str | bytes | int]) -> None:
    meant = [word if isinstance(word, bytes) else text(word) for word in words]

    assert read(pack(words)) == meant


@given(WORDS, st.booleans())
def test_a_script_is_sent_by_its_name_or_in_full(
    words: list[str | bytes | int],
    in_full: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    script = Script("some", "#!lua\nreturn 'ä'")
    loop = asyncio.new_event_loop()
    call = Call(words_of(words), loop.create_future(), script=script)
    call.is_in_full = in_full
    loop.close()

    name = [b"EVAL", text(script.text)] if in_full else [b"EVALSHA", text(script.sha)]
    meant = [word if isinstance(word, bytes) else text(word) for word in words]

    assert read(call.packed()) == [*name, *meant]
    assert call.is_sent
