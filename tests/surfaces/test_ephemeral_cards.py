"""Nudges: where they are shown, and how they give way to what was decided."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.errors import Refused, RetryLater, TriageError
from bot.models.interaction import CardPress
from bot.models.thread import Thread
from bot.models.thread_event import Approve, NudgeLost
from bot.surfaces.ephemeral_cards import EphemeralCards
from tests.builders import OPERATOR, moved
from tests.decide import test_workflow as story
from tests.fakes import HandClock, card_renderer, settle


class Ears:
    """A `Chat` and a `History` that keep what one person was shown; `said` are the replies of every thread."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.noticed: list[dict[str, Any]] = []
        self.responded: list[tuple[str, str]] = []
        self.said: list[dict[str, Any]] = []
        self.failure: TriageError | None = None
        self.here = True
        chat: Any = self
        self.nudges = EphemeralCards(
            chat=chat,
            history=chat,
            presence=chat,
            pictures=card_renderer(chat),
            clock=self.clock,
        )

    async def permalink(self, **_: Any) -> str:
        """Some address."""
        return "https://sandbox.slack.com/archives/C0HELP/p1"

    async def open_dm(self, user: str) -> str:
        """The direct message."""
        return f"D{user}"

    async def is_active(self, user: str) -> bool:
        """Return whether they are at the screen."""
        return self.here

    async def replies_since(self, **_: Any) -> list[dict[str, Any]]:
        """What was said in the thread."""
        return self.said

    async def post_ephemeral(self, **shown: Any) -> None:
        """Show it, or fail."""
        if self.failure:
            raise self.failure
        self.noticed.append(shown)

    async def respond(self, *, url: str, text: str, **_: Any) -> None:
        """Put it in place of the nudge, or fail."""
        if self.failure:
            raise self.failure
        self.responded.append((url, text))

    async def press(self, thread: Thread, user: str = OPERATOR, url: str = "https://hooks.slack.com/1") -> None:
        """Somebody presses a button of their nudge."""
        self.nudges.remember_response_url(
            CardPress(user_id=user, thread_id=thread.thread_id, message_ts="9.1", is_ephemeral=True, response_url=url)
        )

    async def redraw(self, thread: Thread) -> int:
        """The document has changed; the answer is how often nudges were changed by now."""
        self.nudges.redraw(thread)
        await settle()
        return len(self.responded)


@pytest.mark.parametrize(
    ("thread", "said", "where"),
    [
        (story.pending, [], None),
        (story.pending, [{"ts": "100.2"}], "100.000001"),
        (lambda: story.pending().evolve(original_message_id="105.000001"), [], "100.000001"),
    ],
)
async def test_a_nudge_is_shown_where_slack_shows_it(thread: Any, said: Any, where: str | None) -> None:
    """In the thread when it has replies, else in the channel itself; it says what the card says."""
    ears, pending = Ears(), thread()
    ears.said = said
    assert await ears.nudges.notify_operator(pending) is None
    (shown,) = ears.noticed
    assert (shown["channel"], shown["user"], shown["thread_ts"]) == ("C0HELP", OPERATOR, where)
    assert shown["blocks"] == (await card_renderer(ears).render_card(pending))["blocks"]


@pytest.mark.parametrize("failure", [Refused("no", code="user_not_in_channel"), RetryLater("later")])
async def test_a_nudge_that_slack_does_not_take_is_said_to_be_lost(failure: TriageError) -> None:
    """It is not tried again: the card comes in its place."""
    ears, thread = Ears(), story.pending()
    ears.failure = failure
    lost = await ears.nudges.notify_operator(thread)
    assert isinstance(lost, NudgeLost)
    assert thread.draft_pending
    assert lost.draft_id == thread.draft_pending.draft_id


async def test_nobody_is_nudged_who_is_away() -> None:
    """Slack would say that it took it, and show it to nobody."""
    ears = Ears()
    ears.here = False
    assert isinstance(await ears.nudges.notify_operator(story.pending()), NudgeLost)
    assert ears.noticed == []


async def test_a_nudge_that_was_pressed_gives_way_to_the_outcome() -> None:
    """Also a colleague's copy of it, and nothing is changed after that; without a press there is no way to."""
    ears, thread = Ears(), story.pending()
    approved = moved(thread, story.press(Approve, thread))
    assert await ears.redraw(approved) == 0
    await ears.press(thread)
    await ears.press(thread, "U0EVE", "https://hooks.slack.com/2")
    assert await ears.redraw(approved) == 2
    closed = story.replied().evolve(revision=approved.revision + 1)
    assert await ears.redraw(closed) == 4
    assert {text.rpartition("? ")[2] for _, text in ears.responded[2:]} == {"Settled: replied."}
    assert await ears.redraw(closed) == 4


async def test_the_last_use_of_an_address_is_kept_for_the_outcome() -> None:
    """Slack takes five answers; a lively draft does not use them up."""
    ears, thread = Ears(), story.pending()
    await ears.press(thread)
    for revision in range(20, 30):
        await ears.redraw(thread.evolve(revision=revision))
    assert len(ears.responded) == 4
    assert await ears.redraw(story.replied().evolve(revision=30)) == 5


async def test_an_address_is_used_for_half_an_hour_only() -> None:
    """The next press gives another one."""
    ears, thread = Ears(), story.pending()
    await ears.press(thread)
    await ears.clock.move(timedelta(minutes=30).total_seconds())
    assert await ears.redraw(thread) == 0
    await ears.press(thread)
    assert await ears.redraw(thread) == 1


async def test_an_address_that_does_not_work_is_given_up() -> None:
    """The loss of a nudge harms nothing."""
    ears, thread = Ears(), story.pending()
    await ears.press(thread)
    ears.failure = Refused("gone", code="http_404")
    await ears.redraw(thread)
    ears.failure = None
    assert await ears.redraw(thread) == 0
