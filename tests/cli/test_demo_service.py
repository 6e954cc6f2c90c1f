"""The service of the demo that people can break: one command breaks it, and the runbook of the settings repairs it."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
import pytest

from bot.cli.demo import find_service_port
from bot.cli.demo_guide import introduce_service
from bot.cli.demo_projects import write_demo
from bot.cli.demo_service import DemoService, start_service
from bot.config.settings import load

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def running(folder: Path, port: int = 0) -> AsyncIterator[DemoService]:
    """The service, stopped at the end."""
    service = await start_service(folder, port)
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


async def test_a_taken_port_is_no_obstacle(tmp_path: Path) -> None:
    """The settings name the one that the service has."""
    async with running(tmp_path / "one") as first:
        async with running(tmp_path / "two", urlsplit(first.url).port or 0) as second:
            assert first.url != second.url
            assert (first.taken_port, second.taken_port) == (None, urlsplit(first.url).port)
            assert f"Shop    {second.url} (port {second.taken_port} is taken)\n" in introduce_service(second)
            assert second.url in write_demo(tmp_path / "two", service=second).read_text()
            assert await ask(second) == (200, "ok\n")


@pytest.mark.parametrize(("page", "service"), [(8_765, 8_766), (1, 2), (0, 0), (65_534, 65_535), (65_535, 0)])
def test_the_service_listens_at_the_next_port(page: int, service: int) -> None:
    """Or at a free one, where there is no next one."""
    assert find_service_port(page) == service
