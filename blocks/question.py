"""The question as its asker wrote it, with what stands beside the words: whose message was shared, what nobody read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, quote, rich, span, spoken
from bot.models.contents import unread_line
from bot.models.markup import SOMEBODY, named

if TYPE_CHECKING:
    from bot.models.settlement import Denial
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage

_NAMES = 300
_NAME = 25


def asked(thread: Thread, limit: int) -> list[Block]:
    """The question in at most `limit` characters, word for word, and a line on what else was sent with it."""
    said = []
    if thread.shared:
        said.append(f"Holds a shared message of {', '.join(thread.shared)}")
    if thread.unread:
        said.append(unread_line(thread.unread))
    line = escape(clip(". ".join(said), _NAMES))
    return [_words(thread, limit), *([context(f"{line}.")] if line else [])]


def own_words(thread: Thread) -> str:
    """Return in one line what its asker wrote of the question, without what others have added in the thread.

    Where nothing of theirs is left, each line names who wrote it.
    """
    own = [line.content for line in thread.asked if line.sender_id == thread.original_sender_id]
    said = own or [f"{thread.names.get(line.sender_id) or SOMEBODY}: {line.content}" for line in thread.asked]
    return " ".join(named("\n".join(said), thread.names).split())


def question_title(thread: Thread) -> str:
    """Return whose question it is and how it begins, for a button's label."""
    return f"{spoken(thread.original_sender_name, _NAME) or SOMEBODY}: {own_words(thread)}"


def denied(thread: Thread) -> tuple[Denial, str] | None:
    """Return the word of its asker that the reply before did not serve, and the question that this had answered."""
    word = next((one for one in reversed(thread.denied) if one.question_round == thread.question_round - 1), None)
    before = [line.content for line in thread.messages if word and line.round == word.question_round]
    return (word, " ".join(named("\n".join(before), thread.names).split())) if word else None


def _words(thread: Thread, limit: int) -> Block:
    """Quote one person as they wrote, and several with who wrote which line."""
    lines = thread.asked
    if len({line.sender_id for line in lines}) < 2:
        return quote(clip(thread.question, limit))
    elements: list[Block] = []
    left = limit
    for number, line in enumerate(lines, start=1):
        words = clip(named(line.content, thread.names), max(left, 1))
        left -= len(words)
        elements += [_speaker(line, thread), span(f": {words}{'' if number == len(lines) else chr(10)}")]
        if left <= 0 and number < len(lines):
            elements.append(span(f"… and {len(lines) - number} more"))
            break
    return rich({"type": "rich_text_quote", "elements": elements})


def _speaker(line: ThreadMessage, thread: Thread) -> Block:
    """Name who wrote a line; Slack knows the names of people."""
    if line.sender_id.startswith(("U", "W")):
        return {"type": "user", "user_id": line.sender_id}
    return span(thread.names.get(line.sender_id) or "A program", bold=True)
