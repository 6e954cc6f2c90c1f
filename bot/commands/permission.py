"""Permissions: the users who may give a command. Guests, bots and people of other workspaces never may.

The settings are checked first; Slack is asked only about users who pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.conversation_record import TurnRecord

if TYPE_CHECKING:
    from bot.commands.command import Role
    from bot.models.interaction import Asker
    from bot.models.message import Message
    from bot.triage.membership import Membership
    from bot.triage.operators import Operators

_NOT_NAMED = {
    "operator": "Only operators and admins may do this. Nothing was done.",
    "admin": "Only admins may do this. Nothing was done.",
}
NOT_OF_US = "Commands and chat are for members of this workspace, not for guests or people of other workspaces."


@dataclass(frozen=True, kw_only=True)
class Permission:
    """Rules of permission. `admins` are user ids."""

    operators: Operators
    admins: frozenset[str]
    members: Membership

    async def refusal(self, asker: Asker, role: Role) -> str | None:
        """Return the reason why this person may not do what needs `role`; `None` if they may."""
        if not self.members.may_come_from(asker.team_id):
            return NOT_OF_US
        if not self.has_role(asker.user_id, role):
            return _NOT_NAMED[role]
        try:
            return None if await self.members.is_member(asker.user_id) else NOT_OF_US
        except TriageError:
            return "Slack could not be asked who you are. Nothing was changed: try again in a moment."

    async def is_member(self, message: Message) -> bool:
        """Return whether a message's author is one of us; true as well where Slack does not say."""
        return await self.refusal(TurnRecord(message=message, door="").asker, "member") != NOT_OF_US

    def role_of(self, user: str) -> Role:
        """Return the role that the settings, and the user groups in them, give a person."""
        if user in self.admins:
            return "admin"
        return "operator" if user in self.operators.everyone() else "member"

    def has_role(self, user: str, role: Role) -> bool:
        """Return whether the settings give this person that role, without asking Slack."""
        match role:
            case "member":
                return True
            case "operator":
                return user in self.operators.everyone() | self.admins
            case "admin":
                return user in self.admins
