"""Outbound ports of notes: files in folders of the team, and notes in the home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.models.note import Note


class NoteFiles(Protocol):
    """Writer of notes in folders that belong to the team (`bot.adapters.note_files.NoteFileWriter`)."""

    async def write(self, folder: Path, names: Sequence[str], content: str) -> str:
        """Write under the first free name and return that name; never overwrite. Raises `Refused`."""


class ProjectNotes(Protocol):
    """Notes of projects in the home (`bot.adapters.project_notes.ProjectNoteFiles`,
    `bot.adapters.postgresql.notes.StoredNotes`). `project` is a project's name, `name` a file's. Every call may raise
    `Refused`."""

    async def list_all(self, project: str) -> tuple[Note, ...]:
        """Return every note of a project, by name."""

    async def read(self, project: str, name: str, *, previous: bool = False) -> str | None:
        """Return a note, or its version before the last change; `None` where there is none."""

    async def change(self, project: str, name: str, make: Callable[[str | None], str]) -> bool:
        """Replace a note with the result of `make` and keep the previous version; return whether there was one."""

    async def remove(self, project: str, name: str) -> bool:
        """Remove a note and its previous version; return whether there was one."""

    async def remove_all(self, project: str) -> int:
        """Remove every note of a project with its previous version; return the number of notes."""
