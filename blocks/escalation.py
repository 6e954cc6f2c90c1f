"""Running escalation of a question, for the App Home: its tier, figures and last line, and the way to watch it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.controls import build_ending_buttons
from blocks.question import own_words
from blocks.queue import question_link
from blocks.text import Block, clip, escape, format_count, moment, name_channel, person, section

if TYPE_CHECKING:
    from bot.models.escalation import Escalation
    from bot.models.thread import Thread

_LATEST = 150
_REASON = 200


def escalation_row(thread: Thread, *, url: str) -> list[Block]:
    """Build the row of an escalated question, with the buttons to end it."""
    question = escape(clip(own_words(thread), 60))
    who = f"<{question_link(thread, url)}|{person(thread.original_sender_name, 40)}>"
    lines = [f"{who} in {name_channel(thread.chat_id)}: {question}"]
    if thread.escalation:
        lines = [f"*Tier {thread.escalation.tier}* · {lines[0]}", *_describe_run(thread.escalation)]
    if thread.escalation and thread.escalation.session_id:
        lines.append(f"To watch it on the bot's machine: `triage attach {thread.task}`")
    return [section("\n".join(lines)), build_ending_buttons(thread)]


def _describe_run(escalation: Escalation) -> list[str]:
    """Describe how far the run has come, and its last line."""
    if escalation.started_at is None:
        return [f"About to start: {escape(clip(escalation.reason, _REASON))}"]
    cost = "cost unknown" if escalation.cost_usd is None else f"at most ${escalation.cost_usd:,.2f}"
    figures = f"Since {moment(escalation.started_at)}, {format_count(escalation.turns, 'turn')}, {cost}."
    latest = clip(" ".join(escalation.latest.split()), _LATEST).replace("`", "'")
    return [figures, *([f"Last: `{escape(latest)}`"] if latest else [])]
