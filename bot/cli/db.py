"""`triage db upgrade`: the schema of the database that replicas share."""

from __future__ import annotations

import asyncio
import os
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
  triage db upgrade
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands of `triage db`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    upgrade = actions.add_parser(
        "upgrade",
        help="apply the migrations that the database lacks",
        description="Apply the migrations that the database lacks.",
        formatter_class=parser.formatter_class,
    )
    upgrade.add_argument("--dry-run", action="store_true", help="only list them")
    for action in (upgrade,):
        add_config(action)
        add_env_file(action)
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Run the subcommand; return the exit code."""
    demand_driver()
    load_env_file(options.env_file, config_path(options.config))
    return _upgrade(os.environ.pop(DATABASE_URL, None), really=not options.dry_run)


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
