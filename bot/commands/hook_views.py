"""Views of hooks: `list_hooks` and `list_hook_runs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape, moment, name_channel
from bot.commands.answer_room import fit_rows
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_hooks import ListHooks, OfHook
from bot.commands.nearest_name import suggest_sentence
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.hooks.syntax import format_condition, format_steps, format_trigger
from bot.models.command_data.hooks import HookData, HookRunData, HookRunsData, HooksData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.projects import ProjectOverview
    from bot.hooks.scheduler import HookScheduler
    from bot.models.hook import Hook
    from bot.models.hook_record import HookRecord, HookRun
    from bot.models.interaction import Asker

_TEXT = 120
"""Characters of a prompt or a command in a list."""
_EMPTY = "There are no hooks. `help create_hook` shows how one is created."


@dataclass(frozen=True, kw_only=True)
class HookViews:
    """Commands that show hooks."""

    scheduler: HookScheduler
    overview: ProjectOverview

    @command(
        "list_hooks",
        "lists the hooks: what begins them, what they do, and when",
        input=ListHooks,
        role="operator",
        tier="read",
        untrusted="people",
        result=HooksData,
    )
    async def list_hooks(self, request: ListHooks, asker: Asker) -> CommandAnswer:
        """List the hooks by name, each on a line; more than there is room for without what they do."""
        project = self.overview.find_project(request.project) if request.project else None
        records = [each for each in self.scheduler.book.records if project in (None, each.hook.project)]
        records.sort(key=lambda record: record.hook.name)
        where = f" of `{escape(project)}`" if project else ""
        line = f"{count(len(records), 'hook')}{where}." if records or project else _EMPTY
        data = HooksData(hooks=tuple(map(_build_data, records)))
        return CommandAnswer(line=line, rows=_fit_records(records, asker), data=data)

    @command(
        "list_hook_runs",
        "lists the last runs of a hook",
        input=OfHook,
        role="operator",
        tier="read",
        untrusted="people",
        result=HookRunsData,
    )
    async def list_runs(self, request: OfHook, _: Asker) -> CommandAnswer:
        """List the runs, newest first."""
        record = find_record(self.scheduler, request.name)
        runs = [*reversed(record.runs)]
        data = HookRunsData(hook=record.hook.name, runs=tuple(map(_build_run_data, runs)))
        rows = tuple(map(describe_run, runs))
        line = (
            f"{count(len(rows), 'run')} of `{record.hook.name}`, the newest first:" if rows else "It has not run yet."
        )
        return CommandAnswer(line=line, rows=rows, data=data)


def find_record(scheduler: HookScheduler, name: str) -> HookRecord:
    """Return the record of a hook. Raises `NotDone`."""
    record = scheduler.book.find(name)
    if record is None:
        near = suggest_sentence(name, [each.hook.name for each in scheduler.book.records])
        raise NotDone(f"There is no hook `{escape(name)}`.{near} `list_hooks` has all.")
    return record


def _fit_records(records: Sequence[HookRecord], asker: Asker) -> tuple[str, ...]:
    """Describe hooks within the room of an answer: all in full, or in short with the commands that show the rest."""
    rows = [*map(describe_record, records)]
    if fit_rows(rows, asker) == rows:
        return tuple(rows)
    short_rows = fit_rows([*map(_describe_times, records)], asker)
    left = len(records) - len(short_rows)
    more = f"{left} more are not shown. " if left else ""
    return (
        *short_rows,
        f"{more}`list_hooks project=…` and, on the bot's machine, `triage command list_hooks` say all.",
    )


def describe_record(record: HookRecord) -> str:
    """Describe a hook with its state, as mrkdwn."""
    last = f"; last: {describe_run(record.runs[-1])}" if record.runs else ""
    return f"{_describe_times(record)}: {describe_work(record.hook)}{last}"


def _describe_times(record: HookRecord) -> str:
    """Describe a hook by its name, its trigger and its next time, as mrkdwn."""
    hook = record.hook
    next_time = f", next {moment(record.next_at)}" if record.next_at else ""
    state = next_time if hook.is_enabled else ", *disabled*"
    return f"`{hook.name}` {describe_trigger(hook)}{state}"


def describe_trigger(hook: Hook) -> str:
    """Describe the trigger of a hook and its cooldown, as mrkdwn."""
    trigger = hook.trigger
    words = format_trigger(trigger)
    cooldown = f", at most every {count(hook.cooldown_min, 'minute')}" if hook.cooldown_min else ""
    if trigger.kind == "message":
        pattern = f"/{trigger.pattern}/" if trigger.is_regex else trigger.pattern
        return f"at a message in {name_channel(trigger.channel)} with {_code(pattern)}{cooldown}"
    return f"at {_code(words)}{cooldown}"


def describe_work(hook: Hook) -> str:
    """Describe the steps, the condition and the action of a hook, as mrkdwn."""
    steps = f"{_code(format_steps(hook.steps))}, " if hook.steps else ""
    skip = f"not if {_code(format_condition(hook.skip_if))}, " if hook.skip_if else ""
    project = f" on `{escape(hook.project)}`" if hook.project and hook.prompt else ""
    place = f" in {name_channel(hook.channel)}" if hook.channel else ""
    action = f"a task{project}{place}: {_code(hook.prompt)}" if hook.prompt else f"command {_code(hook.command)}"
    return f"{steps}{skip}{action}, with the rights of <@{hook.owner}>"


def describe_run(run: HookRun) -> str:
    """Describe a run, as mrkdwn."""
    cause = f"fired by <@{run.cause.by}>" if run.cause.by else run.cause.kind.replace("_", " ")
    times = f", {run.repeats} times" if run.repeats > 1 else ""
    return f"{moment(run.started_at)} {cause}: *{run.outcome or 'running'}*{times} {escape(run.line)}".rstrip()


def _code(text: str) -> str:
    flat = " ".join(text.split())
    return f"`{escape(clip(flat, _TEXT)).replace('`', chr(39))}`"


def _build_data(record: HookRecord) -> HookData:
    hook = record.hook
    return HookData(
        name=hook.name,
        when=format_trigger(hook.trigger),
        steps=format_steps(hook.steps),
        skip_if=format_condition(hook.skip_if),
        prompt=hook.prompt,
        command=hook.command,
        project=hook.project,
        channel=hook.channel,
        cooldown_minutes=hook.cooldown_min,
        owner=hook.owner,
        is_enabled=hook.is_enabled,
        failures_in_row=record.failures,
        next_at=record.next_at,
    )


def _build_run_data(run: HookRun) -> HookRunData:
    return HookRunData(
        run_id=run.run_id,
        cause=run.cause.kind,
        by=run.cause.by,
        due_at=run.cause.at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        outcome=run.outcome or "running",
        result=run.line,
        runs=run.repeats,
    )
