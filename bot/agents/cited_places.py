"""Places to cite from one project: the best passages, and the places that a bounce asked for.

Reads the files that a search found, so it runs in a worker thread.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import BouncedLines, matching
from bot.agents.cited_calls import cited_calls
from bot.agents.keyword_answer import Cited
from bot.agents.lead_signals import weighed
from bot.agents.manual_passages import told_first
from bot.agents.overlaps import merged
from bot.agents.rated_passages import RatedPassages
from bot.decide.bounce.file_kinds import is_among
from bot.decide.retrieval.confidence import ENOUGH, Certainty, certainty
from bot.decide.retrieval.index import SearchIndex
from bot.decide.retrieval.passages import Passage, passages
from bot.decide.retrieval.project_fit import Held
from bot.decide.retrieval.question_echo import echoes
from bot.decide.retrieval.ranking import Ranking, Rated
from bot.decide.retrieval.requested_kinds import asks_for_document
from bot.decide.retrieval.snippets import stretch
from bot.decide.retrieval.user_question import asks_a_manual
from bot.decide.values.definition_cache import known_definitions
from bot.decide.values.definitions import MOST_LINES, defines
from bot.decide.values.extents import extent
from bot.decide.values.leading_value import leading
from bot.decide.values.value import Value, together
from bot.decide.values.value_ranking import Values
from bot.errors import ToolError
from bot.models.findings import MAX_REFERENCES
from bot.tools.files import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.agents.bounced_drafts import Bounced
    from bot.decide.bounce.places import BouncedPlace
    from bot.decide.retrieval.index import Occurrences
    from bot.decide.retrieval.query import Query
    from bot.models.findings import EvidenceRef
    from bot.models.project import Project
    from bot.tools.index.project import Candidates
    from bot.tools.note_folders import FoundNotes
    from bot.tools.search import SearchMatches

FILES_READ = 40
"""Maximum of files that are read and split into passages, best first."""
_DENSEST = 200
"""Maximum of files that are searched for definitions of values."""
_DENSEST_GUESSED = 60
"""The same for a first draft."""
_FILES_FOR_GUESSES = 12
"""Maximum of further files read for a first question about a value."""
_FILES_FOR_VALUES = 40
"""Maximum of further files read for a definition, those with the most relevant lines."""
_BM25 = 0.2
"""Share of BM25 in a passage's score."""
_MOST_FILES = 3
_MOST_VALUES = 4
_NAMED_LINES = 3
"""Lines shown after a named line."""
_SECOND_VALUE = 0.45
"""Share of the best definition's score from which on another one is shown."""
_BLOCK = 0.7
"""The same for the definition of a whole type."""


