"""Who is of another company, by table; and what counts where Slack does not say."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refused, RetryLater
from bot.models.external import External, ExternalPolicy, has_widened
from bot.models.person import Person
from bot.triage.externals import Externals
from bot.triage.membership import Membership, is_external, is_one_of_us
from tests.builders import message
from tests.decide.test_workflow import pending
from tests.fakes import HandClock

OURS, THEIRS, GRID = "T0SANDBOX", "T0PARTNER", "E0GRID"


@pytest.mark.parametrize(
    ("person", "external", "one_of_us"),
    [
        ({"team_id": OURS}, False, True),
        ({"team_id": OURS, "is_guest": True}, False, False),
        ({"team_id": OURS, "is_gone": True}, False, False),
        ({"team_id": OURS, "is_stranger": True}, True, False),
        ({"team_id": THEIRS}, True, False),
        ({"team_id": ""}, True, False),
        ({"team_id": "T0SISTER", "enterprise_id": GRID}, False, True),
        ({"team_id": GRID, "enterprise_id": GRID, "is_stranger": True}, False, True),
        ({"team_id": "T0SISTER", "enterprise_id": GRID, "is_guest": True}, False, False),
        ({"team_id": THEIRS, "enterprise_id": "E0PARTNER"}, True, False),
    ],
)
def test_a_company_is_a_workspace_or_its_whole_grid(person: Any, external: bool, one_of_us: bool) -> None:
    """Guests are of the company and no members; a stranger of one's own organisation is none."""
    known = Person(user_id="U0", **person)
    assert is_external(known, OURS, GRID) is external
    assert is_one_of_us(known, OURS, GRID) is one_of_us


def test_outside_of_a_grid_no_organisation_makes_a_member() -> None:
    """Whatever somebody else's is."""
    assert is_external(Person(user_id="U0", team_id=THEIRS), OURS)


class Slack:
    """`People` and `Channels`: who is of which team, which channels are shared, and whether it answers."""

    def __init__(self, *shared: str, **teams: str) -> None:
        self.shared, self.teams = {*shared}, teams
        self.failure: Exception | None = None
        self.asked: list[str] = []

    async def person(self, user: str) -> Person:
        """Somebody."""
        self._fail(user)
        return Person(user_id=user, team_id=self.teams.get(user, OURS))

    async def channel(self, channel: str) -> dict[str, Any]:
        """A channel."""
        self._fail(channel)
        return {"id": channel, "is_ext_shared": channel in self.shared, "is_shared": True}

    def _fail(self, name: str) -> None:
        self.asked.append(name)
        if self.failure:
            raise self.failure


def externals(slack: Slack, policy: ExternalPolicy = "warn") -> Externals:
    """Who knows them."""
    members = Membership(team_id=OURS, people=slack, clock=HandClock())
    return Externals(members=members, channels=slack, policy=policy)


@pytest.mark.parametrize(
    ("said", "around", "asked"),
    [
        ({}, None, []),
        ({"sender_team": OURS}, None, []),
        ({"sender_team": OURS, "in_shared_channel": True}, (False, True), []),
        ({"sender_team": THEIRS, "in_shared_channel": True}, (True, True), ["U0RITA"]),
        ({"in_shared_channel": True}, (True, True), ["U0RITA"]),
        ({"sender_team": "T0SISTER"}, (True, False), ["U0RITA"]),
    ],
)
async def test_slack_is_asked_of_whom_a_message_does_not_tell(said: Any, around: Any, asked: list[str]) -> None:
    """Of a message in a channel of one's own nobody is asked."""
    slack = Slack(U0RITA=THEIRS)
    wrote = message(sender="U0RITA", **said)
    found = await externals(slack).find_external(wrote)
    assert found == (External(asker=around[0], channel=around[1]) if around else None)
    assert slack.asked == asked


@pytest.mark.parametrize("failure", [RetryLater("away"), Refused("no such user", code="user_not_found")])
async def test_whoever_slack_does_not_tell_of_is_taken_for_external(failure: Exception) -> None:
    """In a shared channel, where the message names another team."""
    slack = Slack()
    slack.failure = failure
    wrote = message(sender_team=THEIRS, in_shared_channel=True)
    assert await externals(slack).find_external(wrote) == External(asker=True, channel=True)


async def test_a_channel_is_looked_at_again_and_what_was_known_counts_without_slack() -> None:
    """A channel of the whole organisation is none of another company."""
    slack, ours = Slack(U0ANA=OURS), pending()
    assert await externals(slack).of_thread(ours) is None
    slack.shared.add(ours.chat_id)
    now = await externals(slack, "allow").of_thread(ours)
    assert now == External(asker=False, channel=True, policy="allow")
    slack.failure = RetryLater("away")
    assert await externals(slack).of_thread(ours) is None
    assert await externals(slack).of_thread(ours.evolve(external=now)) == External(asker=False, channel=True)


@pytest.mark.parametrize(
    ("before", "now", "more"),
    [
        (None, None, False),
        (None, (False, True), True),
        ((False, True), (False, True), False),
        ((False, True), (True, True), True),
        ((True, True), (False, True), False),
        ((True, True), None, False),
    ],
)
def test_only_more_readers_make_a_draft_one_to_look_at_again(before: Any, now: Any, more: bool) -> None:
    """Fewer of them harm nobody."""
    earlier, later = (External(asker=each[0], channel=each[1]) if each else None for each in (before, now))
    assert has_widened(earlier, later) is more
