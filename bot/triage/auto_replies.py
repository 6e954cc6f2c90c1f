"""Automatic replies: looks at each draft that begins to wait for a press, and approves it where that has been earned.

The draft's card is posted as any other; a press on it that comes first counts. The reply is saved in the book before
its approval, which is void if the document has changed since it was looked at. Delivery is the same as after a press.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.decide.auto_reply.judgements import read_judgement
from bot.decide.auto_reply.preconditions import find_pool, find_unmet
from bot.errors import TriageError
from bot.models.auto_reply import AutoApproval, AutoReply
from bot.models.decision import Decision
from bot.models.message import mentions_in
from bot.models.pasted import read_typed_text
from bot.runtime.background_tasks import cancel_all
from bot.triage.maturity_gates import LOOKED_BACK

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.decide.auto_reply.maturity import Maturity
    from bot.decide.working_hours import WorkingHours
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import History
    from bot.triage.auto_reply_book import AutoReplyBook
    from bot.triage.auto_reply_notices import AutoReplyNotices
    from bot.triage.controls import Controls
    from bot.triage.freshness import Freshness
    from bot.triage.judged_drafts import JudgedDrafts
    from bot.triage.maturity_gates import MaturityGates
    from bot.triage.orchestrator import Orchestrator

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""Looks at one draft: its document also changes by what is only shown, such as its card."""

AUDIT_READ = 1_000
"""Newest lines of the audit in which that of a reply is looked for after a crash."""
_SENT = ("approved", "in-doubt")
"""Statuses in which a reply is on its way; without its `ts` after them, it is not there, or nobody can take it back."""
KIND = "auto_reply"
"""`kind` of these lines."""


