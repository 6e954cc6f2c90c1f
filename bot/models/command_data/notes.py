"""Data of `list_notes`, `read_note` and `compare_specs_notes`."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class NoteData(Fact):
    """A note as an entry of a list."""

    name: str
    title: str
    bytes: int
    changed_at: UtcTime


class NotesData(Fact):
    """Notes of a project."""

    project: str
    notes: tuple[NoteData, ...]


class NoteTextData(Fact):
    """Lines of a note."""

    project: str
    name: str
    title: str
    first: int
    last: int
    lines: int
    """Number of lines of the whole note."""
    text: str
    """Lines `first` to `last`, in Markdown; each passage begins with a comment that names its author."""


class SpecData(Fact):
    """A document of a project."""

    path: str
    title: str
    bytes: int
    changed_at: UtcTime | None
    note: str | None
    """Name of the note of the same name or title."""


class SpecsNotesData(Fact):
    """Documents of a project beside its notes."""

    project: str
    specs: tuple[SpecData, ...]
    notes: tuple[NoteData, ...]
    without_note: tuple[str, ...]
    """Paths of the documents that no note corresponds to."""
    without_spec: tuple[str, ...]
    """Names of the notes that no document corresponds to."""