class CitedPlaces:
    """Places to cite from one project for one question."""

    def __init__(
        self,
        project: Project,
        question: str,
        wanted: Query,
        sources: Sequence[SearchMatches],
        paths: tuple[str, ...],
        notes: FoundNotes,
        indexed: Candidates | None = None,
    ) -> None:
        found: dict[str, Occurrences] = {}
        for source in (*sources, notes.words, notes.texts):
            for matches in source.files:
                found[matches.path] = [*found.get(matches.path, ()), (matches.lines, matches.words)]
        self._project, self._question, self._wanted = project, question, wanted
        self._paths, self._notes = (*paths, *notes.paths), notes.files
        self._indexed = indexed
        self._texts: dict[str, tuple[str, ...]] = dict(indexed.texts) if indexed else {}
        looked_at = (*indexed.texts, *notes.paths) if indexed else self._paths
        survey = indexed.survey if indexed else None
        self._ground = SearchIndex(wanted, found, looked_at, frozenset(notes.paths), survey)
        self._ranking = Ranking(self._ground)
        self._cut: set[str] = set()
        """Files that were split into passages."""
        self._passages = RatedPassages(self._ground, self._ranking, self._texts, project.languages)

    def read(self, bounced: Bounced) -> None:
        """Read the best files and rate their passages."""
        for path in self._ground.best_files(FILES_READ):
            if lines := self._text(path):
                self._cut.add(path)
                self._ground.leave_out(path, echoes(self._question, path, lines))
                rated = self._ranking.rate(path, lines, self._parts(path))
                self._passages.rated += map(self._fused, rated)
        if bounced.correction.shows:
            self._read_definitions(guessed=bounced.correction.guessed)

    def values(self, bounced: Bounced, named: Iterable[str]) -> list[Value]:
        """Return the definitions that may answer the question, best first; `named` are files with names cited
        before."""
        spans = [span for ref in bounced.refs if ref.kind == "file" and (span := BouncedLines.of(ref.ref))]
        cited = {span.path for span in spans}
        for path in dict.fromkeys([*sorted(cited), *named]):
            self._text(path)
        gone = bounced.gone_spans
        weighed = Values(
            ground=self._ground,
            correction=bounced.correction,
            before=bounced.names,
            files=frozenset(cited),
            spans=tuple((span.path, span.start, span.end) for span in spans),
            question=self._question,
        ).rate(self._texts)
        return [
            one
            for one in weighed
            if not bounced.refuses(one.path) and not any(span.meets(one.path, one.start, one.end) for span in gone)
        ]

    def constant(self, name: str, paths: Iterable[str], near: str) -> Value | None:
        """Return the definition of a constant; the file `near` comes first, tests last."""
        best: tuple[float, Value] | None = None
        for path in dict.fromkeys([near, *paths]):
            lines = self._text(path)
            for one in known_definitions(path, lines or ()):
                if one.name.rsplit(".", 1)[-1] == name and one.grade >= 0.7:
                    start, end = extent(path, lines or (), one)
                    score = one.grade * self._ground.standing(path) * (2.0 if path == near else 1.0)
                    if best is None or score > best[0]:
                        best = score, Value(score, path, one, start, end)
        return best[1] if best else None

    def chosen(self, bounced: Bounced, values: Sequence[Value] = ()) -> tuple[Cited, ...]:
        """Choose the passages to cite: requested definitions, kept references, then the best passages."""
        kept = [cited for ref in bounced.kept if (cited := self._kept(ref))]
        named = self._named(bounced, kept)
        if bounced.correction.guessed:
            values = leading(values, self._question, self._wanted, self._project.languages, self._project.name)
            if bounced.is_fresh and (calls := cited_calls(self._question, self._wanted, self._texts, self._at)):
                return tuple(calls)
        fixed = merged([*named, *self._shown(values, [*named, *kept]), *kept])
        kinds = bounced.correction.wanted
        lacks = bool(kinds) and not any(is_among(one.rated.path, kinds) for one in fixed)
        searches = bool(bounced.correction.words)
        room = max(_MOST_FILES - len(fixed), int(lacks or searches))
        if fixed and (bounced.correction.alone or (named and not searches)):
            room = 0
        if not fixed:
            found = self._passages.best(bounced, fixed, _MOST_FILES)
            written = asks_for_document(self._question)
            is_of_use = written or (not self._wanted.literals and asks_a_manual(self._question))
            if bounced.correction.guessed and is_of_use:
                ground, ranking, gone = self._ground, self._ranking, bounced.gone_spans
                found = told_first(found, ground, ranking, self._paths, self._text, asked_for=written, gone=gone)
            return self._with_note(bounced, found)
        new = self._passages.best(bounced, fixed, room)[:room] if room > 0 else ()
        found = (*fixed[: MAX_REFERENCES - len(new)], *new)
        order = sorted(found, key=lambda one: (not one.pointed, not is_among(one.rated.path, kinds)))
        return self._as_notes(tuple(order))

    def certainty(self, cited: Sequence[Cited], *, is_first: bool = True) -> Certainty:
        """Return the confidence in the best of the cited passages."""
        asked_for = [one for one in cited[1:] if one.sets or one.stays]
        found = [
            certainty(self._ground, self._ranking, one.rated, (one.quote.start, one.quote.end), one.sets)
            for one in (*cited[:1], *asked_for)
        ]
        best = max(found, key=lambda one: one.share, default=certainty(self._ground, self._ranking, None))
        return weighed(best, cited, self._passages.rated, self._wanted, self._question, is_first=is_first)

    @property
    def files(self) -> int:
        """Return the number of files that could be searched."""
        return len(self._paths)

    @property
    def held(self) -> Held:
        """Return the question's terms that the project as a whole has."""
        own, kin = (tuple(map(count, range(len(self._wanted.terms)))) for count in (self._ground.own, self._ground.kin))
        return Held(words=f"{self._project.name} {self._project.description}", files=self.files, own=own, kin=kin)

    def _parts(self, path: str) -> Sequence[Passage]:
        """Return the passages of a file, from the index where the file is unchanged."""
        cut = self._indexed.parts.get(path) if self._indexed else None
        return cut or passages(path, self._texts[path])

    def _fused(self, one: Rated) -> Rated:
        """Return a passage with its ranking score and its BM25 score combined."""
        if self._indexed is None:
            return one
        other = self._indexed.scores.get((one.path, one.passage.start), 0.0) * self._ground.standing(one.path)
        return replace(one, score=(1 - _BM25) * one.score + _BM25 * other)

    def _text(self, path: str) -> tuple[str, ...] | None:
        """Return the lines of a file; `None` where it is missing or unreadable since the search."""
        if path not in self._texts:
            try:
                note = self._notes.get(path)
                self._texts[path] = note.lines() if note else read_lines(self._project.root, path)
            except ToolError:
                return None
        return self._texts[path]

    def _read_definitions(self, *, guessed: bool) -> None:
        """Read further files: those with a definition that has most of the question's terms."""
        promising: list[tuple[float, str]] = []
        for path in self._ground.densest_files(_DENSEST_GUESSED if guessed else _DENSEST):
            lines = self._text(path) or ()
            held: dict[int, float] = defaultdict(float)
            for hit in self._ground.hits(path):
                if hit.line <= len(lines) and defines(lines[hit.line - 1]):
                    held[hit.line] += self._ground.worth(hit.term) * hit.share
            promising.append((-max(held.values(), default=0.0) * self._ground.standing(path), path))
        most = _FILES_FOR_GUESSES if guessed else _FILES_FOR_VALUES
        for _, path in sorted(promising)[most:]:
            if path not in self._cut:
                del self._texts[path]

    def _with_note(self, bounced: Bounced, cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
        """Add the best note where it has enough of the question's terms."""
        best = next((one for one in self._passages.ordered(bounced) if one.path in self._notes), None)
        missing = best and all(one.rated.path not in self._notes for one in cited)
        if best and missing and certainty(self._ground, self._ranking, best).share >= ENOUGH:
            note = Cited.of(best, self._texts[best.path], self._ground, self._ranking)
            cited = (*cited[: _MOST_FILES - 1], note) if note else cited
        return self._as_notes(cited)

    def _as_notes(self, cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
        return tuple(replace(one, kind="memory") if one.rated.path in self._notes else one for one in cited)

    def _shown(self, values: Sequence[Value], kept: Sequence[Cited]) -> list[Cited]:
        shown: list[Cited] = []
        values = [one for one in values if one.holds or not values[0].holds]
        best = values[0].score if values else 0.0
        for one in together(
            [one for one in values if one.score >= best * (_BLOCK if one.found.kind == "block" else _SECOND_VALUE)]
        ):
            if len(shown) == _MOST_VALUES:
                break
            holding = [cited for cited in (*shown, *kept) if cited.holds(one)]
            if holding:
                shown += [] if holding[0] in shown else [holding[0].showing(one)]
                continue
            lines = self._texts[one.path]
            if cited := Cited.defining(self._at(one.path, one.found.line), lines, one):
                shown.append(cited)
        return shown

    def _named(self, bounced: Bounced, kept: Sequence[Cited]) -> list[Cited]:
        """Return the passages for the places that an operator named: a kept reference, else the named lines."""
        named = []
        for place in bounced.correction.places[:_MOST_VALUES]:
            holding = [one for one in kept if place.covers(one.rated.path, one.quote.start, one.quote.end)][:1]
            for path in () if holding else matching(place, self._paths):
                holding += [cited] if (cited := self._opened(place, path, bounced)) else []
            named += [replace(one, pointed=True) for one in holding]
        return named

    def _opened(self, place: BouncedPlace, path: str, bounced: Bounced) -> Cited | None:
        """Return the lines of a named place; without line numbers, the best passage of its file."""
        lines = self._text(path) or ()
        best = next((one for one in self._passages.ordered(bounced) if one.path == path), None)
        if best and not 0 < place.first <= len(lines):
            return Cited.of(best, lines, self._ground, self._ranking)
        first = place.first if 0 < place.first <= len(lines) else 1
        line = next((at for at in range(first, len(lines) + 1) if lines[at - 1].strip()), 0)
        last = min(max(place.last, first + _NAMED_LINES), line + MOST_LINES)
        if not line or not (found := stretch(lines, line, last, line)):
            return None
        cited = Cited.kept(self._at(path, line), lines, found.start, found.end, self._ground, self._ranking)
        return replace(cited, stays=False)

    def _kept(self, ref: EvidenceRef) -> Cited | None:
        """Return a reference of the previous draft with its lines; `None` where they have changed."""
        span = BouncedLines.of(ref.ref) if ref.kind in ("file", "memory") else None
        lines = self._text(span.path) if span else None
        if span is None or lines is None or "\n".join(lines[span.start - 1 : span.end]) != ref.quote:
            return None
        return Cited.kept(self._at(span.path, span.start), lines, span.start, span.end, self._ground, self._ranking)

    def _at(self, path: str, line: int) -> Rated:
        """Rate the passage around a line."""
        parts = [part for part in self._parts(path) if part.start <= line <= part.end]
        rated = self._ranking.rate(path, self._texts[path], parts)
        return rated[0] if rated else Rated(path, parts[0] if parts else Passage(line, line), 0.0, {})
