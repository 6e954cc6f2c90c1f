"""Index of one project: opened, refreshed, and queried for candidate files of a question."""

from __future__ import annotations

import logging
import sqlite3
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from bot.decide.retrieval.file_prior import file_prior, is_generated
from bot.decide.retrieval.index import Survey, keys_of
from bot.decide.retrieval.language_ports import select_unnamed_ports
from bot.decide.retrieval.passages import Passage, split_passages
from bot.decide.retrieval.query import FOLDED
from bot.decide.retrieval.spelling import correct_spelling
from bot.decide.retrieval.spoken_texts import VerbatimTexts, with_literals
from bot.decide.retrieval.word_keys import WordFinder
from bot.errors import ToolError
from bot.tools.files import lines_of, read_content
from bot.tools.index.content import name_of
from bot.tools.index.current import current
from bot.tools.index.lookup import Key, look_up
from bot.tools.index.places import place_of
from bot.tools.index.refresh import MOST_SECONDS
from bot.tools.index.store import BrokenIndex, remove
from bot.tools.search import FileMatches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from bot.decide.retrieval.query import Query
    from bot.models.project import Project
    from bot.tools.index.lookup import Hits, Snapshot
    from bot.tools.index.store import IndexStore

_log = logging.getLogger(__name__)

_MOST_PASSAGES = 600
"""Maximum number of passages from the index for a question."""
_MOST_FILES = 48
"""Maximum number of files that are read for these passages."""
_SECOND = 0.3
"""Share of the second-best passage's score that is added to its file's score."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate files for a question, with their content."""

    query: Query
    """Query in the project's spelling."""
    survey: Survey
    paths: tuple[str, ...]
    """All paths of the project."""
    texts: Mapping[str, tuple[str, ...]]
    """Lines of the candidate files."""
    matches: tuple[FileMatches, ...]
    """Matches of the question's words in them."""
    parts: Mapping[str, tuple[Passage, ...]]
    """Passages of the files that are unchanged since they were indexed."""
    scores: Mapping[tuple[str, int], float]
    """BM25 of each passage, by its file and its first line."""
    is_outdated: bool = False
    """True if the tree should be scanned again."""


def candidates(
    folder: Path,
    project: Project,
    query: Query,
    below: str = ".",
    patience: float = MOST_SECONDS,
    question: str = "",
) -> Candidates | None:
    """Return the candidate files `below` a folder of the project; spend up to `patience` seconds on indexing.

    `None` if the index is incomplete or cannot be used, so that the files must be searched.

    Raises `ToolError` if the project's folder cannot be read.
    """
    for can_retry in (True, False):
        try:
            with current(folder, project, below, patience) as now:
                result = _read(now.store, now.snapshot, project, query, question) if now.tree.is_complete else None
                return replace(result, is_outdated=now.tree.is_outdated) if result else None
        except (BrokenIndex, OSError) as problem:
            _log.warning("The index of %s cannot be used: %s", project.name, problem)
            return None
        except (sqlite3.DatabaseError, ValueError, IndexError, KeyError) as problem:  # damaged or foreign content
            if is_busy(problem):
                _log.warning("The index of %s cannot be used: %s", project.name, problem)
                return None
            _log.warning("The index of %s is broken and is rebuilt", project.name)
            remove(place_of(folder, project))
            if not can_retry:
                return None
    return None


def is_busy(problem: Exception) -> bool:
    """Return whether an index is intact, but cannot be used for now."""
    return isinstance(problem, sqlite3.OperationalError) and any(
        word in str(problem) for word in ("locked", "full", "disk I/O", "readonly", "unable to open")
    )


def _run_query(store: IndexStore, snap: Snapshot, query: Query, question: str) -> tuple[Query, Hits]:
    """Return the query in the project's spelling, and the index's result for it."""
    query = replace(query, port_folders=select_unnamed_ports(snap.ports, question))
    hits = _look_up_query(store, snap, query)
    nowhere = {at for at in range(len(query.terms)) if not hits.own[at]}
    if not nowhere:
        return query, hits

    def words(start: str) -> Counter[str]:
        counts: Counter[str] = Counter()
        for segment in snap.segments:
            counts.update(dict(store.keys_from(segment, start)))
        return counts

    spelt = correct_spelling(query, question, nowhere, words)
    return (query, hits) if spelt == query else (spelt, _look_up_query(store, snap, spelt))


