"""People, parsed from `users.info`."""

from __future__ import annotations

from typing import Any

from bot.models.person import Person


def person_of(user: dict[str, Any]) -> Person:
    """Parse the `user` of an answer."""
    return Person(
        user_id=user["id"],
        team_id=user.get("team_id", ""),
        enterprise_id=(user.get("enterprise_user") or {}).get("enterprise_id") or "",
        is_guest=any(user.get(mark) for mark in ("is_restricted", "is_ultra_restricted")),
        is_stranger=bool(user.get("is_stranger")),
        is_bot=bool(user.get("is_bot")),
        is_gone=bool(user.get("deleted")),
    )
