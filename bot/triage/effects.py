"""Effect runner: runs the effects that the workflow decided, each as a task that returns a thread event."""

from __future__ import annotations

import asyncio
import logging
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.agents.evidence import notice_assigned_secrets
from bot.agents.sources import as_written, find_sources
from bot.decide.endings import why_of
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.effect import (
    CheckFindings,
    Effect,
    Investigate,
    KeepNote,
    LookUpReply,
    OpenReferences,
    PostReply,
    Remind,
    ShowCardInChannel,
)
from bot.models.findings import Assignment, EngineReport
from bot.models.reasons import BOUNCED
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed, ThreadEvent, Validated
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import make_draft
from bot.tools.trees import pin_tree
from bot.triage.previous_question import find_denied_places, find_previous_question
from bot.triage.readable_projects import filter_readable, find_withheld
from bot.triage.repeated_questions import EarlierAnswers
from bot.triage.speakers import quote_lines, quote_message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence

    from bot.agents.ledger import Ledger
    from bot.models.hint import Hint
    from bot.models.project import Project
    from bot.models.role import Category, Role
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Engine, Fetches
    from bot.surfaces.task_files import Journals
    from bot.surfaces.thread_views import ThreadViews
    from bot.triage.delivery import Delivery
    from bot.triage.draft_check import DraftChecker
    from bot.triage.edits import Edits
    from bot.triage.first_look import FirstLook
    from bot.triage.hints import ChannelLook
    from bot.triage.notes import NoteKeeper
    from bot.triage.paused_fit import PausedFit
    from bot.triage.projects import Projects
    from bot.triage.repeated_questions import RepeatedQuestions
    from bot.triage.sent_files import SentFiles
    from bot.triage.slack_names import SlackNames

log = logging.getLogger(__name__)

SEATS = 8
"""Investigations that run at the same time."""

_RunResult = Findings | RunFailed | EvidenceFailed | Validated


