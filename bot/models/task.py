"""A task: the work of one thread, with every run of a role that it took (spec 5, step 2).

A thread's document carries the dispatches, `surfaces/task_files` draws `tasks/<slug>/task.json` from them. The words in
which a dispatch ends stand here alone.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args

from bot.models.fact import Fact
from bot.models.findings import EvidenceRef

if TYPE_CHECKING:
    from bot.models.thread import Thread

RUNNING = "running"
COMPLETED = "completed"
FAILED = "failed"
"""It broke, or its model gave nothing that could be used."""

Abort = Literal[
    "repeats",
    "ping-pong",
    "same-error",
    "stalled",
    "limit",
    "time",
    "over-cap",
    "no-key",
    "unreachable",
    "stopped",
    "superseded",
    "dismissed",
    "withdrawn",
    "muted",
    "taken-over",
    "settled",
]
"""Why code or a person ended a run before it had findings: `aborted: <reason>`."""

EARLIER_KEPT = 3
"""Questions of a thread whose findings a later one is given, the newest ones."""


def aborted(why: str) -> str:
    """The status of a dispatch that was ended before it had findings; `failed` for what is no such reason."""
    return f"aborted: {why}" if why in get_args(Abort) else FAILED


class Dispatch(Fact):
    """One run of a role, as `task.json` tells it."""

    run_id: str
    role: str
    cwd: str
    """The project, and the folder in it where the work begins."""
    model: str
    """What it was made with: a model, the keyword engine, or an answer of before."""
    started_at: datetime
    status: str = RUNNING
    journal_file: str
    """In the task's folder."""


DENIED = "replied, which did not serve"


class Earlier(Fact):
    """What an earlier question of the thread came to, for whoever investigates the next one."""

    question: str
    summary: str
    refs: tuple[EvidenceRef, ...]
    """Without their quotes."""
    said: str
    """The draft."""
    outcome: str
    """How the question ended: `replied`, `dismissed` …, or `DENIED`."""
    draft_id: str = ""
    """Its last draft, which its settled card names."""
    journal_file: str | None = None


def folder(thread: Thread) -> str:
    """The name of a thread's folder below `tasks/`; documents from before tasks had slugs go by their own id."""
    return thread.task or thread.thread_id


def manifest(thread: Thread) -> dict[str, Any]:
    """`task.json`, with the keys of spec 5; `threadId` says whose it is."""
    return {
        "slug": folder(thread),
        "created": _stamp(thread.started_at),
        "threadTs": thread.root_ts,
        "threadId": thread.thread_id,
        "dispatches": [
            {
                "role": dispatch.role,
                "cwd": dispatch.cwd,
                "model": dispatch.model,
                "startedAt": _stamp(dispatch.started_at),
                "status": dispatch.status,
                "journalFile": dispatch.journal_file,
            }
            for dispatch in thread.dispatches
        ],
    }


def _stamp(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
