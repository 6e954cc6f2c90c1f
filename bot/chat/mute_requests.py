"""Mute requests from the thread itself: by a message that says nothing else, or by an emoji.

Any participant of a thread may mute Triage there; only they see the answer. The audit records each request, so that a
restart does not repeat it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.addressing.mute_words import is_hush
from bot.errors import RetryLater, TriageError
from bot.models.interaction import ThreadAsker, said_in
from bot.models.message import thread_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.commands.permission import Permission
    from bot.models.message import Message
    from bot.models.reaction import Reacted
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat, History
    from bot.triage.controls import Controls
    from bot.triage.thread_muting import Muting

log = logging.getLogger(__name__)

TRIES = 3
"""Number of attempts to find the thread of an emoji."""

_MUTED = "Muted. {ended}A mention of Triage in this thread brings it back."
_ENDED = "The work in this thread has ended. "
_BACK = "Triage listens to this thread again, from the next message on."
_NOT_THEIRS = "Only participants of a thread can mute Triage there. Nothing was changed."


@dataclass(frozen=True, kw_only=True)
class Hush:
    """Mute requests. `words` come from `hush_words`, `emoji` are names without colons; `desk` returns operators and
    admins."""

    words: frozenset[str]
    emoji: frozenset[str]
    bot_id: str
    desk: Callable[[], frozenset[str]]
    muting: Muting
    controls: Controls
    permission: Permission
    history: History
    chat: Chat
    audit: Journal
    clock: Clock
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lock that handles one emoji at a time, since its removal must find its mute."""

    async def lets_in(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Return whether a message of this moment may open or reopen its thread (`Mutes`)."""
        return await self.controls.lets_in(thread_id, mentioned=mentioned, at=at)

    async def hears(self, message: Message) -> bool:
        """Mute the thread if a person's message is a mute request; return whether it is (`Mutes`)."""
        if message.thread_id is None or message.sender.type != "user":
            return False
        if not is_hush(message.own_content, self.words, bot_id=self.bot_id):
            return False
        asker = ThreadAsker(
            interaction_id=said_in(message),
            team_id=message.team_id,
            user_id=message.sender.id,
            channel_id=message.chat_id,
            thread_id=message.home,
            via="thread",
        )
        refusal = await self._refusal(asker)
        ended = None if refusal else await self.muting.mute(message.home, since=message.create_time)
        await self._answer(asker, "mute_word", refusal, ended=ended, thread_ts=asker.root_ts)
        return True

    async def reacted(self, reacted: Reacted) -> None:
        """Mute a thread at a mute emoji, until the same person removes it (`Reactions`)."""
        if reacted.name in self.emoji:
            async with self._turn:
                await self._heed(reacted)

    async def _heed(self, reacted: Reacted) -> None:
        mark = f"{reacted.chat_id} {reacted.message_id} {reacted.user_id}"
        if not reacted.added:
            await self._take_back(reacted, mark)
        elif (root := await self._root(reacted)) is not None:
            asker = _asker(reacted, thread_id(reacted.team_id, reacted.chat_id, root))
            refusal = await self._refusal(asker) or (None if await self._takes_part(asker) else _NOT_THEIRS)
            ended = None if refusal else await self.muting.mute(asker.thread_id, emoji=mark)
            await self._answer(asker, "mute_emoji", refusal, ended=ended, thread_ts=_shown_in(reacted, root))

    async def _take_back(self, reacted: Reacted, mark: str) -> None:
        """Unmute the thread, since its muter has removed the emoji."""
        home = self.controls.muted_by(mark)
        if home is not None and await self.muting.unmute(home):
            asker = _asker(reacted, home)
            await self._write(asker, "mute_emoji_removed", "done")
            await self._say(asker, _BACK, thread_ts=_shown_in(reacted, asker.root_ts))

    async def _answer(
        self, asker: ThreadAsker, action: str, refusal: str | None, *, ended: bool | None, thread_ts: str | None
    ) -> None:
        await self._write(asker, action, "refused" if refusal else "done")
        await self._say(asker, refusal or _MUTED.format(ended=_ENDED if ended else ""), thread_ts=thread_ts)

    async def _refusal(self, asker: ThreadAsker) -> str | None:
        """Return why this person may not mute: guests and people of other workspaces may mute only their own
        question."""
        return None if self._asked(asker) else await self.permission.refusal(asker, "member")

    async def _takes_part(self, asker: ThreadAsker) -> bool:
        """Return whether this person asked, has written in the thread, or is an operator or admin."""
        if asker.user_id in self.desk() or self._asked(asker):
            return True
        where = {"channel": asker.channel_id}
        first = await self.history.message(**where, ts=asker.root_ts)
        replies = await self.history.replies_since(**where, thread_ts=asker.root_ts, oldest="0")
        return asker.user_id in {said.get("user") for said in (first or {}, *replies)}

    def _asked(self, asker: ThreadAsker) -> bool:
        return self.muting.orchestrator.concerns(asker.thread_id, asker.user_id)

    async def _root(self, reacted: Reacted) -> str | None:
        """Return the root ts of a message's thread; `None` if the message is deleted."""
        for attempt in range(1, TRIES + 1):
            try:
                found = await self.history.message(channel=reacted.chat_id, ts=reacted.message_id)
            except RetryLater as problem:
                if attempt == TRIES:
                    raise
                await self.clock.sleep(max(1.0, problem.after))
            else:
                return str(found.get("thread_ts") or found["ts"]) if found else None
        return None

    async def _write(self, asker: ThreadAsker, action: str, result: str) -> None:
        said = asker.model_dump(mode="json")
        await self.audit.append(
            {"kind": "mute", "at": self.clock.now().isoformat(), **said, "action": action, "result": result}
        )

    async def _say(self, asker: ThreadAsker, text: str, *, thread_ts: str | None) -> None:
        try:
            await self.chat.notice(channel=asker.channel_id, user=asker.user_id, text=text, thread_ts=thread_ts)
        except TriageError as problem:
            log.warning("%s was not told of a mute: %s", asker.user_id, problem)


def _asker(reacted: Reacted, home: str) -> ThreadAsker:
    return ThreadAsker(
        interaction_id=reacted.interaction_id,
        team_id=reacted.team_id,
        user_id=reacted.user_id,
        channel_id=reacted.chat_id,
        thread_id=home,
        via="emoji",
    )


def _shown_in(reacted: Reacted, root: str) -> str | None:
    """Return the thread for an ephemeral message; in a thread without replies Slack would not show it."""
    return None if reacted.message_id == root else root
