"""Changes of projects at run time: create, edit, pause, delete.

Projects of `triage.yml` are read-only here, apart from their pause. Repositories are fetched in the background; the
asker is told when the code is available, or why it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.project_inputs import NewProject, ProjectChange, ProjectInput
from bot.commands.projects import assigned_project
from bot.commands.registry import command
from bot.commands.state import count
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.commands.projects import ProjectOverview
    from bot.decide.redaction.redactor import Redactor
    from bot.models.interaction import Asker
    from bot.models.project import Fetched, Project
    from bot.ports.outbound import Clock, Fetches
    from bot.surfaces.notices import PersonalNotices
    from bot.triage.controls import Controls
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class ProjectChanges:
    """Commands that change projects."""

    overview: ProjectOverview
    fetches: Fetches
    controls: Controls
    clock: Clock
    notices: PersonalNotices
    redactor: Redactor
    _reported_failures: set[str] = field(default_factory=set)
    """Projects whose failed first fetch was reported already."""

    async def preview_create(self, request: NewProject, _: Asker) -> str:
        """Show the folder (links followed) or the address that the project would read."""
        try:
            return _would_read(self._projects.plan(request.name, self._redact_values(request.settings)))
        except Misconfigured as problem:
            raise _reject(problem) from problem

    @command(
        "create_project",
        "creates a project from a folder (root) or from a repository address to fetch (repository)",
        input=NewProject,
        role="admin",
        tier="reversible",
        deed="a project was created",
        needs_press=True,
        preview=preview_create,
    )
    async def create_project(self, request: NewProject, asker: Asker) -> CommandAnswer:
        """Create a project; it counts from the next question on, or from when its code is fetched."""
        try:
            parts = await self._projects.create(
                request.name, self._redact_values(request.settings), at=self.clock.now(), notify=asker.user_id
            )
        except Misconfigured as problem:
            raise _reject(problem) from problem
        return CommandAnswer(
            line=f"Created `{request.name}`. {await self._fetch_code(parts)}", rows=(_suggest_next(request.name),)
        )

    async def preview_edit(self, request: ProjectChange, _: Asker) -> str:
        """Show the folder or address that the edited project would read."""
        name = self._find_changeable(request.project)
        try:
            return _would_read(self._projects.plan_edit(name, self._redact_values(request.changes)))
        except Misconfigured as problem:
            raise _reject(problem) from problem

    @command(
        "edit_project",
        "changes a project that a command created; projects of triage.yml are changed there",
        input=ProjectChange,
        role="admin",
        tier="reversible",
        deed="a project was changed",
        needs_press=True,
        preview=preview_edit,
    )
    async def edit_project(self, request: ProjectChange, asker: Asker) -> CommandAnswer:
        """Edit a project from the next question on; running work continues with the old values."""
        name = self._find_changeable(request.project)
        try:
            parts = await self._projects.edit(name, self._redact_values(request.changes), notify=asker.user_id)
        except Misconfigured as problem:
            raise _reject(problem) from problem
        brought = await self._fetch_code(parts)
        return CommandAnswer(
            line=f"Changed `{name}`: {', '.join(request.changes)}. {brought} Running work keeps the old values."
        )

    @command(
        "pause_project",
        "holds the questions of one project until resume_project; running work continues",
        input=ProjectInput,
        role="admin",
        tier="reversible",
        deed="a project was paused",
    )
    async def pause_project(self, request: ProjectInput, asker: Asker) -> CommandAnswer:
        """Pause a project: investigations that have not begun wait, and the cards say so."""
        name = self.overview.find_project(request.project)
        resume_hint = f"`/triage resume_project {name}` ends the pause."
        if name in self._projects.settings_by_command.paused:
            return CommandAnswer(line=f"`{name}` is paused already. {resume_hint}", is_unchanged=True)
        await self._projects.pause(name, self.clock.now())
        self.overview.orchestrator.notify(
            f"<@{asker.user_id}> has paused the project `{name}`: its questions wait. {resume_hint}"
        )
        others = (
            ""
            if self._projects.router
            else " A question that names no project goes to the other project that fits it best."
        )
        return CommandAnswer(
            line=f"Paused `{name}`: its questions wait, running work continues to its end.{others} {resume_hint}"
        )

    @command(
        "resume_project",
        "investigates the questions that waited for a paused project",
        input=ProjectInput,
        role="admin",
        tier="reversible",
        deed="a project was resumed",
    )
    async def resume_project(self, request: ProjectInput, asker: Asker) -> CommandAnswer:
        """Resume a project: begin the investigations that waited."""
        name = self.overview.find_project(request.project)
        if name not in self._projects.settings_by_command.paused:
            return CommandAnswer(line=f"`{name}` was not paused.", is_unchanged=True)
        before = len(await self.overview.load_held())
        await self._projects.pause(name, None)
        await self.release_held()
        if self.controls.state != "running":
            return CommandAnswer(
                line=f"`{name}` resumes once Triage does, which is {self.controls.state}: `/triage resume`."
            )
        started = before - len(await self.overview.load_held())
        self.overview.orchestrator.notify(f"<@{asker.user_id}> has resumed the project `{name}`.")
        return CommandAnswer(line=f"`{name}` has resumed. {count(started, 'question')} had waited.")

    async def preview_delete(self, request: ProjectInput, _: Asker) -> str:
        """Refuse if there is no such project, or if it is defined in the settings only."""
        if self.overview.find_project(request.project) not in self._projects.created:
            self._find_changeable(request.project)
        return ""

    @command(
        "delete_project",
        "deletes a project that a command created; its folder, tasks, notes and replies stay",
        input=ProjectInput,
        role="admin",
        tier="irreversible",
        deed="a project was deleted",
        names="project",
        preview=preview_delete,
    )
    async def delete_project(self, request: ProjectInput, _: Asker) -> CommandAnswer:
        """Delete a project with its pause, its channels and its use as active project."""
        name = self.overview.find_project(request.project)
        if name in self._projects.created and self._projects.is_of_settings(name):
            await self._projects.delete(name)
            return CommandAnswer(
                line=f"Deleted the `{name}` that a command created; that of `triage.yml` is unchanged."
            )
        name = self._find_changeable(request.project)
        waiting = sum(assigned_project(thread) == name for thread in await self.overview.load_held())
        parts = self._projects.roots_of(name)
        await self._projects.delete(name)
        await self.overview.active.forget(name)
        for part in parts:
            self.fetches.drop(part.name)
        self._reported_failures.discard(name)
        await self.release_held()
        waiting_text = (
            f" {count(waiting, 'question')} waited for it, and will be answered from another project that fits."
        )
        kept_text = "Its folder, tasks, journals, notes and replies are kept."
        removed_text = (
            " Its fetched code is removed at the next start." if any(part.repository for part in parts) else ""
        )
        return CommandAnswer(line=f"Deleted `{name}`.{waiting_text if waiting else ''} {kept_text}{removed_text}")

    async def report_fetch(self, name: str, state: Fetched) -> None:
        """Report the outcome of a project's first fetch (`Repositories.begun`)."""
        if state.commit:
            user = await self._projects.take_notified_user(name)
            await self.release_held()
            if user:
                await self.notices.tell(
                    user, f"The code of `{name}` is fetched, at `{state.commit[:12]}`: the project is ready."
                )
        elif (
            (project_record := self._projects.created.get(name))
            and project_record.told
            and name not in self._reported_failures
        ):
            self._reported_failures.add(name)
            why = escape(clip(state.problem, 300).rstrip("."))
            mend = "It is retried from time to time; `edit_project` changes its address, `delete_project` ends this."
            await self.notices.tell(project_record.told, f"The code of `{name}` cannot be fetched: {why}. {mend}")

    async def release_held(self) -> None:
        """Begin the investigations that no longer need to wait."""
        if self.controls.state == "running":
            await self.overview.orchestrator.release()

    @property
    def _projects(self) -> Projects:
        return self.overview.projects

    def _redact_values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the values to save: a description is redacted, a secret in any other key is refused."""
        plain = {key: self.redactor.redact(value) for key, value in values.items()}
        if key := next((key for key in values if key != "description" and plain[key] != values[key]), None):
            raise Misconfigured(f"{key}: expected nothing that looks like a secret: it would be saved and shown")
        return plain

    def _find_changeable(self, project_name: str) -> str:
        name = self.overview.find_project(project_name)
        if self._projects.is_of_settings(name):
            where = f"`{name}` is defined in `triage.yml`: change it there and start Triage again."
            raise NotDone(f"{where} `pause_project` and `set_project_channel` work here.")
        return name

    async def _fetch_code(self, parts: Sequence[Project]) -> str:
        """Fetch a project's code; return a sentence on when the change counts."""
        for part in parts:
            if part.repository is None:
                self.fetches.drop(part.name)
                continue
            if self.fetches.folder(part.name) != part.root.parent:
                await self.fetches.add(part)
                self._reported_failures.discard(part.name)
            await self.fetches.fetch_soon(part.name)
        await self.release_held()
        if any(self.fetches.missing_reason(part.name) for part in parts):
            return "Its code is being fetched, and its questions wait until then. You will be told."
        return "It applies from the next question on."


def _would_read(parts: Sequence[Project]) -> str:
    places = [f"fetch `{escape(p.repository.url)}`" if p.repository else f"read the folder `{p.root}`" for p in parts]
    return f"It would {' and '.join(places)}."


def _suggest_next(name: str) -> str:
    return f"`set_project_channel {name} #channel` sends a channel's questions to it; `project:{name}` in one names it."


def _reject(problem: Misconfigured) -> NotDone:
    reason = escape(clip(str(problem), 300))
    return NotDone(f"{reason[:1].upper()}{reason[1:]}. Nothing was changed.")
