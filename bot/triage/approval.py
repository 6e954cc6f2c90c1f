"""Approval: what an operator's press or dialog does. Only operators decide; a decision settles once.

Called by `intake/watcher` with presses and dialogs that are already in the journal, and again at start for those that a
crash left undone. Whoever may not press is told so. Whoever presses too late is told why, and the card is drawn
again, since it showed what is no longer so.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks import dialogs
from blocks.dossier import dossier
from blocks.evidence import SHOW
from bot.decide.redact import Redactor
from bot.errors import TriageError, Unreadable
from bot.models import happening
from bot.triage.drafts import as_shown, make_draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.interaction import Dialog, Interaction, Press
    from bot.models.thread import Draft, Thread
    from bot.ports import Chat, Clock, Journal
    from bot.triage.freshness import Freshness
    from bot.triage.orchestrator import Orchestrator

log = logging.getLogger(__name__)

_DECISIONS: dict[str, Callable[..., happening.Press]] = {
    "approve": happening.Approve,
    "post_anyway": lambda **said: happening.Approve(anyway=True, **said),
    "redraft": happening.Redraft,
    "dismiss": happening.Dismiss,
    "was_posted": happening.WasPosted,
    "post_again": happening.PostAgain,
}
_OUTCOMES = {
    "withdrawn": "the question was deleted",
    "replied": "the reply is posted",
    "dismissed": "it was dismissed",
    "practice": "it was approved as practice",
    "expired": "it expired, since nobody decided in time",
    "muted": "its thread was muted",
}
_UNDECIDED = ("withdrawn", "expired", "muted")
"""Outcomes that no operator decided on, though one may have bounced a draft before."""
_POSTING = ("approve", "post_anyway", "post_again")


@dataclass(frozen=True, kw_only=True)
class Approval:
    """The operator's desk. `audit` records who did what."""

    orchestrator: Orchestrator
    chat: Chat
    audit: Journal
    clock: Clock
    new_id: Callable[[], str]
    operators: frozenset[str]
    freshness: Freshness
    redactor: Redactor = field(default_factory=Redactor)
    is_stopped: Callable[[], bool] = lambda: False
    """Whether an admin has stopped everything, so that nothing is posted."""

    async def pressed(self, press: Press, *, replayed: bool = False) -> None:
        """Act on a button. A replayed press opens no dialog and bothers nobody."""
        try:
            said = await self._press(press, replayed=replayed)
        except Exception:  # it must not be acted on later either, when nobody expects it
            log.exception("thread %s: the press %s broke", press.thread_id, press.action)
            said = "This did not work; the log says why. Nothing was changed."
        await self._audited(press, said or "done", replayed=replayed)
        if said and not replayed:
            try:
                await self.chat.notice(channel=press.channel_id, user=press.user_id, text=said)
            except TriageError as problem:
                log.warning("%s was not told: %s", press.user_id, problem)

    async def submitted(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; the answer is the errors to show in it, by `block_id`."""
        try:
            errors = await self._submit(dialog)
        except Exception:  # as above
            log.exception("thread %s: the dialog %s broke", dialog.thread_id, dialog.action)
            errors = {next(iter(dialog.values), "text"): "This did not work; the log says why. Nothing was changed."}
        await self._audited(dialog, "; ".join(errors.values()) or "done", replayed=replayed)
        return errors

    async def _press(self, press: Press, *, replayed: bool) -> str | None:
        """Settle a press; the answer is why nothing came of it."""
        thread, refusal = await self._permitted(press)
        if refusal or thread is None:
            return refusal
        if press.action == SHOW:  # it changes nothing, so a card that is behind may ask for it too
            return None if replayed else await self._open(press, dossier(as_shown(thread, self.redactor)))
        if press.action in ("edit", "bounce", "answer"):
            return None if replayed else await self._open_dialog(press, thread)
        if press.action not in _DECISIONS:
            self.orchestrator.redraw(thread)
            return "This button is not one of this version's; the card is drawn again."
        if press.action in _POSTING and self.is_stopped():
            return "Triage is stopped: nothing is posted until an admin gives `/triage resume`. Nothing was changed."
        if press.action == "approve" and not replayed:  # one from before a crash was decided before it
            await self.freshness.look_again(thread)
        made = _DECISIONS[press.action](**self._named(press))
        step = await self.orchestrator.submit(press.thread_id, made)
        return None if step.accepted else self._too_late(step.thread)

    async def _open_dialog(self, press: Press, thread: Thread) -> str | None:
        draft = thread.draft_pending
        if thread.status != "pending-user" or draft is None or (draft.draft_id, draft.nonce) != _names(press):
            return self._too_late(thread)
        value = f"{draft.draft_id} {draft.nonce}"
        return await self._open(press, self._dialog(press.action, value, thread, draft))

    async def _open(self, press: Press, view: dict[str, Any]) -> str | None:
        try:
            await self.chat.open_view(trigger_id=press.trigger_id, view=view)
        except TriageError as problem:
            log.warning("thread %s: the dialog did not open: %s", press.thread_id, problem)
            return "The dialog did not open in time. Please press the button again."
        return None

    def _dialog(self, action: str, value: str, thread: Thread, draft: Draft) -> dict[str, Any]:
        if action == "edit":
            return dialogs.edit(value, text=draft.text)
        if action == "bounce":
            return dialogs.bounce(value)
        asked = thread.investigator_return.open_questions if thread.investigator_return else ()
        return dialogs.answer(value, questions=tuple(self.redactor.redact(question) for question in asked))

    async def _submit(self, dialog: Dialog) -> dict[str, str]:
        block, text = next(iter(dialog.values.items()), ("text", ""))
        thread, refusal = await self._permitted(dialog)
        if refusal or thread is None:
            return {block: refusal or "This question is not known any more."}
        if not text.strip():
            return {block: "Please write something."}
        made: happening.Press
        if dialog.action == "edit":
            draft = make_draft(
                thread, text.strip(), nonce=self.new_id(), edited_by=dialog.user_id, redactor=self.redactor
            )
            if draft.withheld:
                return {block: f"This holds what looks like {draft.withheld}. Take it out; nothing was changed."}
            made = happening.EditSubmitted(draft=draft, **self._named(dialog))
        elif dialog.action == "bounce":
            made = happening.Bounce(feedback=text.strip(), **self._named(dialog))
        elif dialog.action == "answer":
            made = happening.Answer(text=text.strip(), **self._named(dialog))
        else:
            return {block: "This dialog is not one of this version's."}
        step = await self.orchestrator.submit(dialog.thread_id, made)
        return {} if step.accepted else {block: f"{self._too_late(step.thread)} Nothing was changed; copy your text."}

    def _too_late(self, thread: Thread | None) -> str:
        """Why nothing came of it. Whoever pressed saw a card that is behind, so it is drawn again."""
        if thread:
            self.orchestrator.redraw(thread)
        return _too_late(thread)

    async def _permitted(self, interaction: Interaction) -> tuple[Thread | None, str | None]:
        """The thread, or why this person may do nothing with it."""
        thread = await self._thread(interaction.thread_id)
        if thread is None:
            return None, "This question is not known any more."
        if interaction.user_id not in self.operators or interaction.team_id != thread.team_id:
            return None, "Only an operator can decide this. Nothing was changed."
        return thread, None

    async def _thread(self, thread_id: str) -> Thread | None:
        """The document; one that does not parse is made anew in its thread's order, as by any other happening."""
        try:
            return await self.orchestrator.store.load(thread_id)
        except Unreadable:
            nothing_new = happening.Due(at=self.clock.now(), fresh=self.new_id())
            return (await self.orchestrator.submit(thread_id, nothing_new)).thread

    def _named(self, interaction: Interaction) -> dict[str, Any]:
        return {
            "at": self.clock.now(),
            "fresh": self.new_id(),
            "by": interaction.user_id,
            "draft_id": interaction.draft_id,
            "nonce": interaction.nonce,
        }

    async def _audited(self, interaction: Interaction, result: str, *, replayed: bool) -> None:
        record = interaction.model_dump(mode="json", exclude={"trigger_id", "values"})
        await self.audit.append({**record, "at": self.clock.now().isoformat(), "result": result, "replayed": replayed})


def _names(interaction: Interaction) -> tuple[str, str]:
    return interaction.draft_id, interaction.nonce


def _too_late(thread: Thread | None) -> str:
    """What has happened to the thread since the card was drawn that way."""
    if thread is None:
        return "This question is not known any more."
    by = f" by <@{thread.decision.by}>" if thread.decision else ""
    match thread.status:
        case "closed":
            said = _OUTCOMES.get(thread.outcome or "", "it was closed")
            return f"This is settled already: {said}{'' if thread.outcome in _UNDECIDED else by}."
        case "approved" | "in-doubt":
            return f"This was approved already{by}; the reply is on its way."
        case "pending-user":
            return "The card has changed since. Please look at it again before you decide."
        case _:
            return "A new draft is being made. Please wait for it."
