"""Previous question of a thread, to which a new one refers, and the references of its rejected replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.task import DENIED

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage


def find_previous_question(thread: Thread) -> str:
    """Return the text of the previous question, if the current one was written below it and does not replace it by an
    edit.

    Rounds that only rejected a reply are joined with the question before them.
    """
    before = _of_round(thread, thread.question_round - 1)
    if not before or float(thread.question_messages[0].message_id) < float(before[-1].message_id):
        return ""
    denied = {denial.question_round for denial in thread.denied}
    number = thread.question_round - 1
    while number - 1 in denied and (earlier := _of_round(thread, number - 1)):
        before, number = [*earlier, *before], number - 1
    return "\n".join(message.asks for message in before)


def find_denied_places(thread: Thread) -> tuple[str, ...]:
    """Return the places cited in rejected replies of this thread, each once."""
    refs = [
        reference.ref
        for answer in thread.earlier
        if answer.outcome == DENIED
        for reference in answer.refs
        if reference.kind in ("file", "memory") and reference.ref in answer.said
    ]
    return tuple(dict.fromkeys(refs))


def _of_round(thread: Thread, number: int) -> list[ThreadMessage]:
    return [message for message in thread.messages if message.round == number]
