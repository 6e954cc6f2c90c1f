"""Ports of access: what Slack lets the bot reach, its losses, and the people who may decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.errors import Refused
    from bot.models.thread import Thread


class AccessCheck(Protocol):
    """Checker of access, as everything that calls Slack sees it (`bot.triage.access.Access`)."""

    def note_refusal(self, channel: str, problem: Refused) -> None:
        """Schedule a check for a refused call; `channel` is empty if it was about none."""

    def unreachable(self, user: str, code: str) -> None:
        """Note that Slack permanently refused an operator's card, with its error code."""

    def app_token_refused(self, code: str) -> None:
        """Note that Slack opens no more sockets for the app token, with its error code."""

    async def look(self, channel: str) -> None:
        """Check a channel now, unless that was done a moment ago. Raises `RetryLater` if Slack does not answer."""


class CurrentLosses(Protocol):
    """Current losses of access, as cards and reactions see them (`bot.triage.losses.Losses`)."""

    def is_lost(self, subject: str) -> bool:
        """Return whether anything of a channel, a person or a scope is lost."""

    def lines(self) -> tuple[str, ...]:
        """Return every loss with its remedy, as mrkdwn."""

    def card_line(self, channel: str) -> str:
        """Return the line of cards on why nothing can be posted in a channel, as mrkdwn; empty where it can."""

    def may_react(self) -> bool:
        """Return whether the token may put reactions."""


class Deciders(Protocol):
    """People who may decide on a thread, as its card sees them (`bot.triage.operators.Operators`)."""

    def may_delegate(self, thread: Thread) -> bool:
        """Return whether the question may be handed to somebody else."""

    def lacks_second(self, thread: Thread) -> bool:
        """Return whether one of two has approved, and nobody may be the second."""


class Members(Protocol):
    """Members of the workspace, as notices see them (`bot.triage.membership.Membership`)."""

    async def is_barred(self, user: str) -> bool:
        """Return whether a person must not get what is for members only."""
