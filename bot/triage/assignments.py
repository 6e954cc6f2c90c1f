"""Assignments: the input of an engine for a thread's question, without secrets, and what its readers may see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bot.decide.redaction.redactor import Redactor
from bot.models.findings import Assignment, QuotedMessage
from bot.models.incident import SEVERAL_GROUPS
from bot.models.reasons import BOUNCED
from bot.runtime.offload import run_offloaded
from bot.tools.trees import pin_tree
from bot.triage.previous_question import find_denied_places, find_previous_question
from bot.triage.readable_projects import filter_readable, find_withheld
from bot.triage.speakers import quote_lines, quote_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.models.alert import AlertRecord
    from bot.models.hint import Hint
    from bot.models.project import Project
    from bot.models.role import Category, Role
    from bot.models.thread import Thread
    from bot.ports.health import RunbookRunner
    from bot.surfaces.task_files import Journals
    from bot.triage.first_look import FirstLook
    from bot.triage.hints import ChannelLook, Hints
    from bot.triage.projects import Projects


@dataclass(frozen=True, kw_only=True)
class PreparedRun:
    """An assignment, with the part of its preparation that its result needs."""

    assignment: Assignment
    projects: tuple[Project, ...]
    """The projects that the thread's readers may see, with the trees that the run reads."""
    kept_back: tuple[str, ...]
    """The projects that were left out because external readers may not see them."""
    hints: tuple[Hint, ...] = ()
    look: ChannelLook | None = None

    def find_project(self, name: str) -> Project | None:
        """Return a project by its name."""
        return next((project for project in self.projects if project.name == name), None)

    def with_trees(self, read: Sequence[Project]) -> PreparedRun:
        """Return it with the trees that a run has read, where its readers may still see those projects."""
        trees = {project.name: project for project in read}
        return replace(self, projects=tuple(trees.get(project.name, project) for project in self.projects))


