"""Briefing: the first message of an investigation, for an agent or a program: question, project, places to look first.

The keyword engine searches first: it chooses the project and finds places for the question's words.
"""

from __future__ import annotations

import logging
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.question import render_attachments, render_question
from bot.agents.recent_changes import describe_changes, find_recent_changes
from bot.errors import TriageError
from bot.tools.knowledge import format_place
from prompts.render import render

if TYPE_CHECKING:
    from bot.models.findings import Assignment, EngineReport
    from bot.models.project import Project
    from bot.ports.outbound import Engine
    from bot.tools.guard import Guard

log = logging.getLogger(__name__)

UNREAD = "Say so where the answer may hang on it."
"""Instruction of a draft about files that were not read."""
NO_RESULT = "It was completed without a written result."
_NO_RUNBOOKS = "No program may be proposed for them here."


@dataclass(frozen=True, kw_only=True)
class Briefing:
    """Writer of first messages. `scout` is the engine that searches first."""

    guard: Guard
    scout: Engine
    is_small: bool = False
    """True for a small model, which has no tool for notes."""

    async def scout_projects(self, assignment: Assignment) -> tuple[Project, str]:
        """Return the best matching project, and the places of the question's words in it."""
        try:
            report = await self.scout.investigate(assignment.evolve(alert=None))
        except TriageError as problem:
            log.warning("the search before the investigation found nothing: %s", problem)
            project, places = assignment.projects[0], "Nothing."
        else:
            project, places = self._read_report(assignment, report)
        return project, "\n\n".join([places, *await self._describe_alert(assignment, project)])

    def _read_report(self, assignment: Assignment, report: EngineReport) -> tuple[Project, str]:
        """Return the project of a search, and its places."""
        best = next((p for p in assignment.projects if p.name == report.project), assignment.projects[0])
        places = [
            self.guard.wrap(reference.quote, source="file", path=reference.ref)
            for reference in report.findings.evidence_refs
            if reference.quote
        ]
        return best, "\n\n".join(places) or "Nothing."

    async def _describe_alert(self, assignment: Assignment, project: Project) -> list[str]:
        """Return the lines on the alert that the question is, with the last changes of the code that it names."""
        record = assignment.alert
        if record is None:
            return []
        changes = await find_recent_changes(record, project, assignment.folder)
        named = ", ".join((*record.alert.services, *record.alert.names)) or "nothing in particular"
        times = "once" if record.fired == 1 else f"{record.fired} times"
        about = f"The question is an alert that fired {times}, last at {record.last_fired_at:%Y-%m-%d %H:%M} UTC."
        task = "Look for its cause in the code, first in what changed lately; open a commit before you cite it."
        return [
            f"{about} {task} It names:",
            self.guard.wrap(named, source="slack"),
            describe_changes(changes, self.guard),
        ]

    def render(self, assignment: Assignment, project: Project, search_results: str) -> str:
        """Return the first message."""
        guard = self.guard
        before = [guard.wrap(line.text, source="slack", author=line.by) for line in assignment.said_before]
        folders = "" if self.is_small else _folders(project)
        places = [folders, *(format_place(guard, place) for place in assignment.earlier)]
        text = render(
            "investigator_task",
            question=render_question(guard, assignment.question, assignment.lines, author=assignment.asker),
            asker=guard.wrap(assignment.asker or "somebody", source="slack"),
            beside=render_attachments(guard, shared=assignment.shared, unread=assignment.unread, advice=UNREAD),
            thread="\n\n".join(before) or "Nothing.",
            role=_role(assignment),
            project=_project(assignment, project),
            rubric=render(f"rubric_{assignment.question_type}"),
            places="\n\n".join(place for place in places if place) or "None are known.",
            found=search_results,
            others=guard.wrap("\n".join(assignment.others), source="other questions")
            if assignment.others
            else "None are shown.",
            before=self._format_earlier_runs(assignment),
            feedback=self._feedback(assignment),
        )
        sections = [
            *([self._describe_incident(assignment)] if assignment.services else []),
            *([self._list_inputs(assignment)] if assignment.inputs else []),
        ]
        return "\n\n".join([text, *sections])

    def _list_inputs(self, assignment: Assignment) -> str:
        """Return the section with the results of the tasks that this one depends on."""
        wrap = self.guard.wrap
        results = [wrap(each.text or NO_RESULT, source="earlier task", author=each.by) for each in assignment.inputs]
        return render("investigator_inputs", results="\n\n".join(results))

    def _describe_incident(self, assignment: Assignment) -> str:
        """Return the section about services that are not healthy, with the runbooks that may be proposed."""
        lines = [
            f"- `{each.name}`, for {', '.join(each.services)}: `{shlex.join(each.argv)}`"
            for each in assignment.runbooks
        ]
        listed = render("investigator_runbooks", list=self.guard.redactor.redact("\n".join(lines))) if lines else ""
        services = ", ".join(assignment.services)
        return render("investigator_incident", services=services, runbooks=listed or _NO_RUNBOOKS)

    def _format_earlier_runs(self, assignment: Assignment) -> str:
        """Return the findings of earlier runs of the thread, and the end of the last run's journal."""
        parts = [self.guard.wrap(findings, source="earlier findings") for findings in assignment.found_before]
        if assignment.journal_before:
            parts += [
                "The end of the last run's journal:",
                self.guard.wrap(assignment.journal_before, source="journal"),
            ]
        return "\n\n".join(parts) or "Nothing: this is the first run."

    def _feedback(self, assignment: Assignment) -> str:
        words = " ".join(text for text in (assignment.bounced_as, assignment.feedback) if text)
        if not words:
            return "It was not; this is the first."
        text = self.guard.wrap(words, source="feedback")
        if assignment.previous is None:
            return text
        last = assignment.previous.model_dump_json(include={"draft_reply", "evidence_refs", "open_questions"})
        return f"{text}\n\nThe draft that was sent back:\n\n{self.guard.wrap(last, source='last draft')}"


def _role(assignment: Assignment) -> str:
    """Return the role's prompt, in the team's words; code keeps the journal that it mentions."""
    if assignment.role is None:
        return "Somebody who reads this code for the first time."
    return assignment.role.prompt.replace("{journal_path}", assignment.journal or f"{assignment.role.name}.md")


def _project(assignment: Assignment, project: Project) -> str:
    about = f"{project.name}: {project.description}".rstrip(": ")
    return (
        about if assignment.folder == "." else f"{about}\nNothing outside of the folder `{assignment.folder}` is read."
    )


def _folders(project: Project) -> str:
    """Return a sentence on the folders of notes, by their paths for `read_file` or by name."""
    names = [
        folder.relative_to(project.root).as_posix() if folder.is_relative_to(project.root) else folder.name
        for folder in project.knowledge
    ]
    return f"`search_knowledge` searches the team's notes in {', '.join(names)}." if names else ""
