"""Projects: those of `triage.yml` and those created by commands, looked up afresh for each question.

A change counts from the next question on; a run in progress keeps the project it started with. Changes by commands are
saved in `projects.json` before they count; `triage/created_projects` loads it. If both sources have the same name,
`triage.yml` wins.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.hold_words import describe_reason, suggest_step
from bot.decide.router import BY_CHANNEL, unruled
from bot.errors import Misconfigured
from bot.models.project import ProjectRecords, StoredProject
from bot.models.task_hold import TaskHold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.decide.router import Router
    from bot.models.project import DeletedProject, Project
    from bot.models.route import Route
    from bot.models.thread import Thread
    from bot.models.viewed_page import SubjectProject
    from bot.ports.outbound import Fetches, JsonFile

RESERVED = frozenset({"none"})
"""Names that commands use for no project."""


@dataclass(kw_only=True)
class Projects:
    """Registry of projects. `settings` are those of `triage.yml`, `settings_channels` the project of each channel
    there.

    `locate` resolves a created project from its name and keys; it raises `Misconfigured` if they are invalid.
    """

    file: JsonFile
    settings: tuple[Project, ...]
    locate: Callable[[str, Mapping[str, str]], tuple[Project, ...]]
    settings_channels: Mapping[str, str] = field(default_factory=dict)
    router: Router | None = None
    fetches: Fetches | None = None
    """Fetched code; set once it is there."""
    settings_by_command: ProjectRecords = field(default_factory=ProjectRecords)
    problems: dict[str, str] = field(default_factory=dict)
    """Reason why a created project is not available, by name."""
    lost: str = ""
    """Notice about a `projects.json` that could not be read at this start; empty otherwise."""
    _created: dict[str, tuple[Project, ...]] = field(default_factory=dict)
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Resolve the saved projects; invalid ones stay saved and are listed in `problems`."""
        for name, project in self.settings_by_command.projects.items():
            self._find(name, project)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all projects, those of `triage.yml` first."""
        return tuple(dict.fromkeys(project.belongs_to for project in self.configured()))

    @property
    def created(self) -> Mapping[str, StoredProject]:
        """Return the projects created by commands, including unavailable ones."""
        return self.settings_by_command.projects

    @property
    def channels(self) -> dict[str, str]:
        """Return the project of each channel that is linked to one."""
        names = {*self.names}
        linked = {**self.settings_channels, **self.settings_by_command.channels}
        return {channel: name for channel, name in linked.items() if name in names}

    def is_known(self, name: str) -> bool:
        """Return whether there is a project of this name."""
        return name in self.names

    def configured(self) -> tuple[Project, ...]:
        """Return the roots of all projects, with or without code."""
        return (*self.settings, *(part for parts in self._created.values() for part in parts))

    def missing_reason(self, name: str) -> str | None:
        """Return why the code of a fetched project is not available yet, by root name."""
        return self.fetches.missing_reason(name) if self.fetches else None

    def list_all(self) -> tuple[Project, ...]:
        """Return the roots of all projects whose code is available, paused ones too."""
        return tuple(project for project in self.configured() if self.missing_reason(project.name) is None)

    def open(self) -> tuple[Project, ...]:
        """Return the roots for a question that names no project: available and not paused."""
        return tuple(
            project for project in self.list_all() if project.belongs_to not in self.settings_by_command.paused
        )

    def roots_of(self, name: str) -> tuple[Project, ...]:
        """Return the roots of one project; none if it does not exist."""
        return tuple(project for project in self.configured() if project.belongs_to == name)

    def display_name_of(self, name: str) -> str:
        """Return the name that people see beside a project's own; empty for none."""
        return next((project.display_name for project in self.roots_of(name)), "")

    def is_of_settings(self, name: str) -> bool:
        """Return whether `triage.yml` has this project."""
        return any(project.belongs_to == name for project in self.settings)

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route | None:
        """Return the role and project of a question; `None` if the best match among all projects is to be used.

        `subject` is the project of a question in a direct message or of an incident, ignored if it no longer exists.
        """
        if subject and subject.project in self.names:
            route = self._route(text, channel, {**self.channels, channel: subject.project})
            by = f"project by {subject.why}"
            return route and route.evolve(why=route.why.replace(f"project by {BY_CHANNEL}", by))
        return self._route(text, channel, self.channels)

    def _route(self, text: str, channel: str, channels: Mapping[str, str]) -> Route | None:
        if self.router:
            return self.router.route(text, channel, projects=self.names, channels=channels)
        return unruled(text, channel, self.names, channels, self.settings_by_command.paused)

    def why_waits(self, thread: Thread) -> str | None:
        """Return why a question is not investigated now, as text for people; `None` if nothing prevents it."""
        hold = self.find_hold(thread)
        return "; ".join(filter(None, (describe_reason(hold), suggest_step(hold, thread.task)))) if hold else None

    def find_hold(self, thread: Thread) -> TaskHold | None:
        """Return why a thread's project is not worked on now; a question whose project is gone goes to another one."""
        name = assigned_project(thread)
        parts = self.roots_of(name) if name else ()
        if name and not parts and _find_ordered(thread):
            problem = self.problems.get(name, "")
            return TaskHold(reason="project-unusable" if problem else "project-gone", project=name, detail=problem)
        if not name or not parts:
            return None if self.open() else TaskHold(reason="no-project")
        if name in self.settings_by_command.paused:
            return TaskHold(reason="project-paused", project=name)
        missing = next((why for part in parts if (why := self.missing_reason(part.name))), None)
        return TaskHold(reason="project-unusable", project=name, detail=missing) if missing else None

    def plan(self, name: str, keys: Mapping[str, str], *, of_order: str = "") -> tuple[Project, ...]:
        """Return the roots that a new project with these keys would have. Raises `Misconfigured` as `create` does."""
        records = self.settings_by_command
        ordered = (order.project for channel, order in records.channel_orders.items() if channel != of_order)
        taken = (*self.names, *self.created, *records.deletions, *ordered, *RESERVED)
        reserved = {other.lower(): other for other in taken}
        if other := reserved.get(name.lower()):
            raise Misconfigured(f"the name {other} is taken")
        _must_have_branches(keys, keys)
        return self.locate(name, keys)

    def plan_edit(self, name: str, keys: Mapping[str, str]) -> tuple[Project, ...]:
        """Return the roots that a created project would have after a change. Raises `Misconfigured` as `edit` does."""
        self._must_be_there(name)
        self._must_have_free_name(name, keys.get("name", ""))
        return self.locate(name, self._merge_keys(name, keys))

    async def create(
        self, name: str, keys: Mapping[str, str], *, at: datetime, notify: str, of_order: str = ""
    ) -> tuple[Project, ...]:
        """Create a project, with the channel of the order `of_order` if it has one.

        Raises `Misconfigured` if its name is taken or its keys are invalid, and `RetryLater`.
        """
        async with self._changing:
            parts = self.plan(name, keys, of_order=of_order)
            project = StoredProject(
                given=dict(keys), made_at=at, told=notify if any(p.repository for p in parts) else None
            )
            records = self.settings_by_command.end_order(of_order, links=True)
            await self._keep(records.evolve(projects={**records.projects, name: project}))
            self._find(name, project)
            return parts

    async def edit(self, name: str, keys: Mapping[str, str], *, notify: str) -> tuple[Project, ...]:
        """Change keys of a created project; an empty value removes its key. Raises as `create` does."""
        async with self._changing:
            parts = self.plan_edit(name, keys)
            before, merged = self.created[name], self._merge_keys(name, keys)
            fetched_anew = any(p.repository for p in parts) and any(key in keys for key in ("repository", "branch"))
            project = before.evolve(given=merged, told=notify if fetched_anew else before.told)
            await self._keep(
                self.settings_by_command.evolve(projects={**self.settings_by_command.projects, name: project})
            )
            self._find(name, project)
            return parts

    async def delete(self, name: str, rest: DeletedProject | None = None) -> None:
        """Delete a created project, its pause and its channel links; `rest` is what is deleted after that. Raises
        `RetryLater`."""
        async with self._changing:
            records = self.settings_by_command.without_project(name, is_elsewhere=self.is_of_settings(name))
            if rest:
                records = records.evolve(deletions={**records.deletions, name: rest})
            await self._keep(records)
            self._created.pop(name, None)
            self.problems.pop(name, None)

    async def pause(self, name: str, at: datetime | None) -> None:
        """Pause a project at a time, or resume it with `None`. Raises `Misconfigured` and `RetryLater`."""
        async with self._changing:
            self._must_be_there(name)
            others = {other: since for other, since in self.settings_by_command.paused.items() if other != name}
            await self._keep(self.settings_by_command.evolve(paused={**others, name: at} if at else others))

    async def link(self, channel: str, project: str | None) -> None:
        """Link a channel to a project, or unlink it with `None`. Raises as `pause` does."""
        async with self._changing:
            if project is not None:
                self._must_be_there(project)
            others = {other: name for other, name in self.settings_by_command.channels.items() if other != channel}
            is_said = self.settings_channels.get(channel) == project
            await self._keep(
                self.settings_by_command.evolve(channels=others if is_said else {**others, channel: project})
            )

    async def update(self, change: Callable[[ProjectRecords], ProjectRecords]) -> None:
        """Save a change of the records, made from the newest ones. Raises `RetryLater`, and what `change` raises."""
        async with self._changing:
            await self._keep(change(self.settings_by_command))

    async def take_notified_user(self, name: str) -> str | None:
        """Remove and return the user to notify that a created project's code is available, if any."""
        async with self._changing:
            project = self.created.get(name)
            if project is None or project.told is None:
                return None
            await self._keep(
                self.settings_by_command.evolve(projects={**self.created, name: project.evolve(told=None)})
            )
            return project.told

    def _merge_keys(self, name: str, keys: Mapping[str, str]) -> dict[str, str]:
        """Merge a change into a created project's keys: a folder replaces a repository, and the other way round."""
        merged = {key: value for key, value in {**self.created[name].given, **keys}.items() if value}
        for new_key, other in (("root", "repository"), ("repository", "root")):
            if keys.get(new_key):
                merged.pop(other, None)
        _must_have_branches(keys, merged)
        if "repository" not in merged:
            merged.pop("branch", None)
        return merged

    def _must_be_there(self, name: str) -> None:
        """Raise `Misconfigured` if the project was deleted meanwhile."""
        if name not in self.created and name not in self.names:
            raise Misconfigured(f"there is no project {name} any more")

    def _must_have_free_name(self, name: str, display_name: str) -> None:
        """Raise `Misconfigured` if another project has this name, or is shown under it."""
        shown = {project.belongs_to: project.display_name for project in self.configured()}
        taken = {
            word.lower()
            for other in (*self.names, *self.created)
            if other != name
            for word in (other, shown.get(other, ""))
        }
        if display_name and display_name.lower() in taken | RESERVED:
            raise Misconfigured(f"name: the name {display_name} is taken")

    def _find(self, name: str, project: StoredProject) -> None:
        self._created.pop(name, None)
        self.problems.pop(name, None)
        if self.is_of_settings(name):
            self.problems[name] = "triage.yml has a project of this name now, which counts; delete_project frees it"
            return
        try:
            self._created[name] = self.locate(name, project.given)
        except Misconfigured as problem:
            self.problems[name] = str(problem)

    async def _keep(self, content: ProjectRecords) -> None:
        """Save the changes, then apply them."""
        await self.file.write(content.model_dump(mode="json"))
        self.settings_by_command = content


def assigned_project(thread: Thread) -> str | None:
    """Return the project of a task's order, else that of its route, or that its last question was answered from."""
    name = _find_ordered(thread) or (thread.route.project if thread.route else thread.project)
    return name.partition("/")[0] if name else None


def _find_ordered(thread: Thread) -> str | None:
    return thread.order.project if thread.order and thread.is_about_order else None


def _must_have_branches(new_keys: Mapping[str, str], keys: Mapping[str, str]) -> None:
    """Raise `Misconfigured` for a branch without a repository."""
    if new_keys.get("branch") and not keys.get("repository"):
        raise Misconfigured("branch: expected together with a repository; a folder is read as it is")
