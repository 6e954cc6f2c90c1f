"""Who is one of us: a full member of the bot's own workspace, or of another one of its organisation on an Enterprise
Grid, as Slack knows people now. No guest, no bot, nobody of another company.

Asked before a command is done and before a decision counts. What Slack said last counts while it does not answer.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.refusals import UNKNOWN_PERSON, refusal_in_words
from bot.errors import Refused, RetryLater, TriageError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.person import Person
    from bot.ports.outbound import Clock
    from bot.ports.slack import People

ASKED_AGAIN = timedelta(minutes=10)
"""How long what Slack said of a person is taken for what it would say now."""

PATIENCE = 2.0
"""Seconds that somebody who is known waits for Slack to say it again."""

MANY = 1_000
"""So many people are remembered; then all are forgotten."""


@dataclass(kw_only=True)
class Membership:
    """What is known of people. `team_id` is the bot's own."""

    team_id: str
    people: People
    clock: Clock
    enterprise_id: str = ""
    """The organisation that the bot's workspace belongs to; empty outside of an Enterprise Grid."""
    _known: dict[str, tuple[datetime, Person]] = field(default_factory=dict)

    def may_come_from(self, team: str) -> bool:
        """Return whether one of us may act in this workspace: the bot's own, or on an Enterprise Grid another one."""
        return team == self.team_id or bool(self.enterprise_id)

    def forget(self, user: str) -> None:
        """Take what is known of somebody for wrong."""
        self._known.pop(user, None)

    async def includes(self, user: str, *, anew: bool = False) -> bool:
        """Return whether this is one of us; asked `anew`, whatever was said a moment ago.

        Raises `RetryLater` when Slack does not say, and never has, or says no for a reason that is not the person's.
        """
        try:
            person = await self._person(user, anew=anew)
        except Refused as problem:
            if problem.code in UNKNOWN_PERSON:
                return False
            raise RetryLater(f"Slack does not say who {user} is: {refusal_in_words(problem)}") from problem
        return is_one_of_us(person, self.team_id, self.enterprise_id)

    async def bars(self, user: str) -> bool:
        """Return whether Slack says of somebody, asked anew, that they are none of us, so that no notice is for them.

        Raises `RetryLater` where it does not answer; somebody of whom it may not tell is not barred.
        """
        try:
            return not is_one_of_us(await self._person(user, anew=True), self.team_id, self.enterprise_id)
        except Refused as problem:
            return problem.code in UNKNOWN_PERSON

    async def is_external(self, user: str) -> bool:
        """Return whether somebody is of another company; Slack refuses to tell of nobody that is here. Raises as
        above."""
        try:
            return is_external(await self._person(user, anew=False), self.team_id, self.enterprise_id)
        except Refused as problem:
            if problem.code in UNKNOWN_PERSON:
                return True
            raise

    async def _person(self, user: str, *, anew: bool) -> Person:
        now = self.clock.now()
        at, known = self._known.get(user, (None, None))
        if at and known and not anew and timedelta() <= now - at < ASKED_AGAIN:
            return known
        try:
            async with asyncio.timeout(PATIENCE if known else None):
                person = await self.people.person(user)
        except Refused as problem:
            if problem.code in UNKNOWN_PERSON:
                self._known.pop(user, None)
            elif known:
                return known
            raise
        except TimeoutError:
            assert known is not None  # noqa: S101  # without it there is no deadline
            return known
        except TriageError:
            if known is None:
                raise
            return known
        if len(self._known) >= MANY:
            self._known.clear()
        self._known[user] = (now, person)
        return person


def is_one_of_us(person: Person, team_id: str, enterprise_id: str = "") -> bool:
    """Return whether this is a full member of the bot's own workspace, or of another one of its organisation."""
    barred = person.is_guest or person.is_bot or person.is_gone
    return not (barred or is_external(person, team_id, enterprise_id))


def is_external(person: Person, team_id: str, enterprise_id: str = "") -> bool:
    """Return whether this is somebody of another company: neither of the workspace nor of its organisation."""
    if enterprise_id and person.enterprise_id == enterprise_id:
        return False
    return person.is_stranger or person.team_id != team_id
