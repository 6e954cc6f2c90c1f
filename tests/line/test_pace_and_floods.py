"""More than Slack or the team takes at the same time: it waits, survives a kill, and comes once."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import aiohttp

from tests.line.human import PATIENCE, cards, newest, replies, shows, until
from tests.line.test_restart import living
from tests.line.test_straight_line import QUESTION, calls

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line

OTHER = "how is an order cancelled?"


async def hold(line: Line, method: str, seconds: float) -> None:
    """Slack asks for a pause at the next call of this method."""
    async with aiohttp.ClientSession() as session:
        fault = {"method": method, "kind": "429", "times": 1, "seconds": seconds}
        async with session.post(f"{line.workspace.url}/faults", json=fault) as answer:
            assert (await answer.json())["ok"]


async def called(line: Line, method: str, count: int) -> list[dict[str, Any]]:
    """The calls of a method, once there are so many."""
    async with asyncio.timeout(PATIENCE):
        while len(made := await calls(line, method)) < count:  # noqa: ASYNC110  # nor of a call
            await asyncio.sleep(0.02)
    return made


async def saved(line: Line, status: str, count: int) -> None:
    """Wait until so many documents have this status."""
    reached = f'"status":"{status}"'
    await until(lambda: sum(reached in path.read_text() for path in line.home.glob("state/*.json")) >= count)


async def test_cards_that_wait_for_slack_survive_a_kill(line: Line) -> None:
    """Slack wants no post for five minutes and the bot is killed: afterwards each question has one card."""
    async with living(line) as bot:
        await hold(line, "chat.postMessage", 300)
        await line.ana.say(QUESTION)
        await called(line, "chat.postMessage", 1)
        await line.ana.say(OTHER)
        await saved(line, "pending-user", 2)
        assert len(await calls(line, "chat.postMessage")) == 1
        assert cards(await line.olu.now()) == []
        bot.kill()
        await bot.wait()
    async with living(line):
        await line.olu.card(QUESTION, '"approve"')
        await line.olu.card(OTHER, '"approve"')
        assert len(cards(await line.olu.now())) == 2


async def test_replies_that_wait_for_slack_survive_a_kill(line: Line) -> None:
    """Two replies were approved and none could be posted before the kill: each is posted once."""
    async with living(line) as bot:
        asked = [await line.ana.say(QUESTION), await line.ana.say(OTHER)]
        drafts = [await line.olu.card(question, '"approve"') for question in (QUESTION, OTHER)]
        await hold(line, "chat.postMessage", 300)
        posts = len(await calls(line, "chat.postMessage"))
        await line.olu.press("approve", drafts[0])
        await called(line, "chat.postMessage", posts + 1)
        await line.olu.press("approve", drafts[1])
        await line.olu.sees(lambda view: sum(shows(card, "Posting") for card in cards(view)) == 2)
        bot.kill()
        await bot.wait()
        assert [replies(await line.ana.now(), ts) for ts in asked] == [[], []]
    async with living(line):
        await line.olu.sees(lambda view: sum(shows(card, "The reply is posted.") for card in cards(view)) == 2)
        assert [len(replies(await line.ana.now(), ts)) for ts in asked] == [1, 1]
        assert len(cards(await line.olu.now())) == 2


async def test_a_press_its_dialog_and_its_reply_wait_for_no_card(line: Line) -> None:
    """While Slack holds updates back, Edit opens its dialog, Approve posts its reply, and both cards show it."""
    async with line.bot():
        asked = [await line.ana.say(QUESTION), await line.ana.say(OTHER)]
        first, second = [await line.olu.card(question, '"approve"') for question in (QUESTION, OTHER)]
        await hold(line, "chat.update", 300)
        await line.olu.dismiss(first)
        await saved(line, "closed", 1)
        await line.olu.press("edit", second)
        assert await line.olu.dialog()
        await line.olu.press("approve", second)
        assert len(await line.ana.replies(asked[1])) == 1
        assert (await line.olu.card("Dismissed"))["ts"] == first["ts"]
        assert (await line.olu.card("The reply is posted."))["ts"] == second["ts"]


async def test_a_press_on_a_card_that_is_behind_has_it_drawn_again(line: Line) -> None:
    """Somebody settled the question elsewhere and the card never heard of it: the press repairs it."""
    async with line.bot() as bot:
        await line.ana.say(QUESTION)
        drafted = await line.olu.card('"approve"')
        await line.olu.dismiss(drafted)
        settled = await line.olu.card("Dismissed")
        behind = {key: drafted[key] for key in ("text", "blocks")}
        (thread_id,) = await bot.core.orchestrator.store.thread_ids()
        async with asyncio.timeout(PATIENCE):
            while (
                thread := await bot.core.orchestrator.store.load(thread_id)
            ) is None or thread.card.drawn != thread.revision:
                await line.ana.now()
        assert thread.card.channel
        metadata = {"event_type": "triage_card", "event_payload": {"nonce": thread.card.nonce}}
        await bot.surfaces.views.cards.chat.update(
            channel=thread.card.channel, ts=settled["ts"], metadata=metadata, **behind
        )
        await line.olu.press("approve", await line.olu.card('"approve"'))
        await line.olu.sees(lambda view: [shows(card, "Dismissed") for card in posted(view)] == [True])
        assert newest(cards(await line.olu.now()), ('"approve"',)) is None


def posted(view: dict[str, Any]) -> list[dict[str, Any]]:
    """The cards, without the lines that this person alone sees."""
    return [card for card in cards(view) if not card.get("ephemeral")]


async def test_a_flood_of_one_person_is_answered_in_the_end_and_holds_up_nobody(line: Line) -> None:
    """Twenty questions at the same time, a kill in the middle: a draft for each, and another person's immediately."""
    line.configure(more="floods: {per_user: {per_minute: 180, burst: 3}, " + ROOMY + "}")
    async with living(line) as bot:
        for number in range(20):
            await line.ana.say(f"how often is payment {number} tried again?")
        await line.olu.say(QUESTION)
        assert await line.olu.card("questions wait for their turn")
        assert shows(await line.olu.home(), "of <@U0ANA> ahead of it. Its turn comes")
        await line.olu.card(QUESTION, '"approve"')
        bot.kill()
        await bot.wait()
    async with living(line):
        await saved(line, "pending-user", 21)
        await line.olu.sees(lambda view: sum(shows(card, '"edit"') for card in cards(view)) == 21)
    begun = [first_investigated(path) for path in line.home.glob("state/*.json")]
    assert [asker for _, asker in sorted(begun)][-1] == "U0ANA"


def first_investigated(path: Path) -> tuple[str, str]:
    """When the question of a document was first investigated, and who asked it."""
    (thread,) = json.loads(path.read_bytes())["thread"].values()
    at = next(change["at"] for change in thread["status_history"] if change["next"] == "investigating")
    return at, thread["original_sender_id"]


ROOMY = "per_channel: {per_minute: 1000, burst: 100}, per_workspace: {per_minute: 1000, burst: 100}"
