"""The files of a program that the settings name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bot.isolation.program import locate_program


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with programs of every kind."""
    home = tmp_path / "home"
    for name in (
        *("bin/own", ".local/bin/plain", "tool/server", "venv/bin/python", "nvm/v20/bin/node", "py/3.12/bin/python3"),
        *(".local/share/pipx/venvs/logs/bin/logs", "data/notes.md"),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("#!/bin/sh\n")
        (home / name).chmod(0o755)
    (home / "venv" / "pyvenv.cfg").write_text(f"home = {home}/py/3.12/bin\nversion = 3.12\n")
    (home / ".local" / "share" / "pipx" / "venvs" / "logs" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (home / ".local" / "bin" / "logs").symlink_to(home / ".local/share/pipx/venvs/logs/bin/logs")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/.local/bin:{os.defpath}")
    return home


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("{home}/bin/own", ["bin/own"]),
        ("plain", [".local/bin/plain"]),
        ("{home}/tool/server", ["tool/server"]),
        ("{home}/venv/bin/python -m logs", ["venv", "py/3.12"]),
        ("{home}/nvm/v20/bin/node --flag", ["nvm/v20"]),
        ("logs", [".local/bin/logs", ".local/share/pipx/venvs/logs"]),
        ("{home}/tool/server {home}/data --config={home}/bin", ["tool/server", "data"]),
        ("{home}/tool/server / -", ["tool/server"]),
    ],
)
def test_a_program_reads_its_own_installation(home: Path, command: str, reads: list[str]) -> None:
    """And what its arguments name; never the home, nor its `.local`, for a program that lies in there."""
    program = locate_program(command.replace("{home}", str(home)).split())
    assert list(program.reads) == [home / path for path in reads]
    assert program.path.split(":")[0] == str(Path(program.command[0]).parent)


def test_a_program_that_is_not_there_is_named(home: Path) -> None:
    """As the settings have it."""
    with pytest.raises(FileNotFoundError) as failed:
        locate_program(("nowhere-to-be-found", "x"))
    assert failed.value.filename == "nowhere-to-be-found"
