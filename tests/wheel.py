"""The wheel, built once for a test, and its files laid out as an installer does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Protocol

EXPORT = {
    "type": "message",
    "channel": "C0HELP",
    "user": "U0ANA",
    "ts": "1735689600.000100",
    "text": "how do I deploy?",
}

ROOT = Path(__file__).resolve().parents[1]


def build(folder: Path, *, target: str = "wheel") -> Path:
    """Build a wheel or an sdist into this folder; return its path."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)],
        cwd=ROOT,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1767225600"},
        check=True,
        capture_output=True,
    )
    (built,) = folder.iterdir()
    return built


def lay_out(wheel: Path, folder: Path) -> Path:
    """Unpack it; return the folder that takes the place of `site-packages`."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


class Program(Protocol):
    """The installed program: runs a subcommand, which must end with exit code 0, and returns what it printed."""

    def __call__(self, *words: str, stdin: str = "") -> str: ...


def prepare(folder: Path) -> None:
    """Make the folder in which the first commands are given, with a project and a history."""
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "orders.py").write_text("RETRY_LIMIT = 3\n")
    (folder / "events.ndjson").write_text(json.dumps(EXPORT) + "\n")


def give_first_commands(run: Program, home: str, *, is_whole: bool) -> int:
    """Give the first commands of an installation from a prepared folder; return their number."""
    answers = ("--channel", "help-platform", "--operator", "Olu", "--project", "shop")
    said = run("init", "--yes", "--home", home, *answers)
    assert "documents are in" in said, said
    assert json.loads(run("classify", stdin=json.dumps(EXPORT) + "\n"))
    assert run("replay", "events.ndjson")
    if not is_whole:  # each start is a second of computing
        return 3
    assert "local Slack workspace" in run("demo", "--help")
    assert "WRONG" not in (said := run("doctor", "--home", home)), said
    assert "display_information" in run("manifest")
    return 6
