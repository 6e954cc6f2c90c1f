"""Slack's own Stop, and what shows meanwhile that the chat agent is at work."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from bot.chat.canned_replies import (
    NOT_THEIRS_TO_STOP,
    NOTHING_RUNS,
    format_cancelled,
    format_cost,
    format_stopped_for,
    format_stopped_turn,
)
from bot.chat.status_indicator import THINKING, WRITING, loading_messages
from bot.commands.command import CommandAnswer
from bot.decide.limits import NOTHING_SPENT, Spent
from bot.models.message import thread_id
from bot.models.turn_stop import StopPress
from tests.builders import TEAM
from tests.chat.talks import Agent, Gate, Room, rest, said

if TYPE_CHECKING:
    from bot.chat.conversations import ChatConversations

ROOT = "100.000001"
BY_ASKER = "Stopped, as you asked. Nothing was done."
BY_OPS = "Stopped by <@U0OPS>. Nothing was done."


def stop(user: str, channel: str = "C0HELP", *, ts: str = ROOT, number: int = 1) -> StopPress:
    """A press on Stop in a thread."""
    return StopPress(
        interaction_id=f"Ev{number}",
        team_id="T0OTHER" if user == "U0FAR" else TEAM,
        user_id=user,
        channel_id=channel,
        thread_ts=ts,
        conversation=thread_id(TEAM, channel, ts),
    )


async def hanging(room: Room, sender: str = "U0ADMIN", channel: str = "C0HELP", **more: Any) -> ChatConversations:
    """A bot whose turn in the thread hangs."""
    bot = await room.bot()
    await bot.accept(said("one", sender=sender, channel=channel, **more), "")
    await rest(room.clock)
    return bot


@pytest.mark.parametrize(
    ("asker", "presser", "told"),
    [
        ("U0ANA", "U0ANA", [("U0ANA", BY_ASKER)]),
        ("U0ADMIN", "U0ADMIN", [("U0ADMIN", BY_ASKER)]),
        ("U0ANA", "U0OPS", [("U0ANA", BY_OPS), ("U0OPS", format_stopped_for(["U0ANA"]))]),
        ("U0ADMIN", "U0OPS", [("U0ADMIN", BY_OPS), ("U0OPS", format_stopped_for(["U0ADMIN"]))]),
        ("U0ADMIN", "U0ANA", [("U0ANA", NOT_THEIRS_TO_STOP)]),
        ("U0ADMIN", "U0GUEST", []),
        ("U0ADMIN", "U0FAR", []),
        ("U0ADMIN", "U0NOBODY", []),
    ],
)
async def test_a_turn_is_stopped_by_its_asker_and_by_operators(
    asker: str, presser: str, told: list[tuple[str, str]]
) -> None:
    """Immediately, with a word to both; others are told whose it is, guests and strangers nothing; it goes on then."""
    room = Room(play=(gate := Gate()))
    bot = await hanging(room, asker)
    await bot.press_stop(stop(presser))
    await rest(room.clock)
    is_ended = any("Stopped" in text for _, text in told)
    assert sorted(zip(room.slack.told, room.slack.notices, strict=True)) == told
    assert (gate.now, room.results) == ([] if is_ended else ["one"], ["called off"] if is_ended else [])
    assert room.slack.sessions == ([True, False] if is_ended else [True])
    assert [record.get("called_off_by") for record in room.audit.kept] == (
        [presser if presser != asker else None] if is_ended else []
    )
    await bot.stop()


async def test_a_stop_ends_what_is_under_way_and_the_talk_goes_on() -> None:
    """What was done and what it cost is said; pressed twice is once; the next message is answered."""

    async def done(*_: Any, **__: Any) -> CommandAnswer:
        return CommandAnswer(line="Added to `deploy.md` of `shop`.")

    async def play(agent: Agent, text: str) -> str:
        if text == "two":
            await agent.says("Here.")
            return ""
        await agent.gives("append_note", {"title": "Deploy"})
        agent.spent = Spent(usd=0.01234)
        await asyncio.Event().wait()
        return ""

    room = Room(play=play, execute=done)
    bot = await hanging(room, channel="D0ADMIN")
    for number in (1, 2):
        await bot.press_stop(stop("U0ADMIN", "D0ADMIN", number=number))
    await rest(room.clock)
    await bot.press_stop(stop("U0ADMIN", "D0ADMIN", number=3))
    await rest(room.clock)
    assert room.slack.texts == [
        "Stopped, as you asked.\nDone: added to `deploy.md` of `shop`.\nIt cost $0.0124 at most."
    ]
    await bot.accept(said("two", "101.000001", root=ROOT), "")
    await rest(room.clock)
    assert (room.slack.texts[1:], room.results) == (["Here."], ["called off", "answered"])
    assert (room.slack.sessions[:2], room.slack.sessions[-2:]) == ([True, False], [True, False])
    await bot.press_stop(stop("U0ADMIN", "D0ADMIN", number=4))
    assert room.slack.texts[2:] == [NOTHING_RUNS]


async def test_a_stop_before_the_agent_has_begun() -> None:
    """Its asker is told, though nothing of it ran."""
    room = Room()

    class SlowNotes:
        async def context_of(self, _: object) -> Any:
            await asyncio.Event().wait()

    room.contexts = SlowNotes()
    bot = await hanging(room, "U0ANA")
    await bot.press_stop(stop("U0OPS"))
    await rest(room.clock)
    assert (room.slack.notices[1:], room.asked) == ([format_cancelled("U0OPS")], [])
    assert (room.results, room.slack.sessions[-1]) == (["called off"], False)


async def test_a_stop_ends_in_its_thread_what_waits_there() -> None:
    """What its presser has waiting elsewhere is begun; what others said in the thread waits on."""
    room = Room(play=(gate := Gate()))
    bot = await hanging(room, "U0ANA")
    await bot.accept(said("two", "101.0", sender="U0ANA", channel="C0HELP", root=ROOT), "")
    await bot.accept(said("three", "102.0", sender="U0OPS", channel="C0HELP", root=ROOT), "")
    await bot.accept(said("four", "103.0", sender="U0ANA", channel="C0ELSE"), "")
    await bot.press_stop(stop("U0ANA"))
    await rest(room.clock)
    assert sorted(gate.now) == ["four", "three"]
    assert sorted(room.slack.notices) == sorted([BY_ASKER, format_cancelled("")])
    await bot.stop()


async def test_a_stop_of_what_a_restart_has_cut_off_takes_the_signs_away() -> None:
    """It says that nothing runs, whatever the other process has shown."""
    room = Room(play=Gate())
    bot = await hanging(room, channel="D0ADMIN")
    await bot.stop()
    again = await room.bot()
    await rest(room.clock, 8)
    assert (room.slack.sessions[-1], room.slack.statuses[-1]) == (False, "")
    before = len(room.slack.texts)
    await again.press_stop(stop("U0ADMIN", "D0ADMIN"))
    assert room.slack.texts[before:] == [NOTHING_RUNS]
    assert (room.slack.sessions[-1], room.slack.statuses[-1]) == (False, "")


async def test_a_stop_after_the_answer_ends_nothing() -> None:
    """An answer that stands there is not taken for a turn that was called off, though its signs still stand."""
    room = Room()
    bot = await room.bot()
    slow = asyncio.Event()
    take = room.slack.remove_reaction

    async def take_reaction(**more: Any) -> None:
        await slow.wait()
        await take(**more)

    room.slack.remove_reaction = take_reaction  # type: ignore[method-assign]  # this Slack is slow
    await bot.accept(said("hello", channel="D0ADMIN"), "")
    await rest(room.clock)
    await bot.press_stop(stop("U0ADMIN", "D0ADMIN"))
    slow.set()
    await rest(room.clock)
    assert (room.slack.texts, room.results) == (["You said hello"], ["answered"])


async def test_an_app_that_has_no_sessions_answers_as_ever() -> None:
    """Slack refuses them where the app is no agent."""
    room = Room()
    room.slack.has_no_sessions = True
    bot = await room.bot()
    await bot.accept(said("hello"), "")
    await rest(room.clock)
    assert (room.slack.texts, room.results) == (["You said hello"], ["answered"])


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        ("", ()),
        (THINKING, ("Reading what you wrote",)),
        ("is reading the queue", ("Thinking about the result",)),
        (WRITING, ()),
    ],
)
def test_further_loading_messages_are_true_while_the_status_stands(status: str, lines: tuple[str, ...]) -> None:
    """The model may be thinking by then."""
    assert loading_messages(status) == lines


@pytest.mark.parametrize(
    ("spent", "said_of_it"),
    [
        (NOTHING_SPENT, ""),
        (Spent(usd=0.00001), "It cost $0.0001 at most."),
        (Spent(usd=1.5), "It cost $1.5000 at most."),
        (Spent(usd=None, tokens=1234), "It took 1,234 tokens of a model whose price is not known."),
    ],
)
def test_what_a_stopped_turn_has_cost(spent: Spent, said_of_it: str) -> None:
    """Rounded up; nothing is said of a model that was not asked."""
    assert format_cost(spent) == said_of_it
    assert format_stopped_turn("", by="U0OPS", cost=format_cost(spent)) == f"{BY_OPS} {said_of_it}".rstrip()
