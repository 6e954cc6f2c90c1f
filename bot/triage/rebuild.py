"""Rebuilding a thread whose document was lost: as far as the journals tell, through the same workflow.

Called by `triage/orchestrator` when a document does not parse. The messages that were taken for worth attention and the
replies that were posted are played again in the order of their times; drafts and decisions in between are made anew.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.decide.workflow import Limits, advance
from bot.models.classification import Classification
from bot.models.happening import FoundReplied, MessageAdded
from bot.models.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.happening import Happening
    from bot.models.thread import Mode, Thread
    from bot.ports import Journal

_TS = re.compile(r"\d{1,12}\.\d{1,9}")


@dataclass(frozen=True, kw_only=True)
class Rebuilder:
    """Plays journals again. `modes` are the watched channels' modes, `operator` says who gets a channel's cards."""

    classified: Journal
    replies: Journal
    limits: Limits
    new_id: Callable[[], str]
    modes: dict[str, Mode]
    operator: Callable[[str], str]

    async def rebuild(self, thread_id: str) -> Thread | None:
        """The thread, never saved; `None` when the journals know nothing of it."""
        happenings = [await self._message(record) async for record in self.classified.records()]
        story = [h for h in happenings if h and h.message.home == thread_id]
        replied = [r async for r in self.replies.records() if r.get("thread_id") == thread_id]
        told: list[Happening] = [*story, *(reply for record in replied if (reply := self._reply(record)))]
        thread: Thread | None = None
        for happening in sorted(told, key=lambda h: h.at):
            thread = advance(thread, happening, self.limits).thread
        return thread

    async def _message(self, record: dict[str, Any]) -> MessageAdded | None:
        """The message of a record that was worth attention."""
        if record.get("classification") != "actionable":
            return None
        try:
            message = Message(**{key: record[key] for key in Message.model_fields if key in record})
            said = Classification(**{key: record[key] for key in Classification.model_fields if key in record})
        except ValidationError:
            return None
        mode = self.modes.get(message.chat_id, "silent")
        if mode == "silent" or message.sender.type == "bot":
            return None
        return MessageAdded(
            at=said.classified_at,
            fresh=self.new_id(),
            message=message,
            mode=mode,
            operator=self.operator(message.chat_id),
            mentioned=said.is_bot_mention,
        )

    def _reply(self, record: dict[str, Any]) -> FoundReplied | None:
        """The reply of a record, unless its time or its ts is lost."""
        match record:
            case {"posted_at": str(posted_at), "posted_message_id": str(ts)} if _TS.fullmatch(ts):
                with suppress(ValueError):
                    at = datetime.fromisoformat(posted_at)
                    return FoundReplied(at=at, fresh=self.new_id(), ts=ts) if at.tzinfo else None
        return None
