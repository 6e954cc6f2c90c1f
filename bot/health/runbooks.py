"""Runbooks: programs of the settings, each started once by an operator's press, in a process that outlives the bot.

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
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.decide.health.proposals import describe_change, describe_health
from bot.errors import RetryLater, TriageError
from bot.health.offered_runbooks import list_runbooks
from bot.health.runbook_folder import GONE, UNKNOWN_ENDS, RunbookFolder, is_run_id, list_tasks, remove_old
from bot.health.runbook_output import read_last_lines
from bot.models.runbook import RunbookEnd, RunbookTask
from bot.runtime.detached_process import start_detached
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bot.config.sections.health import RunbookSection
    from bot.decide.redaction.redactor import Redactor
    from bot.health.runbook_folder import State
    from bot.models.incident import Remedy, RemedyOutcome
    from bot.models.runbook import RunbookProposal
    from bot.ports.outbound import Clock, Journal

log = logging.getLogger(__name__)

PROCESS = (sys.executable, "-P", "-m", "bot.health.runbook_process")
KIND = "runbook"
"""`kind` of its lines in the audit log."""
_STARTS = 3
"""Processes that are started for a run until one comes as far as the program."""
_GLANCE_EVERY = 0.2
_LATEST = timedelta(minutes=15)
"""Time after the press in which a runbook starts; a bot that was away or paused for longer starts nothing."""
_GRACE = timedelta(seconds=150)
"""Time after its limit in which a process ends its program, and writes the end on a disk that is full for a while."""
_LAST_SECONDS = 5.0
"""Seconds for the end of a process that has written its end."""


@dataclass(kw_only=True)
class RunbookRunner:
    """The runner. `parent` is the folder of all runs' folders; `cwd` and `environment` are those of the programs."""

    parent: Path
    cwd: Path
    environment: Mapping[str, str]
    runbooks: Sequence[RunbookSection]
    audit: Journal
    redactor: Redactor
    clock: Clock
    is_failing: Callable[[str], bool]
    """Return whether the last run of a service's checks was degraded or down."""
    is_back: Callable[[str], bool]
    """Return whether a service that failed has recovered: two healthy runs in a row."""
    process: Sequence[str] = PROCESS
    """Program and first arguments of a run's process; its folder follows."""
    _begun: set[str] = field(default_factory=set)
    """Runs that this bot has begun."""
    _starts: dict[str, tuple[str, datetime]] | None = None
    """Runbook and time of each start, by run."""
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Note the time at which this bot began."""
        self._since = self.clock.now()

    def list_proposals(self, services: Sequence[str], tier: int) -> tuple[RunbookProposal, ...]:
        """Return the runbooks that an agent of a tier may propose now for those of these services that are failing."""
        return tuple(runbook for runbook, why in self._list_for(services, tier) if not why)

    def list_withheld(self, services: Sequence[str], tier: int) -> tuple[tuple[RunbookProposal, str], ...]:
        """Return the runbooks for these services that the agent may not propose now, each with the reason, a clause."""
        return tuple((runbook, why) for runbook, why in self._list_for(services, tier) if why)

    def _list_for(self, services: Sequence[str], tier: int) -> Iterator[tuple[RunbookProposal, str]]:
        return list_runbooks(self.runbooks, services, tier, is_back=self.is_back, find_rest=self._find_cooldown)

    def describe_change(self, remedy: Remedy, services: Sequence[str]) -> str:
        """Return in a sentence how the settings differ from a proposal for these services; empty if they do not."""
        section = self._find_section(remedy.runbook)
        proposal, tiers = (section.as_proposal(), section.tiers) if section else (None, ())
        return describe_change(remedy, proposal, services, tiers)

    def describe_rest(self, runbook: str) -> str:
        """Return the reason why a runbook has to rest now, as a sentence; empty if it has not."""
        section = self._find_section(runbook)
        return self._find_cooldown(section) if section else ""

    def describe_health(self, runbook: str) -> str:
        """Return in a sentence that no service of a runbook is failing now; empty if one is."""
        section = self._find_section(runbook)
        return describe_health(section.as_proposal(), self.is_failing) if section else ""

    def is_started(self, run_id: str) -> bool:
        """Return whether this run was started, by this process or one before; blocking, for an instant."""
        return is_run_id(run_id) and RunbookFolder(self.parent / run_id).read_state() not in ("empty", "unstarted")

    async def run(self, remedy: Remedy) -> RunbookEnd:
        """Run the approved remedy unless it was started; return its end, also that of a run which ended while the bot
        was away. Never starts a run id twice, and raises no `TriageError`: the end says what went wrong."""
        run_id = remedy.run_id or ""
        if not is_run_id(run_id):
            return _build_end("not-started", run_id, "It has no press that could start it.")
        folder = RunbookFolder(self.parent / run_id)
        is_resumed = run_id not in self._begun
        try:
            end = await self._begin(folder, remedy) or await self._finish(folder, run_id)
        except (TriageError, OSError) as problem:
            log.warning("run %s of the runbook %s: %s", run_id, remedy.runbook, problem)
            end = _build_end("unknown", run_id, f"Its folder could not be read: {_name_problem(problem)}")
        if end.outcome == "not-started" and self._starts:
            self._starts.pop(run_id, None)
        redact = partial(self.redactor.redact, repeated=True)
        output = await asyncio.to_thread(read_last_lines, folder.output, redact)
        end = end.evolve(output=output, problem=redact(end.problem))
        await self._record_end(remedy, end, is_resumed=is_resumed)
        return end

    async def prune(self, keep: timedelta) -> None:
        """Remove the folders of runs that are older; one under way, or one that a runbook still rests after, stays."""
        rest = max((timedelta(minutes=each.cooldown_min) for each in self.runbooks), default=timedelta())
        await asyncio.to_thread(remove_old, self.parent, self.clock.now() - max(keep, rest))

    async def _begin(self, folder: RunbookFolder, remedy: Remedy) -> RunbookEnd | None:
        """Save the task of a run that was not begun; return the end of one that cannot begin."""
        run_id = folder.path.name
        async with self._lock:
            state = await asyncio.to_thread(folder.read_state)
            if state not in ("empty", "unstarted") or (run_id in self._begun and state == "unstarted"):
                self._begun.add(run_id)
                return None
            is_recorded = await self._is_begun(remedy, run_id)
            if state == "empty" and is_recorded:
                return _build_end("unknown", run_id, GONE)
            if refusal := self._find_refusal(remedy):
                return await self._refuse(folder, refusal, state)
            now = self.clock.now()
            try:
                if state == "empty":
                    await asyncio.to_thread(folder.save_task, self._build_task(remedy, run_id, now))
                if not is_recorded:
                    await self._record(remedy, "start")
            except (TriageError, OSError) as problem:
                return await self._refuse(folder, f"It could not be recorded: {_name_problem(problem)}.", state)
            self._begun.add(run_id)
            self._list_starts()[run_id] = remedy.runbook, now
        return None

    def _build_task(self, remedy: Remedy, run_id: str, now: datetime) -> RunbookTask:
        approved = remedy.model_dump(include={"runbook", "argv", "timeout_s"})  # the same as in the settings
        return RunbookTask(run_id=run_id, cwd=self.cwd, at=now, **approved)

    async def _refuse(self, folder: RunbookFolder, words: str, state: State) -> RunbookEnd | None:
        """Return the end of a run that does not start; `None` if its process has begun meanwhile."""
        if state == "empty":
            await asyncio.to_thread(folder.remove_task)
        elif not await asyncio.to_thread(folder.bar):
            return None
        return _build_end("not-started", folder.path.name, words)

    async def _is_begun(self, remedy: Remedy, run_id: str) -> bool:
        """Return whether the start of a run was recorded, by this bot or by an earlier one."""
        if run_id in self._begun:
            return True
        decided_at = remedy.decided_at or self._since
        if decided_at >= self._since:
            return False
        return await self._is_recorded(run_id, "start", decided_at)

    def _find_refusal(self, remedy: Remedy) -> str:
        """Return the reason why a remedy is not started, as the settings and the clock are now; empty without any."""
        section = self._find_section(remedy.runbook)
        change = self.describe_change(remedy, section.services if section else ())
        if section is None or change:
            return change
        age = self.clock.now() - (remedy.decided_at or self.clock.now())
        if age > _LATEST:
            minutes = round(age.total_seconds() / 60)
            return f"It was approved {minutes} minutes ago, and could not start since: that is too long ago."
        return self.describe_health(section.name) or self._find_cooldown(section, remedy.run_id)

    def _find_section(self, runbook: str) -> RunbookSection | None:
        return next((each for each in self.runbooks if each.name == runbook), None)

    def _find_cooldown(self, section: RunbookSection, own: str | None = None) -> str:
        """Return the reason why a runbook has to rest, empty if it has not; its `own` run does not count."""
        starts = self._list_starts().items()
        times = [at for run_id, (runbook, at) in starts if runbook == section.name and run_id != own]
        if not times or self.clock.now() - max(times) >= timedelta(minutes=section.cooldown_min):
            return ""
        minutes, at = f"{section.cooldown_min:g} minutes", f"{max(times):%Y-%m-%d %H:%M} UTC"
        return f"It was started at {at}, and the settings let it rest for {minutes} after a start."

    def _list_starts(self) -> dict[str, tuple[str, datetime]]:
        if self._starts is None:
            self._starts = {
                task.run_id: (task.runbook, task.at)
                for folder, task in list_tasks(self.parent)
                if not folder.was_not_started()
            }
        return self._starts

    async def _finish(self, folder: RunbookFolder, run_id: str) -> RunbookEnd:
        """Start processes until one comes as far as the program; return the end that it leaves."""
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
                return await _read_end(folder, state)
            problem = "its process ended before the program"
        if await asyncio.to_thread(folder.bar):
            return _build_end("not-started", run_id, f"It could not be started: {problem}.")
        return await _read_end(folder, await self._wait(folder, None))

    def _start_process(self, folder: RunbookFolder) -> subprocess.Popen[bytes]:
        with passing("runbooks.spawn", folder.path.name):
            command = [*self.process, str(folder.path)]
            child = start_detached(command, cwd=folder.path, environment=self.environment, output=folder.notes)
        self._children.append(child)
        return child

    async def _wait(self, folder: RunbookFolder, child: subprocess.Popen[bytes] | None) -> State:
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

    async def _record_end(self, remedy: Remedy, end: RunbookEnd, *, is_resumed: bool) -> None:
        """Record an end in the audit log, once."""
        since = remedy.decided_at or self._since
        try:
            if is_resumed and since < self._since and await self._is_recorded(end.run_id, "end", since):
                return
            fields = end.model_dump(mode="json", exclude={"run_id"})
            await self._record(remedy, "end", **fields)
        except TriageError as problem:
            log.warning("the end of run %s is not in the audit log: %s", end.run_id, problem)

    async def _record(self, remedy: Remedy, action: str, **fields: Any) -> None:
        record = {"kind": KIND, "at": self.clock.now().isoformat(), "action": action, "run_id": remedy.run_id}
        own = {"runbook": remedy.runbook, "argv": [*remedy.argv], "user_id": remedy.decided_by, "tier": remedy.tier}
        if remedy.first_by:
            own["first_user_id"] = remedy.first_by
        await self.audit.append({**record, **own, **fields}, may_be_lost=True)

    async def _is_recorded(self, run_id: str, action: str, since: datetime) -> bool:
        async for record in self.audit.records(since=since):
            if (record.get("kind"), record.get("action"), record.get("run_id")) == (KIND, action, run_id):
                return True
        return False


def _build_end(outcome: RemedyOutcome, run_id: str, problem: str) -> RunbookEnd:
    return RunbookEnd(run_id=run_id, outcome=outcome, problem=problem)


async def _read_end(folder: RunbookFolder, state: State) -> RunbookEnd:
    end = await asyncio.to_thread(folder.read_end) if state == "ended" else None
    return end or _build_end("unknown", folder.path.name, UNKNOWN_ENDS[state])


def _name_problem(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
