"""What shows that the chat agent is at work: a status in the thread with Slack's own Stop, an emoji under the message.

Signs only: where one fails the log says so, and the turn goes on.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bot.models.status_reaction import MarkState
    from bot.models.talk import TalkTurn
    from bot.ports.slack import Marks, Signs

log = logging.getLogger(__name__)

THINKING = "is thinking"
WRITING = "is writing the answer"


def loading(status: str) -> tuple[str, ...]:
    """The lines that Slack shows in turn with a status: each is true while it stands.

    A command's status stands until the next one begins, so that the model may be thinking by then.
    """
    if status == THINKING:
        return ("Reading what you wrote",)
    return ("Thinking about what came of it",) if status not in ("", WRITING) else ()


async def clear(signs: Signs, *, channel: str, thread_ts: str) -> None:
    """Have no status stand in a thread, and no Stop."""
    await _quietly(thread_ts, lambda: signs.set_status(channel=channel, thread_ts=thread_ts, status=""))
    await _quietly(thread_ts, lambda: signs.set_session(channel=channel, thread_ts=thread_ts, is_at_work=False))


@dataclass(kw_only=True)
class TurnSigns:
    """The signs of one turn. `names` are the emoji by state, without colons; a state without one has none.

    One call is under way at a time; of what is said meanwhile only the newest is shown.
    """

    turn: TalkTurn
    signs: Signs
    marks: Marks
    names: Mapping[MarkState, str]
    _wanted: str = ""
    _shown: str | None = None
    """`None` where it is not known: what another process has said may stand there."""
    _line: asyncio.Task[None] | None = None
    _mark: asyncio.Task[None] | None = None
    _session: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """The agent begins."""
        self._mark = asyncio.create_task(self._put("working"), name=f"mark {self.turn.turn_id}")
        self._session = asyncio.create_task(self._work(is_at_work=True), name=f"session {self.turn.turn_id}")
        self._say(THINKING)

    async def doing(self, what: str) -> None:
        """Say what it does now, after the bot's name: `is reading the queue`. Waits for nothing, never raises."""
        self._say(what)

    def posted(self) -> None:
        """Something was posted in the thread: Slack has taken the status down."""
        self._wanted = self._shown = ""

    async def end(self, *, well: bool | None) -> None:
        """The turn has ended; nothing of it stands there any more but an emoji that says how, none for `None`."""
        self._say("")
        for task in (self._line, self._mark, self._session):
            if task:
                await asyncio.gather(task, return_exceptions=True)
        await self._work(is_at_work=False)  # Slack waits for it an hour, whatever is posted
        if well is not None:
            await self._put("success" if well else "failure")
        await self._take("working")

    def _say(self, what: str) -> None:
        self._wanted = what
        if self._line is None or self._line.done():
            self._line = asyncio.create_task(self._bring(), name=f"status {self.turn.turn_id}")

    async def _bring(self) -> None:
        """Show what is wanted until nothing newer is."""
        while self._shown != (status := self._wanted):
            shown = {**self._thread, "status": status}
            await self._quietly(lambda shown=shown: self.signs.set_status(**shown, loading=loading(shown["status"])))  # type: ignore[misc]  # bound now
            self._shown = status

    async def _work(self, *, is_at_work: bool) -> None:
        await self._quietly(lambda: self.signs.set_session(**self._thread, is_at_work=is_at_work))

    async def _put(self, state: MarkState) -> None:
        if name := self.names.get(state):
            await self._quietly(lambda: self.marks.put_reaction(**self._place, name=name))

    async def _take(self, state: MarkState) -> None:
        if name := self.names.get(state):
            await self._quietly(lambda: self.marks.take_reaction(**self._place, name=name))

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
