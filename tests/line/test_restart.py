"""Killed at each status and started again with the same home, the bot goes on where it stopped.

The bot is a real process and the kill a real SIGKILL. Whatever the moment: the question is answered, with one card and
one reply, recorded once.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from bot.adapters.home import Home
from bot.approval.answers import TOO_SOON
from bot.config.environment import Environment
from bot.wiring.app import build
from tests.forks import begun, triage
from tests.line.dying_bot import DyingBot, dying
from tests.line.human import Human, View, cards, newest, replies, until
from tests.line.test_stepping import approves
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from tests.line.conftest import Line

ROOT = Path(__file__).resolve().parents[2]
SUITE = {("investigating", "before"), ("pending-user", "after"), ("approved", "before"), ("approved", "after")}
"""The kills of every run of the suite: an effect that is lost, a saved status whose effect never started, and both
where a reply may be posted twice. `make test-long` has the others."""


async def decide(olu: Human) -> None:
    """Approve as soon as there is something to approve; a press that found the bot dead is made again."""
    await olu.press("approve", await olu.card('"approve"'))


def living(line: Line) -> AbstractAsyncContextManager[DyingBot]:
    """The bot in a separate process, with a short settling time."""
    return dying(line, "never", "any")


async def died_of(bot: DyingBot, deed: Coroutine[Any, Any, Any] | None = None) -> None:
    """Wait until the bot has killed itself, over a deed whose answer nobody waits for."""
    doing = asyncio.create_task(deed) if deed else None
    assert await bot.wait() == -signal.SIGKILL
    if doing:
        doing.cancel()


@pytest.mark.parametrize(
    ("status", "moment"),
    [
        pytest.param(status, moment, marks=() if (status, moment) in SUITE else pytest.mark.long)
        for status in ("collecting", "investigating", "awaiting-validation", "pending-user", "approved", "closed")
        for moment in ("before", "after")
    ],
)
async def test_a_kill_at_any_status_loses_and_doubles_nothing(line: Line, status: str, moment: str) -> None:
    """One question, one card, one reply, one record."""
    async with dying(line, moment, status) as bot:
        asked = await line.ana.say(QUESTION)
        await died_of(bot, decide(line.olu) if status in ("approved", "closed") else None)
    async with living(line):
        if status not in ("approved", "closed"):
            await decide(line.olu)
        await line.olu.card("The reply is posted.")
        assert len(replies(await line.ana.now(), asked)) == 1
        assert len(cards(await line.olu.now())) == 1
    assert len(records(line.home / "replies.ndjson")) == 1


@pytest.mark.parametrize("moment", [pytest.param("before", marks=pytest.mark.long), "after"])
async def test_a_kill_in_a_bounced_round_goes_on_with_the_feedback(line: Line, moment: str) -> None:
    """The operator's words are not asked for again."""
    async with dying(line, moment, "bounced-round-1") as bot:
        await line.ana.say(QUESTION)
        await line.olu.press("bounce", await line.olu.card('"approve"'))
        await died_of(bot, line.olu.submit(await line.olu.dialog(), feedback="look at cancel_order"))
    async with living(line):
        assert await line.olu.card("/2 ", "def cancel_order", '"approve"')
        assert await line.olu.sees(lambda view: len(cards(view)) == 1)  # the one before goes, be it a moment later


async def test_the_second_click_of_a_kill_in_stepping_approves_no_unread_card(line: Line) -> None:
    """It came on the next card's button, was written down and not acted on."""
    asked = {}
    async with line.bot() as bot:
        for text in (QUESTION, "how is an order cancelled?"):
            asked[text] = await line.ana.say(text)
            await line.olu.card(text, '"approve"')
        await line.olu.home()
        await line.olu.press_on_home("approve")
        await line.ana.replies(asked[QUESTION])
        pressed = [r["raw"] for r in records(line.home / "events.ndjson") if r.get("action") == "approve"][-1]
        (button,) = await line.olu.sees(lambda view: len(found := approves(view["home"])) == 1 and found)
        action = pressed["actions"][0]
        again = {**action, "value": button["value"], "action_ts": f"{float(action['action_ts']) + 0.2:.6f}"}
        await bot.dispatcher.record({**pressed, "trigger_id": "1.2", "actions": [again]})
    async with line.bot():
        assert replies(await line.ana.now(), asked["how is an order cancelled?"]) == []
    done = [r["result"] for r in records(line.home / "audit.ndjson") if r.get("action") == "approve"]
    assert done == ["done", TOO_SOON]


