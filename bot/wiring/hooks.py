"""Hooks: their records, the events and times that begin their runs, and what a run reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.hook_notice import HOOK_NOTICE
from bot.adapters.web_pages import HttpPages
from bot.commands.hook_drafts import HookDrafts
from bot.commands.hooks import HookCommands
from bot.hooks.context import HookContext
from bot.hooks.descriptions import Descriptions
from bot.hooks.events import HookEvents
from bot.hooks.file_changes import FileChanges
from bot.hooks.hook_book import build_hook_book
from bot.hooks.owner_notices import OwnerNotices
from bot.hooks.programs import HookPrograms
from bot.hooks.runner import HookRunner
from bot.hooks.scheduler import HookScheduler
from bot.tools.guard import Guard
from bot.triage.opening_messages import OpeningMessages
from bot.wiring.forges import find_webhook_fault
from bot.wiring.programs import build_command_plans, build_command_runs

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.health.services import Services
    from bot.tasks.day_budget import DayBudget
    from bot.wiring.core import Core


def build_hooks(core: Core, services: Services) -> HookScheduler:
    """Build the hooks, and let them observe messages, tasks and services; the commands attach their actions."""
    settings, clock, identity = core.settings, core.clock, core.identity
    book = build_hook_book(core.storage.json_file("hooks"), core.to_admin.send)
    guard = Guard(redactor=core.redactor, new_nonce=clock.new_id)
    own_ids = frozenset(filter(None, (identity.user_id, identity.bot_id)))
    events = HookEvents(book=book, controls=core.controls, clock=clock, own_ids=own_ids)
    core.watcher.observers.append(events)
    core.orchestrator.open_threads.tasks.observers.append(events)
    services.observers.append(events)
    runner = HookRunner(
        book=book,
        context=HookContext(
            projects=core.projects,
            guard=guard,
            pages=HttpPages(),
            urls=settings.hooks.urls,
            programs=HookPrograms(
                plans=build_command_plans(core),
                runs=build_command_runs(core),
                projects=core.projects,
                roles=core.permission,
                controls=core.controls,
            ),
        ),
        descriptions=Descriptions(guard=guard, zone=settings.timezone),
        clock=clock,
    )
    notices = OwnerNotices(
        book=book,
        chat=core.chat,
        messages=OpeningMessages(chat=core.chat, clock=clock, event_type=HOOK_NOTICE, key="notice_id"),
        members=core.members,
        admins=settings.admins or settings.operators,
    )
    return HookScheduler(
        book=book,
        runner=runner,
        events=events,
        files=FileChanges(projects=core.projects),
        notices=notices,
        controls=core.controls,
        clock=clock,
        zone=settings.timezone,
        draining=core.draining,
    )


def build_hook_commands(
    core: Core, scheduler: HookScheduler, overview: ProjectOverview, budget: DayBudget
) -> HookCommands:
    """Build the commands that create, change, fire and delete hooks."""
    drafts = HookDrafts(
        scheduler=scheduler,
        overview=overview,
        clock=core.clock,
        urls=core.settings.hooks.urls,
        services=[service.name for service in core.settings.health.services],
        webhook_fault=find_webhook_fault(core.settings, is_http=core.is_http),
    )
    return HookCommands(
        scheduler=scheduler,
        drafts=drafts,
        programs=scheduler.runner.context.programs,
        budget=budget,
        rooms=core.chat,
        clock=core.clock,
    )
