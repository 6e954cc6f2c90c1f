"""Changes of tasks: `stop_task`, `restart_task`, `set_task_status`.

They change a thread only by events that `decide/workflow` accepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.commands.answers import describe_progress
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_work import OfTask, SetTaskStatus
from bot.commands.registry import command
from bot.errors import TriageError
from bot.models.presses import Restarted
from bot.models.status import BEFORE_A_DRAFT
from bot.models.thread_event import Dismiss, Redraft, RunFailed

if TYPE_CHECKING:
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators

_CHANGED_MEANWHILE = "The task has just changed. Nothing was done; `get_task` shows its state."


@dataclass(frozen=True, kw_only=True)
class TaskCommands:
    """Commands on one task."""

    finder: TaskFinder
    controls: Controls
    clock: Clock
    operators: Operators
    chat: Chat

    @command(
        "stop_task",
        "ends the run of a task; its question then waits for its operator, whose card says who stopped it",
        input=OfTask,
        role="operator",
        tier="reversible",
        deed="the run of a task was ended",
    )
    async def stop(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Stop a task's run; the question then waits for its operator, whose card says who stopped it."""
        thread = await self._find_decidable(request, asker)
        if thread.run_id is None:
            return CommandAnswer(outcome="invalid", line=f"Nothing runs here. {describe_progress(thread)}")
        who = await self._find_user_name(asker.user_id)
        event = RunFailed(**self._event_fields(), run_id=thread.run_id, reason=f"{who} stopped the run", why="stopped")
        if not (await self.finder.orchestrator.submit(thread.thread_id, event)).accepted:
            return CommandAnswer(outcome="invalid", line=_CHANGED_MEANWHILE)
        return CommandAnswer(
            line=f"Stopped. The card of `{thread.task}` says so; `restart_task` has it investigated again."
        )

    @command(
        "restart_task",
        "investigates a question again that was stopped, failed, dismissed or settled, or has expired",
        input=OfTask,
        role="operator",
        tier="reversible",
        deed="a task was restarted",
    )
    async def restart(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Investigate a question again, once; refuse if it runs, waits or was answered."""
        thread = await self._find_decidable(request, asker)
        match thread.status:
            case "pending-user" if _has_a_draft(thread):
                line = "A draft waits for a decision. Nothing was changed: Bounce on its card asks for another one."
                return CommandAnswer(outcome="invalid", line=line)
            case "pending-user":
                event: Redraft | Restarted = Redraft(**self._event_fields(), **_card_ids(thread), by=asker.user_id)
            case "closed" if thread.outcome in ("dismissed", "expired", "settled"):
                mode = self.controls.modes.get(thread.chat_id)
                if mode is None or mode == "silent" or thread.thread_id in self.controls.muted:
                    return CommandAnswer(outcome="invalid", line=self._explain_silent(thread))
                operator = self.operators.first_operator(thread.chat_id, thread.original_sender_id)
                event = Restarted(**self._event_fields(), by=asker.user_id, mode=mode, operator=operator)
            case "closed":
                reopen_hint = "a message of its asker in the thread, or a mention of Triage, opens the next question"
                return CommandAnswer(
                    outcome="invalid", line=f"{describe_progress(thread)} Nothing was changed: {reopen_hint}."
                )
            case _:
                return CommandAnswer(outcome="invalid", line=f"{describe_progress(thread)} No second run is started.")
        if not (await self.finder.orchestrator.submit(thread.thread_id, event)).accepted:
            return CommandAnswer(outcome="invalid", line=_CHANGED_MEANWHILE)
        begins = "" if self.controls.state == "running" else " with `/triage resume`"
        return CommandAnswer(line=f"`{thread.task}` is investigated again{begins}; the result comes as a card.")

    @command(
        "set_task_status",
        "dismisses a task; no other status can be set by a command",
        input=SetTaskStatus,
        role="operator",
        tier="reversible",
        deed="a task was dismissed",
    )
    async def set_status(self, request: SetTaskStatus, asker: Asker) -> CommandAnswer:
        """Dismiss a task; any other change has its own command."""
        thread = await self._find_decidable(request, asker)
        if thread.status not in (*BEFORE_A_DRAFT, "pending-user"):
            return CommandAnswer(outcome="invalid", line=f"{describe_progress(thread)} Nothing was changed.")
        dismissed = Dismiss(**self._event_fields(), **_card_ids(thread), by=asker.user_id)
        if not (await self.finder.orchestrator.submit(thread.thread_id, dismissed)).accepted:
            return CommandAnswer(outcome="invalid", line=_CHANGED_MEANWHILE)
        return CommandAnswer(
            line=f"Dismissed: nobody gets a reply. `restart_task {thread.task}` investigates it again."
        )

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

    def _explain_silent(self, thread: Thread) -> str:
        if thread.thread_id in self.controls.muted:
            return "Its thread is muted, and stays so: `unmute` first."
        mode = self.controls.modes.get(thread.chat_id)
        return f"<#{thread.chat_id}> is {mode or 'not watched'}, so nothing is investigated there."

    def _event_fields(self) -> dict[str, Any]:
        return {"at": self.clock.now(), "fresh": self.clock.new_id()}


def _card_ids(thread: Thread) -> dict[str, Any]:
    """Return the ids that a press on the present card would carry."""
    draft = thread.draft_pending
    if draft:
        return {"draft_id": draft.draft_id, "nonce": draft.nonce}
    return {"draft_id": f"{thread.thread_id}/0", "nonce": thread.card.nonce}


def _has_a_draft(thread: Thread) -> bool:
    """Return whether the card shows a draft that is neither withheld, stale, unvalidated nor from the fallback
    engine."""
    draft = thread.draft_pending
    is_outdated = thread.stale or thread.fallback or thread.unvalidated
    return draft is not None and not draft.withheld and not is_outdated
