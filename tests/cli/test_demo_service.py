"""The service of the demo that people can break: one command breaks it, and the runbook of the settings repairs it."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp

from bot.cli.demo_projects import write_demo
from bot.cli.demo_service import DemoService, start_service
from bot.config.settings import load

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[DemoService]:
    """The service, stopped at the end."""
    service = await start_service(folder)
    try:
        yield service
    finally:
        await service.close()


async def ask(service: DemoService) -> tuple[int, str]:
    """The status and the text of its health page."""
    async with aiohttp.ClientSession() as session, session.get(service.url) as answer:
        return answer.status, await answer.text()


async def test_one_command_breaks_the_service_and_its_runbook_repairs_it(tmp_path: Path) -> None:
    """The command is for a shell, in a folder of any name; the runbook is a program and its arguments."""
    async with running(tmp_path / "the demo's") as service:
        settings = load(write_demo(tmp_path / "the demo's", service=service))
        [watched], [remedy] = settings.health.services, settings.runbooks
        assert (settings.watch.chat_id, remedy.services) == ("C0HELP", (watched.name,))
        assert await ask(service) == (200, "ok\n")
        await asyncio.to_thread(subprocess.run, shlex.split(service.command), check=True)
        assert (await ask(service))[0] == 503
        await asyncio.to_thread(subprocess.run, remedy.argv, check=True)
        assert (await ask(service))[0] == 200


async def test_two_demos_have_a_service_each(tmp_path: Path) -> None:
    """At free ports, which the settings of each name."""
    async with running(tmp_path / "one") as first, running(tmp_path / "two") as second:
        assert first.url != second.url
        assert second.url in write_demo(tmp_path / "two", service=second).read_text()
        assert (await ask(first), await ask(second)) == ((200, "ok\n"), (200, "ok\n"))
