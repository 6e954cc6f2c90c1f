"""Commands on the notes and files of a project."""

from __future__ import annotations

from bot.commands import inputs_work
from bot.commands.command import IRREVERSIBLE, READ, REVERSIBLE, CommandSpec

SPECS = (
    CommandSpec(
        name="list_notes",
        summary="lists the notes of a project",
        input=inputs_work.AnyProjectInput,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="read_note",
        summary="shows a note by its title, from a line on; `previous=true` the one before its last change",
        input=inputs_work.ReadNote,
        role="operator",
        tier=READ,
        untrusted="code",
    ),
    CommandSpec(
        name="write_note",
        summary="writes a note or replaces its text; the version before is kept",
        deed="a note was written",
        input=inputs_work.NoteText,
        role="operator",
        tier=REVERSIBLE,
        rest=True,
    ),
    CommandSpec(
        name="append_note",
        summary="adds to a note, with date and author; creates the note if there is none",
        deed="text was added to a note",
        input=inputs_work.NoteText,
        role="operator",
        tier=REVERSIBLE,
        rest=True,
    ),
    CommandSpec(
        name="restore_note",
        summary="takes back the last change of a note; the same command again brings the change back",
        deed="the last change of a note was taken back",
        input=inputs_work.OfNote,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="delete_note",
        summary="deletes a note and its earlier version",
        deed="a note was deleted",
        input=inputs_work.OfNote,
        role="admin",
        tier=IRREVERSIBLE,
        names="title",
    ),
    CommandSpec(
        name="compare_specs_notes",
        summary="lists the documents of a project (Markdown in docs and specs) beside its notes, to show gaps",
        input=inputs_work.AnyProjectInput,
        role="operator",
        tier=READ,
        untrusted="code",
    ),
    CommandSpec(
        name="read_file",
        summary="shows lines of a file of a project, as far as agents may read it too",
        input=inputs_work.ReadProjectFile,
        role="operator",
        tier=READ,
        untrusted="code",
    ),
    CommandSpec(
        name="search_files",
        summary="finds a text in the files of a project, or with `mode=names` files by a pattern such as src/**/*.py",
        input=inputs_work.SearchProject,
        role="operator",
        tier=READ,
        untrusted="code",
        rest=True,
    ),
)
