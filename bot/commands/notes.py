"""Notes of a project: `list_notes`, `read_note`, `write_note`, `append_note`, `restore_note`, `delete_note`.

The note itself records each author, so that their text is found again (`models/note`). A text that contains a secret is
refused as a whole; a secret in a note written by hand is redacted when it is read.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_work import AnyProjectInput, NoteText, OfNote, ReadNote
from bot.commands.note_data import build_notes, build_text
from bot.commands.registry import command
from bot.commands.search import escape_line, fit_lines
from bot.commands.state import count
from bot.decide.note_names import name_for_title
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused
from bot.models.command_data.notes import NotesData, NoteTextData
from bot.models.note import MARK, mark_passage, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.search import ProjectFinder
    from bot.models.interaction import Asker
    from bot.models.note import Note
    from bot.ports.notes import ProjectNotes
    from bot.ports.outbound import Clock

MAX_DESCRIBED = 20
"""Number of notes that one answer describes; if there are more, it gives names only."""
_NAMES_PER_ROW = 10
_LISTS = "`list_notes` names them all."
_NONE = f"No note has this title. {_LISTS}"


@dataclass(frozen=True, kw_only=True)
class NoteCommands:
    """Commands on notes. `notes` has the notes of each project by its name in the settings."""

    notes: ProjectNotes
    project_finder: ProjectFinder
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "list_notes",
        "lists the notes of a project",
        input=AnyProjectInput,
        role="operator",
        tier="read",
        untrusted="people",
        result=NotesData,
    )
    async def all(self, request: AnyProjectInput, asker: Asker) -> CommandAnswer:
        """List titles, sizes and dates."""
        project = self._project(request.project, asker)
        notes = await self.notes.list_all(project)
        line = f"{count(len(notes), 'note')} of `{escape(project)}`."
        data = build_notes(project, notes)
        line = line if notes else f"{line} `write_note` writes one."
        return CommandAnswer(line=line, rows=self._rows(notes), data=data)

    @command(
        "read_note",
        "shows a note by its title, from a line on",
        input=ReadNote,
        role="operator",
        tier="read",
        untrusted="code",
        result=NoteTextData,
    )
    async def read(self, request: ReadNote, asker: Asker) -> CommandAnswer:
        """Show as many lines of a note as one answer holds; authors and dates of passages are shown as people read
        them."""
        project = self._project(request.project, asker)
        name = name_for_title(request.title)
        content = await self.notes.read(project, name, previous=request.previous)
        if content is None:
            before = "there is no version before its last change" if request.previous else "no note has this title"
            return CommandAnswer(outcome="invalid", line=f"{before.capitalize()}. {await self._list_titles(project)}")
        lines = self.redactor.redact(content).rstrip("\n").split("\n")
        if request.first > len(lines):
            return CommandAnswer(outcome="invalid", line=f"`{name}` has {count(len(lines), 'line')}.")
        excerpt, last = fit_lines(lines, request.first, format_line=_format_line)
        more_hint = f"; `first={last + 1}` shows what follows" if last < len(lines) else ""
        title = self.redactor.redact(title_of(name, content))
        line = f"*{escape(title)}* (`{name}`, lines {request.first}-{last} of {len(lines)}{more_hint})"
        data = build_text(project, name, title, lines, request.first, last)
        return CommandAnswer(line=line, rows=tuple(excerpt), data=data)

    @command(
        "write_note",
        "writes a note or replaces its text; the version before is kept",
        input=NoteText,
        role="operator",
        tier="reversible",
        deed="a note was written",
        rest=True,
    )
    async def write(self, request: NoteText, asker: Asker) -> CommandAnswer:
        """Create a note or replace its text."""
        return await self._put(request, asker, append=False)

    @command(
        "append_note",
        "adds to a note, with date and author, or creates it",
        input=NoteText,
        role="operator",
        tier="reversible",
        deed="text was added to a note",
        rest=True,
    )
    async def append(self, request: NoteText, asker: Asker) -> CommandAnswer:
        """Add to a note, or create it."""
        return await self._put(request, asker, append=True)

    @command(
        "restore_note",
        "takes back the last change of a note; given again, it brings it back",
        input=OfNote,
        role="operator",
        tier="reversible",
        deed="the last change of a note was taken back",
    )
    async def restore(self, request: OfNote, asker: Asker) -> CommandAnswer:
        """Swap a note's text with the version before its last change."""
        project = self._project(request.project, asker)
        name = name_for_title(request.title)
        before = await self.notes.read(project, name, previous=True)
        if before is None or await self.notes.read(project, name) is None:
            return CommandAnswer(outcome="invalid", line=f"`{name}` has no earlier version. {_LISTS}")
        await self.notes.change(project, name, lambda _: before)
        return CommandAnswer(
            line=f"`{name}` is back at the version before its last change; `restore_note` again undoes this."
        )

    async def preview_delete(self, request: OfNote, asker: Asker) -> str:
        """Name the text that goes. Refuse if there is no such note."""
        project, name = self._project(request.project, asker), name_for_title(request.title)
        text = await self.notes.read(project, name)
        if text is None:
            raise NotDone(_NONE)
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"`{name}` has {count(len(text.splitlines()), 'line')}, in version `{version}`."

    @command(
        "delete_note",
        "deletes a note and its earlier version",
        input=OfNote,
        role="admin",
        tier="irreversible",
        deed="a note was deleted",
        names="title",
        preview=preview_delete,
    )
    async def delete(self, request: OfNote, asker: Asker) -> CommandAnswer:
        """Delete a note and its earlier version."""
        project = self._project(request.project, asker)
        name = name_for_title(request.title)
        if await self.notes.remove(project, name):
            return CommandAnswer(line=f"Deleted `{name}` of `{escape(project)}`.")
        return CommandAnswer(outcome="invalid", line=_NONE)

    async def _put(self, request: NoteText, asker: Asker, *, append: bool) -> CommandAnswer:
        project = self._project(request.project, asker)
        if kinds := self.redactor.kinds(f"{request.title}\n{request.content}"):
            what = escape(", ".join(kinds))
            line = (
                f"Nothing was written: the text holds what looks like a secret ({what}). Say where it is kept instead."
            )
            return CommandAnswer(outcome="invalid", line=line)
        name = name_for_title(request.title)

        def build_text(old_text: str | None) -> str:
            if old_text is not None and not _is_of(request.title, name, old_text):
                other = escape_line(self.redactor.redact(clip(title_of(name, old_text), 80)))
                wanted = f"take another title, or `{name}` in its place to change that note"
                raise Refused(f"{name} is the note {other!r}; {wanted}", code="title_taken")
            new_text = request.content if append and old_text else _with_title(request.title, request.content)
            passage = mark_passage(new_text, asker, self.clock.now())
            return f"{old_text.rstrip()}\n\n{passage}" if append and old_text is not None else passage

        try:
            was_there = await self.notes.change(project, name, build_text)
        except Refused as problem:
            return CommandAnswer(
                outcome="invalid", line=f"Nothing was written: {escape(self.redactor.redact(str(problem)))}."
            )
        if not was_there:
            return CommandAnswer(line=f"{'Created' if append else 'Written:'} `{name}` of `{escape(project)}`.")
        done = "Added to" if append else "Overwritten:"
        return CommandAnswer(line=f"{done} `{name}` of `{escape(project)}`; `restore_note` takes it back.")

    def _project(self, name: str, asker: Asker) -> str:
        return self.project_finder.find(name, asker)[0].belongs_to

    def _rows(self, notes: Sequence[Note]) -> tuple[str, ...]:
        if len(notes) > MAX_DESCRIBED:
            return _names(notes)
        return tuple(
            f"• {escape(clip(self.redactor.redact(note.title), 120))} "
            f"(`{note.name}`, {note.size:,} bytes, {moment(note.changed_at)})"
            for note in notes
        )

    async def _list_titles(self, project: str) -> str:
        notes = await self.notes.list_all(project)
        titles = ", ".join(f"`{note.name.removesuffix('.md')}`" for note in notes[:20])
        return f"The notes of `{escape(project)}`: {titles or 'none'}."