def _look_up_query(store: IndexStore, snap: Snapshot, query: Query) -> Hits:
    return look_up(store, snap, _keys(query), len(query.terms), FOLDED, _MOST_PASSAGES)


def _keys(query: Query) -> dict[str, list[Key]]:
    return {
        key: [Key(term, share, query.terms[term].weight) for term, share in each]
        for key, each in keys_of(query).items()
    }


def _read(store: IndexStore, snap: Snapshot, project: Project, query: Query, question: str) -> Candidates:
    query, hits = _run_query(store, snap, query, question)
    by_path: dict[str, dict[int, tuple[int, float]]] = {}
    for (blob, ordinal), score in hits.scores.items():
        for number in snap.holders.get(blob, ())[:2]:
            by_path.setdefault(snap.paths[number], {})[ordinal] = (blob, score)
    ranked = sorted(by_path, key=lambda path: (-_file_score(query, path, by_path[path], hits), path))
    named = [path for path in hits.on_path if path not in by_path]
    files = list(_read_files(project, ranked, named))
    spoken = VerbatimTexts(question)
    messages = spoken.find(lines for _, _, lines in files)
    query = with_literals(query, messages, leads=spoken.leads(messages))
    finder = WordFinder(_keys(query), query.literals)
    texts: dict[str, tuple[str, ...]] = {}
    parts: dict[str, tuple[Passage, ...]] = {}
    scores: dict[tuple[str, int], float] = {}
    matches: list[FileMatches] = []
    generated: set[str] = set()
    for path, content, lines in files:
        texts[path] = lines
        if is_generated(lines):
            generated.add(path)
        passage_hits = by_path.get(path, {})
        if passage_hits:
            name, cut = store.passages(next(iter(passage_hits.values()))[0])
            if name == name_of(path, content):
                file_passages = [Passage(first, last, names) for first, last, names in cut] or split_passages(
                    path, lines
                )
                parts[path] = tuple(file_passages)
                scores |= {
                    (path, file_passages[at].start): score
                    for at, (_, score) in passage_hits.items()
                    if at < len(file_passages)
                }
        numbers, words = finder.find(lines)
        if numbers:
            matches.append(FileMatches(path, numbers, words))
    query = replace(query, generated=frozenset(generated))
    survey = Survey(hits.files, hits.holders, hits.own, hits.synonyms)
    return Candidates(query, survey, snap.listed, texts, tuple(matches), parts, scores)


_MAX_GENERATED = 8
"""Maximum number of generated files among the candidates."""
_MOST_TRIED = 2 * _MOST_FILES
_MOST_NAMED = 8
"""Maximum number of files that are read for their path alone."""
_PATH = 0.4
"""Weight of a path's words in a file's score."""


def _read_files(
    project: Project, ranked: Iterable[str], named: Iterable[str]
) -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
    """Read the best files; limit generated ones, which would crowd out others."""
    own = generated = 0
    by_name = list(islice(named, _MOST_NAMED))
    for path in [*islice(ranked, _MOST_TRIED), *by_name]:
        if own >= _MOST_FILES and path not in by_name:
            continue
        try:
            content = read_content(project.root, path)
        except ToolError:  # gone since
            continue
        lines = lines_of(content)
        by_a_tool = is_generated(lines)
        generated, own = generated + by_a_tool, own + (not by_a_tool)
        if not by_a_tool or generated <= _MAX_GENERATED:
            yield path, content, lines


def _file_score(query: Query, path: str, passage_hits: Mapping[int, tuple[int, float]], hits: Hits) -> float:
    scores = sorted((score for _, score in passage_hits.values()), reverse=True)
    best = scores[0] + (_SECOND * scores[1] if len(scores) > 1 else 0.0)
    return (best + _PATH * hits.on_path.get(path, 0.0)) * file_prior(query, path)
