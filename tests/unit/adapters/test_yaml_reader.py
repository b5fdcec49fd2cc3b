"""YAML that is read strictly, and the lines that errors name."""

import pytest

from ginref.adapters.tournament_file import TournamentFileError, read_tournament
from ginref.adapters.yaml_reader import SIZE_MOST, YamlError, read_yaml


def test_values_are_what_they_look_like() -> None:
    text = b"a: 12\nb: '12'\nc: yes\nd: true\ne: ~\nf: 2026-11-30\ng: 1:30\nh: 0x10\n"

    assert read_yaml(text).value == {
        "a": 12,
        "b": "12",
        "c": "yes",
        "d": True,
        "e": None,
        "f": "2026-11-30",
        "g": "1:30",
        "h": "0x10",
    }


def test_an_alias_repeats_what_it_names() -> None:
    text = b"usual: &u {best_of: 3}\nother: *u\n"

    assert read_yaml(text).value["other"] == {"best_of": 3}


LAUGHS = "".join(
    f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10) if at else 'ha'}]\n"
    for at in range(9)
)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", 3, "'a' comes twice", id="a key twice"),
        pytest.param("a: {x: 1, x: 1}", 1, "'x' comes twice", id="inside, too"),
        pytest.param(LAUGHS, 1, "more than anybody writes", id="a billion laughs"),
        pytest.param("a: &a\n  - *a\n", 1, "more than anybody", id="in itself"),
        pytest.param("- " * 60 + "a", 1, "more than anybody", id="too deep"),
        pytest.param("a: [1\nb: 2", 2, "expected", id="not closed"),
        pytest.param("a: 1\n---\nb: 1\n", 2, "another document", id="two documents"),
        pytest.param("a: !!python/name:os.system ''", 1, "not known", id="an object"),
        pytest.param("a: !mine 1", 1, "not known", id="a tag"),
        pytest.param("? [a, b]\n: 1", 1, "a key that is no text", id="a list as key"),
        pytest.param("a: \x01", 0, "not YAML", id="a control letter"),
        pytest.param("[" * 5000, 0, "not YAML", id="brackets without end"),
        pytest.param("a" * (SIZE_MOST + 1), 0, "at most", id="too large"),
    ],
)
def test_what_is_refused_is_named_with_its_line(
    text: str, line: int, what: str
) -> None:
    with pytest.raises(YamlError, match=what) as caught:
        read_yaml(text.encode())

    assert caught.value.line == line


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(YamlError, match="not UTF-8"):
        read_yaml(b"a: \xff")


CUP = """\
name: cup
stages:
  - name: main
    format: single_elimination
    except:
      R2.1: {best_of: 4}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "path"),
    [
        ("best_of: 4", "best_of: 4", 6, "stages[0].except.R2.1.best_of"),
        ("    format: single_elimination\n", "", 3, "stages[0].format"),
        ("single_elimination", "swiss", 3, "stages[0].rounds"),
        ("name: cup", "name: Cup", 1, "name"),
        ("name: cup\n", "", 1, "name"),
        ("name: main", "named: main", 3, "stages[0].named"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(
    old: str, new: str, line: int, path: str
) -> None:
    with pytest.raises(TournamentFileError) as caught:
        read_tournament(CUP.replace(old, new).encode())

    assert (caught.value.line, caught.value.path) == (line, path)
    assert str(caught.value).startswith(f"line {line}: {path}: ")
