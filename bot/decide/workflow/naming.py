"""Names of people and contents of files that come with an event, saved in the document."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.models.sent_file import with_known
from bot.models.thread_event import Edited, EvidenceFailed, Findings, MessageAdded, Overheard, RunFailed, Validated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.workflow.steps import Transition
    from bot.models.sent_file import SentFile
    from bot.models.thread_event import ThreadEvent
    from bot.models.thread_message import ThreadMessage


def learn_names(step: Transition, event: ThreadEvent) -> Transition:
    """Return the step with the names that came with the event; known names are kept."""
    thread, names = step.thread, _names(event)
    if thread is None or not step.accepted or not names:
        return step
    known_names = {**names, **thread.names, **{each: name for each, name in names.items() if name}}
    asker = known_names.get(thread.original_sender_id) or thread.original_sender_name
    if known_names == thread.names and asker == thread.original_sender_name:
        return step
    return replace(step, thread=thread.evolve(names=known_names, original_sender_name=asker))


def with_files(step: Transition, event: ThreadEvent) -> Transition:
    """Return the step with the contents of files that the run read, where their message is unchanged."""
    if not isinstance(event, Findings | RunFailed | EvidenceFailed | Validated):
        return step
    if step.thread is None or not step.accepted or not event.files:
        return step
    messages = tuple(_with_read(message, event.files) for message in step.thread.messages)
    return replace(step, thread=step.thread.evolve(messages=messages))


def _with_read(message: ThreadMessage, read: Mapping[str, tuple[SentFile, ...]]) -> ThreadMessage:
    return message.evolve(files=with_known(message.files, read.get(message.message_id, ())))


def _names(event: ThreadEvent) -> Mapping[str, str]:
    match event:
        case MessageAdded(message=message) | Overheard(message=message) | Edited(message=message):
            return message.known_names
        case Findings() | RunFailed() | EvidenceFailed() | Validated():
            return event.names
        case _:
            return {}
