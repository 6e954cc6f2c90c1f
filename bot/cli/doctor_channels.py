"""Checks of channels for `triage doctor`: the watched ones and the approval queue."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck, failed_check
from bot.decide.information_flow import is_shared_externally
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.adapters.slack import SlackChat
    from bot.config.settings import Settings
    from bot.ports.storage import Storage


async def check_membership(chat: SlackChat, name: str, channel: str, detail: str, *, shared: str) -> DoctorCheck:
    """Check that the bot is in a channel; `detail` is the detail if so, `shared` the note if other companies read
    it."""
    try:
        about = await chat.channel(channel)
    except TriageError as problem:
        return failed_check(name, problem)
    if not about.get("is_member"):
        return DoctorCheck(name, False, "the bot is not in it: /invite it there")
    if about.get("is_archived"):
        return DoctorCheck(name, False, "it is archived: nothing can be posted there")
    return DoctorCheck(
        name, True, f"{detail}, shared with another company ({shared})" if is_shared_externally(about) else detail
    )


async def check_created_channels(
    chat: SlackChat, settings: Settings, home: Path, storage: Storage
) -> AsyncIterator[DoctorCheck]:
    """Check the channels that commands created, as `projects.json` of a home has them."""
    from bot.triage.created_projects import load_projects

    if not await asyncio.to_thread(home.is_dir):
        return
    projects, _ = await load_projects(settings, home, storage.json_file("projects"))
    watched = {chat.chat_id for chat in settings.watched_chats}
    for channel, created in projects.settings_by_command.created_channels.items():
        if channel not in watched:
            detail, policy = "created by create_project, the bot is in it", f"slack.external: {settings.slack.external}"
            yield await check_membership(chat, f"channel {created.name}", channel, detail, shared=policy)


async def check_queue_channel(chat: SlackChat, queue: str) -> DoctorCheck:
    """Check the private channel for cards."""
    from bot.triage.slack_checks import wrong_with_queue

    name = f"approval.queue_channel {queue}"
    try:
        fault = wrong_with_queue(await chat.channel(queue))
    except TriageError as problem:
        return failed_check(name, problem)
    return DoctorCheck(name, fault is None, fault or "private, and the bot is in it")
