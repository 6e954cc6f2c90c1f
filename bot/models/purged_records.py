"""Purge of single records: what a purge leaves of a judgement or of small state, and the threads of a person.

No purge opens a gate of automatic replies: a judgement lives at least as long as a gate counts it, and of one that a
draft was wrong, a purge by thread, channel or user leaves a line without ids.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.models.judged_draft import COUNTED, JudgedDraft

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.purge_criterion import Criterion

FORGETTING = (
    *("watched", "muted", "active-projects", "reminders", "access", "services", "incidents", "orders"),
    *("auto-reply-channels", "auto-replies", "auto-reply-gates"),
)
"""Small state whose entries about a purged person, channel or thread are forgotten."""

_FIELDS = frozenset(JudgedDraft.model_fields)


def spare_window(criterion: Criterion) -> Criterion:
    """Return the criterion for judgements: by age, they stay while a gate counts them."""
    if criterion.before is None:
        return criterion
    return replace(criterion, before=min(criterion.before, datetime.now(UTC) - COUNTED))


def strip_wrong(line: bytes) -> bytes | None:
    """Return the line of a judgement that a draft was wrong, without person and ids; `None` for other lines."""
    try:
        record = json.loads(line)
        case = JudgedDraft.model_validate({key: record[key] for key in _FIELDS if key in record})
    except (ValueError, TypeError):
        return None
    return json.dumps(case.without_ids().model_dump(mode="json")).encode() + b"\n" if case.is_false_pass else None


def find_own_thread(line: bytes, user: str) -> str | None:
    """Return the thread of a classified message of a user; `None` for a message of another person."""
    try:
        record = json.loads(line)
        own = f"{record['team_id']}-{record['chat_id']}-{record['message_id']}"
        return str(record["thread_id"] or own) if record["sender"]["id"] == user else None
    except (ValueError, KeyError, TypeError):
        return None


def forget_entries(entries: dict[str, Any], takes: Callable[[bytes], bool]) -> dict[str, Any]:
    """Return small state without the entries that `takes` accepts as JSON; a channel without an entry is read from the
    next start on."""
    return {name: value for name, value in entries.items() if not takes(json.dumps({name: value}).encode())}


def forget_rows(samples: dict[str, Any], takes: Callable[[bytes], bool]) -> dict[str, Any]:
    """Return weekly samples without the rows that `takes` accepts as JSON; the others stay as judged.

    Raises `AttributeError`, `KeyError` or `TypeError` for anything but samples.
    """
    for sample in samples.values():
        sample["rows"] = [row for row in sample["rows"] if not takes(json.dumps(row).encode())]
    return {
        day: sample
        for day, sample in samples.items()
        if sample["rows"] and not takes(json.dumps(sample | {"rows": []}).encode())
    }
