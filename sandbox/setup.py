"""Options of a workspace."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.delivery import ACK_TIMEOUT, RETRY_AFTER
from sandbox.models import Person
from sandbox.required_scopes import CONNECTIONS_SCOPE
from sandbox.sockets import PING_EVERY
from sandbox.workspace import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Options of a workspace, the keyword arguments of `Sandbox.start`."""

    data: Path | None = None
    """File that keeps messages, channels and undelivered events across restarts."""
    manifest: Path | None = None
    """App manifest whose scopes, events, commands and shortcuts apply. Without one nothing is limited."""
    app_token_scopes: frozenset[str] = frozenset({CONNECTIONS_SCOPE})
    """Scopes of the app-level token, which is made apart from the manifest."""
    events_url: str | None = None
    """HTTP mode: URL on this machine that gets everything instead of Socket Mode."""
    signing_secret: str = field(default="", repr=False)
    """Signing secret of HTTP mode."""
    rate_limits: bool = False
    """True to refuse calls beyond the rate limit of their method's tier."""
    shared: bool = False
    """Slack Connect: start with a second company, and a channel shared with it."""
    grid: bool = False
    """Enterprise Grid: start with a second workspace of the same company, and a channel of both."""
    people: Sequence[Person] = ()
    """Further people of the app's team, members of each channel."""
    hints: Mapping[str, str] = field(default_factory=dict)
    """By the id of a channel: a text that the page shows there while nothing was said."""
    notice: str = ""
    """Line that the page shows below its name."""
    clock: Clock = time.time
    """Clock: seconds since 1970."""
    ack_timeout: float = ACK_TIMEOUT
    retry_after: Sequence[float] = RETRY_AFTER
    ping_every: float = PING_EVERY
