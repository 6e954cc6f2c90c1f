"""Criteria of the orchestrator: its cost in context, and questions that are worked on at the same time. Pure."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from blocks.text import format_count
from bot.reports.criteria.measuring import Case, Definition, measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.models.criterion import Criterion
    from bot.models.session import Session
    from bot.models.thread import Thread

CONTEXT = Definition(
    id="AC-02",
    name="Dispatching costs little context",
    text="Median tokens of a question's sessions other than those of its investigators and validators: all that a "
    "model reads and writes to dispatch it. Code dispatches, so that there are none.",
    threshold="at most 2,000 tokens",
    is_met=lambda tokens: tokens <= 2_000,
    fewest=20,
    unit="tokens",
)
CONCURRENCY = Definition(
    id="AC-03",
    name="Questions at the same time are not mixed up",
    text="Share of pairs of investigations begun within five minutes, of different threads, whose drafts, runs and "
    "replies all belong to their own thread.",
    threshold="all",
    is_met=lambda share: share == 1,
    fewest=1,
)
AT_ONCE = timedelta(minutes=5)
_RESEARCH = ("investigator", "validator")
_BEGUN = ("investigating", "escalated")


def measure_context(sessions: Iterable[Session], *, now: datetime) -> Criterion:
    """Measure AC-02 by the sessions of questions."""
    by_thread: dict[str, list[Session]] = defaultdict(list)
    for session in sessions:
        if session.thread_id and session.uses_model:
            by_thread[session.thread_id].append(session)
    cases, research = [], []
    for of_thread in by_thread.values():
        begun = [each.started_at for each in of_thread if each.agent == "investigator"]
        if begun:
            cases.append(Case(min(begun), sum(each.usage.total for each in of_thread if each.agent not in _RESEARCH)))
            research.append(sum(each.usage.total for each in of_thread if each.agent in _RESEARCH))
    note = f"The agents themselves took {median(research):,.0f} tokens a question (median)." if research else ""
    return measure(CONTEXT, cases, now=now, note=note)


def measure_concurrency(
    threads: Sequence[Thread], sessions: Iterable[Session], replies: Iterable[dict[str, Any]], *, now: datetime
) -> Criterion:
    """Measure AC-03 by documents, sessions and records of `replies.ndjson`."""
    owners = {session.session_id: session.thread_id for session in sessions if session.thread_id}
    mixed = {
        str(record.get("thread_id"))
        for record in replies
        if not str(record.get("draft_id")).startswith(f"{record.get('thread_id')}/")
        or owners.get(str(record.get("investigator_task_id")), record.get("thread_id")) != record.get("thread_id")
    }
    mixed |= {thread.thread_id for thread in threads if _is_mixed(thread, owners)}
    begun = sorted(
        (change.at, thread.thread_id)
        for thread in threads
        for change in thread.status_history
        if change.next in _BEGUN and change.previous not in _BEGUN
    )
    cases = [
        Case(later, first not in mixed and second not in mixed)
        for (earlier, first), (later, second) in pairwise(begun)
        if first != second and later - earlier <= AT_ONCE
    ]
    note = f"Mixed up: {format_count(len(mixed), 'thread')}." if mixed else ""
    return measure(CONCURRENCY, cases, now=now, note=note)


def _is_mixed(thread: Thread, owners: dict[str, str]) -> bool:
    """Return whether the pending draft or a run of a thread belongs to another one."""
    draft = thread.draft_pending
    if draft and not draft.draft_id.startswith(f"{thread.thread_id}/"):
        return True
    return any(owners.get(run.session_id, thread.thread_id) != thread.thread_id for run in thread.runs)
