"""Changes of hooks: `create_hook`, `edit_hook`, `delete_hook` and `fire_hook`."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from blocks.text import escape, moment
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.hook_drafts import NONE, format_field, is_yes
from bot.commands.hook_views import describe_run, describe_trigger, describe_work, find_record
from bot.commands.inputs_hooks import EditHook, NewHook, OfHook
from bot.commands.programs import describe_plan
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.hooks.cron import list_times
from bot.decide.hooks.runs import plan
from bot.decide.hooks.syntax import parse_steps
from bot.errors import RetryLater, ToolError, TriageError
from bot.models.hook import MAX_HOOKS, MessageMatch, Schedule
from bot.models.hook_record import HookRecord

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from bot.commands.hook_drafts import HookDrafts
    from bot.hooks.programs import HookPrograms
    from bot.hooks.scheduler import HookScheduler
    from bot.models.hook import ContextStep, Hook
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock
    from bot.ports.slack import ChannelMembership
    from bot.tasks.day_budget import DayBudget

PATIENCE = 5.0
"""Seconds that an answer waits for the end of a run."""
_WEEK = timedelta(days=7)
_MOST_COUNTED = 10_080
"""Runs of a week that are counted: one each minute."""
_NOW_RUNNING = "It runs now; try again in a moment. `list_hook_runs` shows its end."


@dataclass(frozen=True, kw_only=True)
class HookCommands:
    """Commands that change hooks, and fire them."""

    scheduler: HookScheduler
    drafts: HookDrafts
    programs: HookPrograms
    budget: DayBudget
    rooms: ChannelMembership
    clock: Clock
    patience: float = PATIENCE

    async def preview(self, request: NewHook, asker: Asker) -> str:
        """Say when it would run, what it would do, and what that may cost."""
        return self._describe_effect(await self._plan(request, asker))

    def runs_program(self, request: NewHook) -> bool:
        """Return whether the new hook runs a program of the settings."""
        return _has_program(parse_steps(request.steps))

    @command(
        "create_hook",
        "creates a hook: on a schedule or an event it reads, then gives a task or a command",
        input=NewHook,
        role="admin",
        tier="reversible",
        deed="a hook was created",
        needs_press=True,
        asks_if=runs_program,
        rest=True,
        preview=preview,
    )
    async def create(self, request: NewHook, asker: Asker) -> CommandAnswer:
        """Create a hook, once for each call."""
        hook, book = await self._plan(request, asker), self.scheduler.book
        if existing := book.find(hook.name):
            if existing.hook.evolve(changed_at=hook.changed_at) != hook:
                raise NotDone(f"There is a hook `{hook.name}` already. `edit_hook` changes it.")
            return CommandAnswer(line=f"The hook `{hook.name}` exists already as you say.", is_unchanged=True)
        record = plan(HookRecord(hook=hook), zone=self.scheduler.zone, now=self.clock.now())
        await book.add(record)
        back = f"`delete_hook {hook.name}` takes that back; `edit_hook {hook.name} enabled no` holds it."
        return CommandAnswer(line=f"Created `{hook.name}`, {describe_trigger(hook)}{_describe_next(record)}. {back}")

    async def preview_edit(self, request: EditHook, asker: Asker) -> str:
        """Say what the hook would do then."""
        _, new = await self._plan_edit(request, asker)
        return self._describe_effect(new)

    def would_run_program(self, request: EditHook) -> bool:
        """Return whether the changed hook may run a program of the settings."""
        record = self.scheduler.book.find(request.name)
        if record is None or (request.field == "enabled" and not is_yes(request.value)):
            return False
        changed = request.field == "steps" and request.value.lower() != NONE
        try:
            return _has_program(parse_steps(request.value) if changed else record.hook.steps)
        except ValueError:
            return False

    @command(
        "edit_hook",
        "changes a field of a hook; who changes it owns it",
        input=EditHook,
        role="admin",
        tier="reversible",
        deed="a hook was changed",
        needs_press=True,
        asks_if=would_run_program,
        rest=True,
        preview=preview_edit,
    )
    async def edit(self, request: EditHook, asker: Asker) -> CommandAnswer:
        """Change one field of a hook that does not run now."""
        before, new = await self._plan_edit(request, asker)
        if new == before.hook:
            return CommandAnswer(line=f"`{new.name}` is as you say already.", is_unchanged=True)
        changes: dict[str, Any] = {"hook": new}
        if (new.steps, new.project) != (before.hook.steps, before.hook.project):
            changes["digest"] = ""
        if (new.trigger, new.project) != (before.hook.trigger, before.hook.project):
            changes["commits"] = {}
        if new.is_enabled:
            changes["failures"] = 0
        record = plan(before.evolve(**changes), zone=self.scheduler.zone, now=self.clock.now())
        await self._put(record, before)
        state = f"It runs {describe_trigger(new)}{_describe_next(record)}" if new.is_enabled else "It is disabled"
        earlier = escape(format_field(before.hook, request.field))
        back = f"`edit_hook {new.name} {request.field} {earlier}` takes that back." if "`" not in earlier else ""
        return CommandAnswer(line=f"Changed `{request.field}` of `{new.name}`. {state}. {back}".rstrip())

    async def preview_deletion(self, request: OfHook, _: Asker) -> str:
        """Say what goes with it."""
        record = find_record(self.scheduler, request.name)
        return f"Its {count(len(record.runs), 'recorded run')} would go, too; tasks that it has created stay."

    @command(
        "delete_hook",
        "deletes a hook and the history of its runs",
        input=OfHook,
        role="admin",
        tier="irreversible",
        names="name",
        deed="a hook was deleted",
        preview=preview_deletion,
    )
    async def delete(self, request: OfHook, _: Asker) -> CommandAnswer:
        """Delete a hook; tasks that it has created stay."""
        record = find_record(self.scheduler, request.name)
        book = self.scheduler.book
        book.remove(record.record_id)
        try:
            await book.save()
        except RetryLater:
            if book.find(record.record_id) is None:
                book.replace((*book.records, record))
            raise
        return CommandAnswer(line=f"Deleted the hook `{record.hook.name}` with its history. Its tasks stay.")

    async def preview_fire(self, request: OfHook, _: Asker) -> str:
        """Say what it would do now."""
        hook = find_record(self.scheduler, request.name).hook
        return f"It would run now: {describe_work(hook)}.{self._describe_cost(hook)}"

    @command(
        "fire_hook",
        "runs a hook now, whatever its cooldown says",
        input=OfHook,
        role="operator",
        tier="reversible",
        deed="a hook was fired",
        needs_press=True,
        preview=preview_fire,
    )
    async def fire(self, request: OfHook, asker: Asker) -> CommandAnswer:
        """Begin a run, once for each call, and answer with its end."""
        hook = find_record(self.scheduler, request.name).hook
        name = hook.name
        if self.scheduler.controls.state == "stopped":
            raise NotDone("Triage is stopped, and nothing runs; `/triage resume` starts it.", outcome="refused")
        if hook.command and (refusal := await self.scheduler.actions.find_refusal(hook.command, asker)):
            raise NotDone(refusal, outcome="refused")
        if not self.programs.may_run(hook, asker.user_id):
            raise NotDone("You may not run each of its commands. Nothing was done.", outcome="refused")
        run_id = hashlib.sha256(f"{name} {asker.interaction_id}".encode()).hexdigest()[:16]
        if await self.scheduler.fire(name, asker.user_id, run_id) is None:
            raise NotDone(_NOW_RUNNING)
        run = await self.scheduler.wait_for(name, run_id, self.patience)
        if run is None or run.outcome is None:
            return CommandAnswer(line=f"`{name}` runs. `list_hook_runs {name}` shows its end.")
        outcome = "failed" if run.outcome == "failed" else "done"
        return CommandAnswer(outcome=outcome, line=f"`{name}`: {describe_run(run)}")

    async def _plan(self, request: NewHook, asker: Asker) -> Hook:
        """Return the new hook. Raises `NotDone`."""
        book = self.scheduler.book
        if len(book.records) >= MAX_HOOKS and book.find(request.name) is None:
            raise NotDone(f"There are {MAX_HOOKS} hooks already: delete one first. `list_hooks` has all.")
        hook = await self._add_programs(self.drafts.create(request, asker))
        await self._check_membership(hook, asker)
        return hook

    async def _plan_edit(self, request: EditHook, asker: Asker) -> tuple[HookRecord, Hook]:
        """Return the record as it is, and the hook as it would be. Raises `NotDone`."""
        record = find_record(self.scheduler, request.name)
        if record.open_run:
            raise NotDone(_NOW_RUNNING)
        new = await self._renew_programs(self.drafts.edit(record.hook, request, asker), record.hook, asker)
        await self._check_membership(new, asker)
        return record, new

    async def _renew_programs(self, new: Hook, before: Hook, asker: Asker) -> Hook:
        """Return an edited hook with what its steps run now, for whose approval its editor then answers."""
        if not new.is_enabled:
            return new if new.steps == before.steps else new.evolve(programs=())
        planned = await self._add_programs(new.evolve(owner=asker.user_id))
        if new == before and planned.programs == before.programs:
            return before
        return planned.evolve(changed_at=self.clock.now())

    async def _check_membership(self, hook: Hook, asker: Asker) -> None:
        """Raise `NotDone` if the asker is not in a channel that the hook reads or writes in."""
        trigger = hook.trigger
        read = (trigger.channel,) if isinstance(trigger, MessageMatch) else ()
        for channel in dict.fromkeys(each for each in (*read, hook.channel) if each):
            try:
                is_member = await self.rooms.is_member(channel=channel, user=asker.user_id)
            except TriageError as problem:
                raise NotDone(
                    f"Slack does not say who is in <#{channel}> ({escape(str(problem))}). Try again."
                ) from problem
            if not is_member:
                raise NotDone(f"You are not in <#{channel}>: join it, or name another channel.", outcome="refused")

    async def _put(self, record: HookRecord, before: HookRecord) -> None:
        """Save a changed record; on failure the one before counts. Raises `RetryLater`."""
        book = self.scheduler.book
        current = book.find(record.record_id)
        if current != before:
            raise NotDone("It has just run or changed; give the command again.")
        book.replace([record if each is current else each for each in book.records])
        try:
            await book.save()
        except RetryLater:
            book.replace([before if each == record else each for each in book.records])
            raise

    async def _add_programs(self, hook: Hook) -> Hook:
        """Return the hook with what its steps run, as it is now. Raises `NotDone`."""
        try:
            return hook.evolve(programs=await asyncio.to_thread(self.programs.plan_all, hook))
        except ToolError as problem:
            reason = escape(str(problem))
            raise NotDone(f"`steps`: {reason}. Nothing was changed.") from problem

    def _describe_effect(self, hook: Hook) -> str:
        times = "" if hook.programs else self._describe_times(hook)  # a press compares what was shown with what is
        state = "" if hook.is_enabled else " It is disabled."
        effect = (
            f"It would run {describe_trigger(hook)}{times}: {describe_work(hook)}.{self._describe_cost(hook)}{state}"
        )
        return "\n".join((effect, *(row for plan in hook.programs for row in describe_plan(plan))))

    def _describe_times(self, hook: Hook) -> str:
        if not isinstance(hook.trigger, Schedule):
            return ""
        now = self.clock.now()
        times = [*islice(list_times(hook.trigger.cron, self.scheduler.zone, now), 3)]
        listed = ", ".join(map(moment, times))
        return f" (next {listed}; {count(self._count_week(hook.trigger.cron, now), 'time')} in the next seven days)"

    def _count_week(self, cron: str, now: datetime) -> int:
        times = islice(list_times(cron, self.scheduler.zone, now), _MOST_COUNTED)
        return sum(at <= now + _WEEK for at in times)

    def _describe_cost(self, hook: Hook) -> str:
        if hook.command:
            return f" Its answer comes in a direct message to <@{hook.owner}>."
        if self.budget.ledger is None:
            return " Its tasks cost nothing."
        return f" Each task may cost at most ${self.budget.max_usd:,.2f}."


def _has_program(steps: tuple[ContextStep, ...]) -> bool:
    return any(step.verb == "run" for step in steps)


def _describe_next(record: HookRecord) -> str:
    return f", next {moment(record.next_at)}" if record.next_at else ""
