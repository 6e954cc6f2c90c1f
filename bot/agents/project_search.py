"""Search of one project by the keyword engine, in one synchronous call that reads and ranks its files.

Request and result are plain data, so that the call may run in a thread or in another process.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from bot import isolation
from bot.agents.cited_places import CitedPlaces
from bot.agents.overlaps import merge_overlaps
from bot.decide.retrieval.confidence import NO_CONFIDENCE, MatchConfidence
from bot.decide.retrieval.path_patterns import is_below
from bot.decide.retrieval.stemmer import beginning, irregular_forms
from bot.errors import ToolError
from bot.models.findings import MAX_REFERENCES
from bot.tools.index.project import candidates
from bot.tools.index.refresh import MOST_SECONDS
from bot.tools.note_folders import search_notes
from bot.tools.roots import keep_home
from bot.tools.search import SearchMatches, find_text, find_words, list_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.agents.bounced_drafts import Bounced
    from bot.agents.keyword_answer import Cited
    from bot.decide.retrieval.project_fit import ProjectTermCounts
    from bot.decide.retrieval.query import Query
    from bot.decide.values.value import Value
    from bot.isolation import Mode
    from bot.models.project import Project
    from bot.tools.index.project import Candidates
    from bot.tools.note_folders import FoundNotes

_MOST_FOLLOWED = 3
"""Number of best definitions whose constants are followed."""
_FILES_FOLLOWED = 40
_MOST_NAMES = 30
"""Maximum of names from previously cited lines that are searched for a definition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRequest:
    """Question to one project."""

    project: Project
    question: str
    """Text to search for."""
    query: Query
    bounced: Bounced
    index: Path
    """Folder of indexes."""
    folder: str = "."
    """Folder of the project to which the search is limited."""
    parts: tuple[tuple[str, Query], ...] = ()
    """Separate questions of the text, each searched by itself."""
    patience: float = MOST_SECONDS
    """Seconds to wait for an incomplete index; after that ripgrep searches without it."""


@dataclass(frozen=True, slots=True)
class ProjectMatches:
    """Places of one project, and the confidence in them."""

    project: Project
    cited: tuple[Cited, ...] = ()
    confidence: MatchConfidence = NO_CONFIDENCE
    files: int = 0
    failure: str = ""
    kept_count: int = 0
    """Number of references of the previous draft that stay."""
    term_counts: ProjectTermCounts | None = None
    """Terms of the question that the project as a whole has; `None` where it could not be searched."""
    is_outdated: bool = False
    """True if the index is incomplete, or old enough to be refreshed."""

    @property
    def answers(self) -> bool:
        """Return whether a place was found that probably answers the question."""
        return bool(self.cited) and (self.confidence.good or self.cited[0].is_pointed_at)


def begin_searching(home: Path, mode: Mode) -> None:
    """Prepare a worker process for searches: the bot's home, and the isolation of the programs that it starts."""
    isolation.configure(mode).demand()
    keep_home(home)


def search_project(request: ProjectRequest) -> ProjectMatches:
    """Search one project, blocking: run ripgrep, read files and rank them. A failed search is a result, too.

    Raises `Misconfigured` when ripgrep is not installed.
    """
    whole = _search(request)
    if not request.parts or whole.failure:
        return whole
    parts = [_search(replace(request, question=text, query=part_query, parts=())) for text, part_query in request.parts]
    return _combine(whole, [match for match in parts if match.answers])


def _combine(whole: ProjectMatches, parts: Sequence[ProjectMatches]) -> ProjectMatches:
    """Combine the places of several questions, the first of each first; use the whole text where none has an answer."""
    if not parts:
        return whole
    rows = zip_longest(*(part.cited for part in parts))
    cited = merge_overlaps(candidate for row in rows for candidate in row if candidate)[:MAX_REFERENCES]
    sure = max((part.confidence for part in parts), key=lambda candidate: candidate.share)
    return replace(whole, cited=tuple(cited), confidence=sure)


