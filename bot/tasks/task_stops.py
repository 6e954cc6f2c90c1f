"""Stops of created tasks by words: the person who created one says *stop that* in its thread."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.interaction import message_interaction_id
from bot.models.status import BEFORE_A_DRAFT
from bot.models.thread_event import Stop

if TYPE_CHECKING:
    from bot.models.message import Message
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.slack_names import SlackNames

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class TaskStops:
    """Handler of these words; each stop is audited."""

    orchestrator: Orchestrator
    naming: SlackNames
    chat: Chat
    audit: Journal
    clock: Clock

    async def stop(self, message: Message) -> bool:
        """Stop the task of a message's thread as *Stop* on its card does; return whether that ended anything.

        It then waits for its operator, and holds the tasks that depend on it.
        """
        thread = self.orchestrator.open_threads.tasks.open.get(message.home)
        order = thread.order if thread else None
        if thread is None or order is None or thread.status not in BEFORE_A_DRAFT:
            return False
        if message.sender.id != order.created_by:
            return False
        name = (await self.naming.names({message.sender.id: ""}))[message.sender.id]
        event = Stop(at=self.clock.now(), fresh=self.clock.new_id(), by=order.created_by, name=name, **thread.press_ids)
        if not (await self.orchestrator.submit(thread.thread_id, event)).accepted:
            return False
        await self._record(message)
        await self._tell(message, thread)
        return True

    async def _record(self, message: Message) -> None:
        await self.audit.append(
            {
                "kind": "task",
                "at": self.clock.now().isoformat(),
                "interaction_id": message_interaction_id(message),
                "team_id": message.team_id,
                "user_id": message.sender.id,
                "channel_id": message.chat_id,
                "thread_id": message.thread_id,
                "action": "stop",
                "result": "stopped",
            }
        )

    async def _tell(self, message: Message, thread: Thread) -> None:
        text = f"Stopped: `{thread.task}` waits for its operator. `/triage restart_task {thread.task}` takes that back."
        try:
            await self.chat.post_ephemeral(
                channel=message.chat_id, user=message.sender.id, text=text, thread_ts=thread.root_ts
            )
        except TriageError as problem:
            log.warning("%s was not told that their task was stopped: %s", message.sender.id, problem)
