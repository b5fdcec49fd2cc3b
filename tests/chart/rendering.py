"""The chart as helm renders it."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm/ginref"
CASES = sorted(path.name for path in CHART.glob("ci/*-values.yaml"))
HELMS = ("helm3", "helm4")

Object = Mapping[str, Any]

each_helm = pytest.mark.parametrize("helm", HELMS)
each_case = pytest.mark.parametrize("case", CASES)


def run(
    helm: str, *arguments: str, values: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run helm, with more values from its standard input."""
    program = ROOT / "build/helm" / helm
    if not program.exists():
        pytest.skip(f"no {helm} is here: make helm")
    return subprocess.run(
        [str(program), *arguments, "--values", "-"],
        check=False,
        capture_output=True,
        cwd=ROOT,
        input=values or "{}",
        text=True,
    )


@lru_cache
def rendered(case: str, helm: str = "helm4", *more: str) -> tuple[Object, ...]:
    """Return the objects that a release with some values consists of."""
    values = ("--values", str(CHART / "ci" / case))
    told = run(helm, "template", "play", str(CHART), *values, *more)
    assert told.returncode == 0, told.stderr
    return tuple(found for found in yaml.safe_load_all(told.stdout) if found)


def only(objects: Sequence[Object], kind: str, name: str = "") -> Object:
    """Return the one object of a kind, whose name ends so."""
    (found,) = (
        one
        for one in objects
        if one["kind"] == kind and one["metadata"]["name"].endswith(name)
    )
    return found


def pods(objects: Sequence[Object]) -> Iterator[tuple[str, Object]]:
    """Yield what pods are made from, with the name of what makes them."""
    for one in objects:
        if one["kind"] == "Pod":
            yield one["metadata"]["name"], one
        elif one["kind"] in {"Deployment", "StatefulSet"}:
            yield one["metadata"]["name"], one["spec"]["template"]
