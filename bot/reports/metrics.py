"""Metrics of the last days: messages, corrections, cards, verdicts, decisions, replies, times and cost.

`triage metrics`, the command `metrics` and the weekly review show the same `Figures`. They are counted from the
journals and sessions of these days and from the documents of threads that began in them; nothing older is read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, get_args

from blocks.text import format_count
from bot.models.classification import Class
from bot.models.cost import Cost, sum_sessions
from bot.models.repeated_question import ANSWERED_BEFORE
from bot.reports.corrections import count_misjudged
from bot.reports.feedback import count_votes
from bot.reports.metrics_cost import describe_cost
from bot.reports.minutes import count_minutes, find_median, format_minutes, read_moment
from bot.reports.records import records_since, threads_since
from bot.reports.validators import FEWEST, first_rounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.session import Session
    from bot.models.settlement import Acknowledgement
    from bot.models.status import Status
    from bot.models.thread import Thread
    from bot.ports.outbound import Journal, Sessions, Store

LONGEST = 366
"""Maximum number of days."""

_PRESSED = {
    "approve": "approvals",
    "post_anyway": "approvals",
    "approve_and_save": "approvals",
    "redraft": "redrafts",
    "run_runbook": "runbooks",
}
_SUBMITTED = {"edit": "edits", "bounce": "bounces", "dismiss": "dismissals"}


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Figures of `days`; medians are in minutes, `None` without a measurement."""

    days: int
    messages: dict[str, int]
    """Number of messages by class."""
    cards: int
    """Questions of these days with a card."""
    first_drafts: dict[str, int]
    """First drafts by the validator's verdict."""
    sent_back_by_code: int
    """First drafts that the evidence check sent back."""
    first_round_pass_rate: float | None
    """Share of judged first drafts that passed; `None` if there were too few."""
    approvals: int
    edits: int
    bounces: int
    redrafts: int
    dismissals: int
    expiries: int
    """Cards that expired without a decision."""
    recoveries: int
    """Questions about services or alerts that ended since all was healthy again."""
    runbooks: int
    """Presses that had a runbook run."""
    practice: int
    """Cards approved in channels where nothing is posted."""
    labels: int
    """Messages labelled by people in these days."""
    missed: int
    """Labelled messages that are actionable and were not classified so."""
    false_alarms: int
    """Labelled messages that were wrongly classified as actionable."""
    replies: int
    answered_before: int
    """Replies that reused the approved answer of a repeated question."""
    acknowledged: int
    """Replies that their askers acknowledged as helpful, in these days."""
    denied: int
    """Replies that a message below them called unhelpful."""
    runs: int
    """Runs of agents on a model."""
    runs_without_price: int
    """Runs whose cost has no known maximum; they add nothing to the cost."""
    cost_usd: float
    """Maximum cost of all other runs."""
    unsure_usd: float
    """Part of it that no server has reported."""
    cost_per_approval: float | None
    """Total cost, rejected drafts included, divided by approvals."""
    warnings: tuple[str, ...]
    to_draft: float | None
    """Median time from the question to its first draft, or to a result without one."""
    to_decision: float | None
    """Median time from the first draft to the final approval."""
    to_reply: float | None
    """Median time from the question to the reply in its thread."""
    feedback: dict[str, int]
    """Thumbs on replies, and reasons for thumbs down: each reader once a reply."""

    @property
    def cost(self) -> Cost:
        """Return the cost with its parts."""
        return Cost(usd=self.cost_usd, unsure_usd=self.unsure_usd, unknown_runs=self.runs_without_price)


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Journals and stores that the figures are counted from."""

    classified: Journal
    audit: Journal
    replies: Journal
    labels: Journal
    feedback: Journal
    sessions: Sessions
    store: Store


async def gather(sources: Sources, *, days: int, now: datetime) -> Figures:
    """Read the records of the last `days` and count the figures."""
    since = now - timedelta(days=days)
    return count_figures(
        days=days,
        since=since,
        classified=await records_since(sources.classified, "classified_at", since),
        audit=await records_since(sources.audit, "at", since),
        replies=await records_since(sources.replies, "posted_at", since),
        labels=await records_since(sources.labels, "at", since),
        feedback=await records_since(sources.feedback, "at", since),
        sessions=[
            each
            for each in await sources.sessions.list_since(since.date())
            if each.uses_model and each.started_at >= since
        ],
        threads=await threads_since(sources.store, since),
    )


def count_figures(
    *,
    days: int,
    since: datetime,
    classified: Sequence[dict[str, Any]] = (),
    audit: Iterable[dict[str, Any]] = (),
    replies: Sequence[dict[str, Any]] = (),
    labels: Sequence[dict[str, Any]] = (),
    feedback: Sequence[dict[str, Any]] = (),
    sessions: Sequence[Session] = (),
    threads: Sequence[Thread] = (),
) -> Figures:
    """Count the figures of records, sessions and threads from these days."""
    judged = Counter(record.get("classification") for record in classified)
    decided = Counter(name for record in audit if (name := decision(record)))
    first, wrong, cost = first_rounds(threads, since=since), count_misjudged(labels, classified), sum_sessions(sessions)
    return Figures(
        days=days,
        messages={name: judged[name] for name in get_args(Class)},
        cards=sum(thread.card.ts is not None for thread in threads),
        first_drafts=first.validated,
        sent_back_by_code=first.by_code,
        first_round_pass_rate=first.pass_rate,
        approvals=decided["approvals"],
        edits=decided["edits"],
        bounces=decided["bounces"],
        redrafts=decided["redrafts"],
        dismissals=decided["dismissals"],
        expiries=sum(thread.outcome == "expired" for thread in threads),
        recoveries=sum(thread.outcome == "recovered" for thread in threads),
        runbooks=decided["runbooks"],
        practice=sum(thread.outcome == "practice" for thread in threads),
        labels=wrong.labels,
        missed=wrong.missed,
        false_alarms=wrong.false_alarms,
        replies=len(replies),
        answered_before=sum(record.get("engine") == ANSWERED_BEFORE for record in replies),
        acknowledged=sum(len(_of_replies(t.acknowledged, since) - _of_replies(t.denied, since)) for t in threads),
        denied=sum(len(_of_replies(t.denied, since)) for t in threads),
        runs=len(sessions),
        runs_without_price=cost.unknown_runs,
        cost_usd=round(cost.usd, 4),
        unsure_usd=round(cost.unsure_usd, 4),
        cost_per_approval=round(cost.usd / decided["approvals"], 4) if decided["approvals"] else None,
        warnings=(first.warning,) if first.warning else (),
        to_draft=find_median(count_minutes(t.started_at, _first_change(t, "pending-user")) for t in threads),
        to_decision=find_median(count_minutes(_first_change(t, "pending-user"), t.user_approved_at) for t in threads),
        to_reply=find_median(_asked_to_posted(record) for record in replies),
        feedback=count_votes(feedback),
    )


def format_figures(figures: Figures) -> tuple[str, ...]:
    """Format the figures as text lines."""
    days = "the last day" if figures.days == 1 else f"the last {figures.days} days"
    by_class = ", ".join(f"{number} {name}" for name, number in figures.messages.items())
    return (
        f"In {days}: {format_count(sum(figures.messages.values()), 'message')} ({by_class}), "
        f"{format_count(figures.cards, 'card')}, "
        f"{format_count(figures.replies, 'reply', 'replies')}{_answered_before(figures.answered_before)}"
        f"{_format_acknowledged(figures)}.",
        f"Decisions: {format_count(figures.approvals, 'approval')}, {format_count(figures.edits, 'edit')}, "
        f"{format_count(figures.bounces, 'bounce')}, {format_count(figures.redrafts, 'redraft')}, "
        f"{format_count(figures.dismissals, 'dismissal')}, {format_count(figures.expiries, 'expiry', 'expiries')}"
        f"{f', {figures.practice} of the cards approved as practice' if figures.practice else ''}"
        f"{_count_incidents(figures)}.",
        _first_drafts(figures),
        f"People corrected: {figures.missed} missed, {format_count(figures.false_alarms, 'false alarm')}, of "
        f"{format_count(figures.labels, 'message')} that they labelled.",
        _readers(figures.feedback),
        describe_cost(figures),
        f"Median minutes: question to draft {format_minutes(figures.to_draft)}, draft to approval "
        f"{format_minutes(figures.to_decision)}, question to reply {format_minutes(figures.to_reply)}.",
        *(f"Warning: {warning}" for warning in figures.warnings),
    )


def _answered_before(count: int) -> str:
    return f", {count} of them answered before" if count else ""


def _of_replies(words: Sequence[Acknowledgement], since: datetime) -> set[int]:
    """Return the rounds of a thread's questions whose replies were acknowledged or denied since."""
    return {each.question_round for each in words if each.at >= since}


