"""Deletion of the belongings of a project: tasks, notes, the channels that were created for it.

The deletion is saved together with the project's end; each step may be repeated, so that a restart finishes it. Folders
of people and journals are never touched.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.decide.refusals import administration_refusal
from bot.decide.workflow import list_side_effects
from bot.errors import Refused, RetryLater, TriageError
from bot.models.status import WORKED_ON
from bot.models.thread_event import Dismiss
from bot.runtime.retry import sleep_unless
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.models.project import DeletedProject
    from bot.models.thread import Thread
    from bot.ports.notes import ProjectNotes
    from bot.ports.outbound import Clock
    from bot.ports.slack import ChannelAdministration
    from bot.ports.workspaces import Workspaces
    from bot.surfaces.notices import PersonalNotices
    from bot.triage.channel_watch import ChannelWatch
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.projects import Projects
    from bot.triage.thread_removal import ThreadRemoval
    from bot.triage.work_repositories import WorkRepositories

log = logging.getLogger(__name__)

EVERY = 30.0
"""Seconds until what is left is tried again."""
_MAX_TRIES = 10
"""Tries after which a thread goes whose card Slack does not take."""
_BUSY = (*WORKED_ON, "approved", "in-doubt")
"""Statuses of threads that hold up a deletion."""


@dataclass(frozen=True, kw_only=True)
class Belongings:
    """Belongings of a project besides its code."""

    threads: int
    undecided: int
    """Threads among them that are open."""
    questions: int
    """Questions among them that are not investigated yet."""
    tasks: int
    """Created tasks among them that have not started."""
    busy: tuple[str, ...]
    """Tasks among them in progress."""
    dependents: tuple[str, ...]
    """Open tasks of other projects that depend on one of them."""
    notes: int
    channels: tuple[str, ...]
    """Channels that were created for it and have no other project."""
    open_elsewhere: dict[str, int]
    """Number of open threads of other projects in each of these channels, if any."""


@dataclass
class DeletionReport:
    """Progress of a deletion."""

    threads: int = 0
    notes: int = 0
    archived: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Reason for each channel that Slack does not archive."""
    is_finished: bool = False


