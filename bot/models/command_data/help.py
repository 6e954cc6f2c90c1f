"""Data of `help`."""

from __future__ import annotations

from bot.models.fact import Fact


class CommandData(Fact):
    """A command."""

    name: str
    usage: str
    summary: str
    role: str
    """Least role that may give it: `member`, `operator` or `admin`."""
    tier: str
    """`read`, `reversible` or `irreversible`."""
    aliases: tuple[str, ...]


class HelpData(Fact):
    """Commands that this person may give, or the described ones."""

    commands: tuple[CommandData, ...]
