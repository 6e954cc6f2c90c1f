"""Keyword engine: an investigator without a model and without a key.

It turns the question into terms, searches all projects and their notes with ripgrep, ranks the passages, and returns
findings that quote the best ones, or say that there is no good one. After a bounce it keeps the references that were
not called wrong, and looks for the requested definition.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import Bounced
from bot.agents.draft_wording import draft_answer, draft_without_answer, fits_draft
from bot.agents.keyword_answer import sanitize_words
from bot.agents.keyword_incident import draft_incident, is_incident, propose_runbook
from bot.agents.project_search import ProjectRequest, search_project
from bot.agents.recent_changes import describe_commit, find_recent_changes
from bot.decide.bounce.correction import Correction, read_bounce
from bot.decide.retrieval.project_fit import project_fits
from bot.decide.retrieval.query import build_query
from bot.decide.retrieval.question_parts import question_parts
from bot.decide.values.place_question import asks_for_place
from bot.decide.values.value_question import asks_for_value
from bot.errors import ToolError
from bot.models.findings import MAX_REFERENCES, EngineReport, EvidenceRef
from bot.models.reasons import BOUNCED
from bot.tools.index.places import indexes_of_process

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from bot.agents.project_search import ProjectMatches
    from bot.decide.redaction.redactor import Redactor
    from bot.decide.retrieval.query import Query
    from bot.models.findings import Assignment, InvestigatorReturn
    from bot.models.project import Project
    from bot.tools.commits import Commit

    Search = Callable[[ProjectRequest], Awaitable[ProjectMatches]]

MOST_CHANGES = 3
"""Commits that a draft on an alert names."""
_CHANGES_HEAD = "Changed lately in the code that the alert names:"
_SUBJECT = 100
"""Characters of a commit's subject in a draft."""
_AT_ONCE = 2
"""Projects searched concurrently."""
_ASKS = re.compile(r"[?\uff1f\u061f]")
_NAMES_CODE = re.compile(r"\w_\w|[a-z][A-Z]|\w[./]\w|`")


