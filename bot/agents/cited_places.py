"""Cited places: what the keyword engine cites of one project, the best passages and what a bounce asked for.

Reads the files that a search found, so it works in a thread of its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.agents.bounced import Span
from bot.agents.quoting import Cited
from bot.decide.certainty import ENOUGH, Certainty, certainty
from bot.decide.code_languages import is_foreign
from bot.decide.definitions import defines, definitions
from bot.decide.echo import echoes
from bot.decide.extents import extent
from bot.decide.file_kinds import is_among
from bot.decide.ground import Ground, mentions
from bot.decide.passages import Passage, passages
from bot.decide.project_fit import Held
from bot.decide.ranking import Ranking, Rated
from bot.decide.values import Value, Values, together
from bot.errors import ToolError
from bot.tools.files import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.agents.bounced import Bounced
    from bot.decide.ground import Occurrences
    from bot.decide.terms import Query
    from bot.models.findings import EvidenceRef
    from bot.models.project import Project
    from bot.tools.note_folders import FoundNotes
    from bot.tools.search import Found

FILES_READ = 40
"""Files of a project that are read and cut into passages, the most promising ones."""
_DENSEST = 200
"""Files that are looked through for the lines that give a name a value."""
_FILES_FOR_VALUES = 40
"""Further files that are read where a definition is to be shown, those with the most telling lines."""
_MOST_FILES = 3
_MOST_VALUES = 4
_SECOND_VALUE = 0.45
"""A further definition is shown from this share of the first one's score on."""
_BLOCK = 0.7
"""The same for one that shows a whole type."""
_AGAIN = 0.4
"""What a passage of the bounced draft still counts."""
_FOREIGN = 0.7
"""What a passage counts that is code of a language which the project does not name."""
_ASKED_FOR = 3.0
"""What a passage gains in a file of a kind that was asked for."""
_SAME_FILE = 0.7
"""What the other passages of its file still count."""
_WORTH_SHOWING = 0.4
"""A passage is shown when it scores at least this share of the best one."""
_SECOND_LOOK = 0.85
"""A second passage of the best file is shown from this share on."""


