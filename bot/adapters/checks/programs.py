"""Batches of names for a program: checks that are due together share one process, which ends at its time limit."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.adapters.checks.outcome import Outcome, describe_fault, describe_os_error, down, unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

log = logging.getLogger(__name__)

_GATHER_S = 0.05
"""Seconds in which the first name of a batch waits for others."""
_MOST_NAMES = 500
_DAEMON_GONE = ("cannot connect to the docker daemon", "error during connect")
"""Words of docker where its daemon does not run, and so no container."""
_MOST_OUTPUT = 16_777_216
"""Bytes of output that are read."""
_PASSED_ON = (
    *("PATH", "HOME", "TZ", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_TLS"),
)


class ProgramProbe:
    """Runner of one program, one process at a time."""

    def __init__(
        self,
        program: str,
        arguments: Sequence[str],
        parse: Callable[[Sequence[str], str, str], Mapping[str, Outcome]],
        *,
        environment: Mapping[str, str],
        timeout_s: float,
    ) -> None:
        self._program, self._arguments, self._parse, self._timeout_s = program, arguments, parse, timeout_s
        self._environment = {name: environment[name] for name in _PASSED_ON if name in environment} | {"LC_ALL": "C"}
        self._waiting: dict[str, asyncio.Future[Outcome]] = {}
        self._task: asyncio.Task[None] | None = None

    async def probe(self, name: str) -> Outcome:
        """Return the state of a container or unit, from the next process. May raise `TimeoutError`."""
        future = self._waiting.get(name)
        if future is None:
            self._waiting[name] = future = asyncio.get_running_loop().create_future()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name=f"checks by {self._program}")
        return await asyncio.shield(future)

    async def close(self) -> None:
        """End the process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting:
            await asyncio.sleep(_GATHER_S)
            names = [*self._waiting][:_MOST_NAMES]
            futures = {name: self._waiting.pop(name) for name in names}
            try:
                outcomes = await self._run(names)
            except Exception as problem:
                log.exception("the states of %s could not be read", self._program)
                outcomes = dict.fromkeys(names, unchecked(describe_fault(problem)))
            for name, future in futures.items():
                if not future.done():
                    future.set_result(outcomes.get(name) or unchecked(f"{self._program} says nothing about {name}"))

    async def _run(self, names: Sequence[str]) -> Mapping[str, Outcome]:
        """Run the program once; return an outcome by name, the same for all if it fails as a whole."""
        place = shutil.which(self._program, path=self._environment.get("PATH"))
        if place is None:
            return dict.fromkeys(names, unchecked(f"{self._program} is not in the PATH of the bot"))
        try:
            output, complaint, code = await run_program(
                (place, *self._arguments, *names), environment=self._environment, timeout_s=self._timeout_s
            )
        except TimeoutError:
            return dict.fromkeys(names, down(f"{self._program} gave no answer within {self._timeout_s:g} s"))
        except OSError as problem:
            return dict.fromkeys(names, unchecked(f"{self._program} cannot be started: {describe_os_error(problem)}"))
        outcomes = self._parse(names, output, complaint)
        if code and not outcomes:
            lines = complaint.strip().splitlines() or [f"signal {-code}" if code < 0 else f"exit code {code}"]
            is_gone = any(words in complaint.lower() for words in _DAEMON_GONE)
            build = down if is_gone else unchecked  # of another failure of the program itself nothing is known
            return dict.fromkeys(names, build(f"{self._program}: {lines[0]}"))
        return outcomes


async def run_program(
    command: Sequence[str], *, environment: Mapping[str, str], timeout_s: float
) -> tuple[str, str, int]:
    """Run a program in its own process group; return its output, its complaints and its exit code.

    Raises `TimeoutError`, and `OSError` if it does not start. Its group does not outlive the time limit.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(timeout_s):
            output, complaint, code = await asyncio.gather(_read(process.stdout), _read(process.stderr), process.wait())
    except BaseException:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        raise
    return output, complaint, code


async def _read(stream: asyncio.StreamReader | None) -> str:
    """Read the output to its end; keep its beginning."""
    kept = bytearray()
    while stream is not None and (piece := await stream.read(65_536)):
        kept += piece[: max(0, _MOST_OUTPUT - len(kept))]
    return kept.decode("utf-8", errors="replace")
