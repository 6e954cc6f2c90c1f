"""The service of the demo, over the whole line: broken by a command, and repaired by a press of the operator."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import yaml

from bot.cli.demo_service import RUNBOOK, health_settings, start_service
from tests.line.conftest import TriageTime
from tests.line.human import shows, until
from tests.line.test_health import documents, reports

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line


async def check(bot: Bot, clock: TriageTime, *, times: int = 2) -> None:
    """Let seconds pass until so many checks were made."""
    for _ in range(times):
        before = bot.services.list_states()[0].checked_at

        def is_checked(last: object = before) -> bool:
            clock.move(hours=1 / 3600)
            return bot.services.list_states()[0].checked_at != last

        await until(is_checked)


async def test_a_broken_service_is_repaired_by_the_press_of_an_operator(line: Line) -> None:
    """Without a model: a message in the channel, a card with the remedy, one press, and the recovery in the thread."""
    clock, service = TriageTime(), await start_service(line.folder / "demo")
    settings = yaml.safe_dump(health_settings(service, "C0HELP", "shop"))
    (line.folder / "other").mkdir()
    (line.folder / "other" / "shop.md").write_text("The shop is down: answered 503, expected 200.\n")
    try:
        async with line.bot(clock=clock, more=settings, projects="  other: {root: ./other}") as bot:
            await check(bot, clock)
            await asyncio.to_thread(subprocess.run, shlex.split(service.command), check=True)
            await check(bot, clock)
            (message,) = await line.ana.sees(reports)
            assert shows(message, "is down")
            assert shows(message, "503")
            clock.move(hours=0.01)
            card = await line.olu.card(RUNBOOK, "rm -f", str(service.broken), '"run_runbook"')
            assert service.broken.exists()
            assert (await line.olu.press("run_runbook", card))["ok"]
            (told,) = await line.ana.replies(message["ts"])
            assert all(shows(told, words) for words in ("healthy again", "U0OPS", RUNBOOK))
            assert not service.broken.exists()
            await line.olu.card("Recovered", RUNBOOK, "exit code 0")
            (thread,) = await documents(bot)
            assert (thread.status, thread.outcome) == ("closed", "recovered")
            assert thread.route is not None
            assert (thread.route.project, thread.project) == ("shop", "shop")
    finally:
        await service.close()
    (order,) = (line.home / "runbooks").glob("*/return.json")
    assert json.loads(order.read_text())["exit_code"] == 0
