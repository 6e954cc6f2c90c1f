"""Suggested prompts for users who open their direct messages with the bot, by role."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from bot.commands.permission import Permission
    from bot.models.home import MessagesOpened
    from bot.ports.slack import AssistantStatus

log = logging.getLogger(__name__)

TITLE = "You might ask"
MEMBER = (
    ("What you can do", "What can you do for me?"),
    ("How my question goes", "How is my question?"),
)
OPERATOR = (
    ("What waits", "What waits for a decision?"),
    ("How it goes", "What's the status?"),
    ("What today cost", "What did you spend today?"),
    ("What you can do", "What can you do for me?"),
)
"""Titles and the messages that they send: orders that need no model. Slack shows at most four."""


@dataclass(frozen=True, kw_only=True)
class SuggestedPrompts:
    """Suggestions, by the role of the person."""

    assistant_status: AssistantStatus
    permission: Permission

    async def handle_opened(self, event: MessagesOpened) -> None:
        """Suggest prompts to this user; a failure is logged."""
        prompts = OPERATOR if self.permission.has_role(event.user_id, "operator") else MEMBER
        try:
            await self.assistant_status.suggest_prompts(channel=event.channel_id, title=TITLE, prompts=prompts)
        except TriageError as problem:
            log.info("nothing was suggested to %s: %s", event.user_id, problem)
