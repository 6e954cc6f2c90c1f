"""Membership: full members of the bot's workspace, or of its organisation on an Enterprise Grid.

Guests, bots and external people are not members. Checked before a command runs and a decision counts; while Slack
does not answer, its last answer counts.
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
"""Time for which Slack's answer about a person is cached."""

PATIENCE = 2.0
"""Timeout in seconds for refreshing a cached person."""

MANY = 1_000
"""People cached; then all are forgotten."""


@dataclass(kw_only=True)
class Membership:
    """Cached membership of people. `team_id` is the bot's own."""

    team_id: str
    people: People
    clock: Clock
    enterprise_id: str = ""
    """Organisation of the bot's workspace; empty outside an Enterprise Grid."""
    _people: dict[str, tuple[datetime, Person]] = field(default_factory=dict)

    def may_come_from(self, team: str) -> bool:
        """Return whether members may act from this workspace: the bot's own, or any on an Enterprise Grid."""
        return team == self.team_id or bool(self.enterprise_id)

    def forget(self, user: str) -> None:
        """Drop a person from the cache."""
        self._people.pop(user, None)

    async def is_member(self, user: str, *, refresh: bool = False) -> bool:
        """Return whether a user is a member; `refresh` bypasses the cache.

        Raises `RetryLater` if Slack does not answer and nothing is cached, or refuses for another reason.
        """
        try:
            person = await self._person(user, refresh=refresh)
        except Refused as problem:
            if problem.code in UNKNOWN_PERSON:
                return False
            raise RetryLater(f"Slack does not say who {user} is: {refusal_in_words(problem)}") from problem
        return is_one_of_us(person, self.team_id, self.enterprise_id)

    async def is_barred(self, user: str) -> bool:
        """Return whether Slack says now that a user is not a member, so that they must get no notices.

        Raises `RetryLater` if Slack does not answer; a user whom Slack may not show is not barred.
        """
        try:
            return not is_one_of_us(await self._person(user, refresh=True), self.team_id, self.enterprise_id)
        except Refused as problem:
            return problem.code in UNKNOWN_PERSON

    async def is_external(self, user: str) -> bool:
        """Return whether a user is external; users whom Slack does not show are. Raises `RetryLater` and `Refused`."""
        try:
            return is_external(await self._person(user, refresh=False), self.team_id, self.enterprise_id)
        except Refused as problem:
            if problem.code in UNKNOWN_PERSON:
                return True
            raise

    async def _person(self, user: str, *, refresh: bool) -> Person:
        now = self.clock.now()
        at, cached = self._people.get(user, (None, None))
        if at and cached and not refresh and timedelta() <= now - at < ASKED_AGAIN:
            return cached
        try:
            async with asyncio.timeout(PATIENCE if cached else None):
                person = await self.people.person(user)
        except Refused as problem:
            if problem.code in UNKNOWN_PERSON:
                self._people.pop(user, None)
            elif cached:
                return cached
            raise
        except TimeoutError:
            assert cached is not None  # noqa: S101  # without it there is no deadline
            return cached
        except TriageError:
            if cached is None:
                raise
            return cached
        if len(self._people) >= MANY:
            self._people.clear()
        self._people[user] = (now, person)
        return person


def is_one_of_us(person: Person, team_id: str, enterprise_id: str = "") -> bool:
    """Return whether a person is a full member of the bot's workspace or organisation."""
    barred = person.is_guest or person.is_bot or person.is_gone
    return not (barred or is_external(person, team_id, enterprise_id))


def is_external(person: Person, team_id: str, enterprise_id: str = "") -> bool:
    """Return whether a person is neither of the bot's workspace nor of its organisation."""
    if enterprise_id and person.enterprise_id == enterprise_id:
        return False
    return person.is_stranger or person.team_id != team_id
