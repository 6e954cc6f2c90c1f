"""`triage doctor`: check everything that the bot needs before it can work."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from blocks.text import section
from bot.cli.doctor_channels import check_membership, check_queue_channel
from bot.cli.doctor_check import DoctorCheck, failed_check
from bot.cli.doctor_home import check_home, check_machine, check_team
from bot.cli.doctor_isolation import check_isolation
from bot.cli.doctor_people import check_people
from bot.cli.doctor_projects import check_code, check_commits, check_created_projects
from bot.cli.doctor_tiers import check_tiers
from bot.cli.options import add_config, add_home
from bot.config.environment import Environment, read_valid_environment
from bot.config.paths import config_path, home_path
from bot.decide.classify.channel_purpose import purpose_of
from bot.errors import TriageError
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Awaitable

    from bot.adapters.slack import SlackChat
    from bot.config.settings import Settings

NEEDED_SCOPES = frozenset(
    {
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "groups:history",
        "groups:read",
        "im:history",
        "im:write",
        "reactions:read",
        "reactions:write",
        "usergroups:read",
        "users:read",
    }
)
"""Scopes of `manifest.yml`; `make check` compares the two."""
FILES_SCOPE = "files:read"
"""Scope that `slack.read_files` needs; commented out in `manifest.yml`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage doctor`."""
    add_config(parser)
    add_home(parser)
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
        asyncio.run(_collect_checks(options, checks))
    except KeyboardInterrupt:
        is_interrupted = True
        checks.append(DoctorCheck("doctor", False, "interrupted; the report is not complete"))
    well = all(check.ok is not False for check in checks)
    if options.json:
        _say(json.dumps({"ok": well, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        for check in checks:
            mark = {True: "ok   ", False: "WRONG", None: "note "}[check.ok]
            _say(f"{mark}  {check.name}: {check.detail}")
    return 130 if is_interrupted else 0 if well else 1


async def _collect_checks(options: argparse.Namespace, checks: list[DoctorCheck]) -> None:
    """Add the checks to `checks`; drop repeated findings of the same fault."""
    async for check in _checks(options):
        if options.model or check.ok is not False or check.detail not in [each.detail for each in checks]:
            checks.append(check)


async def _checks(options: argparse.Namespace) -> AsyncIterator[DoctorCheck]:
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
    path = home_path(options.home)
    parts = {"slack": _slack(settings, env, post=options.post), "home": _check_home(options, settings)}
    parts |= {"projects": check_created_projects(path, settings), "team": check_team(path, settings)}
    if settings is not None:
        parts = {"engine": _engine(settings, env), "mcp": _mcp(settings), **parts}
    for name, part in parts.items():
        async for check in _run_part(name, part):
            if not any(problem.startswith(f"{check.name}:") for problem in problems):
                yield check


async def _run_part(name: str, part: AsyncIterator[DoctorCheck]) -> AsyncIterator[DoctorCheck]:
    """Yield the checks of one part; an error becomes a failed check, and the report continues."""
    try:
        async for check in part:
            yield check
    except (TriageError, OSError) as problem:
        yield DoctorCheck(name, False, str(problem))


async def _check_home(options: argparse.Namespace, settings: Settings | None) -> AsyncIterator[DoctorCheck]:
    """Check the home and the machine."""
    path, zone = home_path(options.home), ZoneInfo(settings.timezone if settings else "UTC")
    async for check in _run_part("home", check_home(path, zone)):
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
    from bot.config.settings import load
    from bot.config.settings_checks import idle_rules, lacks_second, odd_reach, ready_to_run

    path = config_path(options.config)
    try:
        settings = load(path, home_path(options.home), max_complaints=None)
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


async def _slack(settings: Settings | None, env: Environment, *, post: str | None) -> AsyncIterator[DoctorCheck]:
    from bot.adapters.clock import SystemClock
    from bot.adapters.pace import Pacer
    from bot.adapters.slack import SlackChat
    from bot.adapters.slack.client import web_client

    bot, app = env.slack_bot_token, env.slack_app_token
    wanted = "expected the bot's token in the environment; docs/install.md"
    yield DoctorCheck("SLACK_BOT_TOKEN", bot is not None, "present" if bot else wanted)
    if app is None and env.slack_signing_secret:
        yield DoctorCheck("SLACK_SIGNING_SECRET", True, "present: events come over HTTP, with `triage run --http`")
    else:
        wanted = "expected the app's token in the environment, or SLACK_SIGNING_SECRET for HTTP; docs/install.md"
        yield DoctorCheck("SLACK_APP_TOKEN", app is not None, "present" if app else wanted)
    if bot is None:
        return
    chat = SlackChat(web_client(bot.get_secret_value(), env.slack_api_url), Pacer(SystemClock()))
    if app is not None:
        yield await _check_call("socket mode", chat.socket_url(app.get_secret_value()), "the app token opens a socket")
    try:
        identity, scopes = await chat.identity(), await chat.scopes()
    except TriageError as problem:
        yield failed_check("slack", problem)
        return
    yield DoctorCheck("slack", True, f"{identity.user_id} in {identity.team} ({env.slack_api_url or 'slack.com'})")
    yield scopes_check(scopes, reads_files=settings is not None and settings.slack.read_files)
    async for check in _people_and_channels(chat, settings):
        yield check
    if settings:
        async for check in check_people(chat, settings, identity):
            yield check
    if post:
        yield await _check_call(f"post to {post}", _test_message(chat, post))


def scopes_check(scopes: frozenset[str] | None, *, reads_files: bool) -> DoctorCheck:
    """Check that the token has the scopes that the settings need; `scopes` is `None` if the server reports none."""
    if scopes is None:
        return DoctorCheck("scopes", None, "this server does not report them")
    missing = ", ".join(sorted((NEEDED_SCOPES | ({FILES_SCOPE} if reads_files else set())) - scopes))
    detail = f"missing {missing}; install the app again from manifest.yml" if missing else "enough"
    if FILES_SCOPE in missing:
        detail += ", with files:read for slack.read_files (docs/install.md)"
    return DoctorCheck("scopes", not missing, detail)


async def _people_and_channels(chat: SlackChat, settings: Settings | None) -> AsyncIterator[DoctorCheck]:
    for watched in settings.watched_chats if settings else ():
        name, detail = f"channel {watched.name or watched.chat_id}", f"the bot is in it, mode {watched.mode}"
        origin = (
            "" if watched.purpose else ", by its name" if watched.name else ", since it has no name in the settings"
        )
        detail += f", purpose {watched.purpose or purpose_of(watched.name)}{origin}"
        policy = settings.slack.external if settings else ""
        yield await check_membership(chat, name, watched.chat_id, detail, shared=f"slack.external: {policy}")
    if settings and (reports := settings.reports.channel):
        instead = "reports go to direct messages instead"
        yield await check_membership(chat, f"reports.channel {reports}", reports, "the bot is in it", shared=instead)
    if settings and (queue := settings.approval.queue_channel):
        yield await check_queue_channel(chat, queue)
    for group in settings.classifier.team_groups if settings else ():
        yield await _check_call(f"user group {group}", chat.group_members(group))


async def _test_message(chat: SlackChat, channel: str) -> str:
    text = "This is a test message of `triage doctor`: Triage can post here."
    ts = await chat.post(
        channel=channel,
        text=text,
        blocks=[section(text)],
        metadata={"event_type": NOTICE, "event_payload": {"kind": "notice"}},
    )
    return await chat.permalink(channel=channel, ts=ts)


async def _check_call(name: str, call: Awaitable[object], detail: str | None = None) -> DoctorCheck:
    try:
        answer = await call
        return DoctorCheck(name, True, detail or str(answer))
    except TriageError as problem:
        return failed_check(name, problem)


def _say(line: str) -> None:
    print(line, file=sys.stdout)  # noqa: T201  # command-line output
