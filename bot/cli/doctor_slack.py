"""Checks of Slack for `triage doctor`: tokens, scopes, channels, people, and a test message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import section
from bot.cli.doctor_channels import check_created_channels, check_membership, check_queue_channel
from bot.cli.doctor_check import DoctorCheck, failed_check
from bot.cli.doctor_people import check_people
from bot.config.app_scopes import NEEDED_SCOPES, OPTIONAL_SCOPES, needed_scopes, useful_scopes
from bot.decide.classify.channel_purpose import purpose_of
from bot.errors import Refused, TriageError
from bot.surfaces.notices import NOTICE
from bot.triage.slack_checks import CONNECTIONS_REMEDY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from pathlib import Path

    from bot.adapters.slack import SlackChat
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.storage import Storage


async def check_slack(
    settings: Settings | None, env: Environment, home: Path, storage: Storage, *, post: str | None
) -> AsyncIterator[DoctorCheck]:
    """Check tokens, scopes, channels, people and groups; with `post` send a test message to that channel."""
    from bot.adapters.clock import SystemClock
    from bot.adapters.pace import Pacer
    from bot.adapters.slack import SlackChat
    from bot.adapters.slack.client import web_client

    bot, app = env.slack_bot_token, env.slack_app_token
    wanted = "expected the bot's token, in the environment or in .env beside the settings; docs/install.md"
    yield DoctorCheck("SLACK_BOT_TOKEN", bot is not None, "present" if bot else wanted)
    if app is None and env.slack_signing_secret:
        yield DoctorCheck("SLACK_SIGNING_SECRET", True, "present: events come over HTTP, with `triage run --http`")
    else:
        wanted = "expected the app's token there, or SLACK_SIGNING_SECRET for HTTP; docs/install.md"
        yield DoctorCheck("SLACK_APP_TOKEN", app is not None, "present" if app else wanted)
    if bot is None:
        return
    chat = SlackChat(web_client(bot.get_secret_value(), env.slack_api_url), Pacer(SystemClock()))
    if app is not None:
        opened = chat.socket_url(app.get_secret_value())
        yield await _check_call("socket mode", opened, "the app token opens a socket", remedy=CONNECTIONS_REMEDY)
    try:
        identity, scopes = await chat.identity(), await chat.scopes()
    except TriageError as problem:
        yield failed_check("slack", problem)
        return
    yield DoctorCheck("slack", True, f"{identity.user_id} in {identity.team} ({env.slack_api_url or 'slack.com'})")
    yield scopes_check(scopes, settings)
    async for check in _people_and_channels(chat, settings):
        yield check
    if settings:
        async for check in check_created_channels(chat, settings, home, storage):
            yield check
        async for check in check_people(chat, settings, identity):
            yield check
    if post:
        yield await _check_call(f"post to {post}", _test_message(chat, post))


def scopes_check(scopes: frozenset[str] | None, settings: Settings | None) -> DoctorCheck:
    """Compare the token's scopes with those that the settings need; `scopes` is `None` if the server reports none."""
    if scopes is None:
        return DoctorCheck("scopes", None, "this server does not report them")
    needed = needed_scopes(settings) if settings else NEEDED_SCOPES
    if missing := sorted(needed - scopes):
        detail = f"missing {', '.join(missing)}; install the app again with the manifest of `triage manifest`"
        return DoctorCheck("scopes", False, detail)
    lacks = "".join(f"; without {scope} {what}" for scope, what in OPTIONAL_SCOPES.items() if scope not in scopes)
    surplus = sorted(scopes - needed - (useful_scopes(settings) if settings else {*OPTIONAL_SCOPES}))
    more = f"; more than these settings need: {', '.join(surplus)} (`triage manifest` leaves them out)"
    return DoctorCheck("scopes", True, f"enough{lacks}{more if surplus else ''}")


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


async def _check_call(
    name: str, call: Awaitable[object], detail: str | None = None, *, remedy: str = ""
) -> DoctorCheck:
    try:
        answer = await call
        return DoctorCheck(name, True, detail or str(answer))
    except TriageError as problem:
        return failed_check(name, problem, remedy if isinstance(problem, Refused) else "")
