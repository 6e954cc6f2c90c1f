"""Delivery of payloads to the app: the common part of Socket Mode and HTTP mode.

An event is sent until it is acknowledged or given up. A person's action (interactive, slash_commands) is sent once and
must be acknowledged within three seconds, as in Slack; after that the person is told that the app did not answer.
"""

import secrets
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sandbox.models import Json

ACK_TIMEOUT = 3.0
"""Seconds that the app has to acknowledge."""
RETRY_AFTER = (0.0, 60.0, 300.0)
"""Seconds from a missed acknowledgement to the next attempt; after the last one Slack gives the event up."""
TOO_LATE = 2 * 60 * 60
"""Seconds after which an event that found no connection is no longer delivered."""

Kind = Literal["events_api", "interactive", "slash_commands"]


class Unacknowledged(Exception):
    """Missing acknowledgement: the person sees that the app did not answer."""


@dataclass(slots=True, eq=False)
class Envelope:
    """Payload being sent to the app; `attempt` counts from 0, `reason` is that of the last retry."""

    kind: Kind
    payload: Json
    made_at: float
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    attempt: int = 0
    reason: str = ""


class Delivery(Protocol):
    """Transport to the app: Socket Mode or HTTP mode."""

    @property
    def app_active(self) -> bool:
        """Return whether the app can be reached, which its green dot shows."""

    def publish(self, envelope: Envelope) -> None:
        """Send an event; it stays until it is acknowledged or given up."""

    async def ask(self, kind: Kind, payload: Json) -> Json:
        """Send a person's action; return the app's answer, {} if it is empty. Raises Unacknowledged."""

    async def close(self) -> None:
        """Stop sending."""
