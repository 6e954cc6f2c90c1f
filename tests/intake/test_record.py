"""What the event log keeps of channels that are not watched: that something came, and no word of it."""

from __future__ import annotations

import json
from typing import Any

from bot.intake.record import event_record, read
from tests.tables import each_row

WORD = "zebrafinch"
SAID = {"type": "message", "channel": "C0ELSE", "user": "U0ANA", "ts": "100.000001", "text": WORD}
FILE = {"id": "F1", "name": f"{WORD}.txt", "preview": WORD, "mimetype": "text/plain", "user": "U0ANA"}


@each_row(
    "event",
    [
        SAID,
        SAID | {"thread_ts": "99.000001"},
        SAID | {"subtype": "thread_broadcast", "thread_ts": "99.000001", "root": SAID},
        SAID | {"subtype": "bot_message", "bot_id": "B1", "username": WORD},
        SAID | {"subtype": "me_message"},
        SAID | {"subtype": "file_share", "files": [FILE], "text": ""},
        SAID | {"attachments": [{"text": WORD, "fallback": WORD, "is_msg_unfurl": True}], "text": ""},
        SAID | {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": WORD}}], "text": ""},
        SAID | {"subtype": "channel_topic", "topic": WORD},
        SAID | {"subtype": "channel_join", "inviter": "U0OPS"},
        {**SAID, "subtype": "message_changed", "message": SAID, "previous_message": SAID, "text": None},
        {**SAID, "subtype": "message_deleted", "deleted_ts": "100.000001", "previous_message": SAID, "text": None},
        SAID | {"type": "app_mention"},
        {
            "type": "reaction_added",
            "user": "U0ANA",
            "reaction": WORD,
            "event_ts": "2.2",
            "item": {"type": "message", "channel": "C0ELSE", "ts": "1.1"},
        },
        {"type": "member_joined_channel", "channel": "C0ELSE", "user": "U0ANA", "channel_name": WORD},
        {"type": "channel_rename", "channel": {"id": "C0ELSE", "name": WORD}},
        {"type": "file_shared", "channel_id": "C0ELSE", "file": FILE},
        {"type": "team_join", "user": {"id": "U0ANA", "profile": {"title": WORD}}},
        {"type": "message", "channel": {"name": WORD}, "text": WORD},
        {"type": "message", "text": WORD},
    ],
)
def test_no_word_of_a_channel_that_is_not_watched_is_kept(event: dict[str, Any]) -> None:
    """Ids and times, whatever kind of event it is."""
    body = {"type": "event_callback", "event_id": "Ev1", "team_id": "T0SANDBOX", "event": event}
    record = event_record(read(body, chat_names={}), body, received_at="2026-01-05T09:00:00+00:00")
    assert WORD not in json.dumps(record)
    assert (record["event_id"], record["received_at"]) == ("Ev1", "2026-01-05T09:00:00+00:00")
    assert record["chat_id"] in ("C0ELSE", "")
