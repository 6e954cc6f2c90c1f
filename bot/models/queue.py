"""The queue as one person looks at it: in which order, as a list or card by card, from where on; and a press on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import ValidationError

from bot.models.fact import Fact
from bot.models.message import SlackId

Order = Literal["oldest", "certain"]
Shape = Literal["list", "card"]

BLOCK = "queue:"
"""What the `block_id` of each row of buttons begins with; the value of its view follows."""

_VALUE = re.compile(r"(oldest|certain) (list|card) (\d{1,6})")


@dataclass(frozen=True, slots=True)
class QueueView:
    """`at` is the place of the first question that is shown, from 0."""

    order: Order = "oldest"
    shape: Shape = "list"
    at: int = 0

    @property
    def value(self) -> str:
        """What a button carries that leads there."""
        return f"{self.order} {self.shape} {self.at}"


class QueuePress(Fact):
    """A button that leads to another view of the queue was pressed in the answer to `/triage queue`."""

    interaction_id: str
    team_id: SlackId
    user_id: SlackId
    value: str


def read_view(value: str) -> QueueView | None:
    """The view that a button leads to."""
    found = _VALUE.fullmatch(value)
    return found and QueueView(cast("Order", found[1]), cast("Shape", found[2]), int(found[3]))


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
