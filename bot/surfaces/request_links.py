"""Links to merge requests: one line below a reply that waits for its approval, which then covers it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.redaction.redactor import Redactor
from bot.decide.workflow.fixes import needs_link
from bot.models.fix_event import RequestLinked
from bot.runtime.background_tasks import cancel_all
from bot.surfaces.draft_payload import make_draft

if TYPE_CHECKING:
    from bot.models.draft import Draft
    from bot.models.merge_request import MergeRequest
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class RequestLinks:
    """Writer of the line: the draft is sealed again with it, and an event puts it in the place of the one without."""

    clock: Clock
    threads: ThreadQueue
    redactor: Redactor = field(default_factory=Redactor)
    _sealing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def redraw(self, thread: Thread) -> None:
        """Add the line to the draft of this document soon, if it needs it."""
        fix, draft = thread.fix, thread.draft_pending
        if fix and fix.request and draft and needs_link(thread) and draft.nonce not in self._sealing:
            self._sealing[draft.nonce] = asyncio.create_task(
                self._seal(thread, draft, fix.request), name=f"link {thread.thread_id}"
            )

    async def stop(self) -> None:
        """Stop; the next start adds what is missing."""
        await cancel_all(self._sealing.values())

    async def _seal(self, thread: Thread, draft: Draft, request: MergeRequest) -> None:
        try:
            name = f"{request.name[:1].upper()}{request.name[1:]}"
            text = f"{draft.text.rstrip()}\n\n{name}: {request.url}"
            linked = await asyncio.to_thread(
                make_draft, thread, text, nonce=self.clock.new_id(), redactor=self.redactor
            )
            if linked.withheld:
                log.warning("thread %s: the link to its merge request looks like a secret", thread.thread_id)
                return
            event = RequestLinked(at=self.clock.now(), fresh=self.clock.new_id(), nonce=draft.nonce, draft=linked)
            self.threads.tell(thread.thread_id, event)
        except Exception:
            log.exception("thread %s: the link to its merge request failed", thread.thread_id)
        finally:
            del self._sealing[draft.nonce]
