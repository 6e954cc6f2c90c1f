"""Places of programs that the settings name, and the reason why one cannot be started."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


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
