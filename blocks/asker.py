"""Asker lines: the asker's own settlement of a question, its status, and its end, as one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.question import own_words
from blocks.text import Block, clip, escape, moment, section
from bot.models.markup import fill_names
from bot.models.status_words import name_kind
from bot.models.visible import clean

if TYPE_CHECKING:
    from bot.models.asker_line import AskerLine
    from bot.models.settlement import SettledWord
    from bot.models.thread import Thread

_QUOTED = 200


def build_settled_hint(thread: Thread) -> list[Block]:
    """Quote the sentence that may settle the question, and name the colleague whose answer it follows."""
    word = thread.settled_word
    if word is None or thread.status == "closed":
        return []
    after = f" after an answer of <@{word.answered_by}>" if word.answered_by else ""
    then = " Dismiss closes it." if thread.status == "pending-user" else ""
    who = f"<@{word.by}>{', who asked,' if word.by == thread.original_sender_id else ''}"
    return [section(f"*Perhaps settled:* {who} {_format_how(thread, word)}{after} · {moment(word.at)}.{then}")]


def settled_line(thread: Thread, word: SettledWord) -> str:
    """Say that the asker settled the question, and in which way."""
    return f"*Settled* by <@{word.by}>, who asked · {moment(word.at)}: {_format_how(thread, word)}. Nothing was posted."


def describe_assignment(thread: Thread) -> str:
    """Name the role and project working on it, as far as known: ` by Shop Dev (shop)`."""
    if thread.route:
        return f" by *{escape(thread.route.role_name)}* ({escape(thread.route.project)})"
    return f" in *{escape(thread.project)}*" if thread.project else ""


def describe_status(thread: Thread) -> str:
    """Return the assistant status for the question, which Slack shows after the bot's name; empty while it waits or
    after its end.

    External people see no role or project.
    """
    match thread.status:
        case "investigating" | "escalated" | "bounced-round-1" if thread.route and not thread.external:
            return f"is looking this up as {clean(thread.route.role_name)} in {clean(thread.route.project)}"
        case "investigating" | "escalated" | "bounced-round-1":
            return "is looking this up"
        case "awaiting-validation":
            return "is checking what was found"
        case _:
            return ""


_QUESTION = 80
_WHY = {
    "time": "it took too long",
    "stopped": "an operator stopped it",
    "over-cap": "the limit for lookups is reached for now",
    "no-key": "the model could not be reached",
    "unreachable": "the model could not be reached",
    "stalled": "it stopped making progress",
    "limit": "it would have taken too many steps",
}
"""Reasons for the end of a run, in words for the asker; all others are for the operator only."""


def build_asker_line(thread: Thread, line: AskerLine) -> str:
    """Tell the asker why the question got no answer or waits, and what to do now."""
    question = f"{name_kind(thread)} \u201c{escape(clip(own_words(thread), _QUESTION))}\u201d"
    if line.ending == "expired":
        text = f"Nobody decided on your {question} in time, so nothing is posted."
        return f"{text} If you still need an answer, write in its thread: that asks again."
    if line.ending == "stopped":
        return f"An admin has stopped Triage. Your {question} is kept, and is looked up when Triage resumes."
    if line.ending == "paused":
        project, where = escape(thread.paused_project or ""), escape(thread.project or "the others")
        text = f"Your {question} seems to be about *{project}*, which is paused, so it was looked up in {where}."
        return f"{text} An operator has the result; ask again when {project} has resumed."
    why = _WHY.get(line.why or "", "it failed")
    text = f"Your {question} could not be answered automatically: {why}. An operator has it now."
    helps = f"{text} You need not ask again; anything you add in its thread helps."
    return helps if thread.external and thread.external.asker else f"{helps} `/triage mine` shows its status."


def _format_how(thread: Thread, word: SettledWord) -> str:
    words = f"\u201c{escape(clip(' '.join(fill_names(word.text, thread.names).split()), _QUOTED))}\u201d"
    match word.how:
        case "said":
            return f"wrote {words}"
        case "edited":
            return f"edited it to {words}"
        case "struck":
            return "struck it out"
        case "marked":
            return f"marked it {word.text}"
