"""Watched channels: read-only views of their names from the settings and their current modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.status import Mode


@dataclass(frozen=True)
class Watched:
    """Watched channel with its current mode."""

    name: str
    mode: Mode


class WatchedChannels(Mapping[str, Watched]):
    """Live view of watched channels over `names` and `modes`."""

    def __init__(self, names: Mapping[str, str], modes: Mapping[str, Mode]) -> None:
        self._names = names
        self._modes = modes
        self._known: dict[str, Watched] = {}

    def __getitem__(self, channel: str) -> Watched:
        """Return a channel as it is now; cached, since each message asks several times."""
        name, mode, cached = self._names[channel], self._modes[channel], self._known.get(channel)
        if cached is None or cached.mode != mode or cached.name != name:
            cached = self._known[channel] = Watched(name, mode)
        return cached

    def __contains__(self, channel: object) -> bool:
        return channel in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class ChannelNames(Mapping[str, str]):
    """Live view of the names of watched channels."""

    def __init__(self, watched: Mapping[str, Watched]) -> None:
        self._watched = watched

    def __getitem__(self, channel: str) -> str:
        """Return the current name."""
        return self._watched[channel].name

    def __iter__(self) -> Iterator[str]:
        return iter(self._watched)

    def __len__(self) -> int:
        return len(self._watched)
