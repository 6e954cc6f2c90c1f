"""Active projects: the project of commands that name none, and of threads that take notes.

Set by the command `set_active_project`; read by the chat agent and by commands. A choice in a thread is the thread's,
one in a channel counts for its person there, and one in a direct message, on the App Home or in a terminal counts for
its person everywhere. Saved in `active-projects.json`, so it survives a restart.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.message import Message
    from bot.ports.outbound import JsonFile
    from bot.triage.projects import Projects

ChosenBy = Literal["thread", "notes", "here", "channel", "person", "viewed"]
"""Source of an active project: a choice in the thread; the notes that the thread takes; the person's choice in this
channel; the channel's project; the person's choice; the project of the channel that the person views."""

MAX_CONVERSATIONS = 1_000
"""Number of threads and channels that are remembered; the oldest entry is dropped first."""
_NOTES = "notes in "
"""Prefix of the keys of threads that write notes."""


class ConversationPlace(Protocol):
    """Place in which a person talks to the bot, and the channel that they view meanwhile (`Asker`)."""

    @property
    def thread_id(self) -> str | None:
        """The thread."""

    @property
    def channel_id(self) -> str:
        """The channel or direct message; on the App Home and in a terminal the person's own id."""

    @property
    def user_id(self) -> str:
        """The person."""

    @property
    def looks_at(self) -> str:
        """The channel that they view."""


@dataclass(frozen=True)
class _MessagePlace:
    thread_id: str | None
    channel_id: str
    user_id: str
    looks_at: str = ""


@dataclass(frozen=True)
class ActiveProject:
    """The project of a place, and its source."""

    project: str
    by: ChosenBy


@dataclass(kw_only=True)
class ActiveProjects:
    """Chosen projects by thread, by channel and person, and by person. A deleted project is ignored."""

    file: JsonFile
    projects: Projects
    _chosen: dict[str, str] = field(default_factory=dict)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def load(self) -> None:
        """Load the saved choices."""
        projects = await self.file.read()
        self._chosen = {name: project for name, project in projects.items() if isinstance(project, str)}

    def find(self, place: ConversationPlace) -> ActiveProject | None:
        """Return the project of a place: the first of these sources, in this order, whose project exists."""
        chosen, channels = self._chosen, self.projects.channels
        thread, channel, user = place.thread_id or "", place.channel_id, place.user_id
        sources: tuple[tuple[ChosenBy, str | None], ...] = (
            ("thread", chosen.get(thread)),
            ("notes", chosen.get(f"{_NOTES}{thread}")),
            ("here", chosen.get(_key_in_channel(channel, user)) or chosen.get(channel)),  # without a person: of before
            ("channel", channels.get(channel)),
            ("person", chosen.get(user)),
            ("viewed", channels.get(place.looks_at)),
        )
        candidates = (
            ActiveProject(project, by) for by, project in sources if project and self.projects.is_known(project)
        )
        return next(candidates, None)

    def find_chosen(self, message: Message) -> str | None:
        """Return the project of a direct message (`ChosenProjects`)."""
        active = self.find(_MessagePlace(message.home, message.chat_id, message.sender.id))
        return active.project if active else None

    def find_notes_project(self, thread_id: str) -> str | None:
        """Return the project whose notes this thread takes: the one chosen in the thread, else the one that its first
        message names; `None` for a thread that takes none."""
        noted = self._chosen.get(f"{_NOTES}{thread_id}")
        chosen = (self._chosen.get(thread_id), noted) if noted else ()
        return next((project for project in chosen if project and self.projects.is_known(project)), None)

    async def take_notes(self, thread_id: str, project: str) -> None:
        """Write this thread's notes to a project from now on. Raises `RetryLater`."""
        await self._put((f"{_NOTES}{thread_id}",), project)

    async def choose(self, place: ConversationPlace, project: str | None) -> ChosenBy:
        """Set the project of a place, `None` for none; it is saved on return. Return what it counts for. Raises
        `RetryLater`."""
        is_in_channel = place.channel_id.startswith(("C", "G"))
        if place.thread_id and is_in_channel:
            await self._put((place.thread_id,), project)
            return "thread"
        if is_in_channel:
            await self._put((_key_in_channel(place.channel_id, place.user_id),), project)
            return "here"
        self._chosen.pop(place.channel_id, None)
        await self._put(filter(None, (place.thread_id, place.user_id)), project)
        return "person"

    async def forget(self, project: str) -> None:
        """Forget a deleted project, so that a new one of the same name is not taken for it. Raises `RetryLater`."""
        self._chosen = {name: chosen for name, chosen in self._chosen.items() if chosen != project}
        await self._save()

    async def _put(self, keys: Iterable[str], project: str | None) -> None:
        for key in keys:
            self._chosen.pop(key, None)
            if project is not None:
                self._chosen[key] = project
        places = [key for key in self._chosen if not key.startswith(("U", "W"))]
        for oldest in places[: max(0, len(places) - MAX_CONVERSATIONS)]:
            del self._chosen[oldest]
        await self._save()

    async def _save(self) -> None:
        async with self._saving:
            await self.file.write(dict(self._chosen))


def _key_in_channel(channel: str, user: str) -> str:
    return f"{channel} {user}"
