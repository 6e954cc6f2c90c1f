"""Worker processes: started when needed, replaced when they die, gone when the bot is."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.errors import Misconfigured, ToolError
from bot.runtime.workers import Workers
from tests.runtime import jobs

ROOT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def workers(begin: Callable[[], object] = jobs.begin, **options: Any) -> AsyncIterator[Workers]:
    """Processes that end with the test."""
    made = Workers(begin, **{"max_workers": 1, **options})
    try:
        yield made
    finally:
        pids = made.pids
        await made.stop()
        assert not any(map(is_alive, pids))


def is_alive(pid: int) -> bool:
    """Return whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def test_a_worker_is_set_up_once_serves_on_and_tells_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts with the first call, without a token; what it prints is no answer; errors come back as they are."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    async with workers(partial(jobs.begin, "once")) as pool:
        assert (pool.pids, str(pool.state)) == ((), "0 of 1 search processes")
        first, second = await asyncio.gather(pool.run(jobs.tell, "a"), pool.run(jobs.tell, "b" * 3_000_000))
        assert (first[1:], second[1:]) == ((["once"], "a"), (["once"], "b" * 3_000_000))
        assert first[0] == second[0] == pool.pids[0] != os.getpid()
        assert "heard a" in caplog.messages
        assert "SLACK_BOT_TOKEN" not in await pool.run(jobs.variables, None)
        with pytest.raises(ToolError, match="too broad"):
            await pool.run(jobs.refuse, "too broad")
        with pytest.raises(RuntimeError, match="cannot be pickled"):
            await pool.run(jobs.lose, None)
        assert (pool.state.lost, pool.pids) == (0, (first[0],))


async def test_a_dead_worker_is_replaced_and_its_question_tried_once_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One that dies each time fails with the reason; the next question finds a worker."""
    async with workers() as pool:
        assert await pool.run(jobs.die_once, tmp_path / "died") in pool.pids
        assert "a search process was killed by signal 9; its call is repeated" in caplog.messages
        with pytest.raises(ToolError, match="the process that searched was killed by signal 9"):
            await pool.run(jobs.die, None)
        assert (
            str(pool.state) == "0 of 1 search processes, 3 lost since the start (the last one was killed by signal 9)"
        )
        assert await pool.run(jobs.sleep, 0.0) in pool.pids


async def test_a_call_that_takes_too_long_is_ended(caplog: pytest.LogCaptureFixture) -> None:
    """It is not tried again: it would take as long."""
    async with workers(seconds=1) as pool:
        with pytest.raises(ToolError, match="took longer than 1 s and was ended"):
            await pool.run(jobs.sleep, 30.0)
        assert pool.pids == ()


async def test_a_caller_that_leaves_costs_nobody_the_worker() -> None:
    """Its answer is nobody's; the next caller has its own."""
    async with workers() as pool:
        (pid, *_), waiting = await pool.run(jobs.tell, "a"), asyncio.create_task(pool.run(jobs.sleep, 0.2))
        await asyncio.sleep(0.05)
        waiting.cancel()
        assert (await pool.run(jobs.tell, "b"))[::2] == (pid, "b")


async def test_one_that_has_grown_makes_room() -> None:
    """After its answer, for a fresh one."""
    async with workers(megabytes=200) as pool:
        grown = await pool.run(jobs.grow, 250)
        assert (pool.pids, pool.state.lost) == ((), 0)
        assert await pool.run(jobs.sleep, 0.0) != grown


async def test_a_process_that_cannot_be_set_up_says_why() -> None:
    """As the bot itself would."""
    async with workers(jobs.fail_to_begin) as pool:
        with pytest.raises(Misconfigured, match="no boundary"):
            await pool.run(jobs.sleep, 0.0)


BOT = """
import asyncio
from bot.runtime.workers import Workers
from tests.runtime import jobs

async def main():
    pool = Workers(jobs.begin, max_workers=1)
    await pool.run(jobs.sleep, 0.0)
    asyncio.create_task(pool.run(jobs.sleep, 60.0))
    await asyncio.sleep(0.05)
    print(*pool.pids, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def test_no_worker_outlives_a_killed_bot() -> None:
    """In the middle of its work, too."""
    with subprocess.Popen([sys.executable, "-c", BOT], cwd=ROOT, stdout=subprocess.PIPE) as bot:
        assert bot.stdout is not None
        pid = int(bot.stdout.readline())
        assert is_alive(pid)
        os.kill(bot.pid, signal.SIGKILL)
    for _ in range(100):
        if not is_alive(pid):
            return
        time.sleep(0.05)
    pytest.fail("it lives")
