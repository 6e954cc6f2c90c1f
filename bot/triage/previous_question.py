"""The question before in a thread, to which a new one refers, and the places of replies that did not serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.task import DENIED

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.models.thread_message import ThreadMessage


def followed(thread: Thread) -> str:
    """The question before, where what is asked now was written below it; an edit has put another in its place.

    A message that only says that the reply did not serve stands with the question that it goes on.
    """
    before = _of_round(thread, thread.question_round - 1)
    if not before or float(thread.asked[0].message_id) < float(before[-1].message_id):
        return ""
    denied = {denial.question_round for denial in thread.denied}
    number = thread.question_round - 1
    while number - 1 in denied and (earlier := _of_round(thread, number - 1)):
        before, number = [*earlier, *before], number - 1
    return "\n".join(message.content if message.asks is None else message.asks for message in before)


def denied_places(thread: Thread) -> tuple[str, ...]:
    """The places that were shown in replies of this thread which did not serve, each once."""
    shown = [
        reference.ref
        for one in thread.earlier
        if one.outcome == DENIED
        for reference in one.refs
        if reference.kind in ("file", "memory") and reference.ref in one.said
    ]
    return tuple(dict.fromkeys(shown))


def _of_round(thread: Thread, number: int) -> list[ThreadMessage]:
    return [message for message in thread.messages if message.round == number]
