"""Changes of tasks beyond their status: `edit_task`, `delete_task`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.inputs_created import EditTask
from bot.commands.inputs_work import OfTask
from bot.commands.registry import command, sealed_command
from bot.commands.search import MAX_CHARS
from bot.commands.state import count
from bot.decide.workflow import resume_runbook
from bot.decide.workflow.task_events import may_edit_order
from bot.models.fact import Fact
from bot.models.task_event import OrderEdited
from bot.models.thread_event import Dismiss
from bot.models.thread_id import ThreadId

if TYPE_CHECKING:
    from bot.commands.projects import ProjectOverview
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.operators import Operators
    from bot.triage.task_index import TaskIndex
    from bot.triage.task_states import TaskStates
    from bot.triage.thread_removal import ThreadRemoval

_TRIES = 4
"""Number of looks, a second apart, at whether Slack shows the end of a deleted task."""
_NAMES = 5
"""Number of dependents named in a refusal."""
_FIELDS = ("title", "project", "priority", "description")
"""Fields of an order that an edit may change."""


_INSTEAD_OF_EDIT = {
    "IN_PROGRESS": "`stop_task {0}` first, then edit it, then `restart_task {0}`.",
    "AWAITING_APPROVAL": "Bounce on its card asks for another draft, with your words.",
    "COMPLETED": "`create_task` makes a new one; `restart_task {0}` repeats it.",
    "FAILED": "`restart_task {0}` has it wait again; then it can be edited.",
}
"""Next step instead of an edit, by status."""


class DeletedTask(Fact):
    """A task to delete, as it was shown."""

    task: str
    thread_id: ThreadId


@dataclass(frozen=True, kw_only=True)
class TaskChanges:
    """Commands that edit and delete one task."""

    finder: TaskFinder
    states: TaskStates
    index: TaskIndex
    removal: ThreadRemoval
    overview: ProjectOverview
    operators: Operators
    clock: Clock

    async def preview_edit(self, request: EditTask, asker: Asker) -> str:
        """Name the task. Raises `NotDone`."""
        thread = await self._find_editable(request, asker)
        if request.project:
            self.overview.find_project(request.project)
        return f"`{thread.task}` is not at work, and would do that at its next start."

    @command(
        "edit_task",
        "changes a created task that has not started, or was stopped",
        input=EditTask,
        role="operator",
        tier="reversible",
        deed="a task was edited",
        needs_press=True,
        untrusted="people",
        rest=True,
        preview=preview_edit,
    )
    async def edit(self, request: EditTask, asker: Asker) -> CommandAnswer:
        """Edit a created task before its start, or before its restart."""
        thread = await self._find_editable(request, asker)
        before = thread.order
        event = OrderEdited(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            by=asker.user_id,
            title=request.title,
            description=request.description,
            priority=request.priority,
            project=self.overview.find_project(request.project) if request.project else None,
        )
        step = await self.finder.orchestrator.submit(thread.thread_id, event)
        after = step.thread.order if step.thread else None
        if not step.accepted or after is None or before is None:
            is_same = step.thread is not None and may_edit_order(step.thread)
            line = "It is so already" if is_same else f"`{thread.task}` has just started, and stays as it was"
            return CommandAnswer(outcome="done" if is_same else "invalid", line=f"{line}.", is_unchanged=is_same)
        names = [name for name in _FIELDS if getattr(after, name) != getattr(before, name)]
        texts = [name for name in names if name in ("title", "description")]
        old_project = before.project if before.project in self.overview.projects.names else None
        back = _describe_way_back(thread.task, before.evolve(project=old_project), names, texts)
        restart = "" if thread.status == "collecting" else f"`restart_task {thread.task}` starts it with them."
        rows = [f"The {name} before: {escape(clip(getattr(before, name), MAX_CHARS))}" for name in texts]
        line = " ".join(filter(None, (f"Changed the {_join(names)} of `{thread.task}`.", back, restart)))
        return CommandAnswer(line=line, rows=tuple(rows))

    async def show_deletion(self, request: OfTask, asker: Asker) -> SealedRequest:
        """Show what is deleted, and what stays. Raises `NotDone`."""
        thread = await self._find(request, asker)
        await self._check_deletable(thread, asker)
        open_words = "It is closed first, without a reply. " if thread.is_open else ""
        what = f"its document, `tasks/{thread.task}` and its long runs are deleted"
        purge = f"`triage purge --thread {thread.thread_id}`"
        stays = f"Its messages in Slack stay, and its records in the journals until {purge}"
        return SealedRequest(
            request=DeletedTask(task=thread.task, thread_id=thread.thread_id),
            brief="What is deleted, and what stays, is shown above the buttons.",
            shown=f"`{thread.task}`: {what}. {open_words}{stays}.",
            typed_again=thread.task,
            is_typed=True,
        )

    @sealed_command(
        "delete_task",
        "deletes a task that is not in progress, with its folders",
        input=OfTask,
        sealed=DeletedTask,
        names="task",
        role="operator",
        tier="irreversible",
        deed="a task was deleted",
        preview=show_deletion,
    )
    async def delete(self, request: DeletedTask, asker: Asker) -> CommandAnswer:
        """Close the task without a reply, wait until Slack shows that, and remove it."""
        thread = await self.finder.store.load(request.thread_id)
        if thread is None:
            return CommandAnswer(line=f"`{request.task}` is gone already.", is_unchanged=True)
        if refusal := await self.operators.task_refusal(asker, thread):
            raise NotDone(refusal, outcome="refused")
        await self._check_deletable(thread, asker)
        if thread.is_open:
            event = Dismiss(at=self.clock.now(), fresh=self.clock.new_id(), by=asker.user_id, **thread.press_ids)
            step = await self.finder.orchestrator.submit(thread.thread_id, event)
            if not step.accepted:
                raise NotDone("The task has just changed. Nothing was done; `get_task` shows its state.")
        for _ in range(_TRIES):
            thread = await self.finder.store.load(request.thread_id)
            if thread is None or await self.removal.remove(thread):
                stays = f"`triage purge --thread {request.thread_id}` removes its records in the journals."
                return CommandAnswer(line=f"Deleted: `{request.task}`. {stays}")
            await self.clock.sleep(1)  # its card is being updated
        line = f"`{request.task}` is closed, but Slack does not show that yet, so its document stays."
        return CommandAnswer(outcome="failed", line=f"{line} Give the command again in a minute.")

    async def _find(self, request: OfTask | EditTask, asker: Asker) -> Thread:
        """Return the thread if this person may decide on it. Raises `NotDone`."""
        thread = await self.finder.find(request.task, asker, hints=asker.via != "chat")
        if refusal := await self.operators.task_refusal(asker, thread):
            raise NotDone(refusal, outcome="refused")
        return thread

    async def _find_editable(self, request: EditTask, asker: Asker) -> Thread:
        """Return the thread of a created task that waits for its start or its restart. Raises `NotDone`."""
        thread = await self._find(request, asker)
        if not request.project and request.title is None and request.priority is None and request.description is None:
            raise NotDone("What is to change? Give `title=…`, `project=…`, `priority=…`, or the new description.")
        if thread.order is None:
            raise NotDone(f"`{thread.task}` is a question of a person: its asker edits the message in Slack.")
        if not may_edit_order(thread):
            status = (await self.states.find_state(thread)).status
            reason = "only a task that has not started, or was stopped, can be edited"
            raise NotDone(
                f"`{thread.task}` is {status}: {reason}. {_INSTEAD_OF_EDIT.get(status, '').format(thread.task)}"
            )
        return thread

    async def _check_deletable(self, thread: Thread, asker: Asker) -> None:
        """Raise `NotDone` if the task is in progress, or others wait for it."""
        status = (await self.states.find_state(thread)).status
        if status == "IN_PROGRESS":
            raise NotDone(f"`{thread.task}` is IN_PROGRESS: `stop_task {thread.task}` first, then delete it.")
        if thread.status == "in-doubt":
            raise NotDone(f"Slack did not confirm the reply of `{thread.task}`: decide on its card first.")
        if resume_runbook(thread):
            raise NotDone(f"A runbook of `{thread.task}` is running: wait for its end.")
        if thread.fix and thread.fix.is_live:
            raise NotDone(f"A fix of `{thread.task}` is under way: stop it on its card, or wait for its end.")
        dependents = [
            task.task for task in self.index.open.values() if task.order and thread.thread_id in task.order.depends_on
        ]
        if not dependents:
            return
        named = ", ".join(f"`{name}`" for name in dependents[:_NAMES])
        rest = f" and {len(dependents) - _NAMES} more" if len(dependents) > _NAMES else ""
        which = "" if asker.via == "chat" else f": {named}{rest}"  # an acting command shows others' words to no model
        verb = "depends" if len(dependents) == 1 else "depend"
        raise NotDone(
            f"{count(len(dependents), 'open task')} {verb} on `{thread.task}`{which}. Delete or skip those first."
        )


def _describe_way_back(task: str, before: TaskOrder, names: list[str], texts: list[str]) -> str:
    """Name the command that takes an edit back; a task cannot go back to no project, or to one that is gone."""
    old = {"priority": before.priority, "project": before.project}
    values = "".join(f" {name}={old[name]}" for name in names if old.get(name))
    below = f" with the {_join(texts)} below" if texts else ""
    return f"`edit_task {task}{values}`{below} changes it back." if values or texts else ""


def _join(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
