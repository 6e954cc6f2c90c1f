"""The keyword engine: an investigator without a model and without a key.

Called by `triage/effects` as any engine is. It turns the question into terms, lets ripgrep find them in every
project, ranks the passages, and hands back findings that quote the best ones, or say that there is nothing good.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.quoting import Cited, answer, nothing
from bot.decide.certainty import NOT_SURE, Certainty, certainty
from bot.decide.code_languages import is_foreign
from bot.decide.echo import echoes
from bot.decide.ground import Ground, mentions
from bot.decide.passages import passages
from bot.decide.ranking import Ranking, Rated
from bot.decide.stems import beginning, irregular_forms
from bot.decide.terms import query
from bot.errors import ToolError
from bot.models.findings import Report
from bot.tools.files import read_lines
from bot.tools.search import Found, find_text, find_words, list_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.terms import Query
    from bot.models.findings import Assignment, InvestigatorReturn
    from bot.models.project import Project

FILES_READ = 40
"""Files of a project that are read and cut into passages, the most promising ones."""
_AT_ONCE = 2
"""Projects searched side by side."""
_MOST_FILES = 3
_AGAIN = 0.4
"""What a passage of the bounced draft still counts."""
_FOREIGN = 0.7
"""What a passage counts that is code of a language which the project does not name."""
_SAME_FILE = 0.7
"""What the other passages of its file still count."""
_WORTH_SHOWING = 0.4
"""A passage is shown when it scores at least this share of the best one."""
_SECOND_LOOK = 0.85
"""A second passage of the best file is shown from this share on."""
_REF = re.compile(r"(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the search of one project came to."""

    project: Project
    cited: tuple[Cited, ...] = ()
    certainty: Certainty = NOT_SURE
    files: int = 0
    failure: str = ""

    @property
    def answers(self) -> bool:
        """Whether a place was found that may well answer the question."""
        return bool(self.cited) and self.certainty.good


class KeywordEngine:
    """Answers by searching and quoting; its confidence is `medium` at best."""

    name = "keyword"

    async def investigate(self, assignment: Assignment) -> Report:
        """The findings from the project that fits best, a project named in the question before all others.

        Raises `Misconfigured` when ripgrep is not installed.
        """
        names = [project.name for project in assignment.projects]
        text = _search_text(assignment)
        wanted = await asyncio.to_thread(query, text, assignment.feedback or "", names)
        seats = asyncio.Semaphore(_AT_ONCE)

        async def search(project: Project) -> Outcome:
            async with seats:
                return await self._search(project, assignment, wanted)

        outcomes = await asyncio.gather(*(search(project) for project in assignment.projects))
        said = f"{text}\n{assignment.feedback or ''}".lower()
        best = max(outcomes, key=lambda outcome: _fit(outcome, said), default=None)
        if best is None:
            return Report(
                project="", engine=self.name, findings=nothing("", wanted, assignment.round), found_nothing=True
            )
        return Report(
            project=best.project.name,
            engine=self.name,
            findings=_findings(best, wanted, assignment.round),
            found_nothing=not best.answers,
        )

    async def _search(self, project: Project, assignment: Assignment, wanted: Query) -> Outcome:
        try:
            words, texts, paths = await asyncio.gather(
                _find(project, wanted),
                find_text(project.root, wanted.literals, project.ignore),
                list_files(project.root, project.ignore),
            )
        except ToolError as error:
            return Outcome(project, failure=str(error))
        question, before = _search_text(assignment), _cited_before(assignment.previous)
        return await asyncio.to_thread(_ranked, project, question, wanted, (words, texts), paths, before)


def _search_text(assignment: Assignment) -> str:
    return assignment.question if assignment.search_text is None else assignment.search_text


