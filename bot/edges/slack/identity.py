"""Identity: the user and the workspace of the bot token."""

from __future__ import annotations

from dataclasses import dataclass


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
