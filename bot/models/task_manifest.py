"""Manifest of a task: the text of its task.json (spec 5, step 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread


def manifest(thread: Thread) -> dict[str, Any]:
    """Build `task.json` with the keys of spec 5; `threadId` names the thread."""
    return {
        "slug": thread.task,
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
