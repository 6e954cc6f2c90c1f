"""Presses on fixes: *Propose a Fix*, *Open Merge Request*, *Edit Request* and *Discard*."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks import dialogs
from blocks.fix import DISCARD, OPEN, PROPOSE, describe_fix, fix_value
from bot.approval.answers import FIX_STOPPED, FIX_UNKNOWN
from bot.approval.stale_press import explain_stale_press
from bot.decide.drafted_changes import measure_text
from bot.decide.redaction.redactor import Redactor
from bot.models.fix import MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS
from bot.models.fix_event import FixDiscarded, FixPressed, MergeRequestPressed, RequestEdited
from bot.models.visible import clean
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from bot.models.interaction import Dialog, Interaction, Press
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.ports.fixes import FixDrafter
    from bot.ports.outbound import Clock
    from bot.triage.orchestrator import Orchestrator

FIX_DECISIONS = (PROPOSE, OPEN, DISCARD)
"""Buttons that decide on a fix; *Edit Request* only opens a dialog."""
_NO_TITLE = "Please write a title with a letter or a digit."


@dataclass(frozen=True, kw_only=True)
class FixPresses:
    """Judge of presses. `drafter` is `None` where nothing drafts a fix."""

    orchestrator: Orchestrator
    clock: Clock
    drafter: FixDrafter | None = None
    redactor: Redactor = field(default_factory=Redactor)

    async def decide(self, press: Press, thread: Thread) -> str | None:
        """Submit a decision on a fix; return why it had no effect, `None` if it had one."""
        if press.action == PROPOSE:
            return await self._propose(press, thread)
        named = self._named(press)
        if press.action == OPEN:
            return await self._submit(press, thread, MergeRequestPressed(**named, sha=press.confirmed))
        return await self._submit(press, thread, FixDiscarded(**named))

    def build_dialog(self, press: Press, thread: Thread) -> dict[str, Any] | None:
        """Return the dialog for the words of a merge request; `None` if the button is not for what is shown now."""
        fix = thread.fix
        if fix is None or fix.state != "proposed" or (_number(press), press.nonce) != (fix.number, fix.nonce):
            return None
        title, description = (self.redactor.redact(text) for text in (fix.title, fix.description))
        return dialogs.edit_request(fix_value(thread.thread_id, fix), title=title, description=description)

    async def edit(self, dialog: Dialog, thread: Thread) -> dict[str, str]:
        """Take other words for a merge request; return the errors to show in the dialog, by `block_id`."""
        words = {name: clean(dialog.values.get(name, "")).strip() for name in ("title", "description")}
        words["title"] = " ".join(words["title"].split())
        if not any(map(str.isalnum, words["title"])):
            return {"title": _NO_TITLE}
        for name, most in (("title", MAX_TITLE_CHARS), ("description", MAX_DESCRIPTION_CHARS)):
            if measure_text(words[name]) > most:
                counted = "; quotes and line breaks count twice" if len(words[name]) <= most else ""
                return {name: f"Please shorten this to {most:,} characters{counted}."}
            if kinds := await run_offloaded(self.redactor.kinds, words[name]):
                return {name: f"This holds what looks like {', '.join(kinds)}. Please remove it."}
        event = RequestEdited(**self._named(dialog), title=words["title"], description=words["description"])
        why = await self._submit(dialog, thread, event)
        return {"title": f"{why} Please copy your text before you close this."} if why else {}

    def explain(self, thread: Thread | None) -> str:
        """Return what happened to the fix since the button was shown, and have stale messages rendered again."""
        if thread is None or thread.fix is None:
            return FIX_UNKNOWN
        self.orchestrator.redraw(thread)
        return f"This has changed since. {describe_fix(thread.fix)}"

    async def _propose(self, press: Press, thread: Thread) -> str | None:
        if self.orchestrator.state() == "stopped":
            return FIX_STOPPED
        refusal = self.drafter.find_refusal(thread) if self.drafter else "Nothing drafts fixes here."
        repository = self.drafter.find_repository(thread) if self.drafter and not refusal else None
        if refusal or repository is None:
            return f"{refusal or 'No repository has the file of the defect.'} Nothing was changed."
        event = FixPressed(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            by=press.user_id,
            draft_id=press.draft_id,
            nonce=press.nonce,
            repository=repository,
        )
        step = await self.orchestrator.submit(thread.thread_id, event)
        if step.accepted or step.thread is None:
            return None
        self.orchestrator.redraw(step.thread)
        fix = step.thread.fix
        is_of_question = fix is not None and fix.question_round == step.thread.question_round
        return (
            f"This has changed since. {describe_fix(fix)}"
            if fix and is_of_question
            else explain_stale_press(step.thread)
        )

    async def _submit(self, interaction: Interaction, thread: Thread, event: ThreadEvent) -> str | None:
        step = await self.orchestrator.submit(interaction.thread_id, event)
        if step.accepted:
            return None
        return step.refusal or self.explain(step.thread)

    def _named(self, interaction: Interaction) -> dict[str, Any]:
        return {
            "at": self.clock.now(),
            "fresh": self.clock.new_id(),
            "by": interaction.user_id,
            "number": _number(interaction),
            "nonce": interaction.nonce,
        }


def _number(interaction: Interaction) -> int:
    """Return the number of the fix that a button or a dialog is for."""
    return int(interaction.draft_id.rpartition("/")[2])
