"""Whether the bot has spoken, read over HTTP from a workspace on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import aiohttp
import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.pace import Pacer
from bot.adapters.slack import SlackChat
from bot.adapters.slack.client import web_client
from bot.errors import RetryLater
from bot.surfaces.card_search import CARD
from bot.surfaces.notices import NOTICE
from bot.triage.ground_truth import ANSWER, GroundTruth
from sandbox.seed import BOT_TOKEN
from sandbox.server import Sandbox

NOTICED = {"event_type": NOTICE, "event_payload": {"kind": "notice"}}
BLOCKS: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}]


PATIENCE, IMPATIENCE = 30, 0.2
"""Seconds that a call may take; and one that is held up."""


class Impatient(SystemClock):
    """A `Clock` that remembers for how long it should have slept."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.on_sleep: Callable[[], None] = lambda: None

    async def sleep(self, seconds: float) -> None:
        """Go on immediately."""
        self.slept.append(seconds)
        self.on_sleep()


class Place:
    """A workspace, its people, and the bot in it."""

    def __init__(self, workspace: Sandbox, human: aiohttp.ClientSession) -> None:
        self.workspace, self.human = workspace, human
        self.client = web_client(BOT_TOKEN, workspace.api_url)
        self.chat = SlackChat(self.client, Pacer(SystemClock(), scale=1_000))
        self.clock = Impatient()
        self.truth = GroundTruth(history=self.chat, bot_user_id="U0TRIAGE", clock=self.clock)

    async def say(self, text: str = "pause it", *, channel: str = "C0HELP", thread_ts: str | None = None) -> str:
        """Somebody says something."""
        said = {"user": "U0ANA", "channel": channel, "text": text, "thread_ts": thread_ts}
        async with self.human.post(f"{self.workspace.url}/human/say", json=said) as answer:
            return str((await answer.json())["ts"])

    async def post(
        self, thread_ts: str | None, metadata: dict[str, Any] | None = None, *, channel: str = "C0HELP"
    ) -> str:
        """The bot posts."""
        return await self.chat.post(
            channel=channel, text="hello", blocks=BLOCKS, metadata=metadata or answer(), thread_ts=thread_ts
        )

    async def fault(self, kind: str, *, method: str = "conversations.replies", times: int = 1) -> None:
        """Make the next calls fail; only those that are held up are given up soon."""
        is_held_up = kind == "timeout_after_accept"
        limits = iter([IMPATIENCE] * times * is_held_up)

        def begin_call() -> None:
            self.client.timeout = next(limits, PATIENCE)  # type: ignore[assignment]  # aiohttp takes parts of a second

        said = {"method": method, "kind": kind, "times": times, "seconds": 0.3 * is_held_up}
        async with self.human.post(f"{self.workspace.url}/faults", json=said) as made:
            assert (await made.json())["ok"]
        self.clock.on_sleep = begin_call
        begin_call()


def answer(turn: str = "t1") -> dict[str, Any]:
    """What marks an answer of a turn."""
    return {"event_type": ANSWER, "event_payload": {"turn": turn, "nonce": f"{turn}-1"}}


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    """On a port of its own."""
    workspace = await Sandbox.start(port=0)
    async with aiohttp.ClientSession() as human:
        yield Place(workspace, human)
    await workspace.close()


async def test_a_thread_shows_what_the_bot_said(place: Place) -> None:
    """Nothing of people's, nothing from before; then an answer, by whatever path."""
    root = await place.say()
    await place.post(root)
    asked = await place.say("and now?", thread_ts=root)
    await place.say("me too", thread_ts=root)
    assert await place.truth.has_spoken("C0HELP", root, asked) is False
    said = await place.post(root, {"event_type": "triage_reply", "event_payload": {"draft_id": "d", "nonce": "n"}})
    assert await place.truth.has_spoken("C0HELP", root, asked) is True
    assert await place.truth.has_spoken("C0HELP", root, said) is True, "what is as old as `since` counts"


