"""Health, over the whole line: a web server that is broken and repaired, and the thread that the bot opens for it."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from bot.models.thread import Thread
from tests.line.conftest import TriageTime
from tests.line.dying_bot import dying
from tests.line.human import cards, shows, until
from tests.line.test_straight_line import calls

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line

SERVICES = """
health:
  interval_s: 8
  services:
  - {{name: shop, checks: [{{type: http, url: "http://127.0.0.1:{port}/health"}}]}}
watch: {{chat_id: C0HELP}}
admins: [U0ADMIN]
"""

RUNBOOK = """
runbooks:
- {name: repair-zeppelin, argv: ["true"], services: [zeppelin]}
"""


@dataclass
class Shop:
    """A web server with a status that a test sets."""

    port: int = 0
    status: int = 200
    requests: int = 0
    repair: Path | None = None
    """File that repairs it once it is there."""

    async def answer(self, _: web.Request) -> web.Response:
        """Answer with the present status."""
        self.requests += 1
        is_repaired = self.repair is not None and self.repair.exists()
        return web.Response(status=200 if is_repaired else self.status, text="ok")

    @property
    def settings(self) -> str:
        """The settings that have it checked."""
        return SERVICES.format(port=self.port)


@asynccontextmanager
async def shop() -> AsyncIterator[Shop]:
    """A shop that works."""
    made = Shop()
    application = web.Application()
    application.router.add_get("/health", made.answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.port = runner.addresses[0][1]
    try:
        yield made
    finally:
        await runner.cleanup()


async def check(bot: Bot, clock: TriageTime, made: Shop, *, times: int = 2) -> None:
    """Let seconds pass until so many checks are made and their results are known."""

    def is_asked(before: int) -> bool:
        if made.requests == before:
            clock.move(hours=1 / 3600)
        return made.requests > before

    for _ in range(times):
        state = bot.services.list_states()[0]
        await until(partial(is_asked, made.requests))
        await until(partial(lambda last: bot.services.list_states()[0].checked_at != last, state.checked_at))


async def documents(bot: Bot) -> list[Thread]:
    """All threads."""
    loaded = [await bot.core.store.load(name) for name in await bot.core.store.thread_ids()]
    return [thread for thread in loaded if thread]


def reports(view: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages in the help channel that name the shop."""
    (channel,) = [each for each in view["channels"] if each["id"] == "C0HELP"]
    return [message for message in channel["messages"] if "shop" in message["text"]]


async def test_a_service_that_no_file_names_has_a_card_that_says_so(line: Line) -> None:
    """With the runbook that the settings name for it."""
    clock = TriageTime()
    async with shop() as made:
        settings = made.settings.replace("name: shop", "name: zeppelin") + RUNBOOK
        async with line.bot(clock=clock, more=settings) as bot:
            made.status = 500
            await check(bot, clock, made)
            await line.ana.sees(lambda view: "zeppelin is down" in json.dumps(view["channels"]))
            clock.move(hours=0.01)
            card = await line.olu.card("zeppelin", "Run Runbook")
    assert "No draft" not in json.dumps(card)
    assert "No file that was searched (shop) names zeppelin." in json.dumps(card)


async def test_a_broken_service_opens_a_thread_that_its_repair_ends(line: Line) -> None:
    """Facts in the channel, a card for the operator; the recovery stands in the same message."""
    clock = TriageTime()
    async with shop() as made, line.bot(clock=clock, more=made.settings) as bot:
        await check(bot, clock, made)
        assert reports(await line.ana.now()) == []
        made.status = 500
        await check(bot, clock, made)
        (message,) = await line.ana.sees(reports)
        assert "shop is down" in message["text"]
        assert "500" in message["text"]
        clock.move(hours=0.01)
        await line.olu.card("shop")
        made.status = 200
        await check(bot, clock, made)
        clock.move(hours=0.01)
        (repaired,) = await line.ana.sees(lambda view: [m for m in reports(view) if shows(m, "healthy again")])
        assert repaired["ts"] == message["ts"]
        (told,) = await line.ana.replies(message["ts"])
        assert "healthy" in told["text"]
        (thread,) = await documents(bot)
        assert thread.incident is not None
        assert (thread.incident.is_over, thread.incident.services) == (True, ("shop",))
        assert (thread.status, thread.outcome) == ("closed", "recovered")
    posted = [call for call in await calls(line, "chat.postMessage") if call["channel"] == "C0HELP"]
    assert len([call for call in posted if "thread_ts" not in call]) == 1
    (session,) = [json.loads(path.read_text()) for path in (line.home / "sessions").glob("*.json")]
    assert (session["agent"], session["tier"], session["cost_usd"]) == ("checks", 1, 0)


