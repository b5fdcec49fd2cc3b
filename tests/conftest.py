"""What holds for every test: no deadlines, and no silent skip where all must run."""

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

EVERYTHING_MUST_RUN = os.environ.get("CI") == "true"

# How long an example takes says nothing about what is tested.
settings.register_profile(
    "ginref",
    deadline=None,
    derandomize=EVERYTHING_MUST_RUN,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ginref")


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if EVERYTHING_MUST_RUN and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"CI runs every test, this one was skipped: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Fail a test that skipped itself."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[
    None, pytest.CollectReport, pytest.CollectReport
]:
    """Fail a file that skipped itself."""
    report = yield
    _refuse_skip(report)
    return report
