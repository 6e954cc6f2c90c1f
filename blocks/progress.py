"""Progress of a question in one line, for the App Home and for cards shown during the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.longer_run import describe_running
from blocks.text import clip, escape, moment, name_channel

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.models.waiting import Waiting


def describe_progress(thread: Thread, held_reason: str | None = None) -> str:
    """Describe the state of a question before its draft, as mrkdwn; `held_reason` is the reason why its investigation
    waits."""
    if thread.status == "collecting":
        if thread.waiting and thread.due_at:
            return _in_line(thread.waiting, thread.due_at, thread)
        if thread.is_about_order:
            return f"*Waits* for its start; `/triage thread {thread.task}` says why."
        return "Investigating as soon as the question is complete."
    if held_reason:
        return f"*Waits:* {escape(clip(held_reason, 300))}."
    if thread.status == "escalated" and thread.escalation:
        return describe_running(thread.escalation)
    if thread.status == "awaiting-validation":
        return f"Checking the draft{_route(thread)}…"
    suffix = f" again: {escape(clip(thread.feedback, 500))}" if thread.feedback else "…"
    return f"Investigating{_route(thread)}{suffix}"


def _in_line(waiting: Waiting, turn: datetime, thread: Thread) -> str:
    """Describe the questions ahead of it, and the time of its turn."""
    of = {
        "user": "" if thread.is_about_incident else f" of <@{thread.original_sender_id}>",
        "channel": f" in {name_channel(thread.chat_id)}",
        "workspace": "",
    }
    count = f"{waiting.ahead} question{'' if waiting.ahead == 1 else 's'}" if waiting.ahead else "no other question"
    return f"*Waits:* {count}{of[waiting.level]} ahead of it. Its turn comes {moment(turn)}."


def _route(thread: Thread) -> str:
    """Name the project and role of the investigation, if there are routing rules."""
    return f" in {escape(thread.route.project)} as {escape(thread.route.role_name)}" if thread.route else ""
