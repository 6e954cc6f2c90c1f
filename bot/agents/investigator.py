"""Investigator: an engine that drafts with a model, in a fresh context for each run (spec 1, 3.3).

The keyword engine searches first: it chooses the project and finds places for the question's words. The model's answer
is parsed into findings; an invalid one is sent back once. Code then records which of the cited lines were opened in
this run.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.agents.answer_check import AnswerCheck, was_opened
from bot.agents.own_lines import with_own_lines
from bot.agents.question import render_attachments, render_question
from bot.agents.remote_references import check_recorded
from bot.agents.run import Task
from bot.agents.shortening import shorten
from bot.errors import ToolError, TriageError
from bot.models.findings import EngineReport, InvestigatorReturn
from bot.tools.definitions import DefinitionFinder
from bot.tools.file_tools import FileTools
from bot.tools.git_tools import GitTools
from bot.tools.index.places import indexes_of_process
from bot.tools.knowledge import format_place, knowledge_tool
from bot.tools.mcp_tools import remote_tools
from bot.tools.read_log import ReadLog
from prompts.render import render

if TYPE_CHECKING:
    from pathlib import Path

    from bot.agents.loop import Loop
    from bot.agents.run import Run
    from bot.agents.run_artifacts import RunArtifacts
    from bot.decide.limits import RunLimits
    from bot.models.findings import Assignment
    from bot.models.project import Project
    from bot.models.role import Category
    from bot.ports.outbound import Engine, ToolServer
    from bot.tools.guard import Guard
    from bot.tools.knowledge import Knowledge
    from bot.tools.tool import Tool

log = logging.getLogger(__name__)

UNREAD = "Say so where the answer may hang on it."
"""Instruction of a draft about files that were not read."""

SMALL_TOOLS = ("read_file", "search")
"""Tools of a small model."""

LEAST_SECONDS = 1.0
"""Minimum of time for the model, after a slow search or slow servers."""


class InvestigatorOutput(InvestigatorReturn):
    """Form requested from the model; the round is set by code."""

    investigator_round: int = 1


@dataclass(frozen=True, kw_only=True)
class Investigator:
    """Engine that drafts with a model. `scout` is the engine that searches first."""

    loop: Loop
    limits: RunLimits
    guard: Guard
    scout: Engine
    knowledge: Knowledge
    servers: tuple[ToolServer, ...]
    artifacts: RunArtifacts
    indexes: Path | None = None
    """Folder of the projects' indexes; without one they last as long as this process."""
    is_small: bool = False
    """True for a small model: a short prompt, and few tools."""

    name = "claude"

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return findings about the best matching project.

        Raises `Unreachable`, `OverCap` or `NoKey` when the model cannot be used, and another `TriageError` when a run
        has no findings.
        """
        began = self.loop.clock.now()
        project, search_results = await self._scout_projects(assignment)
        read_log = ReadLog()
        tools = await self._tools(assignment, project, read_log)
        before = (self.loop.clock.now() - began).total_seconds()

        async def keep(run: Run[InvestigatorOutput]) -> None:
            carries = _carried(run.answer) if run.answer else None
            about = {"round": assignment.round, "project": project.name, "orchestrator_carries": carries}
            await self.artifacts.keep("investigation", run, read_log, task=assignment.task, **about)

        check = AnswerCheck(project=project, redactor=self.guard.redactor, read_log=read_log, folder=assignment.folder)
        run = await self.loop.run(
            Task(
                agent="investigator",
                prompt=render("investigator_small" if self.is_small else "investigator"),
                question=self._first_message(assignment, project, search_results),
                tools=tools,
                form=InvestigatorOutput,
                shorten=shorten,
                check=check.find_faults,
                limits=replace(
                    _limits(self.limits, assignment.allowed), seconds=max(LEAST_SECONDS, self.limits.seconds - before)
                ),
                thread_id=assignment.thread_id,
                keep=keep,
                journal=self.artifacts.journal(assignment.task, assignment.journal, self.loop.clock),
            )
        )
        findings = run.get_answer().model_dump() | {"investigator_round": assignment.round}
        returned = InvestigatorReturn.model_validate(findings)
        returned = await with_own_lines(returned, project, self.guard.redactor)
        return EngineReport(
            project=project.name,
            engine=self.name,
            findings=returned,
            unopened=find_unopened(returned, read_log),
            recorded=check_recorded(returned, read_log),
            found_nothing=returned.confidence == "low" and not returned.evidence_refs,
            answer_changes=run.changes,
        )

    async def _scout_projects(self, assignment: Assignment) -> tuple[Project, str]:
        """Return the best matching project, and the places of the question's words in it."""
        try:
            report = await self.scout.investigate(assignment)
        except TriageError as problem:
            log.warning("the search before the investigation found nothing: %s", problem)
            return assignment.projects[0], "Nothing."
        best = next((p for p in assignment.projects if p.name == report.project), assignment.projects[0])
        places = [
            self.guard.wrap(reference.quote, source="file", path=reference.ref)
            for reference in report.findings.evidence_refs
            if reference.quote
        ]
        return best, "\n\n".join(places) or "Nothing."

    async def _tools(self, assignment: Assignment, project: Project, read_log: ReadLog) -> tuple[Tool, ...]:
        """Return the tools of a run, always in this order; a server that does not answer provides none."""
        reader = FileTools(
            root=project.root, guard=self.guard, read_log=read_log, ignore=project.ignore, folder=assignment.folder
        )
        if self.is_small:
            return tuple(tool for tool in reader.tools if tool.name in SMALL_TOOLS)
        finder = DefinitionFinder(project=project, reader=reader, indexes=self.indexes or indexes_of_process())
        tools: list[Tool] = [
            *reader.tools,
            finder.tool,
            *GitTools(root=project.root, guard=self.guard, read_log=read_log, folder=assignment.folder).tools,
            knowledge_tool(
                self.knowledge,
                self.guard,
                project,
                team_id=assignment.team_id,
                chat_id=assignment.chat_id,
                only=assignment.answered_from,
            ),
        ]
        for server in self.servers:
            try:
                lent, problems = await remote_tools(server, self.guard, read_log)
            except ToolError as problem:
                lent, problems = (), (str(problem),)
            for warning in problems:
                log.warning("tools of %s: %s", server.name, warning)
            for tool in lent:
                if tool.name not in {existing.name for existing in tools}:  # model servers refuse duplicate names
                    tools.append(tool)
        return tuple(tools)

    def _first_message(self, assignment: Assignment, project: Project, search_results: str) -> str:
        guard = self.guard
        before = [guard.wrap(line.text, source="slack", author=line.by) for line in assignment.said_before]
        folders = "" if self.is_small else _folders(project)
        places = [folders, *(format_place(guard, place) for place in assignment.earlier)]
        return render(
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


def _limits(limits: RunLimits, allowed: Category | None) -> RunLimits:
    """Return the limits of a run, with those of the role's category; the cost limit is never raised."""
    if allowed is None:
        return limits
    return replace(
        limits,
        turns=allowed.turns,
        usd=min(limits.usd, allowed.usd),
        idle_seconds=60 * allowed.inactivity_timeout_min,
    )


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


def _carried(findings: InvestigatorReturn) -> dict[str, int]:
    """Return the amount of a run that reaches the orchestrator: summary and references, and no model tokens."""
    texts = [findings.summary_for_orchestrator, *(reference.ref for reference in findings.evidence_refs)]
    return {"model_tokens": 0, "characters": sum(map(len, texts))}


def _folders(project: Project) -> str:
    """Return a sentence on the folders of notes, by their paths for `read_file` or by name."""
    names = [
        folder.relative_to(project.root).as_posix() if folder.is_relative_to(project.root) else folder.name
        for folder in project.knowledge
    ]
    return f"`search_knowledge` searches the team's notes in {', '.join(names)}." if names else ""


def find_unopened(findings: InvestigatorReturn, read_log: ReadLog) -> tuple[str, ...]:
    """Return the references to files not fully shown in the run, and to commits not shown."""
    return tuple(reference.ref for reference in findings.evidence_refs if not was_opened(reference, read_log))
