"""Who may give which command. Guests, people of other teams and bots never may.

Asked by the handler. What the settings name is looked at first; Slack is asked about those who could pass, and what it
said last counts while it does not answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import Refused, TriageError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.assistant.commands.catalogue import Role
    from bot.models.interaction import Asker
    from bot.models.person import Person
    from bot.ports import Clock, People

ASKED_AGAIN = timedelta(minutes=10)
"""How long what Slack said of a person is taken for what it would say now."""

MANY = 1_000
"""So many people are remembered; then all are forgotten."""

_NOT_NAMED = {
    "operator": "Only operators and admins may do this: `operators` and `admins` in the settings name them.",
    "admin": "Only admins may do this: `admins` in the settings names them.",
}
NOT_OF_US = "Commands are for members of this workspace only: no guests, nobody from another one."


@dataclass(kw_only=True)
class Permission:
    """The rules, and what is known of people. `operators` and `admins` are user ids, `team_id` is the bot's own."""

    team_id: str
    operators: frozenset[str]
    admins: frozenset[str]
    people: People
    clock: Clock
    _known: dict[str, tuple[datetime, Person]] = field(default_factory=dict)

    async def refusal(self, asker: Asker, role: Role) -> str | None:
        """Why this person may not do what needs `role`; `None` when they may."""
        if asker.team_id != self.team_id:
            return NOT_OF_US
        if not self._has(asker.user_id, role):
            return _NOT_NAMED[role]
        try:
            person = await self._person(asker.user_id)
        except Refused:
            return NOT_OF_US
        except TriageError:
            return "Slack does not say who you are at the moment. Nothing was changed; please try again."
        return None if is_one_of_us(person, self.team_id) else NOT_OF_US

    def _has(self, user: str, role: Role) -> bool:
        match role:
            case "member":
                return True
            case "operator":
                return user in self.operators | self.admins
            case "admin":
                return user in self.admins

    async def _person(self, user: str) -> Person:
        now = self.clock.now()
        at, known = self._known.get(user, (None, None))
        if at and known and timedelta() <= now - at < ASKED_AGAIN:
            return known
        try:
            person = await self.people.person(user)
        except Refused:
            raise
        except TriageError:
            if known is None:
                raise
            return known
        if len(self._known) >= MANY:
            self._known.clear()
        self._known[user] = (now, person)
        return person


def is_one_of_us(person: Person, team_id: str) -> bool:
    """Whether this is a full member of the bot's own team."""
    return person.team_id == team_id and not (person.is_guest or person.is_bot or person.is_gone)
