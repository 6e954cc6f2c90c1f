"""Commands: specification (name, input, role, effect), answer, and the catalogue's checks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import SerializeAsAny

from bot.models.answer_table import AnswerTable
from bot.models.fact import Fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bot.models.interaction import Asker

Role = Literal["member", "operator", "admin"]
"""Roles, in rising order: each includes the rights of the one before."""

Tier = Literal["read", "reversible", "irreversible"]
"""Effect of a command: none, reversible by another command, or irreversible."""

Untrusted = Literal["people", "code"]
"""Origin of untrusted text in an answer: people's messages, such as questions; or code, notes and logs."""

Outcome = Literal["done", "refused", "unknown", "invalid", "failed", "asked", "cancelled", "expired"]
"""Outcome of a command. `asked`: not done yet, it waits for a button or for a name typed on the command line."""

_TOOL_NAME = re.compile(r"[a-z_]{1,60}")


class CommandAnswer(Fact):
    """Answer of a command. The texts are mrkdwn, with variable parts escaped."""

    outcome: Outcome = "done"
    line: str
    rows: tuple[str, ...] = ()
    """Further lines, such as the items of a list, one per row."""
    blocks: tuple[dict[str, Any], ...] = ()
    """Block Kit version of `line` and `rows` if it has buttons; Slack shows it instead."""
    confirmation: str | None = None
    """Id of the confirmation that is pending, or was settled by a press."""
    typed_again: str | None = None
    """Name that must be typed before the command is done."""
    is_unchanged: bool = False
    """True if the command changed nothing, since all was as requested already."""
    missing: str | None = None
    """Input field that the answer asks for; a user in a chat may supply it in the next message."""
    table: AnswerTable | None = None
    """`rows` as a table, for a terminal."""
    data: SerializeAsAny[Fact] | None = None
    """The answer's figures for programs, of the model that the command declares as its `result`; see
    `bot.models.command_data`. `None` if nothing was done."""
    repeats_nothing: bool = False
    """True if the texts are all of code: they repeat neither the input nor content."""

    @property
    def text(self) -> str:
        """Return line and rows as one text."""
        return "\n".join((self.line, *self.rows))

    @property
    def payload(self) -> dict[str, Any]:
        """Return a message's `text`, and its `blocks` if there are any."""
        return {"text": self.text} | ({"blocks": [*self.blocks]} if self.blocks else {})


class NotDone(Exception):
    """A command that cannot be done as given; `answer` says why."""

    def __init__(self, line: str, *rows: str, outcome: Outcome = "invalid", missing: str | None = None) -> None:
        super().__init__(line)
        self.answer = CommandAnswer(outcome=outcome, line=line, rows=rows, missing=missing)


class Run(Protocol):
    """Method of a command, declared by `@command` and bound to its object (`CommandSet`)."""

    async def __call__(self, request: Any, asker: Asker, /) -> CommandAnswer:
        """Execute the command with its validated input."""


@dataclass(frozen=True, kw_only=True)
class SealedRequest:
    """Request of a command with what its preview shows, so that a confirmation does exactly that."""

    request: Fact
    """Input of the method that executes it, of the model that the command declares as `sealed`."""
    brief: str
    """The effect in a sentence, for the answer to the command."""
    shown: str
    """All that the person sees who is asked to confirm it, as mrkdwn; a chat agent does not see it."""
    typed_again: str
    """Name that confirms it in a terminal; it changes with what is shown, unless it is typed in Slack, too."""
    is_typed: bool = False
    """True if the name is typed in Slack, too; else a press confirms it there. A terminal's then ends in a seal."""


class Preview(Protocol):
    """Method that previews a command, declared as `preview` of `@command` and bound to its object."""

    async def __call__(self, request: Any, asker: Asker, /) -> CommandAnswer | SealedRequest | str:
        """Return the effect in a sentence, or the answer of a command that cannot be done, as far as that is known
        before the confirmation."""


