"""Data of `list_hooks` and `list_hook_runs`: hooks, and their last runs."""

from __future__ import annotations

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact


class HookData(Fact):
    """A hook as it is now."""

    name: str
    when: str
    """Its trigger, in the words of `create_hook`."""
    steps: str
    skip_if: str
    prompt: str
    command: str
    project: str | None
    channel: str
    cooldown_minutes: int
    owner: str
    """Person whose rights count."""
    is_enabled: bool
    failures_in_row: int
    next_at: UtcTime | None
    """Next time of its schedule; `None` for an event, and while it is disabled."""


class HooksData(Fact):
    """Hooks by name."""

    hooks: tuple[HookData, ...]


class HookRunData(Fact):
    """A run, or several skipped ones in a row."""

    run_id: str
    cause: str
    """What began it: schedule, message, task, service, file, or fired by a person."""
    by: str
    """The person who fired it; empty otherwise."""
    due_at: UtcTime
    """Time that was due, or that of the event."""
    started_at: UtcTime
    ended_at: UtcTime | None
    outcome: str
    """created, executed, skipped or failed; `running` before its end."""
    result: str
    runs: int
    """Number of runs in a row that ended so."""


class HookRunsData(Fact):
    """The last runs of a hook, newest first."""

    hook: str
    runs: tuple[HookRunData, ...]
