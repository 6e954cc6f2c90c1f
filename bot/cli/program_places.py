"""Places of programs that the settings name, and the reason why one cannot be started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.config.settings import Settings


def find_program_fault(program: str, path: str | None = None) -> str:
    """Return the reason why a program cannot be started, as a clause; empty if it can. `path` is the bot's `PATH`."""
    if shutil.which(program, path=path):
        return ""
    folders = [""] if "/" in program else (path or os.environ.get("PATH", os.defpath)).split(os.pathsep)
    places = [place for folder in folders if (place := Path(folder, program)).exists()]
    if not places:
        return "there is no such file" if "/" in program else "expected a program in the PATH of the bot"
    if places[0].is_dir():
        return f"{places[0]} is a folder"
    return f"{places[0]} is not executable: `chmod +x` allows it"


def list_lost_programs(settings: Settings) -> Iterator[str]:
    """Yield the programs of the settings that cannot be started, each with its key, its use and the reason."""
    programs = [
        (settings.format_key("runbooks", number, "argv"), runbook.argv[0], ", ".join(runbook.services))
        for number, runbook in enumerate(settings.runbooks)
    ]
    programs += [
        (settings.format_key("commands", number, "argv"), command.argv[0], "run_command")
        for number, command in enumerate(settings.commands)
    ]
    programs += [
        (settings.format_key("projects", name, "check", "argv"), project.check.argv[0], f"the check of {name}")
        for name, project in settings.projects.items()
        if project.check
    ]
    for key, program, use in programs:
        if fault := find_program_fault(program):
            yield f"{key}: {program}, for {use}, cannot be started: {fault}"
