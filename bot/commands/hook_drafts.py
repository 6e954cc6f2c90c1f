"""Drafts of hooks: from the words of a command to a hook that may run, or to the reason why it may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import NotDone
from bot.decide.hooks.cron import find_cron_fault
from bot.decide.hooks.syntax import (
    NEEDS_PROJECT,
    MessageWords,
    format_condition,
    format_steps,
    format_trigger,
    parse_condition,
    parse_steps,
    parse_trigger,
)
from bot.decide.hooks.template import find_template_fault
from bot.models.hook import (
    EVENT_COOLDOWN_MIN,
    LEAST_COOLDOWN_MIN,
    MAX_COOLDOWN_MIN,
    FileChange,
    Hook,
    MergeRequestOpening,
    Schedule,
    ServiceFailure,
)
from bot.tools.denied_paths import is_denied

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from bot.commands.inputs_hooks import EditHook, HookField, NewHook
    from bot.commands.projects import ProjectOverview
    from bot.hooks.scheduler import HookScheduler
    from bot.models.hook import Trigger
    from bot.models.interaction import Asker
    from bot.ports.outbound import Clock

NONE = "none"
_YES, _NO = ("yes", "true", "on"), ("no", "false", "off")


@dataclass(frozen=True, kw_only=True)
class HookDrafts:
    """Builder of hooks. `urls` and `services` are the names of the settings; `webhook_fault` is the reason why no forge
    reports to Triage, empty if one does."""

    scheduler: HookScheduler
    overview: ProjectOverview
    clock: Clock
    urls: Collection[str]
    services: Collection[str]
    webhook_fault: str

    def create(self, request: NewHook, asker: Asker) -> Hook:
        """Return the new hook. Raises `NotDone`."""
        trigger = self._find_trigger(request.when, asker)
        is_schedule = isinstance(trigger, Schedule)
        cooldown = (0 if is_schedule else EVENT_COOLDOWN_MIN) if request.cooldown is None else request.cooldown
        project = self.overview.find_project(request.project) if request.project else None
        hook = Hook(
            name=request.name,
            trigger=trigger,
            steps=parse_steps(request.steps),
            skip_if=parse_condition(request.skip_if),
            prompt=request.prompt,
            command=request.command,
            project=project or self.overview.find_conversation_project(asker),
            channel=self.overview.resolve_channel(request.channel, asker) if request.channel else "",
            cooldown_min=cooldown,
            owner=asker.user_id,
            changed_at=self.clock.now(),
        )
        self._check(hook)
        return hook

    def edit(self, hook: Hook, request: EditHook, asker: Asker) -> Hook:
        """Return the hook with a new value of one field; the person who changes it owns it. Raises `NotDone`."""
        try:
            changes = self._parse_value(hook, request, asker)
        except ValueError as problem:
            raise NotDone(f"`{request.field}`: {escape(str(problem))}.") from problem
        new = hook.evolve(**changes)
        if new == hook:
            return hook
        new = new.evolve(owner=asker.user_id, changed_at=self.clock.now())
        self._check(new)
        return new

    def _parse_value(self, hook: Hook, request: EditHook, asker: Asker) -> dict[str, Any]:
        """Return the changed fields. Raises `NotDone` and `ValueError`."""
        value = "" if request.value.lower() == NONE else request.value
        match request.field:
            case "when":
                return self._change_trigger(hook, value, asker)
            case "prompt" | "command":
                return {"prompt": "", "command": "", request.field: value}
            case "project":
                return {"project": self.overview.find_project(value) if value else None}
            case "channel":
                return {"channel": self.overview.resolve_channel(value, asker) if value else ""}
            case plain:
                return _PARSERS[plain](value)

    def _change_trigger(self, hook: Hook, value: str, asker: Asker) -> dict[str, Any]:
        trigger = self._find_trigger(value, asker)
        least = 0 if isinstance(trigger, Schedule) else LEAST_COOLDOWN_MIN
        return {"trigger": trigger, "cooldown_min": max(least, hook.cooldown_min)}

    def _find_trigger(self, text: str, asker: Asker) -> Trigger:
        """Return a trigger with its channel looked up. Raises `NotDone` and `ValueError`."""
        trigger = parse_trigger(text)
        if isinstance(trigger, MessageWords):
            name = trigger.channel.removeprefix("<#").partition("|")[0].removesuffix(">").removeprefix("#")
            return trigger.in_channel(self.overview.resolve_channel(name, asker))
        return trigger

    def _check(self, hook: Hook) -> None:
        """Raise `NotDone` for a hook that could never do its work."""
        if fault := self._find_fault(hook):
            raise NotDone(f"{escape(fault[:1].upper() + fault[1:])}. Nothing was changed.")

    def _find_fault(self, hook: Hook) -> str:
        trigger = hook.trigger
        is_schedule = isinstance(trigger, Schedule)
        if isinstance(trigger, Schedule) and (
            fault := find_cron_fault(trigger.cron, self.scheduler.zone, hook.changed_at)
        ):
            return f"`when`: {fault}"
        if not is_schedule and hook.cooldown_min < LEAST_COOLDOWN_MIN:
            return f"`cooldown`: expected at least {LEAST_COOLDOWN_MIN} minute for an event"
        if isinstance(trigger, ServiceFailure) and trigger.service and trigger.service not in self.services:
            return f"`when`: there is no service {trigger.service}; `get_services` lists all"
        if isinstance(trigger, MergeRequestOpening) and self.webhook_fault:
            return f"`when`: {self.webhook_fault}"
        return self._find_project_fault(hook) or self._find_action_fault(hook, is_schedule=is_schedule)

    def _find_project_fault(self, hook: Hook) -> str:
        """Return the fault of a hook whose steps or trigger read something that is not there."""
        names = [step.argument for step in hook.steps if step.verb == "fetch"]
        if unknown := next((name for name in names if name not in self.urls), None):
            return f"`steps`: `hooks.urls` of the settings has no address {unknown}"
        paths = [step.argument for step in hook.steps if step.verb == "read"]
        if denied := next(filter(is_denied, paths), None):
            return f"`steps`: {denied} may hold secrets by its name, and is never read"
        is_file = isinstance(hook.trigger, FileChange)
        if hook.project is None and (is_file or any(step.verb in NEEDS_PROJECT for step in hook.steps)):
            return "`project`: expected one, for its steps or its files; `list_projects` has all"
        roots = [part for part in self.overview.projects.configured() if part.belongs_to == hook.project]
        if is_file and not any(root.repository for root in roots):
            return "`when`: only files of a fetched repository are watched, and this project has none"
        return ""

    def _find_action_fault(self, hook: Hook, *, is_schedule: bool) -> str:
        if hook.skip_if and not hook.steps:
            return "`skip_if`: expected `steps`, since it looks at their output"
        if hook.prompt and hook.command:
            return "expected a prompt or a command, and not both"
        if not hook.prompt and not hook.command:
            return "expected a prompt or a command"
        if hook.prompt:
            fault = find_template_fault(hook.prompt, has_steps=bool(hook.steps), is_schedule=is_schedule)
            return f"`prompt`: {fault}" if fault else ""
        if hook.channel:
            return "`channel`: a command posts nothing there; its answer comes in a direct message"
        fault = self.scheduler.actions.find_fault(hook.command)
        return f"`command`: {fault}" if fault else ""


def format_field(hook: Hook, field: HookField) -> str:
    """Return the value of a field in the words that `edit_hook` takes."""
    values = {
        "when": format_trigger(hook.trigger),
        "steps": format_steps(hook.steps),
        "skip_if": format_condition(hook.skip_if),
        "prompt": hook.prompt,
        "command": hook.command,
        "project": hook.project,
        "channel": hook.channel,
        "cooldown": str(hook.cooldown_min),
        "enabled": _YES[0] if hook.is_enabled else _NO[0],
    }
    return values[field] or NONE


def is_yes(value: str) -> bool:
    """Return whether a word enables a hook."""
    return value.lower() in _YES


def _parse_cooldown(value: str) -> dict[str, Any]:
    if not value.isdecimal() or not value.isascii() or len(value) > 6 or int(value) > MAX_COOLDOWN_MIN:
        raise ValueError(f"expected minutes from 0 to {MAX_COOLDOWN_MIN:,}")
    return {"cooldown_min": int(value)}


def _parse_enabled(value: str) -> dict[str, Any]:
    if value.lower() not in (*_YES, *_NO):
        raise ValueError("expected yes or no")
    return {"is_enabled": value.lower() in _YES}


_PARSERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "steps": lambda value: {"steps": parse_steps(value)},
    "skip_if": lambda value: {"skip_if": parse_condition(value)},
    "cooldown": _parse_cooldown,
    "enabled": _parse_enabled,
}
