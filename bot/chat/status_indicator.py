"""Status indicator of a running chat turn: a status in the thread with Slack's Stop, and an emoji on the message.

A failed update is only logged, and the turn continues.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.models.conversation_record import TurnRecord
    from bot.models.status_reaction import ReactionState
    from bot.ports.slack import AssistantStatus, ReactionWriter

log = logging.getLogger(__name__)

EndReaction = Literal["success", "failure"]
"""Reaction that shows the outcome of a turn."""

THINKING = "is thinking"
WRITING = "is writing the answer"


def loading_messages(status: str) -> tuple[str, ...]:
    """Return the lines that Slack shows in turn with a status; each is true for as long as the status is shown.

    A command's status remains until the next one begins, so the model may be thinking by then.
    """
    if status == THINKING:
        return ("Reading what you wrote",)
    return ("Thinking about the result",) if status not in ("", WRITING) else ()


async def clear_status(assistant_status: AssistantStatus, *, channel: str, thread_ts: str) -> None:
    """Remove the status and the Stop button from a thread."""
    await _quietly(thread_ts, lambda: assistant_status.set_status(channel=channel, thread_ts=thread_ts, status=""))
    await _quietly(
        thread_ts, lambda: assistant_status.set_session(channel=channel, thread_ts=thread_ts, is_at_work=False)
    )


@dataclass(kw_only=True)
class StatusIndicator:
    """Status and emoji of one turn. `names` are the emoji by state, without colons; a state without a name has none.

    One call is in flight at a time; of the statuses set meanwhile only the newest is shown.
    """

    turn: TurnRecord
    assistant_status: AssistantStatus
    reactions: ReactionWriter
    names: Mapping[ReactionState, str]
    _wanted: str = ""
    _current: str | None = None
    """Status shown now; `None` if unknown: one of an earlier process may be shown."""
    _status_task: asyncio.Task[None] | None = None
    _reaction_task: asyncio.Task[None] | None = None
    _session_task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Show that the agent begins."""
        self._reaction_task = asyncio.create_task(self._add_reaction("working"), name=f"mark {self.turn.turn_id}")
        self._session_task = asyncio.create_task(
            self._set_session(is_at_work=True), name=f"session {self.turn.turn_id}"
        )
        self._set_wanted(THINKING)

    async def show_activity(self, what: str) -> None:
        """Show the present activity after the bot's name: `is reading the queue`. Does not wait, never raises."""
        self._set_wanted(what)

    def note_posted(self) -> None:
        """Note that a message was posted in the thread, at which Slack removes the status."""
        self._wanted = self._current = ""

    async def end(self, *, reaction: EndReaction | None) -> None:
        """Remove the status and the reactions of the turn, and add the one for its outcome, if any."""
        self._set_wanted("")
        for task in (self._status_task, self._reaction_task, self._session_task):
            if task:
                await asyncio.gather(task, return_exceptions=True)
        await self._set_session(is_at_work=False)  # else Slack keeps the session open for an hour, whatever is posted
        if reaction is not None:
            await self._add_reaction(reaction)
        await self._remove_reaction("working")

    def _set_wanted(self, what: str) -> None:
        self._wanted = what
        if self._status_task is None or self._status_task.done():
            self._status_task = asyncio.create_task(self._update_status(), name=f"status {self.turn.turn_id}")

    async def _update_status(self) -> None:
        """Show the wanted status until there is no newer one."""
        while self._current != (status := self._wanted):
            loading = loading_messages(status)
            await self._quietly(
                partial(self.assistant_status.set_status, **self._thread, status=status, loading=loading)
            )
            self._current = status

    async def _set_session(self, *, is_at_work: bool) -> None:
        await self._quietly(lambda: self.assistant_status.set_session(**self._thread, is_at_work=is_at_work))

    async def _add_reaction(self, state: ReactionState) -> None:
        if name := self.names.get(state):
            await self._quietly(lambda: self.reactions.add_reaction(**self._place, name=name))

    async def _remove_reaction(self, state: ReactionState) -> None:
        if name := self.names.get(state):
            await self._quietly(lambda: self.reactions.remove_reaction(**self._place, name=name))

    @property
    def _thread(self) -> dict[str, str]:
        return {"channel": self.turn.message.chat_id, "thread_ts": self.turn.root_ts}

    @property
    def _place(self) -> dict[str, str]:
        return {"channel": self.turn.message.chat_id, "ts": self.turn.message.message_id}

    async def _quietly(self, call: Callable[[], Awaitable[None]]) -> None:
        await _quietly(f"turn {self.turn.turn_id}", call)


async def _quietly(about: str, call: Callable[[], Awaitable[None]]) -> None:
    try:
        await call()
    except TriageError as problem:
        log.info("%s: a sign is missing: %s", about, problem)
