"""Speakers: a thread's messages with author names and without secrets, for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.findings import QuotedMessage
from bot.models.markup import SOMEBODY, fill_names

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage


def quote_message(thread: Thread, message: ThreadMessage, redactor: Redactor) -> QuotedMessage:
    """Return a message with its author's name, redacted."""
    by = thread.names.get(message.sender_id) or SOMEBODY
    return QuotedMessage(by=redactor.redact(by), text=redactor.redact(fill_names(message.read_content, thread.names)))


def quote_lines(thread: Thread, redactor: Redactor) -> tuple[QuotedMessage, ...]:
    """Return the question's messages with authors if several people wrote it, else nothing."""
    if len({message.sender_id for message in thread.question_messages}) < 2:
        return ()
    return tuple(quote_message(thread, message, redactor) for message in thread.question_messages)
