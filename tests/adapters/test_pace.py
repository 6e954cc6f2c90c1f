"""Pace: who goes immediately, who waits, for how long and in which order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.adapters.pace import PER_MINUTE, POSTS_AT_ONCE, POSTS_WITHIN, Pacer
from bot.adapters.slack import SlackChat
from bot.adapters.slack.channels import SlackChannels
from bot.adapters.slack.client import web_client
from bot.adapters.slack.directory import SlackDirectory
from bot.adapters.slack.files import SlackFiles
from bot.errors import RetryLater
from bot.models.sent_file import SentFile
from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox
from tests.fakes import HandClock, settle


class Callers:
    """Calls that wait for their turn, and the order in which they went."""

    def __init__(self, **settings: float) -> None:
        self.clock = HandClock()
        self.pacer = Pacer(self.clock, **settings)
        self.went: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def call(self, name: str, method: str = "chat.update", channel: str = "") -> asyncio.Task[None]:
        """One more call, which goes or waits."""

        async def go() -> None:
            await self.pacer.wait_turn(method, channel=channel)
            self.went.append(name)

        self._tasks.append(asyncio.create_task(go()))
        await settle()
        return self._tasks[-1]

    async def calls(self, count: int, method: str = "chat.update", channel: str = "") -> None:
        """Many calls at the same time, named by their number."""
        for number in range(count):
            await self.call(str(number), method, channel)


@pytest.mark.parametrize(
    ("method", "at_once"), [("chat.update", 50), ("users.info", 100), ("apps.connections.open", 1), ("not.listed", 20)]
)
async def test_within_a_minute_no_more_calls_go_than_the_tier_allows(method: str, at_once: int) -> None:
    """They go immediately; the next ones wait until the first have left the minute, in the order of the calls."""
    callers = Callers()
    await callers.calls(at_once + 1, method)
    assert len(callers.went) == at_once
    await callers.clock.move(59)
    assert len(callers.went) == at_once
    await callers.clock.move(3)
    assert callers.went == [str(number) for number in range(at_once + 1)]


async def test_what_can_wait_leaves_a_share_to_what_cannot() -> None:
    """A hundred redraws wait; presses that come after them go immediately."""
    callers = Callers()
    unhurried = callers.pacer.in_background()

    async def redraw(number: int) -> None:
        await unhurried.wait_turn("chat.update")
        callers.went.append(f"redraw {number}")

    redraws = [asyncio.create_task(redraw(number)) for number in range(100)]
    await settle()
    assert callers.went == [f"redraw {number}" for number in range(25)]
    for number in range(25):
        await callers.call(f"press {number}")
    assert callers.went[25:] == [f"press {number}" for number in range(25)]
    await callers.clock.move(62)
    assert callers.went[50:] == [f"redraw {number}" for number in range(25, 50)]
    for each in redraws:
        each.cancel()
    await asyncio.gather(*redraws, return_exceptions=True)


async def test_what_may_be_left_out_is_refused_instead_of_kept() -> None:
    """It takes its small share, and is told how long it would have waited."""
    callers = Callers()
    in_passing = callers.pacer.in_background(share=0.2, waits=False)
    for _ in range(5):
        await in_passing.wait_turn("conversations.replies")
    with pytest.raises(RetryLater) as raised:
        await in_passing.wait_turn("conversations.replies")
    assert raised.value.after == pytest.approx(62)
    await callers.calls(45, "conversations.replies")
    assert len(callers.went) == 45


async def test_posts_wait_for_their_own_channel() -> None:
    """A channel takes one post a second after a few immediately; another channel is not held up by it."""
    callers = Callers()
    await callers.calls(POSTS_AT_ONCE + 100, "chat.postMessage", "C0BUSY")
    assert len(callers.went) == POSTS_AT_ONCE
    await callers.call("elsewhere", "chat.postMessage", "C0CALM")
    assert callers.went[-1] == "elsewhere"
    await callers.clock.move(POSTS_WITHIN)
    assert len(callers.went) == 2 * POSTS_AT_ONCE + 1


async def test_a_pause_holds_one_method_for_every_waiting_call_and_nothing_bursts_out() -> None:
    """Those that wait already wait for it too; when it ends they go one by one, in their order."""
    callers = Callers()
    await callers.calls(52)
    callers.pacer.hold("chat.update", 90)
    await callers.call("dialog", "views.open")
    assert callers.went[50:] == ["dialog"]
    await callers.clock.move(89)
    assert len(callers.went) == 51
    await callers.clock.move(1)
    assert callers.went[51:] == ["50"]
    await callers.clock.move(1.3)
    assert callers.went[51:] == ["50", "51"]


async def test_a_dialog_goes_at_once_or_not_at_all() -> None:
    """No card waits in its lane, and after a pause that Slack asked for the caller is told instead of kept."""
    callers = Callers()
    await callers.calls(100)
    await callers.pacer.wait_turn("views.open", now_or_never=True)
    callers.pacer.hold("views.open", 9)
    with pytest.raises(RetryLater) as raised:
        await callers.pacer.wait_turn("views.open", now_or_never=True)
    assert raised.value.after == pytest.approx(9)


async def test_a_call_that_was_given_up_leaves_its_turn_to_the_next() -> None:
    """Cancelled callers do not hold up the lane."""
    callers = Callers()
    await callers.calls(50)
    given_up = await callers.call("given up")
    await callers.call("next")
    given_up.cancel()
    await callers.clock.move(62)
    assert callers.went[50:] == ["next"]


@pytest.mark.parametrize("seconds", [-3_600, 3_600, 86_400])
async def test_a_clock_that_jumps_stops_nothing(seconds: float) -> None:
    """After an hour back or forward nobody waits for longer than before."""
    callers = Callers()
    await callers.calls(50)
    await callers.clock.move(seconds)
    await callers.call("after the jump")
    await callers.clock.move(62)
    assert callers.went[50:] == ["after the jump"]


async def test_a_scale_changes_all_rates() -> None:
    """Where Slack grants less, settings say so; one call at a time always may go."""
    callers = Callers(scale=0.02)
    await callers.calls(2)
    assert callers.went == ["0"]
    await callers.clock.move(62)
    assert callers.went == ["0", "1"]


@pytest.fixture
async def workspace() -> AsyncIterator[Sandbox]:
    """A workspace on a port of its own."""
    made = await Sandbox.start(port=0)
    yield made
    await made.close()


async def test_slacks_own_word_holds_the_method_that_it_was_about(workspace: Sandbox) -> None:
    """A 429 with Retry-After reaches the pacer; other methods go on, and afterwards the method does too."""
    clock = HandClock()
    chat = SlackChat(web_client(BOT_TOKEN, workspace.api_url), Pacer(clock))
    async with aiohttp.ClientSession() as session:
        fault = {"method": "users.info", "kind": "429", "times": 1, "seconds": 20}
        async with session.post(f"{workspace.url}/faults", json=fault) as answer:
            assert (await answer.json())["ok"]
    with pytest.raises(RetryLater):
        await chat.user_name("U0OPS")
    waiting = asyncio.create_task(chat.user_name("U0OPS"))
    assert (await chat.open_dm("U0OPS")).startswith("D")
    assert not waiting.done()
    await clock.move(20)
    assert await waiting == "Olu"


async def test_every_method_that_is_called_has_its_rate(workspace: Sandbox) -> None:
    """The table names what the edge really calls, by the names that Slack uses."""
    asked: list[str] = []

    class Listening(Pacer):
        async def wait_turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
            asked.append(method)

    chat = SlackChat(web_client(BOT_TOKEN, workspace.api_url), Listening(HandClock()))
    said = {"text": "x", "blocks": [], "metadata": {"event_type": "x", "event_payload": {"nonce": "n"}}}
    ts = await chat.post(channel="C0HELP", **said)  # type: ignore[arg-type]  # the three have their types
    calls = (
        chat.update(channel="C0HELP", ts=ts, **said),  # type: ignore[arg-type]  # as above
        chat.post_ephemeral(channel="C0HELP", user="U0OPS", text="x"),
        chat.delete(channel="C0HELP", ts=ts),
        chat.respond(url=f"{workspace.url}/nothing", text="x", blocks=[]),
        chat.publish_home(user="U0OPS", view={}),
        chat.is_active("U0OPS"),
        chat.add_reaction(channel="C0HELP", ts=ts, name="eyes"),
        chat.remove_reaction(channel="C0HELP", ts=ts, name="eyes"),
        chat.set_status(channel="C0HELP", thread_ts=ts, status="is reading"),
        chat.set_session(channel="C0HELP", thread_ts=ts, is_at_work=True),
        chat.suggest_prompts(channel="D0OPS", title="Ask", prompts=[("Queue", "What waits?")]),
        chat.group_members("S0ONCALL"),
        chat.find_in_thread(channel="C0HELP", thread_ts=ts, event_type="x", nonce="n"),
        chat.find_in_channel(channel="C0HELP", oldest="0", event_type="x", nonce="n"),
        chat.open_view(trigger_id="1.1", view={}),
        chat.permalink(channel="C0HELP", ts=ts),
        chat.identity(),
        chat.channel("C0HELP"),
        chat.open_dm("U0OPS"),
        chat.user_name("U0OPS"),
        chat.socket_url("xapp-sandbox"),
    )
    channels = SlackChannels(web_client(BOT_TOKEN, workspace.api_url), Listening(HandClock()))
    made = (
        channels.create_channel("help-x"),
        channels.find_joined("help-x"),
        channels.invite(channel="C0HELP", user="U0OPS"),
        channels.archive("C0HELP"),
    )
    directory = SlackDirectory(web_client(BOT_TOKEN, workspace.api_url), Listening(HandClock()))
    listed = (directory.channels(), directory.members("T0SANDBOX"))
    await asyncio.gather(*calls, *made, *listed, return_exceptions=True)
    files = SlackFiles(web_client(BOT_TOKEN, workspace.api_url), Listening(HandClock()))
    log = SentFile(id="F1", name="a.log", mimetype="text/plain", url=f"{workspace.url}/a.log")
    await files.read(log)
    await files.read(log.evolve(is_unchecked=True))
    assert set(asked) == set(PER_MINUTE)
