"""Whose page counts for a question in their direct message, by table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.errors import RetryLater
from bot.models.looking import Looked
from bot.models.person import Person
from bot.triage.looking import Looking
from bot.triage.membership import Membership
from tests.builders import message
from tests.fakes import HandClock

ASKER = message().sender.id
SHOP = SimpleNamespace(belongs_to="shop")


@dataclass
class Slack:
    """What Slack says; nothing where `is_silent`."""

    person_now: Person = field(default_factory=lambda: Person(user_id=ASKER, team_id="T0"))
    inside: tuple[str, ...] = ("C0HELP", "C0OTHER")
    is_silent: bool = False

    async def person(self, _user: str) -> Person:
        """Who somebody is."""
        return self.person_now

    async def is_in(self, *, channel: str, user: str) -> bool:
        """Whether the asker is in a channel."""
        if self.is_silent:
            raise RetryLater("Slack does not answer")
        return user == ASKER and channel in self.inside


def looking(slack: Slack, clock: HandClock, *, opened: tuple[Any, ...] = (SHOP,), chosen: str | None = None) -> Looking:
    """One, with a project of #help."""
    projects: Any = SimpleNamespace(
        names=("shop", "parcels"), channels={"C0HELP": "shop", "C0OLD": "shop"}, open=lambda: opened
    )
    return Looking(
        projects=projects,
        chosen=lambda _: chosen,
        channels={"C0HELP": "help", "C0OTHER": "other"},
        members=Membership(team_id="T0", people=slack, clock=clock),
        rooms=slack,
        clock=clock,
    )


@pytest.mark.parametrize(
    ("channel", "slack", "opened", "minutes", "counts"),
    [
        ("C0HELP", Slack(), (SHOP,), 0, True),
        ("C0HELP", Slack(), (SHOP,), 29, True),
        ("C0HELP", Slack(), (SHOP,), 30, False),
        ("", Slack(), (SHOP,), 0, False),
        ("C0OTHER", Slack(), (SHOP,), 0, False),
        ("C0OLD", Slack(inside=("C0OLD",)), (SHOP,), 0, False),
        ("C0HELP", Slack(), (), 0, False),
        ("C0HELP", Slack(inside=()), (SHOP,), 0, False),
        ("C0HELP", Slack(is_silent=True), (SHOP,), 0, False),
        ("C0HELP", Slack(Person(user_id=ASKER, team_id="T0", is_guest=True)), (SHOP,), 0, False),
        ("C0HELP", Slack(Person(user_id=ASKER, team_id="T1")), (SHOP,), 0, False),
    ],
)
async def test_a_page_counts_for_a_member_who_is_in_its_watched_channel(
    channel: str, slack: Slack, opened: tuple[Any, ...], minutes: int, *, counts: bool
) -> None:
    """For half an hour, and where its project takes questions."""
    clock = HandClock()
    one = looking(slack, clock, opened=opened)
    one.heard(Looked(user_id=ASKER, channel_id="C0HELP"))
    one.heard(Looked(user_id=ASKER, channel_id=channel))
    clock._now += timedelta(minutes=minutes)
    assert bool(await one.settle(message(chat_id="D0ANA"))) is counts


async def test_a_message_tells_of_a_newer_page_and_a_choice_goes_before_it() -> None:
    """Until a message says that no page is looked at."""
    one = looking(Slack(), HandClock())
    assert "#help" in await one.settle(message(chat_id="D0ANA", looks_at="C0HELP"))
    assert "#help" in await one.settle(message(chat_id="D0ANA"))
    assert not await one.settle(message(chat_id="D0ANA", looks_at=""))
    chosen = looking(Slack(), HandClock(), chosen="parcels")
    assert "`parcels`: which you chose" in await chosen.settle(message(chat_id="D0ANA", looks_at="C0HELP"))
