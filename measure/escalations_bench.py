"""Cost of long runs to the bot: a hundred ended ones on disk, ten under way that write each second; for `make bench`.

The ten are real processes (stand-ins that wait), and so are the supervisor and its clock. What is counted is the
processor time of the supervisor's own process. The second figure is that of what the supervisor's looks lead to in the
whole bot: documents and messages of ten runs, each new twice a minute; the local workspace is part of it.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bot.adapters.clock import SystemClock
from bot.escalation.folder import RunFolder
from bot.escalation.supervisor import LOOK_EVERY
from bot.models.escalation import Escalation
from sandbox.server import Sandbox
from tests.builders import added, moved
from tests.escalation.builders import assignment, returned, session, task
from tests.escalation.life import Life
from tests.escalation.machine import Machine, machine
from tests.line.agents import agents
from tests.line.conftest import MANIFEST, SHOP, Line
from tests.line.human import until
from tests.line.play import Play
from tests.line.test_longer_runs import LONG, processes_of, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.thread import Thread
    from tests.fakes import HandClock

ENDED, RUNNING = 100, 10
SECONDS = 90
START = 60
"""Seconds in which all processes have begun, on a busy machine."""
BAR = 0.01
"""Share of one core."""
LINES = 2_000
"""Lines of an ended transcript."""
WRITER = """
n=4
while sleep 1; do
  n=$((n+1))
  for folder in "$@"; do
    echo "09:00:00 turn $n: calls read_file" >> "$folder/transcript.log"
    sed "s/\\"num_turns\\":[0-9]*/\\"num_turns\\":$n/" "$folder/session.json" > "$folder/session.json.new"
    mv "$folder/session.json.new" "$folder/session.json"
  done
done
"""


async def measure(folder: Path) -> float:
    """Return the share of a core that the supervisor uses."""
    with machine(folder / "home") as made:
        life = Life(made, clock=cast("HandClock", SystemClock()))
        await fill(made)
        await life.start()
        made.order("spend 0.1", "wait")
        threads = [escalated(number) for number in range(RUNNING)]
        for thread in threads:
            life.put(thread)
        given = [assignment(journal="run.md", task=f"run-{number}") for number in range(RUNNING)]
        effects = [
            asyncio.create_task(life.supervisor.run(thread, "run1", each))
            for thread, each in zip(threads, given, strict=True)
        ]
        runs = [made.folder(thread.thread_id) for thread in threads]
        await asyncio.wait_for(asyncio.to_thread(wait_for, runs), START)
        places = [str(run.path) for run in runs]
        writer = await asyncio.create_subprocess_exec("/bin/sh", "-c", WRITER, "sh", *places)
        watching = asyncio.create_task(life.supervisor.watch())
        try:
            await asyncio.sleep(1)
            used, began = time.process_time(), time.monotonic()
            await asyncio.sleep(SECONDS)
            share = (time.process_time() - used) / (time.monotonic() - began)
        finally:
            writer.kill()
            await writer.wait()
            for each in (watching, *effects):
                each.cancel()
            await asyncio.gather(watching, *effects, return_exceptions=True)
        if len(life.queue.events) < 3 * RUNNING:
            raise SystemExit("the supervisor told no progress: there is nothing to measure")
        return share


async def measure_updates(folder: Path) -> float:
    """Return the share of a core that documents and messages of all runs take, beyond that of a bot without any."""
    workspace = await Sandbox.start(port=0, manifest=MANIFEST)
    line = Line(workspace, folder)
    (folder / "shop").mkdir()
    (folder / "shop" / "orders.py").write_text(SHOP)
    try:
        async with agents(line, Play(), more="approval: {progress_min: 0}") as bot:
            processes = processes_of(bot)
            await line.ana.say(LONG)
            await until(lambda: processes.begun)
            await asyncio.sleep(1)
            shares = []
            for is_told in (False, True):
                used, began = time.process_time(), time.monotonic()
                for number in range(round(SECONDS / 2 * RUNNING / LOOK_EVERY)):
                    if is_told:
                        tell(bot, processes, latest=f"line {number}", turns=number)
                    await asyncio.sleep(LOOK_EVERY / RUNNING)
                shares.append((time.process_time() - used) / (time.monotonic() - began))
    finally:
        await workspace.close()
    return shares[1] - shares[0]


def wait_for(runs: Sequence[RunFolder]) -> None:
    """Wait until all processes are at work."""
    while not all(run.read_state() == "running" and run.session.exists() for run in runs):
        time.sleep(0.1)


def escalated(number: int) -> Thread:
    """Return a thread that waits for its run."""
    thread = moved(None, added(ts=f"{200 + number}.000001"))
    why = Escalation(tier=2, reason="it takes long", decided_at=SystemClock().now())
    return thread.evolve(status="escalated", run_id="run1", is_escalated=True, escalation=why)


async def fill(made: Machine) -> None:
    """Write ended runs into the home, with the records of their sessions."""
    now = SystemClock().now()
    (made.home / "sessions").mkdir()
    for number in range(ENDED):
        run = RunFolder(made.home / "escalations" / f"T0SANDBOX-C0HELP-{1_000 + number}.000001")
        name = f"{now:%Y%m%dT%H%M%S}-ended{number}"
        run.save_child(task(session_id=name, thread_id=run.thread_id))
        run.promote()
        own = session(session_id=name, thread_id=run.thread_id, started_at=now, saved_at=now, outcome="answered")
        run.session.write_text(own.model_dump_json())
        (made.home / "sessions" / f"{name}.json").write_text(own.model_dump_json())
        run.returned.write_text(returned(session_id=name).model_dump_json())
        run.transcript.write_text("09:00:00 turn 1: calls read_file\n" * LINES)
        run.done.touch()


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        share = asyncio.run(measure(Path(folder)))
    _print(f"supervisor, {ENDED} runs on disk, {RUNNING} running, {SECONDS} s", share)
    with tempfile.TemporaryDirectory() as folder:
        share += asyncio.run(measure_updates(Path(folder)))
    _print("the same, with documents and messages of the runs", share)


def _print(what: str, share: float) -> None:
    verdict = "met" if share <= BAR else "MISSED"
    print(f"{what:60} {share:6.2%} of a core  bar {BAR:.0%}  {verdict}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
