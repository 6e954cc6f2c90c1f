"""`triage doctor`: check everything that the bot needs before it can work."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.cli.doctor_check import DoctorCheck
from bot.cli.doctor_database import check_database
from bot.cli.doctor_fixes import check_fixes
from bot.cli.doctor_forges import check_forges
from bot.cli.doctor_health import check_health
from bot.cli.doctor_home import check_home, check_machine, check_team
from bot.cli.doctor_isolation import check_isolation
from bot.cli.doctor_program import check_program
from bot.cli.doctor_programs import check_programs
from bot.cli.doctor_projects import check_code, check_commits, check_created_projects
from bot.cli.doctor_slack import check_slack
from bot.cli.doctor_tiers import check_tiers
from bot.cli.options import add_config, add_env_file, add_home
from bot.cli.progress import Activity
from bot.cli.terminal_style import find_width, paint
from bot.cli.terminal_text import wrap
from bot.config.env_file import load_env_file
from bot.config.environment import Environment, read_valid_environment
from bot.config.paths import DEFAULT_HOME, config_path, home_path
from bot.config.settings import Settings, load
from bot.errors import Misconfigured, TriageError
from bot.models.visible import clean
from bot.wiring.storage import open_storage

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Iterator

    from bot.cli.terminal_style import Meaning
    from bot.ports.storage import Storage

_MARKS: dict[bool | None, tuple[str, Meaning]] = {
    True: ("ok   ", "good"),
    False: ("WRONG", "bad"),
    None: ("note ", "caution"),
}
_OF_HOME = ("home", "state", "watcher", "disk")
"""Checks that say nothing where there is no home."""
_INDENT = " " * 7
"""Column of the text after a mark."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage doctor`."""
    add_config(parser)
    add_home(parser)
    add_env_file(parser)
    parser.add_argument(
        "--post", metavar="CHANNEL", help="post a test message in this channel (an id such as C0123ABCD)"
    )
    parser.add_argument(
        "--running", "--watch", action="store_true", help="also report a stopped bot as wrong; for monitors"
    )
    parser.add_argument(
        "--model",
        action="store_true",
        help="ask the models of the settings a few short questions, instead of the other checks; costs a few cents",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def main(options: argparse.Namespace) -> int:
    """Print the report; return 1 when a check failed, 130 after Ctrl-C."""
    logging.getLogger("bot").addHandler(logging.NullHandler())  # the report says it all
    checks: list[DoctorCheck] = []
    is_interrupted = False
    try:
        with nullcontext() if options.model else Activity(sys.stderr, "Checking"):  # models have their bar
            asyncio.run(_collect_checks(options, checks))
    except KeyboardInterrupt:
        is_interrupted = True
        checks.append(DoctorCheck("doctor", False, "interrupted; the report is not complete"))
    well = all(check.ok is not False for check in checks)
    if options.json:
        _say(json.dumps({"ok": well, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        for check in checks:
            for line in format_check(check, find_width(sys.stdout)):
                _say(line)
    return 130 if is_interrupted else 0 if well else 1


async def _collect_checks(options: argparse.Namespace, checks: list[DoctorCheck]) -> None:
    """Add the checks to `checks`; drop repeated findings of the same fault."""
    async for check in _checks(options):
        if options.model or check.ok is not False or check.detail not in [each.detail for each in checks]:
            checks.append(check)


async def _checks(options: argparse.Namespace) -> AsyncIterator[DoctorCheck]:
    for check in (*check_program(), *_env_file(options)):
        yield check
    env, problems = read_valid_environment()
    for problem in problems:
        yield DoctorCheck("environment", False, problem)
    if options.model:
        from bot.cli.doctor_model import check_configured_models

        asked = check_configured_models(config_path(options.config), home_path(options.home), env)
        async for check in _run_part("model", asked):
            yield check
        return
    settings = None
    async for check, loaded in _settings(options, env):
        settings = loaded or settings
        yield check
    async for check in _shared_checks(options, settings, env):
        if not any(problem.startswith(f"{check.name}:") for problem in problems):
            yield check


async def _shared_checks(
    options: argparse.Namespace, settings: Settings | None, env: Environment
) -> AsyncIterator[DoctorCheck]:
    """Make the checks that need no more than the settings, then those that read the shared state."""
    parts = _list_parts(settings, env) if settings else {}
    for name, part in parts.items():
        async for check in _run_part(name, part):
            yield check
    async for check in _run_part("storage", _check_state(options, settings, env)):
        yield check


def _list_parts(settings: Settings, env: Environment) -> dict[str, AsyncIterator[DoctorCheck]]:
    parts = {
        "engine": _engine(settings, env),
        "mcp": _mcp(settings),
        "health": check_health(settings, env),
        "programs": check_programs(settings),
        "forges": check_forges(settings),
        "fixes": check_fixes(settings),
    }
    return parts | ({"database": check_database(env)} if settings.storage == "postgresql" else {})


async def _check_state(
    options: argparse.Namespace, settings: Settings | None, env: Environment
) -> AsyncIterator[DoctorCheck]:
    try:
        home = home_path(options.home)
    except Misconfigured:  # told with the settings: what needs no home is checked beside an empty one
        with tempfile.TemporaryDirectory(prefix="triage-doctor-") as empty:
            async for check in _check_parts(options, settings, env, Path(empty)):
                if check.name not in _OF_HOME:
                    yield check
        return
    async for check in _check_parts(options, settings, env, home):
        yield check


async def _check_parts(
    options: argparse.Namespace, settings: Settings | None, env: Environment, path: Path
) -> AsyncIterator[DoctorCheck]:
    async with open_storage(settings or Settings(), env, path) as storage:
        parts = {
            "slack": check_slack(settings, env, path, storage, post=options.post),
            "home": _check_home(options, settings, storage, path),
            "projects": check_created_projects(path, storage, settings),
            "team": check_team(path, storage, settings),
        }
        for name, part in parts.items():
            async for check in _run_part(name, part):
                yield check


def _env_file(options: argparse.Namespace) -> Iterator[DoctorCheck]:
    """Load the file of variables; other users of the machine must not be able to read it."""
    try:
        path = load_env_file(options.env_file, config_path(options.config))
    except Misconfigured as problem:
        yield DoctorCheck("env file", False, f"{problem}; nothing of it is read until then")
        return
    if path is None or not path.is_file():
        return
    is_open = path.stat().st_mode & 0o077
    yield DoctorCheck("env file", not is_open, f"{path}: others may open it; chmod 600 it" if is_open else str(path))


async def _run_part(name: str, part: AsyncIterator[DoctorCheck]) -> AsyncIterator[DoctorCheck]:
    """Yield the checks of one part; an error becomes a failed check, and the report continues."""
    try:
        async for check in part:
            yield check
    except (TriageError, OSError) as problem:
        yield DoctorCheck(name, False, str(problem))


async def _check_home(
    options: argparse.Namespace, settings: Settings | None, storage: Storage, path: Path
) -> AsyncIterator[DoctorCheck]:
    """Check the home and the machine."""
    zone = ZoneInfo(settings.timezone if settings else "UTC")
    async for check in _run_part("home", check_home(path, storage, zone)):
        yield _require_running(check) if options.running else check
    for check in await asyncio.to_thread(check_machine, path):
        yield check


def _require_running(check: DoctorCheck) -> DoctorCheck:
    """Turn a note about a stopped bot into a failed check."""
    dead = check.name in ("watcher", "home") and check.ok is None
    return DoctorCheck(check.name, False, check.detail) if dead else check


async def _settings(
    options: argparse.Namespace, env: Environment
) -> AsyncIterator[tuple[DoctorCheck, Settings | None]]:
    from bot.config.settings_checks import idle_rules, lacks_second, odd_reach, ready_to_run

    path = config_path(options.config)
    try:
        home = home_path(options.home)
    except Misconfigured as problem:
        yield DoctorCheck("home", False, str(problem)), None
        home = DEFAULT_HOME.expanduser()  # a wrong home hides no wrong setting
    try:
        settings = load(path, home, max_complaints=None)
        yield DoctorCheck("settings", True, str(path)), settings
        yield await asyncio.to_thread(check_isolation, settings.security.isolation), settings
        for idle in idle_rules(settings):
            yield DoctorCheck("routing", None, idle), settings
        for odd in await asyncio.to_thread(odd_reach, settings):
            yield DoctorCheck("projects_below", None, odd), settings
        ready_to_run(settings, path)
        if few := lacks_second(settings):
            yield DoctorCheck("second approver", None, few), settings
    except TriageError as problem:
        for line in str(problem).splitlines():
            yield DoctorCheck("settings", False, line), None


async def _engine(settings: Settings, env: Environment) -> AsyncIterator[DoctorCheck]:
    from bot.config.settings_checks import chat_readiness, model_is_usable
    from bot.tools.search import ripgrep

    if warning := model_is_usable(settings, env):
        yield DoctorCheck("model", False, warning)
    yield DoctorCheck("chat", *chat_readiness(settings, env))
    try:
        yield DoctorCheck("engine", True, f"{settings.engine}; ripgrep at {ripgrep()}")
    except TriageError as problem:
        yield DoctorCheck("engine", False, str(problem))
    for tier in check_tiers(settings, env):
        yield tier
    for project in settings.project_list:
        yield await asyncio.to_thread(check_code, project, ZoneInfo(settings.timezone))
        if check := await check_commits(project):
            yield check


async def _mcp(settings: Settings) -> AsyncIterator[DoctorCheck]:
    """Start each MCP server and list its tools; call none of them."""
    from bot.wiring.engines import build_mcp_servers

    try:
        servers = build_mcp_servers(settings.mcp, os.environ)
    except TriageError as problem:
        yield DoctorCheck("mcp", False, str(problem))
        return
    for server in servers:
        try:
            offered = await server.list_tools()
        except TriageError as problem:
            yield DoctorCheck(f"mcp {server.name}", False, str(problem))
        else:
            named = ", ".join(tool.name for tool in offered.tools) or "no tool"
            detail = "; ".join(offered.problems) or f"offers {named}"
            yield DoctorCheck(
                f"mcp {server.name}", not offered.problems, "; ".join(filter(None, (detail, server.reach)))
            )
        finally:
            await server.stop()


def format_check(check: DoctorCheck, width: int | None) -> list[str]:
    """Format a check as lines for a terminal of this width; `None` is one line, as in a pipe."""
    mark, meaning = _MARKS[check.ok]
    text = f"{check.name}: {clean(check.detail)}"
    first, *further = wrap(text, width - len(_INDENT), breaks=False) if width else (text,)
    return [f"{paint(mark, meaning, sys.stdout)}  {first}", *(f"{_INDENT}{line}" for line in further)]


def _say(line: str) -> None:
    print(line, file=sys.stdout)  # noqa: T201  # command-line output