class CitedPlaces:
    """The places of one project for one question."""

    def __init__(
        self,
        project: Project,
        question: str,
        wanted: Query,
        sources: Sequence[Found],
        paths: tuple[str, ...],
        notes: FoundNotes,
    ) -> None:
        found: dict[str, Occurrences] = {}
        for source in (*sources, notes.words, notes.texts):
            for matches in source.files:
                found[matches.path] = [*found.get(matches.path, ()), (matches.lines, matches.words)]
        self._project, self._question, self._wanted = project, question, wanted
        self._paths, self._notes = (*paths, *notes.paths), notes.files
        self._ground = Ground(wanted, found, self._paths, frozenset(notes.paths))
        self._ranking = Ranking(self._ground)
        self._texts: dict[str, tuple[str, ...]] = {}
        self._cut: set[str] = set()
        """Files that were cut into passages."""
        self._rated: list[Rated] = []

    def read(self, bounced: Bounced) -> None:
        """Read the most promising files and rate their passages."""
        for path in self._ground.best_files(FILES_READ):
            if lines := self._text(path):
                self._cut.add(path)
                self._ground.leave_out(path, echoes(self._question, path, lines))
                self._rated += self._ranking.rate(path, lines, passages(path, lines))
        if bounced.correction.shows:
            self._read_definitions()

    def values(self, bounced: Bounced, named: Iterable[str]) -> list[Value]:
        """The definitions that may show what was asked for, best first; `named` are files with names cited before."""
        spans = [span for ref in bounced.refs if ref.kind == "file" and (span := Span.of(ref.ref))]
        cited = {span.path for span in spans}
        for path in dict.fromkeys([*sorted(cited), *named]):
            self._text(path)
        gone = [span for ref in bounced.gone if (span := Span.of(ref))]
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
        """Where a constant gets its value; the file `near` comes first, tests last."""
        best: tuple[float, Value] | None = None
        for path in dict.fromkeys([near, *paths]):
            lines = self._text(path)
            for one in definitions(path, lines or ()):
                if one.name.rsplit(".", 1)[-1] == name and one.grade >= 0.7:
                    start, end = extent(path, lines or (), one)
                    score = one.grade * self._ground.standing(path) * (2.0 if path == near else 1.0)
                    if best is None or score > best[0]:
                        best = score, Value(score, path, one, start, end)
        return best[1] if best else None

    def chosen(self, bounced: Bounced, values: Sequence[Value] = ()) -> tuple[Cited, ...]:
        """What is cited: the definitions asked for, what stays of the draft before, then the best passages."""
        kept = [cited for ref in bounced.kept if (cited := self._kept(ref))]
        shown = self._shown(values, kept)
        fixed = [*shown, *(one for one in kept if all(one.ref != other.ref for other in shown))]
        kinds = bounced.correction.wanted
        lacks = bool(kinds) and not any(is_among(one.rated.path, kinds) for one in fixed)
        room = max(_MOST_FILES - len(fixed), int(lacks))
        if not fixed:
            return self._with_note(bounced, self._best(bounced, fixed, _MOST_FILES))
        found = (*fixed, *(self._best(bounced, fixed, room)[:room] if room > 0 else ()))
        return self._as_notes(tuple(sorted(found, key=lambda one: not is_among(one.rated.path, kinds))))

    def certainty(self, cited: Sequence[Cited]) -> Certainty:
        """How sure the engine may be of the best of the places."""
        asked_for = [one for one in cited[1:] if one.sets or one.stays]
        found = [certainty(self._ground, self._ranking, one.rated) for one in (*cited[:1], *asked_for)]
        return max(found, key=lambda one: one.share, default=certainty(self._ground, self._ranking, None))

    @property
    def files(self) -> int:
        """How many files there were to search."""
        return len(self._paths)

    @property
    def held(self) -> Held:
        """What the project as a whole holds of the question."""
        numbers = range(len(self._wanted.terms))
        own, kin = tuple(map(self._ground.own, numbers)), tuple(map(self._ground.kin, numbers))
        return Held(words=f"{self._project.name} {self._project.description}", files=self.files, own=own, kin=kin)

    def _text(self, path: str) -> tuple[str, ...] | None:
        """The lines of a file; `None` where it is gone or unreadable since ripgrep saw it, and so is no answer."""
        if path not in self._texts:
            try:
                note = self._notes.get(path)
                self._texts[path] = note.lines() if note else read_lines(self._project.root, path)
            except ToolError:
                return None
        return self._texts[path]

    def _read_definitions(self) -> None:
        """Read further files, those in which a line that gives a name a value holds most of the question."""
        promising: list[tuple[float, str]] = []
        for path in self._ground.densest_files(_DENSEST):
            lines = self._text(path) or ()
            held: dict[int, float] = defaultdict(float)
            for hit in self._ground.hits(path):
                if hit.line <= len(lines) and defines(lines[hit.line - 1]):
                    held[hit.line] += self._ground.worth(hit.term) * hit.share
            promising.append((-max(held.values(), default=0.0) * self._ground.standing(path), path))
        for _, path in sorted(promising)[_FILES_FOR_VALUES:]:
            if path not in self._cut:
                del self._texts[path]

    def _with_note(self, bounced: Bounced, cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
        """The places, with the best note among them where that holds enough of the question."""
        best = next((one for one in self._ordered(bounced) if one.path in self._notes), None)
        missing = best and all(one.rated.path not in self._notes for one in cited)
        if best and missing and certainty(self._ground, self._ranking, best).share >= ENOUGH:
            note = Cited.of(best, self._texts[best.path], self._ground, self._ranking)
            cited = (*cited[: _MOST_FILES - 1], note) if note else cited
        return self._as_notes(cited)

    def _as_notes(self, cited: tuple[Cited, ...]) -> tuple[Cited, ...]:
        return tuple(replace(one, kind="memory") if one.rated.path in self._notes else one for one in cited)

    def _shown(self, values: Sequence[Value], kept: Sequence[Cited]) -> list[Cited]:
        shown: list[Cited] = []
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

    def _kept(self, ref: EvidenceRef) -> Cited | None:
        """A reference of the draft before, as it stood there; `None` where its lines have changed."""
        span = Span.of(ref.ref) if ref.kind in ("file", "memory") else None
        lines = self._text(span.path) if span else None
        if span is None or lines is None or "\n".join(lines[span.start - 1 : span.end]) != ref.quote:
            return None
        return Cited.kept(self._at(span.path, span.start), lines, span.start, span.end, self._ground, self._ranking)

    def _at(self, path: str, line: int) -> Rated:
        """The passage around a line, rated."""
        parts = [part for part in passages(path, self._texts[path]) if part.start <= line <= part.end]
        rated = self._ranking.rate(path, self._texts[path], parts)
        return rated[0] if rated else Rated(path, parts[0] if parts else Passage(line, line), 0.0, {})

    def _best(self, bounced: Bounced, fixed: Sequence[Cited], most: int) -> tuple[Cited, ...]:
        """Passages with their quotes: the best of each of the best files, then a second one of the first file."""
        chosen: list[Cited] = []
        second: Cited | None = None
        for one in self._ordered(bounced):
            if len(chosen) == most or (chosen and one.score < _WORTH_SHOWING * chosen[0].rated.score):
                break
            if any(other.rated.path == one.path for other in fixed):
                continue
            seen = [cited for cited in chosen if cited.rated.path == one.path]
            if seen and (second or seen[0] is not chosen[0] or one.score < _SECOND_LOOK * chosen[0].rated.score):
                continue
            cited = Cited.of(one, self._texts[one.path], self._ground, self._ranking)
            if cited is None:
                continue
            if seen:
                second = cited
            else:
                chosen.append(cited)
        return (*chosen, second) if second else tuple(chosen)

    def _ordered(self, bounced: Bounced) -> list[Rated]:
        """Best first, without what was taken out; code of a foreign language comes further down, and so does what the
        bounced draft cited, where that was called wrong as a whole. Neither where the question or the feedback names
        the file.
        """
        gone = [span for ref in bounced.gone if (span := Span.of(ref))]
        before = [span for ref in bounced.lower if (span := Span.of(ref))]

        def score(one: Rated) -> float:
            if mentions(self._wanted.favoured, one.path):
                return one.score
            spans = [span for span in before if span.path == one.path]
            repeated = any(span.meets(one.path, one.passage.start, one.passage.end) for span in spans)
            wanted = _ASKED_FOR if is_among(one.path, bounced.correction.wanted) else 1.0
            known = _FOREIGN if is_foreign(one.path, self._project.languages) else 1.0
            return wanted * known * one.score * (_AGAIN if repeated else _SAME_FILE if spans else 1.0)

        left = [
            one
            for one in self._rated
            if (mentions(self._wanted.favoured, one.path) or not bounced.refuses(one.path))
            and not any(span.meets(one.path, one.passage.start, one.passage.end) for span in gone)
        ]
        return sorted(left, key=lambda one: (-score(one), one.path, one.passage.start))