async def test_a_kill_in_doubt_keeps_the_doubt_for_a_person(line: Line) -> None:
    """The reply whose fate is unknown is not posted by the restart; the operator says what to do."""
    async with dying(line, "after", "in-doubt") as bot, aiohttp.ClientSession() as session:
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card('"approve"')
        fault = {"method": "chat.postMessage", "kind": "500", "times": 2}
        async with session.post(f"{line.workspace.url}/faults", json=fault) as answer:
            assert (await answer.json())["ok"]
        await died_of(bot, line.olu.press("approve", card))
    async with living(line):
        doubt = await line.olu.card("In doubt", "Post Again")
        assert replies(await line.ana.now(), asked) == []
        await line.olu.press("post_again", doubt)
        assert len(await line.ana.replies(asked)) == 1


async def test_a_question_asked_while_the_bot_was_dead_is_answered(line: Line) -> None:
    """Slack keeps what was not acknowledged and sends it when the bot is back."""
    async with living(line):
        pass
    await line.ana.say(QUESTION)
    async with living(line):
        assert await line.olu.card(QUESTION, '"approve"')


async def test_a_second_bot_on_one_home_is_refused(line: Line) -> None:
    """It exits 2 and says which process owns the home."""
    paths = ("--config", str(line.config), "--home", str(line.home))
    async with line.bot():
        second = await asyncio.to_thread(lambda: triage("run", *paths, variables=line.variables))
    assert second.returncode == 2
    assert f"process {os.getpid()}" in second.stderr
    assert len(second.stderr.splitlines()) == 1


async def test_stopping_politely_says_what_is_open(line: Line) -> None:
    """SIGTERM ends with exit code 0 and a word on what goes on later."""
    paths = ("--config", str(line.config), "--home", str(line.home))
    with begun("run", *paths, variables=line.variables) as bot:
        await until(lambda: "Triage is ready" in bot.out.read_text())
        await line.ana.say(QUESTION)
        await line.olu.card('"approve"')
        assert await asyncio.to_thread(bot.stopped) == 0
        assert "1 open" in bot.out.read_text()


def with_new_draft(view: View, before: View) -> View | None:
    """The same card, once it offers another draft."""
    (card,) = [card for card in cards(view) if card["ts"] == before["ts"]]
    return newest([card], ('"approve"',)) if card["blocks"][-1] != before["blocks"][-1] else None


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('{"thread": {"1": {"status"', id="cut off"),
        pytest.param("", id="empty", marks=pytest.mark.long),
        pytest.param("\x00" * 100, id="zeros", marks=pytest.mark.long),
    ],
)
async def test_a_document_that_was_destroyed_is_rebuilt_and_the_operator_told(line: Line, content: str) -> None:
    """The question is answered after all, the bytes are kept, and the other threads run on."""
    async with living(line):
        asked = await line.ana.say(QUESTION)
        before = await line.olu.card(QUESTION, '"approve"')
        other = await line.ana.say("how is an order cancelled?")
        await line.olu.card("how is an order cancelled?", '"approve"')
    path = next((line.home / "state").glob(f"*{asked}.json"))
    path.write_text(content)
    async with living(line):
        assert await line.olu.card("could not be read", "rebuilt")
        await line.olu.sees(lambda view: asked in str(with_new_draft(view, before)))
        await line.olu.press("approve", with_new_draft(await line.olu.now(), before))
        assert len(await line.ana.replies(asked)) == 1
        assert sum(QUESTION in str(card["blocks"]) for card in cards(await line.olu.now())) == 1
        assert replies(await line.ana.now(), other) == []
    assert len(list((line.home / "quarantine").iterdir())) == 1


async def test_a_bot_that_is_stopped_while_it_starts_ends_in_order(line: Line) -> None:
    """It keeps what is known of the channels, and lets go of the home."""
    async with line.bot():
        pass
    watched = (line.home / "watched.json").read_text()
    home = Home(line.home)
    await home.lock()
    values: dict[str, Any] = {name.lower(): value for name, value in line.variables.items()}
    bot = await build(line.configure(), Environment(**values), home)
    await bot.stop()
    home.unlock()
    assert (line.home / "watched.json").read_text() == watched
