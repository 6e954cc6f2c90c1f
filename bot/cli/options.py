"""Options that several commands share, and the settings that they lead to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_config(parser: argparse.ArgumentParser) -> None:
    """`--config FILE`."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: $TRIAGE_CONFIG, else triage.yml here)"
    )


def add_home(parser: argparse.ArgumentParser, default: str = "$TRIAGE_HOME, else ~/.triage") -> None:
    """`--home DIR`."""
    parser.add_argument("--home", type=Path, metavar="DIR", help=f"folder of the state (default: {default})")
