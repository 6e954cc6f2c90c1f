"""Whose page counts for a question in their direct message, by table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.decide.workflow import advance
from bot.decide.workflow.routes import routed
from bot.errors import RetryLater
from bot.models.person import Person
from bot.models.route import Route
from bot.models.thread import Thread
from bot.models.viewed_page import PageViewed, SubjectProject
from bot.triage.membership import Membership
from bot.triage.viewed_pages import ViewedPages
from tests.builders import LIMITS, added, message
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

    async def is_member(self, *, channel: str, user: str) -> bool:
        """Return whether the asker is in a channel."""
        if self.is_silent:
            raise RetryLater("Slack does not answer")
        return user == ASKER and channel in self.inside


@dataclass
class Chosen:
    """What everyone has chosen for their conversations."""

    project: str | None

    def find_chosen(self, _message: Any) -> str | None:
        """That."""
        return self.project


def looking(
    slack: Slack,
    clock: HandClock,
    *,
    opened: tuple[Any, ...] = (SHOP,),
    chosen: str | None = None,
    other: str | None = None,
) -> ViewedPages:
    """One, with a project of #help, and perhaps one of #other."""
    projects: Any = SimpleNamespace(
        names=("shop", "parcels"), channels={"C0HELP": "shop", "C0OLD": "shop", "C0OTHER": other}, open=lambda: opened
    )
    return ViewedPages(
        projects=projects,
        active=Chosen(chosen),
        channels={"C0HELP": "help", "C0OTHER": "other"},
        members=Membership(team_id="T0", people=slack, clock=clock),
        rooms=slack,
        clock=clock,
    )


@pytest.mark.parametrize(
    ("channel", "slack", "opened", "minutes", "counts", "project"),
    [
        ("C0HELP", Slack(), (SHOP,), 0, True, "shop"),
        ("C0HELP", Slack(), (SHOP,), 29, True, "shop"),
        ("C0HELP", Slack(), (SHOP,), 30, False, None),
        ("", Slack(), (SHOP,), 0, False, None),
        ("C0OTHER", Slack(), (SHOP,), 0, True, None),
        ("C0OLD", Slack(inside=("C0OLD",)), (SHOP,), 0, False, None),
        ("C0HELP", Slack(), (), 0, True, None),
        ("C0HELP", Slack(inside=()), (SHOP,), 0, False, None),
        ("C0HELP", Slack(is_silent=True), (SHOP,), 0, False, None),
        ("C0HELP", Slack(Person(user_id=ASKER, team_id="T0", is_guest=True)), (SHOP,), 0, False, None),
        ("C0HELP", Slack(Person(user_id=ASKER, team_id="T1")), (SHOP,), 0, False, None),
    ],
)
async def test_a_page_counts_for_a_member_who_is_in_its_watched_channel(
    channel: str, slack: Slack, opened: tuple[Any, ...], minutes: int, *, counts: bool, project: str | None
) -> None:
    """For half an hour; its project only where that takes questions."""
    clock = HandClock()
    one = looking(slack, clock, opened=opened)
    one.handle_view(PageViewed(user_id=ASKER, channel_id="C0HELP"))
    one.handle_view(PageViewed(user_id=ASKER, channel_id=channel))
    clock._now += timedelta(minutes=minutes)
    page = (await one.attach_page(message(chat_id="D0ANA"))).page
    assert (page is not None, page and page.project) == (counts, project)


async def test_who_is_in_a_channel_is_asked_again_after_a_minute() -> None:
    """Whoever has left it since then sees it no more."""
    slack, clock = Slack(), HandClock()
    one = looking(slack, clock)
    assert (await one.attach_page(message(chat_id="D0ANA", looks_at="C0HELP"))).page
    slack.inside = ()
    assert (await one.attach_page(message(chat_id="D0ANA"))).page
    clock._now += timedelta(minutes=1)
    assert (await one.attach_page(message(chat_id="D0ANA"))).page is None


async def test_a_message_tells_of_a_newer_page_and_a_choice_goes_before_it() -> None:
    """Until a message says that no page is looked at."""

    async def told(one: ViewedPages, **changes: Any) -> str:
        subject = one.attach_project(await one.attach_page(message(chat_id="D0ANA", **changes))).subject
        return f"{subject.project}: {subject.told}" if subject else ""

    one = looking(Slack(), HandClock())
    assert "#help" in await told(one, looks_at="C0HELP")
    assert "#help" in await told(one)
    assert not await told(one, looks_at="")
    chosen = looking(Slack(), HandClock(), chosen="parcels")
    assert "parcels: which you chose" in await told(chosen, looks_at="C0HELP")


class BySubject:
    """A router of questions that have a subject."""

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route | None:
        """To its project."""
        return route(subject.project) if subject else None


async def test_two_questions_in_one_window_keep_the_page_that_each_was_asked_on() -> None:
    """Also where the first one's window ends after the second was asked, and after a restart."""
    one = looking(Slack(), HandClock(), opened=(SHOP, SimpleNamespace(belongs_to="parcels")), other="parcels")
    limits = replace(LIMITS, router=BySubject())
    threads = []
    for ts, page in (("100.000001", "C0HELP"), ("101.000001", "C0OTHER")):
        asked = one.attach_project(
            await one.attach_page(message("where is it set?", ts=ts, chat_id="D0ANA", looks_at=page))
        )
        thread = advance(None, replace(added(), message=asked), limits).thread
        threads.append(Thread.model_validate_json(thread.model_dump_json() if thread else ""))
    routes = [routed(thread, limits).route for thread in threads]
    assert [each and each.project for each in routes] == ["shop", "parcels"]


def route(project: str) -> Route:
    """A route to a project."""
    return Route(role="investigator", role_name="Investigator", project=project, why="as told")
