"""How a payload reaches the app: what Socket Mode and HTTP mode have in common.

An event is sent until it is acknowledged or given up. What a person does (interactive, slash_commands) is only worth
the three seconds of its acknowledgement, as in Slack: after them the person is told that the app did not answer.
"""

import secrets
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sandbox.models import Json

ACK_TIMEOUT = 3.0
"""Seconds the app has to acknowledge."""
RETRY_AFTER = (0.0, 60.0, 300.0)
"""Seconds from a late acknowledgement to the next attempt; after the last one Slack gives the event up."""
TOO_LATE = 2 * 60 * 60
"""Seconds after which an event that found no connection is no longer delivered."""

Kind = Literal["events_api", "interactive", "slash_commands"]


class Unacknowledged(Exception):
    """The app did not acknowledge in time: the person sees that it did not answer."""


@dataclass(slots=True, eq=False)
class Envelope:
    """One payload on its way to the app; `attempt` counts from 0, `reason` says why there was another one."""

    kind: Kind
    payload: Json
    made_at: float
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    attempt: int = 0
    reason: str = ""


class Delivery(Protocol):
    """One way to the app: Socket Mode or HTTP mode."""

    @property
    def app_active(self) -> bool:
        """True while the app can be reached: its dot is green."""

    def publish(self, envelope: Envelope) -> None:
        """Send an event; it stays until it is acknowledged or given up."""

    async def ask(self, kind: Kind, payload: Json) -> Json:
        """Send what a person did; returns what the app answered, {} when nothing. Raises Unacknowledged."""

    async def close(self) -> None:
        """Send nothing more."""
