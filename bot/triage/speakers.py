"""Who said what in a thread, by name and without secrets, as agents are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.findings import QuotedMessage
from bot.models.markup import SOMEBODY, named

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage


def spoken(thread: Thread, message: ThreadMessage, redactor: Redactor) -> QuotedMessage:
    """A message with the name of who said it."""
    by = thread.names.get(message.sender_id) or SOMEBODY
    return QuotedMessage(by=redactor.redact(by), text=redactor.redact(named(message.read_content, thread.names)))


def spoken_lines(thread: Thread, redactor: Redactor) -> tuple[QuotedMessage, ...]:
    """The question line by line where several people have written, nothing where one has."""
    if len({message.sender_id for message in thread.asked}) < 2:
        return ()
    return tuple(spoken(thread, message, redactor) for message in thread.asked)
