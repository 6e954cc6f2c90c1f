"""Addresses: where the messages can be changed whose buttons somebody has pressed (Slack's `response_url`).

Lost with the process; what stands then is changed in the ordinary way, or stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import Clock

LIFE = timedelta(minutes=29)
"""How long an address is used; Slack takes it for thirty minutes."""

USES = 5
"""How often Slack takes one."""


@dataclass
class _Address:
    url: str
    until: datetime
    uses: int = 0


@dataclass(kw_only=True)
class Addresses:
    """The newest address of each message, by its thread and who sees it or its ts."""

    clock: Clock
    _known: dict[tuple[str, str], _Address] = field(default_factory=dict)

    def remember(self, key: tuple[str, str], url: str) -> None:
        """Take the address of a press."""
        now = self.clock.now()
        self._known = {known: each for known, each in self._known.items() if each.until > now}
        self._known[key] = _Address(url, now + LIFE)

    @property
    def known(self) -> tuple[tuple[str, str], ...]:
        """The messages that have one."""
        return tuple(self._known)

    def use(self, key: tuple[str, str], *, spare: int = 0) -> str | None:
        """The address, once more; `None` when it is too old or only `spare` uses are left of it."""
        address = self._known.get(key)
        if address is None or address.until <= self.clock.now() or address.uses >= USES - spare:
            return None
        address.uses += 1
        return address.url

    def give_back(self, key: tuple[str, str]) -> None:
        """Count a use that sent nothing for none."""
        if address := self._known.get(key):
            address.uses -= 1

    def forget(self, key: tuple[str, str]) -> None:
        """Use it no more."""
        self._known.pop(key, None)
