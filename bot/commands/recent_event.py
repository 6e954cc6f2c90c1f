"""Recent event, as `get_recent_events` lists it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from blocks.text import escape, name_channel
from bot.models.command_data.events import EventData
from bot.models.plain_lines import to_plain_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

SHOWN = 100
"""Characters shown of a text."""


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


def describe_place(record: Mapping[str, Any]) -> str:
    """Name the channel of a record; empty for the App Home and the terminal."""
    channel = find_channel(record)
    return f" in {name_channel(escape(channel))}" if channel else ""


def find_channel(record: Mapping[str, Any]) -> str | None:
    """Return the channel of a record; `None` for the App Home and the terminal."""
    channel = record.get("chat_id") or record.get("channel_id")
    if not channel and isinstance(home := record.get("thread_id"), str) and home.count("-") == 2:
        channel = home.split("-")[1]
    return str(channel) if str(channel or "").startswith(("C", "D", "G")) else None
