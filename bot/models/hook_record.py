"""Record of a hook, in `hooks.json`: the hook, its next time, and its last runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, StringConstraints

from bot.models.fact import Fact
from bot.models.hook import Hook

MAX_RUNS = 20
"""Number of runs that are kept of each hook, the newest ones."""
MAX_FAILURES = 3
"""Failures in a row that disable a hook."""
MAX_EVENT_IDS = 200
"""Number of events that are kept of each hook by their ids, the newest ones."""
MAX_EVENT_CHARS, MAX_LINE_CHARS = 2_000, 300

CauseKind = Literal["schedule", "message", "task", "service", "file", "merge_request", "fired"]
RunOutcome = Literal["created", "executed", "skipped", "failed"]


class HookCause(Fact):
    """Cause of a run: a time that was due, an event, or the command of a person."""

    kind: CauseKind
    at: datetime
    text: Annotated[str, StringConstraints(max_length=MAX_EVENT_CHARS)] = ""
    """The event in words, untrusted; empty for a time."""
    by: str = ""
    """Person who fired it; empty otherwise."""
    event_id: str = ""
    """Id that all reports of a message or merge request share, whose times come from another machine; else empty."""


class HookRun(Fact):
    """One run of a hook. Times are in UTC."""

    run_id: str
    cause: HookCause
    started_at: datetime
    description: str | None = None
    """Text for its action, from the moment at which that is decided to its end; `None` before and after."""
    digest: str = ""
    """Digest of the output of its steps; empty until they have ended."""
    outcome: RunOutcome | None = None
    """Its ending; `None` while it runs."""
    line: Annotated[str, StringConstraints(max_length=MAX_LINE_CHARS)] = ""
    """Its result in a line of plain text."""
    ended_at: datetime | None = None
    repeats: PositiveInt = 1
    """Number of runs in a row that ended so; only skipped ones are counted together."""


class HookNotice(Fact):
    """Message to the owner of a hook that is not known to have arrived."""

    notice_id: str
    """Id by which it is found again; that of its run."""
    since: datetime
    text: Annotated[str, StringConstraints(max_length=4_000)]
    """Line of mrkdwn whose variable parts are escaped."""


class HookRecord(Fact):
    """A hook with its state. Times are in UTC."""

    schema_version: Literal[1] = 1
    hook: Hook
    next_at: datetime | None = None
    """Next time of a schedule; `None` for an event hook, and where there is no further time."""
    last_started_at: datetime | None = None
    digest: str = ""
    """Digest of the output of its steps in the last run that acted or was skipped."""
    failures: NonNegativeInt = 0
    """Failed runs in a row."""
    commits: dict[str, str] = Field(default_factory=dict)
    """Commit up to which changed files were looked at, by root of the project."""
    event_ids: Annotated[tuple[str, ...], Field(max_length=MAX_EVENT_IDS)] = ()
    """Ids of the events that have begun runs, oldest first."""
    runs: Annotated[tuple[HookRun, ...], Field(max_length=MAX_RUNS)] = ()
    """Its last runs, oldest first; only the last one may not have ended."""
    notices: tuple[HookNotice, ...] = ()

    @property
    def record_id(self) -> str:
        """Return the id by which it is found in its book."""
        return self.hook.name

    @property
    def open_run(self) -> HookRun | None:
        """Return the run that has not ended."""
        return self.runs[-1] if self.runs and self.runs[-1].outcome is None else None


class ActionEnd(Fact):
    """End of an action."""

    is_done: bool
    line: str
    """Its result in a line of plain text."""
    notice: str = ""
    """Message to the owner of the hook, as mrkdwn; empty for none."""
