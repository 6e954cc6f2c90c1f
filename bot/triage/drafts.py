"""Drafts, sealed: the payload that the card shows and that delivery posts, with its hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from blocks.reply import reply
from bot.errors import Refused
from bot.models.thread import Draft, Thread


def make_draft(thread: Thread, text: str, *, nonce: str, edited_by: str | None = None) -> Draft:
    """The thread's next draft, with the bytes that will be posted if it is approved."""
    payload = json.dumps(reply(text), ensure_ascii=False, separators=(",", ":"))
    return Draft(
        draft_id=f"{thread.thread_id}/{thread.drafts_made + 1}",
        nonce=nonce,
        text=text,
        payload=payload,
        sha256=_digest(payload),
        edited_by=edited_by,
    )


def opened(draft: Draft) -> dict[str, Any]:
    """The arguments for posting. Raises `Refused` when the payload is not the one that was shown."""
    if _digest(draft.payload) != draft.sha256:
        raise Refused(f"{draft.draft_id}: the draft on disk is not the one that was approved", code="draft_changed")
    arguments: dict[str, Any] = json.loads(draft.payload)
    return arguments


def _digest(payload: str) -> str:
    return hashlib.sha256(payload.encode()).hexdigest()
