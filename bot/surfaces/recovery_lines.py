"""Recovery lines: one message in the thread of an incident for each recovery.

The document records a line as begun before Slack is asked to post it, and takes that back if the call had no effect: a
restart continues, and nothing is posted twice. Nothing is posted while Triage is stopped.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.recovery import build_recovery
from blocks.text import section
from bot.errors import RetryLater, TriageError
from bot.models.incident import Incident
from bot.models.thread_event import RecoveryShown
from bot.runtime.background_tasks import cancel_all
from bot.runtime.offload import run_offloaded
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.decide.redaction.redactor import Redactor
    from bot.models.incident import RecoveryLine
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.asker_lines import ThreadTransitions

log = logging.getLogger(__name__)

LATEST = timedelta(days=1)
"""Age up to which a line is still posted."""
_STOPPED_SECONDS = 30.0
_LONGEST_WAIT = 60.0


@dataclass(kw_only=True)
class RecoveryLines:
    """Sender of lines. An event records that one is begun, or is to be posted again."""

    chat: Chat
    clock: Clock
    threads: ThreadTransitions
    is_stopped: Callable[[], bool]
    """Return whether an admin has stopped Triage."""
    is_silent: Callable[[Thread], bool]
    """Return whether nothing is posted in a thread: it is muted, or its channel is not live."""
    redactor: Redactor
    _posting: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Post the line of this document soon."""
        line = thread.incident.recovery if thread.incident else None
        if line and not line.is_begun and thread.thread_id not in self._posting:
            task = asyncio.create_task(self._post(thread, line), name=f"recovery {thread.thread_id}")
            self._posting[thread.thread_id] = task

    async def stop(self) -> None:
        """Stop; lines that were not begun are posted after the next start."""
        await cancel_all(self._posting.values())

    async def _post(self, thread: Thread, line: RecoveryLine) -> None:
        wait = 0.5
        try:
            while self.is_stopped():
                await self.clock.sleep(_STOPPED_SECONDS)
            while await self._record(thread, line, is_begun=True):
                if self.clock.now() - line.at > LATEST or self.is_silent(thread):
                    return
                try:
                    await self._say(thread)
                except RetryLater as problem:
                    await self._record(thread, line, is_begun=False)
                    wait = max(problem.after, min(_LONGEST_WAIT, wait * 2))
                    await self.clock.sleep(wait)
                else:
                    return
        except TriageError as problem:
            log.warning("thread %s: its recovery was not said: %s", thread.thread_id, problem)
        except Exception:
            log.exception("thread %s: the line about its recovery failed", thread.thread_id)
        finally:
            del self._posting[thread.thread_id]

    async def _record(self, thread: Thread, line: RecoveryLine, *, is_begun: bool) -> bool:
        event = RecoveryShown(at=self.clock.now(), fresh=self.clock.new_id(), failures=line.failures, is_begun=is_begun)
        return (await self.threads.submit(thread.thread_id, event)).accepted

    async def _say(self, thread: Thread) -> None:
        text = await run_offloaded(self._render, thread)
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
        place = {"channel": thread.chat_id, "thread_ts": thread.root_ts}
        await self.chat.post(text=text, blocks=[section(text)], metadata=metadata, **place)

    def _render(self, thread: Thread) -> str:
        assert thread.incident is not None  # noqa: S101  # it has a line; narrows the type
        document = thread.incident.model_dump()
        safe = self.redactor.value(document, repeated=True)
        return build_recovery(thread.incident if safe is document else Incident.model_validate(safe))
