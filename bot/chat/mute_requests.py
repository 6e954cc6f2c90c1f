"""Mute requests from the thread itself: by a message that says nothing else, or by an emoji.

Any participant of a thread may mute Triage there; only they see the answer. The audit records each request, so that a
restart does not repeat it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from blocks.mute_notice import build_mute_notice
from bot.decide.addressing.mute_words import is_mute_request
from bot.errors import TriageError
from bot.models.interaction import ThreadAsker, message_interaction_id
from bot.models.message import thread_id
from bot.runtime.retry import call_with_retries

if TYPE_CHECKING:
    from datetime import datetime

    from bot.commands.permission import Permission
    from bot.models.message import Message
    from bot.models.reaction import Reaction
    from bot.ports.outbound import Journal
    from bot.ports.slack import Chat, History
    from bot.surfaces.notices import PersonalNotices
    from bot.triage.operators import Operators
    from bot.triage.thread_muting import MuteResult, ThreadMuter

log = logging.getLogger(__name__)

MAX_TRIES = 3
"""Number of attempts to find the thread of an emoji."""
_WAIT = 1.0
"""Minimum seconds between them."""

_MUTED = "Muted. {ended}A mention of Triage in this thread brings it back."
_WORK_ENDED = "The work in this thread has ended. "
_OUTAGE_STAYS = "The outage stays with its operator, who was told: only operators end the work on it. "
_UNMUTED = "Triage listens to this thread again, from the next message on."
_NOT_PARTICIPANT = "Only participants of a thread can mute Triage there. Nothing was changed."


@dataclass(frozen=True, kw_only=True)
class MuteRequests:
    """Mute requests: the `Mutes` and the `ReactionsPort` of intake.

    `words` come from `load_mute_words`, `emoji` are names without colons.
    """

    words: frozenset[str]
    emoji: frozenset[str]
    bot_id: str
    operators: Operators
    muting: ThreadMuter
    permission: Permission
    history: History
    chat: Chat
    audit: Journal
    notices: PersonalNotices
    url: str
    """Address of the workspace."""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lock that handles one emoji at a time, since its removal must find its mute."""

    async def allows(self, thread_id: str, *, mentioned: bool, at: datetime) -> bool:
        """Return whether a message of this moment may open or reopen its thread."""
        return await self.muting.controls.allows(thread_id, mentioned=mentioned, at=at)

    async def handle_mute_request(self, message: Message) -> bool:
        """Mute the thread if a person's message is a mute request; return whether it is."""
        if message.thread_id is None or message.sender.type != "user":
            return False
        if not is_mute_request(message.own_content, self.words, bot_id=self.bot_id):
            return False
        requester = ThreadAsker(
            interaction_id=message_interaction_id(message),
            team_id=message.team_id,
            user_id=message.sender.id,
            channel_id=message.chat_id,
            thread_id=message.home,
            via="thread",
        )
        refusal = await self._refusal(requester)
        result = None if refusal else await self._mute(requester, since=message.create_time)
        await self._answer(requester, "mute_word", refusal, result=result, thread_ts=requester.root_ts)
        return True

    async def handle_reaction(self, reaction: Reaction) -> None:
        """Mute a thread at a mute emoji, until the same person removes it."""
        if reaction.name in self.emoji:
            async with self._turn:
                await self._apply_reaction(reaction)

    async def _apply_reaction(self, reaction: Reaction) -> None:
        mark = f"{reaction.chat_id} {reaction.message_id} {reaction.user_id}"
        if not reaction.added:
            await self._undo_reaction(reaction, mark)
        elif (root := await self._find_root(reaction)) is not None:
            requester = _build_requester(reaction, thread_id(reaction.team_id, reaction.chat_id, root))
            refusal = await self._refusal(requester) or (
                None if await self._is_participant(requester) else _NOT_PARTICIPANT
            )
            result = None if refusal else await self._mute(requester, emoji=mark)
            await self._answer(
                requester,
                "mute_emoji",
                refusal,
                result=result,
                thread_ts=_find_notice_thread(reaction, root),
            )

    async def _undo_reaction(self, reaction: Reaction, mark: str) -> None:
        """Unmute the thread, since its muter has removed the emoji."""
        home = self.muting.controls.muted_by(mark)
        if home is not None and await self.muting.unmute(home):
            requester = _build_requester(reaction, home)
            await self._audit(requester, "mute_emoji_removed", "done")
            await self._notify(requester, _UNMUTED, thread_ts=_find_notice_thread(reaction, requester.root_ts))

    async def _answer(
        self,
        requester: ThreadAsker,
        action: str,
        refusal: str | None,
        *,
        result: MuteResult | None,
        thread_ts: str | None,
    ) -> None:
        await self._audit(requester, action, "refused" if refusal else "done")
        thread = result.thread if result else None
        ended = _WORK_ENDED if result and result.has_ended_work else ""
        if thread and thread.is_open and thread.is_about_outage:
            ended = _OUTAGE_STAYS
        await self._notify(requester, refusal or _MUTED.format(ended=ended), thread_ts=thread_ts)

    async def _mute(
        self, requester: ThreadAsker, *, since: datetime | None = None, emoji: str | None = None
    ) -> MuteResult:
        """Mute the thread; the operator of an outage learns from whom, unless it is one of the operators."""
        by_operator = requester.user_id in self.operators.staff()
        result = await self.muting.mute(requester.thread_id, since=since, emoji=emoji, by_operator=by_operator)
        thread = result.thread
        if thread and (thread.incident or thread.alert) and thread.operator and result.is_new and not by_operator:
            await self.notices.tell(thread.operator, build_mute_notice(thread, requester.user_id, self.url))
        return result

    async def _refusal(self, requester: ThreadAsker) -> str | None:
        """Return why this person may not mute: guests and people of other workspaces may mute only their own
        question."""
        return None if self._is_asker(requester) else await self.permission.refusal(requester, "member")

    async def _is_participant(self, requester: ThreadAsker) -> bool:
        """Return whether this person asked, has written in the thread, or is an operator or admin."""
        if requester.user_id in self.operators.staff() or self._is_asker(requester):
            return True
        where = {"channel": requester.channel_id}
        first = await self.history.message(**where, ts=requester.root_ts)
        replies = await self.history.replies_since(**where, thread_ts=requester.root_ts, oldest="0")
        return requester.user_id in {message.get("user") for message in (first or {}, *replies)}

    def _is_asker(self, requester: ThreadAsker) -> bool:
        return self.muting.orchestrator.is_asker(requester.thread_id, requester.user_id)

    async def _find_root(self, reaction: Reaction) -> str | None:
        """Return the root ts of a message's thread; `None` if the message is deleted."""
        read = partial(self.history.message, channel=reaction.chat_id, ts=reaction.message_id)
        message = await call_with_retries(self.muting.clock, read, after=_WAIT, longest=_WAIT, tries=MAX_TRIES)
        return str(message.get("thread_ts") or message["ts"]) if message else None

    async def _audit(self, requester: ThreadAsker, action: str, result: str) -> None:
        at, asker_fields = self.muting.clock.now().isoformat(), requester.model_dump(mode="json")
        await self.audit.append({"kind": "mute", "at": at, **asker_fields, "action": action, "result": result})

    async def _notify(self, requester: ThreadAsker, text: str, *, thread_ts: str | None) -> None:
        try:
            await self.chat.post_ephemeral(
                channel=requester.channel_id, user=requester.user_id, text=text, thread_ts=thread_ts
            )
        except TriageError as problem:
            log.warning("%s was not told of a mute: %s", requester.user_id, problem)


def _build_requester(reaction: Reaction, home: str) -> ThreadAsker:
    return ThreadAsker(
        interaction_id=reaction.interaction_id,
        team_id=reaction.team_id,
        user_id=reaction.user_id,
        channel_id=reaction.chat_id,
        thread_id=home,
        via="emoji",
    )


def _find_notice_thread(reaction: Reaction, root: str) -> str | None:
    """Return the thread for an ephemeral message; in a thread without replies Slack would not show it."""
    return None if reaction.message_id == root else root
