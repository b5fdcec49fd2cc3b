from pathlib import Path

import pytest

from ginref_client.bots.careful import Careful
from ginref_client.bots.simple import Simple
from ginref_client.error import LoadError
from ginref_client.loading import load_bot

BOT = """
from ginref_client import Bot

class {name}(Bot):
    def choose(self, view):
        return view.legal[0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.py").write_text(BOT.format(name="One"))
    (tmp_path / "two.py").write_text(BOT.format(name="One") + BOT.format(name="Two"))
    (tmp_path / "none.py").write_text("from ginref_client import Bot\n")
    (tmp_path / "broken.py").write_text("x = 1 / 0\n")
    (tmp_path / "typo.py").write_text("class :\n")
    (tmp_path / "unfinished.py").write_text(
        "from ginref_client import Bot\nclass Half(Bot):\n    pass\nnumber = 1\n"
    )
    return tmp_path


def test_baseline_bots_are_known_by_name() -> None:
    assert load_bot("careful") is Careful
    assert load_bot("simple") is Simple


def test_the_bot_of_a_file_is_found(folder: Path) -> None:
    assert load_bot(f"{folder}/one.py").__name__ == "One"
    assert load_bot(f"{folder}/one.py").name == "one"


def test_one_of_several_bots_is_named(folder: Path) -> None:
    assert load_bot(f"{folder}/two.py:Two").__name__ == "Two"


def test_a_bot_of_a_module_is_found() -> None:
    assert load_bot("ginref_client.bots.careful:Careful") is Careful


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("clever", "no such bot; careful, simple, FILE.py"),
        ("", "no such bot"),
        ("{folder}/gone.py", "no such file"),
        ("{folder}/none.py", "no subclass of Bot"),
        ("{folder}/two.py", "several bots, say which: One, Two"),
        ("{folder}/two.py:Three", "no class Three"),
        ("{folder}/unfinished.py", "no subclass of Bot"),
        ("{folder}/unfinished.py:Half", "Half has no choose"),
        ("{folder}/unfinished.py:number", "number is no subclass of Bot"),
        (
            "{folder}/broken.py",
            "ZeroDivisionError: division by zero (broken.py, line 1",
        ),
        ("{folder}/typo.py", "SyntaxError"),
        ("no.such.module:Bot", "No module named"),
        ("ginref_client.bots:Careful", "no class Careful"),
    ],
)
def test_what_is_no_bot_is_said_plainly(folder: Path, name: str, text: str) -> None:
    with pytest.raises(LoadError) as refused:
        load_bot(name.format(folder=folder))

    assert text in str(refused.value)
