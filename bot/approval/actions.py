"""Approval: act on an operator's button presses and dialogs. Only operators decide; each decision takes effect once.

A user without permission is told so. A user who presses a stale card is told what happened, by whom and when, and the
card is rendered again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks.earlier_evidence import build_earlier_evidence, is_earlier
from blocks.evidence import SHOW
from blocks.evidence_dialog import build_evidence_dialog
from blocks.fix import EDIT
from blocks.remedy import RUN
from bot.approval.answers import FIRST_OF_TWO, NOBODY_ELSE, NOT_KEPT, ONLY_ONE, STOPPED, TOO_SOON
from bot.approval.decision_dialogs import BEFORE_A_DRAFT, DIALOGS, DecisionDialogs
from bot.approval.decisions import DECISIONS
from bot.approval.fix_presses import FIX_DECISIONS
from bot.approval.stale_press import explain_stale_press, to_plain_text
from bot.approval.submissions import Submissions
from bot.decide.bounce.improvement import find_improvement
from bot.decide.press_debounce import is_second_click
from bot.decide.redaction.redactor import Redactor
from bot.decide.refusals import describe_unopened
from bot.errors import TriageError, Unreadable
from bot.models import thread_event
from bot.models.interaction import Dialog
from bot.models.presses import RunRunbookPressed
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_thread

if TYPE_CHECKING:
    from bot.approval.ask_owner import OwnerRequests
    from bot.approval.corrections import Corrections
    from bot.approval.decision_dialogs import DialogAction
    from bot.approval.fix_presses import FixPresses
    from bot.approval.runbook_presses import RunbookPresses
    from bot.decide.workflow import Transition
    from bot.models.interaction import Interaction, Press
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal
    from bot.ports.payload_handlers import QueueViewsPort
    from bot.ports.slack import Chat
    from bot.triage.freshness import Freshness
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.reader_clock import ReaderClock

log = logging.getLogger(__name__)

DIALOG_OPENED = "opened"
"""Audit result of a press that only opened a dialog."""
_APPROVING = ("approve", "approve_and_save", "post_anyway")
_POSTING = (*_APPROVING, "post_again")
_AUDITED = ("reason", "link", "to")
"""Dialog fields that the audit records: choices only, no free text."""


@dataclass(frozen=True, kw_only=True)
class Approval:
    """Handler of operators' presses and dialogs. `audit` is the journal of decisions."""

    orchestrator: Orchestrator
    chat: Chat
    audit: Journal
    clock: Clock
    operators: Operators
    freshness: Freshness
    corrections: Corrections
    reader_clock: ReaderClock
    runbooks: RunbookPresses
    fixes: FixPresses
    redactor: Redactor = field(default_factory=Redactor)
    owner_requests: OwnerRequests | None = None
    """Requests to the owners of cited files; `None` where they are off."""
    queue_views: QueueViewsPort | None = None
    """Views through which people step from question to question; `None` in tests."""

    async def handle_press(self, press: Press, *, replayed: bool = False) -> None:
        """Act on a button press and tell the user the result. A replayed press opens no dialog and notifies nobody."""
        answer = await self.act(press, replayed=replayed)
        if answer and not replayed:
            try:
                await self.chat.post_ephemeral(channel=press.channel_id, user=press.user_id, text=answer)
            except TriageError as problem:
                log.warning("%s was not told: %s", press.user_id, problem)

    async def act(self, press: Press, *, replayed: bool = False) -> str | None:
        """Act on a button press; return the text to show to the user, if any."""
        is_look = press.action in (SHOW, EDIT, *DIALOGS)
        try:
            is_hasty = press.action in (*DECISIONS, *FIX_DECISIONS) and await self._is_hasty(press, replayed=replayed)
            answer = TOO_SOON if is_hasty else await self._press(press, replayed=replayed)
        except Exception:  # a replay must not act on it later
            log.exception("thread %s: the press %s failed", press.thread_id, press.action)
            answer = "This did not work; the log says why. Nothing was changed."
        await self._write_audit(press, answer or (DIALOG_OPENED if is_look else "done"), replayed=replayed)
        return answer

    async def _is_hasty(self, press: Press, *, replayed: bool) -> bool:
        """Return whether the button was rendered only a moment ago; a replayed press is judged by the presses
        before."""
        return is_second_click(press, await self.audit.tail(20)) if replayed else self._has_just_come(press)

    def _has_just_come(self, press: Press) -> bool:
        return self.queue_views is not None and self.queue_views.has_just_come(press)

    async def handle_dialog(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; return the errors to show in it, by `block_id`."""
        try:
            errors = await self._submit(dialog, replayed=replayed)
        except Exception:  # as above
            log.exception("thread %s: the dialog %s failed", dialog.thread_id, dialog.action)
            errors = {_first_block(dialog): "This did not work; the log says why. Nothing was changed."}
        await self._write_audit(dialog, "; ".join(errors.values()) or "done", replayed=replayed)
        return errors

    async def _press(self, press: Press, *, replayed: bool) -> str | None:
        """Apply a press; return why it had no effect, `None` if it had one."""
        thread, refusal = await self._check_permission(press, replayed=replayed)
        if refusal or thread is None:
            return refusal
        if press.action == SHOW:  # it changes nothing, so a stale card may ask for it too
            return None if replayed else await self._show_evidence(press, thread)
        if dialog := next((action for action in DIALOGS if action == press.action), None):
            return None if replayed else await self._open_dialog(press, dialog, thread)
        if press.action == EDIT:
            return None if replayed else await self._edit_request(press, thread)
        if press.action in FIX_DECISIONS:
            return await self.fixes.decide(press, thread)
        if press.action == "ask_owner" and self.owner_requests:
            return await self.owner_requests.ask(thread, press, replayed=replayed) or self._too_late(thread)
        if press.action not in DECISIONS:
            self.orchestrator.redraw(thread)
            return "This button is from another version of Triage; the card was updated."
        if press.action in _POSTING and not await self._may_post(press, thread, replayed=replayed):
            return STOPPED
        return await self._decide(press, thread)

    async def _decide(self, press: Press, thread: Thread) -> str | None:
        """Submit a decision; return why it had no effect, or what is missing; `None` if it is done."""
        fields, second = self._event_fields(press), self._second(thread, press.user_id)
        if press.action == RUN:
            return await self.runbooks.run(thread, RunRunbookPressed(**fields, second=second))
        if press.action in _APPROVING:
            fields |= {"second": second, "confirmed": press.confirmed}
        step = await self.orchestrator.submit(press.thread_id, DECISIONS[press.action](**fields))
        if step.accepted:
            return (FIRST_OF_TWO if fields.get("second") else ONLY_ONE) if _is_first(press, step.thread) else None
        if step.refusal and step.thread:  # the user may have seen a stale card
            self.orchestrator.redraw(step.thread)
        return step.refusal or self._too_late(step.thread)

    async def _may_post(self, press: Press, thread: Thread, *, replayed: bool) -> bool:
        """Check the draft's freshness; return whether posting is allowed, even after the time that this took."""
        if self.orchestrator.state() == "stopped":
            return False
        if press.action in ("approve", "approve_and_save") and not replayed:  # else decided before the crash
            async for event in self.freshness.changes(thread):
                await self.orchestrator.submit(thread.thread_id, event)
        return self.orchestrator.state() != "stopped"

    def _second(self, thread: Thread, first: str) -> str | None:
        """Return the second approver: the card's operator, else the next operator who may approve."""
        return next(iter(self.operators.seconds(thread, first)), None)

    async def _show_evidence(self, press: Press, thread: Thread) -> str | None:
        """Open the evidence dialog of a card, of an earlier question of the thread too."""
        redacted = await run_offloaded(redact_thread, thread, self.redactor)
        if not is_earlier(redacted, press.draft_id, press.nonce):
            improvement = await run_offloaded(find_improvement, redacted)
            return await self._open(press, build_evidence_dialog(redacted, improvement))
        view = build_earlier_evidence(redacted, press.draft_id)
        return await self._open(press, view) if view else NOT_KEPT

    async def _edit_request(self, press: Press, thread: Thread) -> str | None:
        view = self.fixes.build_dialog(press, thread)
        return await self._open(press, view) if view else self.fixes.explain(thread)

    async def _open_dialog(self, press: Press, action: DialogAction, thread: Thread) -> str | None:
        draft = thread.draft_pending
        named = (draft.draft_id, draft.nonce) if draft else None
        if action in BEFORE_A_DRAFT:
            is_shown = thread.is_open and _draft_key(press) in (named, _card(thread))
        else:
            is_shown = thread.status == "pending-user" and _draft_key(press) == named
        if not is_shown:
            return self._too_late(thread)
        if action == "delegate" and not self.operators.other_operators(thread):
            return NOBODY_ELSE
        views = DecisionDialogs(chat=self.chat, operators=self.operators, redactor=self.redactor)
        return await self._open(press, await views.build(action, thread))

    async def _open(self, press: Press, view: dict[str, Any]) -> str | None:
        try:
            await self.chat.open_view(trigger_id=press.trigger_id, view=view)
        except TriageError as problem:
            log.warning("thread %s: the dialog did not open: %s", press.thread_id, problem)
            return describe_unopened(problem)
        return None

    async def _submit(self, dialog: Dialog, *, replayed: bool) -> dict[str, str]:
        block = _first_block(dialog)
        thread, refusal = await self._check_permission(dialog, replayed=replayed)
        if refusal or thread is None:
            return {block: refusal or "Triage no longer knows this question."}
        if dialog.action == EDIT:
            return await self.fixes.edit(dialog, thread)
        reading = Submissions(operators=self.operators, clock=self.clock, redactor=self.redactor)
        event = await reading.read(dialog, thread, self._event_fields(dialog))
        if isinstance(event, dict):
            return event
        step = await self.orchestrator.submit(dialog.thread_id, event)
        await self._learn(dialog, step.thread)
        if step.accepted:
            return {}
        why = step.refusal or await self._too_late_in_words(step, dialog.user_id)
        return {block: f"{why} Nothing was changed; please copy your text before you close this."}

    async def _learn(self, dialog: Dialog, thread: Thread | None) -> None:
        """Label the question as not for this team if this user dismissed it so, before a crash or now."""
        decision = thread.decision if thread else None
        if thread and decision and (decision.code, decision.by) == ("not_for_us", dialog.user_id):
            await self.corrections.not_for_us(thread, by=decision.by, interaction_id=dialog.interaction_id)

    def _too_late(self, thread: Thread | None) -> str:
        """Explain that the press came too late, and render the stale card again."""
        if thread:
            self.orchestrator.redraw(thread)
        return explain_stale_press(thread)

    async def _too_late_in_words(self, step: Transition, reader: str) -> str:
        """Explain the same for a dialog: errors there are plain text, so ids are replaced by names."""
        zone = await self.reader_clock.time_zone_of(reader)
        return await to_plain_text(self._too_late(step.thread), self.chat.user_name, zone)

    async def _check_permission(self, interaction: Interaction, *, replayed: bool) -> tuple[Thread | None, str | None]:
        """Return the thread and why this user may not act on it, if so."""
        thread = await self._thread(interaction.thread_id)
        if thread is None:
            return None, "Triage no longer knows this question."
        user, team_id = interaction.user_id, interaction.team_id
        refresh = interaction.action in _POSTING and not replayed
        return thread, await self.operators.refusal(user, team_id, thread, replayed=replayed, refresh=refresh)

    async def _thread(self, thread_id: str) -> Thread | None:
        """Load the thread; one that does not parse is rebuilt in its queue, as on any other event."""
        try:
            return await self.orchestrator.store.load(thread_id)
        except Unreadable:
            nothing_new = thread_event.Due(at=self.clock.now(), fresh=self.clock.new_id())
            return (await self.orchestrator.submit(thread_id, nothing_new)).thread

    def _event_fields(self, interaction: Interaction) -> dict[str, Any]:
        return {
            "at": self.clock.now(),
            "fresh": self.clock.new_id(),
            "by": interaction.user_id,
            "draft_id": interaction.draft_id,
            "nonce": interaction.nonce,
        }

    async def _write_audit(self, interaction: Interaction, result: str, *, replayed: bool) -> None:
        record = interaction.model_dump(mode="json", exclude={"trigger_id", "values"})
        values = interaction.values if isinstance(interaction, Dialog) else {}
        chosen = {name: self.redactor.redact(values[name]) for name in _AUDITED if values.get(name)}
        now = self.clock.now().isoformat()
        await self.audit.append({**record, **chosen, "at": now, "result": result, "replayed": replayed})


def _first_block(dialog: Dialog) -> str:
    """Return the block at which an error of the whole dialog is shown."""
    return next(iter(dialog.values), "text")


def _is_first(press: Press, thread: Thread | None) -> bool:
    """Return whether this is the first of two approvals that the reply needs."""
    return press.action in _APPROVING and thread is not None and thread.status == "pending-user"


def _draft_key(interaction: Interaction) -> tuple[str, str]:
    return interaction.draft_id, interaction.nonce


def _card(thread: Thread) -> tuple[str, str]:
    """Return the draft id and nonce in the buttons of a card without a draft."""
    return f"{thread.thread_id}/0", thread.card.nonce
