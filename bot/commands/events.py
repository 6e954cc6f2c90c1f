"""Recent events: `get_recent_events`. Read from the ends of the journals, so the cost does not depend on their size."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape, moment, name_channel
from bot.approval.actions import DIALOG_OPENED
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import RecentEvents
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.command_data.events import EventData, EventsData
from bot.models.markup import add_mentions
from bot.models.plain_lines import to_plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.interaction import Asker
    from bot.models.session import Session
    from bot.ports.outbound import Clock
    from bot.reports.metrics import Sources
    from bot.triage.open_threads import OpenThreads

MAX_RECORDS = 500
"""Number of records read from each journal, the newest ones."""

MAX_DOCUMENTS = 100
"""Number of documents read of questions that wait for a decision, the newest ones."""

_CLIP = 100
_IGNORED_TIERS = ("read",)
"""Tiers of commands that count as no event."""
_MESSAGE_KINDS = ("direct", "conversation")
"""Kinds of records of messages to the bot: how the bot answered is not an action of their author."""


@dataclass(frozen=True)
class Event:
    """One event; its text is mrkdwn."""

    at: datetime
    kind: str
    text: str
    user: str | None = None
    channel: str | None = None
    outcome: str | None = None

    def build_data(self) -> EventData:
        """Return the event for programs."""
        outcome = to_plain_text(self.outcome, UTC) if self.outcome else None
        return EventData(
            at=self.at,
            kind=self.kind,
            text=to_plain_text(self.text, UTC),
            user=self.user,
            channel=self.channel,
            outcome=outcome,
        )


@dataclass(frozen=True, kw_only=True)
class EventCommands:
    """Recent events, from the journals. Of the agents' runs those that ended without an answer count.

    `waiting` names the threads that wait for a decision, the oldest first.
    """

    sources: Sources
    open_threads: OpenThreads
    clock: Clock
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "get_recent_events",
        "lists questions, decisions, replies and failed runs of the last hours (24), the newest first (25)",
        input=RecentEvents,
        role="operator",
        tier="read",
        untrusted="people",
        result=EventsData,
    )
    async def recent(self, request: RecentEvents, _: Asker) -> CommandAnswer:
        """List questions, decisions, replies and failures, the newest first; other messages are only counted."""
        since = self.clock.now() - timedelta(hours=request.hours)
        classified = _select_since(await self.sources.classified.tail(MAX_RECORDS), "classified_at", since)
        events = [event for at, record in classified if (event := self._describe_question(at, record))]
        for at, record in _select_since(await self.sources.audit.tail(MAX_RECORDS), "at", since):
            if event := self._describe_action(at, record):
                events.append(event)
        for at, record in _select_since(await self.sources.replies.tail(MAX_RECORDS), "posted_at", since):
            text = self._shorten(record.get("reply_text"))
            events.append(Event(at, "reply", f"replied {text}{_name_channel(record)}", channel=_channel_of(record)))
        events += await self._find_failures(since)
        newest = sorted(events, key=lambda event: event.at, reverse=True)
        hours = count(request.hours, "hour")
        others = len(classified) - sum(record.get("classification") == "actionable" for _, record in classified)
        order = ", the newest first" if len(events) > 1 else ""
        unlisted = f"{count(others, 'message')} {'was' if others == 1 else 'were'} no question"
        line = f"{count(len(events), 'event')} in the last {hours}{order}; {unlisted}."
        left = max(0, len(newest) - request.limit)
        rows = tuple(f"{moment(event.at)} {event.text}" for event in newest[: request.limit])
        overflow = (f"… and {left} older ones.",) if left else ()
        data = EventsData(
            hours=request.hours,
            total=len(newest),
            other_messages=others,
            events=tuple(event.build_data() for event in newest[: request.limit]),
            omitted=left,
        )
        return CommandAnswer(line=line, rows=(*rows, *overflow), data=data)

    async def _find_failures(self, since: datetime) -> list[Event]:
        """List questions that wait without a draft, and further failed runs of agents."""
        failures: list[Event] = []
        reported = set()
        for name in self.open_threads.with_status("pending-user")[-MAX_DOCUMENTS:]:
            with suppress(TriageError):
                thread = await self.sources.store.load(name)
                at = thread.status_history[-1].at if thread else since
                if thread and thread.failure and at >= since:
                    reported.add(name)
                    reason = self._shorten(thread.failure)
                    text = f"no draft for `{thread.task}` in {name_channel(thread.chat_id)}: {reason}"
                    failures.append(Event(at, "failure", text, channel=thread.chat_id))
        for session in await self.sources.sessions.list_since(since.date()):
            is_failed = (
                session.uses_model
                and session.outcome not in ("running", "answered")
                and session.thread_id not in reported
            )
            if is_failed and session.saved_at >= since:
                failures.append(self._describe_failed_run(session))
        return failures

    def _describe_question(self, at: datetime, record: dict[str, Any]) -> Event | None:
        if record.get("classification") != "actionable":
            return None
        sender = record.get("sender") if isinstance(record.get("sender"), dict) else {}
        user = str((sender or {}).get("id", "somebody"))
        words = add_mentions(self._shorten(record.get("content")), record.get("mentions"))
        text = f"question of <@{escape(user)}>{_name_channel(record)}: {words}"
        return Event(at, "question", text, user=user, channel=_channel_of(record))

    def _describe_action(self, at: datetime, record: dict[str, Any]) -> Event | None:
        """Describe a press, a dialog, a shortcut or a command that changed something or tried to."""
        if record.get("kind") in _MESSAGE_KINDS or (
            record.get("kind") == "command" and record.get("tier") in (*_IGNORED_TIERS, None)
        ):
            return None
        if record.get("result") == DIALOG_OPENED:
            return None
        action, user = escape(clip(str(record.get("action", "?")), 60)), str(record.get("user_id", "?"))
        outcome = self._shorten(record.get("outcome") or record.get("result") or "done")
        came = "" if outcome == "done" else f": {outcome}"
        text = f"{action} by <@{escape(user)}>{_name_channel(record)}{came}"
        return Event(at, "action", text, user=user, channel=_channel_of(record), outcome=outcome)

    def _describe_failed_run(self, session: Session) -> Event:
        why = f": {self._shorten(session.reason)}" if session.reason else ""
        place = {"thread_id": session.thread_id}
        where = f" for a question{_name_channel(place)}" if session.thread_id else ""
        text = f"{escape(session.agent)} run{where} ended without an answer{why}"
        return Event(session.saved_at, "failure", text, channel=_channel_of(place))

    def _shorten(self, text: Any) -> str:
        flat = " ".join(self.redactor.redact(str(text or "")).split())
        return escape(clip(flat, _CLIP))


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


def _name_channel(record: dict[str, Any]) -> str:
    """Name the channel; empty for the App Home and the terminal."""
    channel = _channel_of(record)
    return f" in {name_channel(escape(channel))}" if channel else ""


def _channel_of(record: dict[str, Any]) -> str | None:
    """Return the channel of a record; `None` for the App Home and the terminal."""
    channel = record.get("chat_id") or record.get("channel_id")
    if not channel and isinstance(home := record.get("thread_id"), str) and home.count("-") == 2:
        channel = home.split("-")[1]
    return str(channel) if str(channel or "").startswith(("C", "D", "G")) else None
