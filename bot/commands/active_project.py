"""Active projects: the project that each conversation is about, and the one whose notes it writes.

Set by the command `set_active_project`; read by the chat agent and by commands that name no project. Saved in
`active-projects.json`, so it survives a restart.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.ports.outbound import JsonFile
    from bot.triage.projects import Projects

MAX_CONVERSATIONS = 1_000
"""Number of conversations that are remembered; the oldest entry is dropped first."""
_NOTES = "notes in "
"""Prefix of the keys of threads that write notes."""


@dataclass(kw_only=True)
class ActiveProjects:
    """Projects by `Asker.conversation`. A deleted project is ignored."""

    file: JsonFile
    projects: Projects
    _chosen: dict[str, str] = field(default_factory=dict)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """Load the saved choices."""
        projects = await self.file.read()
        self._chosen = {name: project for name, project in projects.items() if isinstance(project, str)}

    def find_project(self, conversation: str) -> str | None:
        """Return the project of a conversation, if one is set and still exists.

        A thread in a direct message inherits the project of the direct message unless it has its own.
        """
        project = self._chosen.get(conversation) or self._chosen.get(_direct_message(conversation))
        return project if project and self.projects.is_known(project) else None

    def find_notes_project(self, conversation: str) -> str | None:
        """Return the project whose notes are written in this thread."""
        project = self._chosen.get(f"{_NOTES}{conversation}")
        return project if project and self.projects.is_known(project) else None

    async def take_notes(self, conversation: str, project: str) -> None:
        """Write this thread's notes to a project from now on. Raises `RetryLater`."""
        await self.set(f"{_NOTES}{conversation}", project)

    async def set(self, conversation: str, project: str | None) -> None:
        """Set the project of a conversation, `None` for no project; it is saved on return. Raises `RetryLater`."""
        self._chosen.pop(conversation, None)
        if project is not None:
            self._chosen[conversation] = project
        for oldest in [*self._chosen][: max(0, len(self._chosen) - MAX_CONVERSATIONS)]:
            del self._chosen[oldest]
        await self._save()

    async def forget(self, project: str) -> None:
        """Forget a deleted project, so that a new one of the same name is not taken for it. Raises `RetryLater`."""
        self._chosen = {name: chosen for name, chosen in self._chosen.items() if chosen != project}
        await self._save()

    async def _save(self) -> None:
        async with self._saving:
            await self.file.write(dict(self._chosen))


def _direct_message(conversation: str) -> str:
    """Return the channel of a thread in a direct message, else an empty string."""
    _, _, rest = conversation.partition("-")
    channel = rest.partition("-")[0]
    return channel if channel.startswith("D") else ""