@dataclass(frozen=True, kw_only=True)
class Effects:
    """Runner of effects. `deadline` is the timeout of one investigation in seconds."""

    engine: Engine
    projects: Projects
    delivery: Delivery
    notes: NoteKeeper
    checking: DraftChecker
    edits: Edits
    naming: SlackNames
    clock: Clock
    deadline: float
    seats: asyncio.Semaphore
    """Limit of concurrent investigations; the others wait."""
    redactor: Redactor = field(default_factory=Redactor)
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Roles by name, as in routes."""
    categories: Mapping[str, Category] = field(default_factory=dict)
    """Limits of a role's run, by the role's category."""
    first_look: FirstLook | None = None
    """Search in existing notes; `None` in tests that need none."""
    repeated_questions: RepeatedQuestions | None = None
    """Lookup of repeated questions; `None` in tests that need none."""
    journals: Journals | None = None
    """Run journals; `None` in tests that need none."""
    paused_fit: PausedFit | None = None
    """Check for a better paused project; `None` in tests that need none."""
    sent_files: SentFiles | None = None
    """Reader of text files; `None` if the settings turn it off."""
    fetches: Fetches
    """Fetched code, which may be old."""
    views: ThreadViews
    ledger: Ledger | None = None
    """Record of the agents' runs; `None` where the engine has no agents."""
    _read: dict[str, Project] = field(default_factory=dict)
    """Projects as read by the runs whose drafts are still to be checked, by run id."""
    _looks: dict[str, ChannelLook] = field(default_factory=dict)
    """Channel lookups of the runs whose drafts are still to be checked, by run id."""

    async def run(self, thread: Thread, effect: Effect) -> ThreadEvent | None:
        """Run `effect` for `thread`; return the resulting event, if any. Raises nothing but cancellation."""
        match effect:
            case Investigate(run_id=run_id):
                return await self._look_up(thread, run_id)
            case CheckFindings(run_id=run_id):
                return await self._run_guarded(
                    thread,
                    run_id,
                    self.checking.check(thread, run_id, self._read.pop(run_id, None), self._looks.pop(run_id, None)),
                )
            case OpenReferences(opening=opening):
                return await self.edits.open(thread, opening)
            case PostReply():
                return await self.delivery.post(thread, look_first=effect.look_first, search_twice=effect.search_twice)
            case KeepNote():
                return await self.notes.keep(thread)
            case LookUpReply():
                return await self.delivery.look_up(thread)
            case ShowCardInChannel():
                return await self.views.nudges.notify_operator(thread)
            case Remind():
                await self.views.reminders.remind(thread)
                return None

    async def _look_up(self, thread: Thread, run_id: str) -> ThreadEvent:
        """Investigate a question when a slot is free, unless an earlier answer can be reused."""
        thread, left = await self.naming.thread(thread), self.deadline
        if self.sent_files:
            thread, left = await self.sent_files.thread(thread, seconds=left)
        before = await self.repeated_questions.look(thread) if self.repeated_questions else EarlierAnswers()
        async with nullcontext() if before.report else self.seats:
            return await self._run_guarded(thread, run_id, self._investigate(thread, run_id, before), left)

    async def _run_guarded(
        self, thread: Thread, run_id: str, work: Awaitable[_RunResult], seconds: float | None = None
    ) -> ThreadEvent:
        """Await a run's result, also after an error or timeout, and add the figures of the agents' runs.

        `seconds` is the rest of its deadline.
        """
        result = await self._run_with_deadline(run_id, work, self.deadline if seconds is None else seconds)
        if self.journals:
            await self.journals.record_end(thread, run_id, result)
        read = {message.message_id: message.files for message in thread.question_messages if message.files}
        run_figures = self.ledger.runs_of(thread.thread_id, thread.asked_at) if self.ledger else ()
        return replace(result, runs=run_figures, names=thread.names, files=read)

    async def _run_with_deadline(self, run_id: str, work: Awaitable[_RunResult], seconds: float) -> _RunResult:
        why: str | None = None
        notes = ""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            reason = f"the investigation took longer than {self.deadline / 60:g} minutes and was ended"
            why = "time"
        except TriageError as problem:
            reason, why, notes = str(problem), why_of(problem), problem.unchecked_notes
        except Exception as problem:
            log.exception("run %s failed", run_id)
            reason = f"the investigation failed ({type(problem).__name__}); the log says more"
        return RunFailed(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            run_id=run_id,
            reason=self.redactor.redact(reason),
            why=why,
            unchecked_notes=self.redactor.redact(notes),
        )

    async def _investigate(self, thread: Thread, run_id: str, before: EarlierAnswers) -> Findings:
        if self.journals:
            await self.journals.begin(thread, run_id, before.report.engine if before.report else self.engine.name)
        pinned_projects = tuple(map(pin_tree, self.projects.list_all()))
        projects = filter_readable(thread, pinned_projects)
        routed = self._select_projects(thread, projects)
        look = self.checking.hints.look() if self.checking.hints else None
        reads_hints = look and not before.report and self.engine.name != "keyword"
        hints = await self._hints(thread, routed["projects"], look) if look and reads_hints else ()
        assignment = await self._assignment(thread, hints, routed)
        engine_report = before.report or await self.engine.investigate(assignment)
        paused = (
            await self.paused_fit.find_better(assignment, engine_report)
            if self.paused_fit and not before.report
            else None
        )
        project = next((project for project in projects if project.name == engine_report.project), None)
        cited = engine_report.findings.evidence_refs if engine_report.cited is None else engine_report.cited
        await notice_assigned_secrets(project, cited, self.redactor)
        report = await run_offloaded(self._redact_report, engine_report)
        if project:
            self._read[run_id] = project
            if look:
                self._looks[run_id] = look
        references = report.findings.evidence_refs if report.cited is None else report.cited
        places = await find_sources(project, references) if project else ()
        text = engine_report.findings.draft_reply  # not redacted, so that a secret in it is noticed
        by = report.edited_by
        links = (*places, *as_written(report.wordings, places))
        sealing = partial(make_draft, nonce=self.clock.new_id(), edited_by=by, redactor=self.redactor, sources=links)
        draft = await asyncio.to_thread(sealing, thread, text)
        return Findings(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            run_id=run_id,
            report=report,
            draft=draft,
            asker_name=thread.original_sender_name,
            sources=places,
            code_of=self.fetches.old_since(report.project),
            owners=await self.edits.code_owners.owners_of(project, references)
            if self.edits.code_owners and project
            else (),
            hinted=tuple(hint.thread_id for hint in hints),
            visibility=await self.checking.hints.seen_by(thread, look) if self.checking.hints and look else None,
            asked_before=before.links,
            paused_project=paused,
            kept_back=find_withheld(thread, pinned_projects),
        )

    async def _hints(self, thread: Thread, projects: tuple[Project, ...], look: ChannelLook) -> tuple[Hint, ...]:
        """Return the hints of other questions; none if the question may go to several projects."""
        names = sorted({project.belongs_to for project in projects})
        hints = self.checking.hints
        return await hints.list_for(thread, names[0], look) if hints and len(names) == 1 else ()

    def _redact_report(self, report: EngineReport) -> EngineReport:
        """Return the report to save and show, with secrets redacted."""
        content = report.model_dump()
        safe = self.redactor.value(content, repeated=True)
        return report if safe is content else EngineReport.model_validate(safe)

    async def _assignment(self, thread: Thread, hints: tuple[Hint, ...], routed: dict[str, Any]) -> Assignment:
        """Build the engine's assignment, with people's messages redacted."""
        return Assignment(
            **await run_offloaded(self._redact_texts, thread),
            **routed,
            round=thread.investigator_round,
            bounced_as=BOUNCED[thread.bounced_as][1] if thread.bounced_as else None,
            previous=thread.investigator_return if thread.feedback or thread.bounced_as else None,
            earlier=await self.first_look.look(thread, routed["projects"]) if self.first_look else (),
            thread_id=thread.thread_id,
            team_id=thread.team_id,
            chat_id=thread.chat_id,
            answered_from=frozenset(p.name for p in routed["projects"]) if thread.external else None,
            question_type=thread.question_type,
            others=tuple(hint.line for hint in hints),
            **(await self.journals.build_context(thread) if self.journals else {}),
        )

    def _redact_texts(self, thread: Thread) -> dict[str, Any]:
        """Return the messages and names of a thread for the assignment, redacted."""
        redact = self.redactor.redact
        before = [message for message in thread.messages if message.round < thread.question_round]
        return {
            "question": redact(thread.read_question),
            "lines": quote_lines(thread, self.redactor),
            "search_text": redact(thread.search_text),
            "follows": redact(find_previous_question(thread)),
            "denied": find_denied_places(thread),
            "unread": tuple(map(redact, thread.unread)),
            "shared": tuple(map(redact, thread.shared)),
            "feedback": redact(thread.feedback) if thread.feedback else None,
            "asker": redact(thread.original_sender_name),
            "said_before": tuple(quote_message(thread, message, self.redactor) for message in before),
        }

    def _select_projects(self, thread: Thread, projects: tuple[Project, ...]) -> dict[str, Any]:
        """Return the project and role of the thread's route; all projects and no role without a route."""
        route = thread.route
        named = tuple(p for p in projects if route and route.project in (p.name, p.belongs_to))
        if route is None or not named:  # the project may have been deleted
            open_to_all = {project.name for project in self.projects.open()}
            return {
                "projects": _keep_thread_project(
                    thread, [candidate for candidate in projects if candidate.name in open_to_all]
                )
            }
        role = self.roles.get(route.role)
        allowed = self.categories.get(role.category) if role else None
        return {"projects": named, "folder": route.folder, "role": role, "allowed": allowed}


def _keep_thread_project(thread: Thread, projects: Sequence[Project]) -> tuple[Project, ...]:
    """Return the project of the thread's previous answer, unless the question names a project; else all projects."""
    text = thread.search_text.lower()
    matches = tuple(project for project in projects if thread.project in (project.name, project.belongs_to))
    is_named = any(project.belongs_to.lower() in text for project in projects)
    return matches if matches and thread.question_round > 1 and not is_named else tuple(projects)
