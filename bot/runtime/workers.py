"""Pool of worker processes for CPU-bound work, started on first use; they end with the bot.

The event loop only passes calls on. A worker that dies is replaced and its call repeated; one that takes too long is
killed. One that has grown, or has served many calls, is replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import ToolError
from bot.runtime.worker import HEAD, CallResult, frame

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable

Argument = TypeVar("Argument")
Result = TypeVar("Result")

log = logging.getLogger(__name__)

MAX_WORKERS = 4
"""Maximum number of workers, whatever the number of cores."""
MEGABYTES = 800
"""Megabytes above which a worker is replaced after its call."""
HARD_MEGABYTES = 3_000
"""Hard memory limit of a worker in megabytes."""
CALLS = 2_000
"""Calls after which a worker is replaced."""
SECONDS = 240
"""Time limit of one call in seconds."""
_TRIES = 2
_MAIN = "from bot.runtime.worker import main; main()"
"""Start by module name, not as `__main__`, so that pickles can name its functions."""
_LARGE = 65_536
"""Bytes above which a result is unpickled in a thread."""
_INHERITED_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT")
"""Variables that a worker inherits; none holds a secret."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkersState:
    """Statistics of the workers."""

    running: int = 0
    limit: int = 0
    lost: int = 0
    """Number of workers that died or were killed for taking too long."""
    problem: str = ""
    """Description of the last lost worker."""

    def __str__(self) -> str:
        lost = f", {self.lost} lost since the start (the last one {self.problem})" if self.lost else ""
        return f"{self.running} of {self.limit} search processes{lost}"


