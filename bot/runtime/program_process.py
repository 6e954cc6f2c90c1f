"""Process that runs one program of the settings to its end: `python -m bot.runtime.program_process DIR`.

The bot starts it. It outlives the bot, knows nothing of Slack, and starts the program at most once, whatever is killed
when.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import ToolError, Unreadable
from bot.models.program_run import ProgramResult
from bot.runtime.child_program import ChildProgram
from bot.runtime.failpoints import passing
from bot.runtime.program_folder import POINT, ProgramFolder
from bot.runtime.program_output import OutputFile
from bot.runtime.workspace_lock import PATIENCE as LOCK_PATIENCE
from bot.runtime.workspace_lock import hold_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bot.models.program_run import ProgramOutcome, ProgramTask
    from bot.runtime.child_program import ProgramEnd

PATIENCE = 5.0
"""Seconds between SIGTERM and SIGKILL at the time limit."""
_WRITE_TRIES = 60
_WRITE_EVERY = 1.0
"""Seconds between two tries to write the end, for a disk that is full for a while."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_VARIABLES = ("PATH", "HOME", "LANG", "TZ")


def pick_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the process and the program get."""
    return {name: environ[name] for name in _VARIABLES if name in environ}


@dataclass(kw_only=True)
class ProgramProcess:
    """One run."""

    folder: ProgramFolder
    environment: dict[str, str]
    patience: float = PATIENCE
    lock_patience: float = LOCK_PATIENCE
    write_every: float = _WRITE_EVERY
    _began: float = field(default_factory=time.monotonic)

    async def run(self) -> int:
        """Run the task unless it was started. Exit codes: 0 there is an end, or another process has the task; 1 the end
        could not be written; 2 there is no task."""
        try:
            handle = self.folder.take_lock()
        except OSError as problem:
            _note(str(problem))
            return 2
        if handle is None:
            return 0
        try:
            return await self._run_once()
        finally:
            os.close(handle)

    async def _run_once(self) -> int:
        try:
            task = self.folder.read_task()
        except Unreadable as problem:
            _note(str(problem))
            return 2
        if task is None:
            return 2
        if self.folder.returned.exists():
            return 0
        async with AsyncExitStack() as stack:
            try:
                if task.workspace:
                    hold = hold_workspace(task.workspace, alone=task.writes, patience=self.lock_patience)
                    await stack.enter_async_context(hold)
            except (ToolError, OSError) as problem:
                end = self._end(task, "not-started", problem=f"It was not started: {problem}.")
                return await self._write(end, tries=_WRITE_TRIES)
            return await self._start(task)

    async def _start(self, task: ProgramTask) -> int:
        """Run the task unless it was started, and write its end."""
        try:
            if not self.folder.mark_started():
                return 0
        except OSError as problem:
            return await self._write(self._end(task, "not-started", problem=_name_fault(problem, self.folder)), tries=1)
        return await self._write(await self._execute(task), tries=_WRITE_TRIES)

    async def _execute(self, task: ProgramTask) -> ProgramResult:
        """Run the program to its end."""
        if not task.cwd.is_dir():
            return self._end(task, "not-started", problem=f"Its working directory {task.cwd} does not exist.")
        output = OutputFile(self.folder.output)
        child = ChildProgram(output.write, patience=self.patience, joins_errors=True)
        environment = self.environment | task.variables
        order = asyncio.ensure_future(child.run(task.argv, cwd=task.cwd, environment=environment))
        self._began = time.monotonic()
        try:
            with passing(f"{POINT}.run", task.name), _cancelled_by_signals(order):
                async with asyncio.timeout(task.timeout_s):
                    end = await order
        except TimeoutError:
            words = f"It took longer than {task.timeout_s:g} s, and was ended."
            if child.lives_on:
                words = f"It took longer than {task.timeout_s:g} s, and could not be ended: another user's rights."
            return self._end(task, "timed-out", problem=words)
        except asyncio.CancelledError:
            return self._end(task, "failed", problem="It was ended from outside before its own end.")
        except OSError as problem:
            return self._end(task, "not-started", problem=f"{task.argv[0]} cannot be started: {problem.strerror}.")
        if end.code < 0:
            words = f"It was ended by {_name_signal(-end.code)}."
            return self._end(task, "failed", exit_code=128 - end.code, problem=words)
        return self._end(task, "failed" if end.code else "succeeded", exit_code=end.code)

    def _end(
        self, task: ProgramTask, outcome: ProgramOutcome, *, exit_code: int | None = None, problem: str = ""
    ) -> ProgramResult:
        took = 0 if outcome == "not-started" else round((time.monotonic() - self._began) * 1_000)
        return ProgramResult(
            run_id=task.run_id, outcome=outcome, exit_code=exit_code, duration_ms=took, problem=problem
        )

    async def _write(self, end: ProgramResult, *, tries: int) -> int:
        """Write the end, again and again where the disk fails; the lock is held meanwhile."""
        for left in reversed(range(tries)):
            try:
                self.folder.write_end(end)
            except OSError as problem:
                if not left or not self.folder.path.exists():
                    _note(f"the end could not be written: {problem}")
                    return 1
                await asyncio.sleep(self.write_every)
            else:
                return 0
        return 1


@contextmanager
def _cancelled_by_signals(order: asyncio.Future[ProgramEnd]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, order.cancel)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


def _note(text: str) -> None:
    """Add a line to the notes in the folder, which are the process's output."""
    with suppress(OSError, UnicodeError):
        print(text, flush=True)  # noqa: T201  # as above


def _name_fault(problem: OSError, folder: ProgramFolder) -> str:
    return f"Its folder {folder.path} cannot be written: {problem.strerror}."


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def main(arguments: list[str]) -> int:
    """Run the task in a folder."""
    folder = ProgramFolder(Path(arguments[0]).absolute())
    return asyncio.run(ProgramProcess(folder=folder, environment=pick_variables(os.environ)).run())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
