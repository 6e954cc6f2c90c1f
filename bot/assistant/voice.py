"""The voice of the chat agent: what it says is posted in its thread once, whatever breaks in between.

Called by `assistant/talking` and `assistant/conversations`. Each thing said has a nonce of its turn's; after a doubt
the thread is read for it before anything is posted again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from blocks.talk import answer
from blocks.text import context, escape
from bot.errors import Refused, TriageError, Uncertain
from bot.patience import patiently
from bot.triage.ground_truth import ANSWER
from bot.triage.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.message import Message
    from bot.models.talk import TalkTurn
    from bot.ports import Clock
    from bot.slack_ports import Chat

Done = TypeVar("Done")

log = logging.getLogger(__name__)

TRIES = 5
"""How often Slack is asked for one post while it takes nothing."""
_LONGEST_WAIT = 30.0


@dataclass(frozen=True, kw_only=True)
class Voice:
    """Posts. `url` is the workspace's address; `silenced` says why nothing may be said in a thread now, if so."""

    chat: Chat
    clock: Clock
    url: str
    silenced: Callable[[str], str | None]
    settling_seconds: float = 5.0
    """How long a request may still be on its way inside Slack before the thread is read for it."""

    async def say(self, turn: TalkTurn, text: str, *, number: int = 0, look_first: bool = False) -> None:
        """Answer a turn, the `number`th time. Raises `RetryLater`, `Uncertain` and `Refused` as `Chat.post` does."""
        await self._post(turn, answer(text, url=self.url, footer=f"{taken_as(turn)}."), number, look_first=look_first)

    async def show(self, turn: TalkTurn, text: str) -> None:
        """Answer a turn so that nobody else sees it. Raises as `say` does."""
        message = turn.message
        footer = f"{taken_as(turn)}. Shown to you alone, since it may repeat what people wrote elsewhere."
        shown = answer(text, url=self.url, footer=footer)
        if why := self.silenced(message.home):
            raise Refused(why, code="silenced")
        root = turn.root_ts if message.thread_id is not None else None
        await self._patiently(
            lambda: self.chat.notice(channel=message.chat_id, user=message.sender.id, thread_ts=root, **shown)
        )

    async def tell(self, message: Message, text: str) -> None:
        """A line of the bot's own that is no answer: only the person sees it, in a direct message it stays.

        One that does not arrive is in the log.
        """
        is_reply = message.thread_id is not None
        root = message.home.rpartition("-")[2]
        try:
            if message.chat_id.startswith("D"):
                metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
                blocks = [context(escape(text))]
                where = {"channel": message.chat_id, "thread_ts": root}
                await self._patiently(lambda: self.chat.post(text=text, blocks=blocks, metadata=metadata, **where))
                return
            thread_ts = root if is_reply else None
            await self._patiently(
                lambda: self.chat.notice(
                    channel=message.chat_id, user=message.sender.id, text=text, thread_ts=thread_ts
                )
            )
        except TriageError as problem:
            log.warning("%s was not told: %s", message.sender.id, problem)

    async def _post(self, turn: TalkTurn, shown: dict[str, Any], number: int, *, look_first: bool) -> None:
        nonce = f"{turn.nonce}-{number}"
        if look_first and await self._patiently(lambda: self._find(turn, nonce)) is not None:
            return
        try:
            await self._patiently(lambda: self._send(turn, shown, nonce))
        except Uncertain as doubt:
            log.warning("turn %s: the answer is in doubt: %s", turn.turn_id, doubt)
            await self.clock.sleep(self.settling_seconds)
            if await self._patiently(lambda: self._find(turn, nonce)) is None:
                await self._patiently(lambda: self._send(turn, shown, nonce))

    async def _send(self, turn: TalkTurn, shown: dict[str, Any], nonce: str) -> str:
        if why := self.silenced(turn.message.home):
            raise Refused(why, code="silenced")
        return await self.chat.post(
            channel=turn.message.chat_id,
            thread_ts=turn.root_ts,
            metadata={"event_type": ANSWER, "event_payload": {"turn": turn.turn_id, "nonce": nonce}},
            **shown,
        )

    async def _find(self, turn: TalkTurn, nonce: str) -> str | None:
        return await self.chat.find_in_thread(
            channel=turn.message.chat_id, thread_ts=turn.root_ts, event_type=ANSWER, nonce=nonce
        )

    async def _patiently(self, call: Callable[[], Awaitable[Done]]) -> Done:
        """Make a call that had no effect outside again, ever more slowly; then `RetryLater` after all."""
        return await patiently(self.clock, call, longest=_LONGEST_WAIT, tries=TRIES)


def taken_as(turn: TalkTurn) -> str:
    """Which door a turn took, and why."""
    return f"Taken as said to Triage itself: {turn.door}"
