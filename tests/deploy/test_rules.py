"""Alerts and recording rules, as Prometheus reads and judges them."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.alert_case import CASES, AlertCase, Series
from tests.deploy.image import ROOT
from tests.deploy.measured import unknown_names

from ginref.adapters.metrics import PrometheusObserver
from ginref.transport.server import METHODS

FOLDER = ROOT / "deploy/prometheus"
FILES = [FOLDER / "recording.yaml", FOLDER / "alerts.yaml"]
RUNBOOK = ROOT / "docs/runbook.md"
RULES: list[dict[str, Any]] = [
    rule
    for file in FILES
    for group in yaml.safe_load(file.read_text())["groups"]
    for rule in group["rules"]
]
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}


def promtool(*arguments: str, cwd: Path = FOLDER, told: bytes = b"") -> str:
    """Run promtool on what it is told, and return what it says when all is well."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("no promtool is installed")
    done = subprocess.run(
        [program, *arguments], check=False, capture_output=True, cwd=cwd, input=told
    )
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    return said


def test_prometheus_accepts_its_configuration_and_the_rules_in_it() -> None:
    told = promtool("check", "config", "prometheus.yaml")

    counts = map(int, re.findall(r"(\d+) rules found", told))
    assert sum(counts) == len(RULES)


def test_promtool_finds_nothing_to_say_about_names_and_units() -> None:
    observer = PrometheusObserver(version="1", store="local/always", methods=METHODS)
    for method, code in ((METHODS[0], "OK"), (METHODS[0], "NOT_FOUND"), ("x", "OK")):
        observer.call(f"/{method}", code, 0.001)

    assert promtool("check", "metrics", told=observer.render()) == ""


def test_rules_ask_only_for_what_is_measured() -> None:
    recorded = {rule["record"] for rule in RULES if "record" in rule}

    for rule in RULES:
        assert unknown_names(rule["expr"], recorded) == set(), rule


def _expected(case: AlertCase) -> dict[str, Any]:
    """Describe an alert that fires, as promtool reads it."""
    rule = ALERTS[case.alert]
    labels = {"job": "ginref", **rule["labels"], **case.labels}

    def told(text: str) -> str:
        text = re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda one: labels[one[1]], text)
        return re.sub(r"\{\{ \$value \| \w+ \}\}", case.value, text)

    annotations = {name: told(text) for name, text in rule["annotations"].items()}
    return {"exp_labels": labels, "exp_annotations": annotations}


def _hours() -> Iterator[dict[str, Any]]:
    """Describe hours that promtool looks at, each with as many cases as go together.

    Those do that have no metric in common.
    """
    left = [
        (case, fires, series)
        for case in CASES
        for fires, given in ((True, [case.fires]), (False, case.silent.values()))
        for series in given
    ]
    while left:
        together: dict[str, str] = {}
        asked: list[dict[str, Any]] = []
        later = []
        for case, fires, series in left:
            if _metrics(series) & _metrics(together):
                later.append((case, fires, series))
                continue
            together |= series
            alerts = [_expected(case)] if fires else []
            asked.append(
                {"alertname": case.alert, "eval_time": "60m", "exp_alerts": alerts}
            )
        left = later
        yield {
            "interval": "1m",
            "input_series": [
                {"series": name, "values": values} for name, values in together.items()
            ],
            "alert_rule_test": asked,
        }


def _metrics(series: Series) -> set[str]:
    return {name.partition("{")[0] for name in series}


def test_every_alert_fires_when_it_must_and_keeps_silent_when_it_must(
    tmp_path: Path,
) -> None:
    assert sorted(case.alert for case in CASES) == sorted(ALERTS)
    document = {
        "rule_files": [str(file) for file in FILES],
        "evaluation_interval": "1m",
        "tests": [*_hours()],
    }
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(document))

    promtool("test", "rules", "tests.yaml", cwd=tmp_path)


def test_every_case_has_something_that_is_silent() -> None:
    assert all(case.silent for case in CASES)


def test_every_alert_has_its_page_in_the_runbook_and_no_other_has() -> None:
    text = RUNBOOK.read_text(encoding="utf-8")
    sections = re.findall(
        r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )

    assert [name for name, _ in sections] == list(ALERTS)
    for name, section in sections:
        for part in ("**Means.**", "**Look.**", "**Do.**"):
            assert section.count(part) == 1, name
    for name, rule in ALERTS.items():
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["description"].endswith(".")
        url = rule["annotations"]["runbook_url"]
        assert url == f"docs/runbook.md#{name.lower()}"
