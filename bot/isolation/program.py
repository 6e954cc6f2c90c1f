"""Programs named in the settings: path, and the files that they need to start."""

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
    """Program with its arguments, the files of its installation, and its PATH."""

    command: tuple[str, ...]
    reads: tuple[Path, ...]
    path: str
    """PATH of the program: its own folder before the system's."""


def locate_program(command: Sequence[str]) -> Program:
    """Find the program that `command` names, as a shell would; blocking. Raises `FileNotFoundError`.

    It may read its own installation, and the files and folders named by its arguments.
    """
    name, *arguments = command
    executable = shutil.which(name)
    if executable is None:
        raise FileNotFoundError(2, "there is no such program", name)
    path = Path(executable).absolute()
    argument_paths = [Path(argument).absolute() for argument in arguments if _is_there(argument)]
    own = [each for place in dict.fromkeys((path, path.resolve())) for each in _installation(place)]
    reads = (*own, *(each for place in argument_paths for each in (place, place.resolve())))
    return Program((str(path), *arguments), tuple(dict.fromkeys(reads)), f"{path.parent}:{PATH}")


def _installation(program: Path) -> list[Path]:
    """Return the installation folder of a program; the file alone if that folder is shared with everything else."""
    if program.parent.name != "bin":
        return [program]
    prefix = program.parent.parent
    if (prefix / _ENVIRONMENT).is_file():
        base = _value(prefix / _ENVIRONMENT, "home")
        return [prefix, *([base.parent] if base and base.name == "bin" and not _is_everything(base.parent) else [])]
    return [program] if _is_everything(prefix) else [prefix]


def _is_everything(prefix: Path) -> bool:
    """Return whether a folder is shared: this user's home, its `.local`, a system folder, or a parent of one."""
    home = Path.home()
    return any(other.is_relative_to(prefix) for other in (home, home / ".local", Path("/usr/local"), Path("/opt")))


def _value(file: Path, key: str) -> Path | None:
    """Return a path from `pyvenv.cfg`."""
    for line in file.read_text(errors="replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == key:
            return Path(value.strip())
    return None


def _is_there(argument: str) -> bool:
    """Return whether an argument names a file or folder other than the root."""
    try:
        return not argument.startswith("-") and Path(argument).absolute() != Path("/") and Path(argument).exists()
    except (OSError, ValueError):  # a name too long, a NUL
        return False
