"""What the workflow decides, done: the effects, put together."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.triage.draft_check import Checking
from bot.triage.effects import SEATS, Effects
from bot.triage.first_look import FirstLook
from bot.triage.paused_fit import PausedFit
from bot.triage.sent_files import SentFiles
from bot.wiring.commands import new_id
from bot.wiring.llm import Engines, keyword_engine
from bot.wiring.policies import edits_of, notes_of, owning_of
from bot.wiring.threads import journals, knowledge
from bot.wiring.workflow import naming_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.thread import Thread
    from bot.triage.delivery import Delivery
    from bot.triage.freshness import Freshness
    from bot.triage.hints import Hints
    from bot.triage.repeated_questions import Again
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.surfaces import Surfaces


def effects_of(
    ground: Infrastructure,
    thinkers: Engines,
    *,
    delivery: Delivery,
    freshness: Freshness,
    hints: Hints | None,
    shown: Surfaces,
    before: Again,
    read_in_passing: Callable[[Thread], Awaitable[object]],
) -> Effects:
    """Who does what the workflow has decided."""
    settings, clock, redactor = ground.settings, ground.clock, ground.redactor
    deadline = settings.investigator.hard_cap_runtime_min * 60
    checking = Checking(
        freshness=freshness,
        projects=ground.projects.all,
        clock=clock,
        new_id=new_id,
        redactor=redactor,
        seconds=0.9 * deadline,
        read_in_passing=read_in_passing,
        validator=thinkers.validator,
        drafts_of=thinkers.engine.name,
        hints=hints,
    )
    return Effects(
        engine=thinkers.engine,
        projects=ground.projects,
        delivery=delivery,
        notes=notes_of(ground),
        checking=checking,
        edits=edits_of(ground, freshness),
        naming=naming_of(ground),
        clock=clock,
        new_id=new_id,
        deadline=deadline,
        seats=asyncio.Semaphore(SEATS),
        redactor=redactor,
        roles=settings.routes.roles if settings.routes else {},
        categories={name: section.category for name, section in settings.categories.items()},
        paused_fit=PausedFit(
            scout=keyword_engine(ground.workers, ground.home.indexes, ground.indexing), projects=ground.projects
        ),
        first_look=FirstLook(knowledge=knowledge(ground), projects=ground.projects.all, redactor=redactor),
        journals=journals(ground),
        again=before,
        owning=owning_of(ground),
        sent_files=SentFiles(files=ground.files, redactor=redactor, clock=clock) if settings.slack.read_files else None,
        old_since=ground.repositories.old_since,
        hints=hints,
        nudges=shown.nudges,
        reminders=shown.reminders,
        runs_of=thinkers.ledger.runs_of if thinkers.ledger else lambda *_: (),
    )
