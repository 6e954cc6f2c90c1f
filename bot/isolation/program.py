"""A program of the settings as it lies on this machine: its path, and the files that it needs to start."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.isolation.machine import PATH

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENVIRONMENT = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its arguments: where it lies, what it reads of its own, and where it finds others."""

    command: tuple[str, ...]
    reads: tuple[Path, ...]
    path: str
    """The folders of programs: its own before the system's."""


def located(command: Sequence[str]) -> Program:
    """The program that `command` names, found as a shell would; blocking. Raises `FileNotFoundError`.

    It reads its own installation, and the files and folders that its arguments name.
    """
    name, *arguments = command
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(2, "there is no such program", name)
    path = Path(found).absolute()
    given = [Path(argument).absolute() for argument in arguments if _is_there(argument)]
    own = [each for place in dict.fromkeys((path, path.resolve())) for each in _installation(place)]
    reads = (*own, *(each for place in given for each in (place, place.resolve())))
    return Program((str(path), *arguments), tuple(dict.fromkeys(reads)), f"{path.parent}:{PATH}")


def _installation(program: Path) -> list[Path]:
    """The folder that a program was installed into; the file alone where that is a folder of everything."""
    if program.parent.name != "bin":
        return [program]
    prefix = program.parent.parent
    if (prefix / _ENVIRONMENT).is_file():
        base = _value(prefix / _ENVIRONMENT, "home")
        return [prefix, *([base.parent] if base and base.name == "bin" and not _is_everything(base.parent) else [])]
    return [program] if _is_everything(prefix) else [prefix]


def _is_everything(prefix: Path) -> bool:
    """Return whether much else lies there: this user's home, its `.local`, a folder of the system, or what holds
    one."""
    home = Path.home()
    return any(other.is_relative_to(prefix) for other in (home, home / ".local", Path("/usr/local"), Path("/opt")))


def _value(file: Path, key: str) -> Path | None:
    """A path that `pyvenv.cfg` gives."""
    for line in file.read_text(errors="replace").splitlines():
        name, _, said = line.partition("=")
        if name.strip() == key:
            return Path(said.strip())
    return None


def _is_there(argument: str) -> bool:
    """Return whether an argument names a file or folder; the root itself is none that a program is given."""
    try:
        return not argument.startswith("-") and Path(argument).absolute() != Path("/") and Path(argument).exists()
    except (OSError, ValueError):  # a name too long, a NUL
        return False
