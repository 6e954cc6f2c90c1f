"""Message to the owner of a hook: the answer of its command, or that it is disabled."""

from __future__ import annotations

from typing import Any

from blocks.text import section

HOOK_NOTICE = "triage_hook"
"""`event_type` of its metadata, whose payload has the `notice_id`."""


def build_hook_notice(notice_id: str, text: str) -> dict[str, Any]:
    """Build the `text`, `blocks` and `metadata` of the message from mrkdwn whose variable parts are escaped."""
    return {
        "text": text,
        "blocks": [section(text)],
        "metadata": {"event_type": HOOK_NOTICE, "event_payload": {"notice_id": notice_id}},
    }
