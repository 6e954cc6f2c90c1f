"""Folders of notes of a project: team knowledge and saved notes, with the paths that references use.

A mark of a passage's author and origin is an empty line to every reader.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.models.note import MARK
from bot.tools.files import read_lines
from bot.tools.search import FileMatches, SearchMatches, find_text, find_words, list_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from bot.models.project import Project


@dataclass(frozen=True, slots=True)
class NoteFile:
    """File of notes: `path` in `folder`."""

    folder: Path
    path: str

    def lines(self) -> tuple[str, ...]:
        """Read its lines without marks. Raises `ToolError`."""
        return tuple("" if MARK.fullmatch(line) else line for line in read_lines(self.folder, self.path))


@dataclass(frozen=True, slots=True)
class FoundNotes:
    """Result of a search in a project's notes, by the paths of references."""

    files: Mapping[str, NoteFile]
    """Files outside the project's root."""
    paths: tuple[str, ...]
    """All searched paths."""
    words: SearchMatches
    texts: SearchMatches


def reference_prefix(folder: Path, project: Project) -> str:
    """Return the prefix of a folder's paths: relative to the project's root, or the folder's name outside of it."""
    if folder == project.notes:
        return f"notes/{project.belongs_to}"
    for inner, root in ((folder, project.root), (folder.resolve(), project.root.resolve())):
        if inner.is_relative_to(root):
            return inner.relative_to(root).as_posix()
    return folder.name


def is_inside(folder: Path, project: Project) -> bool:
    """Return whether a folder is in the project's root, so that its files are the project's own."""
    return folder.is_relative_to(project.root) or folder.resolve().is_relative_to(project.root.resolve())


def note_lines(project: Project, path: str) -> tuple[str, ...] | None:
    """Read a note outside the root, by its path in references; `None` for an unknown folder.

    Raises `ToolError` if the folder is known and the file cannot be read.
    """
    problem: ToolError | None = None
    for folder in _folders(project):
        name = reference_prefix(folder, project)
        if is_inside(folder, project) or not path.startswith(f"{name}/"):
            continue
        try:
            return NoteFile(folder, path.removeprefix(f"{name}/")).lines()
        except ToolError as error:
            problem = problem or error
    if problem:
        raise problem
    return None


async def search_notes(
    project: Project, starts: Sequence[str], literals: Iterable[str], known_paths: Iterable[str]
) -> FoundNotes:
    """Search every folder of notes, without the files in `known_paths`. A folder that cannot be searched adds
    nothing."""
    files: dict[str, NoteFile] = {}
    used_paths = {*known_paths}
    paths: list[str] = []
    words: list[FileMatches] = []
    texts: list[FileMatches] = []
    for folder in _folders(project):
        if not await asyncio.to_thread(folder.is_dir):
            continue
        try:
            inner, word_matches, exact = await asyncio.gather(
                list_files(folder), find_words(folder, starts), find_text(folder, literals)
            )
        except ToolError:
            continue
        name = "" if (start := reference_prefix(folder, project)) == "." else f"{start}/"
        new = {path: f"{name}{path}" for path in inner if f"{name}{path}" not in used_paths}
        used_paths |= {*new.values()}
        paths += new.values()
        if not is_inside(folder, project):
            files |= {ref: NoteFile(folder, path) for path, ref in new.items()}
        for collected, matches in ((words, word_matches.files), (texts, exact.files)):
            collected += [
                FileMatches(new[file_matches.path], file_matches.lines, file_matches.words)
                for file_matches in matches
                if file_matches.path in new
            ]
    return FoundNotes(files, tuple(paths), SearchMatches(tuple(words)), SearchMatches(tuple(texts)))


def _folders(project: Project) -> tuple[Path, ...]:
    return (*project.knowledge, *((project.notes,) if project.notes else ()))
