"""Identity: the user and the workspace of the bot token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Identity:
    """Who the bot token belongs to."""

    user_id: str
    bot_id: str
    team_id: str
    team: str
    url: str
    """The workspace's address, which links to its messages begin with; it ends in a slash."""
    name: str = ""
    """What its account is called."""
    enterprise_id: str = ""
    """The organisation of an Enterprise Grid that the workspace belongs to; empty outside of one."""


def identity_of(answer: dict[str, Any]) -> Identity:
    """Who the token belongs to, from the answer of `auth.test`."""
    return Identity(
        user_id=answer["user_id"],
        bot_id=answer.get("bot_id", ""),
        team_id=answer["team_id"],
        team=answer["team"],
        url=answer["url"],
        name=answer.get("user", ""),
        enterprise_id=answer.get("enterprise_id") or "",
    )