@dataclass(frozen=True, kw_only=True)
class Assignments:
    """Builder of assignments. `roles` are by name, as in routes, `categories` the limits of their runs."""

    projects: Projects
    redactor: Redactor = field(default_factory=Redactor)
    roles: Mapping[str, Role] = field(default_factory=dict)
    categories: Mapping[str, Category] = field(default_factory=dict)
    hints: Hints | None = None
    """Hints of other questions; `None` if they are off."""
    first_look: FirstLook | None = None
    """Search in existing notes; `None` in tests that need none."""
    journals: Journals | None = None
    """Run journals; `None` in tests that need none."""
    runbooks: RunbookRunner | None = None
    """Runbooks of the settings; `None` where there are none."""

    async def prepare(self, thread: Thread, *, reads_hints: bool) -> PreparedRun:
        """Build the assignment of a thread's question; `reads_hints` is true for an engine that uses hints."""
        pinned_projects = tuple(map(pin_tree, self.projects.list_all()))
        projects = filter_readable(thread, pinned_projects)
        routed = self._select_projects(thread, projects)
        look = self.hints.look() if self.hints else None
        hints = await self._list_hints(thread, routed["projects"], look) if look and reads_hints else ()
        return PreparedRun(
            assignment=await self._build(thread, hints, routed),
            projects=projects,
            kept_back=find_withheld(thread, pinned_projects),
            hints=hints,
            look=look,
        )

    async def _list_hints(self, thread: Thread, projects: tuple[Project, ...], look: ChannelLook) -> tuple[Hint, ...]:
        """Return the hints of other questions; none if the question may go to several projects."""
        names = sorted({project.belongs_to for project in projects})
        return await self.hints.list_for(thread, names[0], look) if self.hints and len(names) == 1 else ()

    async def _build(self, thread: Thread, hints: tuple[Hint, ...], routed: dict[str, Any]) -> Assignment:
        """Build the assignment, with people's messages redacted."""
        return Assignment(
            **await run_offloaded(self._redact_texts, thread),
            **routed,
            round=thread.investigator_round,
            bounced_as=BOUNCED[thread.bounced_as][1] if thread.bounced_as else None,
            previous=thread.investigator_return if thread.feedback or thread.bounced_as else None,
            earlier=await self.first_look.look(thread, routed["projects"]) if self.first_look else (),
            thread_id=thread.thread_id,
            team_id=thread.team_id,
            chat_id=thread.chat_id,
            answered_from=frozenset(p.name for p in routed["projects"]) if thread.external else None,
            question_type=thread.question_type,
            alert=self._redact_alert(alert) if (alert := thread.alert) and _is_about(thread, alert) else None,
            others=tuple(hint.line for hint in hints),
            **(await self.journals.build_context(thread) if self.journals else {}),
            **self._list_remedies(thread),
        )

    def _list_remedies(self, thread: Thread) -> dict[str, Any]:
        """Return the services of an incident that is not over, and the runbooks that this run may propose for them."""
        if thread.incident is None or thread.incident.is_over or not thread.is_about_incident:
            return {}
        incident, tier = thread.incident, thread.run_tier
        services = incident.failing_services if incident.is_narrowed else incident.services
        offered = self.runbooks.list_proposals(services, tier) if self.runbooks else ()
        return {
            "services": services,
            "is_of_several_groups": incident.group == SEVERAL_GROUPS and not incident.is_narrowed,
            "runbooks": tuple(each for each in offered if not incident.was_started(each.name)),
        }

    def _redact_texts(self, thread: Thread) -> dict[str, Any]:
        """Return the messages and names of a thread for the assignment, redacted."""
        redact = self.redactor.redact
        before = [message for message in thread.messages if message.round < thread.question_round]
        return {
            "question": redact(thread.read_question),
            "lines": quote_lines(thread, self.redactor),
            "search_text": redact(thread.search_text),
            "follows": redact(find_previous_question(thread)),
            "denied": find_denied_places(thread),
            "unread": tuple(map(redact, thread.unread)),
            "shared": tuple(map(redact, thread.shared)),
            "feedback": redact(thread.feedback) if thread.feedback else None,
            "asker": redact(thread.original_sender_name),
            "inputs": self._quote_inputs(thread),
            "said_before": tuple(quote_message(thread, message, self.redactor) for message in before),
        }

    def _quote_inputs(self, thread: Thread) -> tuple[QuotedMessage, ...]:
        """Return the results of the tasks that a created task depends on."""
        redact, order = self.redactor.redact, thread.order
        if order is None or not thread.is_about_order:
            return ()
        return tuple(QuotedMessage(by=redact(each.title), text=redact(each.text)) for each in order.inputs)

    def _redact_alert(self, record: AlertRecord) -> AlertRecord:
        """Return an alert with the names in it, redacted, and without its other words."""
        redact, alert = self.redactor.redact, record.alert
        names, services = tuple(map(redact, alert.names)), tuple(map(redact, alert.services))
        bare = {"title": "", "words": "", "labels": {}, "values": (), "link": "", "host": ""}
        return record.evolve(alert=alert.evolve(names=names, services=services, **bare), parts=())

    def _select_projects(self, thread: Thread, projects: tuple[Project, ...]) -> dict[str, Any]:
        """Return the project and role of the thread's route; all projects and no role without a route."""
        route = thread.route
        named = tuple(p for p in projects if route and route.project in (p.name, p.belongs_to))
        if route is None or not named:  # the project may have been deleted
            open_to_all = {project.name for project in self.projects.open()}
            return {
                "projects": _keep_thread_project(
                    thread, [candidate for candidate in projects if candidate.name in open_to_all]
                )
            }
        role = self.roles.get(route.role)
        allowed = self.categories.get(role.category) if role else None
        return {"projects": named, "folder": route.folder, "role": role, "allowed": allowed}


def _keep_thread_project(thread: Thread, projects: Sequence[Project]) -> tuple[Project, ...]:
    """Return the project of the thread's previous answer, unless the question names a project; else all projects."""
    text = thread.search_text.lower()
    matches = tuple(project for project in projects if thread.project in (project.name, project.belongs_to))
    is_named = any(project.belongs_to.lower() in text for project in projects)
    return matches if matches and thread.question_round > 1 and not is_named else tuple(projects)


def _is_about(thread: Thread, alert: AlertRecord) -> bool:
    """Return whether a thread's question is about its alert, not about a notice that merely looks like one."""
    return thread.is_about_alert and alert.is_certain
