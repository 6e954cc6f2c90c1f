"""The App Home, the queue and the reminder: what they say, and that Slack takes them whatever waits."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from typing import Any

import pytest

from blocks.card import build_card
from blocks.home import ESCALATED, RUNNING, SERVICES, build_operator_home, welcome
from blocks.queue import age, entry
from blocks.queue_view import queue_list
from blocks.reminder import build_reminder
from blocks.text import context, section
from bot.commands.queue import EMPTY, HOME_ROOM, PAGE
from bot.models.cost import Cost
from bot.models.escalation import Escalation
from bot.models.home import HomeView, Today
from bot.models.queue import QueueView
from bot.models.system_event import SystemEvent
from bot.models.thread import Thread
from sandbox.blockkit import checked_blocks, checked_view
from tests.blocks.scripts import SCRIPTS, text
from tests.blocks.test_incident import checked
from tests.builders import at, draft_for, ran
from tests.commands.test_services import state
from tests.decide import test_workflow as story

URL = "https://acme.slack.com/"
LINK = "https://acme.slack.com/archives/C0HELP/p100000001"
RUN = "20260105T093000-long"


def waits(undecided: list[Thread]) -> list[Any]:
    """The first page of what waits."""
    if not undecided:
        return [section(EMPTY)]
    page = undecided[:PAGE]
    return queue_list(page, QueueView(), of=len(undecided), page=PAGE, room=HOME_ROOM, url=URL, now=at(3 * 3_600))


def picture(undecided: list[Thread], running: list[Thread], **changes: Any) -> HomeView:
    """What the Home knows of these threads."""
    values: dict[str, Any] = {
        "at": at(3 * 3_600),
        "url": URL,
        "state": "running",
        "since": None,
        "connected": True,
        "waiting": waits(undecided),
        "waiting_in_all": len(undecided),
        "running": tuple(running[: RUNNING - len(changes.get("escalated", ()))]),
        "running_in_all": len(running),
        "held_count": 0,
        "in_line": 0,
        "today": Today(drafts=7, approved=3, bounced=2, cost=Cost(usd=1.234)),
        "zone": "Europe/Berlin",
        "may_control": True,
    }
    return HomeView(**(values | changes))


def said(view: Any) -> str:
    """All that it says."""
    return json.dumps(view, ensure_ascii=False)


def buttons(view: Any) -> list[str]:
    """Its buttons, from above."""
    inside = [element for block in view["blocks"] if block["type"] == "actions" for element in block["elements"]]
    beside = [block["accessory"] for block in view["blocks"] if "accessory" in block]
    return [button["action_id"] for button in (*inside, *beside)]


def in_script(thread: Thread, script: str, length: int, chance: random.Random) -> Thread:
    """The thread with question, name and draft in a script."""
    (message,) = thread.messages
    words = text(script, length, chance)
    drafted = draft_for(thread, words) if thread.draft_pending and words.strip() else thread.draft_pending
    return thread.evolve(
        messages=(message.evolve(content=words),),
        original_sender_name=text(script, 1 + length % 200, chance),
        draft_pending=drafted,
    )


@pytest.mark.parametrize(
    ("script", "waiting"),
    [
        (script, waiting)
        if script == "mentions" or waiting == PAGE + 1
        else pytest.param(script, waiting, marks=pytest.mark.long)
        for script in SCRIPTS
        for waiting in (0, 1, PAGE, PAGE + 1, 500)
    ],
)
def test_slack_takes_the_home_and_the_reminder_of_any_queue(script: str, waiting: int) -> None:
    """Of 0 to 500 questions, with drafts of 1 to 3,000 characters: the workspace's own limits are the judge."""
    chance = random.Random(f"{script} {waiting}")
    kinds = (story.pending(), story.failed(), story.in_doubt(), story.pending().evolve(stale="news"))
    lengths = [1, 3_000, *(chance.randint(1, 3_000) for _ in range(6))]
    sample = [in_script(chance.choice(kinds), script, length, chance) for length in lengths]
    undecided = [chance.choice(sample) for _ in range(waiting)]
    running = [in_script(story.investigating(), script, 3_000, chance)] * waiting
    more = {"message": text(script, 4_000, chance), "held_count": waiting, "in_line": waiting}
    long_run = Escalation(
        tier=3, reason=text(script, 900, chance), decided_at=at(0), started_at=at(0), latest="&" * 900, session_id=RUN
    )
    now: dict[str, Any] = {
        "status": "escalated",
        "escalation": long_run,
        "runs": tuple(ran(number) for number in range(30)),
    }
    escalated = [each.evolve(**now) for each in running[:ESCALATED]]
    event = SystemEvent(at=at(0), level="critical", session="20260105T093000-x", message=f"{'&' * 900}")
    more |= {"escalated": escalated, "escalated_in_all": waiting, "events": [event] * 9, "problems": ["&" * 500] * 9}
    bad = [checked(error="&" * 900)] * 9
    more["services"] = [state(f"s{number}-{'n' * 58}", results=bad) for number in range(waiting)]
    shown = picture(undecided, running[len(escalated) :], **more)
    blocks = checked_view(build_operator_home(shown), kind="home")["blocks"]
    assert len(blocks) <= 100
    assert buttons({"blocks": blocks}).count("show_card") == min(waiting, PAGE)
    assert buttons({"blocks": blocks}).count("stop") == min(waiting, RUNNING)
    if waiting:
        assert checked_blocks(build_reminder(undecided[:5], of=waiting, url=URL, now=at(9_000))["blocks"])


