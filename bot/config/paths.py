"""Paths of settings and state: the command-line option, else the environment, else the default.

Separate from `bot/config/environment.py`, so that a command which needs no secret reads none.
"""

from __future__ import annotations

import os
from pathlib import Path

from bot.errors import Misconfigured
from bot.runtime.home_ownership import others_reason

DEFAULT_CONFIG = Path("triage.yml")
DEFAULT_HOME = Path("~/.triage")
OTHER_HOME = "name another with --home"
"""Next step where a folder cannot be the home."""


def named_config(option: Path | None) -> Path | None:
    """Return the named settings file: the option, else `TRIAGE_CONFIG`, else `None`."""
    return option or _read_path_variable("TRIAGE_CONFIG")


def config_path(option: Path | None) -> Path:
    """Return the settings file; `triage.yml` in the current folder when none is named."""
    return named_config(option) or DEFAULT_CONFIG


def home_path(option: Path | None, default: Path = DEFAULT_HOME) -> Path:
    """Return the folder of the state: the option, else `TRIAGE_HOME`, else `default`.

    Raises `Misconfigured` where no folder can be.
    """
    named = option or _read_path_variable("TRIAGE_HOME") or default
    try:
        path = named.expanduser().absolute()
    except RuntimeError:
        raise Misconfigured(f"{named}: expected the home of a user of this machine; {OTHER_HOME}") from None
    if file := next(filter(_is_no_folder, (path, *path.parents)), None):
        raise Misconfigured(f"{path}: expected a folder for the state, and {file} is none; {OTHER_HOME}")
    return path


def _is_no_folder(path: Path) -> bool:
    """Return whether there is something else at this path, as far as this user may see."""
    try:
        return os.path.lexists(path) and not path.is_dir()
    except PermissionError:
        return False


def demand_home(path: Path) -> None:
    """Raise `Misconfigured` if there is no home at this path."""
    if not path.is_dir():
        raise Misconfigured(f"{path}: there is no home, which the first `triage run` makes; {OTHER_HOME}")
    if reason := others_reason(path):
        raise Misconfigured(reason)


def _read_path_variable(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value) if value else None
