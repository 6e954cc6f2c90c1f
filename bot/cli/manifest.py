"""`triage manifest`: print the app's manifest for Slack, with the scopes that the settings need."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bot.cli.options import add_config
from bot.cli.shipped_files import shipped_file
from bot.config.app_scopes import NEEDED_SCOPES, OPTIONAL_SCOPES, needed_scopes, useful_scopes
from bot.config.paths import config_path, named_config
from bot.config.settings import load
from bot.decide.app_manifest import EVENTS_PATH, fit_manifest, request_url_of

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "manifest.yml"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage manifest`."""
    add_config(parser)
    parser.add_argument(
        "--http",
        type=_parse_address,
        metavar="URL",
        help=f"for HTTP instead of Socket Mode: the public https address, with {EVENTS_PATH} unless it has a path",
    )
    parser.epilog = "Paste it at api.slack.com/apps: Create New App, From a manifest; or under App Manifest of an app."


def main(options: argparse.Namespace) -> int:
    """Print the manifest; without settings it has the scopes of `manifest.yml`."""
    print(manifest_for(options.config, request_url=options.http or ""), end="")  # noqa: T201  # command-line output
    return 0


def manifest_for(option: Path | None, *, request_url: str = "") -> str:
    """Return the manifest for these settings, which are left out where no file is named and none is there.

    Raises `Misconfigured`.
    """
    path = config_path(option)
    scopes = NEEDED_SCOPES | {*OPTIONAL_SCOPES}
    if named_config(option) or path.exists():
        settings = load(path)
        scopes = needed_scopes(settings) | useful_scopes(settings)
    text = shipped_file(MANIFEST).read_text(encoding="utf-8")
    return fit_manifest(text, scopes, request_url=request_url)


def _parse_address(address: str) -> str:
    if url := request_url_of(address):
        return url
    raise argparse.ArgumentTypeError(
        "expected an https address that Slack can call, such as https://triage.example.com"
    )
