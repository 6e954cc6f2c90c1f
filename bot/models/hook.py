"""Hook: work that begins by itself, on a schedule or an event; its trigger, context steps, condition and action."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.models.declared_command import CommandPlan
from bot.models.fact import Fact
from bot.models.message import SlackId

MAX_HOOKS = 50
MAX_STEPS = 5
MAX_COOLDOWN_MIN = 10_080
LEAST_COOLDOWN_MIN = 1
"""Cooldown of an event hook at least: a burst of events begins one run, and an event is never taken twice."""
EVENT_COOLDOWN_MIN = 10
"""Cooldown of an event hook that names none."""

HookName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
CronExpression = Annotated[str, StringConstraints(min_length=9, max_length=100)]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=300)]
"""Pattern of re2."""
StepVerb = Literal["read", "search", "log", "fetch", "run"]
ConditionKind = Literal["unchanged", "empty", "matches", "lacks"]


class Schedule(Fact):
    """Trigger by times of a cron expression, in the time zone of the settings."""

    kind: Literal["schedule"] = "schedule"
    cron: CronExpression


class MessageMatch(Fact):
    """Trigger by a message in a watched channel."""

    kind: Literal["message"] = "message"
    channel: SlackId
    pattern: Pattern
    """Words that a message must contain, or a pattern of re2."""
    is_regex: bool = False


class TaskFailure(Fact):
    """Trigger by a created task whose run ended without a draft."""

    kind: Literal["task"] = "task"


class ServiceFailure(Fact):
    """Trigger by a service that is no longer healthy."""

    kind: Literal["service"] = "service"
    service: Annotated[str, StringConstraints(max_length=100)] = ""
    """Its name; empty for any service."""


class FileChange(Fact):
    """Trigger by a new commit of the hook's project that changes a file."""

    kind: Literal["file"] = "file"
    pattern: Pattern
    """Pattern of its path, as in `.gitignore`."""


class MergeRequestOpening(Fact):
    """Trigger by a merge request that somebody opens, as the webhook of its forge reports it."""

    kind: Literal["merge_request"] = "merge_request"
    project: Annotated[str, StringConstraints(max_length=300)] = ""
    """Path of the repository at its forge, such as `team/shop`; empty for any."""


Trigger = Annotated[
    Schedule | MessageMatch | TaskFailure | ServiceFailure | FileChange | MergeRequestOpening,
    Field(discriminator="kind"),
]


class ContextStep(Fact):
    """Step that reads something before the condition is decided."""

    verb: StepVerb
    argument: Annotated[str, StringConstraints(max_length=300)] = ""
    """Path of a file, text to search, path for the log, name of an address in the settings, or a declared command with
    its values."""


class Condition(Fact):
    """Condition on the output of the steps under which a run ends early."""

    kind: ConditionKind
    pattern: Annotated[str, StringConstraints(max_length=300)] = ""
    """Pattern of re2 for `matches` and `lacks`."""


class Hook(Fact):
    """One hook as its owner has set it. Times are in UTC."""

    name: HookName
    trigger: Trigger
    steps: Annotated[tuple[ContextStep, ...], Field(max_length=MAX_STEPS)] = ()
    skip_if: Condition | None = None
    prompt: Annotated[str, StringConstraints(max_length=4_000)] = ""
    """Description of the task that a run creates, with variables; empty where it executes a command."""
    command: Annotated[str, StringConstraints(max_length=1_000)] = ""
    """Words of the command that a run executes; empty where it creates a task."""
    programs: Annotated[tuple[CommandPlan, ...], Field(max_length=MAX_STEPS)] = ()
    """What its steps `run`, in order, exactly as a person approved it."""
    project: str | None = None
    """The project of its steps and its tasks."""
    channel: Annotated[str, StringConstraints(max_length=31)] = ""
    """Channel of its tasks; empty for the direct message of its owner."""
    cooldown_min: Annotated[int, Field(ge=0, le=MAX_COOLDOWN_MIN)] = 0
    """Minutes after the begin of a run in which nothing begins another one."""
    owner: SlackId
    """Person whose rights count when it runs: the last one who created or changed it."""
    changed_at: datetime
    """Time from which on events count."""
    is_enabled: bool = True
