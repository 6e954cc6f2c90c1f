"""What open debounce windows cost: memory, and whether a message is lost. Run by `make bench`.

So many questions are asked in so many places in parallel, each in three messages, through the real intake, workflow and
store; then every window ends. Memory is what the interpreter has allocated and not freed, while all windows are open.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.documents import Documents
from bot.decide.classify.classifier import compile_rules
from bot.intake.watched import Watched
from bot.intake.watcher import Watcher
from bot.models.thread_event import Due
from bot.triage.orchestrator import Orchestrator
from tests.builders import LIMITS, at, fresh
from tests.fakes import HandClock, MemoryJournal, NobodyCommands, NothingMuted, OneOperator, team
from tests.intake.test_watcher import intake

if TYPE_CHECKING:
    from bot.decide.workflow import WorkflowLimits
    from bot.models.effect import Effect
    from bot.models.thread import Thread

PARTS = ("how often is a payment tried again?", "it is about cards", "and where is that set?")


def message_part(number: int, part: int) -> dict[str, Any]:
    """One of the three messages of a question, in a thread of its own."""
    root = f"{1_000 + number}.000001"
    ts = root if part == 0 else f"{1_000 + number}.{part}00001"
    event = {"type": "message", "channel": "C0HELP", "user": f"U0{number}", "ts": ts, "text": PARTS[part]}
    reply = {"thread_ts": root} if part else {}
    return {"type": "event_callback", "team_id": "T0A", "event_id": f"Ev{number}-{part}", "event": {**event, **reply}}


class NoJournal(MemoryJournal):
    """Keeps nothing: what is measured is the intake."""

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Written, and gone."""


async def measure(count: int, folder: Path) -> tuple[float, int]:
    """MB while the windows are open, and how many messages are in no question."""
    store = Documents(folder, stop=None)
    orchestrator = _orchestrator(store, LIMITS)
    watcher = Watcher(
        events=NoJournal(),
        classified=NoJournal(),
        team=team(compile_rules(bot_id="U0BOT", ack_patterns=(), question_keywords=())),
        threads=orchestrator,
        commands=NobodyCommands(),
        mutes=NothingMuted(),
        clock=HandClock(),
        watched={"C0HELP": Watched("help", "live")},
        operators=OneOperator(),
    )
    dispatcher = intake(watcher)
    gc.collect()
    tracemalloc.start()
    bodies = [message_part(number, part) for part in range(len(PARTS)) for number in range(count)]
    for start in range(0, len(bodies), 100):
        batch = [await dispatcher.record(body) for body in bodies[start : start + 100]]
        await asyncio.gather(*(dispatcher.handle(received) for received in batch))
    del bodies, batch
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    names = orchestrator.open_threads.in_windows()
    if len(names) != count:
        sys.exit(f"{len(names)} windows are open instead of {count}")
    for name in names:
        await orchestrator.submit(name, Due(at=at(3_600), fresh=fresh()))
    threads = [await store.load(name) for name in names]
    await orchestrator.stop()
    return taken, count * len(PARTS) - sum(len(thread.messages) for thread in threads if thread)


class _Ports:
    """Effect runner, renderer, rebuilder and notices that do nothing."""

    async def run(self, thread: Thread, effect: Effect) -> None:
        """Run no effect."""

    def is_started(self, effect: Effect) -> bool:
        """Return that nothing was started."""
        return False

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Draw nothing."""

    async def rebuild(self, thread_id: str) -> None:
        """Rebuild nothing."""

    async def tell(self, text: str) -> None:
        """Tell nobody."""


def _orchestrator(store: Documents, limits: WorkflowLimits) -> Orchestrator:
    ports = _Ports()
    orchestrator = Orchestrator(store=store, limits=limits, rebuilder=ports, notices=ports)
    orchestrator.attach(effects=ports, renderer=ports)
    return orchestrator


def main() -> None:
    """Measure, and fail where the bar is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as folder:
        taken, lost = asyncio.run(measure(count, Path(folder)))
    print(f"{count:,} windows open at the same time: {taken:.1f} MB (bar 20 MB), {lost} messages lost")  # noqa: T201  # the output
    sys.exit(taken >= 20 or lost > 0)


if __name__ == "__main__":
    main()
