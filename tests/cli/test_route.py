"""`triage route` as an operator uses it, in a separate process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.forks import triage

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

SETTINGS = """\
projects: {portal: {root: ./portal}, api: {root: ./api}}
routing: {default: dev, rules: [{pattern: ^ui, role: dev, cwd: ./portal}]}
"""
ROLE = "---\nname: dev\ndisplayName: Dev\ncategory: coding\ncwd: ./api\n---\nYou know both.\n"


def route(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with the settings of a folder."""
    return triage("route", "--config", str(folder / "triage.yml"), "--home", str(folder / "home"), *arguments)


def test_a_text_is_shown_its_rule(tmp_path: Path) -> None:
    """For people and as JSON."""
    for folder in ("portal", "api", "roles"):
        (tmp_path / folder).mkdir()
    (tmp_path / "roles" / "dev.md").write_text(ROLE)
    (tmp_path / "triage.yml").write_text(SETTINGS)
    assert route(tmp_path, "UI is slow").stdout == "Dev (dev) in portal\n  rule 1, ^ui; project by the rule's cwd\n"
    made = json.loads(route(tmp_path, "--json", "anything").stdout)
    assert (made["role"], made["project"], made["rule"]) == ("dev", "api", None)


UNRULED = """\
projects:
  portal: {root: ./portal, description: The web site of the customers}
  api: {root: ./api}
watched_chats: [{chat_id: C0API, project: api}]
"""


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("how often is a payment tried again?",), "portal\n  project by the best match of its words: payments.py:1\n"),
        (
            ("hi all! what is PING_SECONDS? thanks",),
            "api\n  project by the best match of its words: ping.py:1\n",
        ),
        (("is the api slow today?",), "api\n  project by its name in the message\n"),
        (("where is payment? project:api",), "api\n  project by its name in the message\n"),
        (("where is payment?", "--channel", "C0API"), "api\n  project by the channel\n"),
        (
            ("what do customers see?",),
            "portal\n  project by the words in its files, name and description, since no place answers the question\n",
        ),
    ],
)
def test_without_rules_the_best_match_is_shown(tmp_path: Path, words: tuple[str, ...], shown: str) -> None:
    """As the bot would choose it, with the reason."""
    for folder, name, text in (
        ("portal", "payments.py", "PAYMENT_TRIES = 3  # how often a payment is tried again\n"),
        ("api", "ping.py", "PING_SECONDS = 20  # what the probes wait for\n"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
    (tmp_path / "triage.yml").write_text(UNRULED)
    found = route(tmp_path, *words)
    assert (found.stdout, found.stderr, found.returncode) == (f"Investigator (investigator) in {shown}", "", 0)


def test_the_only_project_needs_no_search_and_none_is_an_error(tmp_path: Path) -> None:
    """As JSON it is a route like any other; without a project the next step is named."""
    (tmp_path / "api").mkdir()
    (tmp_path / "triage.yml").write_text("projects: {api: {root: ./api}}\n")
    made = json.loads(route(tmp_path, "anything", "--json").stdout)
    assert (made["project"], made["role"], made["why"]) == ("api", "investigator", "project by the only one")
    (tmp_path / "triage.yml").write_text("operators: [U0OPS]\n")
    none = route(tmp_path, "anything")
    assert (none.returncode, none.stdout) == (2, "")
    assert "`projects` of the settings names none" in none.stderr
