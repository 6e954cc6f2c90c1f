"""Approval: what an operator's press or dialog does. Only operators decide; a decision settles once.

Whoever may not press is told so. Whoever presses too late is told what happened, by whom and when, and the card is
drawn again, since it showed what is no longer so.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks import dialogs
from blocks.controls import NO_SECOND, press_value
from blocks.earlier_evidence import earlier_dossier, is_earlier
from blocks.evidence import SHOW
from blocks.evidence_dialog import dossier
from bot.approval.stale_press import in_plain_words, too_late
from bot.approval.submissions import Submissions
from bot.decide.press_debounce import is_second_click
from bot.decide.redaction.redactor import Redactor
from bot.decide.refusals import unopened
from bot.errors import TriageError, Unreadable
from bot.models import thread_event
from bot.models.interaction import Dialog
from bot.runtime.offload import beside
from bot.surfaces.draft_payload import as_shown
from bot.triage.slack_names import named_people

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.approval.ask_owner import Asking
    from bot.approval.corrections import Corrections
    from bot.decide.workflow import Transition
    from bot.models.interaction import Interaction, Press
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat
    from bot.triage.freshness import Freshness
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.reader_clock import ReaderClock

log = logging.getLogger(__name__)

_DECISIONS: dict[str, Callable[..., thread_event.Press]] = {
    "approve": thread_event.Approve,
    "approve_and_save": lambda **said: thread_event.Approve(keeps_note=True, **said),
    "post_anyway": lambda **said: thread_event.Approve(anyway=True, **said),
    "redraft": thread_event.Redraft,
    "stop": thread_event.Stop,
    "take_over": thread_event.TakeOver,
    "was_posted": thread_event.WasPosted,
    "post_again": thread_event.PostAgain,
}
_DIALOGS = ("edit", "bounce", "answer", "dismiss", "delegate", "show_note")
OPENED = "opened"
"""What the audit says of a press that has opened a dialog, which decides nothing."""
_BEFORE_A_DRAFT = ("dismiss", "delegate")
"""Dialogs that a card offers while there is no draft."""
_APPROVING = ("approve", "approve_and_save", "post_anyway")
_POSTING = (*_APPROVING, "post_again")
TOO_SOON = "This card had only just come there, so your press decided nothing. Read it, and press again."
STOPPED = "Triage is stopped: nothing is posted until an admin gives `/triage resume`. Nothing was changed."
NOT_KEPT = "The thread has gone on with other questions; the evidence of this one lies in its task's folder."
NOBODY_ELSE = "Nobody else may decide on this question, so it cannot be handed over. Nothing was changed."
FIRST_OF_TWO = "Your approval is noted; the reply waits for a second person to approve it, too."
ONLY_ONE = f"Your approval is noted, but two must approve and {NO_SECOND}"
_AUDITED = ("reason", "link", "to")
"""What a dialog was given that stands in the audit: who was chosen and why, none of the words that were typed."""


@dataclass(frozen=True, kw_only=True)
class Approval:
    """The operator's desk. `audit` records who did what."""

    orchestrator: Orchestrator
    chat: Chat
    audit: Journal
    clock: Clock
    new_id: Callable[[], str]
    operators: Operators
    freshness: Freshness
    corrections: Corrections
    reader_clock: ReaderClock
    redactor: Redactor = field(default_factory=Redactor)
    asking: Asking | None = None
    """Who asks the owners of cited files."""
    has_just_come: Callable[[Press], bool] = lambda _: False
    """Whether a button came under somebody's hand only a moment before."""
    is_stopped: Callable[[], bool] = lambda: False
    """Whether an admin has stopped everything, so that nothing is posted."""

    async def pressed(self, press: Press, *, replayed: bool = False) -> None:
        """Act on a button. A replayed press opens no dialog and bothers nobody."""
        said = await self.act(press, replayed=replayed)
        if said and not replayed:
            try:
                await self.chat.notice(channel=press.channel_id, user=press.user_id, text=said)
            except TriageError as problem:
                log.warning("%s was not told: %s", press.user_id, problem)

    async def act(self, press: Press, *, replayed: bool = False) -> str | None:
        """Do the same; the answer is what whoever pressed is to be told, if anything."""
        is_look = press.action == SHOW or press.action in _DIALOGS
        try:
            is_hasty = press.action in _DECISIONS and await self._is_hasty(press, replayed=replayed)
            said = TOO_SOON if is_hasty else await self._press(press, replayed=replayed)
        except Exception:  # it must not be acted on later either, when nobody expects it
            log.exception("thread %s: the press %s broke", press.thread_id, press.action)
            said = "This did not work; the log says why. Nothing was changed."
        await self._audited(press, said or (OPENED if is_look else "done"), replayed=replayed)
        return said

    async def _is_hasty(self, press: Press, *, replayed: bool) -> bool:
        """Return whether its button had only just come; after a restart its own time and those of the presses before
        tell."""
        return is_second_click(press, await self.audit.tail(20)) if replayed else self.has_just_come(press)

    async def submitted(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; the answer is the errors to show in it, by `block_id`."""
        try:
            errors = await self._submit(dialog, replayed=replayed)
        except Exception:  # as above
            log.exception("thread %s: the dialog %s broke", dialog.thread_id, dialog.action)
            errors = {_first(dialog): "This did not work; the log says why. Nothing was changed."}
        await self._audited(dialog, "; ".join(errors.values()) or "done", replayed=replayed)
        return errors

    async def _press(self, press: Press, *, replayed: bool) -> str | None:
        """Settle a press; the answer is why nothing came of it."""
        thread, refusal = await self._permitted(press, replayed=replayed)
        if refusal or thread is None:
            return refusal
        if press.action == SHOW:  # it changes nothing, so a card that is behind may ask for it too
            return None if replayed else await self._show_evidence(press, thread)
        if press.action in _DIALOGS:
            return None if replayed else await self._open_dialog(press, thread)
        if press.action == "ask_owner" and self.asking:
            return await self.asking.ask(thread, press, replayed=replayed) or self._too_late(thread)
        if press.action not in _DECISIONS:
            self.orchestrator.redraw(thread)
            return "This button is not one of this version's; the card is drawn again."
        if press.action in _POSTING and not await self._may_post(press, thread, replayed=replayed):
            return STOPPED
        said = self._named(press)
        if press.action in _APPROVING:
            said |= {"second": self._second(thread, press.user_id), "confirmed": press.confirmed}
        step = await self.orchestrator.submit(press.thread_id, _DECISIONS[press.action](**said))
        if step.accepted:
            return (FIRST_OF_TWO if said.get("second") else ONLY_ONE) if _is_first(press, step.thread) else None
        if step.refusal and step.thread:  # whoever pressed may have seen a card that is behind
            self.orchestrator.redraw(step.thread)
        return step.refusal or self._too_late(step.thread)

    async def _may_post(self, press: Press, thread: Thread, *, replayed: bool) -> bool:
        """Look again before a reply is approved, as long as nothing is stopped, be it meanwhile."""
        if self.is_stopped():
            return False
        if press.action in ("approve", "approve_and_save") and not replayed:  # else it was decided before a crash
            await self.freshness.look_again(thread)
        return not self.is_stopped()

    def _second(self, thread: Thread, first: str) -> str | None:
        """Who is asked where two must approve: whoever has the card, else the next who may."""
        return next(iter(self.operators.seconds(thread, first)), None)

    async def _show_evidence(self, press: Press, thread: Thread) -> str | None:
        """Open what is behind a card, be it that of an earlier question of the thread."""
        shown = await beside(as_shown, thread, self.redactor)
        if not is_earlier(shown, press.draft_id, press.nonce):
            return await self._open(press, dossier(shown))
        view = earlier_dossier(shown, press.draft_id)
        return await self._open(press, view) if view else NOT_KEPT

    async def _open_dialog(self, press: Press, thread: Thread) -> str | None:
        draft = thread.draft_pending
        named = (draft.draft_id, draft.nonce) if draft else None
        if press.action in _BEFORE_A_DRAFT:
            is_shown = thread.is_open and _names(press) in (named, _card(thread))
        else:
            is_shown = thread.status == "pending-user" and _names(press) == named
        if not is_shown:
            return self._too_late(thread)
        if press.action == "delegate" and not self.operators.others(thread):
            return NOBODY_ELSE
        if press.action == "delegate":
            people = await named_people(self.chat, self.operators.others(thread)[: dialogs.MOST_OPTIONS])
            return await self._open(press, dialogs.delegate(press_value(thread), operators=people))
        return await self._open(press, self._dialog(press.action, thread))

    async def _open(self, press: Press, view: dict[str, Any]) -> str | None:
        try:
            await self.chat.open_view(trigger_id=press.trigger_id, view=view)
        except TriageError as problem:
            log.warning("thread %s: the dialog did not open: %s", press.thread_id, problem)
            return unopened(problem)
        return None

    def _dialog(self, action: str, thread: Thread) -> dict[str, Any]:
        value = press_value(thread)
        match action:
            case "edit":
                return dialogs.edit(value, text=thread.draft_pending.text if thread.draft_pending else "")
            case "bounce":
                return dialogs.bounce(value)
            case "dismiss":
                return dialogs.dismiss(value, answered=thread.settled_word is not None)
            case "show_note":
                note = thread.proposed_note
                return dialogs.note(self.redactor.redact(note.content) if note else "")
            case _:
                asked = thread.investigator_return.open_questions if thread.investigator_return else ()
                return dialogs.answer(value, questions=tuple(self.redactor.redact(question) for question in asked))

    async def _submit(self, dialog: Dialog, *, replayed: bool) -> dict[str, str]:
        block = _first(dialog)
        thread, refusal = await self._permitted(dialog, replayed=replayed)
        if refusal or thread is None:
            return {block: refusal or "This question is not known any more."}
        reading = Submissions(operators=self.operators, new_id=self.new_id, redactor=self.redactor)
        made = await reading.read(dialog, thread, self._named(dialog))
        if isinstance(made, dict):
            return made
        step = await self.orchestrator.submit(dialog.thread_id, made)
        await self._learn(dialog, step.thread)
        if step.accepted:
            return {}
        why = step.refusal or await self._too_late_in_words(step, dialog.user_id)
        return {block: f"{why} Nothing was changed; copy your text."}

    async def _learn(self, dialog: Dialog, thread: Thread | None) -> None:
        """Teach tier 0 what this person dismissed as none for us, be it just now or before a crash."""
        decision = thread.decision if thread else None
        if thread and decision and (decision.code, decision.by) == ("not_for_us", dialog.user_id):
            await self.corrections.not_for_us(thread, by=decision.by, interaction_id=dialog.interaction_id)

    def _too_late(self, thread: Thread | None) -> str:
        """Why nothing came of it. Whoever pressed saw a card that is behind, so it is drawn again."""
        if thread:
            self.orchestrator.redraw(thread)
        return too_late(thread)

    async def _too_late_in_words(self, step: Transition, reader: str) -> str:
        """The same for a dialog, whose errors show no names for ids."""
        zone = await self.reader_clock.of(reader)
        return await in_plain_words(self._too_late(step.thread), self.chat.user_name, zone)

    async def _permitted(self, interaction: Interaction, *, replayed: bool) -> tuple[Thread | None, str | None]:
        """The thread, or why this person may do nothing with it."""
        thread = await self._thread(interaction.thread_id)
        if thread is None:
            return None, "This question is not known any more."
        user, team_id = interaction.user_id, interaction.team_id
        anew = interaction.action in _POSTING and not replayed
        return thread, await self.operators.refusal(user, team_id, thread, replayed=replayed, anew=anew)

    async def _thread(self, thread_id: str) -> Thread | None:
        """The document; one that does not parse is made anew in its thread's order, as by any other happening."""
        try:
            return await self.orchestrator.store.load(thread_id)
        except Unreadable:
            nothing_new = thread_event.Due(at=self.clock.now(), fresh=self.new_id())
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
        given = interaction.values if isinstance(interaction, Dialog) else {}
        chosen = {name: self.redactor.redact(given[name]) for name in _AUDITED if given.get(name)}
        now = self.clock.now().isoformat()
        await self.audit.append({**record, **chosen, "at": now, "result": result, "replayed": replayed})


def _first(dialog: Dialog) -> str:
    """The block that an error which is about none of them is shown at."""
    return next(iter(dialog.values), "text")


def _is_first(press: Press, thread: Thread | None) -> bool:
    """Return whether an approval that counts has not approved the reply yet: another person must."""
    return press.action in _APPROVING and thread is not None and thread.status == "pending-user"


def _names(interaction: Interaction) -> tuple[str, str]:
    return interaction.draft_id, interaction.nonce


def _card(thread: Thread) -> tuple[str, str]:
    """What the buttons of a card without a draft name."""
    return f"{thread.thread_id}/0", thread.card.nonce