@dataclass(kw_only=True)
class AutoReplies:
    """Approver by data, and follower of each thread's steps (`StepFollower`)."""

    orchestrator: Orchestrator
    judged: JudgedDrafts
    gates: MaturityGates
    book: AutoReplyBook
    notices: AutoReplyNotices
    freshness: Freshness
    history: History
    controls: Controls
    audit: Journal
    clock: Clock
    hours: WorkingHours | None
    bot_user_id: str
    _is_ending: bool = False
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def record(self, before: Thread | None, after: Thread) -> None:
        """Record a judgement of a draft before the decision is saved."""
        if await self.judged.record(before, after):
            self.gates.check_soon()

    def follow(self, before: Thread | None, saved: Thread) -> None:
        """Look at a draft that begins to wait, and tell of an automatic reply that was posted."""
        if before is None:
            return
        if saved.status == "pending-user" and before.status == "awaiting-validation":
            if saved.chat_id in self.book.consents and not self._is_ending:
                self._spawn(self._consider(saved.thread_id), saved.thread_id)
        elif before.status in _SENT and saved.status not in _SENT and (reply := self.book.find(before)):
            if saved.posted_message_id and _is_approved_by(reply, saved):
                self._spawn(self.notices.announce(reply.draft_id, saved.posted_message_id), saved.thread_id)
            else:
                self._spawn(self.book.drop(reply.draft_id), saved.thread_id)

    def end(self) -> None:
        """Look at no draft any more, since the bot is about to stop: those that wait are left to people."""
        self._is_ending = True

    async def stop(self) -> None:
        """Cancel what is under way; the next start goes on with it, but for looks at drafts."""
        self.end()
        await cancel_all(self._tasks)
        await self.gates.stop()

    async def resume(self) -> None:
        """Go on with what a crash has interrupted: notices, and replies that never went out."""
        await self._guard(self._resume(), "automatic replies")

    async def _resume(self) -> None:
        for reply in [*self.book.replies.values()]:
            if reply.ts or not reply.is_under_way:
                continue
            thread = await self._load(reply.thread_id)
            is_sent = thread is None or (_is_approved_by(reply, thread) and thread.status in _SENT)
            if not is_sent and not await self.notices.find_posted(reply):
                await self.book.drop(reply.draft_id)
            elif reply.is_audited:
                continue
            elif any(_is_line_of(reply, record) for record in await self.audit.tail(AUDIT_READ)):
                await self.book.change(reply.draft_id, is_audited=True)
            else:
                await self._write_audit(reply)
        await self.notices.resume()
        await self.judged.fill(self.orchestrator.store, self.clock.now() - LOOKED_BACK)
        await self.gates.check()

    async def _consider(self, thread_id: str) -> None:
        """Approve a thread's draft if all conditions hold, now and after its thread was read from Slack again."""
        thread = await self._load(thread_id)
        if thread is None or await self._list_unmet(thread, is_mention=True):
            return
        async for event in self.freshness.changes(thread):
            await self.orchestrator.submit(thread_id, event)
        for _ in range(ATTEMPTS):
            thread = await self._load(thread_id)
            if thread is None or await self._list_unmet(thread, is_mention=await self._is_asked_by_mention(thread)):
                return
            if await self._approve(thread):
                return

    async def _list_unmet(self, thread: Thread, *, is_mention: bool) -> tuple[str, ...]:
        """Return the conditions that do not hold; the gate is looked at last, since it costs most."""
        pool = find_pool(thread)
        if pool is None or self._why_person_decides(thread):
            return ("A person decides.",)
        maturity = await self.gates.judge(pool)
        unmet = find_unmet(thread, maturity, is_mention=is_mention, now=self.clock.now(), hours=self.hours)
        if unmet:
            log.info("thread %s waits for a press: %s", thread.thread_id, " ".join(unmet))
        return unmet

    def _why_person_decides(self, thread: Thread) -> str:
        """Return why no reply may be automatic here now; empty for no reason."""
        if thread.chat_id not in self.book.consents:
            return "automatic replies are off in its channel"
        if self.controls.state != "running":
            return f"Triage is {self.controls.state}"
        if self.controls.heard_modes().get(thread.chat_id) != "live":
            return "its channel is not live"
        if self.orchestrator.projects and (why := self.orchestrator.projects.why_waits(thread)):
            return why
        if self.orchestrator.limits.second_approver:
            return "two people must approve"
        if thread.denied or self.book.was_taken_back(thread.thread_id):
            return "an earlier reply in its thread was wrong"
        return self.controls.why_silent(thread.thread_id) or ""

    async def _is_asked_by_mention(self, thread: Thread) -> bool:
        """Return whether the first message of the question mentions the bot, as Slack has it now: not edited, and with
        no message of anybody else below it."""
        first = thread.question_messages[0] if thread.question_messages else None
        if first is None:
            return False
        message = await self.history.message(channel=thread.chat_id, ts=first.message_id)
        if message is None or message.get("edited") or not _mentions(message, self.bot_user_id):
            return False
        later = await self.history.replies_since(
            channel=thread.chat_id, thread_ts=thread.root_ts, oldest=first.message_id
        )
        return all(each.get("user") in (thread.original_sender_id, self.bot_user_id) for each in later)

    async def _approve(self, thread: Thread) -> bool:
        """Approve the draft of this very document; return whether that is settled, one way or the other."""
        pool, draft = find_pool(thread), thread.draft_pending
        if pool is None or draft is None:
            return True
        maturity = await self.gates.judge(pool)
        now, figures = self.clock.now(), describe_figures(maturity)
        case = read_judgement(thread.evolve(decision=Decision(action="approve", by=self.bot_user_id, at=now)))
        if case is None or not maturity.is_open:
            return True
        reply = AutoReply(
            thread_id=thread.thread_id,
            draft_id=draft.draft_id,
            chat_id=thread.chat_id,
            operator=thread.operator,
            approved_at=now,
            case=case,
            figures=figures,
        )
        event = AutoApproval(
            at=now,
            fresh=self.clock.new_id(),
            by=self.bot_user_id,
            draft_id=draft.draft_id,
            version=thread.version,
            figures=figures,
        )
        is_approved = False
        try:
            await self.book.keep(reply)
            if not self._why_person_decides(thread):  # somebody may have pressed while the reply was being saved
                is_approved = (await self.orchestrator.submit(thread.thread_id, event)).accepted
        except Exception:  # after a cancellation the next start sees if it was approved
            saved = await self._load(thread.thread_id)
            if saved is None or not _is_approved_by(reply, saved):
                await self.book.drop(reply.draft_id)
            raise
        if is_approved:
            await self._write_audit(reply, maturity)
        else:
            await self.book.drop(reply.draft_id)
        return is_approved

    async def _write_audit(self, reply: AutoReply, maturity: Maturity | None = None) -> None:
        """Write the line of the audit, with all figures that opened the gate where they are known."""
        consent = self.book.consents.get(reply.chat_id)
        figures: dict[str, Any] = {"sentence": reply.figures}
        if maturity:
            figures |= {
                "cases": maturity.cases,
                "false_passes": maturity.false_passes,
                "bound": maturity.bound,
                "bound_now": maturity.bound_now,
                "weeks": [[week.cases, week.false_passes] for week in maturity.weeks],
                "production": maturity.production,
                "since": maturity.since.isoformat(),
            }
        record = {
            "kind": KIND,
            "action": "auto_reply",
            "user_id": self.bot_user_id,
            "thread_id": reply.thread_id,
            "draft_id": reply.draft_id,
            "pool": reply.case.pool.model_dump(mode="json"),
            "figures": figures,
            "consent": {"by": consent.by, "at": consent.at.isoformat()} if consent else None,
            "at": reply.approved_at.isoformat(),
            "result": "approved",
        }
        await self.audit.append(record)
        await self.book.change(reply.draft_id, is_audited=True)

    async def _load(self, thread_id: str) -> Thread | None:
        try:
            return await self.orchestrator.store.load(thread_id)
        except TriageError:
            return None  # its own queue will set the file aside

    def _spawn(self, work: Awaitable[None], thread_id: str) -> None:
        task = asyncio.create_task(self._guard(work, thread_id), name=f"auto reply {thread_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guard(self, work: Awaitable[None], thread_id: str) -> None:
        """Await the work; its failure leaves the draft to a person, or a notice to the next start."""
        try:
            await work
        except TriageError as problem:
            log.warning("thread %s: %s; its draft waits for a press unless it was posted", thread_id, problem)
        except Exception:
            log.exception("thread %s: an automatic reply failed", thread_id)


def describe_figures(maturity: Maturity) -> str:
    """Return the figures of a gate as a sentence."""
    *whole, present = maturity.weeks
    weeks = ", ".join(f"{week.false_passes}/{week.cases}" for week in whole)
    return (
        f"{maturity.false_passes} of {maturity.cases} judged first drafts were wrong in the four weeks from "
        f"{maturity.since:%Y-%m-%d} (by week {weeks}): at most {maturity.bound:.2%} with 95 % certainty, with this "
        f"week's {present.false_passes}/{present.cases} at most {maturity.bound_now:.2%}; 2 % is allowed. "
        f"Wrong drafts that touch production: {maturity.production}."
    )


def _is_line_of(reply: AutoReply, record: dict[str, Any]) -> bool:
    return (record.get("kind"), record.get("draft_id")) == (KIND, reply.draft_id)


def _mentions(message: dict[str, Any], user: str) -> bool:
    """Return whether a message in Slack's own shape mentions a user in its author's words; quoted lines are others'."""
    lines = read_typed_text(message).splitlines()
    return user in mentions_in({"text": "\n".join(line for line in lines if not line.lstrip().startswith("&gt;"))})


def _is_approved_by(reply: AutoReply, thread: Thread) -> bool:
    draft, decision = thread.draft_pending, thread.decision
    is_this = draft is not None and draft.draft_id == reply.draft_id
    return is_this and decision is not None and decision.action == "auto_reply" and thread.status != "pending-user"