@dataclass(kw_only=True)
class ProjectBelongings:
    """Counts and deletes what belongs to projects, and finishes after a restart what was begun before."""

    projects: Projects
    orchestrator: Orchestrator
    removal: ThreadRemoval
    notes: ProjectNotes
    slack: ChannelAdministration
    watch: ChannelWatch
    notices: PersonalNotices
    clock: Clock
    repositories: WorkRepositories
    workspaces: Workspaces
    news: asyncio.Event = field(default_factory=asyncio.Event)
    _reports: dict[str, DeletionReport] = field(default_factory=dict)
    _tries: dict[str, int] = field(default_factory=dict)
    _settling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def count(self, name: str) -> Belongings:
        """Count what belongs to a project."""
        threads = [thread async for thread in self._threads_of(name)]
        ids = {thread.thread_id for thread in threads}
        tasks = self.orchestrator.open_threads.tasks.open.values()
        dependents = [
            t.task for t in tasks if t.thread_id not in ids and t.order and ids.intersection(t.order.depends_on)
        ]
        open_ids = [thread.thread_id for thread in threads if thread.is_open]
        channels = self._find_channels(name)
        elsewhere = {channel: self.orchestrator.open_threads.in_channel(channel) for channel in channels}
        left = {channel: len({*inside} - {*open_ids}) for channel, inside in elsewhere.items()}
        return Belongings(
            threads=len(threads),
            undecided=len(open_ids),
            questions=sum(not thread.is_about_order for thread in threads if self._waits(thread)),
            tasks=sum(thread.is_about_order for thread in threads if self._waits(thread)),
            busy=tuple(thread.task for thread in threads if self._is_busy(thread)),
            dependents=tuple(dependents),
            notes=len(await self.notes.list_all(name)),
            channels=channels,
            open_elsewhere={channel: number for channel, number in left.items() if number},
        )

    async def delete(self, name: str, rest: DeletedProject) -> DeletionReport:
        """Delete a project, then what belongs to it; return what was done by now. Raises `RetryLater` if nothing is
        saved."""
        async with self._settling:
            await self.projects.delete(name, rest if rest.with_data or rest.channels else None)
            report = self._reports[name] = DeletionReport()
            if name not in self._deletions:
                report.is_finished = True
                return report
            try:
                for _ in range(3):
                    await self._step(name, rest)
                    if report.is_finished:
                        break
                    await self.clock.sleep(1)  # the cards of closed threads are being updated
            except TriageError as problem:
                log.warning("the deletion of %s: %s; it is tried again", name, problem)
            finally:
                self.news.set()
            return report

    async def run(self) -> None:
        """Finish what was begun, at every change and again after a while, until cancelled."""
        while True:
            self.news.clear()
            for name in [*self._deletions]:
                try:
                    await self._finish(name)
                except TriageError as problem:
                    log.warning("the deletion of %s: %s; it is tried again", name, problem)
                except Exception:  # one project must not hold up the others
                    log.exception("the deletion of %s failed; it is tried again", name)
            if self._deletions:
                await sleep_unless(self.clock, EVERY, unless=self.news)
            else:
                await self.news.wait()

    async def _finish(self, name: str) -> None:
        async with self._settling:
            if rest := self._deletions.get(name):
                await self._step(name, rest)
                if self._reports[name].is_finished:
                    await self.notices.tell(rest.by, f"All that belonged to the project `{name}` is deleted.")

    async def _step(self, name: str, rest: DeletedProject) -> None:
        """Do what can be done now."""
        report = self._reports.setdefault(name, DeletionReport())
        if rest.with_data:
            if not await self._remove_threads(name, rest, report):
                return
            report.notes += await self.notes.remove_all(name)
            await self.repositories.remove_project(name)
            await self.workspaces.remove_project(name)
        for channel in rest.channels:
            await self._archive(channel, report)
        await self.projects.update(lambda records: records.without_deletion(name))
        self._tries.pop(name, None)
        report.is_finished = True

    async def _remove_threads(self, name: str, rest: DeletedProject, report: DeletionReport) -> bool:
        """Close and remove the threads of a project; return whether none is left."""
        tries = self._tries[name] = self._tries.get(name, 0) + 1
        is_empty = True
        async for thread in self._threads_of(name):
            if thread.is_open:
                fields: dict[str, Any] = {"at": self.clock.now(), "fresh": self.clock.new_id(), "by": rest.by}
                await self.orchestrator.submit(thread.thread_id, Dismiss(**fields, **thread.press_ids))
                is_empty = False
            elif await self.removal.remove(thread, is_late=tries > _MAX_TRIES):
                report.threads += 1
            else:
                is_empty = False
        return is_empty

    async def _archive(self, channel: str, report: DeletionReport) -> None:
        """Archive a channel, which is no longer watched then. Raises `RetryLater`."""
        created = self.projects.settings_by_command.created_channels.get(channel)
        if created is None:
            return
        await self.watch.stop(channel)  # first: its end is no loss
        try:
            await self.slack.archive(channel)
        except Refused as problem:
            report.refused[channel] = administration_refusal(problem)
            await self.watch.start(channel, created.name, since=self.clock.now())
            return
        await self.projects.update(lambda records: records.without_channel(channel))
        report.archived.append(channel)

    async def _threads_of(self, name: str) -> AsyncIterator[Thread]:
        for thread_id in await self.orchestrator.store.thread_ids():
            try:
                thread = await self.orchestrator.store.load(thread_id)
            except RetryLater:
                raise
            except TriageError as problem:  # its next event sets it aside
                log.warning("%s", problem)
                continue
            if thread and assigned_project(thread) == name:
                yield thread

    def _waits(self, thread: Thread) -> bool:
        """Return whether the work on a thread has not begun, for example since its project is paused."""
        return thread.status == "collecting" or (
            thread.status in WORKED_ON and self.orchestrator.why_held(thread) is not None
        )

    def _is_busy(self, thread: Thread) -> bool:
        return (thread.status in _BUSY and not self._waits(thread)) or bool(list_side_effects(thread))

    def _find_channels(self, name: str) -> tuple[str, ...]:
        records, links = self.projects.settings_by_command, self.projects.channels
        created = records.created_channels.items()
        return tuple(c for c, channel in created if channel.project == name and links.get(c) in (name, None))

    @property
    def _deletions(self) -> dict[str, DeletedProject]:
        return self.projects.settings_by_command.deletions
