"""The options of a workspace."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.delivery import ACK_TIMEOUT, RETRY_AFTER
from sandbox.sockets import PING_EVERY
from sandbox.workspace import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How a workspace is to be; `Sandbox.start` takes these by name."""

    data: Path | None = None
    """Keep messages, channels and what is on its way in this file."""
    manifest: Path | None = None
    """Obey this app manifest: its scopes, events, commands and shortcuts. Without one nothing is limited."""
    events_url: str | None = None
    """HTTP mode: POST everything to this address on this machine instead of over Socket Mode."""
    signing_secret: str = field(default="", repr=False)
    """What HTTP mode signs with."""
    rate_limits: bool = False
    """Refuse calls that come more often than their method's tier allows."""
    shared: bool = False
    """Slack Connect: begin with a second company, and a channel shared with it."""
    grid: bool = False
    """Enterprise Grid: begin with a sister workspace of the same company, and a channel of both."""
    clock: Clock = time.time
    """The time of day in seconds."""
    ack_timeout: float = ACK_TIMEOUT
    retry_after: Sequence[float] = RETRY_AFTER
    ping_every: float = PING_EVERY
