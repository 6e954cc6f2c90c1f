"""Drafter of fixes (`FixDrafter`): starts one process for each order, waits for its end, and makes the proposal.

    fixes/<run_id>/     task.json, lock, session.json, transcript.log, return.json, .done, kill.json, result.json

The process outlives the bot. All that a later bot needs stands in its folder, so that each step can be repeated: an
order whose process was begun is only waited for, and one whose end is known has that end.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.defects import find_defect
from bot.decide.redaction.redacted_facts import redact_fact
from bot.errors import ToolError, TriageError, Unreadable
from bot.escalation.ends import KillOrder
from bot.escalation.fix_conditions import find_project_fault
from bot.escalation.folder import RunFolder, list_folders
from bot.models.fix import MAX_ROUNDS, FixResult
from bot.models.fix_task import FixTask
from bot.runtime.program_folder import is_run_id, remove_old
from bot.runtime.system_events import record_event

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.environment import EnvironmentBuilder
    from bot.escalation.fix_ends import FixEnds
    from bot.escalation.fix_money import FixMoney
    from bot.escalation.launcher import Launcher
    from bot.models.fix import FixOrder
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.models.workspace import WorkRepository, Workspace
    from bot.ports.forge import Forge
    from bot.ports.outbound import Clock
    from bot.ports.workspaces import Workspaces
    from bot.triage.controls import Controls
    from bot.triage.projects import Projects
    from bot.triage.work_repositories import WorkRepositories

log = logging.getLogger(__name__)

GRACE = timedelta(seconds=60)
"""Time after its limit in which a process ends itself, and after its start in which it begins."""
KEEP = timedelta(days=7)
"""Time for which the folder of a run is kept."""
MAX_QUESTION_CHARS = 8_000
_GLANCE_EVERY = 1.0
_COPY_SECONDS = 60.0
"""Seconds for the copy of a workspace before a check."""
_LAST_SECONDS = 10.0
"""Seconds for the end of a process that has written its result."""
_NO_RUN = "It has no press that could start it."
_STOPPED_RUN = KillOrder(outcome="cancelled", reason="It was stopped")
_STOPPED = KillOrder(outcome="cancelled", reason="An admin stopped Triage, which ended it")


@dataclass(frozen=True, kw_only=True)
class HeadlessFixes:
    """The drafter. `parent` is the folder of all runs' folders."""

    parent: Path
    home: Path
    settings: Settings
    projects: Projects
    repositories: WorkRepositories
    workspaces: Workspaces
    forge: Forge
    launcher: Launcher
    environments: EnvironmentBuilder
    money: FixMoney
    ends: FixEnds
    controls: Controls
    redactor: Redactor
    clock: Clock
    glance_every: float = _GLANCE_EVERY

    def find_refusal(self, thread: Thread) -> str | None:
        """Return why no fix of the thread's findings can be drafted (`FixDrafter`)."""
        if find_defect(thread) is None:
            return "The findings name no defect at a place that code has opened."
        project = self._find_project(thread)
        if project is None:
            return "The project of the findings is no longer there."
        return find_project_fault(project, self.settings, self.forge) or None

    def find_repository(self, thread: Thread) -> str | None:
        """Return the name of the repository in which the defect of the findings is (`FixDrafter`)."""
        project = self._find_project(thread)
        return project.name if project and project.repository else None

    def is_started(self, run_id: str) -> bool:
        """Return whether the run of an order was started (`FixDrafter`); blocking, for an instant."""
        return is_run_id(run_id) and RunFolder(self.parent / run_id).read_state() not in ("empty", "unstarted")

    async def draft(self, thread: Thread, order: FixOrder) -> FixResult:
        """Start the run of an order unless it was started, and return its end (`FixDrafter`)."""
        if not is_run_id(order.run_id):
            return FixResult(problem=_NO_RUN)
        folder = RunFolder(self.parent / order.run_id)
        try:
            task = await self._start(folder, thread, order)
            await self._wait(folder, task)
        except (TriageError, OSError) as problem:
            log.warning("fix %s: %s", order.run_id, problem)
            return FixResult(problem=f"It could not be started: {_name(problem)}.")
        return await self.ends.conclude(folder, task, thread, order)

    async def stop(self, run_id: str) -> None:
        """End the process of a run with all that it started (`FixDrafter`)."""
        if is_run_id(run_id):
            folder = RunFolder(self.parent / run_id)
            if await asyncio.to_thread(folder.read_state) in ("unstarted", "running"):
                await self._end(folder, _STOPPED if self.controls.state == "stopped" else _STOPPED_RUN)

    async def begin(self) -> None:
        """Book the cost of runs that ended while no bot was there, and whose threads wait for them no longer."""
        folders = {}
        for folder in await asyncio.to_thread(list_folders, self.parent):
            if task := await asyncio.to_thread(_read_task, folder):
                folders[task.session_id] = (folder, task)
        for session in await self.money.list_open():
            if session.session_id not in folders:
                await self.money.drop(session)
            elif await asyncio.to_thread(folders[session.session_id][0].read_state) in ("ended", "died"):
                await self.ends.settle(*folders[session.session_id])

    async def prune(self) -> None:
        """Remove the folders of old runs; one under way stays."""
        await asyncio.to_thread(remove_old, self.parent, self.clock.now() - KEEP)

    async def _start(self, folder: RunFolder, thread: Thread, order: FixOrder) -> FixTask:
        """Return the task of a run, whose process was started now or before. Raises `TriageError` and `OSError`."""
        task = await asyncio.to_thread(folder.read_record, folder.task, FixTask)
        if task is None:
            task = await self._build(thread, order)
            await asyncio.to_thread(folder.save_task, task.model_dump(mode="json"))  # it names who holds the money
        if not task.usd:
            try:
                task = await self.money.hold(task)
                await asyncio.to_thread(folder.save_task, task.model_dump(mode="json"))
            except (TriageError, OSError):
                await self.ends.settle(folder, task)
                await self.ends.drop_workspace(task, order)
                await asyncio.to_thread(shutil.rmtree, folder.path, ignore_errors=True)
                raise
        if await asyncio.to_thread(folder.read_state) == "unstarted" and not folder.kill_order.exists():
            await self._launch(folder, task)
        return task

    async def _build(self, thread: Thread, order: FixOrder) -> FixTask:
        """Prepare the workspace; return the task. Raises `ToolError` if there can be none, and `RetryLater`."""
        findings, project = thread.investigator_return, self._find_project(thread)
        if refusal := self.find_refusal(thread):
            raise ToolError(refusal.rstrip("."))
        if findings is None or project is None or project.check is None:
            raise ToolError("the findings are no longer there")
        repository = await self.repositories.get(order.repository)
        workspace = await self._prepare(repository, order)
        now, section = self.clock.now(), self.settings.tiers.get_tier(2)
        seconds = section.hard_cap_runtime_min * 60
        return FixTask(
            run_id=order.run_id,
            session_id=f"{now:%Y%m%dT%H%M%S}-{self.clock.new_id()}",
            thread_id=thread.thread_id,
            project=project.name,
            description=project.description,
            ignore=project.ignore,
            links=await self.workspaces.list_links(repository, order.slug),
            check=project.check,
            folder=workspace.folder,
            base=workspace.head,
            defect=redact_fact(order.defect, self.redactor),
            question=self.redactor.redact(thread.read_question)[:MAX_QUESTION_CHARS],
            findings=redact_fact(findings, self.redactor),
            settings_file=self.settings.path and self.settings.path.absolute(),
            home=self.home,
            usd=0.0,
            seconds=seconds,
            most_seconds=seconds + (MAX_ROUNDS + 1) * (project.check.timeout_s + _COPY_SECONDS),
            at=now,
        )

    async def _prepare(self, repository: WorkRepository, order: FixOrder) -> Workspace:
        workspace = await self.workspaces.prepare(repository, order.slug, base=order.base)
        is_new = workspace.head == workspace.base
        if not is_new or await self.workspaces.changed_files(repository, order.slug):
            raise ToolError(f"the branch {workspace.branch} has changes already")
        return workspace

    async def _launch(self, folder: RunFolder, task: FixTask) -> None:
        """Start the process. An error becomes the end of the run, since a second start would need a press."""
        try:
            environment = await asyncio.to_thread(self.environments.build, None)
            launched = await asyncio.to_thread(self.launcher.start, folder, f"fix-{task.run_id}", environment)
        except (TriageError, OSError) as problem:
            await self._end(folder, KillOrder(outcome="failed", reason=f"Its process could not be started: {problem}"))
            return
        way = f"in the tmux session {launched.tmux_session}" if launched.tmux_session else "as a detached process"
        record_event("info", task.session_id, f"Fix {task.run_id} started, {way}")

    async def _wait(self, folder: RunFolder, task: FixTask) -> None:
        """Wait for the end of a process, and end one that does not begin or end in time."""
        since = self.clock.now()
        while (state := await asyncio.to_thread(folder.read_state)) in ("unstarted", "running"):
            if order := await asyncio.to_thread(
                self._find_order, folder, task, is_begun=state == "running", since=since
            ):
                await self._end(folder, order)
            else:
                await self.clock.sleep(self.glance_every)
        until = self.clock.now() + timedelta(seconds=_LAST_SECONDS)
        while await asyncio.to_thread(folder.find_process) is not None and self.clock.now() < until:
            await self.clock.sleep(self.glance_every / 5)
        await asyncio.to_thread(self.launcher.reap)

    def _find_order(self, folder: RunFolder, task: FixTask, *, is_begun: bool, since: datetime) -> KillOrder | None:
        """Return the reason why a run must end now; blocking."""
        now = self.clock.now()
        if self.controls.state == "stopped" or folder.kill_order.exists():
            return _STOPPED
        if not is_begun and now - since > GRACE:
            return KillOrder(outcome="died", reason="Its process did not begin within a minute")
        if now - task.at > timedelta(seconds=task.most_seconds) + 2 * GRACE:
            late = f"It took longer than {task.most_seconds / 60:.3g} minutes, and was ended"
            return KillOrder(outcome="limit", reason=late)
        return None

    async def _end(self, folder: RunFolder, order: KillOrder) -> None:
        """End a process by force, and let none begin any more; its reason is saved first."""
        if not await asyncio.to_thread(folder.kill_order.exists):
            await asyncio.to_thread(folder.write, folder.kill_order, order.model_dump(mode="json"))
        await asyncio.to_thread(self.launcher.kill, folder)
        await asyncio.to_thread(folder.bar)

    def _find_project(self, thread: Thread) -> Project | None:
        name = thread.project or ""
        return next((part for part in self.projects.roots_of(name.partition("/")[0]) if part.name == name), None)


def _read_task(folder: RunFolder) -> FixTask | None:
    try:
        return folder.read_record(folder.task, FixTask)
    except Unreadable as problem:
        log.warning("%s", problem)
        return None


def _name(problem: TriageError | OSError) -> str:
    text = problem.strerror if isinstance(problem, OSError) else str(problem)
    return (text or "see the log").rstrip(".")
