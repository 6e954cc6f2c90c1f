"""Effects of the workflow."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.adapters.note_files import NoteFileWriter
from bot.agents.keyword import KeywordEngine
from bot.agents.search_runner import SearchRunner
from bot.surfaces.task_files import Journals
from bot.tools.knowledge import Knowledge
from bot.triage.assignments import Assignments
from bot.triage.code_owners import CodeOwners
from bot.triage.delivery import Delivery
from bot.triage.draft_check import DraftChecker
from bot.triage.edits import Edits
from bot.triage.effects import SEATS, Effects
from bot.triage.first_look import FirstLook
from bot.triage.notes import NoteKeeper
from bot.triage.paused_fit import PausedFit
from bot.triage.repeated_questions import RepeatedQuestions
from bot.triage.run_results import RunResults
from bot.triage.runbook_runs import RunbookRuns
from bot.triage.sent_files import SentFiles

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.ports.health import RunbookRunner, ServiceHealth
    from bot.ports.outbound import Escalations
    from bot.wiring.core import Core
    from bot.wiring.fixes import FixWork
    from bot.wiring.surfaces import Surfaces


def build_effects(
    core: Core,
    engines: Engines,
    surfaces: Surfaces,
    escalations: Escalations | None,
    health: ServiceHealth,
    runbooks: RunbookRunner,
    fixes: FixWork,
) -> Effects:
    """Build the effects of the workflow."""
    settings, clock, redactor, projects = core.settings, core.clock, core.redactor, core.projects
    scout = KeywordEngine(SearchRunner(core.workers, core.indexing).search, core.home.indexes)
    code_owners = CodeOwners.from_settings(settings)
    journals = Journals(tasks=core.storage.task_files, redactor=redactor, clock=clock)
    return Effects(
        engine=engines.engine,
        assignments=_build_assignments(core, journals, runbooks),
        results=_build_results(core, code_owners, runbooks),
        runbook_runs=RunbookRuns(runbooks=runbooks, health=health, clock=clock),
        fix_runs=fixes.runs,
        merge_requests=fixes.requests,
        delivery=Delivery(
            chat=core.chat,
            replies=core.replies,
            clock=clock,
            redactor=redactor,
            feedback=settings.slack.feedback,
            watcher=core.watcher,
        ),
        notes=NoteKeeper(files=NoteFileWriter(), projects=projects, clock=clock, redactor=redactor),
        checking=DraftChecker(
            evidence=core.evidence,
            clock=clock,
            seconds=0.9 * settings.investigator.hard_cap_runtime_min * 60,
            catch_up=core.catch_up,
            validator=engines.validator,
            drafts_of=engines.engine.name,
            hints=core.hints,
        ),
        edits=Edits(evidence=core.evidence, clock=clock, code_owners=code_owners),
        naming=core.naming,
        clock=clock,
        deadline=settings.investigator.hard_cap_runtime_min * 60,
        seats=engines.jobs.seats if engines.jobs else asyncio.Semaphore(SEATS),
        redactor=redactor,
        paused_fit=PausedFit(scout=scout, projects=projects),
        journals=journals,
        repeated_questions=_build_repeated_questions(core),
        sent_files=SentFiles(files=core.files, redactor=redactor, clock=clock) if settings.slack.read_files else None,
        views=surfaces.views,
        ledger=engines.ledger,
        escalations=escalations,
    )


def _build_results(core: Core, code_owners: CodeOwners, runbooks: RunbookRunner) -> RunResults:
    return RunResults(
        clock=core.clock,
        fetches=core.repositories,
        redactor=core.redactor,
        code_owners=code_owners,
        hints=core.hints,
        runbooks=runbooks,
    )


def _build_assignments(core: Core, journals: Journals, runbooks: RunbookRunner) -> Assignments:
    settings, redactor, projects = core.settings, core.redactor, core.projects
    return Assignments(
        projects=projects,
        redactor=redactor,
        roles=settings.routes.roles if settings.routes else {},
        categories={name: section.category for name, section in settings.categories.items()},
        hints=core.hints,
        first_look=FirstLook(
            knowledge=Knowledge(replies=core.replies, home=core.home.path), projects=projects, redactor=redactor
        ),
        journals=journals,
        runbooks=runbooks,
    )


def _build_repeated_questions(core: Core) -> RepeatedQuestions:
    return RepeatedQuestions(
        replies=core.replies,
        words=core.feedback,
        store=core.store,
        chat=core.chat,
        history=core.chat,
        open_threads=core.orchestrator.open_threads,
        projects=core.projects,
        redactor=core.redactor,
        clock=core.clock,
        days=core.settings.approval.again_days,
    )
