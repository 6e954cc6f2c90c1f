"""Criterion of a purge: the data that it removes, from journals, documents and records alike."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_TIMES = ("received_at", "classified_at", "posted_at", "at", "create_time", "saved_at")


@dataclass(frozen=True)
class Criterion:
    """Selection of the data to remove; exactly one of these is set."""

    before: datetime | None = None
    thread_id: str | None = None
    channel: str | None = None
    user: str | None = None
    threads: frozenset[str] = frozenset()
    """With `user`: the threads that the user took part in, found by `purge`."""

    def takes_line(self, line: bytes) -> bool:
        """Return whether a journal's line is removed; by age, also one without a readable date."""
        if self.before is not None:
            at = _time_of(line)
            return at is None or at < self.before
        if self.thread_id is not None:
            return _is_about(line, self.thread_id)
        named = (self.channel or self.user or "").encode() in line
        return named or any(_is_about(line, thread_id) for thread_id in self.threads)

    def takes_document(self, name: str, content: bytes) -> bool:
        """Return whether a thread's document is removed; by age, an open one stays, and one whose fix is under way."""
        if self.before is not None:
            last, is_closed = _last_event(content)
            return last is None or (is_closed and last < self.before)
        if self.thread_id is not None:
            return name.startswith(self.thread_id)
        return (self.channel or self.user or "").encode() in content or name.partition(".json")[0] in self.threads


@dataclass
class PurgeCounts:
    """The amounts removed by a purge."""

    records: int = 0
    documents: int = 0


def is_older(line: bytes, before: datetime) -> bool:
    """Return whether a journal's line is older than `before`, or does not parse."""
    return Criterion(before=before).takes_line(line)


def _is_about(line: bytes, thread_id: str) -> bool:
    _, channel, ts = thread_id.split("-")
    return thread_id.encode() in line or (channel.encode() in line and ts.encode() in line)


def _time_of(line: bytes) -> datetime | None:
    try:
        record = json.loads(line)
        return next((_moment(record[key]) for key in _TIMES if key in record), None)
    except (ValueError, TypeError):
        return None


def _last_event(content: bytes) -> tuple[datetime | None, bool]:
    try:
        (document,) = json.loads(content)["thread"].values()
        fix = document.get("fix") or {}
        is_live = fix.get("state") in ("drafting", "opening") or (fix.get("state") == "discarded" and not fix["result"])
        return _moment(document["last_event_at"]), document["status"] == "closed" and not is_live
    except (ValueError, TypeError, KeyError, AttributeError):
        return None, True


def _moment(text: Any) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
