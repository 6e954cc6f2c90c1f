"""Names that an order may use: projects, channels, commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """The names as they are now (`NamesPort`). `channel_names` are those of the watched channels, by id."""

    registry: Projects
    channel_names: Mapping[str, str]
    commands: Collection[str]

    @property
    def projects(self) -> tuple[str, ...]:
        """Return the names of projects and of their roots."""
        return (*self.registry.names, *(part.name for part in self.registry.configured()))

    @property
    def channels(self) -> tuple[str, ...]:
        """Return the ids and the names of watched channels."""
        return (*self.channel_names, *self.channel_names.values())
