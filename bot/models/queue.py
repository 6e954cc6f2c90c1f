"""View of the queue for one person: its order, form and position, and the presses that change it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId
from bot.models.thread_id import THREAD_ID

if TYPE_CHECKING:
    from collections.abc import Sequence

Order = Literal["oldest", "certain"]
Shape = Literal["list", "card"]

BLOCK = "queue:"
"""Prefix of the `block_id` of each row of buttons; the value of its view follows."""

_VALUE = re.compile(rf"(oldest|certain) (list|card) (\d{{1,6}})(?: ({THREAD_ID[1:-1]})( passed-on)?)?")


@dataclass(frozen=True, slots=True)
class QueueView:
    """A position in the queue. `at` is the index of the first question, from 0; a card stays with its `thread`."""

    order: Order = "oldest"
    shape: Shape = "list"
    at: int = 0
    thread: str = ""
    was_passed_on: bool = False
    """True if the reader had handed the question on before it came into view, so that this view does not move on."""

    @property
    def value(self) -> str:
        """Return the value of a button that leads to this view."""
        question = f" {self.thread}{' passed-on' if self.was_passed_on else ''}" if self.thread else ""
        return f"{self.order} {self.shape} {self.at}{question}"

    def among(self, names: Sequence[str]) -> list[str]:
        """Return the queue with the view's question in its place, even while it is being worked on.

        An edit changes its certainty; it keeps its place for a reader who sorts by that.
        """
        if not self.thread or (self.order == "oldest" and self.thread in names):
            return [*names]
        others = [name for name in names if name != self.thread]
        return [*others[: self.at], self.thread, *others[self.at :]]

    def after(self, names: Sequence[str]) -> QueueView:
        """Return the view of the next question; at the end of the queue that of the last one left."""
        left = [name for name in names if name != self.thread] or names
        thread = left[min(self.at, len(left) - 1)] if left else ""
        return replace(self, thread=thread, at=names.index(thread) if thread else 0, was_passed_on=False)


class QueuePress(Fact):
    """A press on a button that leads to another view, in the answer to `/triage queue`."""

    interaction_id: str
    team_id: SlackId
    user_id: SlackId
    value: str


def read_view(value: str) -> QueueView | None:
    """Parse a view from a button's value."""
    match = _VALUE.fullmatch(value)
    if match is None:
        return None
    order, shape = cast("Order", match[1]), cast("Shape", match[2])
    return QueueView(order, shape, int(match[3]), match[4] or "", was_passed_on=bool(match[5]))


def read_queue_press(body: dict[str, Any]) -> QueuePress | None:
    """Parse a press in a `block_actions` payload; `None` for other buttons."""
    try:
        pressed = body["actions"][0]
        if not pressed["action_id"].startswith("queue_"):
            return None
        return QueuePress(
            interaction_id=f"{body['user']['id']}-{pressed['action_id']}-{pressed['action_ts']}",
            team_id=body["team"]["id"],
            user_id=body["user"]["id"],
            value=pressed["value"],
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValidationError):
        return None


def view_of(body: dict[str, Any]) -> QueueView | None:
    """Return the view of the message with the pressed button; `None` if it is not a queue."""
    try:
        block_id = body["actions"][0]["block_id"]
        if body["container"].get("is_ephemeral") is not True or not block_id.startswith(BLOCK):
            return None
        return read_view(block_id.removeprefix(BLOCK).rpartition(":")[0])
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
