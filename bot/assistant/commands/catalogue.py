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
            name="status",
            summary="says whether Triage runs, what waits, which engine answers and what today has cost",
            input=inputs.Nothing,
            role="operator",
            tier=_READ,
        ),
        CommandSpec(
            name="queue",
            summary="lists what waits for a decision, the oldest first",
            input=inputs.Nothing,
            role="operator",
            tier=_READ,
        ),
        CommandSpec(
            name="thread",
            summary="says how far the question of a thread has come",
            input=inputs.OfMessage,
            role="operator",
            tier=_READ,
        ),
        CommandSpec(
            name="why",
            summary="says in a sentence why a message was classified as it was, and what came of it",
            input=inputs.OfMessage,
            role="operator",
            tier=_READ,
        ),
        CommandSpec(
            name="pause",
            summary="lets investigations wait; messages are recorded and classified, approved replies posted",
            input=inputs.Nothing,
            role="admin",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="resume",
            summary="goes on after pause or stop; replies that stop held back are for their operator to decide again",
            input=inputs.Nothing,
            role="admin",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="stop",
            summary="ends all runs and holds back every approved reply that is not posted yet",
            input=inputs.Nothing,
            role="admin",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="mode",
            summary="sets how a watched channel is treated from its next question on: live, preview or silent",
            input=inputs.ChannelMode,
            role="admin",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="allow",
            summary="lets the agents cost so many US dollars more until midnight UTC; 0 takes it back",
            input=inputs.Money,
            role="admin",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="metrics",
            summary="counts messages, mistakes, verdicts, decisions, replies, cost and times of the last days (7)",
            input=inputs.Days,
            role="operator",
            tier=_READ,
        ),
        CommandSpec(
            name="brief",
            summary="shows the morning brief as it is now: what came in since the last evening, waits, was replied",
            input=inputs.Nothing,
            role="operator",
            tier=_READ,
        ),
        CommandSpec(
            name="mute",
            summary="ends what goes on in a thread and stays silent there until unmute or a mention of Triage",
            input=inputs.InThread,
            role="operator",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="unmute",
            summary="listens to a muted thread again",
            input=inputs.InThread,
            role="operator",
            tier=_REVERSIBLE,
        ),
        CommandSpec(
            name="config",
            summary="shows the settings, without secrets, and what commands have set in front of them",
            input=inputs.Nothing,
            role="admin",
            tier=_READ,
        ),
    )
}
"""All of them, in the order in which `help` lists them."""
