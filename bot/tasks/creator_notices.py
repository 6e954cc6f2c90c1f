"""Notices to the people who created tasks; for one who is no member any more, to an admin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.surfaces.notices import Notices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.ports.access import Members
    from bot.ports.slack import Chat


@dataclass(frozen=True, kw_only=True)
class CreatorNotices:
    """Sender of notices in direct messages. `others` are reached where a person is not."""

    chat: Chat
    members: Members
    others: Sequence[str] = ()

    async def tell(self, user: str, text: str) -> None:
        """Post a line of mrkdwn whose variable parts are escaped; it has words of people, so it is not logged."""
        await Notices(chat=self.chat, members=self.members, operator=user, others=self.others).tell(text, logged=False)
