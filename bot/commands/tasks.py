"""Changes of the status of tasks: `stop_task`, `restart_task`, `skip_task`, `set_task_status`.

They change a thread only by events that `decide/workflow` accepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocks.text import escape
from bot.commands.answers import describe_progress
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_work import OfTask, SetTaskStatus
from bot.commands.registry import command
from bot.decide.hold_words import describe_holds
from bot.decide.workflow.next_question import may_restart
from bot.errors import TriageError
from bot.models.conversation_record import is_direct
from bot.models.presses import Restarted, Settle, Stop
from bot.models.status import BEFORE_A_DRAFT
from bot.models.task_event import TaskSkipped
from bot.models.thread_event import Dismiss, Redraft

if TYPE_CHECKING:
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.status import Mode
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.task_states import TaskStates

_CHANGED_MEANWHILE = "The task has just changed. Nothing was done; `get_task` shows its state."
_UNDECIDED = (*BEFORE_A_DRAFT, "pending-user")
"""Statuses of threads that may be closed without a reply."""


@dataclass(frozen=True, kw_only=True)
class TaskCommands:
    """Commands that change one task."""

    finder: TaskFinder
    states: TaskStates
    controls: Controls
    clock: Clock
    operators: Operators
    chat: Chat

    @command(
        "stop_task",
        "ends the run of a task, or keeps it from starting, until it is restarted or skipped",
        input=OfTask,
        role="operator",
        tier="reversible",
        deed="the run of a task was ended",
    )
    async def stop(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Stop a task; its question then waits for its operator, whose card says who stopped it."""
        return await self._stop(await self._find_decidable(request, asker), asker)

    @command(
        "restart_task",
        "investigates again what was stopped, failed or closed; a created task also after its reply",
        input=OfTask,
        role="operator",
        tier="reversible",
        deed="a task was restarted",
    )
    async def restart(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Investigate a question again, once; refuse if it runs, waits or was answered."""
        return await self._restart(await self._find_decidable(request, asker), asker)

    @command(
        "skip_task",
        "closes a blocked or failed task as if completed: those that depend on it may start",
        input=OfTask,
        role="operator",
        tier="reversible",
        deed="a task was skipped",
    )
    async def skip(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Skip a task that is blocked or has failed."""
        thread = await self._find_decidable(request, asker)
        status = (await self.states.find_state(thread)).status
        if status not in ("BLOCKED", "FAILED"):
            line = f"`{thread.task}` is {status}: only a task that is BLOCKED or FAILED can be skipped."
            hold = await self._describe_hold(thread, asker)
            return CommandAnswer(outcome="invalid", line=" ".join(filter(None, (line, hold, _NEXT_STEPS[status]))))
        await self._submit(thread, TaskSkipped(**self._event_fields(), by=asker.user_id))
        back = f"`restart_task {thread.task}` takes it back."
        return CommandAnswer(line=f"Skipped: `{thread.task}` counts as completed for those that depend on it. {back}")

    @command(
        "set_task_status",
        "sets the status of a task, by what leads to it",
        input=SetTaskStatus,
        role="operator",
        tier="reversible",
        deed="the status of a task was changed",
    )
    async def set_status(self, request: SetTaskStatus, asker: Asker) -> CommandAnswer:
        """Set the status of a task by the event that leads to it."""
        thread = await self._find_decidable(request, asker)
        match request.status:
            case "READY":
                return await self._restart(thread, asker)
            case "BLOCKED":
                return await self._stop(thread, asker)
            case "COMPLETED":
                await self._close(thread, Settle(**self._event_fields(), **thread.press_ids, by=asker.user_id))
                done = "Settled: it counts as completed, and nobody gets a reply."
            case "FAILED":
                await self._close(thread, Dismiss(**self._event_fields(), **thread.press_ids, by=asker.user_id))
                done = "Dismissed: nobody gets a reply."
        return CommandAnswer(line=f"{done} `restart_task {thread.task}` investigates it again.")

    async def _stop(self, thread: Thread, asker: Asker) -> CommandAnswer:
        if thread.status not in BEFORE_A_DRAFT:
            return CommandAnswer(outcome="invalid", line=f"Nothing runs here. {describe_progress(thread)}")
        fields = {**self._event_fields(), **thread.press_ids}
        after = await self._submit(
            thread, Stop(**fields, by=asker.user_id, name=await self._find_user_name(asker.user_id))
        )
        if after.draft_pending:
            return CommandAnswer(line=f"Stopped. The draft of `{thread.task}` from before waits on its card.")
        restart = f"`restart_task {thread.task}` has it investigated again"
        return CommandAnswer(line=f"Stopped: `{thread.task}` is blocked, and its card says by whom; {restart}.")

    async def _restart(self, thread: Thread, asker: Asker) -> CommandAnswer:
        event = self._choose_restart(thread, asker)
        if isinstance(event, str):
            hold = await self._describe_hold(thread, asker)
            return CommandAnswer(outcome="invalid", line=" ".join(filter(None, (event, hold))))
        after = await self._submit(thread, event)
        back = f"`stop_task {thread.task}` takes it back."
        if after.is_about_order and after.status == "collecting":
            hold = await self._describe_hold(after, asker) or "The result comes as a card."
            return CommandAnswer(line=f"`{thread.task}` waits for its turn again. {hold} {back}")
        begins = "" if self.controls.state == "running" else " with `/triage resume`"
        line = f"`{thread.task}` is investigated again{begins}"
        return CommandAnswer(line=f"{line}; the result comes as a card. {back}")

    async def _describe_hold(self, thread: Thread, asker: Asker) -> str:
        """Say why a task does not start; to a model without others' words."""
        holds = (await self.states.find_state(thread)).holds
        return escape(describe_holds([h.bare for h in holds] if asker.via == "chat" else holds, thread.task))

    def _choose_restart(self, thread: Thread, asker: Asker) -> ThreadEvent | str:
        """Return the event that restarts a task, or why there is none."""
        order = thread.order
        is_later = order is not None and not thread.is_about_order
        match thread.status:
            case "pending-user" if is_later:
                return f"A further question in its thread waits for a decision. {_AFTER_THAT}"
            case "pending-user" if _has_a_draft(thread):
                return "A draft waits for a decision. Nothing was changed: Bounce on its card asks for another one."
            case "pending-user" if order is None or thread.draft_pending:
                return Redraft(**self._event_fields(), **thread.press_ids, by=asker.user_id)
            case "pending-user" | "closed":
                return self._choose_reopening(thread, asker)
            case _ if is_later:
                return f"A further question in its thread is not closed yet. {_AFTER_THAT}"
            case _:
                return f"{describe_progress(thread)} No second run is started."

    def _choose_reopening(self, thread: Thread, asker: Asker) -> ThreadEvent | str:
        """Return the event that restarts an ended question or a created task, or why there is none."""
        if thread.status == "closed" and not may_restart(thread):
            hint = "a message of its asker in the thread, or a mention of Triage, opens the next question"
            return f"{describe_progress(thread)} Nothing was changed: {hint}."
        mode = self._find_mode(thread)
        if mode is None or mode == "silent" or thread.thread_id in self.controls.muted:
            return self._explain_silent(thread)
        operator = self.operators.first_operator(thread.chat_id, thread.original_sender_id)
        return Restarted(**self._event_fields(), by=asker.user_id, mode=mode, operator=operator)

    async def _close(self, thread: Thread, event: Settle | Dismiss) -> None:
        """Close a thread without a reply. Raises `NotDone`."""
        if thread.status not in _UNDECIDED:
            raise NotDone(f"{describe_progress(thread)} Nothing was changed.")
        await self._submit(thread, event)

    async def _submit(self, thread: Thread, event: ThreadEvent) -> Thread:
        """Apply an event; return the changed document. Raises `NotDone` if it changes nothing any more."""
        step = await self.finder.orchestrator.submit(thread.thread_id, event)
        if not step.accepted or step.thread is None:
            raise NotDone(_CHANGED_MEANWHILE)
        return step.thread

    async def _find_decidable(self, request: OfTask | SetTaskStatus, asker: Asker) -> Thread:
        """Return the thread if this person may decide on it. An acting command shows others' words to no model.

        Raises `NotDone`.
        """
        thread = await self.finder.find(request.task, asker, hints=asker.via != "chat")
        if refusal := await self.operators.task_refusal(asker, thread):
            raise NotDone(refusal, outcome="refused")
        return thread

    async def _find_user_name(self, user: str) -> str:
        try:
            return await self.chat.user_name(user)
        except TriageError:
            return user

    def _find_mode(self, thread: Thread) -> Mode | None:
        return "live" if is_direct(thread.chat_id) else self.controls.modes.get(thread.chat_id)

    def _explain_silent(self, thread: Thread) -> str:
        if thread.thread_id in self.controls.muted:
            return "Its thread is muted, and stays so: `unmute` first."
        return f"<#{thread.chat_id}> is {self._find_mode(thread) or 'not watched'}, so nothing is investigated there."

    def _event_fields(self) -> dict[str, Any]:
        return {"at": self.clock.now(), "fresh": self.clock.new_id()}


_AFTER_THAT = "Nothing was changed: the task can be restarted after that."
_NEXT_STEPS = {
    "READY": "`stop_task` keeps it from its start.",
    "IN_PROGRESS": "`stop_task` ends its run first.",
    "AWAITING_APPROVAL": "`approve_task` posts its reply; `set_task_status` with COMPLETED or FAILED closes it.",
    "COMPLETED": "Nothing waits for it.",
}
"""Next step instead of skipping, by status."""


def _has_a_draft(thread: Thread) -> bool:
    """Return whether the card shows a draft that is neither withheld, stale, unvalidated nor from the fallback
    engine."""
    draft = thread.draft_pending
    is_outdated = thread.stale or thread.fallback or thread.unvalidated
    return draft is not None and not draft.withheld and not is_outdated
