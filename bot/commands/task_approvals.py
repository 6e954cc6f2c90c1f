"""Approval of a draft by command: `approve_task` shows it, and the press of the person who asked approves exactly that.

The press goes the way of Approve on the card: the same rights, the same checks of freshness, once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.notification import describe_question, notification
from blocks.queue import question_link
from blocks.text import clip, escape, name_channel
from bot.approval.answers import FIRST_OF_TWO, ONLY_ONE, STOPPED
from bot.commands.answers import describe_progress, quote_text
from bot.commands.command import CommandAnswer, NotDone, SealedRequest
from bot.commands.confirmation_questions import build_seal
from bot.commands.inputs_work import OfTask
from bot.commands.registry import sealed_command
from bot.decide.redaction.redactor import Redactor
from bot.decide.workflow.approvals import ASKER, NO_ANSWER, OPENING, TWICE
from bot.models.fact import Fact
from bot.models.faults import confirmation_digest, has_answer, list_to_confirm
from bot.models.interaction import Press
from bot.models.thread_id import ThreadId
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_thread

if TYPE_CHECKING:
    from bot.approval.actions import Approval
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.thread import Thread

MAX_SHOWN = 6_000
"""Characters of a draft that a confirmation shows; a longer one is approved on its card."""
_STALE = 300
"""Characters of the reason to look again."""
_ON_ITS_CARD = "Nothing was changed: decide by the buttons of its card."


class ShownDraft(Fact):
    """Draft of a task as it was shown; any other is not approved by the press."""

    task: str
    thread_id: ThreadId
    draft_id: str
    nonce: str
    confirmed: str
    """Digest of the faults that were named."""
    anyway: bool
    """True if the draft was shown as stale."""


@dataclass(frozen=True, kw_only=True)
class TaskApprovals:
    """The command `approve_task`. `url` is the workspace's address."""

    finder: TaskFinder
    approval: Approval
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    async def show(self, request: OfTask, asker: Asker) -> SealedRequest:
        """Show the draft and the place of its reply to a person who may approve it. Raises `NotDone`."""
        thread = await self.finder.find(request.task, asker, hints=asker.via != "chat")
        if refusal := await self.approval.operators.refusal(asker.user_id, asker.team_id, thread):
            raise NotDone(refusal, outcome="refused")
        if obstacle := self._find_obstacle(thread, asker):
            raise NotDone(obstacle)
        draft = thread.draft_pending
        safe_thread = await run_offloaded(redact_thread, thread, self.redactor)
        safe_draft = safe_thread.draft_pending
        if draft is None or safe_draft is None or safe_draft.withheld or safe_draft.text != draft.text:
            raise NotDone(f"The draft of `{thread.task}` contains what looks like a secret. {_ON_ITS_CARD}")
        if len(draft.text) > MAX_SHOWN:
            raise NotDone(f"The draft of `{thread.task}` is too long to be shown here. {_ON_ITS_CARD}")
        shown_draft = ShownDraft(
            task=thread.task,
            thread_id=thread.thread_id,
            draft_id=draft.draft_id,
            nonce=draft.nonce,
            confirmed=confirmation_digest(thread),
            anyway=bool(thread.stale),
        )
        return SealedRequest(
            request=shown_draft,
            brief="Its draft and its place are shown above the buttons.",
            shown="\n".join(self._describe(safe_thread)),
            typed_again=f"{thread.task}#{build_seal(shown_draft.model_dump_json())}",
        )

    @sealed_command(
        "approve_task",
        "approves a task's draft, with the rights of its card, and so posts it",
        input=OfTask,
        sealed=ShownDraft,
        names="task",
        role="operator",
        tier="irreversible",
        deed="a draft was approved",
        preview=show,
    )
    async def approve(self, request: ShownDraft, asker: Asker) -> CommandAnswer:
        """Approve the shown draft, as the button of its card does."""
        press = Press(
            interaction_id=asker.interaction_id,
            team_id=asker.team_id,
            user_id=asker.user_id,
            channel_id=asker.channel_id,
            action="post_anyway" if request.anyway else "approve",
            thread_id=request.thread_id,
            draft_id=request.draft_id,
            nonce=request.nonce,
            confirmed=request.confirmed,
            trigger_id="",
        )
        answer = await self.approval.act(press)
        if answer in (FIRST_OF_TWO, ONLY_ONE):
            return CommandAnswer(line=answer)
        thread = await self.finder.store.load(request.thread_id)
        if answer and thread and _is_approved(thread, request):
            line = f"`{request.task}` was approved already; nothing was done twice."
            return CommandAnswer(outcome="invalid", line=line, rows=(answer,))
        if answer:
            next_step = f"`approve_task {request.task}` shows it as it is now."
            return CommandAnswer(outcome="refused", line=f"The draft was not approved. {next_step}", rows=(answer,))
        is_practice = thread is not None and thread.outcome == "practice"
        done = "practice, so nothing was posted" if is_practice else "its reply is being posted"
        return CommandAnswer(line=f"Approved: `{request.task}`; {done}.")

    def _find_obstacle(self, thread: Thread, asker: Asker) -> str:
        """Return why the draft cannot be approved now, with the next step; empty if it can."""
        limits, first = self.approval.orchestrator.limits, thread.approved_first
        if thread.status == "in-doubt":
            return f"Slack did not confirm the reply of `{thread.task}`, so it may be in its thread. {_ON_ITS_CARD}"
        if thread.status != "pending-user" or thread.draft_pending is None:
            return f"`{thread.task}` has no draft that awaits approval. {describe_progress(thread)}"
        if self.approval.orchestrator.state() == "stopped":
            return STOPPED
        if thread.opening:
            return OPENING
        if not has_answer(thread):
            return NO_ANSWER
        if not limits.asker_may_approve and asker.user_id == thread.original_sender_id:
            return ASKER
        if limits.second_approver and first and first.by == asker.user_id:
            return TWICE
        return ""

    def _describe(self, thread: Thread) -> list[str]:
        """List the question, the place of the reply, what to look at, and the draft."""
        draft = thread.draft_pending
        place = f"the thread of <{question_link(thread, self.url)}|this question> in {name_channel(thread.chat_id)}"
        rows = [describe_question(thread) if thread.stale else notification(thread), f"*Place:* {place}."]
        if thread.mode != "live":
            rows.append("*Practice:* nothing is posted there.")
        if self.approval.orchestrator.limits.second_approver and not thread.approved_first:
            rows.append("A second person must approve it, too.")
        if thread.stale:
            reason = escape(clip(thread.stale, _STALE)).rstrip(".")
            rows.append(f"*Look again:* {reason}. Confirming posts it anyway.")
        rows += [f"*Look again:* {escape(sentence)}" for sentence in list_to_confirm(thread)]
        return [*rows, "*Draft:*", quote_text(draft.text) if draft else ""]


def _is_approved(thread: Thread, shown: ShownDraft) -> bool:
    """Return whether the shown draft is the one that an operator has approved."""
    decision, draft = thread.decision, thread.draft_pending
    is_shown = draft is not None and (draft.draft_id, draft.nonce) == (shown.draft_id, shown.nonce)
    return is_shown and thread.status != "pending-user" and decision is not None and decision.action == "approve"
