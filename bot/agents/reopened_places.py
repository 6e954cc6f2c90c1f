"""Texts of the files of a project, and the places of them that an operator named or a previous draft cited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import BouncedLines, find_matching_files
from bot.agents.keyword_answer import Cited
from bot.agents.quote_comparison import is_same_text
from bot.decide.retrieval.passages import Passage, split_passages
from bot.decide.retrieval.ranking import Ranking, Rated
from bot.decide.retrieval.snippets import stretch
from bot.decide.values.definitions import MOST_LINES
from bot.errors import ToolError
from bot.tools.files import read_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.agents.bounced_drafts import Bounced
    from bot.agents.rated_passages import RatedPassages
    from bot.decide.bounce.places import BouncedPlace
    from bot.decide.retrieval.index import SearchIndex
    from bot.models.findings import EvidenceRef
    from bot.models.project import Project
    from bot.tools.index.project import Candidates
    from bot.tools.note_folders import NoteFile


MOST_VALUES = 4
"""Maximum number of definitions, or of places that an operator named, in one draft."""
_NAMED_LINES = 3
"""Lines shown after a named line."""


@dataclass
class ProjectTexts:
    """Lines of a project's files, read once each for one question; starts from those of the index."""

    project: Project
    notes: Mapping[str, NoteFile]
    indexed: Candidates | None
    by_path: dict[str, tuple[str, ...]]

    def read(self, path: str) -> tuple[str, ...] | None:
        """Return the lines of a file; `None` where it is missing or unreadable since the search."""
        if path not in self.by_path:
            try:
                note = self.notes.get(path)
                self.by_path[path] = note.lines() if note else read_lines(self.project.root, path)
            except ToolError:
                return None
        return self.by_path[path]

    def passages(self, path: str) -> Sequence[Passage]:
        """Return the passages of a file that was read, from the index where the file is unchanged."""
        indexed = self.indexed.parts.get(path) if self.indexed else None
        return indexed or split_passages(path, self.by_path[path])

    def rate_line(self, ranking: Ranking, path: str, line: int) -> Rated:
        """Rate the passage around a line of a file that was read."""
        parts = [part for part in self.passages(path) if part.start <= line <= part.end]
        rated = ranking.rate(path, self.by_path[path], parts)
        return rated[0] if rated else Rated(path, parts[0] if parts else Passage(line, line), 0.0, {})


@dataclass(frozen=True)
class ReopenedPlaces:
    """Places that are opened by file and line, not by search."""

    texts: ProjectTexts
    index: SearchIndex
    ranking: Ranking
    passages: RatedPassages
    paths: tuple[str, ...]

    def find_named(self, bounced: Bounced, kept_passages: Sequence[Cited]) -> list[Cited]:
        """Return the passages for the places that an operator named: a kept reference, else the named lines."""
        named = []
        for place in bounced.correction.places[:MOST_VALUES]:
            holding = [
                passage
                for passage in kept_passages
                if place.covers(passage.rated.path, passage.quote.start, passage.quote.end)
            ][:1]
            for path in () if holding else find_matching_files(place, self.paths):
                holding += [cited] if (cited := self._open_place(place, path, bounced)) else []
            named += [replace(passage, is_pointed_at=True) for passage in holding]
        return named

    def _open_place(self, place: BouncedPlace, path: str, bounced: Bounced) -> Cited | None:
        """Return the lines of a named place; without line numbers, the best passage of its file."""
        lines = self.texts.read(path) or ()
        best = next((passage for passage in self.passages.ordered(bounced) if passage.path == path), None)
        if best and not 0 < place.first <= len(lines):
            return Cited.from_rated(best, lines, self.index, self.ranking)
        first = place.first if 0 < place.first <= len(lines) else 1
        line = next((at for at in range(first, len(lines) + 1) if lines[at - 1].strip()), 0)
        last = min(max(place.last, first + _NAMED_LINES), line + MOST_LINES)
        if not line or not (snippet := stretch(lines, line, last, line)):
            return None
        cited = Cited.from_reference(
            self.texts.rate_line(self.ranking, path, line), lines, snippet.start, snippet.end, self.index, self.ranking
        )
        return replace(cited, is_kept=False)

    def reopen_reference(self, ref: EvidenceRef) -> Cited | None:
        """Return a reference of the previous draft with its lines; `None` where they have changed."""
        span = BouncedLines.parse(ref.ref) if ref.kind in ("file", "memory") else None
        lines = self.texts.read(span.path) if span else None
        if span is None or lines is None or not is_same_text(lines[span.start - 1 : span.end], ref.quote):
            return None
        return Cited.from_reference(
            self.texts.rate_line(self.ranking, span.path, span.start),
            lines,
            span.start,
            span.end,
            self.index,
            self.ranking,
        )
