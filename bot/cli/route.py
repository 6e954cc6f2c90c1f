"""`triage route TEXT`: show the rule, role, project and folder for a question."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.cli.offline_storage import open_offline_storage
from bot.cli.options import add_config, add_home
from bot.config.paths import config_path, home_path
from bot.config.settings import load
from bot.decide.retrieval.normalised_question import normaliser
from bot.errors import Misconfigured
from bot.tools.trees import pin_tree
from bot.triage.created_projects import load_projects

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.models.route import Route
    from bot.triage.projects import Projects


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage route`."""
    parser.add_argument("text", metavar="TEXT", help="a question, as users would write it")
    parser.add_argument("--channel", default="", metavar="ID", help="id of the channel that it is asked in")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_config(parser)
    add_home(parser)


def main(options: argparse.Namespace) -> int:
    """Print the route, by the settings and by the projects that commands created in the home."""
    home = home_path(options.home)
    settings = load(config_path(options.config), home)
    projects = asyncio.run(_load_projects(settings, home))
    route = projects.route(options.text, options.channel) or asyncio.run(
        _search(settings, home, projects, options.text)
    )
    if route is None:
        raise Misconfigured("no project: `projects` of the settings names none, or all are paused or without code")
    if options.json:
        print(route.model_dump_json(ensure_ascii=True))  # noqa: T201  # the output
        return 0
    where = route.project if route.folder == "." else f"{route.project}/{route.folder}"
    print(f"{route.role_name} ({route.role}) in {where}")  # noqa: T201  # the output
    print(f"  {route.why}")  # noqa: T201  # the output
    return 0


async def _load_projects(settings: Settings, home: Path) -> Projects:
    async with open_offline_storage(settings, home) as storage:
        projects, _ = await load_projects(settings, home, storage.json_file("projects"))
        return projects


async def _search(settings: Settings, home: Path, projects: Projects, text: str) -> Route | None:
    """Search all projects that are not paused, as the bot does for a question without rules."""
    from bot.agents.keyword import KeywordEngine
    from bot.agents.project_choice import choose_project
    from bot.agents.project_search import begin_searching

    begin_searching(home, settings.security.isolation)
    known = [pin_tree(project) for project in projects.open() if project.root.is_dir()]
    asks = normaliser((), tuple(settings.classifier.question_keywords)).normalise(text)
    return await choose_project(KeywordEngine(), text, asks, known)
