"""`triage route TEXT`: show the rule, role, project and folder for a question."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.adapters.json_file import DiskJsonFile
from bot.cli.options import add_config, add_home
from bot.config.paths import config_path, home_path
from bot.config.settings import load
from bot.triage.created_projects import FILE, load_projects

if TYPE_CHECKING:
    import argparse

_BY_WORDS = "The question goes to the project that fits its words best: see docs/projects.md."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage route`."""
    parser.add_argument("text", metavar="TEXT", help="a question, as users would write it")
    parser.add_argument("--channel", default="", metavar="ID", help="id of the channel that it is asked in")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_config(parser)
    add_home(parser)


def main(options: argparse.Namespace) -> int:
    """Print the route, by the settings and by the projects that commands created in the home."""
    path, home = config_path(options.config), home_path(options.home)
    settings = load(path, home)
    projects, _ = asyncio.run(load_projects(settings, home, DiskJsonFile(home / FILE)))
    route = projects.route(options.text, options.channel)
    if route is None:
        output = "null" if options.json else f"no rule and no role: {path} has no `routing`. {_BY_WORDS}"
        print(output)  # noqa: T201  # the output
        return 0
    if options.json:
        print(route.model_dump_json(ensure_ascii=True))  # noqa: T201  # the output
        return 0
    where = route.project if route.folder == "." else f"{route.project}/{route.folder}"
    print(f"{route.role_name} ({route.role}) in {where}")  # noqa: T201  # the output
    print(f"  {route.why}")  # noqa: T201  # the output
    return 0
