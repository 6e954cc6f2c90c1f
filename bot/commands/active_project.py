"""The active project: which project a conversation is about, until somebody says another, or whose notes it takes
(spec 2, 6).

Set by the command `set_active_project`, read by the chat agent and by commands that name no project. Kept over
restarts, in `active-projects.json`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import Kept

MOST = 1_000
"""So many conversations are remembered; the one that was set first is forgotten first."""
_NOTES = "notes in "
"""Before the name of a thread that takes notes."""


@dataclass(kw_only=True)
class ActiveProjects:
    """By `Asker.conversation`. `is_there` says whether there is a project of a name: one that is gone is nobody's."""

    kept: Kept
    is_there: Callable[[str], bool]
    _chosen: dict[str, str] = field(default_factory=dict)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """Go on from what was kept."""
        said = await self.kept.read()
        self._chosen = {name: project for name, project in said.items() if isinstance(project, str)}

    def of(self, conversation: str) -> str | None:
        """The project of a conversation, where one was set and is there.

        A thread of a direct message has that of the direct message, unless it has one of its own.
        """
        project = self._chosen.get(conversation) or self._chosen.get(_direct_message(conversation))
        return project if project and self.is_there(project) else None

    def notes_of(self, conversation: str) -> str | None:
        """The project whose notes are taken in this thread."""
        project = self._chosen.get(f"{_NOTES}{conversation}")
        return project if project and self.is_there(project) else None

    async def take_notes(self, conversation: str, project: str) -> None:
        """From now on its notes are taken there. Raises `RetryLater`."""
        await self.set(f"{_NOTES}{conversation}", project)

    async def set(self, conversation: str, project: str | None) -> None:
        """Counts at once and is kept on return; `None` for no project. Raises `RetryLater`."""
        self._chosen.pop(conversation, None)
        if project is not None:
            self._chosen[conversation] = project
        for oldest in [*self._chosen][: max(0, len(self._chosen) - MOST)]:
            del self._chosen[oldest]
        await self._save()

    async def forget(self, project: str) -> None:
        """A project is deleted: another one of its name is not the one that was meant. Raises `RetryLater`."""
        self._chosen = {name: chosen for name, chosen in self._chosen.items() if chosen != project}
        await self._save()

    async def _save(self) -> None:
        async with self._saving:
            await self.kept.write(dict(self._chosen))


def _direct_message(conversation: str) -> str:
    """The channel of a thread in a direct message; nothing for any other conversation."""
    _, _, rest = conversation.partition("-")
    channel = rest.partition("-")[0]
    return channel if channel.startswith("D") else ""
