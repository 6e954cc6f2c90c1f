"""A person as Slack knows them: read at the edge, asked for before a command is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user of some workspace. `team_id` is their own, which need not be the bot's."""

    user_id: str
    team_id: str
    is_guest: bool = False
    """A guest of the workspace, or a stranger from a shared channel."""
    is_bot: bool = False
    is_gone: bool = False
    """The account is deactivated."""
