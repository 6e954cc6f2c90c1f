"""Recent events: `get_recent_events`. Read from the ends of the journals, so the cost does not depend on their size."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape, moment
from bot.commands.action_events import describe_action
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import RecentEvents
from bot.commands.recent_event import SHOWN, Event, describe_place, find_channel
from bot.commands.registry import command
from bot.commands.state import count
from bot.commands.thread_events import ThreadEvents
from bot.decide.redaction.redactor import Redactor
from bot.models.command_data.events import EventsData
from bot.models.markup import add_mentions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.interaction import Asker
    from bot.models.session import Session
    from bot.ports.outbound import Clock
    from bot.reports.metrics import Sources
    from bot.triage.open_threads import OpenThreads

MAX_RECORDS = 500
"""Number of records read from each journal, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class EventCommands:
    """Recent events, from the journals and documents. Of the agents' runs those that ended without an answer count."""

    sources: Sources
    open_threads: OpenThreads
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "get_recent_events",
        "lists what happened in the last hours (24), the newest first (25)",
        input=RecentEvents,
        role="operator",
        tier="read",
        untrusted="people",
        result=EventsData,
    )
    async def recent(self, request: RecentEvents, _: Asker) -> CommandAnswer:
        """List the newest events; other messages are only counted."""
        since = self.clock.now() - timedelta(hours=request.hours)
        classified = _select_since(await self.sources.classified.tail(MAX_RECORDS), "classified_at", since)
        events = [event for at, record in classified if (event := self._describe_question(at, record))]
        for at, record in _select_since(await self.sources.audit.tail(MAX_RECORDS), "at", since):
            if event := describe_action(at, record, self._shorten):
                events.append(event)
        for at, record in _select_since(await self.sources.replies.tail(MAX_RECORDS), "posted_at", since):
            events.append(self._describe_reply(at, record))
        events += await self._list_from_threads(since)
        newest = sorted(events, key=lambda event: event.at, reverse=True)
        others = len(classified) - sum(record.get("classification") == "actionable" for _, record in classified)
        return _build_answer(request, newest, others)

    async def _list_from_threads(self, since: datetime) -> list[Event]:
        """List the events of threads, and further failed runs of agents."""
        threads = ThreadEvents(store=self.sources.store, open_threads=self.open_threads, redactor=self.redactor)
        by_thread = await threads.list_since(since)
        events = [event for own in by_thread.values() for event in own]
        reported = {name for name, own in by_thread.items() if any(event.kind == "failure" for event in own)}
        for session in await self.sources.sessions.list_since(since.date()):
            has_failed = session.uses_model and session.outcome not in ("running", "answered")
            if has_failed and session.thread_id not in reported and session.saved_at >= since:
                events.append(self._describe_failed_run(session))
        return events

    def _describe_question(self, at: datetime, record: dict[str, Any]) -> Event | None:
        if record.get("classification") != "actionable":
            return None
        sender = record.get("sender") if isinstance(record.get("sender"), dict) else {}
        user = str((sender or {}).get("id", "somebody"))
        words = add_mentions(self._shorten(record.get("content")), record.get("mentions"))
        text = f"question of <@{escape(user)}>{describe_place(record)}: {words}"
        return Event(at, "question", text, user=user, channel=find_channel(record))

    def _describe_reply(self, at: datetime, record: dict[str, Any]) -> Event:
        text = f"replied {self._shorten(record.get('reply_text'))}{describe_place(record)}"
        return Event(at, "reply", text, channel=find_channel(record))

    def _describe_failed_run(self, session: Session) -> Event:
        reason = f": {self._shorten(session.reason)}" if session.reason else ""
        place = {"thread_id": session.thread_id}
        where = f" for a question{describe_place(place)}" if session.thread_id else ""
        text = f"{escape(session.agent)} run{where} ended without an answer{reason}"
        return Event(session.saved_at, "failure", text, channel=find_channel(place))

    def _shorten(self, text: Any) -> str:
        flat = " ".join(self.redactor.redact(str(text or "")).split())
        return escape(clip(flat, SHOWN))


def _build_answer(request: RecentEvents, newest: list[Event], others: int) -> CommandAnswer:
    """Build the answer from all events; `others` is the number of messages that were no question."""
    order = ", the newest first" if len(newest) > 1 else ""
    unlisted = f"{count(others, 'message')} {'was' if others == 1 else 'were'} no question"
    line = f"{count(len(newest), 'event')} in the last {count(request.hours, 'hour')}{order}; {unlisted}."
    shown, left = newest[: request.limit], max(0, len(newest) - request.limit)
    rows = [f"{moment(event.at)} {event.text}" for event in shown]
    rows += [f"… and {left} older ones."] if left else []
    data = EventsData(
        hours=request.hours,
        total=len(newest),
        other_messages=others,
        events=tuple(event.build_data() for event in shown),
        omitted=left,
    )
    return CommandAnswer(line=line, rows=tuple(rows), data=data)


def _select_since(
    records: Iterable[dict[str, Any]], key: str, since: datetime
) -> list[tuple[datetime, dict[str, Any]]]:
    """Return the records with their times that are not older than `since`."""
    timed = ((_parse_time(record.get(key)), record) for record in records)
    return [(at, record) for at, record in timed if at >= since]


def _parse_time(text: Any) -> datetime:
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
