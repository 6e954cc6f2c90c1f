"""Creation of tasks: `create_task` saves an order, whose thread the bot opens."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_created import NewTask
from bot.commands.registry import command
from bot.decide.hold_words import describe_holds
from bot.errors import TriageError
from bot.models.order_record import OrderRecord
from bot.models.task_order import TaskOrder
from bot.tasks.dependencies import is_completed
from bot.tasks.order_book import MAX_OPEN

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock
    from bot.ports.slack import ChannelMembership
    from bot.tasks.scheduler import TaskScheduler
    from bot.tasks.task_threads import TaskThreads
    from bot.triage.controls import Controls

PATIENCE = 5.0
"""Seconds that an answer waits for the thread of a task."""


@dataclass(frozen=True, kw_only=True)
class CreatedTaskCommands:
    """Command that creates tasks."""

    threads: TaskThreads
    scheduler: TaskScheduler
    overview: ProjectOverview
    finder: TaskFinder
    controls: Controls
    rooms: ChannelMembership
    clock: Clock
    patience: float = PATIENCE

    async def preview(self, request: NewTask, asker: Asker) -> str:
        """Name the place, the project, the maximum cost and the dependencies."""
        record, names = await self._build_record(request, asker)
        place = "in your direct message with Triage"
        if record.chat_id:
            place = f"in <#{record.chat_id}>, where everybody reads its title now and the approved result later"
        project = f"on `{escape(record.order.project)}`" if record.order.project else "on the project that fits best"
        usd = self.scheduler.budget.max_usd
        cost = f"It may cost at most ${usd:,.2f}." if self.scheduler.budget.ledger else "It costs nothing."
        waits = f" It starts after {', '.join(f'`{escape(name)}`' for name in names)}." if names else ""
        return f"It would work {project}, with its thread {place}. {cost}{waits}"

    @command(
        "create_task",
        "gives the agents a task; its result is a card, posted once it is approved",
        input=NewTask,
        role="operator",
        tier="reversible",
        deed="a task was created",
        needs_press=True,
        rest=True,
        preview=preview,
    )
    async def create(self, request: NewTask, asker: Asker) -> CommandAnswer:
        """Create a task, once for each call, and answer with its name."""
        record, _ = await self._build_record(request, asker)
        await self.threads.add(record)
        title = escape(record.order.title)
        if self.controls.state == "stopped":
            return CommandAnswer(line=f"Saved: *{title}*. Triage is stopped; `/triage resume` opens its thread.")
        thread = await self.threads.wait_for(record.record_id, self.patience)
        if thread is None:
            later = "The task is created once Slack answers; its first message then names it in"
            where = f"<#{record.chat_id}>" if record.chat_id else "your direct message"
            return CommandAnswer(line=f"Saved: *{title}*. {later} {where}.")
        where = f"in <#{thread.chat_id}>" if thread.chat_id.startswith(("C", "G")) else "in your direct message"
        holds = (await self.scheduler.planner.list_holds()).get(thread.thread_id, ())
        begin = escape(describe_holds(holds, thread.task)) or "It starts now."
        back = f"`stop_task {thread.task}` calls it off."
        return CommandAnswer(line=f"Created `{thread.task}` {where}. {begin} {back}")

    async def _build_record(self, request: NewTask, asker: Asker) -> tuple[OrderRecord, list[str]]:
        """Return the record of an order that may be carried out, and the names of all tasks that it waits for.

        Raises `NotDone`.
        """
        if self.threads.open_count >= MAX_OPEN:
            raise NotDone(f"{MAX_OPEN} created tasks are open already: decide on some of them first. `list_tasks open`")
        chat_id = await self._find_channel(request, asker) if request.channel else ""
        project = self.overview.find_project(request.project) if request.project else None
        before = [await self.finder.find(task, asker, hints=asker.via != "chat") for task in request.depends_on]
        order = TaskOrder(
            order_id=_build_id(request, asker),
            title=request.title,
            description=request.description,
            project=project or self.overview.find_conversation_project(asker),
            priority=request.priority,
            depends_on=tuple(dict.fromkeys(thread.thread_id for thread in before)),
            created_by=asker.user_id,
            created_at=self.clock.now(),
            is_by_hook=asker.via == "hook",
        )
        waits_for = [thread for thread in before if not is_completed(thread)]
        shown_names = tuple(thread.task for thread in waits_for if chat_id in ("", thread.chat_id))
        record = OrderRecord(
            order=order, chat_id=chat_id, waits_for=shown_names, waits_for_others=len(waits_for) - len(shown_names)
        )
        return record, [thread.task for thread in waits_for]

    async def _find_channel(self, request: NewTask, asker: Asker) -> str:
        """Return the watched channel that the asker may write in. Raises `NotDone`."""
        channel = self.overview.resolve_channel(request.channel, asker)
        mode = self.controls.modes.get(channel)
        if mode != "live":
            raise NotDone(
                f"<#{channel}> is in {mode or 'no'} mode, and nothing is posted there. Leave the channel out: the "
                "result then comes in your direct message."
            )
        try:
            is_member = await self.rooms.is_member(channel=channel, user=asker.user_id)
        except TriageError as problem:
            raise NotDone(
                f"Slack does not say who is in <#{channel}> ({escape(str(problem))}). Try again."
            ) from problem
        if not is_member:
            raise NotDone(f"You are not in <#{channel}>: join it, or leave the channel out.", outcome="refused")
        return channel


def _build_id(request: NewTask, asker: Asker) -> str:
    """Return the id of an order: the same for every delivery of one command."""
    call = f"{asker.interaction_id} {request.model_dump_json()}"
    return hashlib.sha256(call.encode("utf-8", "replace")).hexdigest()[:32]
