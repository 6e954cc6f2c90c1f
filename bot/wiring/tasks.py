"""Created tasks: their threads, the agents whose slots they run in, and the scheduler that starts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.created_task import CREATED_TASK
from bot.escalation.money import LEAST_SHARE
from bot.tasks.agent_book import AgentBook
from bot.tasks.creator_notices import CreatorNotices
from bot.tasks.day_budget import DayBudget
from bot.tasks.order_book import build_order_book
from bot.tasks.scheduler import TaskScheduler
from bot.tasks.task_messages import TaskMessages
from bot.tasks.task_threads import TaskThreads
from bot.tasks.unreached_creators import UnreachedCreators
from bot.triage.opening_messages import OpeningMessages

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.wiring.core import Core


@dataclass(frozen=True, kw_only=True)
class CreatedTasks:
    """Opener and scheduler of created tasks, with the money that one may cost."""

    threads: TaskThreads
    scheduler: TaskScheduler
    messages: TaskMessages

    async def begin(self) -> None:
        """Load the orders and the agents."""
        await self.threads.begin()
        await self.scheduler.begin()


def build_tasks(core: Core, engines: Engines) -> CreatedTasks:
    """Build the created tasks."""
    settings = core.settings
    orders = build_order_book(core.storage.json_file("orders"), core.to_admin.send)
    admins = (*settings.admins, *settings.operators)
    threads = TaskThreads(
        chat=core.chat,
        messages=OpeningMessages(chat=core.chat, clock=core.clock, event_type=CREATED_TASK, key="order_id"),
        store=core.store,
        orchestrator=core.orchestrator,
        controls=core.controls,
        operators=core.operators,
        externals=core.externals,
        naming=core.naming,
        redactor=core.redactor,
        clock=core.clock,
        book=orders,
        unreached=UnreachedCreators(notices=core.to_admin, book=orders, clock=core.clock),
        team_id=core.identity.team_id,
        channel_names=core.channel_names,
    )
    scheduler = TaskScheduler(
        orchestrator=core.orchestrator,
        controls=core.controls,
        projects=core.projects,
        agents=AgentBook(file=core.storage.json_file("agents"), tell=core.to_admin.send),
        orders=orders,
        budget=_build_budget(core, engines),
        notices=CreatorNotices(chat=core.chat, members=core.members, others=admins),
        clock=core.clock,
    )
    first_messages = TaskMessages(
        chat=core.unhurried, clock=core.clock, threads=core.orchestrator, orders=orders, redactor=core.redactor
    )
    return CreatedTasks(threads=threads, scheduler=scheduler, messages=first_messages)


def _build_budget(core: Core, engines: Engines) -> DayBudget:
    """Build the budget for the tier that a task begins with."""
    settings, policy = core.settings, core.orchestrator.limits.escalation
    starts_longer = policy.starts(2) and not policy.dry_run
    own = settings.tiers.get_tier(2).max_usd if starts_longer else None
    max_usd = own or settings.model.max_usd_per_run
    return DayBudget(ledger=engines.ledger, max_usd=max_usd, least_usd=LEAST_SHARE * max_usd)
