"""One clock for everything that expires or comes again, moved by tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.server import Sandbox
from sandbox.timing import Time
from tests.sandbox.conftest import Clock, Line, People


async def test_timers_run_in_their_order_when_time_is_moved() -> None:
    """What falls due on the way is done at its own moment, what it brings about too."""
    time, done = Time(lambda: 0.0), list[tuple[str, int]]()

    def then_another() -> None:
        done.append(("one", round(time())))
        time.call_later(0.5, lambda: done.append(("half", 0)))

    time.call_later(2, lambda: done.append(("two", round(time()))))
    time.call_later(1, then_another)
    time.call_later(1, lambda: done.append(("never", 0))).cancel()
    time.advance(3)
    assert done == [("one", 1), ("half", 0), ("two", 2)]
    time.close()


async def test_timers_run_by_themselves_too() -> None:
    """Without anybody moving the clock a timer waits for real time."""
    time, over = Time(lambda: 0.0), asyncio.Event()
    time.call_later(5, over.clear)
    time.call_later(0.01, over.set)
    await asyncio.wait_for(over.wait(), 5)
    assert over.is_set(), "the timer for 0.01 s has not run"
    time.close()


async def test_cancelled_timers_do_not_pile_up() -> None:
    """Most timers are cancelled long before they are due."""
    time = Time(lambda: 0.0)
    for _ in range(10_000):
        time.call_later(60, lambda: None).cancel()
    assert len(time._timers) < 2_000
    time.close()


@pytest.fixture
async def workspace(clock: Clock) -> AsyncIterator[Sandbox]:
    """A workspace with Slack's own times."""
    running = await Sandbox.start(clock=clock)
    yield running
    await running.close()


async def test_retries_go_by_the_clock(people: People, line: Line) -> None:
    """Late after three seconds; again immediately, after a minute, after five; then never."""
    await people("say", user="U0ANA", channel="C0HELP", text="hi")
    attempts = [(await line.frame())["retry_attempt"]]
    for seconds in (3, 3 + 60, 3 + 300):
        assert (await people.answer("/clock", {"advance": seconds}))[0] == 200
        frame = await line.frame()
        attempts.append(frame["retry_attempt"])
    assert attempts == [0, 1, 2, 3]
    assert frame["retry_reason"] == "timeout"
    await people.answer("/clock", {"advance": 600})
    await people("home", user="U0ANA")
    assert (await line.event())["type"] == "app_home_opened"


async def test_a_trigger_expires_by_the_clock(
    people: People, slack: AsyncWebClient, line: Line, modal: dict[str, Any], workspace: Sandbox
) -> None:
    """Three seconds, whoever moves them on."""
    asking = asyncio.create_task(people("command", user="U0ANA", channel="C0HELP", command="/triage"))
    trigger = (await line.payload())["trigger_id"]
    await asking
    workspace.advance(3.1)
    with pytest.raises(SlackApiError, match="expired_trigger_id"):
        await slack.views_open(trigger_id=trigger, view=modal)


async def test_a_person_is_told_when_time_is_up(
    people: People, slack: AsyncWebClient, line: Line, buttons: Callable[..., list[dict[str, Any]]]
) -> None:
    """The press that nobody acknowledges fails after three seconds of the clock."""
    await slack.chat_postMessage(channel="C0HELP", text="card", blocks=buttons(go="1"))
    pressing = asyncio.create_task(people("press", user="U0ANA", action_id="go"))
    while (await line.frame())["type"] != "interactive":
        pass
    await people.answer("/clock", {"advance": 3})
    assert await pressing == {"ok": True, "acked": False}


@pytest.mark.parametrize("seconds", [-1, "1", None, True, 1e12])
async def test_the_clock_is_moved_by_seconds_only(people: People, seconds: Any) -> None:
    """Neither back, nor by words, nor into another age."""
    assert (await people.answer("/clock", {"advance": seconds}))[0] == 400


async def test_a_status_goes_after_two_minutes_or_with_the_answer(
    people: People, slack: AsyncWebClient, workspace: Sandbox
) -> None:
    """The line that says the app is at work is taken down by the app's own post, or by time."""
    root = (await people("say", user="U0ANA", channel="C0HELP", text="question"))["ts"]

    async def shown() -> list[dict[str, Any]]:
        threads: list[dict[str, Any]] = (await people.view())["channels"][0]["threads"]
        return threads

    async def say_working() -> None:
        await slack.assistant_threads_setStatus(
            channel_id="C0HELP", thread_ts=root, status="is reading", loading_messages=["a", "b"]
        )

    await say_working()
    (thread,) = await shown()
    assert (thread["thread_ts"], thread["status"], thread["loading_messages"]) == (root, "is reading", ["a", "b"])
    workspace.advance(121)
    assert await shown() == []
    await say_working()
    await slack.chat_postMessage(channel="C0HELP", text="answer", thread_ts=root)
    assert await shown() == []
