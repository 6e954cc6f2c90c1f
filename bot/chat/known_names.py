"""Names that an order may be about: projects, channels, commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.orders import Known

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """`channel_names` are those of the watched channels, by id."""

    projects: Projects
    channel_names: Mapping[str, str]
    commands: Collection[str]

    def now(self) -> Known:
        """Return the names as they are now."""
        return Known(
            projects=(*self.projects.names, *(part.name for part in self.projects.known())),
            channels=(*self.channel_names, *self.channel_names.values()),
            commands=self.commands,
        )
