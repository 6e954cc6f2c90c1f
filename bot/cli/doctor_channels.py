"""Checks of channels for `triage doctor`: the watched ones and the approval queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck, failed_check
from bot.decide.information_flow import is_shared_externally
from bot.errors import TriageError

if TYPE_CHECKING:
    from bot.adapters.slack import SlackChat


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


async def check_queue_channel(chat: SlackChat, queue: str) -> DoctorCheck:
    """Check the private channel for cards."""
    from bot.triage.slack_checks import wrong_with_queue

    name = f"approval.queue_channel {queue}"
    try:
        fault = wrong_with_queue(await chat.channel(queue))
    except TriageError as problem:
        return failed_check(name, problem)
    return DoctorCheck(name, fault is None, fault or "private, and the bot is in it")
