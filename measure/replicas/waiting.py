"""What investigations cost that wait for a slow model server: memory of each, and how late the event loop is."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.clock import SystemClock
from bot.config.environment import read_environment
from bot.config.settings import Settings
from bot.runtime import process_tuning
from bot.wiring.engines import build_llm_runtime
from bot.wiring.file_storage import FileStorage
from measure.agents_bench import Lateness, investigate, quantile, script
from tests.model_server import ModelServer

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from typing import Any

    from aiohttp import web

_PATHS = ("bot/errors.py", "bot/models/project.py", "bot/agents/ledger.py", "bot/decide/gate.py")

_TURNS = 10
"""Longest turns of the model that a run has time for; it asks for four, beside the tools of all other runs."""


@dataclass(frozen=True)
class Waiting:
    """What was found: MB of each investigation, and milliseconds at p99.9."""

    megabytes: float
    late_ms: float


def serve_slowly(pipe: Connection, least: float, most: float) -> None:
    """Serve a model that takes between `least` and `most` seconds for each turn, until the other end is closed."""
    chance = random.Random(7)  # noqa: S311  # a plan, no secret

    class SlowServer(ModelServer):
        async def _messages(self, request: web.Request) -> web.StreamResponse:
            await asyncio.sleep(chance.uniform(least, most))
            return await super()._messages(request)

    async def serve() -> None:
        async with SlowServer(script) as server:
            pipe.send(server.url)
            await asyncio.to_thread(pipe.recv)

    os.nice(10)
    asyncio.run(serve())


def _resident() -> float:
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def measure_waiting(count: int, *, least: float, most: float) -> Waiting:
    """Let so many investigations wait for such a model at once, to their ends."""
    os.environ.pop("ANTHROPIC_API_KEY", None)  # no key goes to a server of tests
    process_tuning.tune_interpreter()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve_slowly, args=(theirs, least, most), daemon=True)
    server.start()
    url = await asyncio.to_thread(ours.recv)
    with tempfile.TemporaryDirectory(prefix="waiting-") as folder:
        model: Any = {"base_url": url, "max_usd_per_run": 1_000, "max_usd_per_day": 100_000}
        ground = build_llm_runtime(
            Settings(model=model),
            read_environment(),
            FileStorage(Path(folder)),
            clock=SystemClock(),
            tell=lambda _: None,
        )
        await ground.start()
        lateness = Lateness()
        watching = asyncio.create_task(lateness.watch())
        gc.collect()
        before = _resident()
        runs = [
            asyncio.create_task(
                investigate(
                    ground, f"T0WAIT-C0HELP-{number}.000001", _PATHS[number % len(_PATHS)], seconds=_TURNS * most
                )
            )
            for number in range(count)
        ]
        await asyncio.sleep(0.9 * least)  # all have asked, and wait for the first turn
        megabytes = (_resident() - before) / count
        answers = await asyncio.gather(*runs)
        watching.cancel()
        await ground.close()
        ours.send("end")
        await asyncio.to_thread(server.join, 10)
    if any(answer is None for answer in answers):
        raise SystemExit("an investigation ended without an answer")
    return Waiting(megabytes=megabytes, late_ms=1000 * quantile(0.999, lateness.late))
