"""The reaction under a question and the window it is asked in, as the people of the channel see them."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import aiohttp

from tests.fakes import HeldEngine
from tests.line.dying_bot import dying
from tests.line.human import View, cards
from tests.line.test_straight_line import QUESTION, calls

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import Human


def under(view: View, ts: str) -> list[str]:
    """The bot's reactions under a message."""
    said = [message for channel in view["channels"] for message in channel["messages"] if message["ts"] == ts]
    return [each["name"] for message in said for each in message["reactions"] if "U0TRIAGE" in each["users"]]


async def shows(person: Human, ts: str, *names: str) -> None:
    """Wait until exactly these stand there."""
    await person.sees(lambda view: under(view, ts) == [*names])


async def fault(line: Line, method: str, kind: str = "500", times: int = 1) -> None:
    """Let calls of this method fail."""
    async with aiohttp.ClientSession() as session:
        said = {"method": method, "kind": kind, "times": times}
        async with session.post(f"{line.workspace.url}/faults", json=said) as answer:
            assert (await answer.json())["ok"]


async def test_a_question_shows_where_it_stands_until_it_is_answered(line: Line) -> None:
    """Received, working, waiting, and at the end that it succeeded, though one removal fails on the way."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        asked = await line.ana.say(QUESTION)
        await shows(line.ana, asked, "hammer")
        await fault(line, "reactions.remove")
        engine.answer(QUESTION, "Three times.")
        await shows(line.ana, asked, "hourglass_flowing_sand")
        await line.olu.press("approve", await line.olu.card("Three times.", '"approve"'))
        await shows(line.ana, asked, "white_check_mark")
    drawn = dict.fromkeys(call["name"] for call in await calls(line, "reactions.add"))  # one may be asked for again
    assert [*drawn] == ["eyes", "hammer", "hourglass_flowing_sand", "white_check_mark"]


async def test_three_messages_in_a_breath_are_one_question_with_one_reaction(line: Line) -> None:
    """Whatever they say; the draft is made for all of them, and a deleted one is taken out again."""
    engine = HeldEngine()
    async with line.bot(engine=engine, slack="debounce_ms: 1500"):
        asked = await line.ana.say(QUESTION)
        await line.ana.say("it is about card payments")
        gone = await line.ana.say("how do I change that?")
        await line.ana.does("delete", ts=gone)
        await shows(line.ana, asked, "hammer")
        await engine.arrived.wait()
    assert [asked.question for asked in engine.asked] == [f"{QUESTION}\nit is about card payments"]
    assert {call["timestamp"] for call in await calls(line, "reactions.add")} == {asked}


async def test_a_run_that_failed_and_practice(line: Line) -> None:
    """A failure is shown as one; in preview nothing is."""
    engine = HeldEngine()
    async with line.bot(engine=engine, mode="preview", more="investigator: {hard_cap_runtime_min: 0.01}"):
        practice = await line.ana.say(QUESTION)
        asked = await line.ana.say("how is an order cancelled?", channel="C0GENERAL")
        await shows(line.ana, asked, "x")
        await line.olu.card(QUESTION, "longer than")
    assert under(await line.ana.now(), practice) == []


async def test_reactions_tell_the_truth_after_a_kill(line: Line) -> None:
    """Killed as the question is investigated, and once more as it is answered: each time only the last one stands."""
    async with dying(line, "after", "investigating") as bot:
        asked = await line.ana.say(QUESTION)
        assert await bot.wait() == -signal.SIGKILL
    async with dying(line, "after", "closed") as bot:
        await shows(line.ana, asked, "hourglass_flowing_sand")
        press = asyncio.create_task(line.olu.press("approve", await line.olu.card('"approve"')))
        assert await bot.wait() == -signal.SIGKILL
        press.cancel()
    assert under(await line.ana.now(), asked) == ["hourglass_flowing_sand"]
    async with dying(line, "never", "any"):
        await shows(line.ana, asked, "white_check_mark")


async def test_a_kill_within_the_window_loses_nothing(line: Line) -> None:
    """What was said before it and what is said after it in the same breath is one question."""
    line.configure(slack="debounce_ms: 6000")
    async with dying(line, "never", "any") as bot:
        asked = await line.ana.say(QUESTION)
        await line.ana.say("it is about card payments")
        await shows(line.ana, asked, "eyes")
        bot.kill()
        assert await bot.wait() == -signal.SIGKILL
    await line.ana.say("and where is that set?")
    async with dying(line, "never", "any"):
        await line.olu.card(QUESTION, "it is about card payments", "and where is that set?", '"answer"')
        assert len(cards(await line.olu.now())) == 1
        await shows(line.ana, asked, "hourglass_flowing_sand")
