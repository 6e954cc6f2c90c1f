"""Presses that a restart finds: which of them are the second click of two, by table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.press_debounce import is_second_click
from bot.models.interaction import Press

BEFORE = [
    {"kind": "command", "user_id": "U0OPS", "interaction_id": "U0OPS-command-0815"},
    {"user_id": "U0OPS", "thread_id": "T0-C0HELP-1.000001", "interaction_id": "U0OPS-approve-1795378000.500000"},
]


@pytest.mark.parametrize(
    ("changes", "at", "is_second"),
    [
        ({}, "1795378000.700000", True),
        ({"in_queue": True, "channel_id": "C0HELP"}, "1795378001.400000", True),
        ({}, "1795378001.600000", False),
        ({}, "1795378000.400000", False),
        ({"channel_id": "D0OPS"}, "1795378000.700000", False),
        ({"thread_id": "T0-C0HELP-1.000001"}, "1795378000.700000", False),
        ({"user_id": "U0ADMIN", "channel_id": "U0ADMIN"}, "1795378000.700000", False),
    ],
)
def test_a_click_within_a_second_of_another_card_is_a_second_one(
    changes: dict[str, object], at: str, is_second: bool
) -> None:
    """Where one steps from card to card; elsewhere, later and on the same card it is a press of its own."""
    values: dict[str, Any] = {
        "team_id": "T0",
        "user_id": "U0OPS",
        "channel_id": "U0OPS",
        "action": "approve",
        "nonce": "n",
    }
    values |= {"thread_id": "T0-C0HELP-2.000002", "draft_id": "T0-C0HELP-2.000002/1", "trigger_id": ""} | changes
    assert is_second_click(Press(interaction_id=f"U-approve-{at}", **values), BEFORE) is is_second
