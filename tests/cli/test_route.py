"""`triage route` as an operator uses it, in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = """\
projects: {portal: {root: ./portal}, api: {root: ./api}}
routing: {default: dev, rules: [{pattern: ^ui, role: dev, cwd: ./portal}]}
"""
ROLE = "---\nname: dev\ndisplayName: Dev\ncategory: coding\ncwd: ./api\n---\nYou know both.\n"


def route(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", "route", "--config", str(folder / "triage.yml")]
    command += ["--home", str(folder / "home"), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_text_is_shown_its_rule(tmp_path: Path) -> None:
    """For people and as JSON; without rules it says what is missing."""
    for folder in ("portal", "api", "roles"):
        (tmp_path / folder).mkdir()
    (tmp_path / "roles" / "dev.md").write_text(ROLE)
    (tmp_path / "triage.yml").write_text(SETTINGS)
    assert route(tmp_path, "UI is slow").stdout == "Dev (dev) in portal\n  rule 1, ^ui; project by the rule's cwd\n"
    made = json.loads(route(tmp_path, "--json", "anything").stdout)
    assert (made["role"], made["project"], made["rule"]) == ("dev", "api", None)
    (tmp_path / "triage.yml").write_text("projects: {api: {root: ./api}}\n")
    none = route(tmp_path, "anything")
    assert (none.returncode, none.stderr) == (0, "")
    assert "goes to the project that fits its words best" in none.stdout