async def _find(project: Project, wanted: Query) -> Found:
    """Where the terms stand; in a project too large for all of them, where the longer half stands."""
    stems = wanted.stems
    found = await find_words(project.root, _beginnings(stems), project.ignore)
    if found.cut:
        longer = sorted(stems, key=lambda stem: (-len(stem), stem))[: (len(stems) + 1) // 2]
        found = await find_words(project.root, _beginnings(longer), project.ignore)
    return found


def _beginnings(stems: Sequence[str]) -> list[str]:
    return [start for stem in stems for start in (beginning(stem), *irregular_forms(stem))]


def _ranked(
    project: Project,
    question: str,
    wanted: Query,
    sources: Sequence[Found],
    paths: tuple[str, ...],
    before: Sequence[tuple[str, int, int]],
) -> Outcome:
    """The passages to cite from one project; runs in a thread, because it reads files and counts."""
    found: dict[str, list[tuple[Sequence[int], Sequence[str]]]] = {}
    for source in sources:
        for matches in source.files:
            found.setdefault(matches.path, []).append((matches.lines, matches.words))
    ground = Ground(wanted, found, paths)
    ranking = Ranking(ground)
    rated: list[Rated] = []
    texts: dict[str, tuple[str, ...]] = {}
    for path in ground.best_files(FILES_READ):
        try:
            texts[path] = read_lines(project.root, path)
        except ToolError:
            continue  # gone or unreadable since ripgrep saw it: then it is no answer either
        ground.leave_out(path, echoes(question, path, texts[path]))
        rated += ranking.rate(path, texts[path], passages(path, texts[path]))
    rated = _ordered(rated, before, wanted, project.languages)
    cited = _cite(ground, ranking, rated, texts)
    best = cited[0].rated if cited else None
    return Outcome(project, cited, certainty(ground, ranking, best), len(paths))


def _ordered(
    rated: Sequence[Rated], before: Sequence[tuple[str, int, int]], wanted: Query, languages: tuple[str, ...]
) -> list[Rated]:
    """Best first; code of a foreign language comes further down, and so does what the bounced draft cited.

    Neither where the question or the feedback names the file.
    """

    def score(one: Rated) -> float:
        if mentions(wanted.favoured, one.path):
            return one.score
        spans = [(start, end) for path, start, end in before if path == one.path]
        repeated = any(start <= one.passage.end and end >= one.passage.start for start, end in spans)
        known = _FOREIGN if is_foreign(one.path, languages) else 1.0
        return known * one.score * (_AGAIN if repeated else _SAME_FILE if spans else 1.0)

    return sorted(rated, key=lambda one: (-score(one), one.path, one.passage.start))


def _cite(
    ground: Ground, ranking: Ranking, rated: Sequence[Rated], texts: dict[str, tuple[str, ...]]
) -> tuple[Cited, ...]:
    """Passages with their quotes: the best of each of the best files, then a second one of the first file."""
    chosen: list[Cited] = []
    second: Cited | None = None
    for one in rated:
        if len(chosen) == _MOST_FILES or (chosen and one.score < _WORTH_SHOWING * chosen[0].rated.score):
            break
        seen = [cited for cited in chosen if cited.rated.path == one.path]
        if seen and (second or seen[0] is not chosen[0] or one.score < _SECOND_LOOK * chosen[0].rated.score):
            continue
        cited = Cited.of(one, texts[one.path], ground, ranking)
        if cited is None:
            continue
        if seen:
            second = cited
        else:
            chosen.append(cited)
    return (*chosen, second) if second else tuple(chosen)


def _cited_before(previous: InvestigatorReturn | None) -> list[tuple[str, int, int]]:
    cited = []
    for reference in previous.evidence_refs if previous else ():
        if reference.kind == "file" and (found := _REF.fullmatch(reference.ref)):
            cited.append((found["path"], int(found["start"]), int(found["end"] or found["start"])))
    return cited


def _fit(outcome: Outcome, said: str) -> tuple[bool, bool, float, float]:
    names = {outcome.project.name.lower(), *outcome.project.name.lower().split("/")}
    named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in names)
    score = outcome.cited[0].rated.score if outcome.cited else 0.0
    return named, outcome.certainty.good, outcome.certainty.share, score


def _findings(outcome: Outcome, wanted: Query, round_: int) -> InvestigatorReturn:
    if outcome.answers:
        return answer(outcome.project.name, wanted, outcome.cited, outcome.certainty, round_)
    return nothing(
        outcome.project.name, wanted, round_, outcome.cited, outcome.certainty, outcome.failure, outcome.files
    )
