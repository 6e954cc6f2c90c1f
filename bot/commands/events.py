"""Recent events: `get_recent_events`. Read from the ends of the journals, so the cost does not depend on their size."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape, moment, place
from bot.approval.actions import OPENED
from bot.commands.command import CommandAnswer
from bot.commands.counts import count
from bot.commands.inputs_work import HoursInput
from bot.commands.registry import command
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.markup import mentioning
from bot.models.task import folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bot.models.interaction import Asker
    from bot.models.session import Session
    from bot.ports.outbound import Journal, Sessions, Store

SHOWN = 25
READ = 500
"""Number of records read from each journal, the newest ones."""

LOOKED_AT = 100
"""Number of documents read of questions that wait for a decision, the newest ones."""

_CLIP = 100
_QUIET = ("read",)
"""Tiers of commands that count as no event."""
_SAID = ("direct", "conversation")
"""Kinds of records of messages to the bot: how the bot answered is no action of their author."""


@dataclass(frozen=True, kw_only=True)
class EventCommands:
    """Recent events, from the journals. `sessions` are the agents' runs; those that ended without an answer count.

    `waiting` names the threads that wait for a decision, the oldest first; `store` has their documents.
    """

    classified: Journal
    audit: Journal
    replies: Journal
    sessions: Sessions
    store: Store
    waiting: Callable[[], list[str]]
    now: Callable[[], datetime]
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "get_recent_events",
        "lists questions, decisions, replies and failed runs of the last hours (24), the newest first",
        input=HoursInput,
        role="operator",
        tier="read",
        untrusted="people",
    )
    async def recent(self, asked: HoursInput, _: Asker) -> CommandAnswer:
        """List questions, decisions, replies and failures, the newest first; other messages are only counted."""
        since = self.now() - timedelta(hours=asked.hours)
        judged = _since(await self.classified.tail(READ), "classified_at", since)
        found = [(at, said) for at, record in judged if (said := self._judged(record))]
        for at, record in _since(await self.audit.tail(READ), "at", since):
            if said := self._decided(record):
                found.append((at, said))
        for at, record in _since(await self.replies.tail(READ), "posted_at", since):
            found.append((at, f"replied {self._words(record.get('reply_text'))}{_where(record)}"))
        found += await self._failures(since)
        newest = sorted(found, key=lambda one: one[0], reverse=True)
        hours = count(asked.hours, "hour")
        others = len(judged) - sum(record.get("classification") == "actionable" for _, record in judged)
        line = f"{count(len(found), 'event')} in the last {hours}, the newest first; {count(others, 'other message')}."
        rows = tuple(f"{moment(at)} {said}" for at, said in newest[:SHOWN])
        more = (f"… and {len(newest) - SHOWN} older ones.",) if len(newest) > SHOWN else ()
        return CommandAnswer(line=line, rows=(*rows, *more))

    async def _failures(self, since: datetime) -> list[tuple[datetime, str]]:
        """List questions that wait without a draft, and further failed runs of agents."""
        found: list[tuple[datetime, str]] = []
        told = set()
        for name in self.waiting()[-LOOKED_AT:]:
            with suppress(TriageError):
                thread = await self.store.load(name)
                at = thread.status_history[-1].at if thread else since
                if thread and thread.failure and at >= since:
                    told.add(name)
                    said = self._words(thread.failure)
                    found.append((at, f"no draft for `{folder(thread)}` in {place(thread.chat_id)}: {said}"))
        for session in await self.sessions.since(since.date()):
            is_failed = session.outcome not in ("running", "answered") and session.thread_id not in told
            if is_failed and session.saved_at >= since:
                found.append((session.saved_at, self._failed(session)))
        return found

    def _judged(self, record: dict[str, Any]) -> str | None:
        if record.get("classification") != "actionable":
            return None
        sender = record.get("sender") if isinstance(record.get("sender"), dict) else {}
        who = escape(str((sender or {}).get("id", "somebody")))
        words = mentioning(self._words(record.get("content")), record.get("mentions"))
        return f"question of <@{who}>{_where(record)}: {words}"

    def _decided(self, record: dict[str, Any]) -> str | None:
        """Describe a press, a dialog, a shortcut or a command that changed something or tried to."""
        if record.get("kind") in _SAID or (record.get("kind") == "command" and record.get("tier") in (*_QUIET, None)):
            return None
        if record.get("result") == OPENED:
            return None
        action, who = escape(clip(str(record.get("action", "?")), 60)), escape(str(record.get("user_id", "?")))
        outcome = str(record.get("outcome") or record.get("result") or "done")
        came = "" if outcome == "done" else f": {self._words(outcome)}"
        return f"{action} by <@{who}>{_where(record)}{came}"

    def _failed(self, session: Session) -> str:
        why = f": {self._words(session.reason)}" if session.reason else ""
        where = f" for a question{_where({'thread_id': session.thread_id})}" if session.thread_id else ""
        return f"{escape(session.agent)} run{where} ended without an answer{why}"

    def _words(self, said: Any) -> str:
        flat = " ".join(self.redactor.redact(str(said or "")).split())
        return escape(clip(flat, _CLIP))


def _since(records: Iterable[dict[str, Any]], key: str, since: datetime) -> list[tuple[datetime, dict[str, Any]]]:
    """Return the records with their times that are not older than `since`."""
    timed = ((_at(record.get(key)), record) for record in records)
    return [(at, record) for at, record in timed if at >= since]


def _at(said: Any) -> datetime:
    try:
        at = datetime.fromisoformat(str(said))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _where(record: dict[str, Any]) -> str:
    """Name the channel; empty for the App Home and the terminal."""
    channel = record.get("chat_id") or record.get("channel_id")
    if not channel and isinstance(home := record.get("thread_id"), str) and home.count("-") == 2:
        channel = home.split("-")[1]
    return f" in {place(escape(str(channel)))}" if str(channel or "").startswith(("C", "D", "G")) else ""
