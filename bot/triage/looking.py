"""Whose eyes are on which channel, and what a question in their direct message is about because of it.

In memory only: the newest page of each person, for half an hour. Whether it counts is asked of Slack at each question;
where Slack does not say, it does not.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from bot.decide.subject_project import subject_project
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.decide.subject_project import SubjectProject
    from bot.models.looking import Looked
    from bot.models.message import Message
    from bot.models.route import Route
    from bot.ports import Clock
    from bot.slack_ports import Rooms
    from bot.triage.membership import Membership
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)
V = TypeVar("V")

KEPT = timedelta(minutes=30)
"""How long somebody is taken to look at a page."""
PATIENCE = 3.0
"""Seconds that a question waits for Slack to say who is in a channel."""
MANY = 1_000
"""So many people, and so many direct messages, are remembered; the oldest is forgotten first."""


@dataclass(kw_only=True)
class Looking:
    """`chosen` gives the active project of a conversation, `channels` the names of the watched channels."""

    projects: Projects
    chosen: Callable[[str], str | None]
    channels: Mapping[str, str]
    members: Membership
    rooms: Rooms
    clock: Clock
    _pages: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    _subjects: dict[str, SubjectProject] = field(default_factory=dict)

    def heard(self, looked: Looked) -> None:
        """Remember the page of a person instead of the one before."""
        self._look(looked.user_id, looked.channel_id)

    async def settle(self, message: Message) -> str:
        """Find what a new question in a direct message is about; the answer is what its asker is told, or nothing."""
        user = message.sender.id
        if message.looks_at is not None:
            self._look(user, message.looks_at)
        chosen = self.chosen(message.home)
        page = None if chosen else await self._page(user)
        subject = subject_project(message.asks, projects=self.projects.names, chosen=chosen, looked_at=page)
        self._subjects.pop(message.chat_id, None)
        if subject is None:
            return ""
        _put(self._subjects, message.chat_id, subject)
        return f"It is about `{subject.project}`: {subject.told}."

    def route(self, text: str, channel: str) -> Route | None:
        """The route of a question, as `Projects.route`, with what is known of a direct message."""
        subject = self._subjects.get(channel)
        if subject is None or subject.project not in self.projects.names:
            return self.projects.route(text, channel)
        return self.projects.route(text, channel, own=(subject.project, subject.why))

    def _look(self, user: str, channel: str) -> None:
        self._pages.pop(user, None)
        if channel:
            _put(self._pages, user, (self.clock.now(), channel))

    async def _page(self, user: str) -> tuple[str, str] | None:
        """The name and the project of the watched channel that somebody looks at, where both are open to them."""
        at, channel = self._pages.get(user, (None, ""))
        if at is None or self.clock.now() - at >= KEPT:
            self._pages.pop(user, None)
            return None
        project = self.projects.channels.get(channel)
        is_open = any(part.belongs_to == project for part in self.projects.open())
        if channel not in self.channels or project is None or not is_open or not await self._may_see(user, channel):
            return None
        return self.channels[channel], project

    async def _may_see(self, user: str, channel: str) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.members.includes(user) and await self.rooms.is_in(channel=channel, user=user)
        except (TriageError, TimeoutError) as problem:
            log.info("whether %s is in %s is not known: %s", user, channel, problem or "Slack does not answer")
            return False


def _put(kept: dict[str, V], key: str, value: V) -> None:
    if len(kept) >= MANY:
        del kept[next(iter(kept))]
    kept[key] = value
