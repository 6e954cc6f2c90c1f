"""Notices: messages of the bot to an operator that are not answers and need no decision."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import section
from bot.decide.refusals import PERSON
from bot.errors import Refused, TriageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.ports.access import Members
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)

NOTICE = "triage_notice"
"""`event_type` of a notice's metadata."""


@dataclass(frozen=True, kw_only=True)
class Notices:
    """Sender of notices to one operator, in their direct message. If Slack does not deliver one, or the operator
    is no member, the first reachable of the `others` gets it. A notice that nobody receives is in the log."""

    chat: Chat
    members: Members
    operator: str
    others: Sequence[str] = ()
    _sending: set[asyncio.Task[None]] = field(default_factory=set)

    def send(self, text: str, *, under: tuple[str, str] | None = None, logged: bool = True) -> None:
        """Do the same as `tell`, without waiting."""
        task = asyncio.create_task(self.tell(text, under=under, logged=logged), name="notice")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def tell(self, text: str, *, under: tuple[str, str] | None = None, logged: bool = True) -> None:
        """Do the same as `post`."""
        await self.post(text, under=under, logged=logged)

    async def post(self, text: str, *, under: tuple[str, str] | None = None, logged: bool = True) -> str:
        """Post a line of mrkdwn whose variable parts are escaped; `under` is a message, by its channel and ts.

        Return its channel and ts, separated by a space; empty if it did not arrive.
        A line with people's words must not be in the log: pass `logged=False`.
        """
        if logged:
            log.warning("notice: %s", text)
        for user in dict.fromkeys((self.operator, *self.others)):
            try:
                if await self.members.is_barred(user):
                    log.warning("%s is not notified: they are not a member of this workspace", user)
                    continue
                channel, root = under or (await self.chat.open_dm(user), None)
                return f"{channel} {await self._post(channel, text, root)}"
            except TriageError as problem:
                log.warning("the notice did not arrive: %s", problem)
                if under is None and isinstance(problem, Refused) and problem.code in PERSON:
                    continue
            return ""
        return ""

    async def replace(self, place: str, text: str) -> None:
        """Replace a notice, by the place that `post` has returned; one that cannot be updated stays as it is."""
        channel, _, ts = place.partition(" ")
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
        try:
            await self.chat.update(channel=channel, ts=ts, text=text, blocks=[section(text)], metadata=metadata)
        except TriageError as problem:
            log.info("a notice stays as it is: %s", problem)

    async def _post(self, channel: str, text: str, root: str | None) -> str:
        metadata = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
        return await self.chat.post(
            channel=channel, text=text, blocks=[section(text)], metadata=metadata, thread_ts=root
        )


@dataclass(frozen=True, kw_only=True)
class PersonalNotices:
    """Notices to any person, in their direct message, unless they are no member."""

    chat: Chat
    members: Members

    async def tell(self, user: str, text: str) -> None:
        """Post a line of mrkdwn whose variable parts are escaped."""
        await Notices(chat=self.chat, members=self.members, operator=user).tell(text)
