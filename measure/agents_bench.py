"""Fifty investigations in parallel: each draft in its thread, memory flat, an event loop that answers; in `make bench`.

The agents' own loop, ledger and tools, over this repository, as many at work as the bot has seats; the model is the
scripted server of the tests in a process of its own, which answers immediately, so that all the work there is comes
together. It has a low priority, since it stands for a machine elsewhere. `--batches N --at-once N --seats N`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import multiprocessing
import os
import re
import secrets
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.clock import SystemClock
from bot.agents.evidence import EvidenceChecker
from bot.agents.run import Task
from bot.config.environment import read_environment
from bot.config.settings import Settings
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.models.findings import InvestigatorReturn
from bot.runtime import process_tuning
from bot.tools.file_tools import FileTools
from bot.tools.git_tools import GitTools
from bot.tools.guard import Guard
from bot.tools.read_log import ReadLog
from bot.triage.effects import SEATS
from bot.wiring.engines import build_llm_runtime
from bot.wiring.file_storage import FileStorage
from tests.builders import findings, reference
from tests.model_server import Body, ModelServer, calls, says

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from bot.agents.llm_runtime import LlmRuntime

ROOT = Path(__file__).resolve().parent.parent
TICK = 0.005
"""Seconds between two looks at how late the event loop is."""
P999, WORST = 0.050, 0.250
"""Seconds that it may be late, 999 times in a thousand and ever."""
GROWTH = 3.0
"""MB that may be added from the second batch to the tenth."""

_ASKED = re.compile(r"thread (?P<thread>\S+) asks about (?P<path>\S+)")
_READ = re.compile(r'source="file" path="(?P<path>[^"]+)".*\n1\t(?P<line>.*)')


def script(body: Body) -> Body:
    """A model that reads one file, looks around, and answers with what it saw in this very conversation."""
    said = json.dumps(body["messages"], ensure_ascii=False)
    asked = _ASKED.search(said)
    assert asked, "the question is missing"  # noqa: S101  # a bench may end here
    path, word = asked["path"], Path(asked["path"]).stem.split("_")[0]
    match sum(message["role"] == "assistant" for message in body["messages"]):
        case 0:
            return calls(
                ("read_file", {"path": path, "count": 1_000}),
                ("search", {"text": word}),
                ("glob", {"pattern": "**/*.py"}),
            )
        case 1:
            return calls(
                ("git_log", {"path": path, "count": 50}), ("git_blame", {"path": path, "first": 1, "count": 200})
            )
        case 2:
            return calls(("search", {"text": rf"\b{word}\w+", "regex": True}), ("git_show", {"ref": "HEAD"}))
        case _:
            return says(_answer(body, asked["thread"]))


def _answer(body: Body, thread: str) -> str:
    results = [
        block["content"] for message in body["messages"] for block in message["content"] if "tool_use_id" in block
    ]
    seen = next(match for result in results if (match := _READ.search(result)))
    cited = reference(ref=f"{seen['path']}:1", quote=seen["line"])
    return findings(draft_reply=f"For {thread}: see `{seen['path']}:1`.", evidence_refs=(cited,)).model_dump_json()


def serve(pipe: Connection) -> None:
    """The model server, until the other end is closed."""

    async def served() -> None:
        async with ModelServer(script) as server:
            pipe.send(server.url)
            await asyncio.to_thread(pipe.recv)

    os.nice(10)
    asyncio.run(served())


@dataclass
class Lateness:
    """How late the event loop was, look by look, and how long its own thread worked meanwhile; in seconds."""

    late: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)

    async def watch(self) -> None:
        """Look until cancelled."""
        while True:
            began, work = time.perf_counter(), time.thread_time()
            await asyncio.sleep(TICK)
            self.late.append(time.perf_counter() - began - TICK)
            self.worked.append(time.thread_time() - work)


def quantile(share: float, seconds: list[float]) -> float:
    """What this share of the looks does not pass."""
    return sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))]


async def investigate(
    ground: LlmRuntime, thread: str, path: str, *, seconds: float = 240.0
) -> InvestigatorReturn | None:
    """One investigation, as the investigator makes it, with so many seconds for it."""
    opened, guard = ReadLog(), Guard(redactor=Redactor(), new_nonce=lambda: secrets.token_hex(6))
    tools = (
        *FileTools(root=ROOT, guard=guard, read_log=opened).tools,
        *GitTools(root=ROOT, guard=guard, read_log=opened).tools,
    )
    task = Task(
        agent="investigator",
        prompt="You investigate one question.",
        question=f"thread {thread} asks about {path} .",
        tools=tools,
        form=InvestigatorReturn,
        limits=RunLimits(usd=1_000, tokens=10_000_000, seconds=seconds),
        thread_id=thread,
    )
    answer = (await ground.loop("claude-opus-5-5").run(task)).answer
    ground.ledger.runs_of(thread, ground.clock.now())  # as for the thread's document
    return answer


async def batch(
    ground: LlmRuntime, number: int, paths: list[str], at_once: int, seats: asyncio.Semaphore
) -> tuple[int, int]:
    """Drafts in the wrong thread, and investigations without a draft whose evidence stands."""

    async def seated(thread: str, path: str) -> InvestigatorReturn | None:
        async with seats:
            return await investigate(ground, thread, path)

    asked = [
        (f"T0BENCH-C0BENCH-{number}.{at:06}", paths[(number * at_once + at) % len(paths)]) for at in range(at_once)
    ]
    answers = await asyncio.gather(*(seated(thread, path) for thread, path in asked))
    wrong = lost = 0
    for (thread, path), answer in zip(asked, answers, strict=True):
        if answer is None:
            lost += 1
            continue
        cited = answer.evidence_refs[0]
        wrong += f"For {thread}:" not in answer.draft_reply or cited.ref != f"{path}:1"
        lost += (await EvidenceChecker(ROOT).check(cited)).result != "ok"
    return wrong, lost


def resident() -> float:
    """MB of memory that this process has."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def measured(url: str, home: Path, *, batches: int, at_once: int, seats: int) -> bool:
    """Run all batches and print the figures; the answer is whether each bar was met."""
    paths = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("b*/**/*.py")) if path.stat().st_size > 2_000]
    model: Any = {"base_url": url, "max_usd_per_run": 1_000, "max_usd_per_day": 100_000}
    ground = build_llm_runtime(
        Settings(model=model),
        read_environment(),
        FileStorage(home),
        clock=SystemClock(),
        tell=say,
    )
    await ground.start()
    lateness, memory, wrong, lost = Lateness(), [], 0, 0
    free = asyncio.Semaphore(seats)
    began = time.perf_counter()
    for number in range(1, batches + 1):
        watch = asyncio.create_task(lateness.watch())
        one, two = await batch(ground, number, paths, at_once, free)
        watch.cancel()  # what follows is the bench's own work
        wrong, lost = wrong + one, lost + two
        memory.append(resident())
    spent = time.perf_counter() - began
    await ground.close()
    number = batches * at_once
    say(f"{number} investigations, {at_once} at the same time, {seats} at work, {number / spent:.1f} a second")
    say(
        f"  of the lateness the loop's own work: 999 in 1,000 {1e3 * quantile(0.999, lateness.worked):.0f} ms, ever "
        f"{1e3 * max(lateness.worked):.0f} ms; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    growth = memory[min(10, batches) - 1] - memory[min(2, batches) - 1]
    return all(
        (
            bar("drafts in the wrong thread", wrong, 0, ""),
            bar("without a draft whose evidence stands", lost, 0, ""),
            bar(f"memory from batch 2 ({memory[min(2, batches) - 1]:.0f} MB) to 10", growth, GROWTH, " MB"),
            bar("the event loop late, 999 in 1,000", 1e3 * quantile(0.999, lateness.late), 1e3 * P999, " ms"),
            bar("the event loop late, ever", 1e3 * max(lateness.late), 1e3 * WORST, " ms"),
        )
    )


def bar(name: str, value: float, most: float, unit: str) -> bool:
    """Print a figure beside its bar; whether it is met."""
    met = value <= most
    say(f"  {name:45} {value:8.1f}{unit}  bar {most:g}{unit}  {'met' if met else 'MISSED'}")
    return met


def say(line: str) -> None:
    """A line of the report."""
    print(line)  # noqa: T201  # it is what the script is for


def main() -> int:
    """Start the server, measure, and print."""
    parser = argparse.ArgumentParser(description="Fifty investigations at the same time.")
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--seats", type=int, default=SEATS)
    options = parser.parse_args()
    os.environ.pop("ANTHROPIC_API_KEY", None)  # no key goes to a server of tests
    process_tuning.tune_interpreter()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    try:
        with tempfile.TemporaryDirectory() as home:
            run = measured(
                ours.recv(), Path(home), batches=options.batches, at_once=options.at_once, seats=options.seats
            )
            met = asyncio.run(run)
    finally:
        ours.send(None)
        server.join(5)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