async def test_the_state_is_seen_everywhere(line: Line) -> None:
    """By the command, on the App Home, in the card without an asker, and in the brief."""
    clock = TriageTime()
    async with shop() as made, line.bot(clock=clock, more=made.settings) as bot:
        assert "1 service: 1 not checked yet." in await line.olu.command("services")
        await check(bot, clock, made)
        made.status = 500
        await check(bot, clock, made)
        await line.ana.sees(reports)
        clock.move(hours=0.01)
        card = await line.olu.card("*shop is down* since <!date^", "open the incident")
        assert not shows(card, "<@U0TRIAGE")
        told = await line.olu.command("services shop")
        assert "*shop* is *down* since" in told
        assert "|Incident>" in told
        assert shows(await line.olu.home(), "*shop* is *down* since")
        brief = await line.olu.command("brief")
        assert "1 service failed, still" in brief
        assert "*shop* is down since" in brief


async def test_a_restart_neither_repeats_nor_forgets_an_outage(line: Line) -> None:
    """The second bot goes on where the first one ended."""
    clock = TriageTime()
    async with shop() as made:
        async with line.bot(clock=clock, more=made.settings) as bot:
            made.status = 503
            await check(bot, clock, made)
            (message,) = await line.ana.sees(reports)
        async with line.bot(clock=clock, more=made.settings) as bot:
            await check(bot, clock, made)
            made.status = 200
            await check(bot, clock, made)
            clock.move(hours=0.01)
            (repaired,) = await line.ana.sees(lambda view: [m for m in reports(view) if shows(m, "healthy again")])
            assert repaired["ts"] == message["ts"]
            assert len(await documents(bot)) == 1


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_killed_bot_has_posted_once(line: Line, moment: str) -> None:
    """It dies around the first save of the thread, when Slack has the message: the next bot finds it there."""
    clock = TriageTime()
    async with shop() as made:
        made.status = 500
        line.configure(more=made.settings.replace("interval_s: 8", "interval_s: 1"))
        async with dying(line, moment, "collecting") as process:
            assert await process.wait() == -signal.SIGKILL
        assert len(reports(await line.ana.now())) == 1
        async with line.bot(clock=clock, more=made.settings) as bot:
            await check(bot, clock, made)
            (thread,) = await documents(bot)
            assert thread.incident is not None
            made.status = 200
            await check(bot, clock, made)
            clock.move(hours=0.01)
            (repaired,) = await line.ana.sees(lambda view: [m for m in reports(view) if shows(m, "healthy again")])
            assert repaired["ts"] == thread.original_message_id


async def test_nothing_is_reported_while_triage_is_stopped(line: Line) -> None:
    """After `resume` a service that is still broken is."""
    clock = TriageTime()
    async with shop() as made, line.bot(clock=clock, more=made.settings) as bot:
        await line.ada.command("stop")
        made.status = 500
        await check(bot, clock, made, times=3)
        assert reports(await line.ana.now()) == []
        await line.ada.command("resume")
        await check(bot, clock, made, times=1)
        assert await line.ana.sees(reports)


async def test_an_archived_channel_is_told_to_an_admin(line: Line) -> None:
    """Once, with the service; the states go on."""
    clock = TriageTime()
    async with shop() as made, line.bot(clock=clock, more=made.settings) as bot:
        await line.ana.calls("archive", channel="C0HELP")
        made.status = 500
        await check(bot, clock, made, times=4)
        notice = await line.ada.card("shop: not healthy", "the channel is archived")
        clock.move(hours=0.02)
        await check(bot, clock, made)
        assert bot.services.list_states()[0].status == "down"
    told = [message for message in cards(await line.ada.now()) if "not healthy" in message["text"]]
    assert [message["ts"] for message in told] == [notice["ts"]]


async def test_without_services_nothing_is_created(line: Line) -> None:
    """No file and no task."""
    async with line.bot() as bot:
        assert not bot.services.is_used
        assert bot.services.list_states() == ()
    names = {path.name for path in line.home.iterdir()}
    assert not names & {"services.json", "incidents.json", "health.ndjson"}
