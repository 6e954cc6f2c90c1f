"""Rebuild of a thread whose document was lost, by replaying the journals through the workflow.

Actionable messages, messages reported as missed, and posted replies are replayed in order of time; drafts and decisions
in between are lost and made again. A thread whose opening is not on record is not rebuilt: replies in it alone would
look like a question.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from blocks.text import escape
from bot.decide.slug import ENDING
from bot.decide.workflow import WorkflowLimits, advance
from bot.models.classification import read_classification
from bot.models.message import Message
from bot.models.thread_event import FoundReplied, MessageAdded

if TYPE_CHECKING:
    from pathlib import PurePath

    from bot.errors import Unreadable
    from bot.models.status import Mode
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.ports.outbound import Clock, Journal, TaskNames
    from bot.triage.operators import Operators
    from bot.triage.rebuilt_incidents import RebuiltIncidents
    from bot.triage.rebuilt_tasks import RebuiltTasks

_TS = re.compile(r"\d{1,12}\.\d{1,9}")


@dataclass(frozen=True, kw_only=True)
class Rebuilder:
    """Replayer of journals. `modes` are the watched channels' modes, `operators` get the cards."""

    classified: Journal
    labels: Journal
    replies: Journal
    limits: WorkflowLimits
    clock: Clock
    modes: dict[str, Mode]
    operators: Operators
    incidents: RebuiltIncidents
    tasks: RebuiltTasks
    folders: TaskNames

    async def rebuild(self, thread_id: str) -> Thread | None:
        """Rebuild the thread without saving it; `None` if the journals have nothing about it."""
        added = [self._message(record, thread_id) async for record in self.classified.records()]
        added += [self._message_of_label(record) async for record in self.labels.records() if _is_missed(record)]
        story = [h for h in added if h and (h.joins or h.message.home == thread_id)]
        replied = [r async for r in self.replies.records() if r.get("thread_id") == thread_id]
        opening = [*await self.incidents.list_events(thread_id), *await self.tasks.list_events(thread_id)]
        if not opening and all(added.joins for added in story):
            return None
        events: list[ThreadEvent] = [*opening, *story, *(reply for record in replied if (reply := self._reply(record)))]
        thread: Thread | None = None
        for event in sorted(events, key=lambda h: h.at):
            thread = advance(thread, event, self.limits).thread
        return await self._keep_name(thread) if thread else None

    async def _keep_name(self, thread: Thread) -> Thread:
        """Return the thread with the name of its task's folder, which another version of Triage may have chosen."""
        names = await self.folders.names()
        ending = thread.task[-ENDING:]
        own = sorted(name for name in names if name.endswith(ending))
        return thread.evolve(task=own[0]) if own and thread.task not in own else thread

    def _message(self, record: dict[str, Any], thread_id: str) -> MessageAdded | None:
        """Return the message of a record that was actionable or joined this thread's question."""
        joined = record.get("joined")
        if joined != thread_id and (joined or record.get("classification") != "actionable"):
            return None
        try:
            message = _read(record)
            classification = read_classification(record)
        except ValidationError:
            return None
        return self._build_added(
            message, at=classification.classified_at, mentioned=classification.is_bot_mention, joins=bool(joined)
        )

    def _message_of_label(self, record: dict[str, Any]) -> MessageAdded | None:
        """Return the message of a label that reported it as missed."""
        try:
            message, at = _read(record["message"]), datetime.fromisoformat(record["at"])
        except (ValidationError, TypeError, ValueError, KeyError):
            return None
        return self._build_added(message, at=at, mentioned=True) if at.tzinfo else None

    def _build_added(
        self, message: Message, *, at: datetime, mentioned: bool, joins: bool = False
    ) -> MessageAdded | None:
        mode = self.modes.get(message.chat_id, "silent")
        if mode == "silent" or message.sender.type == "bot":
            return None
        return MessageAdded(
            at=at,
            fresh=self.clock.new_id(),
            message=message,
            mode=mode,
            operator=self.operators.first_operator(message.chat_id, message.sender.id),
            mentioned=mentioned,
            joins=joins,
        )

    def _reply(self, record: dict[str, Any]) -> FoundReplied | None:
        """Return the reply of a record, unless its time or ts is invalid."""
        match record:
            case {"posted_at": str(posted_at), "posted_message_id": str(ts)} if _TS.fullmatch(ts):
                with suppress(ValueError):
                    at = datetime.fromisoformat(posted_at)
                    return FoundReplied(at=at, fresh=self.clock.new_id(), ts=ts) if at.tzinfo else None
        return None


def _read(record: dict[str, Any]) -> Message:
    return Message(**{key: record[key] for key in Message.model_fields if key in record})


def _is_missed(record: dict[str, Any]) -> bool:
    """Return whether a label reported its message as missed, withdrawn later or not."""
    return record.get("why") == "missed_this" and record.get("label") == "actionable"


def describe_lost(problem: Unreadable, backup: PurePath, saved: Thread | None) -> str:
    """Build the operator's notice about a document that did not parse."""
    outcome = (
        f"It was rebuilt from the journals and is {saved.status}." if saved else "The journals have nothing about it."
    )
    return escape(f"The state of a thread could not be read ({problem}). {outcome} The file was moved to {backup}.")
