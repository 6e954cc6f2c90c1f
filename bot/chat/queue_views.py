"""Queue views of people: the App Home and answers to `queue`, through which they step from question to question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.chat.app_home import AppHome
    from bot.commands.queue import QueueAnswers
    from bot.models.interaction import Press


@dataclass(frozen=True)
class QueueViews:
    """Both kinds of views."""

    homes: AppHome
    answers: QueueAnswers

    async def show_home(self, user: str, team: str, answer: str) -> None:
        """Show a person their App Home immediately, with an answer."""
        await self.homes.show(user, team, answer)

    def has_just_come(self, press: Press) -> bool:
        """Return whether the pressed button came to its place a moment ago."""
        if press.is_on_home:
            return self.homes.has_just_come(press)
        return press.in_queue and self.answers.has_just_come(press)

    def renew_soon(self, user: str) -> None:
        """Draw both again for a person who looks at them."""
        self.homes.renew_soon(user)
        self.answers.renew_soon(user)
