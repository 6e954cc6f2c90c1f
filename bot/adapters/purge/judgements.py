"""Purge of `judgements.ndjson`: no purge opens a gate of automatic replies.

A line lives at least as long as a gate counts it. Of a judgement that a draft was wrong, a purge by thread, channel or
user leaves a line without ids.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.models.judged_draft import COUNTED, JudgedDraft

if TYPE_CHECKING:
    from pathlib import Path

    from bot.adapters.purge import Criterion

_FIELDS = frozenset(JudgedDraft.model_fields)


def is_of_judgements(path: Path) -> bool:
    """Return whether a file is the journal of judgements or an earlier part of it."""
    return path.name.partition(".")[0] == "judgements"


def spare_window(path: Path, criterion: Criterion) -> Criterion:
    """Return the criterion for a journal: by age, judgements stay while a gate counts them."""
    if criterion.before is None or not is_of_judgements(path):
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