@dataclass(eq=False)
class _Worker:
    process: Process
    calls: int = 0
    served: set[str] = field(default_factory=set)
    """Keys of calls that it has served, and may have cached."""

    async def ask(self, content: bytes) -> CallResult:
        """Send one frame and return the result. Raises `OSError` or `EOFError` when the process is gone."""
        source, sink = self.process.stdout, self.process.stdin
        assert source is not None  # noqa: S101  # both were asked for
        assert sink is not None  # noqa: S101  # as above
        sink.write(content)
        await sink.drain()
        (size,) = HEAD.unpack(await source.readexactly(HEAD.size))
        payload = await source.readexactly(size)
        result: CallResult = await asyncio.to_thread(pickle.loads, payload) if size > _LARGE else pickle.loads(payload)  # noqa: S301  # its own worker's
        self.calls += 1
        return result

    async def end(self) -> str:
        """End the process; return a description of its exit."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):  # not `Popen.kill`, which reads the exit code, so that `wait` misses it
                os.kill(self.process.pid, signal.SIGKILL)
        if self.process.stdin:
            self.process.stdin.close()
        code = await self.process.wait()
        return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"


class Workers:
    """Pool of worker processes. `begin` is the first call in each; pickles name it and all called functions."""

    def __init__(
        self,
        begin: Callable[[], object],
        *,
        max_workers: int | None = None,
        seconds: int = SECONDS,
        megabytes: int = MEGABYTES,
        calls: int = CALLS,
    ) -> None:
        self._begin, self._seconds, self._megabytes, self._calls = begin, seconds, megabytes, calls
        max_workers = max_workers or max(
            1, min(MAX_WORKERS, (os.cpu_count() or 2) - 1)
        )  # leave one core to the event loop
        self._seats = asyncio.Semaphore(max_workers)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._calls_under_way: set[asyncio.Task[Any]] = set()
        self._state = WorkersState(limit=max_workers)

    def clone(self, *, max_workers: int) -> Workers:
        """Return a separate pool with the same setup."""
        return Workers(
            self._begin, max_workers=max_workers, seconds=self._seconds, megabytes=self._megabytes, calls=self._calls
        )

    @property
    def state(self) -> WorkersState:
        """Return the statistics of the workers."""
        return replace(self._state, running=len(self._all))

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the ids of the running processes."""
        return tuple(sorted(worker.process.pid for worker in self._all))

    async def run(self, work: Callable[[Argument], Result], argument: Argument, *, key: str = "") -> Result:
        """Call a function in a worker, preferably one that has served this `key`.

        Raises the function's errors, and `ToolError` when the call took too long or its process died twice. A cancelled
        caller stops waiting, and the worker's result is dropped.
        """
        content = await asyncio.to_thread(frame, (work, (argument,)))
        call = asyncio.create_task(self._call(content, key), name="search process")
        self._calls_under_way.add(call)
        call.add_done_callback(self._on_done)
        result = await asyncio.shield(call)
        for name, level, words in result.log_lines:
            logging.getLogger(name).log(level, "%s", words)
        if result.error:
            raise result.error
        value: Result = result.value
        return value

    async def stop(self) -> None:
        """End all workers."""
        calls = [*self._calls_under_way]
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.gather(*(self._let_go(worker) for worker in [*self._all]))
        self._idle.clear()

    def _on_done(self, call: asyncio.Task[Any]) -> None:
        self._calls_under_way.discard(call)
        if not call.cancelled():
            call.exception()  # mark the error of an abandoned call as retrieved

    async def _call(self, content: bytes, key: str) -> CallResult:
        async with self._seats:
            for number in range(1, _TRIES + 1):
                worker = await self._take_worker(key, fresh=number > 1)
                try:
                    async with asyncio.timeout(self._seconds):
                        result = await worker.ask(content)
                except TimeoutError:
                    await self._let_go(worker)
                    self._note(f"took longer than {self._seconds} s and was ended")
                    break
                except (OSError, EOFError):
                    self._note(await self._let_go(worker), is_retried=number < _TRIES)
                except BaseException:
                    await self._let_go(worker)
                    raise
                else:
                    await self._put_back(worker, key, result)
                    return result
            raise ToolError(f"the process that searched {self._state.problem}; the log says more")

    async def _take_worker(self, key: str, *, fresh: bool) -> _Worker:
        """Return an idle worker, preferably one that knows this key, or a new one."""
        if fresh:  # idle workers may have died for the same reason
            await asyncio.gather(*(self._let_go(worker) for worker in [*self._idle]))
        if not self._idle:
            return await self._start_worker()
        best = next((worker for worker in self._idle if key in worker.served), self._idle[-1])
        self._idle.remove(best)
        return best

    async def _put_back(self, worker: _Worker, key: str, result: CallResult) -> None:
        if worker.calls > self._calls or result.megabytes > self._megabytes:
            log.info("a search process with %.0f MB is replaced after %d calls", result.megabytes, worker.calls)
            await self._let_go(worker)
            return
        worker.served.add(key)
        self._idle.append(worker)

    async def _start_worker(self) -> _Worker:
        limits = (str(os.getpid()), str(HARD_MEGABYTES), str(self._seconds + 1))
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-c", _MAIN, *limits),
                env={name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
                | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=1 << 20,
            )
        except OSError as problem:
            raise ToolError(f"no process to search with can be started: {problem.strerror}") from problem
        worker = _Worker(process)
        self._all.add(worker)
        try:
            async with asyncio.timeout(self._seconds):
                result = await worker.ask(frame((self._begin, ())))
        except BaseException as problem:
            how = await self._let_go(worker)
            if isinstance(problem, OSError | EOFError):
                self._note(f"{how} at its start")
                raise ToolError(f"the process that searches {how} at its start; the log says more") from problem
            raise
        if result.error:
            await self._let_go(worker)
            raise result.error
        log.info("a search process was started: %d", process.pid)
        return worker

    async def _let_go(self, worker: _Worker) -> str:
        self._all.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        return await worker.end()

    def _note(self, problem: str, *, is_retried: bool = False) -> None:
        self._state = replace(self._state, lost=self._state.lost + 1, problem=problem)
        log.warning("a search process %s%s", problem, "; its call is repeated" if is_retried else "")
