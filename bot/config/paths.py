"""Paths of settings and state: the command-line option, else the environment, else the default.

Separate from `bot/config/environment.py`, so that a command which needs no secret reads none.
"""

from __future__ import annotations

import os
from pathlib import Path

from bot.errors import Misconfigured

DEFAULT_CONFIG = Path("triage.yml")
DEFAULT_HOME = Path("~/.triage")


def named_config(option: Path | None) -> Path | None:
    """Return the named settings file: the option, else `TRIAGE_CONFIG`, else `None`."""
    return option or _read_path_variable("TRIAGE_CONFIG")


def config_path(option: Path | None) -> Path:
    """Return the settings file; `triage.yml` in the current folder when none is named."""
    return named_config(option) or DEFAULT_CONFIG


def home_path(option: Path | None, default: Path = DEFAULT_HOME) -> Path:
    """Return the folder of the state: the option, else `TRIAGE_HOME`, else `default`. Raises `Misconfigured`."""
    named = option or _read_path_variable("TRIAGE_HOME") or default
    try:
        return named.expanduser().absolute()
    except RuntimeError:
        raise Misconfigured(f"{named}: expected the home of a user of this machine") from None


def _read_path_variable(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value) if value else None
