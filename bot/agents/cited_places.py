"""Places to cite from one project: the best passages, and the places that a bounce asked for.

Reads the files that a search found, so it runs in a worker thread.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import BouncedLines
from bot.agents.cited_calls import find_cited_calls
from bot.agents.keyword_answer import Cited
from bot.agents.lead_signals import weigh_lead
from bot.agents.manual_passages import put_manual_first
from bot.agents.overlaps import merge_overlaps
from bot.agents.rated_passages import RatedPassages
from bot.decide.bounce.file_kinds import is_among
from bot.decide.retrieval.confidence import ENOUGH, MatchConfidence, compute_confidence
from bot.decide.retrieval.index import SearchIndex
from bot.decide.retrieval.project_fit import ProjectTermCounts
from bot.decide.retrieval.question_echo import find_echoes
from bot.decide.retrieval.ranking import Ranking, Rated
from bot.decide.retrieval.requested_kinds import asks_for_document
from bot.decide.retrieval.user_question import asks_a_manual
from bot.decide.values.definition_cache import known_definitions
from bot.decide.values.definitions import defines
from bot.decide.values.extents import extent
from bot.decide.values.leading_value import choose_leading
from bot.decide.values.value import Value, merge_values
from bot.decide.values.value_ranking import ValueRanking
from bot.models.findings import MAX_REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.agents.bounced_drafts import Bounced
    from bot.decide.retrieval.index import Occurrences
    from bot.decide.retrieval.query import Query
    from bot.models.project import Project
    from bot.tools.index.project import Candidates
    from bot.tools.note_folders import FoundNotes
    from bot.tools.search import SearchMatches

from bot.agents.reopened_places import MOST_VALUES, ProjectTexts, ReopenedPlaces

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
        occurrences: dict[str, Occurrences] = {}
        for source in (*sources, notes.words, notes.texts):
            for matches in source.files:
                occurrences[matches.path] = [*occurrences.get(matches.path, ()), (matches.lines, matches.words)]
        self._project, self._question, self._wanted = project, question, wanted
        self._paths, self._notes = (*paths, *notes.paths), notes.files
        self._indexed = indexed
        self._texts = ProjectTexts(project, notes.files, indexed, dict(indexed.texts) if indexed else {})
        looked_at = (*indexed.texts, *notes.paths) if indexed else self._paths
        survey = indexed.survey if indexed else None
        self._index = SearchIndex(wanted, occurrences, looked_at, frozenset(notes.paths), survey)
        self._ranking = Ranking(self._index)
        self._cut: set[str] = set()
        """Files that were split into passages."""
        self._passages = RatedPassages(self._index, self._ranking, self._texts.by_path, project.languages)
        self._reopened = ReopenedPlaces(self._texts, self._index, self._ranking, self._passages, self._paths)

    def read(self, bounced: Bounced) -> None:
        """Read the best files and rate their passages."""
        for path in self._index.best_files(FILES_READ):
            if lines := self._texts.read(path):
                self._cut.add(path)
                self._index.leave_out(path, find_echoes(self._question, path, lines))
                rated = self._ranking.rate(path, lines, self._texts.passages(path))
                self._passages.rated += map(self._combine_scores, rated)
        if bounced.correction.shows:
            self._read_definitions(guessed=bounced.correction.is_guessed)

    def values(self, bounced: Bounced, named: Iterable[str]) -> list[Value]:
        """Return the definitions that may answer the question, best first; `named` are files with names cited
        before."""
        spans = [span for ref in bounced.refs if ref.kind == "file" and (span := BouncedLines.parse(ref.ref))]
        cited = {span.path for span in spans}
        for path in dict.fromkeys([*sorted(cited), *named]):
            self._texts.read(path)
        removed_spans = bounced.removed_spans
        weighed = ValueRanking(
            search_index=self._index,
            correction=bounced.correction,
            before=bounced.names,
            files=frozenset(cited),
            spans=tuple((span.path, span.start, span.end) for span in spans),
            question=self._question,
        ).rate(self._texts.by_path)
        return [
            value
            for value in weighed
            if not bounced.refuses(value.path)
            and not any(span.meets(value.path, value.start, value.end) for span in removed_spans)
        ]

    def constant(self, name: str, paths: Iterable[str], near: str) -> Value | None:
        """Return the definition of a constant; the file `near` comes first, tests last."""
        best: tuple[float, Value] | None = None
        for path in dict.fromkeys([near, *paths]):
            lines = self._texts.read(path)
            for definition in known_definitions(path, lines or ()):
                if definition.name.rsplit(".", 1)[-1] == name and definition.grade >= 0.7:
                    start, end = extent(path, lines or (), definition)
                    score = definition.grade * self._index.file_prior(path) * (2.0 if path == near else 1.0)
                    if best is None or score > best[0]:
                        best = score, Value(score, path, definition, start, end)
        return best[1] if best else None

    def choose(self, bounced: Bounced, values: Sequence[Value] = ()) -> tuple[Cited, ...]:
        """Choose the passages to cite: requested definitions, kept references, then the best passages."""
        kept_passages = [cited for ref in bounced.kept_references if (cited := self._reopened.reopen_reference(ref))]
        named = self._reopened.find_named(bounced, kept_passages)
        if bounced.correction.is_guessed:
            values = choose_leading(values, self._question, self._wanted, self._project.languages, self._project.name)
            if bounced.is_fresh and (
                calls := find_cited_calls(
                    self._question, self._wanted, self._texts.by_path, partial(self._texts.rate_line, self._ranking)
                )
            ):
                return tuple(calls)
        fixed = merge_overlaps([*named, *self._show_values(values, [*named, *kept_passages]), *kept_passages])
        kinds = bounced.correction.wanted
        lacks = bool(kinds) and not any(is_among(passage.rated.path, kinds) for passage in fixed)
        searches = bool(bounced.correction.words)
        room = max(_MOST_FILES - len(fixed), int(lacks or searches))
        if fixed and (bounced.correction.is_alone or (named and not searches)):
            room = 0
        if not fixed:
            selected = self._passages.best(bounced, fixed, _MOST_FILES)
            wants_document = asks_for_document(self._question)
            is_of_use = wants_document or (not self._wanted.literals and asks_a_manual(self._question))
            if bounced.correction.is_guessed and is_of_use:
                ground, ranking, removed_spans = self._index, self._ranking, bounced.removed_spans
                selected = put_manual_first(
                    selected,
                    ground,
                    ranking,
                    self._paths,
                    self._texts.read,
                    asked_for=wants_document,
                    removed=removed_spans,
                )
            return self._with_note(bounced, selected)
        new = self._passages.best(bounced, fixed, room)[:room] if room > 0 else ()
        selected = (*fixed[: MAX_REFERENCES - len(new)], *new)
        order = sorted(
            selected, key=lambda passage: (not passage.is_pointed_at, not is_among(passage.rated.path, kinds))
        )
        return self._as_notes(tuple(order))

    def confidence(self, cited: Sequence[Cited], *, is_first: bool = True) -> MatchConfidence:
        """Return the confidence in the best of the cited passages."""
        asked_for = [passage for passage in cited[1:] if passage.sets or passage.is_kept]
        confidences = [
            compute_confidence(
                self._index, self._ranking, passage.rated, (passage.quote.start, passage.quote.end), passage.sets
            )
            for passage in (*cited[:1], *asked_for)
        ]
        best = max(
            confidences, key=lambda passage: passage.share, default=compute_confidence(self._index, self._ranking, None)
        )
        return weigh_lead(best, cited, self._passages.rated, self._wanted, self._question, is_first=is_first)

    @property
    def files(self) -> int:
        """Return the number of files that could be searched."""
        return len(self._paths)

    @property
    def term_counts(self) -> ProjectTermCounts:
        """Return the question's terms that the project as a whole has."""
        term_files, synonym_files = (
            tuple(map(count, range(len(self._wanted.terms))))
            for count in (self._index.own, self._index.count_synonym_files)
        )
        return ProjectTermCounts(
            name_and_description=f"{self._project.name} {self._project.description}",
            file_count=self.files,
            term_files=term_files,
            synonym_files=synonym_files,
        )

    def _combine_scores(self, rated: Rated) -> Rated:
        """Return a passage with its ranking score and its BM25 score combined."""
        if self._indexed is None:
            return rated
        other = self._indexed.scores.get((rated.path, rated.passage.start), 0.0) * self._index.file_prior(rated.path)
        return replace(rated, score=(1 - _BM25) * rated.score + _BM25 * other)

    def _read_definitions(self, *, guessed: bool) -> None:
        """Read further files: those with a definition that has most of the question's terms."""
        promising: list[tuple[float, str]] = []
        for path in self._index.densest_files(_DENSEST_GUESSED if guessed else _DENSEST):
            lines = self._texts.read(path) or ()
            scores: dict[int, float] = defaultdict(float)
            for hit in self._index.hits(path):
                if hit.line <= len(lines) and defines(lines[hit.line - 1]):
                    scores[hit.line] += self._index.worth(hit.term) * hit.share
            promising.append((-max(scores.values(), default=0.0) * self._index.file_prior(path), path))
        limit = _FILES_FOR_GUESSES if guessed else _FILES_FOR_VALUES
        for _, path in sorted(promising)[limit:]:
            if path not in self._cut:
                self._texts.by_path.pop(path, None)  # an unreadable file is not among them

    def _with_note(self, bounced: Bounced, cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
        """Add the best note where it has enough of the question's terms."""
        best = next((passage for passage in self._passages.ordered(bounced) if passage.path in self._notes), None)
        missing = best and all(passage.rated.path not in self._notes for passage in cited)
        if best and missing and compute_confidence(self._index, self._ranking, best).share >= ENOUGH:
            note = Cited.from_rated(best, self._texts.by_path[best.path], self._index, self._ranking)
            cited = (*cited[: _MOST_FILES - 1], note) if note else cited
        return self._as_notes(cited)

    def _as_notes(self, cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
        return tuple(
            replace(passage, kind="memory") if passage.rated.path in self._notes else passage for passage in cited
        )

    def _show_values(self, values: Sequence[Value], kept_passages: Sequence[Cited]) -> list[Cited]:
        definitions: list[Cited] = []
        values = [value for value in values if value.holds or not values[0].holds]
        best = values[0].score if values else 0.0
        for value in merge_values(
            [
                value
                for value in values
                if value.score >= best * (_BLOCK if value.definition.kind == "block" else _SECOND_VALUE)
            ]
        ):
            if len(definitions) == MOST_VALUES:
                break
            holding = [cited for cited in (*definitions, *kept_passages) if cited.holds(value)]
            if holding:
                definitions += [] if holding[0] in definitions else [holding[0].with_definition(value)]
                continue
            lines = self._texts.by_path[value.path]
            if cited := Cited.defining(
                self._texts.rate_line(self._ranking, value.path, value.definition.line), lines, value
            ):
                definitions.append(cited)
        return definitions
