"""Incident draft of the keyword engine: the places that name the services, and the latest commits that touched them.

It knows no cause and says so. A runbook is proposed only by the name that the settings give it for a service.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.agents.draft_wording import fits_draft
from bot.agents.keyword_answer import sanitize_words
from bot.decide.health.proposals import propose_first
from bot.decide.retrieval.incident_places import Place, find_folder, find_place, select_places
from bot.errors import ToolError
from bot.models.findings import EngineReport, EvidenceRef, InvestigatorReturn
from bot.tools import commits
from bot.tools.files import read_lines
from bot.tools.names import make_legible
from bot.tools.note_folders import search_notes
from bot.tools.search import find_text
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.findings import Assignment
    from bot.models.incident import ProposedRunbook
    from bot.models.project import Project
    from bot.tools.commits import Commit
    from bot.tools.note_folders import FoundNotes

_FILES_READ = 60
_MOST_COMMITS = 3
_SHOWN_CHARS = 100
_NAMES_SHOWN = 5
_AT_ONCE = 2
_MARKS = ".,;:!?()`'\"*_"


@dataclass(frozen=True, slots=True)
class ServicePlaces:
    """Places of one project that name the services, best first."""

    project: Project
    places: tuple[Place, ...]
    folder: str = ""
    """Folder that has the name of a service; empty without one."""
    failure: str = ""


def is_incident(assignment: Assignment) -> bool:
    """Return whether the question is an incident itself, not a person's question about it or a bounce."""
    is_first = assignment.round == 1 and assignment.previous is None and not assignment.feedback
    return bool(assignment.services) and is_first and not assignment.follows


def propose_runbook(assignment: Assignment) -> ProposedRunbook | None:
    """Return the first runbook that names an unhealthy service, without one that an operator's bounce was about.

    Where many groups failed at the same time it has to name all services: the cause is seldom one of them.
    """
    before = assignment.previous.proposed_runbook if assignment.previous else None
    is_rejected = before is not None and _is_about(before.name, assignment)
    offered = [each for each in assignment.runbooks if not (is_rejected and before and each.name == before.name)]
    if assignment.is_of_several_groups:
        offered = [each for each in offered if {*assignment.services} <= {*each.services}]
    return propose_first(assignment.services, offered)


def _is_about(runbook: str, assignment: Assignment) -> bool:
    """Return whether the feedback names a runbook, or a word of its name that is not a service's."""
    words = {word.strip(_MARKS) for word in (assignment.feedback or "").lower().split()}
    services = {part for service in assignment.services for part in service.lower().split("-")}
    return bool(words & {"runbook", runbook.lower(), *({*runbook.lower().split("-")} - services)})


async def draft_incident(assignment: Assignment, engine: str, redactor: Redactor | None) -> EngineReport:
    """Return findings with the places of the project that names the services best, of the first one if none does.

    Raises `ToolError` if none can be searched. Without a redactor no subject of a commit is shown.
    """
    semaphore = asyncio.Semaphore(_AT_ONCE)

    async def search(project: Project) -> ServicePlaces:
        async with semaphore:
            return await _search(project, assignment.services)

    found = await asyncio.gather(*map(search, assignment.projects))
    best = max(found, key=lambda each: (not each.failure, sum(place.worth for place in each.places)), default=None)
    if best and best.failure:
        raise ToolError(best.failure)
    places = best.places if best else ()
    latest = await _list_commits(best) if best and places else ()
    first_lines = (make_legible(commit.message.partition("\n")[0]) for commit in latest)
    subjects = [redactor.redact(line) if redactor else "" for line in first_lines]
    name = best.project.name if best else ""
    searched = [each.project.name for each in found if not each.failure]
    services = ", ".join(f"`{service}`" for service in assignment.services[:_NAMES_SHOWN])
    wording = _Wording(services, name, searched, best.folder if best else "", tuple(zip(latest, subjects, strict=True)))
    return EngineReport(
        project=name,
        engine=engine,
        findings=_draft(assignment, wording, places),
        found_nothing=not places,
    )


async def _search(project: Project, services: Sequence[str]) -> ServicePlaces:
    texts = dict.fromkeys(text for name in services for text in (name, name.replace("-", "_")))
    try:
        matches = await find_text(project.root, texts, project.ignore)
    except ToolError as problem:
        return ServicePlaces(project, (), failure=str(problem))
    notes = await search_notes(project, (), texts, [file.path for file in matches.files])
    files = [(file.path, file.lines) for file in (*matches.files, *notes.texts.files)]
    places = await asyncio.to_thread(_read_places, project, notes, files, [*texts])
    return ServicePlaces(project, places, find_folder((file.path for file in matches.files), [*texts]))


