"""Question as its asker wrote it, with a line on shared messages and unread files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, quote, rich_text, shorten_line, span
from bot.models.contents import unread_line
from bot.models.markup import SOMEBODY, fill_names

if TYPE_CHECKING:
    from bot.models.settlement import Denial
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage

_NAMES = 300
_NAME = 25


def build_question(thread: Thread, limit: int) -> list[Block]:
    """Quote the question in at most `limit` characters, with a line on its attachments."""
    remarks = []
    if thread.shared:
        remarks.append(f"Holds a shared message of {', '.join(thread.shared)}")
    if thread.unread:
        remarks.append(unread_line(thread.unread))
    line = escape(clip(". ".join(remarks), _NAMES))
    return [_quote_words(thread, limit), *([context(f"{line}.")] if line else [])]


def own_words(thread: Thread) -> str:
    """Return the asker's words of the question on one line, without those of others in the thread.

    If none of theirs is left, each line names its author.
    """
    own = [line.content for line in thread.question_messages if line.sender_id == thread.original_sender_id]
    lines = own or [
        f"{thread.names.get(line.sender_id) or SOMEBODY}: {line.content}" for line in thread.question_messages
    ]
    return " ".join(fill_names("\n".join(lines), thread.names).split())


def question_title(thread: Thread) -> str:
    """Return the asker and the question's beginning, for a button's label."""
    return f"{shorten_line(thread.original_sender_name, _NAME) or SOMEBODY}: {own_words(thread)}"


def find_denial(thread: Thread) -> tuple[Denial, str] | None:
    """Return the statement that the previous reply did not help, and the question that it answered."""
    word = next(
        (denial for denial in reversed(thread.denied) if denial.question_round == thread.question_round - 1), None
    )
    before = [line.content for line in thread.messages if word and line.round == word.question_round]
    return (word, " ".join(fill_names("\n".join(before), thread.names).split())) if word else None


def _quote_words(thread: Thread, limit: int) -> Block:
    """Quote one person's words, or several with the author of each line."""
    lines = thread.question_messages
    if len({line.sender_id for line in lines}) < 2:
        return quote(clip(thread.question, limit))
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
