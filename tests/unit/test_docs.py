"""What the documentation says is true of the code beside it."""

import argparse
import asyncio
import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ginref.adapters.key_folder import KeyFolder
from ginref.app.error import Reason
from ginref.bootstrap import running
from ginref.config import ServeConfig
from ginref.engine.move import PASS
from ginref.engine.ruleset import GIN
from ginref.engine.seat import Seat
from ginref.engine.view import SeatView
from ginref.record.clock import PRESETS
from ginref.record.document import PAYLOAD_TYPE, build_record
from ginref.record.entry import (
    Aborted,
    Accepted,
    Committed,
    Created,
    Declined,
    Entry,
    Moved,
    Refused,
    Resigned,
    Revealed,
    StampedEntry,
    TimedOut,
    Voided,
    entry_word,
)
from ginref.record.envelope import seal_envelope
from ginref.record.flaw import Flaw
from ginref.record.setup import Setup
from ginref.record.verify import Finding, verify_record
from ginref.transport.status import CODES
from ginref_client import Session
from ginref_client.bots.simple import Simple
from ginref_client.run import _parser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
REASON = re.compile(r"((?:  //.*\n)+)  ERROR_REASON_(\w+) = \d+;")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)

PlayedMatch = tuple[Setup, tuple[StampedEntry, ...]]

ONE_OF_EACH: tuple[Entry, ...] = (
    Created(),
    Accepted(Seat.NORTH),
    Declined(Seat.NORTH),
    Committed(Seat.NORTH, None),
    Revealed(Seat.NORTH, bytes(32)),
    Moved(Seat.NORTH, "a", PASS, 0),
    Refused(Seat.NORTH, "a", PASS, 0),
    Resigned(Seat.NORTH),
    TimedOut(),
    Aborted(),
    Voided(),
)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Code blocks of one language, each with the line it starts after."""
    text = page.read_text(encoding="utf-8")
    return [
        (text[: found.start(2)].count("\n"), found[2])
        for found in BLOCK.finditer(text)
        if found[1] == language
    ]


def anchors(page: Path) -> set[str]:
    """Names that a page's headings have as targets of links."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in HEADING.findall(text)
    }


