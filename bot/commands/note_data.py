"""Data of notes and documents, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.command_data.notes import NoteData, NotesData, NoteTextData, SpecData, SpecsNotesData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.note import Note
    from bot.tools.specs import Spec


def build_notes(project: str, notes: Sequence[Note]) -> NotesData:
    """Build the notes of a project."""
    return NotesData(project=project, notes=tuple(map(_build_note, notes)))


def build_text(project: str, name: str, title: str, lines: Sequence[str], first: int, last: int) -> NoteTextData:
    """Build lines `first` to `last` of a note."""
    text = "\n".join(lines[first - 1 : last])
    return NoteTextData(project=project, name=name, title=title, first=first, last=last, lines=len(lines), text=text)


def build_comparison(project: str, documents: Sequence[Spec], notes: Sequence[Note]) -> SpecsNotesData:
    """Build the documents of a project beside its notes."""
    names = {note.name for note in notes}
    specs = tuple(
        SpecData(
            path=spec.path,
            title=spec.title,
            bytes=spec.size,
            changed_at=spec.changed_at,
            note=f"{spec.stem}.md" if f"{spec.stem}.md" in names else None,
        )
        for spec in documents
    )
    return SpecsNotesData(project=project, specs=specs, notes=tuple(map(_build_note, notes)))


def _build_note(note: Note) -> NoteData:
    return NoteData(name=note.name, title=note.title, bytes=note.size, changed_at=note.changed_at)