@pytest.mark.parametrize(
    "metadata",
    [
        NOTICED,
        {"event_type": CARD, "event_payload": {"thread_id": "T0-C0-1", "nonce": "n"}},
        {"event_type": ANSWER, "event_payload": {"kind": "practice"}},
        {"event_type": ANSWER, "event_payload": {"kind": "status"}},
    ],
    ids=["notice", "card", "practice", "status"],
)
async def test_what_answers_nobody_does_not_count(place: Place, metadata: dict[str, Any]) -> None:
    """Notices, cards, practice and words about the state of things."""
    root = await place.say()
    await place.post(root, metadata)
    assert await place.truth.has_spoken("C0HELP", root, root) is False


async def test_the_answer_to_another_turn_does_not_count(place: Place) -> None:
    """One that comes late stands after this turn's question; what names no turn counts."""
    root = await place.say()
    await place.post(root, answer("t0"))
    assert await place.truth.has_spoken("C0HELP", root, root, turn="t1") is False
    assert await place.truth.has_spoken("C0HELP", root, root) is True
    await place.post(root, answer("t1"))
    assert await place.truth.has_spoken("C0HELP", root, root, turn="t1") is True


async def test_a_direct_message_is_read_beside_and_below_the_question(place: Place) -> None:
    """An answer to what was said in the conversation itself may be a thread of it."""
    direct = await place.chat.open_dm("U0ANA")
    first = await place.say(channel=direct)
    await place.post(None, NOTICED, channel=direct)
    assert await place.truth.has_spoken(direct, None, first) is False
    await place.post(first, channel=direct)
    assert await place.truth.has_spoken(direct, None, first) is True
    second = await place.say(channel=direct)
    assert await place.truth.has_spoken(direct, None, second) is False
    await place.post(None, channel=direct)
    assert await place.truth.has_spoken(direct, None, second) is True


async def test_an_answer_on_a_later_page_is_found(place: Place) -> None:
    """A thread is read to its end."""
    root = await place.say()
    for _ in range(201):
        await place.say("+1", thread_ts=root)
    await place.post(root)
    assert await place.truth.has_spoken("C0HELP", root, root) is True


@pytest.mark.parametrize("kind", ["429", "500", "timeout_after_accept"])
async def test_a_failing_slack_leaves_it_open(place: Place, kind: str) -> None:
    """After three tries nobody knows; one that passes is waited for."""
    root = await place.say()
    await place.post(root)
    await place.fault(kind, times=3)
    assert await place.truth.has_spoken("C0HELP", root, root) is None
    assert place.clock.slept == [1.0, 4.0]
    await place.fault(kind)
    assert await place.truth.has_spoken("C0HELP", root, root) is True


async def test_slack_is_given_the_pause_that_it_asks_for() -> None:
    """Up to a minute."""

    class Paused:
        async def replies_since(self, **_: Any) -> list[dict[str, Any]]:
            raise RetryLater("rate limited", after=next(pauses))

    pauses, clock, history = iter([30.0, 900.0, 1.0]), Impatient(), cast("Any", Paused())
    truth = GroundTruth(history=history, bot_user_id="U0TRIAGE", clock=clock)
    assert await truth.has_spoken("C0HELP", "90.000001", "100.000001") is None
    assert clock.slept == [30.0, 60.0]


async def test_a_thread_that_is_gone_leaves_it_open(place: Place) -> None:
    """It is not asked for again."""
    assert await place.truth.has_spoken("C0HELP", "1.000001", "1.000001") is None
    assert place.clock.slept == []


@pytest.mark.parametrize(
    "message",
    [
        {"user": "U0TRIAGE", "subtype": "channel_join"},
        {"user": "U0OTHER", "bot_id": "B0TRIAGE"},
        {"bot_id": "B0TRIAGE", "subtype": "bot_message"},
        {"user": "USLACKBOT", "subtype": "tombstone"},
        {"user": "U0TRIAGE", "ts": "99.999999"},
    ],
    ids=["joined", "another user", "no user", "deleted", "before"],
)
async def test_only_the_bots_own_words_count(message: dict[str, Any]) -> None:
    """Strictly by its user."""

    class OneMessage:
        async def replies_since(self, **_: Any) -> list[dict[str, Any]]:
            return [{"ts": "100.000002", "text": "hello", **message}]

    history: Any = OneMessage()
    truth = GroundTruth(history=history, bot_user_id="U0TRIAGE", clock=Impatient())
    assert await truth.has_spoken("C0HELP", "90.000001", "100.000001") is False
