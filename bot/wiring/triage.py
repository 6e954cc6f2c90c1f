"""Triage: the orchestrator and the effects of its workflow."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.adapters.note_files import NoteFileWriter
from bot.adapters.tasks import TaskFolders
from bot.agents.keyword import KeywordEngine
from bot.agents.search_runner import SearchRunner
from bot.config.limits import workflow_limits
from bot.surfaces.task_files import Journals
from bot.tools.knowledge import Knowledge
from bot.triage.code_owners import CodeOwners
from bot.triage.delivery import Delivery
from bot.triage.draft_check import DraftChecker
from bot.triage.edits import Edits
from bot.triage.effects import SEATS, Effects
from bot.triage.first_look import FirstLook
from bot.triage.hints import Hints
from bot.triage.notes import NoteKeeper
from bot.triage.orchestrator import Orchestrator
from bot.triage.paused_fit import PausedFit
from bot.triage.rate_limit import RateLimiter
from bot.triage.rebuild import Rebuilder
from bot.triage.recent_channels import RecentChannels
from bot.triage.repeated_questions import RepeatedQuestions
from bot.triage.sent_files import SentFiles
from bot.wiring.infrastructure import new_id

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.config.settings import Settings
    from bot.triage.evidence_recheck import EvidenceRecheck
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.intake import Intake
    from bot.wiring.surfaces import Surfaces


def build_orchestrator(infra: Infrastructure) -> Orchestrator:
    """Build the orchestrator; its effects and its renderer are attached last."""
    limits = workflow_limits(
        infra.settings, bot_name=infra.identity.name, route=infra.projects.route, redactor=infra.redactor
    )
    rebuilder = Rebuilder(
        classified=infra.classified,
        labels=infra.labels,
        replies=infra.replies,
        limits=limits,
        new_id=new_id,
        modes=infra.controls.modes,
        operators=infra.operators,
    )
    return Orchestrator(
        store=infra.store,
        limits=limits,
        rebuilder=rebuilder,
        notices=infra.to_operator,
        rate_limiter=RateLimiter(infra.settings.floods.quotas),
        controls=infra.controls,
        projects=infra.projects,
        operators=infra.operators,
        acks=infra.acks,
    )


def build_hints(infra: Infrastructure, orchestrator: Orchestrator) -> Hints | None:
    """Build hints from other questions of a project; `None` where the settings switch them off."""
    if not infra.settings.investigator.hints:
        return None
    return Hints(
        store=infra.store,
        channels=infra.chat,
        recent=RecentChannels(channels=infra.unhurried, clock=infra.clock),
        history=infra.chat,
        replies=infra.replies,
        open_threads=orchestrator.open_threads.ids,
    )


def build_effects(
    infra: Infrastructure,
    engines: Engines,
    orchestrator: Orchestrator,
    intake: Intake,
    surfaces: Surfaces,
    *,
    evidence: EvidenceRecheck,
    hints: Hints | None,
) -> Effects:
    """Build the effects of the workflow."""
    settings, clock, redactor, projects = infra.settings, infra.clock, infra.redactor, infra.projects
    owners = _build_owners(settings)
    scout = KeywordEngine(SearchRunner(infra.workers, infra.indexing).search, infra.home.indexes)
    return Effects(
        engine=engines.engine,
        projects=projects,
        delivery=_build_delivery(infra, intake),
        notes=NoteKeeper(files=NoteFileWriter(), projects=projects, clock=clock, new_id=new_id, redactor=redactor),
        checking=_build_checking(infra, engines, intake, evidence, hints),
        edits=Edits(
            projects=projects, evidence=evidence, clock=clock, new_id=new_id, redactor=redactor, code_owners=owners
        ),
        naming=infra.naming,
        clock=clock,
        new_id=new_id,
        deadline=settings.investigator.hard_cap_runtime_min * 60,
        seats=asyncio.Semaphore(SEATS),
        redactor=redactor,
        roles=settings.routes.roles if settings.routes else {},
        categories={name: section.category for name, section in settings.categories.items()},
        paused_fit=PausedFit(scout=scout, projects=projects),
        first_look=FirstLook(
            knowledge=Knowledge(replies=infra.replies, home=infra.home.path), projects=projects, redactor=redactor
        ),
        journals=Journals(tasks=TaskFolders(infra.home.tasks), redactor=redactor, clock=clock),
        repeated_questions=_build_repeated_questions(infra, orchestrator),
        code_owners=owners,
        sent_files=SentFiles(files=infra.files, redactor=redactor, clock=clock) if settings.slack.read_files else None,
        old_since=infra.repositories.old_since,
        hints=hints,
        nudges=surfaces.views.nudges,
        reminders=surfaces.views.reminders,
        ledger=engines.ledger,
    )


def _build_owners(settings: Settings) -> CodeOwners:
    projects = settings.projects
    return CodeOwners(user_ids=settings.owners, on_call={name: section.on_call for name, section in projects.items()})


def _build_delivery(infra: Infrastructure, intake: Intake) -> Delivery:
    return Delivery(
        chat=infra.chat,
        replies=infra.replies,
        clock=infra.clock,
        new_id=new_id,
        redactor=infra.redactor,
        feedback=infra.settings.slack.feedback,
        watcher=intake.watcher,
    )


def _build_checking(
    infra: Infrastructure, engines: Engines, intake: Intake, evidence: EvidenceRecheck, hints: Hints | None
) -> DraftChecker:
    return DraftChecker(
        evidence=evidence,
        projects=infra.projects,
        clock=infra.clock,
        new_id=new_id,
        redactor=infra.redactor,
        seconds=0.9 * infra.settings.investigator.hard_cap_runtime_min * 60,
        catch_up=intake.catch_up,
        validator=engines.validator,
        drafts_of=engines.engine.name,
        hints=hints,
    )


def _build_repeated_questions(infra: Infrastructure, orchestrator: Orchestrator) -> RepeatedQuestions:
    return RepeatedQuestions(
        replies=infra.replies,
        words=infra.feedback,
        store=infra.store,
        chat=infra.chat,
        history=infra.chat,
        open_threads=orchestrator.open_threads.ids,
        projects=infra.projects,
        redactor=infra.redactor,
        clock=infra.clock,
        days=infra.settings.approval.again_days,
    )
