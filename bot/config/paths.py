"""Where settings and state lie: what the command line says, else the environment, else the usual place.

Apart from `bot/config/environment.py`, so that a command which needs no secret starts without reading any.
"""

from __future__ import annotations

import os
from pathlib import Path

from bot.errors import Misconfigured

DEFAULT_CONFIG = Path("triage.yml")
DEFAULT_HOME = Path("~/.triage")


def named_config(option: Path | None) -> Path | None:
    """The settings file that somebody named: the option, else `TRIAGE_CONFIG`."""
    return option or _named("TRIAGE_CONFIG")


def config_path(option: Path | None) -> Path:
    """Where the settings file is; `triage.yml` here when nobody named one."""
    return named_config(option) or DEFAULT_CONFIG


def home_path(option: Path | None, default: Path = DEFAULT_HOME) -> Path:
    """Where the state lies: the option, else `TRIAGE_HOME`, else `default`. Raises `Misconfigured`."""
    named = option or _named("TRIAGE_HOME") or default
    try:
        return named.expanduser().absolute()
    except RuntimeError:
        raise Misconfigured(f"{named}: expected the home of somebody who is known here") from None


def _named(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value) if value else None
