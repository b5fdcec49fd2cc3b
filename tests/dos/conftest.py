"""A line about each flood at the end."""

import pytest

LINES = pytest.StashKey[list[str]]()


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> list[str]:
    """Lines that are shown at the end of all tests."""
    return request.config.stash.setdefault(LINES, [])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show what floods have come to."""
    lines = config.stash.get(LINES, [])
    if lines:
        terminalreporter.section("floods")
    for line in lines:
        terminalreporter.write_line(line)
