"""The command `help`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import CommandAnswer, CommandSpec, find_spec, list_names
from bot.commands.inputs import Help
from bot.commands.nearest_name import find_nearest
from bot.commands.registry import command
from bot.models.command_data.help import CommandData, HelpData

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.commands.permission import Permission
    from bot.models.interaction import Asker

EFFECTS = {
    "read": "changes nothing",
    "reversible": "another command takes it back",
    "irreversible": "nothing takes it back",
}

MAX_NAMED = 4
"""Number of commands of other roles that the list names."""

MAX_LIST_CHARS = 3_000
"""Characters up to which the list of commands includes their summaries."""


@dataclass(frozen=True, kw_only=True)
class CommandHelp:
    """The command `help`. `catalogue` has all commands."""

    permission: Permission
    catalogue: Mapping[str, CommandSpec]

    @command(
        "help", "lists the commands, or describes one of them", input=Help, role="member", tier="read", result=HelpData
    )
    async def help(self, request: Help, asker: Asker) -> CommandAnswer:
        """List the commands that this person may give and name the others, or describe one."""
        if request.command:
            return self._describe_command(request.command.lower())
        own = {
            name: spec for name, spec in self.catalogue.items() if self.permission.has_role(asker.user_id, spec.role)
        }
        rows = (
            *_format_all(own),
            *_describe_other_roles([spec for spec in self.catalogue.values() if spec.name not in own]),
        )
        line = "Commands, after `/triage`, or after `!triage` in a thread:"
        return CommandAnswer(line=line, rows=rows, data=_build_data(own.values()))

    def _describe_command(self, name: str) -> CommandAnswer:
        """Describe the command of this name, or list those with this word in their names."""
        if spec := find_spec(name, self.catalogue):
            return CommandAnswer(line=_format_command(spec), data=_build_data([spec]))
        if specs := {spec.name: spec for spec in self.catalogue.values() if _is_about(spec, name)}:
            line = f"Commands with `{escape(name)}` in their names:"
            return CommandAnswer(line=line, rows=_format_all(specs), data=_build_data(specs.values()))
        meant = find_spec(find_nearest(name, list_names(self.catalogue)) or "", self.catalogue)
        near = f"The nearest: {_format_command(meant)}" if meant else "`help` lists them all."
        return CommandAnswer(outcome="invalid", line=f"No command has this name. {near}")


def _build_data(specs: Iterable[CommandSpec]) -> HelpData:
    return HelpData(
        commands=tuple(
            CommandData(
                name=spec.name,
                usage=spec.usage,
                summary=spec.summary,
                role=spec.role,
                tier=spec.tier,
                aliases=spec.also,
            )
            for spec in specs
        )
    )


def _describe_other_roles(specs: Sequence[CommandSpec]) -> tuple[str, ...]:
    """Say in one row which commands others may give, naming the first ones."""
    if not specs:
        return ()
    who = "Operators and admins" if any(spec.role == "operator" for spec in specs) else "Admins"
    named_first = ", ".join(f"`{spec.name}`" for spec in specs[:MAX_NAMED])
    if len(specs) <= MAX_NAMED:
        return (f"{who} can also give {named_first}.",)
    return (f"{who} can also give {len(specs)} more, such as {named_first}; `help NAME` describes one.",)


def _is_about(spec: CommandSpec, word: str) -> bool:
    """Return whether a word of three letters or more is part of one of its names."""
    return len(word) > 2 and any(word in name for name in (spec.name, *spec.also))


def _format_all(catalogue: Mapping[str, CommandSpec]) -> tuple[str, ...]:
    """List each command's usage and summary, or only its usage if the summaries exceed an answer."""
    rows = tuple(f"`{escape(spec.usage)}` {spec.summary}" for spec in catalogue.values())
    if sum(map(len, rows)) < MAX_LIST_CHARS:
        return rows
    return (*(f"`{escape(spec.usage)}`" for spec in catalogue.values()), "`help` with one of these words says more.")


def _format_command(spec: CommandSpec) -> str:
    audience = {"member": "any member", "operator": "operators and admins", "admin": "admins"}[spec.role]
    also = f" Also {', '.join(f'`{name}`' for name in spec.also)}." if spec.also else ""
    return f"`{escape(spec.usage)}` {spec.summary}. For {audience}; {EFFECTS[spec.tier]}.{also}"