def _names(notes: Sequence[Note]) -> tuple[str, ...]:
    """List names only, several per row, since an answer is shortened by whole rows."""
    names = [note.name.removesuffix(".md") for note in notes]
    return tuple(", ".join(names[at : at + _NAMES_PER_ROW]) for at in range(0, len(names), _NAMES_PER_ROW))


def _format_line(line: str) -> str:
    """Format a line of a note; a passage's mark becomes date and author."""
    mark = MARK.fullmatch(line)
    if mark is None:
        return escape_line(line)
    at = datetime.strptime(mark["at"], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    return f"_{moment(at)}, <@{mark['user']}>_"


def _with_title(title: str, content: str) -> str:
    return content if content.lstrip().startswith("# ") else f"# {title}\n\n{content}"


def _is_of(title: str, name: str, content: str) -> bool:
    """Return whether a title means the note that has its file name: its heading, or the file name itself as lists show
    it."""
    heading, stem = title_of(name, content), name.removesuffix(".md")
    words = _split_title(title.strip().removesuffix(".md"))
    has_its_own = name_for_title(heading) != name  # the file name differs from the heading
    return words == _split_title(heading) or title.strip() in (name, stem) or (has_its_own and "-".join(words) == stem)


def _split_title(title: str) -> list[str]:
    """Normalise a title for comparison: case is ignored, accents are not."""
    return unicodedata.normalize("NFC", title).lower().split()
