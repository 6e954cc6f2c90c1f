"""Question as its asker wrote it, with a line on shared messages and unread files; of an incident, its facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blocks.health import order_failing
from blocks.incident import list_failing, state_failures, state_unchecked, title_incident
from blocks.text import (
    Block,
    clip,
    context,
    escape,
    format_count,
    moment,
    name_channel,
    person,
    quote,
    rich_text,
    section,
    shorten_line,
    span,
)
from bot.models.contents import unread_line
from bot.models.markup import SOMEBODY, fill_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.incident import Incident
    from bot.models.settlement import Denial
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage

_ADDRESS = re.compile(r"[ \t]?\(https?://[^\s()]+\)")
_NAMES = 300
_NAME = 25
_CHECK = 60
"""Characters of the limit that one failing check counts as."""


def build_question(thread: Thread, limit: int) -> list[Block]:
    """Quote the question in at most `limit` characters, with a line on its attachments.

    An incident has its failing checks instead, and the messages of people below it.
    """
    if thread.is_about_incident and thread.incident:
        return [*_list_facts(thread.incident, limit), *_quote_people(thread, limit), *_name_set_aside(thread)]
    remarks = []
    if thread.shared:
        remarks.append(f"Holds a shared message of {', '.join(thread.shared)}")
    if thread.unread:
        remarks.append(unread_line(thread.unread))
    line = escape(clip(". ".join(remarks), _NAMES))
    return [_quote_words(thread, limit), *([context(f"{line}.")] if line else [])]


def own_words(thread: Thread) -> str:
    """Return the asker's words of the question on one line, without those of others in the thread and without the
    addresses behind the words of links, which a cut would break.

    If none of theirs is left, each line names its author. Of an incident the failing checks are returned.
    """
    if thread.is_about_incident and thread.incident:
        return state_failures(thread.incident)
    own = [line.content for line in thread.question_messages if line.sender_id == thread.original_sender_id]
    lines = own or [
        f"{thread.names.get(line.sender_id) or SOMEBODY}: {line.content}" for line in thread.question_messages
    ]
    return " ".join(_ADDRESS.sub("", fill_names("\n".join(lines), thread.names)).split())


def question_title(thread: Thread) -> str:
    """Return the asker and the question's beginning, for a button's label; of an incident the services first."""
    if thread.is_about_incident and thread.incident:
        return f"{title_incident(thread.incident)}: {own_words(thread)}"
    return f"{shorten_line(thread.original_sender_name, _NAME) or SOMEBODY}: {own_words(thread)}"


def state_source(thread: Thread) -> str:
    """Name the asker, or the services of an incident with their state, as plain text."""
    if thread.is_about_incident and thread.incident:
        return title_incident(thread.incident)
    return thread.original_sender_name


def name_source(thread: Thread, limit: int = 80) -> str:
    """Name the same for a mrkdwn field, on one line."""
    return person(state_source(thread), limit)


def describe_source(thread: Thread) -> str:
    """Name the same with the channel, as mrkdwn; an asker by a mention."""
    if thread.is_about_incident and thread.incident:
        is_failing = any(check.status != "healthy" for check in thread.incident.checks) and not thread.incident.is_over
        since = f" since {moment(thread.incident.since)}" if is_failing else ""
        return f"*{escape(title_incident(thread.incident))}*{since}, in {name_channel(thread.chat_id)}"
    return f"<@{thread.original_sender_id}> in {name_channel(thread.chat_id)}"


def find_denial(thread: Thread) -> tuple[Denial, str] | None:
    """Return the statement that the previous reply did not help, and the question that it answered."""
    word = next(
        (denial for denial in reversed(thread.denied) if denial.question_round == thread.question_round - 1), None
    )
    before = [line.content for line in thread.messages if word and line.round == word.question_round]
    return (word, " ".join(fill_names("\n".join(before), thread.names).split())) if word else None


def _list_facts(incident: Incident, limit: int) -> list[Block]:
    """List the failing checks in some `limit` characters."""
    if incident.is_over:
        return [section(_state_end(incident))]
    failing = order_failing(incident.checks)
    most = max(1, limit // _CHECK)
    rest = f"\n… and {format_count(len(failing) - most, 'more failing check')}." if len(failing) > most else ""
    return [section(f"{list_failing(failing[:most]) or 'All its checks are healthy at the moment.'}{rest}")]


def _state_end(incident: Incident) -> str:
    if not incident.healthy_again:
        return state_unchecked(incident)
    others = f"The others are healthy again. {state_unchecked(incident)}"
    return others if incident.unchecked else "All its services are healthy again."


def _quote_people(thread: Thread, limit: int) -> list[Block]:
    """Quote the messages of people about an incident, if there are any."""
    theirs = [line for line in thread.question_messages if line.message_id != thread.original_message_id]
    return [_quote_lines(theirs, thread, limit)] if theirs else []


def _name_set_aside(thread: Thread) -> list[Block]:
    """Say whose question comes after the outage, which has taken the place of its card."""
    waiting = thread.set_aside.messages if thread.set_aside else ()
    senders = {m.sender_id: m.by_bot for m in thread.messages if m.message_id in waiting}
    people = ", ".join(f"<@{sender}>" for sender, by_bot in senders.items() if not by_bot)
    whose = f"what {people} wrote before" if people else "what was asked here before"
    return [context(f"*Waits:* {whose} is taken up after this.")] if waiting else []


def _quote_words(thread: Thread, limit: int) -> Block:
    """Quote one person's words, or several with the author of each line."""
    lines = thread.question_messages
    if len({line.sender_id for line in lines}) < 2:
        return quote(clip(thread.question, limit))
    return _quote_lines(lines, thread, limit)


def _quote_lines(lines: Sequence[ThreadMessage], thread: Thread, limit: int) -> Block:
    """Quote messages with the author of each."""
    elements: list[Block] = []
    left = limit
    for number, line in enumerate(lines, start=1):
        words = clip(fill_names(line.content, thread.names), max(left, 1))
        left -= len(words)
        elements += [_speaker(line, thread), span(f": {words}{'' if number == len(lines) else chr(10)}")]
        if left <= 0 and number < len(lines):
            elements.append(span(f"… and {len(lines) - number} more"))
            break
    return rich_text({"type": "rich_text_quote", "elements": elements})


def _speaker(line: ThreadMessage, thread: Thread) -> Block:
    """Name the author of a line; Slack knows the names of people."""
    if line.sender_id.startswith(("U", "W")):
        return {"type": "user", "user_id": line.sender_id}
    return span(thread.names.get(line.sender_id) or "A program", bold=True)
