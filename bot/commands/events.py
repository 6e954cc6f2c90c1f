"""Recent events: `get_recent_events`. Read from the ends of the journals, so the cost does not depend on their size."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape, moment, name_channel
from bot.approval.actions import DIALOG_OPENED
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import HoursInput
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.markup import add_mentions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.interaction import Asker
    from bot.models.session import Session
    from bot.ports.outbound import Clock
    from bot.reports.metrics import Sources
    from bot.triage.open_threads import OpenThreads

MAX_EVENTS = 25
MAX_RECORDS = 500
"""Number of records read from each journal, the newest ones."""

MAX_DOCUMENTS = 100
"""Number of documents read of questions that wait for a decision, the newest ones."""

_CLIP = 100
_IGNORED_TIERS = ("read",)
"""Tiers of commands that count as no event."""
_MESSAGE_KINDS = ("direct", "conversation")
"""Kinds of records of messages to the bot: how the bot answered is not an action of their author."""


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
        "lists questions, decisions, replies and failed runs of the last hours (24), the newest first",
        input=HoursInput,
        role="operator",
        tier="read",
        untrusted="people",
    )
    async def recent(self, request: HoursInput, _: Asker) -> CommandAnswer:
        """List questions, decisions, replies and failures, the newest first; other messages are only counted."""
        since = self.clock.now() - timedelta(hours=request.hours)
        classified = _select_since(await self.sources.classified.tail(MAX_RECORDS), "classified_at", since)
        events = [(at, description) for at, record in classified if (description := self._describe_question(record))]
        for at, record in _select_since(await self.sources.audit.tail(MAX_RECORDS), "at", since):
            if description := self._describe_action(record):
                events.append((at, description))
        for at, record in _select_since(await self.sources.replies.tail(MAX_RECORDS), "posted_at", since):
            events.append((at, f"replied {self._shorten(record.get('reply_text'))}{_name_channel(record)}"))
        events += await self._find_failures(since)
        newest = sorted(events, key=lambda event: event[0], reverse=True)
        hours = count(request.hours, "hour")
        others = len(classified) - sum(record.get("classification") == "actionable" for _, record in classified)
        order = ", the newest first" if len(events) > 1 else ""
        unlisted = f"{count(others, 'message')} {'was' if others == 1 else 'were'} no question"
        line = f"{count(len(events), 'event')} in the last {hours}{order}; {unlisted}."
        rows = tuple(f"{moment(at)} {description}" for at, description in newest[:MAX_EVENTS])
        overflow = (f"… and {len(newest) - MAX_EVENTS} older ones.",) if len(newest) > MAX_EVENTS else ()
        return CommandAnswer(line=line, rows=(*rows, *overflow))

    async def _find_failures(self, since: datetime) -> list[tuple[datetime, str]]:
        """List questions that wait without a draft, and further failed runs of agents."""
        failures: list[tuple[datetime, str]] = []
        reported = set()
        for name in self.open_threads.with_status("pending-user")[-MAX_DOCUMENTS:]:
            with suppress(TriageError):
                thread = await self.sources.store.load(name)
                at = thread.status_history[-1].at if thread else since
                if thread and thread.failure and at >= since:
                    reported.add(name)
                    reason = self._shorten(thread.failure)
                    failures.append((at, f"no draft for `{thread.task}` in {name_channel(thread.chat_id)}: {reason}"))
        for session in await self.sources.sessions.list_since(since.date()):
            is_failed = (
                session.uses_model
                and session.outcome not in ("running", "answered")
                and session.thread_id not in reported
            )
            if is_failed and session.saved_at >= since:
                failures.append((session.saved_at, self._describe_failed_run(session)))
        return failures

    def _describe_question(self, record: dict[str, Any]) -> str | None:
        if record.get("classification") != "actionable":
            return None
        sender = record.get("sender") if isinstance(record.get("sender"), dict) else {}
        who = escape(str((sender or {}).get("id", "somebody")))
        words = add_mentions(self._shorten(record.get("content")), record.get("mentions"))
        return f"question of <@{who}>{_name_channel(record)}: {words}"

    def _describe_action(self, record: dict[str, Any]) -> str | None:
        """Describe a press, a dialog, a shortcut or a command that changed something or tried to."""
        if record.get("kind") in _MESSAGE_KINDS or (
            record.get("kind") == "command" and record.get("tier") in (*_IGNORED_TIERS, None)
        ):
            return None
        if record.get("result") == DIALOG_OPENED:
            return None
        action, who = escape(clip(str(record.get("action", "?")), 60)), escape(str(record.get("user_id", "?")))
        outcome = str(record.get("outcome") or record.get("result") or "done")
        came = "" if outcome == "done" else f": {self._shorten(outcome)}"
        return f"{action} by <@{who}>{_name_channel(record)}{came}"

    def _describe_failed_run(self, session: Session) -> str:
        why = f": {self._shorten(session.reason)}" if session.reason else ""
        where = f" for a question{_name_channel({'thread_id': session.thread_id})}" if session.thread_id else ""
        return f"{escape(session.agent)} run{where} ended without an answer{why}"

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
    channel = record.get("chat_id") or record.get("channel_id")
    if not channel and isinstance(home := record.get("thread_id"), str) and home.count("-") == 2:
        channel = home.split("-")[1]
    return f" in {name_channel(escape(str(channel)))}" if str(channel or "").startswith(("C", "D", "G")) else ""
