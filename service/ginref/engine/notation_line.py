"""Lines of notation as words that know their place, and the refusal that names it."""

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

from ginref.engine.error import NotationError, shown

_TOKEN: Final = re.compile(
    r"""(?P<comment>\#.*)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<word>[(),]|[^\s(),\#"]+)
    |(?P<wrong>\S.*)""",
    re.VERBOSE,
)
_BARE: Final = re.compile(r"[A-Za-z0-9_.+-]+")
_LINE_LETTERS_MAX: Final = 100_000


class MatchNotationError(NotationError):
    """Text that is no match, or none that the rules allow.

    Attributes:
        line: The line at fault, counted from 1.
        column: Its first wrong letter, counted from 1; one behind the last word
            where something is missing.
        expected: What should stand there.
    """

    def __init__(self, line: int, column: int, expected: str, found: str) -> None:
        """Keep the place; the message is made of everything."""
        super().__init__(
            f"line {line}, column {column}: {found}, but expected {expected}"
        )
        self.line = line
        self.column = column
        self.expected = expected


class Word(NamedTuple):
    """A word, a text in quotation marks, or one of `( ) ,`.

    Attributes:
        text: What it says, without quotation marks.
        line: Its line, counted from 1.
        column: Its first letter, counted from 1.
        end: The column behind it.
        is_quoted: It stood in quotation marks, so it is a name and no word.
    """

    text: str
    line: int
    column: int
    end: int
    is_quoted: bool = False

    @property
    def key(self) -> str:
        """The word in small letters, as words of the form are compared."""
        if self.is_quoted:
            return f'"{self.text}'
        # Only ASCII, because letters of other scripts have these as their lower case.
        return self.text.lower() if self.text.isascii() else self.text

    def refuse(self, expected: str, found: str | None = None) -> MatchNotationError:
        """Return the refusal of this word."""
        said = shown(self.text) if found is None else found
        return MatchNotationError(self.line, self.column, expected, said)


class Line:
    """The words of one line, to be taken one after another."""

    def __init__(self, words: tuple[Word, ...]) -> None:
        """Begin at the first word; there is one."""
        self.words = words
        self._at = 0

    @property
    def first(self) -> Word:
        """The word that the line begins with."""
        return self.words[0]

    @property
    def rest(self) -> tuple[Word, ...]:
        """The words that nobody has taken."""
        return self.words[self._at :]

    def take(self, expected: str) -> Word:
        """Take the next word.

        Raises:
            MatchNotationError: The line ends here.
        """
        if self._at == len(self.words):
            raise self.missing(expected)
        self._at += 1
        return self.words[self._at - 1]

    def take_if(self, key: str) -> bool:
        """Take the next word if it is this one."""
        found = bool(self.rest) and self.rest[0].key == key
        self._at += found
        return found

    def take_until(self, *keys: str) -> tuple[Word, ...]:
        """Take the words before the next of these, or before the end."""
        taken: list[Word] = []
        while self.rest and self.rest[0].key not in keys:
            taken.append(self.rest[0])
            self._at += 1
        return tuple(taken)

    def finish(self) -> None:
        """Take nothing more.

        Raises:
            MatchNotationError: Something is left.
        """
        if self.rest:
            raise self.rest[0].refuse("the end of the line")

    def missing(self, expected: str) -> MatchNotationError:
        """Return the refusal of a line that ends too early."""
        last = self.words[-1]
        return MatchNotationError(last.line, last.end, expected, "the line ends")


class Page:
    """The lines of a text, to be taken one after another."""

    def __init__(self, text: str) -> None:
        """Begin at the first line that is neither blank nor a comment.

        Raises:
            MatchNotationError: As `take` raises it, of the first line.
        """
        # Line by line, so that what is no match is refused at its first line.
        self._lines = _lines(text.removeprefix("\ufeff"))
        self._last: Word | None = None
        self.next: Line | None = next(self._lines, None)
        """The next line; None at the end."""

    def take(self) -> Line | None:
        """Take the next line; None at the end.

        Raises:
            MatchNotationError: The line behind it is too long, or has a text in
                quotation marks that is not closed or not readable.
        """
        line = self.next
        if line:
            self._last = line.words[-1]
            self.next = next(self._lines, None)
        return line

    def take_if(self, *keys: str) -> Line | None:
        """Take the next line if it begins with one of these words."""
        line = self.next
        return self.take() if line and line.first.key in keys else None

    def refuse(self, expected: str) -> MatchNotationError:
        """Return the refusal of the next line, or of the end of the text."""
        if self.next:
            return self.next.first.refuse(expected)
        last = self._last
        if last is None:
            return MatchNotationError(1, 1, expected, "an empty text")
        return MatchNotationError(last.line, last.end, expected, "the text ends")


def _lines(text: str) -> Iterator[Line]:
    """Yield the lines of a text as words, without comments and blank lines."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > _LINE_LETTERS_MAX:
            expected = f"the end of the line after {_LINE_LETTERS_MAX} letters at most"
            found = f"a line of {len(line)} letters"
            raise MatchNotationError(number, _LINE_LETTERS_MAX + 1, expected, found)
        words = _split(line, number)
        if words:
            yield Line(words)


def _split(line: str, number: int) -> tuple[Word, ...]:
    words: list[Word] = []
    for found in _TOKEN.finditer(line):
        kind = found.lastgroup or ""
        column, end = found.start(kind) + 1, found.end(kind) + 1
        word = Word(found[kind], number, column, end)
        if kind == "wrong":
            raise word.refuse('a closing "')
        if kind == "quoted":
            words.append(word._replace(text=_unquote(word), is_quoted=True))
        elif kind == "word":
            words.append(word)
    return tuple(words)


def _unquote(word: Word) -> str:
    try:
        text = str(json.loads(word.text))
        text.encode()
    except ValueError:
        expected = 'a text in quotation marks, with \\" and \\\\ for these two'
        raise word.refuse(expected, shown(word.text)) from None
    return text


def quote(text: str) -> str:
    """Write a name: as it is if it is one plain word, else in quotation marks."""
    if _BARE.fullmatch(text):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


def compare(words: tuple[Word, ...], standard: str) -> None:
    """Check that words say what they have to say.

    What stands in parentheses at the end may be left out.

    Args:
        words: The words, at least one.
        standard: What they have to say.

    Raises:
        MatchNotationError: Naming the first word that differs.
    """
    wanted = [word.key for word in _split(standard, 0)]
    if "(" in wanted and all(word.key != "(" for word in words):
        wanted = wanted[: wanted.index("(")]
    for word, key in zip_longest(words, wanted):
        if word is None:
            raise Line(words).missing(standard)
        if word.key != key:
            raise word.refuse(standard)
