"""`triage db`: the schema of the database that replicas share, and the whole state of a home in and out of it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.options import add_config, add_env_file
from bot.config.env_file import load_env_file
from bot.config.environment import DATABASE_URL
from bot.config.paths import config_path
from bot.wiring.storage import demand_driver

if TYPE_CHECKING:
    import argparse

_EPILOG = """\
The address is in TRIAGE_DATABASE_URL, in the environment or in .env beside the settings, such as
  postgresql://USER:PASSWORD@HOST:5432/NAME
Migrations only go forward: upgrade the database, then the replicas. docs/replicas.md has the whole way.

examples:
  triage db upgrade --dry-run
  triage db import ~/.triage
  triage db export /srv/triage-home
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `triage db`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    given = {
        "upgrade": "apply the migrations that the database lacks",
        "import": "copy the state of a home into an empty database; the bot must be stopped",
        "export": "copy the state of the database into a new home; all replicas must be stopped",
    }
    for name, summary in given.items():
        action = actions.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=parser.formatter_class,
        )
        if name == "upgrade":
            action.add_argument("--dry-run", action="store_true", help="only list them")
        else:
            action.add_argument("home", type=Path, metavar="HOME", help="folder of the state, such as ~/.triage")
        add_config(action)
        add_env_file(action)
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the subcommand; return the exit code."""
    os.umask(0o077)
    demand_driver()
    load_env_file(options.env_file, config_path(options.config))
    address = os.environ.pop(DATABASE_URL, None)
    if options.action == "upgrade":
        return _upgrade(address, really=not options.dry_run)
    from bot.cli.db_transfer import export_home, import_home

    home = options.home.expanduser().absolute()
    for line in import_home(home, address) if options.action == "import" else export_home(home, address):
        _say(line)
    return 0


def _upgrade(address: str | None, *, really: bool) -> int:
    from bot.adapters.postgresql.migrations import migrate

    migrations = asyncio.run(migrate(address, really=really))
    for migration in migrations:
        _say(f"{'applied' if really else 'missing'}  {migration}")
    if not migrations:
        _say("All migrations are applied.")
    return 0


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output
