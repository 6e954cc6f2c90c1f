"""Context of a chat turn: its project, the page that its asker looks at, notes that its thread takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.addressing.notes_thread import find_notes_project
from bot.models.conversation import ChatContext
from bot.models.message import without_mention

if TYPE_CHECKING:
    from bot.commands.active_project import ActiveProjects
    from bot.models.conversation_record import TurnRecord
    from bot.models.message import Message
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class TurnContexts:
    """Finds the context of a turn. `bot_user_id` is the bot's own user."""

    active: ActiveProjects
    projects: Projects
    bot_user_id: str

    async def context_of(self, turn: TurnRecord) -> ChatContext:
        """Return the context of a turn; a first message that asks for notes makes its thread take them."""
        thread_id = turn.message.home
        if project := self._notes_project(turn.message):
            await self.active.take_notes(thread_id, project)
        active = self.active.find(turn.asker)
        return ChatContext(
            project=active.project if active and active.by in ("thread", "here", "person") else None,
            channel_project=active.project if active and active.by == "channel" else None,
            page=turn.message.page,
            notes_thread_of=self.active.find_notes_project(thread_id),
        )

    def takes_notes(self, message: Message) -> bool:
        """Return whether a message belongs to the notes of a project."""
        return self._notes_project(message) is not None or self.active.find_notes_project(message.home) is not None

    def _notes_project(self, message: Message) -> str | None:
        """Return the project whose notes the thread below this message takes; only its first message says so."""
        text = without_mention(message.own_content, self.bot_user_id)
        return None if message.thread_id is not None else find_notes_project(text, self.projects.names)
