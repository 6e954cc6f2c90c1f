"""Who commands in these tests, and a handler whose parts are in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.assistant.commands.catalogue import CATALOGUE
from bot.assistant.commands.command import Answer, Run
from bot.assistant.commands.handler import CommandHandler
from bot.assistant.commands.permission import Permission
from bot.decide.redact import Redactor
from bot.errors import Refused
from bot.models.interaction import Command
from bot.models.person import Person
from bot.triage.membership import Membership
from tests.builders import CHANNEL, TEAM
from tests.fakes import HandClock, MemoryJournal

if TYPE_CHECKING:
    from bot.errors import TriageError

OPERATOR, ADMIN, GUEST, FOREIGNER, MEMBER = "U0OPS", "U0ADMIN", "U0GUEST", "U0FAR", "U0ANA"


@dataclass
class Crew:
    """`People` of one workspace, with a guest and somebody from another one."""

    failure: TriageError | None = None
    asked: list[str] = field(default_factory=list)

    async def person(self, user: str) -> Person:
        """What is known of them, or the failure that the test wants."""
        self.asked.append(user)
        if self.failure:
            raise self.failure
        if user not in (OPERATOR, ADMIN, GUEST, FOREIGNER, MEMBER, "U0BOT"):
            raise Refused("users.info: user_not_found", code="user_not_found")
        team = "T0OTHER" if user == FOREIGNER else TEAM
        return Person(user_id=user, team_id=team, is_guest=user == GUEST, is_bot=user == "U0BOT")


def command(text: str = "", **changes: Any) -> Command:
    """`/triage text` by the admin."""
    values: dict[str, Any] = {
        "interaction_id": "i1",
        "team_id": TEAM,
        "user_id": ADMIN,
        "channel_id": CHANNEL,
        "via": "slash",
        "text": text,
    }
    return Command(**(values | changes))


def permission(people: Crew | None = None) -> Permission:
    """Guest and foreigner are named as admins too: they may not all the same."""
    return Permission(
        operators=lambda: frozenset({OPERATOR}),
        admins=frozenset({ADMIN, GUEST, FOREIGNER, "U0BOT", "U0NOBODY"}),
        members=Membership(team_id=TEAM, people=people or Crew(), clock=HandClock()),
    )


async def echo(asked: Any, _: Any) -> Answer:
    """Says what came in."""
    return Answer(line=f"{type(asked).__name__} {asked.model_dump(mode='json')}")


def handler(**runs: Run) -> CommandHandler:
    """A handler in which every command that the test does not name echoes its input."""
    return CommandHandler(
        runs={name: runs.get(name, echo) for name in CATALOGUE},
        permission=permission(),
        audit=MemoryJournal(),
        clock=HandClock(),
        redactor=Redactor(),
    )
