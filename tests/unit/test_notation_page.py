"""The page on notation shows a match that can be read."""

import re
from pathlib import Path

from ginref.engine.notation import parse_match, write_match
from ginref.engine.notation_deal import DEAL_LINES
from ginref.engine.notation_head import HEAD_LINES

PAGE = (Path(__file__).parents[2] / "docs/notation.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_is_a_match_in_standard_form_but_for_its_comments() -> None:
    bare = re.sub(r" *#.*", "", EXAMPLE)

    assert EXAMPLE.count("#") > 10
    assert write_match(parse_match(EXAMPLE)) == bare


def test_the_table_lists_every_kind_of_line() -> None:
    section = PAGE.split("\n## Lines\n")[1].split("\n## ")[0]
    told = re.findall(r"^\| `(\S+)", section, re.MULTILINE)

    assert told == [*HEAD_LINES, "round", *DEAL_LINES, "N.", "result", "over"]
