"""How long commands take with many threads on disk, from the word typed to the answer seen: run by `make bench`.

The bot is a process of its own, over Socket Mode in a local workspace, on a home of 10,000 threads and a day's 500 runs
of agents. Each figure stands beside its bar.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bot.models.session import Session
from measure.filling import fill, named
from sandbox.server import Sandbox
from tests.line.conftest import Line

if TYPE_CHECKING:
    from tests.line.human import Human

ROOT = Path(__file__).resolve().parent.parent


THREADS, RUNS, TURNS = 10_000, 500, 20
OPEN_SHARE = 100
BARS = {
    "status": 0.3,
    "queue": 3.0,
    "list_tasks": 0.3,
    "list_tasks replied": 3.0,
    "thread {task}": 0.3,
    "thread {wrong}": 0.3,
    "get_recent_events": 3.0,
    "get_token_usage agent 7": 3.0,
}
"""Seconds; what Slack waits for where nothing else was promised. `{task}` is the name of one of the oldest tasks."""


async def measured() -> dict[str, tuple[float, float]]:
    """The median and the worst of each command, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = await Sandbox.start(port=0)
        made = Line(workspace, Path(folder))
        (made.folder / "shop").mkdir()
        made.configure(pace=1.0)
        fill(made.home, THREADS, every=OPEN_SHARE)
        _add_runs(made.home / "sessions")
        await asyncio.to_thread(os.sync)  # else each record that is synced waits for all these files
        process = await started(made)
        task = named(min(path.stem for path in (made.home / "state").glob("*.json")))
        words = {"task": task, "wrong": f"{task.replace('limit', 'limti')}x"}
        try:
            return {name: await _times(made.olu, name.format(**words)) for name in BARS}
        finally:
            process.terminate()
            await process.communicate()
            await workspace.close()


async def started(made: Line) -> asyncio.subprocess.Process:
    """A bot in a process of its own, connected."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(made.config), "--home", str(made.home)),
        cwd=ROOT,
        env={**os.environ, **made.variables},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None  # noqa: S101  # it was asked for
    await process.stdout.readline()
    return process


async def _times(olu: Human, name: str) -> tuple[float, float]:
    took = []
    for _ in range(TURNS):
        began = time.perf_counter()
        answer = await olu.command(name)
        took.append(time.perf_counter() - began)
        assert "did not work" not in answer, answer  # noqa: S101  # a failure is no figure
    return sorted(took)[TURNS // 2], max(took)


def _add_runs(folder: Path) -> None:
    """The day's runs, and as many of each of the thirty days before."""
    folder.mkdir(parents=True)
    for number in range(RUNS * 31):
        started = datetime.now(UTC) - timedelta(days=number // RUNS)
        name = f"{started:%Y%m%d}T000000-{number:08x}"
        session = Session(
            session_id=name, agent="investigator", model="m", started_at=started, saved_at=started, cost_usd=0.01
        )
        (folder / f"{name}.json").write_text(session.model_dump_json())


def main() -> None:
    """Measure and print."""
    for name, (median, worst) in asyncio.run(measured()).items():
        said = f"/triage {name}, {THREADS:,} threads, {RUNS} runs today: worst of {TURNS}"
        verdict = "met" if worst <= BARS[name] else "MISSED"
        print(f"{said:60} {worst:6.3f} s (median {median:.3f}) bar {BARS[name]:g} s  {verdict}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
