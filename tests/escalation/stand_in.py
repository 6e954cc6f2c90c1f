"""Stand-in for `triage headless`: a process that obeys the contract and does what the file `orders` in its home says.

Orders, one a line: `say TEXT`, `spend USD`, `hand JSON`, `scrawl TEXT` (a handoff as it is),
`return JSON`, `fork`, `crash`, `tell TEXT` (through the pipe `told` in the home), `wait` (until
SIGTERM), `stay` (until SIGKILL).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.escalation.folder import RunFolder
from bot.models.escalation import EscalationTask, HeadlessReturn
from bot.models.session import Session
from bot.runtime.atomic_file import replace_file

_ended = threading.Event()


def main() -> int:
    """Run the orders."""
    folder = RunFolder(Path(sys.argv[sys.argv.index("--task") + 1]))
    if folder.take_lock() is None:
        return 0
    task = folder.read_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: _ended.set())
    (folder.path / "environment.json").write_text(json.dumps(dict(os.environ)))
    result: dict[str, Any] = {"session_id": task.session_id, "outcome": "answered"}
    orders = task.home / f"orders-{task.tier}"
    for line in (orders if orders.exists() else task.home / "orders").read_text().splitlines():
        order, _, rest = line.partition(" ")
        result |= ORDERS[order](folder, task, rest) or {}
    replace_file(folder.returned, HeadlessReturn(**result).model_dump_json().encode(), point="headless")
    folder.done.touch()
    return 0


def _say(folder: RunFolder, _: EscalationTask, text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    with folder.transcript.open("a") as file:
        file.write(f"{text}\n")


def _spend(folder: RunFolder, task: EscalationTask, usd: str) -> None:
    at = datetime.strptime(task.session_id[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    session = Session(
        session_id=task.session_id,
        agent="investigator",
        tier=task.tier,
        model="stand-in",
        started_at=at,
        saved_at=at,
        num_turns=3,
        cost_usd=float(usd),
    )
    replace_file(folder.session, session.model_dump_json().encode(), point="headless")


def _tell(_: RunFolder, task: EscalationTask, text: str) -> None:
    with (task.home / "told").open("w") as pipe:
        pipe.write(f"{text}\n")


def _scrawl(folder: RunFolder, _: EscalationTask, text: str) -> None:
    folder.handoff.write_text(text)


def _fork(*_: object) -> None:
    if os.fork() == 0:
        _stay()


def _stay(*_: object) -> None:
    while True:
        signal.pause()


def _wait(*_: object) -> dict[str, Any]:
    _ended.wait()
    return {"outcome": "cancelled", "reason": "it was ended by a signal"}


ORDERS: dict[str, Callable[[RunFolder, EscalationTask, str], dict[str, Any] | None]] = {
    "say": _say,
    "spend": _spend,
    "tell": _tell,
    "fork": _fork,
    "stay": _stay,
    "wait": _wait,
    "hand": lambda folder, _, text: folder.write(folder.handoff, json.loads(text)),
    "scrawl": _scrawl,
    "crash": lambda *_: os._exit(9),
    "return": lambda _folder, _task, text: json.loads(text),
}


if __name__ == "__main__":
    sys.exit(main())
