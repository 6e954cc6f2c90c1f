"""Created tasks over the whole line: from a typed command to the reply below the bot's own first message."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.seed import BOT_TOKEN
from tests.line.agents import agents, document
from tests.line.dying_bot import dying
from tests.line.human import View, replies, shows, until
from tests.line.play import Play
from tests.line.test_commands import ADMINS
from tests.line.test_longer_runs import processes_of

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import Human

ASKED = "Say how often a payment is tried again before the order is cancelled."
IN_CHANNEL = f'create_task "Retry limit" channel=#help-platform {ASKED}'


def first_messages(view: View) -> list[View]:
    """The first messages of tasks that somebody sees, oldest first."""
    places = [message for place in (*view["channels"], *view["dms"]) for message in place["messages"]]
    made = [m for m in places if (m.get("metadata") or {}).get("event_type") == "triage_task"]
    return sorted(made, key=lambda message: str(message["ts"]))


async def first_message(human: Human, title: str) -> View:
    """The first message of this task, once it is there."""
    found: View = await human.sees(lambda view: next((m for m in first_messages(view) if title in m["text"]), None))
    return found


def replies_in(view: View, ts: str) -> list[View]:
    """The replies below a message of a direct message."""
    return [reply for dm in view["dms"] for m in dm["messages"] if m["ts"] == ts for reply in m["replies"]]


def statuses(line: Line) -> dict[str, str]:
    """The status or ending of each task, by title."""
    found = {}
    for path in (line.home / "state").glob("*.json"):
        (thread,) = json.loads(path.read_text())["thread"].values()
        found[thread["order"]["title"]] = thread["outcome"] or thread["status"]
    return found


async def test_a_task_is_answered_below_its_first_message(line: Line) -> None:
    """In a channel and in a direct message; what people say there joins it, and never starts it."""
    async with line.bot(more=ADMINS):
        await line.ada.command("pause")
        answer = await line.olu.command(IN_CHANNEL)
        name = answer.split("`")[1]
        assert f"Created `{name}` in <#C0HELP>. It does not start yet: Triage is paused." in answer
        opened = await first_message(line.ana, "Retry limit")
        assert shows(opened, "*Retry limit*: a task of <@U0OPS>.")
        await line.olu.say("and where does it stand?", thread_ts=opened["ts"])
        await line.ana.say("<@U0TRIAGE> please be quick", thread_ts=opened["ts"])
        await line.olu.command('create_task "Refund" Say where cancel_order is defined.')
        assert {*statuses(line).values()} == {"collecting"}
        await line.ada.command("resume")
        card = await line.olu.card("Retry limit", "and where does it stand?", "|open the task>", '"approve"')
        await line.olu.press("approve", card)
        posted = await line.ana.sees(lambda view: [r for r in replies(view, opened["ts"]) if shows(r, "RETRY_LIMIT")])
        assert len(posted) == 1
        await line.olu.say("thanks, that helps!", thread_ts=opened["ts"])
        card = await line.olu.card("Refund", "|open the task>", '"approve"')
        await line.olu.press("approve", card)
        direct = await first_message(line.olu, "Refund")
        below = await line.olu.sees(lambda view: replies_in(view, direct["ts"]))
        assert any(shows(reply, "cancel_order") for reply in below)
        await until(lambda: statuses(line) == {"Retry limit": "replied", "Refund": "replied"})
        assert "1 agent; 0 created tasks not started yet." in await line.olu.command("list_agents")
        assert "Only operators" in await line.ana.command(IN_CHANNEL)
    records = [json.loads(row) for row in (line.home / "audit.ndjson").read_text().splitlines()]
    outcomes = [row["outcome"] for row in records if row.get("action") == "create_task"]
    assert outcomes == ["done", "done", "refused"]


async def test_a_chain_of_two_projects_goes_on_after_a_skip(line: Line) -> None:
    """A task that failed holds the next one until somebody skips it."""
    async with line.bot(more=ADMINS):
        first = (await line.olu.command('create_task "First" project=shop Look into the zebrafinch.')).split("`")[1]
        await line.olu.card("First", "nothing was found")
        answer = await line.olu.command(f'create_task "Second" depends_on={first} {ASKED}')
        second = answer.split("`")[1]
        assert f"It does not start yet: it waits for `{first}`." in answer
        assert f"It starts after `{first}`." in (await first_message(line.olu, "Second"))["text"]
        await line.olu.dismiss(await line.olu.card("First", "nothing was found"))
        await until(lambda: statuses(line) == {"First": "dismissed", "Second": "collecting"})
        assert "Skipped" in await line.olu.command(f"skip_task {first}")
        card = await line.olu.card("Second", "RETRY_LIMIT", '"approve"')
        assert second in await line.olu.command("list_tasks open")
        await line.olu.say("stop that", thread_ts=(await first_message(line.olu, "Second"))["ts"], channel="D0OPS")
        await line.olu.press("approve", await line.olu.card("Second", '"approve"') or card)


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_killed_bot_opens_one_thread(line: Line, moment: str) -> None:
    """It dies around the first save of the thread, when Slack has the message: the next bot finds it there."""
    line.configure(more=ADMINS)
    async with dying(line, moment, "collecting") as process:
        giving = asyncio.create_task(line.olu.command(IN_CHANNEL))
        assert await process.wait() == -signal.SIGKILL
        giving.cancel()
    assert len(first_messages(await line.ana.now())) == 1
    async with line.bot(more=ADMINS):
        await line.olu.press("approve", await line.olu.card("Retry limit", '"approve"'))
        opened = await first_message(line.ana, "Retry limit")
        await line.ana.sees(lambda view: [r for r in replies(view, opened["ts"]) if shows(r, "RETRY_LIMIT")])
        assert len(first_messages(await line.ana.now())) == 1
        await until(lambda: statuses(line) == {"Retry limit": "replied"})


async def test_a_task_is_a_longer_run_where_an_agent_works(line: Line) -> None:
    """Tier 2, from its start on; its result comes back as a card."""
    async with agents(line, Play(), more=ADMINS) as bot:
        processes = processes_of(bot)
        await line.olu.command(IN_CHANNEL)
        await line.olu.card("tier 2, since a task of Olu", '"stop"')
        await until(lambda: processes.begun)
        assert processes.begun[0][2].question == f"Retry limit\n{ASKED}"
        name = document(line)["task"]
        assert f"works on `{name}`" in await line.olu.command("list_agents")
        processes.answer()
        card = await line.olu.card("Three times, at once", "✓ validated", "|open the task>", '"approve"')
        await line.olu.press("approve", card)
        opened = await first_message(line.ana, "Retry limit")
        await line.ana.sees(lambda view: [r for r in replies(view, opened["ts"]) if shows(r, "Three times, at once")])


async def test_a_task_outlives_its_place(line: Line) -> None:
    """A first message that is deleted, a channel that is archived: somebody is told, and the result stays."""
    async with line.bot(more=ADMINS):
        slack = AsyncWebClient(token=BOT_TOKEN, base_url=line.workspace.api_url)
        await line.ada.command("pause")
        name = (await line.olu.command(IN_CHANNEL)).split("`")[1]
        opened = await first_message(line.ana, "Retry limit")
        await slack.chat_delete(channel="C0HELP", ts=opened["ts"])
        await line.olu.card("The first message of the task *Retry limit* was deleted. The task goes on")
        await line.ada.command("resume")
        card = await line.olu.card("Retry limit", "was deleted; a reply would be posted below", '"post_anyway"')
        await line.olu.press("post_anyway", card)
        await line.olu.card("Retry limit", "the message that it answers was deleted")
        assert "RETRY_LIMIT" in await line.olu.command(f"get_task_result {name}")
        await line.ana.calls("archive", channel="C0HELP")
        await line.ada.card("archived")
        await line.olu.command(IN_CHANNEL.replace("Retry limit", "Second try"))
        moved = await first_message(line.olu, "Second try")
        assert shows(moved, "It was meant for <#C0HELP>, but the channel is archived")
        await line.olu.press("approve", await line.olu.card("Second try", '"approve"'))
        await line.olu.sees(lambda view: [r for r in replies_in(view, moved["ts"]) if shows(r, "RETRY_LIMIT")])
