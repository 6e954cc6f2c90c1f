"""Delivery: post an approved reply in its thread exactly once, and record it with its evidence (spec 1, 3.7).

The payload is the sealed one that the card showed. After a post with an unknown result the thread is searched for the
draft's nonce in the metadata of the bot's replies before anything is posted again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blocks.auto_reply import PLAIN_MARK, mark_automatic
from blocks.feedback import thumbs
from bot.decide.redaction.redactor import Redactor
from bot.decide.refusals import refusal_in_words
from bot.errors import Refused, Uncertain
from bot.models import thread_event
from bot.models.faults import has_answer
from bot.runtime.offload import run_offloaded
from bot.runtime.retry import call_with_retries
from bot.surfaces.draft_payload import load_payload, secrets_in

if TYPE_CHECKING:
    from bot.intake.watcher import Watcher
    from bot.models.draft import Draft
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat

log = logging.getLogger(__name__)

REPLY = "triage_reply"
"""`event_type` of a reply's metadata."""

NOT_VALIDATED = "not-validated"
"""`validator_verdict` of a text whose references were checked by code, but which no validator has read."""


@dataclass(kw_only=True)
class Delivery:
    """Poster of approved replies. `replies` is their journal."""

    chat: Chat
    replies: Journal
    clock: Clock
    search_delay_seconds: float = 5.0
    """Seconds to wait for a request that Slack may still process before the thread is searched."""
    redactor: Redactor = field(default_factory=Redactor)
    feedback: bool = False
    """True if feedback buttons are added below the approved reply, as one more block; an automatic one always has
    them, and a line that marks it."""
    watcher: Watcher | None = None
    """Intake, which takes note of each posted reply, since it drops Slack's own event of it; `None` in tests."""

    async def post(self, thread: Thread, *, look_first: bool, search_twice: bool = False) -> thread_event.ThreadEvent:
        """Post the approved draft; with `look_first` after a search, with `search_twice` after a second search."""
        draft = _require_draft(thread)
        try:
            ts = await call_with_retries(self.clock, lambda: self._find(thread, draft)) if look_first else None
            if ts is None and search_twice:
                await self.clock.sleep(self.search_delay_seconds)
                ts = await call_with_retries(self.clock, lambda: self._find(thread, draft))
            if ts is None:
                ts = await call_with_retries(self.clock, lambda: self._send(thread, draft))
        except Uncertain as doubt:
            log.warning("thread %s: the reply is in doubt: %s", thread.thread_id, doubt)
            now = self.clock.now()
            settle_at = now + timedelta(seconds=self.search_delay_seconds)
            return thread_event.DoubtfulPost(at=now, fresh=self.clock.new_id(), settle_at=settle_at)
        except Refused as problem:
            log.warning("thread %s: the reply was refused: %s", thread.thread_id, problem)
            reason = f"The reply was not posted: {refusal_in_words(problem)}"
            return thread_event.PostFailed(at=self.clock.now(), fresh=self.clock.new_id(), reason=reason)
        return await self._build_posted(thread, ts, recovered=look_first)

    async def look_up(self, thread: Thread) -> thread_event.ThreadEvent:
        """Search the thread for the reply, after the settling time.

        A thread that cannot be read gives `NotFound` with `is_unread`.
        """
        try:
            ts = await call_with_retries(self.clock, lambda: self._find(thread, _require_draft(thread)))
        except Refused as problem:
            log.warning("thread %s cannot be read: %s", thread.thread_id, problem)
            return thread_event.NotFound(at=self.clock.now(), fresh=self.clock.new_id(), is_unread=True)
        if ts is None:
            return thread_event.NotFound(at=self.clock.now(), fresh=self.clock.new_id())
        return await self._build_posted(thread, ts, recovered=True)

    async def _send(self, thread: Thread, draft: Draft) -> str:
        if kinds := await run_offloaded(secrets_in, draft.payload, self.redactor):
            raise Refused(f"it holds what looks like {', '.join(kinds)}", code="holds_a_secret")
        payload = load_payload(draft)
        is_automatic = _is_automatic(thread)
        below = [mark_automatic()] if is_automatic else []
        below += [thumbs(draft.draft_id)] if self.feedback or is_automatic else []
        return await self.chat.post(
            channel=thread.chat_id,
            thread_ts=thread.root_ts,
            metadata={"event_type": REPLY, "event_payload": {"draft_id": draft.draft_id, "nonce": draft.nonce}},
            text=f"{payload['text']}\n{PLAIN_MARK}" if is_automatic else payload["text"],
            blocks=[*payload["blocks"], *below],
        )

    async def _find(self, thread: Thread, draft: Draft) -> str | None:
        return await self.chat.find_in_thread(
            channel=thread.chat_id, thread_ts=thread.root_ts, event_type=REPLY, nonce=draft.nonce
        )

    async def _build_posted(self, thread: Thread, ts: str, *, recovered: bool) -> thread_event.ThreadEvent:
        if not (recovered and await self._is_recorded(ts)):
            record = await run_offloaded(_record, thread, ts, self.redactor, self.clock.now().isoformat())
            await call_with_retries(self.clock, lambda: self.replies.append(record))
        if self.watcher:
            self.watcher.note_reply(thread.chat_id, thread.thread_id, ts)
        return thread_event.Posted(at=self.clock.now(), fresh=self.clock.new_id(), ts=ts)

    async def _is_recorded(self, ts: str) -> bool:
        return any(record.get("posted_message_id") == ts for record in await self.replies.tail(10_000))


def _require_draft(thread: Thread) -> Draft:
    if thread.draft_pending is None:
        raise Refused(f"{thread.thread_id}: there is no draft to post", code="no_draft")
    return thread.draft_pending


def _record(thread: Thread, ts: str, redactor: Redactor, at: str) -> dict[str, Any]:
    draft, findings = _require_draft(thread), thread.investigator_return
    return {
        "chat_id": thread.chat_id,
        "reply_to_message_id": thread.original_message_id,
        "posted_message_id": ts,
        "posted_at": at,
        "question": redactor.redact(thread.question),
        "search_text": redactor.redact(thread.search_text),
        "reply_text": draft.text,
        "investigator_task_id": thread.investigator_task_id,
        "validator_verdict": _verdict(thread),
        "investigator_rounds": thread.investigator_round,
        "was_escalated": thread.is_escalated,
        "triage_file": thread.triage_file_path,
        "thread_id": thread.thread_id,
        "draft_id": draft.draft_id,
        "sha256": draft.sha256,
        "approved_by": thread.decision.by if thread.decision else None,
        "is_automatic": _is_automatic(thread),
        "edited_by": draft.edited_by,
        "drafted_text": draft.drafted,
        "engine": thread.engine,
        "fallback": thread.fallback,
        "project": thread.project,
        "found_nothing": not has_answer(thread),
        "confidence": findings.confidence if findings else None,
        "draft_language": findings.draft_language if findings else None,
        "evidence_refs": [each.model_dump(mode="json") for each in thread.references],
        "evidence": [check.model_dump(mode="json") for check in thread.evidence_checks],
    }


def _is_automatic(thread: Thread) -> bool:
    return thread.decision is not None and thread.decision.action == "auto_reply"


def _verdict(thread: Thread) -> str:
    """Return the verdict on the posted text; a pass only if a validator has read exactly this text."""
    if thread.verdict is None or thread.verdict.verdict != "pass":
        return "escalate-then-user-approved"
    is_edited = thread.draft_pending is not None and thread.draft_pending.edited_by is not None
    if thread.validator_return is None or is_edited:
        return NOT_VALIDATED
    return "bounce-then-pass" if thread.validator_bounces else "pass"
