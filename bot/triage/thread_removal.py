"""Removal of threads by command: their documents and the folders of their runs. Journals stay until `triage purge`.

A record in the journal of events keeps the messages of a removed thread from being handled again after a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.intake.record import removal_record

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal, Store, ThreadFolders
    from bot.triage.open_threads import OpenThreads


@dataclass(frozen=True, kw_only=True)
class ThreadRemoval:
    """Remover of closed threads."""

    store: Store
    folders: ThreadFolders
    open_threads: OpenThreads
    events: Journal
    clock: Clock

    async def remove(self, thread: Thread, *, is_late: bool = False) -> bool:
        """Remove a closed thread whose views show its end; return whether it is gone. Raises `RetryLater`.

        `is_late`: views that Slack did not take in time are left as they are.
        """
        if thread.is_open or (not is_late and _has_views_to_draw(thread)):
            return False
        await self.events.append(removal_record(thread.thread_id, received_at=self.clock.now().isoformat()))
        await self.folders.remove(thread.thread_id, thread.task)  # a crash in between leaves a document to find
        is_gone = await self.store.remove(thread.thread_id)
        if is_gone:
            self.open_threads.forget(thread.thread_id)
        return is_gone


def _has_views_to_draw(thread: Thread) -> bool:
    return thread.is_behind or thread.has_line_to_say or any(not mark.is_done for mark in thread.marks)
