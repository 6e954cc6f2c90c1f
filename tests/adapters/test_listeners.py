"""What the bot itself did comes back as events, and is nothing new."""

from __future__ import annotations

from typing import Any

import pytest

from bot.adapters.listeners import is_own

OWN, ANA = {"user": "U0TRIAGE"}, {"user": "U0ANA"}


@pytest.mark.parametrize(
    ("event", "own"),
    [
        ({"type": "message", **OWN}, True),
        ({"type": "message", **ANA}, False),
        ({"type": "message", "subtype": "message_changed", "message": OWN, "previous_message": OWN}, True),
        ({"type": "message", "subtype": "message_changed", "message": ANA, "previous_message": ANA}, False),
        ({"type": "message", "subtype": "message_deleted", "previous_message": OWN}, True),
        ({"type": "message", "subtype": "message_deleted", "previous_message": ANA}, False),
        ({"type": "reaction_added", **OWN, "item_user": "U0ANA"}, True),
        ({"type": "reaction_added", **ANA, "item_user": "U0TRIAGE"}, False),
        ({"type": "member_joined_channel", **OWN}, False),
        ({"type": "message"}, False),
        ("nonsense", False),
    ],
)
def test_only_what_the_bot_did_is_its_own(event: Any, own: bool) -> None:
    """Its cards in direct messages change all the time; that is in no journal."""
    assert is_own({"event": event}, "U0TRIAGE") is own


class OneTask:
    """The root of one created task."""

    def has_root(self, channel: str, ts: str) -> bool:
        """Whether it is that."""
        return (channel, ts) == ("C0HELP", "1.000001")


@pytest.mark.parametrize(("ts", "own"), [("1.000001", False), ("2.000001", True)])
def test_the_first_message_of_a_task_is_deleted_by_others(ts: str, own: bool) -> None:
    """An administrator's deletion counts; the bot deletes its cards alone."""
    event = {"type": "message", "subtype": "message_deleted", "previous_message": OWN, "channel": "C0HELP"}
    assert is_own({"event": event | {"deleted_ts": ts}}, "U0TRIAGE", OneTask()) is own
