"""Name lookup in an index: definitions and calls of a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.retrieval.file_prior import file_prior
from bot.decide.retrieval.passages import defined_name, kind
from bot.decide.retrieval.query import Query
from bot.decide.retrieval.word_keys import keys_of_token
from bot.errors import ToolError
from bot.tools.files import read_lines
from bot.tools.index.current import current
from bot.tools.index.store import BrokenIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bot.models.project import Project
    from bot.tools.index.lookup import Snapshot
    from bot.tools.index.store import IndexStore

_MOST_FILES = 80
"""Maximum number of files that are read for calls."""
_MOST_PLACES = 400
_PATIENCE = 3.0
"""Seconds to wait for an unfinished index; then the known part is used."""
_DEFINED_WITHIN = 6
"""Number of lines at the start of a definition, decorators included, that may contain its name."""


@dataclass(frozen=True, slots=True)
class NamePlaces:
    """Definitions and calls of one name, by path and line."""

    definitions: tuple[tuple[str, int], ...] = ()
    calls: tuple[tuple[str, int], ...] = ()
    is_complete: bool = True
    """True if the whole project was searched."""


def find_name(folder: Path, project: Project, name: str) -> NamePlaces:
    """Find the definitions and calls of a name, code before tests. Blocking. Raises `ToolError`."""
    try:
        with current(folder, project, wait=_PATIENCE) as now:
            return _find_places(now.store, now.snapshot, project, name, complete=now.tree.is_complete)
    except (BrokenIndex, OSError) as problem:
        raise ToolError(f"The index of the project cannot be used: {problem}") from problem


def _find_places(store: IndexStore, snap: Snapshot, project: Project, name: str, *, complete: bool) -> NamePlaces:
    whole = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])", re.IGNORECASE)
    called = re.compile(
        rf"(?<![\w$]){re.escape(name)}\s{{0,4}}(?:[(!]|<[\w, ]{{1,40}}>\()|\.{re.escape(name)}(?![\w$])"
    )
    defined: dict[tuple[str, int], None] = {}
    for blob, first, _ in store.definitions(name)[:_MOST_PLACES]:
        for number in snap.holders.get(blob, ()):
            path = snap.paths[number]
            for at, line in _number_lines(project.root, path, first, first + _DEFINED_WITHIN):
                if match := whole.search(line):
                    if name in (match[0], *whole.findall(line)):
                        defined[path, at] = None
                    break
    calls = []
    for path in _files(store, snap, name):
        for at, line in _number_lines(project.root, path, 1, None):
            if name in line and called.search(line) and (path, at) not in defined and not _is_definition_of(line, name):
                calls.append((path, at))
        if len(calls) >= _MOST_PLACES:
            break
    by_kind = Query(())
    order = sorted(defined, key=lambda place: (-file_prior(by_kind, place[0]), place))
    return NamePlaces(tuple(order), tuple(calls), complete)


def _is_definition_of(line: str, name: str) -> bool:
    return kind(line) == "definition" and re.split(r"[.:]+", defined_name(line))[-1] == name


def _files(store: IndexStore, snap: Snapshot, name: str) -> list[str]:
    """Return the files that hold a name, code before tests."""
    keys = keys_of_token(name)
    if not keys:
        return []
    paths: set[str] = set()
    for number, segment in snap.segments.items():
        for _, documents, _ in store.postings(number, keys[-1:]):
            blobs = {segment.blobs[at] for at in documents}
            paths.update(snap.paths[path] for blob in blobs for path in snap.holders.get(blob, ()))
    return _choose_first(paths)


def _choose_first(paths: Iterable[str]) -> list[str]:
    query = Query(())
    return sorted(paths, key=lambda path: (-file_prior(query, path), path))[:_MOST_FILES]


def _number_lines(root: Path, path: str, first: int, last: int | None) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers; none for an unreadable file."""
    try:
        lines = read_lines(root, path)
    except ToolError:
        return
    yield from enumerate(lines[first - 1 : last], start=first)
