"""Which presses come too soon after their button has come under somebody's hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.decide.press_debounce import has_just_come, stood_since
from bot.models.interaction import Press
from tests.builders import at


def view(*buttons: str) -> list[dict[str, Any]]:
    """A view with buttons, each as its action and which draft it names."""
    named = [button.split() for button in buttons]
    elements = [{"action_id": action, "value": f"T1-C1-{draft}.1/1 abc 0f"} for action, draft in named]
    return [
        {"type": "section"},
        {"type": "actions", "elements": [*elements, {"action_id": "queue_next", "value": "x"}]},
    ]


@pytest.mark.parametrize(
    ("before", "after", "pressed", "is_too_soon"),
    [
        (("approve 1", "edit 1"), ("approve 2", "edit 2"), "approve 2", True),
        (("approve 1", "approve 2"), ("approve 2",), "approve 2", True),
        (("approve 1", "approve 2"), ("approve 3", "approve 1", "approve 2"), "approve 1", True),
        (("approve 1",), ("post_anyway 1",), "post_anyway 1", True),
        (("stop 1", "dismiss 1"), ("approve 1", "edit 1"), "approve 1", True),
        (("approve 1", "approve 2"), ("approve 1", "approve 3"), "approve 1", False),
        (("approve 1",), ("approve 1", "approve 2"), "approve 2", False),
        ((), ("approve 1",), "approve 1", False),
        (("approve 1",), ("approve 2",), "take_over 2", False),
        (None, ("approve 1",), "approve 1", True),
    ],
)
def test_a_button_decides_once_it_has_stood_at_its_place(
    before: tuple[str, ...] | None, after: tuple[str, ...], pressed: str, is_too_soon: bool
) -> None:
    """For a second; one that stayed, or came where none was, immediately."""
    standing = None if before is None else stood_since({}, view(*before), at(0))
    standing = stood_since(standing, view(*after), at(10))
    action, draft = pressed.split()
    press = Press(
        interaction_id="p",
        team_id="T1",
        user_id="U1",
        action=action,
        thread_id=f"T1-C1-{draft}.1",
        draft_id=f"T1-C1-{draft}.1/1",
        nonce="abc",
        channel_id="U1",
        trigger_id="t",
    )
    assert has_just_come(standing, press, at(10) + timedelta(seconds=0.9)) is is_too_soon
    assert not has_just_come(standing, press, at(11))
