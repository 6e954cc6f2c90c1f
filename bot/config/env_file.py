"""File of variables, `.env` beside the settings: secrets of a start whose environment nobody else sets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dotenv.parser import parse_stream

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = ".env"
_OF_THE_PLACE = ("TRIAGE_CONFIG", "TRIAGE_HOME")
"""Variables that every command reads; only some commands read the file."""


def env_file_path(option: Path | None, config: Path) -> Path:
    """Return the file of variables: the option, else `.env` beside the settings."""
    return option or config.parent / NAME


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of a file of lines `NAME=value`, without substitution of `$NAME`.

    Raises `Misconfigured`, which names the line and repeats no value.
    """
    try:
        with path.open(encoding="utf-8-sig") as stream:  # editors of Windows begin a file with a mark
            bindings = list(parse_stream(stream))
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"{path}: cannot be read ({type(problem).__name__})") from None
    variables: dict[str, str] = {}
    for binding in bindings:
        if binding.error or (binding.key is not None and (binding.value is None or "\0" in binding.value)):
            raise Misconfigured(f"{path}:{binding.original.line}: expected NAME=value")
        if binding.key in _OF_THE_PLACE:
            expected = f"expected {binding.key} in the environment, or --config and --home"
            raise Misconfigured(f"{path}:{binding.original.line}: {expected}")
        if binding.key is not None:
            variables[binding.key] = binding.value or ""
    return variables


def load_env_file(option: Path | None, config: Path) -> Path | None:
    """Add the variables of the file to the environment, and return it; `None` if no file is named and none is there.

    A variable of the environment that is set and not empty takes precedence. Raises `Misconfigured`.
    """
    path = env_file_path(option, config)
    if option is None and not path.exists():
        return None
    add_variables(read_env_file(path))
    return path


def add_variables(variables: Mapping[str, str]) -> None:
    """Add variables to the environment, except those that are set there and not empty."""
    os.environ.update({name: value for name, value in variables.items() if not os.environ.get(name)})
