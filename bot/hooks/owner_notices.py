"""Notices to the owners of hooks: each is posted once, in a direct message, and kept in its record until it is there.

An owner who is no member any more, or whom Slack does not let Triage write to, is replaced by an admin.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.hook_notice import build_hook_notice
from bot.errors import Refused, TriageError
from bot.hooks.hook_book import put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.hooks.hook_book import HookBook
    from bot.models.hook_record import HookNotice
    from bot.ports.access import Members
    from bot.ports.slack import Chat
    from bot.triage.opening_messages import OpeningMessages

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, repr=False)
class OwnerNotices:
    """Sender of the notices in the records of hooks. `admins` are reached where an owner is not."""

    book: HookBook
    chat: Chat
    messages: OpeningMessages
    members: Members
    admins: Sequence[str] = ()
    _looked_up: set[str] = field(default_factory=set)
    """Ids of the notices that may have been posted."""

    def begin(self) -> None:
        """Note the notices of an earlier process, which may have been posted."""
        self._looked_up.update(notice.notice_id for record in self.book.records for notice in record.notices)

    @property
    def is_waiting(self) -> bool:
        """Return whether there are notices that are not known to have arrived."""
        return any(record.notices for record in self.book.records)

    async def send(self) -> None:
        """Send the notices that wait, up to the first that does not arrive."""
        for record in self.book.records:
            for notice in record.notices:
                try:
                    await self._send(record.hook.owner, notice)
                except TriageError as problem:
                    log.warning("hook %s: a notice did not arrive: %s; it is tried again", record.hook.name, problem)
                    return
                self._forget(record.hook.name, notice)

    def _forget(self, name: str, notice: HookNotice) -> None:
        self._looked_up.discard(notice.notice_id)
        record = self.book.find(name)
        if record:
            rest = tuple(each for each in record.notices if each.notice_id != notice.notice_id)
            put(self.book, record.evolve(notices=rest))

    async def _send(self, owner: str, notice: HookNotice) -> None:
        """Post a notice to the first person who can be reached, unless it is there."""
        if notice.notice_id not in self._looked_up:
            self._looked_up.add(notice.notice_id)
            self.messages.note_unposted(notice.notice_id)
        for user in dict.fromkeys((owner, *self.admins)):
            if await self.members.is_barred(user):
                continue
            try:
                channel = await self.chat.open_dm(user)
                if await self.messages.find(notice.notice_id, channel=channel, since=notice.since) is None:
                    picture = build_hook_notice(notice.notice_id, notice.text)
                    await self.messages.post(notice.notice_id, channel=channel, picture=picture)
            except Refused as problem:
                log.warning("%s gets no notice of a hook: %s", user, problem)
                continue
            return
        log.warning("nobody could be told about a hook")
