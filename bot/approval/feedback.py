"""Feedback: readers' votes on posted replies, saved in `feedback.ndjson` with the reply's ts and its draft's id.

Anybody who sees a reply may vote, guests too; each person's newest vote counts (`reports/feedback`). The operator is
told of a thumb down in the thread of the card, without a notification.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks import feedback as drawn
from blocks.text import clip, escape
from bot.errors import TriageError
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from bot.decide.redaction.redactor import Redactor
    from bot.models.feedback import Complaint, ReaderFeedback, Vote
    from bot.ports.outbound import Clock, Journal, Store
    from bot.ports.slack import Chat
    from bot.surfaces.notices import Notices
    from bot.triage.maturity_gates import MaturityGates

log = logging.getLogger(__name__)

_THANKS = "Thank you, your feedback is saved with the reply. You can change it at any time; your last vote counts."
_MANY = 10_000
"""Thumbs down remembered as reported to the operator; then all are forgotten."""


@dataclass(kw_only=True)
class Feedback:
    """Recorder of votes and complaints. `journal` is `feedback.ndjson`."""

    journal: Journal
    audit: Journal
    store: Store
    chat: Chat
    notices: Notices
    clock: Clock
    redactor: Redactor
    gates: MaturityGates | None = None
    """Gates of automatic replies, which a complaint may close; `None` in tests that need none."""
    _notified: set[tuple[str, str]] = field(default_factory=set)

    async def record_vote(self, vote: Vote, *, replayed: bool = False) -> None:
        """Save a vote, and ask for the reason of a thumb down. A replayed vote opens no dialog and thanks nobody."""
        await self._keep(vote, vote=vote.thumb, reason=None, text="")
        await self._write_audit(vote, replayed=replayed)
        if vote.thumb == "down":
            if (vote.draft_id, vote.user_id) not in self._notified:
                await self._tell(vote, "")
            await self._ask_why(vote, replayed=replayed)
        elif not replayed:
            await self._notify(vote, _THANKS)

    async def record_complaint(self, complaint: Complaint, *, replayed: bool = False) -> dict[str, str]:
        """Save the reason of a thumb down; return the errors to show in the dialog, by `block_id`."""
        text = await run_offloaded(self.redactor.redact, complaint.text.strip())
        if complaint.reason is None and not text:
            return {"reason": "Please choose a reason, or write something below."}
        await self._keep(complaint, vote="down", reason=complaint.reason, text=text)
        await self._write_audit(complaint, replayed=replayed)
        if self.gates:
            await self.gates.save_complaints()
            self.gates.check_soon()
        parts = [drawn.REASONS[complaint.reason].lower()] if complaint.reason else []
        await self._tell(complaint, ": ".join([*parts, *([escape(clip(text, 1_000))] if text else [])]))
        return {}

    async def _keep(self, word: ReaderFeedback, *, vote: str, reason: str | None, text: str) -> None:
        record = {
            "at": self.clock.now().isoformat(),
            "interaction_id": word.interaction_id,
            "thread_id": word.thread_id,
            "posted_message_id": word.reply_ts,
            "draft_id": word.draft_id,
            "by": word.user_id,
            "vote": vote,
            "reason": reason,
            "text": text,
        }
        await self.journal.append(record)

    async def _ask_why(self, vote: Vote, *, replayed: bool) -> None:
        if replayed:
            return
        try:
            await self.chat.open_view(trigger_id=vote.trigger_id, view=drawn.complaint(vote.draft_id, vote.reply_ts))
        except TriageError as problem:
            log.warning("thread %s: the feedback's dialog did not open: %s", vote.thread_id, problem)
            await self._notify(vote, "Thank you, your feedback is saved. To say what was wrong, please press it again.")

    async def _tell(self, word: ReaderFeedback, why: str) -> None:
        """Post a line below the card in the background."""
        if len(self._notified) >= _MANY:
            self._notified.clear()
        self._notified.add((word.draft_id, word.user_id))
        under = None
        try:
            thread = await self.store.load(word.thread_id)
            draft = thread.draft_pending if thread else None
            if thread and draft and draft.draft_id == word.draft_id and thread.card.channel and thread.card.ts:
                under = (thread.card.channel, thread.card.ts)
        except TriageError as problem:
            log.warning("thread %s cannot be read for its card: %s", word.thread_id, problem)
        which = "this reply" if under else f"the reply to {word.thread_id}"
        line = f"Thumb down on {which} by <@{word.user_id}>{f': {why}' if why else '.'}"
        self.notices.send(line, under=under, logged=False)

    async def _write_audit(self, word: ReaderFeedback, *, replayed: bool) -> None:
        record: dict[str, Any] = word.model_dump(mode="json", exclude={"trigger_id", "text"})
        at = self.clock.now().isoformat()
        await self.audit.append({**record, "at": at, "result": "done", "replayed": replayed})

    async def _notify(self, vote: Vote, text: str) -> None:
        root = vote.thread_id.rpartition("-")[2]
        try:
            await self.chat.post_ephemeral(channel=vote.channel_id, user=vote.user_id, text=text, thread_ts=root)
        except TriageError as problem:
            log.warning("%s was not thanked: %s", vote.user_id, problem)