def rows(page: Path, heading: str) -> Iterator[list[str]]:
    """Cells of the first table below a heading, without its head."""
    text = page.read_text(encoding="utf-8")
    section = text.split(f"\n{heading}\n", 1)[1]
    lines = section[section.index("\n|") + 1 :].splitlines()
    for line in lines[2:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=name_of
)
def test_every_python_block_runs_and_says_what_it_says(page: Path) -> None:
    names: dict[str, Any] = {"__name__": "docs"}
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for line, code in blocks(page, "python"):
        if not code.lstrip().startswith(">>>"):
            exec(compile("\n" * line + code, name_of(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(
            code, names, name_of(page), name_of(page), line
        )
        runner.run(test, out=failures.append, clear_globs=False)
        names.update(test.globs)

    assert not failures, "".join(failures)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        known = there.exists() and (not anchor or anchor in anchors(there))
        if not known:
            broken.append(target)

    assert not broken


def test_the_table_of_refusals_is_the_one_that_the_api_describes() -> None:
    proto = (ROOT / "proto/ginref/v1/error_reason.proto").read_text(encoding="utf-8")
    described = [
        (reason, CODES[Reason[reason]], _sentences(comment))
        for comment, reason in REASON.findall(proto)
        if reason in Reason.__members__
    ]

    told = [
        (reason.strip("`"), (grpc, int(http)), meaning)
        for reason, grpc, http, meaning in rows(DOCS / "protocol.md", "## Refusals")
    ]

    assert told == [
        (reason, (code.grpc.name, code.http), meaning)
        for reason, code, meaning in described
    ]
    assert [reason for reason, *_ in told] == list(Reason)


def _sentences(comment: str) -> str:
    """What a comment of the proto file says before its example."""
    lines = [line.strip().removeprefix("//").strip() for line in comment.splitlines()]
    return " ".join(lines[: lines.index("")])


def test_the_table_of_clocks_is_that_of_the_presets() -> None:
    told = [
        (name.strip("`"), *map(int, values))
        for name, *values in rows(DOCS / "protocol.md", "## The clock")
        if name
    ]

    assert told == [
        (
            policy.name,
            policy.start_ms,
            policy.free_ms,
            policy.bank_ms,
            policy.cap_ms,
            policy.grace_ms,
        )
        for policy in PRESETS.values()
    ]


def test_the_table_of_options_is_that_of_the_ruleset() -> None:
    page = DOCS / "rules.md"
    section = "## Options and presets"
    text = page.read_text(encoding="utf-8").split(section, 1)[1]
    told = dict(re.findall(r"^\| `(\w+)` \| `?(\w+)`? \| .*\|$", text, re.MULTILINE))

    defaults = GIN.to_dict()
    del defaults["name"], defaults["version"]

    assert told == {key: _in_words(value) for key, value in defaults.items()}


def _in_words(value: object) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


RARE = {"place", "receipts"}
"""Members of a record's match that only some matches have."""


def test_a_record_has_the_members_that_the_page_lists(
    play_match: Callable[..., PlayedMatch],
) -> None:
    setup, entries = play_match(3)
    record = json.loads(build_record(setup, entries))
    page = DOCS / "records.md"

    def listed(heading: str) -> list[str]:
        return [
            name
            for first, *_ in rows(page, heading)
            for name in re.findall(r"`(\w+)`", first)
        ]

    assert sorted(listed("## The record")) == sorted(record)
    assert {*listed("### `match`")} - RARE == set(record["match"])
    assert sorted(listed("### `openings`")) == sorted(record["openings"])
    results = {
        name.strip("`"): re.findall(r"`(\w+)`", what)
        for name, what in rows(page, "### Results")
    }
    rounds = [one for one in record["rounds"] if "showdown" in one]
    assert sorted(results["rounds"]) == sorted(rounds[0])
    assert set(results["showdown"]) == set(rounds[0]["showdown"])
    games = set(record["sheet"]["games"][0])
    assert set(results["sheet"]) == {*record["sheet"], *games}
    assert sorted(results["ending"]) == sorted(record["ending"])
    assert sorted(results["clocks"]) == sorted(record["clocks"][0])


def test_the_kinds_of_entries_are_those_of_the_page() -> None:
    told = [kind.strip("`") for kind, *_ in rows(DOCS / "records.md", "### `entries`")]

    assert told == [entry_word(entry) for entry in ONE_OF_EACH]


def test_the_kinds_of_wrong_things_are_those_of_the_page() -> None:
    page = (DOCS / "records.md").read_text(encoding="utf-8")
    table = page.split("| `wrong` |", 1)[1].split("\n\n", 1)[0]

    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(Flaw)


def test_a_match_is_checked_by_the_commands_on_its_page(
    tmp_path: Path,
    play_match: Callable[..., PlayedMatch],
) -> None:
    for program in ("openssl", "node"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} is installed")
    keys = KeyFolder.open_or_create(tmp_path / "keys")
    record = seal_envelope(build_record(*play_match(3)), PAYLOAD_TYPE, keys.signer)
    (tmp_path / "season").mkdir()
    for path in (tmp_path / "record.json", tmp_path / "season" / "record.json"):
        path.write_bytes(record)
    (tmp_path / "key.pem").write_bytes(keys.pem())
    (tmp_path / "keys.json").write_bytes(keys.jwks())
    (tmp_path / "clients").symlink_to(ROOT / "clients")
    commands = [code for _, code in blocks(DOCS / "check-a-match.md", "sh")]

    done = subprocess.run(
        ["sh", "-e"],
        input="\n".join(commands),
        cwd=tmp_path,
        capture_output=True,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert len(commands) == 5
    assert "Verified Successfully" in done.stdout
    assert keys.signer.key_id in done.stdout.split("VALID", 1)[0]
    assert done.stdout.count("record.json: VALID") == 3


def test_the_view_has_what_the_page_on_bots_lists() -> None:
    page = DOCS / "bots.md"
    text = page.read_text(encoding="utf-8")
    section = text.split("\n## The view\n", 1)[1].split("\n## Moves\n", 1)[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    told = [name for cell in first_cells for name in re.findall(r"`(\w+)[^`]*`", cell)]

    public = {name for name in dir(SeatView) if not name.startswith("_")}
    assert sorted(told) == sorted(public)


def test_the_options_of_a_bots_program_are_those_on_the_page() -> None:
    told = {name.strip("`") for name, *_ in rows(DOCS / "bots.md", "## Connecting")}

    parsed = {
        text
        for action in _parser()._actions  # noqa: SLF001 - argparse has no other way
        for text in action.option_strings
        if not isinstance(action, argparse._HelpAction)  # noqa: SLF001
    }
    assert told == parsed


async def test_the_program_that_organizes_a_match_leads_to_a_signed_record(
    tmp_path: Path,
) -> None:
    (program,) = [
        code
        for head, code in BLOCK.findall((DOCS / "operations.md").read_text())
        if head.endswith('title="organize.py"')
    ]
    anywhere = "127.0.0.1:0"
    config = ServeConfig(
        data=tmp_path / "ginref-data", listen=anywhere, admin=anywhere, http="off"
    )

    async with running(config, asyncio.Event()) as referee:
        code = program.replace("127.0.0.1:7878", referee.grpc)
        organizer = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", code), cwd=tmp_path, stdout=subprocess.PIPE
        )
        match_id = (await organizer.communicate())[0].decode().strip()
        sessions = [
            Session(referee.grpc, (tmp_path / f"{name}.token").read_text(), bot)
            for name, bot in (("first", Simple), ("careful", Simple))
        ]
        ended = await asyncio.gather(*(one.run(until=bool) for one in sessions))
        record = Path(config.records) / f"{match_id}.json"
        while not record.exists():  # noqa: ASYNC110 - a folder has no events
            await asyncio.sleep(0.05)

    assert [result.match_id for (result,) in ended] == [match_id, match_id]
    verdict = verify_record(
        record.read_bytes(), dict(KeyFolder(config.keys_folder).public_keys)
    )
    assert verdict.finding is Finding.VALID, verdict.problem
