"""Person as Slack describes them, looked up before a command runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user of any workspace. `team_id` is their own, which may differ from the bot's."""

    user_id: str
    team_id: str
    enterprise_id: str = ""
    """The organisation of an Enterprise Grid that they belong to; empty outside of one."""
    is_guest: bool = False
    """A guest of a workspace."""
    is_stranger: bool = False
    """True if Slack marks them as from another organisation; in shared channels it does not always do so."""
    is_bot: bool = False
    is_gone: bool = False
    """True if the account is deactivated."""
