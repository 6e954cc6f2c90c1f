"""What a command is: its words, its input, who may give it, what kind of effect it has, and what it answers.

Used by the catalogue, the handler and every module of a subject.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

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
    blocks: tuple[dict[str, Any], ...] = ()
    """The same as `line` and `rows`, where it has buttons; Slack shows these then."""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((self.line, *self.rows))

    @property
    def shown(self) -> dict[str, Any]:
        """The `text` of a message, and its `blocks` where it has any."""
        return {"text": self.text} | ({"blocks": [*self.blocks]} if self.blocks else {})


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
    also: tuple[str, ...] = ()
    """Other names that it goes by; the chat agent knows it by the first of these, where there is one."""
    names: str | None = None
    """The field that names what an irreversible command is done to; it is typed once more."""
    untrusted: bool = False
    """Whether its answer repeats what others wrote: code, notes, logs, messages."""

    @property
    def usage(self) -> str:
        """The name and its words; those in brackets may be left out."""
        fields = self.input.model_fields.items()
        words = (f"<{name}>" if field.is_required() else f"[{name}]" for name, field in fields)
        return " ".join((self.name, *words))


READ: Tier = "read"
REVERSIBLE: Tier = "reversible"
IRREVERSIBLE: Tier = "irreversible"
