"""Stale presses, by table: the explanation of each change since the card was drawn, with markup and in plain text."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from blocks.text import moment
from bot.approval.stale_press import explain_stale_press, to_plain_text
from bot.errors import RetryLater
from bot.models.presses import AnswerQuestion, Bounce, Delegate, Redraft, TakeOver
from bot.models.thread import Thread
from tests.builders import OPERATOR, at, edited, moved
from tests.decide.test_workflow import approved, collecting, in_doubt, pending, press

BEING_MADE = "A new draft is being made."
WAIT = "Please wait for it."
AGAIN = "Please look at it again before you decide."


def handed_over() -> Thread:
    """Return a thread that was handed over three times, to Ben at last."""
    thread = pending()
    for second, user in enumerate(("U0EVE", "U0DEE", "U0BEN"), start=9):
        thread = moved(thread, press(Delegate, thread, to=user, at=at(second)))
    return thread


def shown(thread: Thread) -> Thread:
    """Return a thread whose previous cards show their hand-over."""
    return thread.evolve(hand_overs=tuple(each.evolve(is_shown=True) for each in thread.hand_overs))


def redrafted(kind: type, **values: str | None) -> Thread:
    thread = pending()
    return moved(thread, press(kind, thread, **values))


def stale(why: str) -> Thread:
    return pending().evolve(stale=why)


@pytest.mark.parametrize(
    ("thread", "text"),
    [
        pytest.param(None, "Triage no longer knows this question.", id="unknown"),
        pytest.param(pending(), f"The card has changed since. {AGAIN}", id="drawn again"),
        pytest.param(
            stale("Ben wrote <this> to X."),
            f"The card has changed since. Ben wrote &lt;this&gt; to X. {AGAIN}",
            id="stale",
        ),
        pytest.param(stale("x" * 301), f"The card has changed since. {'x' * 299}…. {AGAIN}", id="stale for long"),
        pytest.param(
            edited(pending(), "It is three.", by="U0BEN"),
            f"The card has changed since. <@U0BEN> has edited the draft. {AGAIN}",
            id="edited",
        ),
        pytest.param(
            handed_over(),
            f"The card has changed since. It was handed over to <@U0BEN> {moment(at(11))}. {AGAIN}",
            id="handed over",
        ),
        pytest.param(
            shown(handed_over()),
            f"The card has changed since. It was handed over to <@U0BEN> {moment(at(11))}. {AGAIN}",
            id="handed over just now",
        ),
        pytest.param(
            shown(handed_over()).evolve(last_event_at=at(12)),
            f"The card has changed since. {AGAIN}",
            id="handed over before",
        ),
        pytest.param(collecting(), f"{BEING_MADE} {WAIT}", id="first draft"),
        pytest.param(redrafted(Redraft), f"{BEING_MADE} {WAIT}", id="redraft"),
        pytest.param(
            redrafted(Bounce, code="tone", feedback=""),
            f"{BEING_MADE} <@{OPERATOR}> bounced the last one {moment(at(10))}. {WAIT}",
            id="bounced",
        ),
        pytest.param(
            redrafted(AnswerQuestion, text="Three."),
            f"{BEING_MADE} <@{OPERATOR}> answered the open questions {moment(at(10))}. {WAIT}",
            id="answered",
        ),
    ],
)
def test_a_stale_press_is_explained(thread: Thread | None, text: str) -> None:
    """By the newest change, its author and its time."""
    assert explain_stale_press(thread) == text


@pytest.mark.parametrize(
    ("thread", "is_posted"), [(redrafted(TakeOver), False), (approved(), True), (in_doubt(), True)]
)
def test_a_press_after_the_decision_names_the_decision(thread: Thread, is_posted: bool) -> None:
    """And a reply that is on its way."""
    text = explain_stale_press(thread)
    assert text.startswith("This is already decided. *")
    assert f"<@{OPERATOR}>" in text
    assert text.endswith(" The reply is being posted.") is is_posted


async def name(user: str) -> str:
    """Return the name of anybody but one, whom Slack does not tell."""
    if user == "U0GONE":
        raise RetryLater("users.info")
    return f"name of {user}"


async def test_plain_text_holds_names_times_and_no_markup() -> None:
    """In the reader's zone; somebody whom Slack does not tell is somebody."""
    text = f"*Bounced* by <@U0BEN> and <@U0GONE> {moment(at())}, see <https://x.test/a|the reply>. <@U0BEN>"
    plain = "Bounced by name of U0BEN and somebody 5 Jan 2026, 10:00, see the reply. name of U0BEN"
    assert await to_plain_text(text, name, ZoneInfo("Europe/Berlin")) == plain
