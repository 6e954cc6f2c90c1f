"""Delivery: one request of Slack or of a forge that a replica has taken in for the leader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

DeliveryKind = Literal["event", "press", "dialog", "command"]
"""What its sender waits for: events and presses for nothing but the ack, dialogs and commands for its content."""
ANSWERED: frozenset[DeliveryKind] = frozenset({"dialog", "command"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery. `event_id` is the id that all deliveries of the same payload share, `None` without one."""

    kind: DeliveryKind
    event_id: str | None
    body: dict[str, Any]
    delivery_id: int = 0
    """Its place in the queue; 0 before it is stored."""
    age: float = 0.0
    """Seconds since it was stored."""


def find_kind(body: dict[str, Any]) -> DeliveryKind:
    """Return the kind of a body of Slack or of a forge."""
    match body.get("type"):
        case "view_submission":
            return "dialog"
        case None if "command" in body:
            return "command"
        case "event_callback":
            return "event"
    return "press"
