"""What a command is: its words, its input, who may give it, what kind of effect it has, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bot.models.fact import Fact
from bot.models.interaction import Asker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Role = Literal["member", "operator", "admin"]
"""Each may do what the one before may."""

Tier = Literal["read", "reversible", "irreversible"]
"""The effect: none, one that another command takes back, one that nothing takes back."""

Untrusted = Literal["people", "code"]
"""Text of others: what people wrote to each other, such as questions; or what stands in code, notes and logs."""

Outcome = Literal["done", "refused", "unknown", "invalid", "failed", "asked", "cancelled", "expired"]
"""`asked` is a command that is not done yet: it waits for a press, or for a word typed on the command line."""

_TOOL_NAME = re.compile(r"[a-z_]{1,60}")


class CommandAnswer(Fact):
    """What came of a command. The texts are mrkdwn whose variable parts are escaped."""

    outcome: Outcome = "done"
    line: str
    rows: tuple[str, ...] = ()
    """What does not fit the one line: a list, one item a row."""
    blocks: tuple[dict[str, Any], ...] = ()
    """The same as `line` and `rows`, where it has buttons; Slack shows these then."""
    confirmation: str | None = None
    """The id of what waits for a press, or was settled by one."""
    typed_again: str | None = None
    """The name that must be typed before it is done."""
    is_unchanged: bool = False
    """True if all stood already as the command would have it."""
    missing: str | None = None
    """The field of the input that the answer asks for; who gives an order in words may say it next."""

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((self.line, *self.rows))

    @property
    def shown(self) -> dict[str, Any]:
        """The `text` of a message, and its `blocks` where it has any."""
        return {"text": self.text} | ({"blocks": [*self.blocks]} if self.blocks else {})


Run = Callable[[Any, Asker], Awaitable[CommandAnswer]]
"""Does a command: takes its input, already validated, and who asked."""


Preview = Callable[[Any, Asker], Awaitable[CommandAnswer | str]]
"""What a command would do, in a sentence of code's own beside its input; or why it could not be done, as far as that is
known before somebody confirms it."""


@dataclass(frozen=True, kw_only=True)
class CommandSpec:
    """One command of the catalogue."""

    name: str
    summary: str
    input: type[Fact]
    """Its fields, in order, are the words that follow the name."""
    role: Role
    tier: Tier
    needs_press: bool = False
    """True if a chat agent's call always waits for a press: what Triage reaches, may cost or does at large changes."""
    deed: str = ""
    """What was done by it, in words that name nothing of its input; empty for one that changes nothing."""
    also: tuple[str, ...] = ()
    """Other names that it goes by."""
    untrusted: Untrusted | None = None
    """Whose words its answer repeats, if anybody's."""
    rest: bool = False
    """True if its last field takes the rest of the line as it stands; those that may be left out go by name then."""
    names: str | None = None
    """The field that is typed again before an irreversible command is done; without one, the command's own name."""

    @property
    def usage(self) -> str:
        """The name and its words; those in brackets may be left out."""
        return " ".join((self.name, *map(self._word, self.input.model_fields)))

    @property
    def tool_name(self) -> str:
        """What a model calls it by: its name, or the first of the others where that is one short word of the desk's.

        The names of spec 2 are a verb and a noun, joined by a line.
        """
        return self.name if "_" in self.name else (*self.also, self.name)[0]

    @property
    def rest_field(self) -> str | None:
        """The field that takes the rest of the line."""
        return [*self.input.model_fields][-1] if self.rest else None

    def _word(self, name: str) -> str:
        if name == self.rest_field:
            return f"<{name}…>" if self.input.model_fields[name].is_required() else f"[{name}…]"
        if self.input.model_fields[name].is_required():
            return f"<{name}>"
        return f"[{name}=…]" if self.rest else f"[{name}]"


READ: Tier = "read"
REVERSIBLE: Tier = "reversible"
IRREVERSIBLE: Tier = "irreversible"


def named(name: str, catalogue: Mapping[str, CommandSpec]) -> CommandSpec | None:
    """The command that goes by this name, be it a further one."""
    return catalogue.get(name) or next((spec for spec in catalogue.values() if name in spec.also), None)


def all_names(catalogue: Mapping[str, CommandSpec]) -> tuple[str, ...]:
    """Every name that a command goes by."""
    return tuple(name for spec in catalogue.values() for name in (spec.name, *spec.also))


def by_name(*specs: CommandSpec) -> dict[str, CommandSpec]:
    """A catalogue of these. Raises `TypeError` when one of them cannot be told from another or be typed."""
    catalogue = {spec.name: spec for spec in specs}
    if problems := sorted({*_doubled(specs), *(problem for spec in specs for problem in _unsound(spec))}):
        raise TypeError(f"the catalogue of commands: {'; '.join(problems)}")
    return catalogue


def _doubled(specs: tuple[CommandSpec, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for name in (name for spec in specs for name in (spec.name, *spec.also)):
        if name in seen:
            yield f"two commands go by the name {name}"
        seen.add(name)


def _unsound(spec: CommandSpec) -> Iterator[str]:
    fields = spec.input.model_fields
    if not _TOOL_NAME.fullmatch(spec.tool_name):
        yield f"no model may call a tool {spec.tool_name!r}"
    if spec.names is not None and spec.names not in fields:
        yield f"{spec.name} has no field {spec.names}"
    if spec.rest and not fields:
        yield f"{spec.name} has no field that could take the rest"
