"""A person as Slack knows them: read at the edge, asked for before a command is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user of some workspace. `team_id` is their own, which need not be the bot's."""

    user_id: str
    team_id: str
    enterprise_id: str = ""
    """The organisation of an Enterprise Grid that they belong to; empty outside of one."""
    is_guest: bool = False
    """A guest of a workspace."""
    is_stranger: bool = False
    """Somebody of another organisation, as Slack says; of those in a shared channel it does not always say so."""
    is_bot: bool = False
    is_gone: bool = False
    """The account is deactivated."""
