"""Directory of a workspace: its channels and its members, as `triage init` looks them up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChannel:
    """Channel that the bot can see."""

    channel_id: str
    name: str
    is_member: bool = False
    """True if the bot is in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMember:
    """Full member of the bot's workspace: no bot, no guest, not deactivated."""

    user_id: str
    names: tuple[str, ...]
    """Display name, real name and account name, each once; at least one."""
