"""The line about a recovery: posted once for each outage, whatever Slack does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, Uncertain
from bot.models.thread import Thread
from bot.surfaces.recovery_lines import RecoveryLines
from tests.builders import CHANNEL, moved
from tests.decide.unhealthy import ended, failed, pending, recovered, running
from tests.fakes import HandClock, MemoryStore, orchestrator, settle


class Channel:
    """A thread in Slack, in which each message is found by its nonce; it fails, or ends the bot, as the test says."""

    def __init__(self, *problems: Exception) -> None:
        self.posts: list[dict[str, Any]] = []
        self.looks = 0
        self.problems = [*problems]
        self.is_lossy = False
        """True if the problem comes after the effect."""
        self.passes: Callable[[], None] = lambda: None

    async def post(self, **arguments: Any) -> str:
        """Keep it, or fail."""
        self.passes()
        problem = self.problems.pop(0) if self.problems else None
        if problem is None or self.is_lossy:
            self.posts.append(arguments)
        self.passes()
        if problem:
            raise problem
        return "9.9"

    async def find_in_thread(self, *, nonce: str, **where: Any) -> str | None:
        """Look it up."""
        self.passes()
        self.looks += 1
        payloads = [post["metadata"]["event_payload"] for post in self.posts]
        return "9.9" if nonce in [payload["nonce"] for payload in payloads] else None


class Disk(MemoryStore):
    """Documents; the bot may end before and after each save."""

    passes: Callable[[], None] = staticmethod(lambda: None)

    async def save(self, thread: Thread) -> Thread:
        """Save it."""
        self.passes()
        saved = await super().save(thread)
        self.passes()
        return saved


class Scene:
    """A view with its saved thread."""

    def __init__(self, thread: Thread, *problems: Exception) -> None:
        self.store, self.channel, self.clock = Disk(), Channel(*problems), HandClock()
        self.store.saved[thread.thread_id] = self.thread = thread
        self.is_stopped, self.is_silent = False, False
        self.view = self.build()

    def build(self) -> RecoveryLines:
        """Build the view of a bot that has just started."""
        chat: Any = self.channel
        return RecoveryLines(
            chat=chat,
            clock=self.clock,
            threads=orchestrator(self.store),
            is_stopped=lambda: self.is_stopped,
            is_silent=lambda _: self.is_silent,
            redactor=Redactor(),
        )

    async def draw(self) -> None:
        """Show the saved document."""
        self.view.redraw(self.store.saved[self.thread.thread_id])
        await settle()

    async def restart(self) -> None:
        """Another bot shows it, and waits as long as it must."""
        self.view = self.build()
        await self.draw()
        await self.clock.move(5)

    @property
    def state(self) -> tuple[bool, bool]:
        """Whether the line is on record as begun, and as done."""
        about = self.store.saved[self.thread.thread_id].incident
        assert about
        assert about.recovery
        return about.recovery.is_begun, about.recovery.is_done


async def test_a_recovery_is_said_in_its_thread_once() -> None:
    """It is on record before Slack is asked; the same document again says nothing."""
    scene = Scene(moved(pending(), recovered()))
    await scene.draw()
    scene.view.redraw(scene.thread)
    await settle()
    assert [(post["channel"], post["thread_ts"]) for post in scene.channel.posts] == [(CHANNEL, "100.000001")]
    assert "*payments* is healthy again, after 1 min." in scene.channel.posts[0]["text"]
    assert scene.state == (True, True)
    await scene.draw()
    assert (len(scene.channel.posts), scene.channel.looks) == (1, 0)
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
    assert scene.state == (True, False)
    await scene.clock.move(3)
    assert (len(scene.channel.posts), scene.channel.looks, scene.state) == (1, 0, (True, True))


@pytest.mark.parametrize("is_lossy", [False, True])
async def test_a_lost_answer_is_looked_up(is_lossy: bool) -> None:
    """The line is posted again only if it is missing."""
    scene = Scene(moved(pending(), recovered()), Uncertain("lost"))
    scene.channel.is_lossy = is_lossy
    await scene.draw()
    await scene.clock.move(1)
    await scene.clock.move(5)
    assert (len(scene.channel.posts), scene.state) == (1, (True, True))


async def test_a_refused_line_is_done() -> None:
    """No later start asks again."""
    scene = Scene(moved(pending(), recovered()), Refused("no", code="thread_not_found"))
    await scene.draw()
    await scene.restart()
    assert (scene.channel.posts, scene.state) == ([], (True, True))


async def test_a_line_waits_for_access_to_its_channel() -> None:
    """An archived channel is asked again each minute, also after a restart; once it is open, it is said."""
    scene = Scene(moved(pending(), recovered()), *(Refused("no", code="is_archived") for _ in range(3)))
    await scene.draw()
    await scene.clock.move(60)
    assert (scene.channel.posts, scene.state) == ([], (True, False))
    await scene.view.stop()
    await scene.restart()
    await scene.clock.move(60)
    assert (len(scene.channel.posts), scene.state) == (1, (True, True))


async def test_access_is_waited_for_a_day() -> None:
    """After that nobody needs the line."""
    scene = Scene(moved(pending(), recovered()), *(Refused("no", code="is_archived") for _ in range(9)))
    await scene.draw()
    await scene.clock.move(86_400)
    await scene.clock.move(86_400)
    assert (scene.channel.posts, scene.state) == ([], (True, True))


async def test_a_recovery_that_was_not_said_before_the_next_failure_is_not_said() -> None:
    """The services are down then."""
    scene = Scene(moved(pending(), recovered()), RetryLater("busy", after=3))
    await scene.draw()
    name = scene.thread.thread_id
    scene.store.saved[name] = moved(scene.store.saved[name], failed(seconds=40))
    await scene.clock.move(3)
    assert scene.channel.posts == []


async def test_a_bot_that_is_killed_at_any_operation_has_said_it_once() -> None:
    """Before and after each save and each call, the next bot finds out what is missing."""
    for last in range(1, 100):
        scene, passed = Scene(moved(pending(), recovered())), 0

        def passes(last: int = last) -> None:
            nonlocal passed
            passed += 1
            if passed >= last:
                raise asyncio.CancelledError

        scene.channel.passes = scene.store.passes = passes
        await scene.draw()
        scene.channel.passes = scene.store.passes = lambda: None
        await scene.restart()
        assert (len(scene.channel.posts), scene.state) == (1, (True, True)), f"killed at operation {last}"
        if passed < last:
            break
    assert last > 6


async def test_a_full_disk_after_the_post_does_not_repeat_it() -> None:
    """The line is looked up, and then recorded."""
    scene = Scene(moved(pending(), recovered()))
    passed = 0

    def passes() -> None:
        nonlocal passed
        passed += 1
        if passed == 5:
            raise RetryLater("No space left on device")

    scene.channel.passes = scene.store.passes = passes
    await scene.draw()
    assert (len(scene.channel.posts), scene.state) == (1, (True, False))
    await scene.clock.move(1)
    assert (len(scene.channel.posts), scene.channel.looks, scene.state) == (1, 1, (True, True))


async def test_a_second_recovery_is_said_after_the_first() -> None:
    """Although the first was still waiting to be posted."""
    scene = Scene(moved(pending(), recovered()), RetryLater("busy", after=3))
    await scene.draw()
    name = scene.thread.thread_id
    scene.store.saved[name] = moved(moved(scene.store.saved[name], failed(seconds=40)), recovered(50))
    await scene.draw()
    await scene.clock.move(3)
    assert [post["metadata"]["event_payload"]["nonce"] for post in scene.channel.posts] == ["inc1-2"]
    assert scene.state == (True, True)


async def test_nothing_is_said_while_triage_is_stopped_or_muted_or_a_day_later() -> None:
    """A stop only delays it."""
    scene = Scene(moved(pending(), recovered()))
    scene.is_stopped = True
    await scene.draw()
    assert (scene.channel.posts, scene.state) == ([], (False, False))
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
    assert (muted.state, late.state) == ((True, True), (True, True))
