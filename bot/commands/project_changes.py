"""Changes of projects at run time: create and edit.

Projects of `triage.yml` are read-only here. Repositories are fetched in the background; the
asker is told when the code is available, or why it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.project_inputs import NewProject, ProjectChange
from bot.commands.registry import command
from bot.errors import Misconfigured, RetryLater
from bot.triage.channel_creation import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.commands.projects import ProjectOverview
    from bot.decide.redaction.redactor import Redactor
    from bot.models.interaction import Asker
    from bot.models.project import Fetched, Project
    from bot.ports.outbound import Clock, Fetches
    from bot.surfaces.notices import PersonalNotices
    from bot.triage.channel_creation import ChannelCreation
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class ProjectChanges:
    """Commands that change projects."""

    overview: ProjectOverview
    fetches: Fetches
    creation: ChannelCreation
    clock: Clock
    notices: PersonalNotices
    redactor: Redactor
    _reported_failures: set[str] = field(default_factory=set)
    """Projects whose failed first fetch was reported already."""

    async def preview_create(self, request: NewProject, _: Asker) -> str:
        """Show the folder (links followed) or the address that the project would read, and the channel."""
        try:
            keys = self._redact_values(request.settings)
            if not request.channel:
                return _would_read(self._projects.plan(request.name, keys))
            parts = self.creation.check(request.name, keys, request.channel)
        except Misconfigured as problem:
            raise _reject(problem) from problem
        await self._check_scope()
        channel = f"create the public channel #{escape(request.channel)} in Slack, invite you, and watch it, live"
        return f"{_would_read(parts)} It would {channel}: what is approved there is posted."

    @command(
        "create_project",
        "creates a project from a folder (root) or an address to fetch (repository)",
        input=NewProject,
        role="admin",
        tier="reversible",
        deed="a project was created",
        needs_press=True,
        preview=preview_create,
    )
    async def create_project(self, request: NewProject, asker: Asker) -> CommandAnswer:
        """Create a project; it counts from the next question on, or from when its code is fetched."""
        if request.channel:
            return await self._create_with_channel(request, asker)
        try:
            parts = await self._projects.create(
                request.name, self._redact_values(request.settings), at=self.clock.now(), notify=asker.user_id
            )
        except Misconfigured as problem:
            raise _reject(problem) from problem
        when, back = await self.begin_code(parts), f"`delete_project {request.name}` takes it back."
        return CommandAnswer(line=f"Created `{request.name}`. {when}", rows=(f"{_suggest_next(request.name)} {back}",))

    async def _create_with_channel(self, request: NewProject, asker: Asker) -> CommandAnswer:
        await self._check_scope()
        name, channel = request.name, request.channel
        try:
            keys = self._redact_values(request.settings)
            new = await self.creation.create(name, keys, channel=channel, by=asker.user_id)
        except Misconfigured as problem:
            raise _reject(problem) from problem
        except Failed as problem:
            raise NotDone(f"The project `{name}` was not created: {problem}") from problem
        if new is None:
            waits = f"Slack has not answered yet. `{name}` is created together with its channel #{escape(channel)}"
            return CommandAnswer(line=f"{waits} as soon as it does, and you will be told.")
        when = await self.begin_code(new.parts)
        return CommandAnswer(
            line=f"Created `{name}` with its channel <#{new.channel_id}>, which is watched, live. {when}",
            rows=(await self._invite(new.channel_id), f"`delete_project {name} archive_channels=true` takes it back."),
        )

    async def _invite(self, channel_id: str) -> str:
        """Invite the creator into a channel; return a sentence about that."""
        try:
            why = await self.creation.invite_creator(channel_id)
        except RetryLater:
            return "You will be invited as soon as Slack answers."
        return f"You could not be invited: {escape(why)}." if why else "You are invited there."

    async def _check_scope(self) -> None:
        if not await self.creation.slack.may_administer():
            raise NotDone(
                "The app lacks the scope `channels:manage`, which creating a channel needs: update it with "
                "what `triage manifest` prints, and install it again (docs/install.md). Without `channel` the "
                "project can be created now. Nothing was changed."
            )

    async def preview_edit(self, request: ProjectChange, _: Asker) -> str:
        """Show the folder or address that the edited project would read."""
        name = self.overview.find_changeable(request.project)
        try:
            return _would_read(self._projects.plan_edit(name, self._redact_values(request.changes)))
        except Misconfigured as problem:
            raise _reject(problem) from problem

    @command(
        "edit_project",
        "changes a project that a command created",
        input=ProjectChange,
        role="admin",
        tier="reversible",
        deed="a project was changed",
        needs_press=True,
        preview=preview_edit,
    )
    async def edit_project(self, request: ProjectChange, asker: Asker) -> CommandAnswer:
        """Edit a project from the next question on; running work continues with the old values."""
        name = self.overview.find_changeable(request.project)
        before = self._projects.created[name].given
        try:
            parts = await self._projects.edit(name, self._redact_values(request.changes), notify=asker.user_id)
        except Misconfigured as problem:
            raise _reject(problem) from problem
        brought = await self.begin_code(parts)
        back = _take_back(name, before, self._projects.created[name].given)
        return CommandAnswer(
            line=f"Changed `{name}`: {', '.join(request.changes)}. {brought} Running work keeps the old values.",
            rows=(back,) if back else (),
        )

    async def report_fetch(self, name: str, state: Fetched) -> None:
        """Report the outcome of a project's first fetch (`Repositories.begun`)."""
        if state.commit:
            user = await self._projects.take_notified_user(name)
            await self.overview.release_held()
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

    @property
    def _projects(self) -> Projects:
        return self.overview.projects

    def _redact_values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return the values to save: a description is redacted, a secret in any other key is refused."""
        plain = {key: self.redactor.redact(value) for key, value in values.items()}
        if key := next((key for key in values if key != "description" and plain[key] != values[key]), None):
            raise Misconfigured(f"{key}: expected nothing that looks like a secret: it would be saved and shown")
        return plain

    async def begin_code(self, parts: Sequence[Project]) -> str:
        """Fetch a project's code; return a sentence on when the change counts (`CreationObserver`)."""
        for part in parts:
            if part.repository is None:
                self.fetches.drop(part.name)
                continue
            if self.fetches.folder(part.name) != part.root.parent:
                await self.fetches.add(part)
                self._reported_failures.discard(part.name)
            await self.fetches.fetch_soon(part.name)
        await self.overview.release_held()
        if any(self.fetches.missing_reason(part.name) for part in parts):
            return "Its code is being fetched, and its questions wait until then. You will be told."
        return "It applies from the next question on."


def _take_back(name: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the command that restores the keys of before, or why there is none; empty if nothing changed."""
    changed = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
    values = {
        key: before.get(key, "") for key in changed if key in before or key not in ("root", "repository", "branch")
    }
    if not values:
        return ""
    if unquotable := [key for key, value in values.items() if '"' in value or "`" in value]:
        return f"No command takes it back: {' and '.join(unquotable)} had quotation marks before. Type the text anew."
    words = " ".join(f'{key}="{value}"' for key, value in values.items())
    return f"`edit_project {name} {escape(words)}` takes it back."


def _would_read(parts: Sequence[Project]) -> str:
    places = [f"fetch `{escape(p.repository.url)}`" if p.repository else f"read the folder `{p.root}`" for p in parts]
    return f"It would {' and '.join(places)}."


def _suggest_next(name: str) -> str:
    return f"`set_project_channel {name} #channel` sends a channel's questions to it; `project:{name}` in one names it."


def _reject(problem: Misconfigured) -> NotDone:
    reason = escape(clip(str(problem), 300))
    return NotDone(f"{reason[:1].upper()}{reason[1:]}. Nothing was changed.")
