"""What a torture run orders to go wrong inside the bot, and the watch that carries it out at the fault points.

Orders travel to the bot's process as JSON in `TRIAGE_FAULTS`, which only `tests/torture/bot.py` reads.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

VARIABLE = "TRIAGE_FAULTS"

When = Literal["before", "after"]

_THREAD = re.compile(r"T\w+-\w+-\d+\.\d+")
_SESSION = re.compile(r"\d{8}T\d{6}-[a-z0-9]+")


@dataclass
class Order:
    """One fault. Without `nth` it befalls every passage; `at` is a point, or a point and its subject."""

    act: Literal["kill", "fail", "delay", "list"]
    at: str = ""
    when: When = "before"
    nth: int | None = None
    times: int = 1
    error: str = "ENOSPC"
    """The name of the error that a failing operation raises."""
    seconds: float = 0.1
    into: str = ""
    """The file that passages are listed in."""
    passed: int = 0


class Faults:
    """The watch: counts the passages that each order is about, and acts."""

    def __init__(self, orders: list[Order]) -> None:
        self._orders = orders
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self, point: str, subject: str) -> Iterator[None]:
        """Surround one operation."""
        passage = f"{point} {_SESSION.sub('session', _THREAD.sub('thread', subject))}"
        with self._lock:
            due = [order for order in self._orders if _is_due(order, passage)]
        for order in due:
            if order.when == "before":
                _act(order, passage)
        try:
            yield
        finally:  # a file that is not there was passed too
            for order in due:
                if order.when == "after":
                    _act(order, passage)


def written(orders: list[Order]) -> str:
    """Orders as the environment carries them."""
    return json.dumps([asdict(order) for order in orders])


def read(text: str) -> list[Order]:
    """The same, read back."""
    return [Order(**order) for order in json.loads(text)]


def _is_due(order: Order, passage: str) -> bool:
    if order.at and passage != order.at and not passage.startswith(f"{order.at} "):
        return False
    order.passed += 1
    return order.nth is None or order.nth <= order.passed < order.nth + order.times


def _act(order: Order, passage: str) -> None:
    match order.act:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)  # the signal may find another thread first; this one must do nothing more
        case "fail":
            number = getattr(errno, order.error)
            raise OSError(number, os.strerror(number))
        case "delay":
            time.sleep(order.seconds)
        case "list":
            with Path(order.into).open("a") as file:
                file.write(f"{passage}\n")


def take_orders(lane: Path, who: str) -> str:
    """Orders for this process from the files `who-1.json` and so on, one each; empty if there are none left."""
    for path in sorted(lane.glob(f"{who}-*.json")):
        taken = path.with_suffix(f".{os.getpid()}")
        try:
            path.rename(taken)
        except FileNotFoundError:  # by another process
            continue
        return taken.read_text()
    return ""
