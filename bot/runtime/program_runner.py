"""Runner of programs of the settings: each is started once for a person's press, in a process that outlives the bot.

Each step can be repeated: after a crash the same call goes on where the one before ended. A start is on disk three
times: in the audit log, as the task in its folder, and as the mark that the process makes right before the program.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import RetryLater, TriageError
from bot.models.program_run import ProgramResult
from bot.runtime.detached_process import start_detached
from bot.runtime.failpoints import passing
from bot.runtime.program_folder import GONE, POINT, UNKNOWN_ENDS, ProgramFolder, is_run_id, remove_old
from bot.runtime.program_output import read_last_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from bot.decide.redaction.redactor import Redactor
    from bot.models.program_run import ProgramOutcome, ProgramTask
    from bot.ports.outbound import Clock, Journal
    from bot.runtime.program_folder import State

log = logging.getLogger(__name__)

PROCESS = (sys.executable, "-P", "-m", "bot.runtime.program_process")
_STARTS = 3
"""Processes that are started for a run until one comes as far as the program."""
_GLANCE_EVERY = 0.2
_GRACE = timedelta(seconds=150)
"""Time after its limit in which a process ends its program, and writes the end on a disk that is full for a while."""
_LAST_SECONDS = 5.0
"""Seconds for the end of a process that has written its end."""


class ProgramOrder(Protocol):
    """Order of a person to run a program once."""

    @property
    def run_id(self) -> str:
        """Return the id of the run, which never runs twice."""

    @property
    def name(self) -> str:
        """Return the kind and the name of the program, for the log."""

    @property
    def decided_at(self) -> datetime | None:
        """Return the time of the press, or an earlier one at which the run was not known."""

    @property
    def record(self) -> Mapping[str, Any]:
        """Return the fields of its lines in the audit log: `kind`, the program and the person."""

    async def find_refusal(self) -> str:
        """Return the reason why it is not started now, as a sentence; empty without any."""

    def build_task(self, now: datetime) -> ProgramTask:
        """Build the task of its process. Blocking."""

    def note_start(self, now: datetime) -> None:
        """Note that it is about to start."""


@dataclass(kw_only=True)
class ProgramRunner:
    """The runner. `parent` is the folder of all runs' folders; `environment` has the variables of the programs."""

    parent: Path
    environment: Mapping[str, str]
    audit: Journal
    redactor: Redactor
    clock: Clock
    process: Sequence[str] = PROCESS
    """Program and first arguments of a run's process; its folder follows."""
    _begun: set[str] = field(default_factory=set)
    """Runs that this bot has begun."""
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Note the time at which this bot began."""
        self._since = self.clock.now()

    def is_started(self, run_id: str) -> bool:
        """Return whether this run was started, by this process or one before; blocking, for an instant."""
        return is_run_id(run_id) and ProgramFolder(self.parent / run_id).read_state() not in ("empty", "unstarted")

    async def run(self, order: ProgramOrder) -> ProgramResult:
        """Run a program unless it was started; return its result, also that of a run which ended while the bot was
        away. Never starts a run id twice, and raises no `TriageError`: the result says what went wrong."""
        run_id = order.run_id
        if not is_run_id(run_id):
            return _build_result("not-started", run_id, "It has no press that could start it.")
        folder = ProgramFolder(self.parent / run_id)
        is_resumed = run_id not in self._begun
        try:
            result = await self._begin(folder, order) or await self._finish(folder, run_id)
        except (TriageError, OSError) as problem:
            log.warning("run %s of %s: %s", run_id, order.name, problem)
            result = _build_result("unknown", run_id, f"Its folder could not be read: {_name_problem(problem)}")
        redact = partial(self.redactor.redact, repeated=True)
        output = await asyncio.to_thread(read_last_lines, folder.output, redact)
        result = result.evolve(output=output, problem=redact(result.problem))
        await self._record_end(order, result, is_resumed=is_resumed)
        return result

    async def prune(self, keep: timedelta) -> None:
        """Remove the folders of runs that are older; one under way stays."""
        await asyncio.to_thread(remove_old, self.parent, self.clock.now() - keep)

    async def _begin(self, folder: ProgramFolder, order: ProgramOrder) -> ProgramResult | None:
        """Save the task of a run that was not begun; return the result of one that cannot begin."""
        run_id = folder.path.name
        async with self._lock:
            state = await asyncio.to_thread(folder.read_state)
            if state not in ("empty", "unstarted") or (run_id in self._begun and state == "unstarted"):
                self._begun.add(run_id)
                return None
            is_recorded = await self._is_begun(order)
            if state == "empty" and is_recorded:
                return _build_result("unknown", run_id, GONE)
            if refusal := await order.find_refusal():
                return await self._refuse(folder, refusal, state)
            now = self.clock.now()
            try:
                if state == "empty":
                    await asyncio.to_thread(_save_task, folder, order, now)
                if not is_recorded:
                    await self._record(order, "start")
            except (TriageError, OSError) as problem:
                return await self._refuse(folder, f"It could not be recorded: {_name_problem(problem)}.", state)
            self._begun.add(run_id)
            order.note_start(now)
        return None

    async def _refuse(self, folder: ProgramFolder, words: str, state: State) -> ProgramResult | None:
        """Return the result of a run that does not start; `None` if its process has begun meanwhile."""
        if state == "empty":
            await asyncio.to_thread(folder.remove_task)
        elif not await asyncio.to_thread(folder.bar):
            return None
        return _build_result("not-started", folder.path.name, words)

    async def _is_begun(self, order: ProgramOrder) -> bool:
        """Return whether the start of a run was recorded, by this bot or by an earlier one."""
        if order.run_id in self._begun:
            return True
        decided_at = order.decided_at or self._since
        if decided_at >= self._since:
            return False
        return await self._is_recorded(order, "start", decided_at)

    async def _finish(self, folder: ProgramFolder, run_id: str) -> ProgramResult:
        """Start processes until one comes as far as the program; return the result that it leaves."""
        problem = ""
        for _ in range(_STARTS):
            child = None
            if await asyncio.to_thread(folder.read_state) == "unstarted":
                try:
                    child = await asyncio.to_thread(self._start_process, folder)
                except RetryLater as failure:
                    problem = str(failure)
                    continue
            state = await self._wait(folder, child)
            if state != "unstarted":
                return await _read_result(folder, state)
            problem = "its process ended before the program"
        if await asyncio.to_thread(folder.bar):
            return _build_result("not-started", run_id, f"It could not be started: {problem}.")
        return await _read_result(folder, await self._wait(folder, None))

    def _start_process(self, folder: ProgramFolder) -> subprocess.Popen[bytes]:
        with passing(f"{POINT}.spawn", folder.path.name):
            command = [*self.process, str(folder.path)]
            child = start_detached(command, cwd=folder.path, environment=self.environment, output=folder.notes)
        self._children.append(child)
        return child

    async def _wait(self, folder: ProgramFolder, child: subprocess.Popen[bytes] | None) -> State:
        """Wait until a run has an end, its folder is gone, or its process is, or is stuck; return its state.
        A cancelled call ends nothing."""
        task = await asyncio.to_thread(folder.read_task)
        until = self.clock.now() + timedelta(seconds=task.timeout_s if task else 0.0) + _GRACE
        while True:
            has_left = child is None or child.poll() is not None  # before the look at the folder: it may end between
            state = await asyncio.to_thread(folder.read_state)
            is_waiting = state == "running" or (state == "unstarted" and not has_left)
            if not is_waiting or self.clock.now() >= until:
                break
            await self.clock.sleep(_GLANCE_EVERY)
        if child and state == "ended":
            with suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(child.wait, _LAST_SECONDS)
        self._children = [each for each in self._children if each.poll() is None]
        return state

    async def _record_end(self, order: ProgramOrder, result: ProgramResult, *, is_resumed: bool) -> None:
        """Record an end in the audit log, once."""
        since = order.decided_at or self._since
        try:
            if is_resumed and since < self._since and await self._is_recorded(order, "end", since):
                return
            await self._record(order, "end", **result.model_dump(mode="json", exclude={"run_id"}))
        except TriageError as problem:
            log.warning("the end of run %s is not in the audit log: %s", result.run_id, problem)

    async def _record(self, order: ProgramOrder, action: str, **fields: Any) -> None:
        own = {"at": self.clock.now().isoformat(), "action": action, "run_id": order.run_id}
        await self.audit.append({**order.record, **own, **fields}, may_be_lost=True)

    async def _is_recorded(self, order: ProgramOrder, action: str, since: datetime) -> bool:
        wanted = (order.record["kind"], action, order.run_id)
        async for record in self.audit.records(since=since):
            if (record.get("kind"), record.get("action"), record.get("run_id")) == wanted:
                return True
        return False


def describe_delay(age: timedelta, latest: timedelta) -> str:
    """Return the reason why a start so long after the press is too late, as a sentence; empty if it is not."""
    if age <= latest:
        return ""
    minutes = round(age.total_seconds() / 60)
    return f"It was approved {minutes} minutes ago, and could not start since: that is too long ago."


def _save_task(folder: ProgramFolder, order: ProgramOrder, now: datetime) -> None:
    folder.save_task(order.build_task(now))


def _build_result(outcome: ProgramOutcome, run_id: str, problem: str) -> ProgramResult:
    return ProgramResult(run_id=run_id, outcome=outcome, problem=problem)


async def _read_result(folder: ProgramFolder, state: State) -> ProgramResult:
    result = await asyncio.to_thread(folder.read_end) if state == "ended" else None
    return result or _build_result("unknown", folder.path.name, UNKNOWN_ENDS[state])


def _name_problem(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