@dataclass(frozen=True, kw_only=True)
class CommandSpec:
    """Specification of one command of the catalogue."""

    name: str
    summary: str
    input: type[Fact]
    """Input model; its fields, in order, are the words that follow the name."""
    role: Role
    tier: Tier
    needs_press: bool = False
    """True if a chat agent's call always needs a confirmation: the command changes what Triage reaches, may cost or
    does at large."""
    always_asks: bool = False
    """True if every call, from every interface, needs a confirmation: in Slack a press, in a terminal the typed
    name."""
    deed: str = ""
    """Past-tense summary that repeats nothing of the input; empty for a command that changes nothing."""
    risk: str = ""
    """What takes the command back, in words; empty where those of its tier fit."""
    also: tuple[str, ...] = ()
    """Aliases."""
    untrusted: Untrusted | None = None
    """Origin of untrusted text that the answer repeats, if any."""
    rest: bool = False
    """True if the last field takes the rest of the line verbatim; optional fields are then given by name."""
    names: str | None = None
    """Field whose value is typed to confirm an irreversible command; if unset, the command's own name is."""
    sealed: type[Fact] | None = None
    """Input of the method that executes the command, which its preview builds from `input`: such a command always asks,
    and does what was shown."""
    stands_for: str | None = None
    """Field whose value names the command that is executed in its place, with that command's rights."""
    resumes: bool = False
    """True if its method may be called again with the same input after a crash: it does it once, and returns the same
    outcome. Only for a sealed command."""
    result: type[Fact] | None = None
    """Model of `CommandAnswer.data`; unset for a command whose answer has only text."""

    @property
    def usage(self) -> str:
        """Return the name and its words; optional words are in brackets."""
        return " ".join((self.name, *map(self._format_argument, self.input.model_fields)))

    @property
    def tool_name(self) -> str:
        """Return the name of the model's tool: the command's name, or its first alias if the name is a single word.

        Tool names are a verb and a noun joined by an underscore.
        """
        return self.name if "_" in self.name else (*self.also, self.name)[0]

    @property
    def rest_field(self) -> str | None:
        """Return the field that takes the rest of the line."""
        return [*self.input.model_fields][-1] if self.rest else None

    def _format_argument(self, name: str) -> str:
        if name == self.rest_field:
            return f"<{name}…>" if self.input.model_fields[name].is_required() else f"[{name}…]"
        if self.input.model_fields[name].is_required():
            return f"<{name}>"
        return f"[{name}=…]" if self.rest else f"[{name}]"


READ: Tier = "read"
REVERSIBLE: Tier = "reversible"
IRREVERSIBLE: Tier = "irreversible"


def find_spec(name: str, catalogue: Mapping[str, CommandSpec]) -> CommandSpec | None:
    """Return the command of this name or alias."""
    return catalogue.get(name) or next((spec for spec in catalogue.values() if name in spec.also), None)


def list_names(catalogue: Mapping[str, CommandSpec]) -> tuple[str, ...]:
    """Return all names and aliases."""
    return tuple(name for spec in catalogue.values() for name in (spec.name, *spec.also))


def build_catalogue(*specs: CommandSpec) -> dict[str, CommandSpec]:
    """Build a catalogue. Raises `TypeError` if a name is ambiguous or a command cannot be typed."""
    catalogue = {spec.name: spec for spec in specs}
    if problems := sorted({*_find_duplicates(specs), *(problem for spec in specs for problem in _find_problems(spec))}):
        raise TypeError(f"the catalogue of commands: {'; '.join(problems)}")
    return catalogue


def _find_duplicates(specs: tuple[CommandSpec, ...]) -> Iterator[str]:
    names: set[str] = set()
    for name in (name for spec in specs for name in (spec.name, *spec.also)):
        if name in names:
            yield f"two commands go by the name {name}"
        names.add(name)


def _find_problems(spec: CommandSpec) -> Iterator[str]:
    fields = spec.input.model_fields
    if not _TOOL_NAME.fullmatch(spec.tool_name):
        yield f"no model may call a tool {spec.tool_name!r}"
    if spec.names is not None and spec.names not in fields:
        yield f"{spec.name} has no field {spec.names}"
    if spec.stands_for is not None and spec.stands_for not in fields:
        yield f"{spec.name} has no field {spec.stands_for}"
    if spec.resumes and spec.sealed is None:
        yield f"{spec.name} resumes, and is not sealed"
    if spec.rest and not fields:
        yield f"{spec.name} has no field that could take the rest"
