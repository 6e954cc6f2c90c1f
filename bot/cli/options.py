"""Options shared by several commands."""

from __future__ import annotations

import argparse
from pathlib import Path

HIGHEST_PORT = 65_535


def add_config(parser: argparse.ArgumentParser) -> None:
    """Add `--config FILE`."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings file (default: $TRIAGE_CONFIG, else triage.yml here)"
    )


def add_env_file(parser: argparse.ArgumentParser) -> None:
    """Add `--env-file FILE`."""
    parser.add_argument(
        "--env-file",
        type=Path,
        metavar="FILE",
        help="variables, such as tokens (default: .env beside the settings, if any); the environment takes precedence",
    )


def add_home(parser: argparse.ArgumentParser, default: str = "$TRIAGE_HOME, else ~/.triage") -> None:
    """Add `--home DIR`."""
    parser.add_argument("--home", type=_parse_folder, metavar="DIR", help=f"folder of the state (default: {default})")


def _parse_folder(text: str) -> Path:
    """Parse a folder; an empty one would be the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a folder")
    return Path(text)


def port_number(text: str) -> int:
    """Parse a port number; 0 lets the system choose one."""
    if not text.isdecimal() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to {HIGHEST_PORT}")
    return int(text)