@pytest.mark.parametrize("script", SCRIPTS)
def test_slack_takes_a_nudge_of_any_draft(script: str) -> None:
    """And the same card in a queue channel, with a line that says whose it is."""
    chance = random.Random(script)
    for length in (1, 2_999, 3_000, *(chance.randint(1, 3_000) for _ in range(5))):
        blocks = build_card(in_script(story.pending(), script, length, chance), link=LINK)["blocks"]
        assert checked_blocks([context("For <@U0OPS>."), *blocks])


def test_slack_takes_the_home_of_everybody_else() -> None:
    """With no channel, one, or as many as a workspace has; it offers no button."""
    for channels in (0, 1, 20, 500):
        view = welcome([f"C{number:010}" for number in range(channels)])
        assert checked_view(view, kind="home")
        assert buttons(view) == []
    assert "and 480 more" in said(view)
    assert "`/triage help`" in said(view)


def test_the_home_of_a_guest_names_no_command() -> None:
    """Guests and people of other workspaces may give none."""
    assert "/triage" not in said(welcome((), is_member=False))


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, ["home_pause", "home_refresh"]),
        ({"state": "paused"}, ["home_resume", "home_refresh"]),
        ({"state": "stopped"}, ["home_resume", "home_refresh"]),
        ({"may_control": False}, ["home_refresh"]),
    ],
)
def test_the_home_offers_what_its_reader_may_do(changes: dict[str, Any], shown: list[str]) -> None:
    """Pause or Resume for admins, never both; Refresh for all."""
    assert buttons(build_operator_home(picture([], [], **changes))) == shown


def test_the_home_says_what_waits_with_its_age_and_the_days_figures() -> None:
    """The oldest first, each with its card's button; names and questions can mint no markup."""
    thread = story.pending(text="<!channel> where is the *limit*?").evolve(original_sender_name="<@U1>")
    view = build_operator_home(picture([thread], [story.investigating()]))
    assert "7 drafts, 3 approved, 2 bounced, cost $1.23." in said(view)
    assert "&lt;!channel&gt; where is" in said(view)
    assert "<!channel>" not in said(view)
    assert "*2 h*" in said(view)
    assert "show_card" in buttons(view)


def test_a_line_says_what_is_special_about_its_card() -> None:
    """Only what there is to say."""
    thread = story.pending()
    assert all(word not in said(entry(thread, url=URL, now=at(60))) for word in ("expires", "doubt", "again", "|card>"))
    soon = thread.evolve(expires_at=at(3_660), stale="news", card=thread.card.evolve(channel="D1", ts="5.000001"))
    line = said(entry(soon, url=URL, now=at(60)))
    assert all(word in line for word in ("expires in 1 h", "look again", "archives/D1/p5000001|card>"))
    assert "no draft" in said(entry(story.failed(), url=URL, now=at(60)))
    assert "in doubt" in said(entry(story.in_doubt(), url=URL, now=at(60)))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-60, "0 min"), (59, "0 min"), (3_599, "59 min"), (3_600, "1 h"), (172_799, "47 h"), (172_800, "2 days")],
)
def test_an_age_has_one_unit(seconds: float, shown: str) -> None:
    """A clock that was set back makes nothing younger than new."""
    assert age(timedelta(seconds=seconds)) == shown


def test_services_are_listed_with_the_unhealthy_first_and_a_count() -> None:
    """A symbol stands beside the word; as many whole rows as Slack takes."""
    some = [state(), state("web", "degraded"), state("pay", None), state("cart", "healthy")]
    view = build_operator_home(picture([], [], services=some))
    shown = [block["text"]["text"] for block in view["blocks"] if "text" in block]
    rows = shown[shown.index("Services") + 1]
    starts = [row.partition(" is ")[0] for row in rows.splitlines() if row.startswith(":")]
    assert starts == [
        ":red_circle: *shop-api*",
        ":warning: *web*",
        ":white_circle: *pay*",
        ":white_check_mark: *cart*",
    ]
    many = [state(f"s{number:03}", "healthy") for number in range(200)]
    all_of = said(build_operator_home(picture([], [], services=many)))
    assert "200 services, all healthy." in all_of
    assert f"… and {200 - SERVICES} more services." in all_of
    assert "Services" not in said(build_operator_home(picture([], [])))
