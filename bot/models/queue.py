"""The queue as one person looks at it: in which order, as a list or card by card, from where on; and a press on it."""

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
"""What the `block_id` of each row of buttons begins with; the value of its view follows."""

_VALUE = re.compile(rf"(oldest|certain) (list|card) (\d{{1,6}})(?: ({THREAD_ID[1:-1]})( passed-on)?)?")


@dataclass(frozen=True, slots=True)
class QueueView:
    """`at` is the place of the first question that is shown, from 0; a card stays with its `thread`."""

    order: Order = "oldest"
    shape: Shape = "list"
    at: int = 0
    thread: str = ""
    was_passed_on: bool = False
    """True if its reader had passed the question on before it came into view, so that this leads no further."""

    @property
    def value(self) -> str:
        """What a button carries that leads there."""
        question = f" {self.thread}{' passed-on' if self.was_passed_on else ''}" if self.thread else ""
        return f"{self.order} {self.shape} {self.at}{question}"

    def among(self, names: Sequence[str]) -> list[str]:
        """The queue with the question of the view in its place, also while it is worked on.

        Its certainty changes with an edit; it keeps its place for whoever goes through the most certain ones.
        """
        if not self.thread or (self.order == "oldest" and self.thread in names):
            return [*names]
        others = [name for name in names if name != self.thread]
        return [*others[: self.at], self.thread, *others[self.at :]]

    def after(self, names: Sequence[str]) -> QueueView:
        """The view of the question that follows; at the end of the queue the last one that is left."""
        left = [name for name in names if name != self.thread] or names
        thread = left[min(self.at, len(left) - 1)] if left else ""
        return replace(self, thread=thread, at=names.index(thread) if thread else 0, was_passed_on=False)


class QueuePress(Fact):
    """A button that leads to another view of the queue was pressed in the answer to `/triage queue`."""

    interaction_id: str
    team_id: SlackId
    user_id: SlackId
    value: str


def read_view(value: str) -> QueueView | None:
    """The view that a button leads to."""
    found = _VALUE.fullmatch(value)
    if found is None:
        return None
    order, shape = cast("Order", found[1]), cast("Shape", found[2])
    return QueueView(order, shape, int(found[3]), found[4] or "", was_passed_on=bool(found[5]))


def read_queue_press(body: dict[str, Any]) -> QueuePress | None:
    """The press in a `block_actions` payload; `None` when it is on another button."""
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
    """The view that stands in the message with the pressed button; `None` where that is no queue."""
    try:
        block_id = body["actions"][0]["block_id"]
        if body["container"].get("is_ephemeral") is not True or not block_id.startswith(BLOCK):
            return None
        return read_view(block_id.removeprefix(BLOCK).rpartition(":")[0])
    except (KeyError, IndexError, TypeError, AttributeError):
        return None
