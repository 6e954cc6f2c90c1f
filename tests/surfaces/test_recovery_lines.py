"""The line about a recovery: posted once for each outage, whatever Slack does."""

from __future__ import annotations

from typing import Any

from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, Uncertain
from bot.models.thread import Thread
from bot.surfaces.recovery_lines import RecoveryLines
from tests.builders import CHANNEL, moved
from tests.decide.unhealthy import ended, pending, recovered, running
from tests.fakes import HandClock, MemoryStore, orchestrator, settle


class Channel:
    """A `Chat` that takes messages, or fails as the test says."""

    def __init__(self, *problems: Exception) -> None:
        self.posts: list[dict[str, Any]] = []
        self._problems = [*problems]

    async def post(self, **arguments: Any) -> str:
        """Keep it, or fail."""
        if self._problems:
            raise self._problems.pop(0)
        self.posts.append(arguments)
        return "9.9"


class Scene:
    """A view with its saved thread."""

    def __init__(self, thread: Thread, *problems: Exception) -> None:
        self.store, self.channel, self.clock = MemoryStore(), Channel(*problems), HandClock()
        self.store.saved[thread.thread_id] = self.thread = thread
        self.is_stopped, self.is_silent = False, False
        self.threads = orchestrator(self.store)
        chat: Any = self.channel
        self.view = RecoveryLines(
            chat=chat,
            clock=self.clock,
            threads=self.threads,
            is_stopped=lambda: self.is_stopped,
            is_silent=lambda _: self.is_silent,
            redactor=Redactor(),
        )

    async def draw(self) -> None:
        """Show the saved document."""
        self.view.redraw(self.store.saved[self.thread.thread_id])
        await settle()

    @property
    def is_begun(self) -> bool:
        """The line is on record as begun."""
        about = self.store.saved[self.thread.thread_id].incident
        assert about
        assert about.recovery
        return about.recovery.is_begun


async def test_a_recovery_is_said_in_its_thread_once() -> None:
    """It is on record before Slack is asked; the same document again says nothing."""
    scene = Scene(moved(pending(), recovered()))
    await scene.draw()
    scene.view.redraw(scene.thread)
    await settle()
    assert [(post["channel"], post["thread_ts"]) for post in scene.channel.posts] == [(CHANNEL, "100.000001")]
    assert "*payments* is healthy again, after 1 min." in scene.channel.posts[0]["text"]
    assert scene.is_begun
    await scene.draw()
    assert len(scene.channel.posts) == 1
    await scene.view.stop()


async def test_it_names_the_runbook_that_helped() -> None:
    """And the person who had it run."""
    scene = Scene(moved(running(), ended()))
    await scene.draw()
    assert "<@U0OPS> had the runbook `restart-payments` run." in scene.channel.posts[0]["text"]


async def test_a_post_without_effect_is_tried_again() -> None:
    """After a while."""
    scene = Scene(moved(pending(), recovered()), RetryLater("busy", after=3))
    await scene.draw()
    assert not scene.is_begun
    await scene.clock.move(3)
    assert (len(scene.channel.posts), scene.is_begun) == (1, True)


async def test_a_doubtful_or_refused_post_is_not_tried_again() -> None:
    """It may be there; nothing is said twice."""
    for problem in (Uncertain("lost"), Refused("no", code="channel_is_archived"), ValueError("oops")):
        scene = Scene(moved(pending(), recovered()), problem)
        await scene.draw()
        await scene.draw()
        assert (scene.channel.posts, scene.is_begun) == ([], True)


async def test_nothing_is_said_while_triage_is_stopped_or_muted_or_a_day_later() -> None:
    """A stop only delays it."""
    scene = Scene(moved(pending(), recovered()))
    scene.is_stopped = True
    await scene.draw()
    assert (scene.channel.posts, scene.is_begun) == ([], False)
    scene.is_stopped = False
    await scene.clock.move(30)
    assert len(scene.channel.posts) == 1
    muted = Scene(moved(pending(), recovered()))
    muted.is_silent = True
    await muted.draw()
    late = Scene(moved(pending(), recovered()))
    late.is_stopped = True
    await late.draw()
    late.is_stopped = False
    await late.clock.move(86_400 + 60)
    assert (muted.channel.posts, late.channel.posts) == ([], [])
