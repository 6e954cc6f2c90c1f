"""Morning brief and end-of-day report: new questions, waiting cards, replies, escalations and cost.

`read_brief` reads the contents from documents and journals, `build_brief` formats them; both serve the scheduled
reports and the command `brief`. Names and questions are escaped here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from blocks.announcement import Announcement, Part
from blocks.cost import format_cost
from blocks.question import name_source, own_words
from blocks.queue import age
from blocks.remedy_state import describe_remedy
from blocks.text import clip, escape, format_count, moment, name_channel
from bot.errors import TriageError
from bot.models.cost import sum_sessions
from bot.models.queue_order import waits_since
from bot.models.status_words import state_words
from bot.reports.alerts import FIRED_WITHIN, count_firing, describe_alerts, sort_alerts, still_fires
from bot.reports.flagging import find_fix_candidates
from bot.reports.links import link_question
from bot.reports.outages import describe_outages, find_threads
from bot.reports.records import records_since, threads_since
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from bot.decide.redaction.redactor import Redactor
    from bot.models.cost import Cost
    from bot.models.thread import Thread
    from bot.reports.metrics import Sources
    from bot.reports.outages import Outage
    from bot.reports.period import Kind

TITLES: dict[Kind, str] = {"brief": "Morning brief", "end_of_day": "End of day"}
_HELD_LOW = "Held, of low confidence; Show Card is in the App Home"
_DECIDING = ("pending-user", "in-doubt")
_LONGEST = 120
_SESSIONS_READ = timedelta(days=7)
"""Time before the period from which the sessions of outages are read, for links to their threads."""


@dataclass(frozen=True, kw_only=True)
class BriefContents:
    """Contents of a brief for a period. Threads are oldest first, replies are lines of `replies.ndjson`."""

    since: datetime
    until: datetime
    came_in: tuple[Thread, ...]
    """Questions asked in the period."""
    open: tuple[Thread, ...]
    """Threads that are not closed, from any time."""
    replies: tuple[dict[str, Any], ...]
    cost: Cost
    flagged: tuple[str, ...] = ()
    """Candidates for a fix in the last day, as text rows."""
    outages: tuple[Outage, ...] = ()
    """Outages of services that are not over, or ended in the period."""
    incidents: tuple[Thread, ...] = ()
    """Threads that were opened for outages, oldest first."""
    alerts: tuple[Thread, ...] = ()
    """Threads of other programs' alerts: those that still fire, then those resolved in the period, newest first."""

    @property
    def waiting(self) -> tuple[Thread, ...]:
        """Return the threads that wait for a decision, longest first."""
        threads = (thread for thread in self.open if thread.status in _DECIDING and not thread.held_low)
        return tuple(sorted(threads, key=waits_since))

    @property
    def held_low(self) -> tuple[Thread, ...]:
        """Return the open threads whose draft was held for low confidence, without a request to decide."""
        return tuple(thread for thread in self.open if thread.status == "pending-user" and thread.held_low)

    @property
    def escalated(self) -> tuple[Thread, ...]:
        """Return the threads with a longer run, running or finished."""
        both = {thread.thread_id: thread for thread in (*self.came_in, *self.open)}
        return tuple(thread for thread in both.values() if thread.is_escalated)

    @property
    def unproven(self) -> tuple[Thread, ...]:
        """Return the threads with an unproven draft: nothing was found, or a check requires a person."""
        verdicts = ((thread, thread.verdict) for thread in self.open if not thread.is_escalated)
        return tuple(thread for thread, verdict in verdicts if verdict and verdict.verdict == "escalate")

    @property
    def firing(self) -> tuple[Thread, ...]:
        """Return the threads of the alerts that still fire."""
        return tuple(thread for thread in self.alerts if thread.alert and not thread.alert.recovered_at)

    @property
    def is_calm(self) -> bool:
        """Return whether nothing came in, is open, was replied, failed or still fires."""
        return not (self.came_in or self.open or self.replies or self.outages or self.firing)


async def read_brief(
    sources: Sources,
    *,
    open_ids: Iterable[str],
    since: datetime,
    until: datetime,
    redactor: Redactor,
    outages: tuple[Outage, ...] = (),
) -> BriefContents:
    """Read the contents of a brief, redacted; skip documents that do not parse."""
    recent = await threads_since(sources.store, min(since, until - FIRED_WITHIN))
    threads_by_id = {each.thread_id: each for each in recent if _began(each, since) or still_fires(each, until)}
    earliest = max(min((outage.began for outage in outages), default=since), since - _SESSIONS_READ)
    sessions = await sources.sessions.list_since(min(earliest, since).date())
    for thread_id in (*open_ids, *find_threads(sessions)):
        try:
            thread = threads_by_id.get(thread_id) or await sources.store.load(thread_id)
        except TriageError:
            continue
        if thread:
            threads_by_id[thread_id] = thread
    safe = [await run_offloaded(redact_question, thread, redactor) for thread in threads_by_id.values()]
    threads = sorted(safe, key=lambda thread: float(thread.original_message_id))
    return BriefContents(
        since=since,
        until=until,
        came_in=tuple(thread for thread in threads if _asked_at(thread) >= since.timestamp()),
        open=tuple(thread for thread in threads if thread.is_open),
        replies=tuple(await records_since(sources.replies, "posted_at", since)),
        cost=sum_sessions(session for session in sessions if session.started_at >= since),
        flagged=await find_fix_candidates(sources, until),
        outages=outages,
        incidents=tuple(thread for thread in threads if thread.incident),
        alerts=sort_alerts(threads, since, until),
    )


