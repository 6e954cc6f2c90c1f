"""Work for worker processes in tests: what they call is named by where it stands."""

from __future__ import annotations

import logging
import os
import signal
import time
from pathlib import Path

from bot.errors import Misconfigured, ToolError

_begun: list[str] = []


def begin(name: str = "set up") -> None:
    """Note that the process was set up."""
    _begun.append(name)


def fail_to_begin() -> None:
    """Refuse to be set up."""
    raise Misconfigured("no boundary")


def tell(word: str) -> tuple[int, list[str], str]:
    """The process, what set it up, and the word again; the log hears of it."""
    logging.getLogger("tests.jobs").warning("heard %s", word[:9])
    print("this is no answer")  # noqa: T201  # what a library may do
    return os.getpid(), _begun, word


def variables(_: None) -> list[str]:
    """The names of all that the process inherits."""
    return sorted(os.environ)


def refuse(why: str) -> None:
    """Fail as a search does."""
    raise ToolError(why)


def lose(_: None) -> object:
    """Something that no pickle holds."""
    return lambda: None


def die(_: None) -> None:
    """End as when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(path: Path) -> int:
    """The same the first time, by a file."""
    if not path.exists():
        path.touch()
        die(None)
    return os.getpid()


def sleep(seconds: float) -> int:
    """Hang."""
    time.sleep(seconds)
    return os.getpid()


def grow(megabytes: int) -> int:
    """Hold on to memory."""
    _begun.append("x" * megabytes * 1_000_000)
    return os.getpid()
