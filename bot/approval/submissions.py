"""Submitted dialogs: parsed into thread events, or into the errors to show in the dialog, by `block_id`."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from bot.decide.redaction.redactor import Redactor
from bot.models import thread_event
from bot.models.reasons import BOUNCED, DISMISSED, BounceCode
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import make_draft

if TYPE_CHECKING:
    from bot.models.interaction import Dialog
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.triage.operators import Operators

Errors = dict[str, str]
_LINK = re.compile(r"https?://[^\s<>|]{1,500}")
EMPTY = "Please write something."


@dataclass(frozen=True, kw_only=True)
class Submissions:
    """Parser of dialogs. `operators` decides to whom a question may be handed."""

    operators: Operators
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    async def read(self, dialog: Dialog, thread: Thread, named: dict[str, Any]) -> thread_event.PressEvent | Errors:
        """Return the event, built with `named` (user, time, draft), or the errors; no errors mean that nothing
        changed."""
        values = {
            name: await run_offloaded(self.redactor.redact, value.strip()) for name, value in dialog.values.items()
        }
        match dialog.action:
            case "edit":
                return await self._edit(dialog, thread, named)
            case "bounce":
                code = values.get("reason") if values.get("reason") in BOUNCED else None
                words = values.get("feedback", "")
                if not (code or words):
                    return {"feedback": "Choose a reason or write what is wrong."}
                return thread_event.Bounce(code=cast("BounceCode | None", code), feedback=words, **named)
            case "answer":
                words = values.get("answer", "")
                return thread_event.AnswerQuestion(text=words, **named) if words else {"answer": EMPTY}
            case "dismiss":
                return _dismiss(values, named)
            case "delegate":
                return await self._delegate(values.get("to", ""), thread, named)
            case _:
                return {next(iter(dialog.values), "text"): "This dialog is from another version of Triage."}

    async def _edit(self, dialog: Dialog, thread: Thread, named: dict[str, Any]) -> thread_event.PressEvent | Errors:
        block, text = next(iter(dialog.values.items()), ("text", ""))
        if not text.strip():
            return {block: EMPTY}
        if _is_unchanged(thread, dialog, text):
            return {}
        sealing = partial(make_draft, nonce=self.clock.new_id(), edited_by=dialog.user_id, redactor=self.redactor)
        draft = await asyncio.to_thread(sealing, thread, text.strip())
        if draft.withheld:
            return {block: f"This holds what looks like {draft.withheld}. Please remove it; nothing was changed."}
        return thread_event.EditSubmitted(draft=draft, **named)

    async def _delegate(self, to: str, thread: Thread, named: dict[str, Any]) -> thread_event.PressEvent | Errors:
        if not to:
            return {"to": "Please choose a person."}
        if to == thread.operator:
            return {"to": "This person has the question already."}
        if thread.approved_first and to == thread.approved_first.by:
            return {"to": "This person has already approved the reply; it needs the approval of somebody else."}
        if to == thread.original_sender_id and not self.operators.asker_may:
            return {"to": "This person asked the question, and askers may not approve their own answers here."}
        if await self.operators.refusal(to, thread.team_id, thread):
            return {"to": "This person may not decide on this question; the list below shows who may."}
        return thread_event.Delegate(to=to, **named)


def _is_unchanged(thread: Thread, dialog: Dialog, text: str) -> bool:
    """Return whether the text is the draft unchanged, so that there is nothing to save.

    If the draft's references could not be opened, saving it unchanged opens them again, so that counts as a change.
    """
    draft = thread.draft_pending
    is_known = draft is not None and draft.draft_id == dialog.draft_id and not thread.opening_problem
    return is_known and draft is not None and text.replace("\r\n", "\n").strip() == draft.text.strip()


def _dismiss(values: dict[str, str], named: dict[str, Any]) -> thread_event.PressEvent | Errors:
    code, link = values.get("reason") or next(iter(DISMISSED)), values.get("link", "")
    if code not in DISMISSED:
        return {"reason": "This reason is from another version of Triage."}
    if link and not _LINK.fullmatch(link):
        return {"link": "Expected a link that begins with https://, as Slack's Copy link gives."}
    if code == "duplicate" and not link:
        return {"link": "A duplicate needs the link of the question that it repeats."}
    return thread_event.Dismiss(code=code, link=link, **named)
