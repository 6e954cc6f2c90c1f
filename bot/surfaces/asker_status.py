"""Assistant status under a question: the role that is looking it up (spec 5, notice of a dispatch).

Slack shows it beside the bot's name in the thread, and removes it after two minutes or when the bot posts there; it is
repeated while the work continues. Only a hint: failures are logged.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.asker import describe_status
from bot.errors import TriageError
from bot.runtime.background_tasks import cancel_all
from bot.runtime.retry import sleep_unless

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import AssistantStatus

log = logging.getLogger(__name__)

REPEAT_SECONDS = 90.0
"""Seconds after which a status is set again."""


@dataclass(kw_only=True)
class AskerStatus:
    """Updater of statuses. `why_held` returns the reason why a question is not investigated at the moment
    (`Orchestrator.why_held`)."""

    assistant_status: AssistantStatus
    clock: Clock
    threads: ThreadQueue
    _wanted: dict[str, str] = field(default_factory=dict)
    _changed: dict[str, asyncio.Event] = field(default_factory=dict)
    _showing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Show the status of this document soon."""
        name = thread.thread_id
        wanted = "" if thread.mode != "live" or self.threads.why_held(thread) else describe_status(thread)
        if name in self._showing:
            if wanted != self._wanted[name]:
                self._wanted[name] = wanted
                self._changed[name].set()
        elif wanted:
            self._wanted[name], self._changed[name] = wanted, asyncio.Event()
            self._showing[name] = asyncio.create_task(self._show(thread), name=f"status {name}")

    async def stop(self) -> None:
        """Stop; Slack removes the status that is shown."""
        await cancel_all(self._showing.values())

    async def _show(self, thread: Thread) -> None:
        """Keep the wanted status shown until there is none."""
        name = thread.thread_id
        try:
            while True:
                self._changed[name].clear()
                wanted = self._wanted[name]
                await self.assistant_status.set_status(channel=thread.chat_id, thread_ts=thread.root_ts, status=wanted)
                if wanted == self._wanted[name]:
                    if not wanted:
                        return
                    await sleep_unless(self.clock, REPEAT_SECONDS, unless=self._changed[name])
        except TriageError as problem:
            log.info("thread %s: its status is missing: %s", name, problem)
        except Exception:
            log.exception("thread %s: its status failed", name)
        finally:
            del self._showing[name], self._wanted[name], self._changed[name]
