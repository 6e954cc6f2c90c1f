"""Command lines that no test runs, by how they begin, each with its reason. Their form is checked all the same."""

from __future__ import annotations

from tests.documents.commands import strip_environment

NOT_RUN = {
    "pip install": "downloads; what it names is one of the extras of pyproject.toml",
    "pipx install ./triage_bot-": "installs for the person; tests/scripts/test_deployment.py does it in a bare root",
    "pipx run pre-commit install": "downloads, and changes the person's clone",
    "VENV=": "downloads; tests/scripts/test_deployment.py does it in a bare root",
    "python -c": "an example of what a declared command may not be",
    "apt install": "changes the machine",
    "docker compose": "needs a daemon of Docker; tests/scripts/test_deployment.py does the steps of the image without",
    "docker inspect": "what checks of services run: tests/adapters/checks",
    "systemctl show": "what checks of services run: tests/adapters/checks",
    "systemctl": "needs a machine with systemd; scripts/check_deployment.py verifies the unit",
    "sudo": "needs root",
    "git pull": "needs the remote of the person's clone",
    "git tag -s": "signs with the key of a person",
    "chmod": "needs the folders of a machine; tests/wiring has the permissions that a start wants",
    ".ci/run": "runs all tests in a clean checkout",
    "make test": "the tests themselves",
    "make test-long": "the tests themselves",
    "make check": "the other half of what must pass",
    "make check-coverage": "runs a part of the tests again",
    "make mutate": "takes hours",
    "make torture": "takes minutes; tests/torture has its parts",
    "make bench": "measures for minutes",
    "make battery": "takes minutes; tests/agents/test_battery.py has a part",
    "make attack": "takes minutes; tests/attack has its parts",
    "make escalation": "runs for minutes; tests/line/test_escalation_demo.py",
    "make train": "trains for minutes",
    "make demo": "`triage demo`, which is run",
    "make format": "writes to the clone",
    "make lock": "downloads",
    "make release": "builds for a minute; tests/scripts/test_release.py and tests/cli/test_wheel.py",
    "python -m measure.": "measures for minutes",
}
"""Beginnings of command lines, and why no test runs them."""


def find_row(text: str) -> str:
    """Return the row of a line, the longest one that fits; empty if it has none."""
    text = strip_environment(text)
    fitting = [row for row in NOT_RUN if text == row or text.startswith(_beginnings(row))]
    return max(fitting, key=len, default="")


def _beginnings(row: str) -> tuple[str, ...]:
    return (row,) if row[-1] in ".-=" else (f"{row} ", f"{row}\n")
