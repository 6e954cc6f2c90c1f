"""The command `help`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.command import CommandAnswer, CommandSpec, find_spec
from bot.commands.command_phrases import find_phrase
from bot.commands.inputs import Help
from bot.commands.registry import command
from bot.commands.state import count
from bot.commands.subjects import FIRST, SUBJECTS, find_subject, find_subject_named
from bot.commands.suggestions import suggest
from bot.models.command_data.help import CommandData, HelpData

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bot.commands.permission import Permission
    from bot.models.interaction import Asker

EFFECTS = {
    "read": "changes nothing",
    "reversible": "another command takes it back",
    "irreversible": "nothing takes it back",
}

AUDIENCES = {"member": "any member", "operator": "operators and admins", "admin": "admins"}

MOST_FIRST = 10
"""Number of commands that the list shows before the subjects."""

MAX_LIST_CHARS = 3_000
"""Characters up to which the list of commands includes their summaries."""


@dataclass(frozen=True, kw_only=True)
class CommandHelp:
    """The command `help`. `catalogue` has all commands."""

    permission: Permission
    catalogue: Mapping[str, CommandSpec]

    @command(
        "help",
        "lists the commands, those of a subject such as projects, or describes one",
        input=Help,
        role="member",
        tier="read",
        rest=True,
        result=HelpData,
    )
    async def help(self, request: Help, asker: Asker) -> CommandAnswer:
        """List the commands that this person may give: those used first, and the subjects; or describe one."""
        own = {
            name: spec for name, spec in self.catalogue.items() if self.permission.has_role(asker.user_id, spec.role)
        }
        if words := request.command.strip("`/ ").split():
            return self._describe(words, own)
        first = [own[name] for name in FIRST if name in own][:MOST_FIRST]
        rows = [_format_row(spec) for spec in first]
        if len(own) > len(first):
            rows += ["*All, by subject:*", *_list_subjects(own), "`help NAME` describes one."]
        roles = {spec.role for name, spec in self.catalogue.items() if name not in own}
        if roles:
            rows.append(f"{'Operators and admins' if 'operator' in roles else 'Admins'} have more commands.")
        line = "Commands, after `/triage`, or after `!triage` in a thread:"
        return CommandAnswer(line=line, rows=tuple(rows), data=_build_data(own.values()))

    def _describe(self, words: Sequence[str], own: Mapping[str, CommandSpec]) -> CommandAnswer:
        """Describe the command that words name, or list those of a subject, or with a word in their names."""
        name = "_".join(words).lower().replace("-", "_")
        if spec := find_spec(name, self.catalogue):
            return _describe_command(spec, own)
        if len(words) == 1 and (subject := find_subject_named(words[0])):
            specs = [spec for spec in own.values() if find_subject(spec) == subject]
            if specs:
                return _list_commands(f"Commands on {subject.name}: {subject.about}.", specs)
            roles = {spec.role for spec in self.catalogue.values() if find_subject(spec) == subject}
            audience = AUDIENCES["operator" if "operator" in roles else "admin"]
            return CommandAnswer(line=f"The commands on {subject.name} are for {audience}.", data=_build_data([]))
        phrase = find_phrase(words, own)
        if phrase and len(phrase.specs) == 1:
            return _describe_command(phrase.specs[0], own)
        if specs := [spec for spec in own.values() if _is_about(spec, name)]:
            return _list_commands(f"Commands with `{escape(name)}` in their names:", specs)
        return CommandAnswer(outcome="invalid", line=f"No command has this name. {suggest(words, own)}")


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


def _list_subjects(own: Mapping[str, CommandSpec]) -> Iterator[str]:
    """Yield a row for each subject in which a person has commands, with how to see them."""
    counts = Counter(find_subject(spec).name for spec in own.values())
    for subject in SUBJECTS:
        if counts[subject.name]:
            yield f"`help {subject.name}` {count(counts[subject.name], 'command')}: {subject.about}"


def _is_about(spec: CommandSpec, word: str) -> bool:
    """Return whether a word of three letters or more is part of one of its names."""
    return len(word) > 2 and any(word in name for name in (spec.name, *spec.also))


def describe_risk(spec: CommandSpec) -> str:
    """Return what takes a command back, if anything does."""
    return spec.risk or EFFECTS[spec.tier]


def _describe_command(spec: CommandSpec, own: Mapping[str, CommandSpec]) -> CommandAnswer:
    """Describe a command; to a person who may not give it, say who may."""
    if spec.name not in own:
        line = f"`{spec.name}` is a command for {AUDIENCES[spec.role]}."
        return CommandAnswer(line=line, data=_build_data([]))
    also = ", ".join(f"`{name}`" for name in (*spec.also, *_spoken_forms(spec)))
    also = f" Also {also}." if also else ""
    line = f"{_format_row(spec)}. For {AUDIENCES[spec.role]}; {describe_risk(spec)}.{also}"
    return CommandAnswer(line=line, data=_build_data([spec]))


def _spoken_forms(spec: CommandSpec) -> Iterator[str]:
    """Yield how people say a name of a verb and a noun, with the noun first."""
    for name in (spec.name, *spec.also):
        verb, *noun = name.split("_")
        phrase = find_phrase(noun, {spec.name: spec}) if noun else None
        if noun:
            yield " ".join(noun if phrase else (*noun, verb))


def _list_commands(line: str, specs: Sequence[CommandSpec]) -> CommandAnswer:
    return CommandAnswer(line=line, rows=_format_all(specs), data=_build_data(specs))


def _format_all(specs: Sequence[CommandSpec]) -> tuple[str, ...]:
    """List each command's usage and summary, or only its usage if the summaries exceed an answer."""
    rows = tuple(map(_format_row, specs))
    if sum(map(len, rows)) < MAX_LIST_CHARS:
        return rows
    return (*(f"`{escape(spec.usage)}`" for spec in specs), "`help` with one of these words says more.")


def _format_row(spec: CommandSpec) -> str:
    return f"`{escape(spec.usage)}` {spec.summary}"