class KeywordEngine:
    """Engine that answers by searching and quoting; its confidence is `medium` at best."""

    name = "keyword"

    def __init__(
        self, search: Search | None = None, indexes: Path | None = None, redactor: Redactor | None = None
    ) -> None:
        """Set the search function, the folder of indexes, and the redactor of commit messages.

        Without `search`, projects are searched in threads of this process; without a folder, indexes last as long as
        the process.
        """
        self._search = search or _in_thread
        self._indexes = indexes
        self._redactor = redactor

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return the findings from the best matching project; a project named in the question comes first.

        Raises `Misconfigured` when ripgrep is not installed, and `ToolError` when no project, or the named one, can be
        searched.
        """
        if is_incident(assignment):
            return await draft_incident(assignment, self.name, self._redactor)
        correction = await asyncio.to_thread(_correction, assignment)
        bounced = _read_bounce(assignment, correction)
        wanted, best = await self._look(assignment, bounced)
        may_say_more = best and not best.answers and bounced.was_answer
        if best and may_say_more and await asyncio.to_thread(_says_nothing, assignment, correction, wanted, best):
            bounced = _read_bounce(assignment, correction.keep_all(len(bounced.refs)))
            wanted, best = await self._look(assignment, bounced)
        if best and best.failure:
            raise ToolError(best.failure)
        proposed = propose_runbook(assignment)
        if best is None:
            return EngineReport(
                project="",
                engine=self.name,
                findings=draft_without_answer("", wanted, assignment.round).evolve(proposed_runbook=proposed),
                found_nothing=True,
            )
        changes = await self._find_changes(assignment, best.project)
        is_denied = bool(assignment.denied) and _goes_on(assignment) and not assignment.feedback
        answers = best.answers and not is_denied and (bounced.was_answer or correction.is_about_content)
        findings = _findings(best, wanted, assignment.round, answers=answers).evolve(proposed_runbook=proposed)
        findings = self._with_changes(findings, changes, first=not answers)
        return EngineReport(
            project=best.project.name,
            engine=self.name,
            findings=findings.evolve(alternatives_dropped=bounced.dropped) if bounced.dropped else findings,
            found_nothing=not answers,
            chance=best.confidence.chance if answers and bounced.correction.is_guessed else None,
        )

    async def _find_changes(self, assignment: Assignment, project: Project) -> tuple[Commit, ...]:
        """Return the last commits to the code that an alert names; none for other questions."""
        if assignment.alert is None:
            return ()
        return (await find_recent_changes(assignment.alert, project, assignment.folder)).commits

    def _with_changes(
        self, findings: InvestigatorReturn, changes: Sequence[Commit], *, first: bool
    ) -> InvestigatorReturn:
        """Return findings with the newest of these commits, in the draft and as references, which code checks.

        They are as many as the limits of a draft allow; `first` puts them before the rest.
        """
        newest = changes[: min(MOST_CHANGES, MAX_REFERENCES - len(findings.evidence_refs))]
        for count in range(len(newest), 0, -1):
            refs = tuple(self._cite(commit) for commit in newest[:count])
            listed = "\n".join((_CHANGES_HEAD, *(self._list(commit) for commit in newest[:count])))
            parts, order = (findings.draft_reply, listed), (findings.evidence_refs, refs)
            draft = "\n\n".join(reversed(parts) if first else parts)
            if fits_draft(draft):
                return findings.evolve(
                    draft_reply=draft,
                    evidence_refs=tuple(ref for each in (reversed(order) if first else order) for ref in each),
                )
        return findings

    def _cite(self, commit: Commit) -> EvidenceRef:
        """Return the reference to a commit, with words of others only if secrets can be removed from them."""
        line = self._redactor.redact(describe_commit(commit)) if self._redactor else f"A commit of {commit.day}."
        return EvidenceRef(kind="git_commit", ref=commit.sha[:12], supports_claim=line)

    def _list(self, commit: Commit) -> str:
        """Return the row of a commit, without markup; words of others as in its reference."""
        row = f"- `{commit.sha[:12]}` of {commit.day}"
        if self._redactor is None:
            return row
        author, subject = map(self._redactor.redact, (commit.author, commit.message.partition("\n")[0]))
        return f"{row} by {sanitize_words(author) or 'nobody named'}: {sanitize_words(subject, _SUBJECT)}"

    async def _look(self, assignment: Assignment, bounced: Bounced) -> tuple[Query, ProjectMatches | None]:
        """Return the query, and the matches of the best project; `None` without projects."""
        text, correction = await asyncio.to_thread(_search_text, assignment), bounced.correction
        names = [project.name for project in assignment.projects]
        favoured = [path for place in correction.places for path in place.paths]
        wanted = await asyncio.to_thread(build_query, text, correction.words, names, favoured)
        apart = not assignment.feedback and assignment.previous is None
        parts = await asyncio.to_thread(question_parts, text, names) if apart else ()
        index = self._indexes or indexes_of_process()
        semaphore = asyncio.Semaphore(_AT_ONCE)

        async def search(project: Project) -> ProjectMatches:
            request = ProjectRequest(
                project=project,
                question=text,
                query=wanted,
                bounced=bounced,
                index=index,
                folder=assignment.folder,
                parts=parts,
            )
            async with semaphore:
                return await self._search(request)

        outcomes = await asyncio.gather(*(search(project) for project in assignment.projects))
        return wanted, _choose_project(outcomes, wanted, f"{text}\n{assignment.feedback or ''}".lower())


async def _in_thread(request: ProjectRequest) -> ProjectMatches:
    return await asyncio.to_thread(search_project, request)


def _search_text(assignment: Assignment) -> str:
    """Return the text to search for, with the previous question where a follow-up has little content."""
    text = _own_text(assignment)
    return f"{assignment.follows}\n{text}" if _goes_on(assignment) else text


def _own_text(assignment: Assignment) -> str:
    return assignment.question if assignment.search_text is None else assignment.search_text


def _goes_on(assignment: Assignment) -> bool:
    """Return whether the text is a follow-up with few terms."""
    if not assignment.follows:
        return False
    text = _own_text(assignment)
    own = [term for term in build_query(text).terms if term.proves]
    return not (_NAMES_CODE.search(text) or (len(own) > 1 and _ASKS.search(text)))


def _read_bounce(assignment: Assignment, correction: Correction) -> Bounced:
    """Return the previous draft; places that did not help in this thread are removed, or demoted for a new question."""
    if assignment.denied and not _goes_on(assignment):
        return replace(Bounced.from_correction(assignment.previous, correction), demoted=assignment.denied)
    return Bounced.from_correction(assignment.previous, correction, assignment.denied)


def _correction(assignment: Assignment) -> Correction:
    """Return the correction of a bounce; of a first question, an empty one."""
    refs = [ref.ref for ref in assignment.previous.evidence_refs] if assignment.previous else []
    code = next((code for code, (_, sentence) in BOUNCED.items() if sentence == assignment.bounced_as), None)
    if not assignment.feedback and code is None:
        text = _search_text(assignment)
        return Correction(demotes=True, asks_value=asks_for_value(text) or asks_for_place(text), is_guessed=True)
    return read_bounce(assignment.feedback or "", refs, code, assignment.asker)


def _says_nothing(assignment: Assignment, correction: Correction, wanted: Query, outcome: ProjectMatches) -> bool:
    """Return whether the feedback adds search terms, none of which occurs in the project."""
    if not assignment.feedback or not outcome.term_counts:
        return False
    question_words = {term.word for term in build_query(_search_text(assignment)).terms}
    feedback_words = {term.word for term in build_query("", correction.words).terms if term.proves} - question_words
    file_counts = zip(wanted.terms, outcome.term_counts.term_files, strict=True)
    return bool(feedback_words) and not any(files and term.word in feedback_words for term, files in file_counts)


def _choose_project(outcomes: Sequence[ProjectMatches], wanted: Query, text: str) -> ProjectMatches | None:
    """Return the matches of the best project; `None` without any."""
    searched = [outcome for outcome in outcomes if outcome.term_counts]
    fits = project_fits(wanted.terms, [outcome.term_counts for outcome in searched if outcome.term_counts])
    fit_by_project = {outcome.project.name: fit for outcome, fit in zip(searched, fits, strict=True)}
    return max(outcomes, key=lambda match: _fit(match, text, fit_by_project.get(match.project.name, 0.0)), default=None)


def is_named(project: str, text: str) -> bool:
    """Return whether a text in small letters has the name of a project, or of its root."""
    names = {project.lower(), *project.lower().split("/")}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def _fit(outcome: ProjectMatches, text: str, whole: float) -> tuple[bool, bool, bool, float, float, float]:
    """Return the sort key: named project, kept references, a good place, else the project's overall fit."""
    named = is_named(outcome.project.name, text)
    score = outcome.cited[0].rated.score if outcome.cited else 0.0
    good = outcome.confidence.good
    return named, bool(outcome.kept_count), good, 0.0 if good else whole, outcome.confidence.share, score


def _findings(outcome: ProjectMatches, wanted: Query, round_: int, *, answers: bool) -> InvestigatorReturn:
    if answers:
        return draft_answer(wanted, outcome.cited, outcome.confidence, round_)
    return draft_without_answer(outcome.project.name, wanted, round_, outcome.cited, outcome.confidence, outcome.files)