def _search(request: ProjectRequest) -> ProjectMatches:
    project, bounced = request.project, request.bounced
    shows = bounced.correction.shows
    try:
        indexed = candidates(request.index, project, request.query, request.folder, request.patience, request.question)
        request = replace(request, query=indexed.query) if indexed else request
        sources, paths, named, notes = asyncio.run(_find(request, indexed))
        citations = CitedPlaces(project, request.question, request.query, sources, paths, notes, indexed)
        citations.read(bounced)
        values = citations.values(bounced, [file.path for file in named.files[:40]]) if shows else []
        values = _follow_constants(project, citations, values)
    except ToolError as error:
        return ProjectMatches(project, failure=str(error))
    cited = citations.choose(bounced, values)
    sure = citations.confidence(cited, is_first=bounced.correction.is_guessed)
    kept_count, old = sum(passage.is_kept for passage in cited), indexed is None or indexed.is_outdated
    return ProjectMatches(
        project, cited, sure, citations.files, kept_count=kept_count, term_counts=citations.term_counts, is_outdated=old
    )


async def _find(
    request: ProjectRequest, indexed: Candidates | None
) -> tuple[tuple[SearchMatches, ...], tuple[str, ...], SearchMatches, FoundNotes]:
    """Search for the question's words and texts, all paths, names of previously cited lines, and notes."""
    project, wanted, bounced = request.project, request.query, request.bounced
    names = sorted(bounced.names, key=lambda name: (-len(name), name))[:_MOST_NAMES] if bounced.correction.shows else []
    sources: tuple[SearchMatches, ...]
    if indexed:
        paths, sources = indexed.paths, (SearchMatches(indexed.matches),)
        named = await find_text(project.root, names, project.ignore)
    else:
        words, texts, listed, named = await asyncio.gather(
            _find_stems(project, wanted),
            find_text(project.root, wanted.literals, project.ignore),
            list_files(project.root, project.ignore),
            find_text(project.root, names, project.ignore),
        )
        sources = _keep_below(words, request.folder), _keep_below(texts, request.folder)
        paths = tuple(path for path in listed if is_below(request.folder, path))
    named = _keep_below(named, request.folder)
    notes = await search_notes(project, _list_prefixes(wanted.stems), wanted.literals, paths)
    return sources, paths, named, notes


def _keep_below(matches: SearchMatches, folder: str) -> SearchMatches:
    return SearchMatches(tuple(file for file in matches.files if is_below(folder, file.path)), matches.is_cut)


async def _find_stems(project: Project, wanted: Query) -> SearchMatches:
    """Search for the terms; in a too large project, for the longer half of them."""
    stems = wanted.stems
    matches = await find_words(project.root, _list_prefixes(stems), project.ignore)
    if matches.is_cut:
        longer = sorted(stems, key=lambda stem: (-len(stem), stem))[: (len(stems) + 1) // 2]
        matches = await find_words(project.root, _list_prefixes(longer), project.ignore)
    return matches


def _list_prefixes(stems: Sequence[str]) -> list[str]:
    return [start for stem in stems for start in (beginning(stem), *irregular_forms(stem))]


def _follow_constants(project: Project, citations: CitedPlaces, values: Sequence[Value]) -> list[Value]:
    """Return the values; the first few that name a constant come after the constant itself."""
    names = list(
        dict.fromkeys(value.definition.follows for value in values[:_MOST_FOLLOWED] if value.definition.follows)
    )
    if not names:
        return list(values)
    places = asyncio.run(find_text(project.root, names, project.ignore))
    paths = [file.path for file in places.files[:_FILES_FOLLOWED]]
    followed: list[Value] = []
    for at, value in enumerate(values):
        name = value.definition.follows if at < _MOST_FOLLOWED else ""
        constant = citations.constant(name, paths, value.path) if name else None
        followed += [constant.evolved(value.score), value] if constant else [value]
    return followed