def _read_places(
    project: Project, notes: FoundNotes, files: Iterable[tuple[str, Sequence[int]]], names: Sequence[str]
) -> tuple[Place, ...]:
    found = []
    for path, numbers in sorted(files, key=lambda file: (Place.rank_path(file[0]), file[0]))[:_FILES_READ]:
        note = notes.files.get(path)
        try:
            lines = note.lines() if note else read_lines(project.root, path)
        except ToolError:
            continue
        if place := find_place(path, lines, numbers, names, is_note=note is not None):
            found.append(place)
    return select_places(found)


async def _list_commits(found: ServicePlaces) -> tuple[Commit, ...]:
    """Return the latest commits that touched the service's folder, else its places; none without a history."""
    paths = [found.folder] if found.folder else [place.path for place in found.places if not place.is_note]
    read = partial(commits.log, found.project.root, "HEAD", count=_MOST_COMMITS)
    try:
        logs = await asyncio.gather(*(read(path=path) for path in paths))
    except ToolError:
        return ()
    by_sha = {commit.sha: commit for log in logs for commit in log}
    return tuple(sorted(by_sha.values(), key=lambda commit: commit.day, reverse=True)[:_MOST_COMMITS])


@dataclass(frozen=True, slots=True)
class _Wording:
    """Draft without its places."""

    services: str
    project: str
    searched: Sequence[str]
    folder: str
    latest: Sequence[tuple[Commit, str]]
    """Commits with their subjects, redacted."""

    def write(self, places: Sequence[Place]) -> str:
        """Write the draft; the cause is never claimed."""
        if not places:
            return render("keyword_incident_nothing", services=self.services, projects=self._name_projects())
        rows = [f"- `{commit.sha[:12]}` of {commit.day}{_subject(text)}" for commit, text in self.latest]
        where = f"in `{self.folder}`" if self.folder.isprintable() and "`" not in self.folder else "there"
        head = f"The latest commits {where if self.folder else 'that touched these files'}:"
        return render(
            "keyword_incident",
            services=self.services,
            project=sanitize_words(self.project, _SHOWN_CHARS),
            places="\n\n".join(map(str, places)),
            commits="\n".join(("\n", head, *rows)) if rows else "",
        )

    def state_nothing(self) -> str:
        """State that no file names the services, with the projects that were searched."""
        return f"No file that was searched ({self._name_projects()}) names {self.services.replace('`', '')}."

    def _name_projects(self) -> str:
        names = ", ".join(sanitize_words(name, _SHOWN_CHARS) for name in self.searched[:_NAMES_SHOWN])
        return names or "the projects that I know"


def _fit(wording: _Wording, places: Sequence[Place]) -> tuple[Place, ...]:
    """Return as many places as the limits of a draft allow."""
    return next(
        (tuple(places[:count]) for count in range(len(places), 0, -1) if fits_draft(wording.write(places[:count]))),
        (),
    )


def _draft(assignment: Assignment, wording: _Wording, places: Sequence[Place]) -> InvestigatorReturn:
    shown = _fit(wording, places)
    sources = [
        EvidenceRef(
            kind="memory" if place.is_note else "file",
            ref=place.ref,
            quote="\n".join(place.quote.lines),
            supports_claim=f"These lines name {place.name}.",
        )
        for place in shown
    ]
    claim = f"It changed files of {wording.services}."
    sources += [
        EvidenceRef(kind="git_commit", ref=each.sha, supports_claim=claim) for each, _ in wording.latest if shown
    ]
    count = f"{len(shown)} place{'' if len(shown) == 1 else 's'}"
    reason = f"{count} in {wording.project} that name it, by words alone; none was read for the cause."
    return InvestigatorReturn(
        confidence="low",
        confidence_reason=reason if shown else wording.state_nothing(),
        summary_for_orchestrator=f"Keyword search: {count} that name {wording.services}.",
        draft_reply=wording.write(shown),
        draft_language="en",
        evidence_refs=tuple(sources),
        investigator_round=assignment.round,
        research_notes=f"searched for: {wording.services}",
        proposed_runbook=propose_runbook(assignment),
    )


def _subject(text: str) -> str:
    words = sanitize_words(text, _SHOWN_CHARS)
    return f": {words}" if words else ""
