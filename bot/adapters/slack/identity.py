"""Identity: the user, the workspace and the scopes of the bot token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Identity:
    """The owner of the bot token."""

    user_id: str
    bot_id: str
    team_id: str
    team: str
    url: str
    """The workspace's address, a prefix of links to its messages; it ends in a slash."""
    name: str = ""
    """The name of its account."""
    enterprise_id: str = ""
    """The organisation of an Enterprise Grid that the workspace belongs to; empty outside of one."""


def identity_of(answer: dict[str, Any]) -> Identity:
    """Parse the token's owner from the answer of `auth.test`."""
    return Identity(
        user_id=answer["user_id"],
        bot_id=answer.get("bot_id", ""),
        team_id=answer["team_id"],
        team=answer["team"],
        url=answer["url"],
        name=answer.get("user", ""),
        enterprise_id=answer.get("enterprise_id") or "",
    )


def granted_scopes(answer: Any) -> frozenset[str] | None:
    """Parse the token's scopes from the headers of an answer; `None` if the server does not tell."""
    header = {key.lower(): value for key, value in answer.headers.items()}.get("x-oauth-scopes")
    return frozenset(scope.strip() for scope in header.split(",")) if header else None
