"""Deletion of projects: `delete_project`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape, moment
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.project_inputs import ProjectToDelete
from bot.commands.registry import command
from bot.commands.state import count
from bot.models.project import DeletedProject

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.ports.outbound import Clock, Fetches
    from bot.triage.project_deletion import Belongings, DeletionReport, ProjectBelongings
    from bot.triage.projects import Projects

_MAX_NAMED = 3
"""Number of tasks that a refusal names."""


@dataclass(frozen=True, kw_only=True)
class ProjectDeletion:
    """The command `delete_project`."""

    overview: ProjectOverview
    belongings: ProjectBelongings
    fetches: Fetches
    clock: Clock

    async def preview_delete(self, request: ProjectToDelete, _: Asker) -> str:
        """Say what goes and what stays. Refuse if there is no such project, if it is defined in the settings only, or
        while a task of it is in progress."""
        name = self.overview.find_project(request.project)
        if self._is_shadowed(name):
            return "Only the project that a command created goes; that of `triage.yml` is unchanged."
        name = self.overview.find_changeable(request.project)
        belongings = await self._count(name, request)
        created = f"It was created {moment(self._projects.created[name].made_at)}."
        return " ".join((created, _foretell_data(request, belongings), *_foretell_channels(request, belongings)))

    @command(
        "delete_project",
        "deletes a project that a command created, never folders of people",
        input=ProjectToDelete,
        role="admin",
        tier="irreversible",
        deed="a project was deleted",
        names="project",
        preview=preview_delete,
    )
    async def delete_project(self, request: ProjectToDelete, asker: Asker) -> CommandAnswer:
        """Delete a project with its pause, its channels and its use as active project."""
        name = self.overview.find_project(request.project)
        if self._is_shadowed(name):
            await self._projects.delete(name)
            return CommandAnswer(
                line=f"Deleted the `{name}` that a command created; that of `triage.yml` is unchanged."
            )
        name = self.overview.find_changeable(request.project)
        belongings = await self._count(name, request)
        parts = self._projects.roots_of(name)
        archived = _find_archived(belongings) if request.archive_channels else ()
        rest = DeletedProject(by=asker.user_id, at=self.clock.now(), with_data=request.with_data, channels=archived)
        report = await self.belongings.delete(name, rest)
        await self.overview.active.forget(name)
        code = await self._drop_code(parts, is_removed=request.with_data)
        await self.overview.release_held()
        details = (
            _report_data(request, belongings, report),
            code,
            *_report_channels(request, belongings, report),
            "" if report.is_finished else "The rest follows, and you will be told.",
        )
        return CommandAnswer(line=" ".join(filter(None, (f"Deleted `{name}`.", *details))))

    async def _count(self, name: str, request: ProjectToDelete) -> Belongings:
        """Count what belongs to the project. Raises `NotDone` if the project may not be deleted now."""
        belongings = await self.belongings.count(name)
        if belongings.busy:
            named = _name_tasks(belongings.busy)
            raise NotDone(
                f"`{name}` has tasks in progress: {named}. `stop_task` ends one, or wait for it. Nothing was deleted."
            )
        if request.with_data and belongings.dependents:
            named = _name_tasks(belongings.dependents)
            raise NotDone(
                f"Tasks of other projects depend on tasks of `{name}`: {named}. `delete_task` them, or complete them, "
                "first. Nothing was deleted."
            )
        return belongings

    async def _drop_code(self, parts: tuple[Project, ...], *, is_removed: bool) -> str:
        """Stop fetching the project's code; return a sentence about it."""
        for part in parts:
            if is_removed:
                await self.fetches.discard(part.name)
            else:
                self.fetches.drop(part.name)
        if not any(part.repository for part in parts):
            return (
                f"The folder {', '.join(f'`{escape(str(part.root))}`' for part in parts)} is untouched."
                if parts
                else ""
            )
        return "Its fetched code is removed." if is_removed else "Its fetched code is removed at the next start."

    def _is_shadowed(self, name: str) -> bool:
        """Return whether `triage.yml` has a project of the same name, which counts."""
        return name in self._projects.created and self._projects.is_of_settings(name)

    @property
    def _projects(self) -> Projects:
        return self.overview.projects


def _name_tasks(tasks: tuple[str, ...]) -> str:
    rest = f" and {len(tasks) - _MAX_NAMED} more" if len(tasks) > _MAX_NAMED else ""
    return f"{', '.join(f'`{escape(task)}`' for task in tasks[:_MAX_NAMED])}{rest}"


def _find_archived(belongings: Belongings) -> tuple[str, ...]:
    """Return the channels that can be archived: no question of another project is open there."""
    return tuple(channel for channel in belongings.channels if channel not in belongings.open_elsewhere)


def _foretell_data(request: ProjectToDelete, belongings: Belongings) -> str:
    things = f"{count(belongings.notes, 'note')} and {count(belongings.threads, 'task')}"
    if not request.with_data:
        return f"Its {things} stay; `with_data=true` deletes them, too.{_explain_waiting(belongings)}"
    undecided = f", {belongings.undecided} of which nobody gets a reply to any more" if belongings.undecided else ""
    gone = f"Its {things}{undecided} are deleted, too, and Triage's clones with every branch that was not pushed"
    return f"{gone}; journals stay until `triage purge`."


def _foretell_channels(request: ProjectToDelete, belongings: Belongings) -> list[str]:
    """Return a sentence for each channel that was created for the project."""
    return [
        f"<#{channel}> is archived."
        if request.archive_channels and channel not in belongings.open_elsewhere
        else _explain_stays(channel, belongings if request.archive_channels else None)
        for channel in belongings.channels
    ]


def _explain_stays(channel: str, belongings: Belongings | None) -> str:
    """Say why a channel stays: open questions, or because nobody wants it archived."""
    if belongings:
        waiting = count(belongings.open_elsewhere[channel], "question")
        return f"<#{channel}> stays, since {waiting} of other projects are open there."
    return f"<#{channel}> stays and is watched; `archive_channels=true` archives it."


def _report_data(request: ProjectToDelete, belongings: Belongings, report: DeletionReport) -> str:
    if request.with_data:
        return f"Deleted with it: {count(report.notes, 'note')} and {count(report.threads, 'task')}. Journals stay."
    things = f"Its {count(belongings.notes, 'note')}, {count(belongings.threads, 'task')}, journals and replies stay."
    return f"{things}{_explain_waiting(belongings)}"


def _explain_waiting(belongings: Belongings) -> str:
    """Return sentences on what waited for the project, each after a space."""
    questions, tasks = count(belongings.questions, "question"), count(belongings.tasks, "created task")
    answered = f" {questions} waited for it, and will be answered from another project that fits."
    verb = "waits" if belongings.tasks == 1 else "wait"
    waiting_tasks = (
        f" {tasks} {verb} for it in vain: `edit_task TASK project=…` moves a task to another, `delete_task` removes it."
    )
    return f"{answered if belongings.questions else ''}{waiting_tasks if belongings.tasks else ''}"


def _report_channels(request: ProjectToDelete, belongings: Belongings, report: DeletionReport) -> list[str]:
    sentences = [f"<#{channel}> is archived." for channel in report.archived]
    sentences += [f"<#{channel}> is not archived: {why}." for channel, why in report.refused.items()]
    if request.archive_channels:
        return sentences + [_explain_stays(channel, belongings) for channel in belongings.open_elsewhere]
    return [_explain_stays(channel, None).partition(";")[0] + "." for channel in belongings.channels]
