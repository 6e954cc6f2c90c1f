"""People, parsed from `users.info`."""

from __future__ import annotations

from typing import Any

from bot.models.person import Person


def person_of(found: dict[str, Any]) -> Person:
    """Parse the `user` of an answer."""
    return Person(
        user_id=found["id"],
        team_id=found.get("team_id", ""),
        enterprise_id=(found.get("enterprise_user") or {}).get("enterprise_id") or "",
        is_guest=any(found.get(mark) for mark in ("is_restricted", "is_ultra_restricted")),
        is_stranger=bool(found.get("is_stranger")),
        is_bot=bool(found.get("is_bot")),
        is_gone=bool(found.get("deleted")),
    )
