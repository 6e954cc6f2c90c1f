"""Data of notes and documents, without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.note_names import name_for_title
from bot.models.command_data.notes import NoteData, NotesData, NoteTextData, SpecData, SpecsNotesData

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
            note=_find_note(spec, names),
        )
        for spec in documents
    )
    found = {spec.note for spec in specs}
    return SpecsNotesData(
        project=project,
        specs=specs,
        notes=tuple(map(_build_note, notes)),
        without_note=tuple(spec.path for spec in specs if spec.note is None),
        without_spec=tuple(note.name for note in notes if note.name not in found),
    )


def _find_note(spec: Spec, names: Collection[str]) -> str | None:
    """Return the note with the file name of a document, or with its title."""
    return next((name for name in (f"{spec.stem}.md", name_for_title(spec.title)) if name in names), None)


def _build_note(note: Note) -> NoteData:
    return NoteData(name=note.name, title=note.title, bytes=note.size, changed_at=note.changed_at)