def build_brief(contents: BriefContents, kind: Kind, *, url: str) -> Announcement:
    """Format the contents as an announcement. `url` is the workspace's address, for links."""
    title = f"*{TITLES[kind]}*"
    to_fix = (Part("Candidates for a fix", contents.flagged),) if kind == "brief" and contents.flagged else ()
    if contents.is_calm:
        return Announcement(
            line=f"{title}: nothing came in since {moment(contents.since)}, and nothing waits.", parts=to_fix
        )
    waiting = contents.waiting
    oldest = f", the oldest for {age(contents.until - waits_since(waiting[0]))}" if waiting else ""
    line = (
        f"{title}, since {moment(contents.since)}: {format_count(len(contents.came_in), 'question')} came in; "
        f"{len(waiting)} {'waits' if len(waiting) == 1 else 'wait'} for a decision{oldest}; "
        f"{format_count(len(contents.open) - len(waiting), 'other')} open; "
        f"{format_count(len(contents.replies), 'reply', 'replies')} posted; "
        f"{_count_outages(contents)}"
        f"{count_firing(contents.firing)}"
        f"{_by_checks(contents)}cost {format_cost(contents.cost)}."
    )
    listed = (*waiting, *contents.held_low)
    parts = (
        Part("Waiting, oldest first", tuple(_row(thread, contents.until, url) for thread in waiting)),
        Part(_HELD_LOW, tuple(_row(thread, contents.until, url) for thread in contents.held_low)),
        Part("Services", tuple(describe_outages(contents.outages, contents.incidents, contents.until, url))),
        Part("Runbooks", tuple(_list_remedies(contents))),
        Part("Alerts of other programs", tuple(describe_alerts(contents.alerts, url))),
        Part("Escalated", tuple(_row(thread, contents.until, url) for thread in contents.escalated)),
        Part(
            "Came in", tuple(f"{_row(thread, contents.until, url)} ({_state(thread)})" for thread in contents.came_in)
        ),
        Part("Replied", tuple(row for reply in contents.replies if (row := _reply_row(reply, url)))),
        Part(
            "Oldest open",
            tuple(_row(thread, contents.until, url) for thread in contents.open[:1] if thread not in listed),
        ),
        *to_fix,
    )
    return Announcement(line=line, parts=tuple(part for part in parts if part.rows))


def _list_remedies(contents: BriefContents) -> Iterator[str]:
    """Yield a row for each runbook that was proposed or decided on in the period."""
    for incident in (thread.incident for thread in contents.incidents if thread.incident):
        services = escape(clip(", ".join(incident.services), _LONGEST))
        for remedy in incident.remedies:
            if (remedy.decided_at or remedy.proposed_at) >= contents.since:
                yield f"{describe_remedy(remedy)} ({services})"


def _began(thread: Thread, since: datetime) -> bool:
    return float(thread.root_ts) >= since.timestamp()


def _count_outages(contents: BriefContents) -> str:
    """Format the number of services that failed, of their outages if those are more, and of those that still fail."""
    outages, services = len(contents.outages), len({outage.service for outage in contents.outages})
    if not outages:
        return ""
    going_on = sum(outage.ended is None for outage in contents.outages)
    times = f" ({format_count(outages, 'outage')})" if outages > services else ""
    still = ", still" if going_on == services else f", {going_on} of them still" if going_on else ""
    return f"{format_count(services, 'service')} failed{times}{still}; "


def _by_checks(contents: BriefContents) -> str:
    """Format the number of threads without a proven draft and of escalated ones; empty for none."""
    unproven, escalated = len(contents.unproven), len(contents.escalated)
    return (f"{unproven} without a proven draft; " if unproven else "") + (
        f"{escalated} escalated to a longer run; " if escalated else ""
    )


def already_replied(thread: Thread) -> bool:
    """Return whether anyone but the asker, the bot included, has written in the thread since the question."""
    if thread.own_ts is not None and float(thread.own_ts) > _asked_at(thread):
        return True
    return any(
        message.round == thread.question_round
        and message.sender_id != thread.original_sender_id
        and float(message.message_id) > float(thread.original_message_id)
        for message in thread.messages
    )


def _asked_at(thread: Thread) -> float:
    """Return the time of the current question, in seconds of the epoch; a reopened thread has a new one."""
    times = [float(message.message_id) for message in thread.messages if message.round == thread.question_round]
    return min(times, default=float(thread.original_message_id))


def _row(thread: Thread, until: datetime, url: str) -> str:
    """Format a thread: asker, place, age or waiting time, and question."""
    words = own_words(thread) if thread.is_about_incident else thread.question
    question = escape(clip(" ".join(words.split()), _LONGEST))
    link = link_question(url, thread.chat_id, thread.original_message_id, thread.root_ts)
    mark = " _already replied_" if thread.is_open and already_replied(thread) else ""
    return f"<{link}|{name_source(thread)}> in {name_channel(thread.chat_id)}, {_age(thread, until)}: {question}{mark}"


def _state(thread: Thread) -> str:
    return "waits for a decision" if thread.status in _DECIDING else state_words(thread)


def _reply_row(reply: dict[str, Any], url: str) -> str | None:
    match reply:
        case {"chat_id": str(chat), "posted_message_id": str(ts), "thread_id": str(thread), "reply_text": str(text)}:
            excerpt = escape(clip(" ".join(text.split()), _LONGEST))
            return (
                f"<{link_question(url, chat, ts, thread.rpartition('-')[2])}|Reply> in {name_channel(chat)}: {excerpt}"
            )
    return None


def _age(thread: Thread, until: datetime) -> str:
    if thread.status in _DECIDING:
        return age(until - waits_since(thread))
    return age(timedelta(seconds=until.timestamp() - _asked_at(thread)))
