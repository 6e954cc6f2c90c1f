"""Asker lines: ephemeral notes to an asker about a failed run or a missed decision, each shown once.

Slack may lose such a line, and nothing depends on it. The document records a line as begun before Slack is asked to
show it, and takes that back if the call had no effect: so a restart continues, and nothing is shown twice.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from blocks.asker import build_asker_line
from blocks.text import context
from bot.errors import RetryLater, TriageError
from bot.models.thread_event import AskerLineShown
from bot.runtime.background_tasks import cancel_all
from bot.runtime.offload import run_offloaded
from bot.surfaces.active_threads import active_thread
from bot.surfaces.draft_payload import redact_question
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.decide.workflow import Transition
    from bot.models.asker_line import AskerLine
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat, History

log = logging.getLogger(__name__)

LATEST = timedelta(days=1)
"""Age up to which a line is still shown."""
_LONGEST_WAIT = 60.0


class ThreadTransitions(Protocol):
    """Transitions of threads."""

    async def submit(self, thread_id: str, event: ThreadEvent) -> Transition:
        """Apply an event in its thread's queue; return the transition."""


@dataclass(kw_only=True)
class AskerLines:
    """Sender of lines. An event records that one is begun, or is to be shown again."""

    chat: Chat
    history: History
    clock: Clock
    threads: ThreadTransitions
    redactor: Redactor
    _showing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Show the line of this document soon."""
        if thread.asker_line and not thread.asker_line.is_begun and thread.thread_id not in self._showing:
            task = asyncio.create_task(self._show(thread, thread.asker_line), name=f"line to asker {thread.thread_id}")
            self._showing[thread.thread_id] = task

    async def stop(self) -> None:
        """Stop; lines that were not begun are shown after the next start."""
        await cancel_all(self._showing.values())

    async def _show(self, thread: Thread, line: AskerLine) -> None:
        wait = 0.5
        try:
            while await self._submit_state(thread, line, is_begun=True):
                if self.clock.now() - line.at > LATEST:
                    return
                try:
                    await self._say(thread, line)
                except RetryLater as problem:
                    await self._submit_state(thread, line, is_begun=False)
                    wait = max(problem.after, min(_LONGEST_WAIT, wait * 2))
                    await self.clock.sleep(wait)
                else:
                    return
        except TriageError as problem:
            log.warning("thread %s: its asker was not told: %s", thread.thread_id, problem)
        except Exception:
            log.exception("thread %s: the line to its asker failed", thread.thread_id)
        finally:
            del self._showing[thread.thread_id]

    async def _submit_state(self, thread: Thread, line: AskerLine, *, is_begun: bool) -> bool:
        event = AskerLineShown(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            ending=line.ending,
            question_round=line.question_round,
            is_begun=is_begun,
        )
        return (await self.threads.submit(thread.thread_id, event)).accepted

    async def _say(self, thread: Thread, line: AskerLine) -> None:
        """Post the line: a lasting message in a direct message, an ephemeral one in a channel."""
        text = build_asker_line(await run_offloaded(redact_question, thread, self.redactor), line)
        if thread.chat_id.startswith("D"):
            metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
            place = {"channel": thread.chat_id, "thread_ts": thread.root_ts}
            await self.chat.post(text=text, blocks=[context(text)], metadata=metadata, **place)
            return
        thread_ts = await active_thread(self.history, thread)
        await self.chat.post_ephemeral(
            channel=thread.chat_id, user=thread.original_sender_id, text=text, thread_ts=thread_ts
        )
