"""Options shared by several commands."""

from __future__ import annotations

import argparse
from ipaddress import ip_address
from pathlib import Path

from bot.errors import Misconfigured
from bot.models.address import ListenAddress

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


def listen_address(text: str) -> ListenAddress:
    """Parse `PORT`, which is one of 127.0.0.1, or `ADDRESS:PORT` with an IP address, `[…]` around one of IPv6."""
    host, colon, port = text.rpartition(":")
    if not colon:
        return ListenAddress(port_number(text))
    is_bracketed = host.startswith("[") and host.endswith("]")
    try:
        address = ip_address(host[1:-1] if is_bracketed else host)
    except ValueError:
        raise argparse.ArgumentTypeError("expected PORT, or ADDRESS:PORT with an IP address of this machine") from None
    if (address.version == 6) != is_bracketed:
        raise argparse.ArgumentTypeError("expected an IPv6 address in brackets, such as [::1]:9090")
    return ListenAddress(port_number(port), str(address))


def ip_of_machine(text: str) -> str:
    """Parse an IP address, such as `0.0.0.0` for all of this machine."""
    try:
        return str(ip_address(text))
    except ValueError:
        raise argparse.ArgumentTypeError("expected an IP address of this machine, without a port") from None


def http_address(options: argparse.Namespace) -> ListenAddress | None:
    """Return where `--http` listens; `None` for Socket Mode. Raises `Misconfigured` for `--bind` without it."""
    if options.http is not None:
        return ListenAddress(options.http, options.bind) if options.bind else ListenAddress(options.http)
    if options.bind:
        raise Misconfigured("--bind: only --http listens for Slack; --health-port takes an ADDRESS of its own")
    return None
