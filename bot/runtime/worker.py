"""Worker process: calls functions for the bot that started it, one at a time, and ends with it.

Its arguments are the process id of the bot, the maximum megabytes and the maximum seconds of a call. Frames arrive on
standard input and leave on standard output; the first is a call that sets the process up. They are pickles of this
program's own values in both directions, over a private pipe.
"""

from __future__ import annotations

import ctypes
import logging
import os
import pickle
import resource
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

NICE = 10
"""Nice value of the worker: the event loop, which acknowledges Slack's events, has priority on a machine with few
cores."""
HEAD = struct.Struct(">Q")
_PR_SET_PDEATHSIG = 1
_MEGABYTE = 1_000_000
_PAGE = resource.getpagesize()


@dataclass(slots=True)
class CallResult:
    """Result of one call: its value or error, and its log lines."""

    value: Any = None
    error: Exception | None = None
    log_lines: list[tuple[str, int, str]] = field(default_factory=list)
    """Logger, level and text of each log line."""
    megabytes: float = 0.0
    """Current memory of the process in megabytes."""


class _Lines(logging.Handler):
    """Log handler that keeps the lines for the next result."""

    def __init__(self) -> None:
        super().__init__()
        self.log_lines: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.log_lines.append((record.name, record.levelno, self.format(record)))


def frame(value: object) -> bytes:
    """Encode a value as a frame."""
    content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(content)) + content


def answer(work: Callable[..., Any], arguments: tuple[Any, ...]) -> CallResult:
    """Call a function and return its result or error."""
    try:
        return CallResult(value=work(*arguments))
    except Exception as problem:  # raised again in the bot, where the caller waits
        return CallResult(error=problem)


def serve(source: IO[bytes], sink: IO[bytes], seconds: int) -> None:
    """Answer frames until the input ends; a call that takes longer than `seconds` ends the process."""
    lines = _Lines()
    logging.basicConfig(level=logging.INFO, handlers=[lines], format="%(message)s")
    while (head := source.read(HEAD.size)) and len(head) == HEAD.size:
        work, arguments = pickle.loads(source.read(*HEAD.unpack(head)))  # noqa: S301  # the bot's own, by its own pipe
        signal.alarm(seconds)  # even if no parent is left to end it
        result = answer(work, arguments)
        signal.alarm(0)
        result.log_lines, lines.log_lines = lines.log_lines, []
        result.megabytes = _megabytes()
        sink.write(_encode_result(result))
        sink.flush()


def _encode_result(result: CallResult) -> bytes:
    """Encode a result; one that cannot be pickled is replaced by the reason."""
    try:
        content = frame(result)
        pickle.loads(content[HEAD.size :]) if result.error else None  # noqa: S301  # an error may not come back whole
    except Exception as problem:  # pickling may raise anything
        message = f"{type(result.error or result.value).__name__} cannot be pickled ({problem}): {result.error or ''}"
        return frame(CallResult(error=RuntimeError(message), log_lines=result.log_lines, megabytes=result.megabytes))
    return content


def _megabytes() -> float:
    """Return the memory of the process in megabytes; its peak, if the system reports no current value."""
    with suppress(OSError), open("/proc/self/statm", "rb") as file:  # noqa: PTH123  # read at each answer
        return int(file.read().split()[1]) * _PAGE / _MEGABYTE
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MEGABYTE if sys.platform == "darwin" else peak * 1024 / _MEGABYTE


def _end_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends; other systems rely on the end of the input."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit()


def main() -> NoReturn:
    """Serve until the input ends."""
    parent, megabytes, seconds = map(int, sys.argv[1:])
    _end_with(parent)
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group by a terminal or a service manager
        signal.signal(number, signal.SIG_IGN)  # the bot says when to end
    os.nice(NICE)
    if sys.platform == "linux":
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))  # its wake-ups do not preempt the event loop
    with suppress(ValueError, OSError):  # not every system keeps such a limit
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * _MEGABYTE,) * 2)
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep stray prints out of the frames
    with suppress(BrokenPipeError):
        serve(os.fdopen(0, "rb"), sink, seconds)
    os._exit(0)
