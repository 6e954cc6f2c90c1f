"""Notices of automatic replies to their operators, and the end of a reply that an operator takes back.

Each step is saved in the book before the next, and looked for in Slack before it is repeated after a crash.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from blocks.auto_reply import build_correction, build_notice
from bot.decide.refusals import PERSON
from bot.errors import Refused, TriageError
from bot.surfaces.notices import NOTICE
from bot.triage.delivery import REPLY
from bot.triage.repeated_questions import BOUNCED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.auto_reply import AutoReply, AutoReplyAction
    from bot.ports.access import Members
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat, History
    from bot.triage.auto_reply_book import AutoReplyBook
    from bot.triage.judged_drafts import JudgedDrafts

log = logging.getLogger(__name__)

REPLIES_READ = 2_000
"""Newest replies in which that of a draft is looked for."""
_MARGIN = timedelta(hours=1)
"""Margin for a difference between Slack's clock and this machine's."""
JUDGED = "This reply was judged before. Nothing was changed."
UNKNOWN = "Triage no longer keeps this reply. Nothing was changed."


@dataclass(kw_only=True)
class AutoReplyNotices:
    """Poster of notices. `others` get one where its operator cannot be reached; `words` is `feedback.ndjson`.

    `url` is the workspace's address, which ends with a slash.
    """

    book: AutoReplyBook
    judged: JudgedDrafts
    chat: Chat
    history: History
    members: Members
    replies: Journal
    words: Journal
    others: Sequence[str]
    bot_user_id: str
    url: str
    clock: Clock
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def announce(self, draft_id: str, ts: str) -> None:
        """Record the posted reply, and post its notice unless it is there."""
        async with self._turn:
            reply = self.book.replies.get(draft_id)
            if reply is None or reply.notice:
                return
            if reply := await self.book.change(draft_id, ts=ts):
                await self._post(reply)

    async def resume(self) -> None:
        """Post missing notices, and end the replies that were being taken back."""
        for reply in [*self.book.replies.values()]:
            if not reply.is_under_way:
                continue
            if ts := reply.ts or await self.find_posted(reply):
                await self.announce(reply.draft_id, ts)
            if reply.judgement == "take_back" and (now := self.book.replies.get(reply.draft_id)):
                async with self._turn:
                    await self._end(now)

    async def judge(self, draft_id: str, action: AutoReplyAction, *, by: str) -> str:
        """Judge a reply, once; return why that had no effect, empty if it had one."""
        async with self._turn:
            reply = self.book.replies.get(draft_id)
            if reply is None or reply.ts is None:
                return UNKNOWN
            is_unfinished = reply.judgement == "take_back" and reply.removal is None
            if reply.judgement in (action, "take_back") and not is_unfinished:
                await self._show(reply)
                return JUDGED
            if not is_unfinished:
                changes = {"judgement": action, "judged_by": by, "judged_at": self.clock.now()}
                reply = await self.book.change(draft_id, **changes) or reply
            await self._end(reply)
            return ""

    async def find_posted(self, reply: AutoReply) -> str | None:
        """Return the `ts` of a draft's reply by the journal of replies; `None` if it was not posted."""
        for record in reversed(await self.replies.tail(REPLIES_READ)):
            if record.get("draft_id") == reply.draft_id and record.get("is_automatic"):
                return str(record.get("posted_message_id"))
        return None

    async def _end(self, reply: AutoReply) -> None:
        """Count a judgement, and delete or correct the reply that it takes back. All of it may be repeated."""
        by, at = reply.judged_by or "", reply.judged_at or self.clock.now()
        judgement: Literal["taken_back", "approved"] = "taken_back" if reply.judgement == "take_back" else "approved"
        await self.judged.add(reply.case.evolve(judgement=judgement, at=at), by=by)
        if reply.judgement == "take_back":
            await self.words.append(_build_rejection(reply, by=by))
            removal = await self._remove(reply)
            reply = await self.book.change(reply.draft_id, removal=removal) or reply
        await self._show(reply)

    async def _remove(self, reply: AutoReply) -> Literal["deleted", "corrected"]:
        """Delete the reply; correct it where somebody has written below it, who would stand there without it."""
        ts, root = reply.ts or "", reply.thread_id.rpartition("-")[2]
        below = await self.history.replies_since(channel=reply.chat_id, thread_ts=root, oldest=ts)
        if not any(float(each["ts"]) > float(ts) and each.get("user") != self.bot_user_id for each in below):
            try:
                await self.chat.delete(channel=reply.chat_id, ts=ts)
            except Refused as problem:
                if problem.code != "message_not_found":
                    log.warning("the reply to %s cannot be deleted, and is corrected: %s", reply.thread_id, problem)
                    return await self._correct(reply)
            return "deleted"
        return await self._correct(reply)

    async def _correct(self, reply: AutoReply) -> Literal["corrected"]:
        metadata = {"event_type": REPLY, "event_payload": {"draft_id": reply.draft_id, "nonce": "taken-back"}}
        await self.chat.update(channel=reply.chat_id, ts=reply.ts or "", metadata=metadata, **build_correction())
        return "corrected"

    async def _post(self, reply: AutoReply) -> None:
        """Post the notice to the operator, else to the first reachable of the others."""
        oldest = f"{(reply.approved_at - _MARGIN).timestamp():.6f}"
        metadata = _build_metadata(reply)
        nonce = metadata["event_payload"]["nonce"]
        for user in dict.fromkeys((reply.operator, *self.others)):
            try:
                if await self.members.is_barred(user):
                    continue
                channel = await self.chat.open_dm(user)
                ts = await self.chat.find_in_channel(channel=channel, oldest=oldest, event_type=NOTICE, nonce=nonce)
                ts = ts or await self.chat.post(channel=channel, metadata=metadata, **self._build(reply))
            except Refused as problem:
                if problem.code in PERSON:
                    continue
                raise
            await self.book.change(reply.draft_id, notice=f"{channel} {ts}")
            return
        log.error("nobody could be told of the automatic reply to %s", reply.thread_id)

    async def _show(self, reply: AutoReply) -> None:
        """Update the notice; one that cannot be updated stays as it is."""
        channel, _, ts = reply.notice.partition(" ")
        try:
            if ts:
                await self.chat.update(channel=channel, ts=ts, metadata=_build_metadata(reply), **self._build(reply))
        except TriageError as problem:
            log.info("a notice stays as it is: %s", problem)

    def _build(self, reply: AutoReply) -> dict[str, Any]:
        root, ts = reply.thread_id.rpartition("-")[2], (reply.ts or "").replace(".", "")
        return build_notice(reply, f"{self.url}archives/{reply.chat_id}/p{ts}?thread_ts={root}&cid={reply.chat_id}")


def _build_metadata(reply: AutoReply) -> dict[str, Any]:
    return {"event_type": NOTICE, "event_payload": {"kind": "notice", "nonce": f"auto-{reply.draft_id}"}}


def _build_rejection(reply: AutoReply, *, by: str) -> dict[str, Any]:
    """Build the line by which the answer is never reused for another question."""
    at = reply.judged_at or reply.approved_at
    return {
        "at": at.isoformat(),
        "thread_id": reply.thread_id,
        "posted_message_id": reply.ts,
        "draft_id": reply.draft_id,
        "by": by,
        "vote": BOUNCED,
        "reason": "wrong",
        "text": "",
    }
