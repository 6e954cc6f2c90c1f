"""Investigator: an engine that drafts with a model, in a fresh context for each run (spec 1, 3.3).

The keyword engine searches first: it chooses the project and finds places for the question's words. The model's answer
is parsed into findings; an invalid one is sent back once. Code then records which of the cited lines were opened in
this run.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from bot.agents.answer_check import AnswerCheck, was_opened
from bot.agents.briefing import Briefing
from bot.agents.incident_output import choose_form, choose_long_form
from bot.agents.own_lines import with_own_lines
from bot.agents.remote_references import check_recorded
from bot.agents.run import Task
from bot.agents.shortening import shorten
from bot.errors import ToolError
from bot.models.findings import MAX_SMALL_DRAFT_WORDS, EngineReport, InvestigatorReturn
from bot.tools.definitions import DefinitionFinder
from bot.tools.file_tools import FileTools
from bot.tools.git_tools import GitTools
from bot.tools.index.places import indexes_of_process
from bot.tools.knowledge import knowledge_tool
from bot.tools.mcp_tools import remote_tools
from bot.tools.read_log import ReadLog
from prompts.render import render

if TYPE_CHECKING:
    from pathlib import Path

    from bot.agents.investigator_output import InvestigatorOutput
    from bot.agents.long_run import LongRun
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

SMALL_TOOLS = ("read_file", "search")
"""Tools of a small model."""

LEAST_SECONDS = 1.0
"""Minimum of time for the model, after a slow search or slow servers."""


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
    long_run: LongRun | None = None
    """Differences of a run of tier 2 or 3."""

    name = "claude"

    async def investigate(self, assignment: Assignment) -> EngineReport:
        """Return findings about the best matching project.

        Raises `Unreachable`, `OverCap` or `NoKey` when the model cannot be used, and another `TriageError` when a run
        has no findings.
        """
        began = self.loop.clock.now()
        briefing = Briefing(guard=self.guard, scout=self.scout, is_small=self.is_small)
        project, search_results = await briefing.scout_projects(assignment)
        read_log = ReadLog()
        tools = await self._tools(assignment, project, read_log)
        before = (self.loop.clock.now() - began).total_seconds()

        async def keep(run: Run[InvestigatorOutput]) -> None:
            carries = _carried(run.answer) if run.answer else None
            about = {"round": assignment.round, "project": project.name, "orchestrator_carries": carries}
            await self.artifacts.keep("investigation", run, read_log, task=assignment.task, **about)

        check = AnswerCheck(project=project, redactor=self.guard.redactor, read_log=read_log, folder=assignment.folder)
        task: Task[InvestigatorOutput] = Task(
            agent="investigator",
            prompt=render("investigator_small" if self.is_small else "investigator"),
            question=briefing.render(assignment, project, search_results),
            tools=tools,
            form=choose_form(assignment),
            shorten=partial(shorten, most_words=MAX_SMALL_DRAFT_WORDS) if self.is_small else shorten,
            check=check.find_faults,
            limits=replace(
                _limits(self.limits, assignment.allowed, is_long=self.long_run is not None),
                seconds=max(LEAST_SECONDS, self.limits.seconds - before),
            ),
            thread_id=assignment.thread_id,
            keep=keep,
            journal=self.artifacts.journal(assignment.task, assignment.journal, self.loop.clock),
        )
        run = await self.loop.run(self.long_run.adapt(task, choose_long_form(assignment)) if self.long_run else task)
        returned = to_return(run.get_answer(), assignment.round)
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


def to_return(answer: InvestigatorOutput, round_: int) -> InvestigatorReturn:
    """Return the findings of an answer, without the fields of longer forms."""
    content = answer.model_dump(include=set(InvestigatorReturn.model_fields))
    return InvestigatorReturn.model_validate(content | {"investigator_round": round_})


def _limits(limits: RunLimits, allowed: Category | None, *, is_long: bool) -> RunLimits:
    """Return the limits of a run, with those of the role's category; the cost limit is never raised.

    A long run keeps the turns and the money of its tier.
    """
    if allowed is None:
        return limits
    limits = replace(limits, idle_seconds=60 * allowed.inactivity_timeout_min)
    return limits if is_long else replace(limits, turns=allowed.turns, usd=min(limits.usd, allowed.usd))


def _carried(findings: InvestigatorReturn) -> dict[str, int]:
    """Return the amount of a run that reaches the orchestrator: summary and references, and no model tokens."""
    texts = [findings.summary_for_orchestrator, *(reference.ref for reference in findings.evidence_refs)]
    return {"model_tokens": 0, "characters": sum(map(len, texts))}


def find_unopened(findings: InvestigatorReturn, read_log: ReadLog) -> tuple[str, ...]:
    """Return the references to files not fully shown in the run, and to commits not shown."""
    return tuple(reference.ref for reference in findings.evidence_refs if not was_opened(reference, read_log))
