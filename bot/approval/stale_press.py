"""Stale presses: the explanation for a press that came too late, with the decision, its author and its time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blocks.outcome import describe_outcome
from blocks.text import clip, escape, moment
from bot.errors import TriageError
from bot.models.markup import spell_out_times

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import tzinfo

    from bot.models.thread import Thread

_WHY = 300
"""Characters shown of the reason why a draft is stale."""
_USER = re.compile(r"<@([A-Z0-9]+)>")
_LABELLED_LINK = re.compile(r"<[^<>|]*\|([^<>]*)>")


def explain_stale_press(thread: Thread | None) -> str:
    """Return what happened to the thread since the pressed card was rendered, as mrkdwn."""
    if thread is None:
        return "Triage no longer knows this question."
    match thread.status:
        case "closed":
            return f"This is already decided. {describe_outcome(thread)}"
        case "approved" | "in-doubt":
            return f"This is already decided. {describe_outcome(thread)} The reply is being posted."
        case "pending-user":
            return f"The card has changed since.{_newest_change(thread)} Please look at it again before you decide."
        case _:
            return f"A new draft is being made.{_redraft_reason(thread)} Please wait for it."


def _newest_change(thread: Thread) -> str:
    """Return the newest change of a pending draft: handed over, stale or edited."""
    if thread.to_retire or (thread.hand_overs and thread.hand_overs[-1].at == thread.last_event_at):
        last = thread.hand_overs[-1]
        return f" It was handed over to <@{last.to}> {moment(last.at)}."
    remedy = thread.incident.proposal if thread.incident else None
    if remedy and remedy.state == "approved" and remedy.decided_at:
        return f" <@{remedy.decided_by}> has approved the runbook {moment(remedy.decided_at)}."
    if thread.stale:
        return f" {escape(clip(thread.stale, _WHY)).rstrip('.')}."
    if thread.draft_pending and thread.draft_pending.edited_by:
        return f" <@{thread.draft_pending.edited_by}> has edited the draft."
    return ""


def _redraft_reason(thread: Thread) -> str:
    """Return whose decision asked for another draft."""
    decision = thread.decision
    if decision is None or decision.action not in ("bounce", "answer"):
        return ""
    done = "bounced the last one" if decision.action == "bounce" else "answered the open questions"
    return f" <@{decision.by}> {done} {moment(decision.at)}."


async def to_plain_text(text: str, name: Callable[[str], Awaitable[str]], zone: tzinfo) -> str:
    """Return a text without markup, as for a dialog's errors: names for ids, times in `zone`."""
    for user in dict.fromkeys(_USER.findall(text)):
        try:
            user_name = await name(user)
        except TriageError:
            user_name = "somebody"
        text = text.replace(f"<@{user}>", user_name)
    return _LABELLED_LINK.sub(r"\1", spell_out_times(text, zone)).replace("*", "")
