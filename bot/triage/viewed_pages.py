"""Viewed pages: the channel that a person views, which sets the subject of their direct messages.

Only the newest page of each person is kept, in memory, for half an hour. It counts only if the person is a member of
the channel, which is checked with Slack at a message, at most once a minute. The page is saved with the message, its
project with the question.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from bot.decide.subject_project import subject_project
from bot.errors import TriageError
from bot.models.viewed_page import Page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.models.message import Message
    from bot.models.viewed_page import PageViewed
    from bot.ports.outbound import Clock
    from bot.ports.slack import ChannelMembership
    from bot.triage.membership import Membership
    from bot.triage.projects import Projects

log = logging.getLogger(__name__)

PAGE_LIFETIME = timedelta(minutes=30)
"""Time for which a viewed page counts."""
PATIENCE = 3.0
"""Timeout in seconds for the check of a channel's membership."""
ASKED_AGAIN = timedelta(minutes=1)
"""Time for which a confirmed channel membership is cached."""
MANY = 1_000
"""People remembered; the oldest is forgotten first."""


class ChosenProjects(Protocol):
    """Projects that people chose for their direct messages."""

    def find_chosen(self, message: Message) -> str | None:
        """Return the project that the author of a direct message chose, if it still exists."""


@dataclass(kw_only=True)
class ViewedPages:
    """Store of viewed pages. `channels` are the channels' names."""

    projects: Projects
    active: ChosenProjects
    channels: Mapping[str, str]
    members: Membership
    rooms: ChannelMembership
    clock: Clock
    _pages: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    _inside: dict[tuple[str, str], datetime] = field(default_factory=dict)
    """Time of the last confirmed membership, by user and channel."""

    def handle_view(self, view: PageViewed) -> None:
        """Remember a person's newest page."""
        self._look(view.user_id, view.channel_id)

    async def attach_page(self, message: Message) -> Message:
        """Return a direct message with the page that its author views, if it counts."""
        user = message.sender.id
        if message.looks_at is not None:
            self._look(user, message.looks_at)
        return message.evolve(page=await self._page(user))

    def attach_project(self, message: Message) -> Message:
        """Return a new question in a direct message with its project."""
        page, chosen = message.page, self.active.find_chosen(message)
        subject = subject_project(message.asks, projects=self.projects.names, chosen=chosen, looked_at=page)
        return message.evolve(subject=subject)

    def _look(self, user: str, channel: str) -> None:
        self._pages.pop(user, None)
        if channel:
            self._pages[user] = (self.clock.now(), channel)
            if len(self._pages) > MANY:
                del self._pages[next(iter(self._pages))]

    async def _page(self, user: str) -> Page | None:
        """Return the watched channel that a person views, if they may see it, with its project if that is open."""
        at, channel = self._pages.get(user, (None, ""))
        if at is None or self.clock.now() - at >= PAGE_LIFETIME:
            self._pages.pop(user, None)
            return None
        if channel not in self.channels or not await self._may_see(user, channel):
            return None
        project = self.projects.channels.get(channel)
        is_open = any(part.belongs_to == project for part in self.projects.open())
        return Page(channel_id=channel, channel=self.channels[channel], project=project if is_open else None)

    async def _may_see(self, user: str, channel: str) -> bool:
        found_at = self._inside.get((user, channel))
        if found_at and timedelta() <= self.clock.now() - found_at < ASKED_AGAIN:
            return True
        self._inside = {key: at for key, at in self._inside.items() if self.clock.now() - at < ASKED_AGAIN}
        try:
            async with asyncio.timeout(PATIENCE):
                may_see = await self.members.is_member(user) and await self.rooms.is_member(channel=channel, user=user)
        except (TriageError, TimeoutError) as problem:
            log.info("whether %s is in %s is not known: %s", user, channel, problem or "Slack does not answer")
            return False
        if may_see:
            self._inside[user, channel] = self.clock.now()
        return may_see
