"""What the last days add up to: messages, cards, decisions, replies and how long they took.

`triage metrics` and the command `metrics` show the same `Figures`. They come from the journals of these days and from
the documents of the threads that began in them; nothing older is read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any, get_args

from bot.errors import TriageError
from bot.models.classification import Class

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from bot.models.thread import Status, Thread
    from bot.ports import Journal, Store

LONGEST = 366
"""Days that are looked at in one go."""

_PRESSED = {
    "approve": "approvals",
    "post_anyway": "approvals",
    "approve_and_save": "approvals",
    "redraft": "redrafts",
}
_SUBMITTED = {"edit": "edits", "bounce": "bounces", "dismiss": "dismissals"}


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Counts of so many `days`; the medians are in minutes, `None` where there was nothing to measure."""

    days: int
    messages: dict[str, int]
    """By class."""
    cards: int
    """Questions that began in these days and have a card."""
    approvals: int
    edits: int
    bounces: int
    redrafts: int
    dismissals: int
    expiries: int
    """Of the cards above, those on which nobody decided in time."""
    replies: int
    to_draft: float | None
    """From the question to its first draft, or to the word that there is none."""
    to_decision: float | None
    """From then on to the approval of the last one."""
    to_reply: float | None
    """From the question to the reply in its thread."""


async def gather(
    *, classified: Journal, audit: Journal, replies: Journal, store: Store, days: int, now: datetime
) -> Figures:
    """Read what is needed of the last `days`, and count."""
    since = now - timedelta(days=days)
    return count(
        days=days,
        classified=await _since(classified.records(since=since), "classified_at", since),
        audit=await _since(audit.records(since=since), "at", since),
        replies=await _since(replies.records(since=since), "posted_at", since),
        threads=await _threads(store, since),
    )


def count(
    *,
    days: int,
    classified: Iterable[dict[str, Any]],
    audit: Iterable[dict[str, Any]],
    replies: Sequence[dict[str, Any]],
    threads: Sequence[Thread],
) -> Figures:
    """The figures of records and threads that all belong to these days."""
    judged = Counter(record.get("classification") for record in classified)
    decided = Counter(name for record in audit if (name := _decision(record)))
    return Figures(
        days=days,
        messages={name: judged[name] for name in get_args(Class)},
        cards=sum(thread.card.ts is not None for thread in threads),
        approvals=decided["approvals"],
        edits=decided["edits"],
        bounces=decided["bounces"],
        redrafts=decided["redrafts"],
        dismissals=decided["dismissals"],
        expiries=sum(thread.outcome == "expired" for thread in threads),
        replies=len(replies),
        to_draft=_median(_minutes(t.started_at, _first(t, "pending-user")) for t in threads),
        to_decision=_median(_minutes(_first(t, "pending-user"), t.user_approved_at) for t in threads),
        to_reply=_median(_asked_to_posted(record) for record in replies),
    )


def lines(figures: Figures) -> tuple[str, ...]:
    """The figures as a person reads them."""
    days = "the last day" if figures.days == 1 else f"the last {figures.days} days"
    said = ", ".join(f"{number} {name}" for name, number in figures.messages.items())
    return (
        f"In {days}: {sum(figures.messages.values())} messages ({said}), {figures.cards} cards, "
        f"{figures.replies} replies.",
        f"Decisions: {figures.approvals} approvals, {figures.edits} edits, {figures.bounces} bounces, "
        f"{figures.redrafts} redrafts, {figures.dismissals} dismissals, {figures.expiries} expiries.",
        f"Median minutes: question to draft {_shown(figures.to_draft)}, draft to approval "
        f"{_shown(figures.to_decision)}, question to reply {_shown(figures.to_reply)}.",
    )


def _decision(record: dict[str, Any]) -> str | None:
    """What a line of the audit counts as: presses name their channel, submitted dialogs do not."""
    if record.get("result") != "done" or record.get("kind") == "command":
        return None
    return (_PRESSED if "channel_id" in record else _SUBMITTED).get(str(record.get("action")))


async def _since(records: AsyncIterator[dict[str, Any]], key: str, since: datetime) -> list[dict[str, Any]]:
    return [record async for record in records if (at := _moment(record.get(key))) and at >= since]


async def _threads(store: Store, since: datetime) -> list[Thread]:
    """The threads that began since; one that does not parse is left out."""
    found = []
    for thread_id in await store.thread_ids():
        if float(thread_id.rpartition("-")[2]) < since.timestamp():
            continue
        try:
            thread = await store.load(thread_id)
        except TriageError:
            continue
        if thread:
            found.append(thread)
    return found


def _first(thread: Thread, status: Status) -> datetime | None:
    return next((change.at for change in thread.status_history if change.next == status), None)


def _asked_to_posted(record: dict[str, Any]) -> float | None:
    try:
        asked = datetime.fromtimestamp(float(record["reply_to_message_id"]), UTC)
    except (KeyError, TypeError, ValueError):
        return None
    return _minutes(asked, _moment(record.get("posted_at")))


def _minutes(start: datetime | None, end: datetime | None) -> float | None:
    return (end - start).total_seconds() / 60 if start and end and end >= start else None


def _median(minutes: Iterable[float | None]) -> float | None:
    known = [each for each in minutes if each is not None]
    return round(median(known), 1) if known else None


def _shown(minutes: float | None) -> str:
    return "unknown" if minutes is None else f"{minutes:g}"


def _moment(said: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(said)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
