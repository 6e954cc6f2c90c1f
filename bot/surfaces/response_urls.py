"""Response URLs: addresses through which messages with pressed buttons can be changed (Slack's `response_url`).

Lost with the process; the messages are then changed in the ordinary way, or stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import Clock

LIFE = timedelta(minutes=29)
"""Lifetime of an address; Slack accepts it for thirty minutes."""

USES = 5
"""Number of times that Slack accepts one."""


@dataclass
class _Address:
    url: str
    until: datetime
    uses: int = 0


@dataclass(kw_only=True)
class ResponseUrls:
    """The newest address of each message, by its thread and its reader or ts."""

    clock: Clock
    _by_key: dict[tuple[str, str], _Address] = field(default_factory=dict)

    def remember(self, key: tuple[str, str], url: str) -> None:
        """Store the address of a press."""
        now = self.clock.now()
        self._by_key = {message_key: each for message_key, each in self._by_key.items() if each.until > now}
        self._by_key[key] = _Address(url, now + LIFE)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Return the keys of messages that have one."""
        return tuple(self._by_key)

    def use(self, key: tuple[str, str], *, spare: int = 0) -> str | None:
        """Take the address for one use; `None` if it is too old or only `spare` uses are left."""
        address = self._by_key.get(key)
        if address is None or address.until <= self.clock.now() or address.uses >= USES - spare:
            return None
        address.uses += 1
        return address.url

    def give_back(self, key: tuple[str, str]) -> None:
        """Take back a use that sent nothing."""
        if address := self._by_key.get(key):
            address.uses -= 1

    def forget(self, key: tuple[str, str]) -> None:
        """Drop the address."""
        self._by_key.pop(key, None)
