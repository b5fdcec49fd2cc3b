"""The image as its Dockerfile describes it."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "deploy/Dockerfile"


@dataclass
class Stage:
    """What one stage of a Dockerfile does.

    Attributes:
        base: The image that it starts from.
        name: What other stages call it.
        steps: Its instructions, each with what it is given.
    """

    base: str
    name: str = ""
    steps: list[tuple[str, str]] = field(default_factory=list)

    def given(self, word: str) -> list[str]:
        """Return what each instruction of a kind is given."""
        return [rest for found, rest in self.steps if found == word]

    def last(self, word: str) -> str:
        """Return what the instruction of a kind that counts is given."""
        return self.given(word)[-1]

    def arguments(self, word: str) -> list[str]:
        """Return the words of an instruction that has no shell."""
        words: list[str] = json.loads(self.last(word))
        return words

    def environment(self) -> dict[str, str]:
        """Return the variables that programs have."""
        pairs = [shlex.split(given) for given in self.given("ENV")]
        return dict(word.split("=", 1) for words in pairs for word in words)

    def health_check(self) -> list[str]:
        """Return the program that tells whether a container is well."""
        words: list[str] = json.loads(self.last("HEALTHCHECK").split(" CMD ", 1)[1])
        return words

    def copied(self) -> Iterator[str]:
        """Return what is taken from the build context."""
        for given in self.given("COPY"):
            *sources, _ = given.split()
            if not sources[0].startswith("--from="):
                yield from sources


def stages() -> list[Stage]:
    """Read the Dockerfile."""
    text = DOCKERFILE.read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    found: list[Stage] = []
    for line in re.sub(r"\\\n\s*", " ", text).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            found.append(Stage(base, name))
        elif word and found:
            found[-1].steps.append((word, re.sub(r" +", " ", rest).strip()))
    return found


def stage_called(name: str) -> Stage:
    """Return the stage of a name."""
    (found,) = (one for one in stages() if one.name == name)
    return found


def final() -> Stage:
    """Return the stage that becomes the image."""
    return stages()[-1]
