"""Fields that every press on a button in a message has, of whatever kind it is."""

from __future__ import annotations

from typing import Any


def read_button_press(body: dict[str, Any]) -> dict[str, Any]:
    """Return the id, the person, the place and the `action` of a `block_actions` payload.

    Raises `KeyError`, `IndexError` or `TypeError` for a payload without them.
    """
    pressed, user = body["actions"][0], body["user"]["id"]
    return {
        "interaction_id": f"{user}-{pressed['action_id']}-{pressed['action_ts']}",
        "team_id": body["team"]["id"],
        "user_id": user,
        "channel_id": body["channel"]["id"],
        "action": pressed["action_id"],
    }
