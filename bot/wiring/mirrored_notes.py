"""Notes of projects with a copy of each in the home, which searches of this machine read (`ProjectNotes`)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.adapters.postgresql.notes import StoredNotes
    from bot.adapters.project_notes import ProjectNoteFiles
    from bot.models.note import Note

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class MirroredNotes:
    """The port on `stored`; `files` are the copies, in `folder`."""

    stored: StoredNotes
    files: ProjectNoteFiles
    folder: Path

    async def begin(self) -> None:
        """Make the copies those of the stored notes."""
        projects = await self.stored.list_projects()
        for gone in await asyncio.to_thread(lambda: [each.name for each in self.folder.glob("*") if each.is_dir()]):
            if gone not in projects:
                await self._copy(gone, None)
        for project in projects:
            notes = {note.name for note in await self.stored.list_all(project)}
            for name in notes | {note.name for note in await self.files.list_all(project)}:
                await self._copy(project, name)

    async def list_all(self, project: str) -> tuple[Note, ...]:
        """Return every note of a project, by name."""
        return await self.stored.list_all(project)

    async def read(self, project: str, name: str, *, previous: bool = False) -> str | None:
        """Return a note, or its version before the last change; `None` where there is none."""
        return await self.stored.read(project, name, previous=previous)

    async def change(self, project: str, name: str, make: Callable[[str | None], str]) -> bool:
        """Replace a note with the result of `make`; return whether there was one."""
        existed = await self.stored.change(project, name, make)
        await self._copy(project, name)
        return existed

    async def remove(self, project: str, name: str) -> bool:
        """Remove a note and its previous version; return whether there was one."""
        existed = await self.stored.remove(project, name)
        await self._copy(project, name)
        return existed

    async def remove_all(self, project: str) -> int:
        """Remove every note of a project; return the number of notes."""
        count = await self.stored.remove_all(project)
        await self._copy(project, None)
        return count

    async def _copy(self, project: str, name: str | None) -> None:
        """Copy a stored note, or its absence; without `name` remove the copies of a project."""
        try:
            content = await self.stored.read(project, name) if name else None
            if name and content is not None:
                await self.files.change(project, name, lambda _: content)
            elif name:
                await self.files.remove(project, name)
            else:
                await self.files.remove_all(project)
        except Refused as problem:  # the stored note is right; the copy is made again at the next start
            log.warning("the copy of the notes of %s is behind: %s", project, problem)
