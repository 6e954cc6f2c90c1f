"""The catalogue: every command with its words, its input, who may give it and what kind of effect it has.

Read by the handler, by `help` and by `scripts/commands_page.py`, which writes docs/commands.md. What a command does is
a function in the module of its subject; `bot/commanding` brings both together.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from bot.assistant.commands import inputs
from bot.models.fact import Fact
from bot.models.interaction import Asker

Role = Literal["member", "operator", "admin"]
"""Each may do what the one before may."""

Tier = Literal["read", "reversible", "irreversible"]
"""The effect: none, one that another command takes back, one that nothing takes back."""

Outcome = Literal["done", "refused", "unknown", "invalid", "failed"]


class Answer(Fact):
    """What came of a command. The texts are mrkdwn whose variable parts are escaped."""

    outcome: Outcome = "done"
    line: str
    rows: tuple[str, ...] = ()
    """What does not fit the one line: a list, one item a row."""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((self.line, *self.rows))


Run = Callable[[Any, Asker], Awaitable[Answer]]
"""Does a command: takes its input, already validated, and who asked."""


@dataclass(frozen=True, kw_only=True)
class CommandSpec:
    """One command of the catalogue."""

    name: str
    summary: str
    input: type[Fact]
    """Its fields, in order, are the words that follow the name."""
    role: Role
    tier: Tier

    @property
    def usage(self) -> str:
        """The name and its words; those in brackets may be left out."""
        fields = self.input.model_fields.items()
        words = (f"<{name}>" if field.is_required() else f"[{name}]" for name, field in fields)
        return " ".join((self.name, *words))


_READ: Tier = "read"
_REVERSIBLE: Tier = "reversible"

CATALOGUE = {
    spec.name: spec
    for spec in (
        CommandSpec(
            name="help",
            summary="lists the commands, or says what one of them does",
            input=inputs.Help,
            role="member",
            tier=_READ,
        ),
        CommandSpec(
            name="why",
            summary="says in a sentence why a message was classified as it was, and what came of it",
            input=inputs.OfMessage,
            role="operator",
            tier=_READ,
        ),
    )
}
"""All of them, in the order in which `help` lists them."""