def _format_acknowledged(figures: Figures) -> str:
    served, failed = figures.acknowledged, figures.denied
    text = f"; {format_count(served, 'reply', 'replies')} acknowledged by the asker" if served else ""
    return f"{text}; {format_count(failed, 'reply', 'replies')} that did not serve" if failed else text


def _readers(counts: dict[str, int]) -> str:
    return (
        f"Readers: {format_count(counts['up'], 'thumb')} up, {counts['down']} down ("
        f"{counts['wrong_source']} wrong source, "
        f"{counts['wrong_answer']} wrong answer, {counts['outdated']} outdated)."
    )


def _count_incidents(figures: Figures) -> str:
    """Count runbooks and recoveries as further decisions; empty without any."""
    runs = f", {format_count(figures.runbooks, 'runbook')} run" if figures.runbooks else ""
    return f"{runs}, {figures.recoveries} ended by recovery" if figures.recoveries else runs


def _first_drafts(figures: Figures) -> str:
    judged = sum(figures.first_drafts.values())
    by_code = f" Code sent {figures.sent_back_by_code} back before." if figures.sent_back_by_code else ""
    if not judged:
        return f"First drafts: no validator has judged one.{by_code}"
    verdicts = ", ".join(f"{number} {word}" for word, number in figures.first_drafts.items())
    rate = figures.first_round_pass_rate
    share = f"{rate:.0%} pass" if rate is not None else f"too few for a rate, which takes {FEWEST}"
    return f"First drafts before the validator: {verdicts}; {share}.{by_code}"


def decision(record: dict[str, Any]) -> str | None:
    """Return the decision that a line of the audit log counts as; `None` for a dialog only opened, or the first of two
    approvals.

    Presses name their channel, submitted dialogs do not.
    """
    if record.get("result") != "done" or record.get("kind") == "command":
        return None
    return (_PRESSED if "channel_id" in record else _SUBMITTED).get(str(record.get("action")))


def _first_change(thread: Thread, status: Status) -> datetime | None:
    return next((change.at for change in thread.status_history if change.next == status), None)


def _asked_to_posted(record: dict[str, Any]) -> float | None:
    try:
        asked_at = datetime.fromtimestamp(float(record["reply_to_message_id"]), UTC)
    except (KeyError, TypeError, ValueError):
        return None
    return count_minutes(asked_at, read_moment(record.get("posted_at")))
