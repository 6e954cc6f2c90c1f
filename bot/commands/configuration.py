"""The command `config`: the settings as YAML, and the changes made by commands as comments above them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StringConstraints

from blocks.text import clip, escape, moment
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.nearest_name import LONGEST_WORD, suggest_sentence
from bot.commands.registry import command
from bot.config.yaml_text import comment_ids, find_ids, write_yaml
from bot.models.command_data.config import ConfigData
from bot.models.fact import Fact
from bot.models.plain_lines import to_plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.agents.ledger import Ledger
    from bot.commands.projects import ProjectOverview
    from bot.decide.redaction.redactor import Redactor
    from bot.models.interaction import Asker
    from bot.triage.controls import Controls
    from bot.triage.slack_names import SlackNames

MAX_CHARS = 2_700
"""Characters of YAML that one answer in Slack shows."""


class ConfigInput(Fact):
    """A section of the settings; without one, all of them."""

    section: Annotated[
        str,
        StringConstraints(strip_whitespace=True, max_length=200),
        Field(description="A section, such as watch or projects.shop."),
    ] = ""
    first: Annotated[int, Field(ge=1, le=1_000_000, description="The first line to show.")] = 1


@dataclass(frozen=True, kw_only=True)
class ConfigCommand:
    """The command `config`. `settings` is the content of `triage.yml` by section; secrets are in the environment.

    Ids have names as comments. `ledger` is `None` if the engine costs nothing.
    """

    settings: Mapping[str, Any]
    controls: Controls
    ledger: Ledger | None
    projects: ProjectOverview
    redactor: Redactor
    naming: SlackNames

    @command(
        "config",
        "shows the settings as YAML, without secrets, and changes by commands; or one section",
        input=ConfigInput,
        role="admin",
        tier="read",
        result=ConfigData,
    )
    async def config(self, request: ConfigInput, asker: Asker) -> CommandAnswer:
        """Show the settings; in Slack as many lines as one answer holds, in a terminal all."""
        content = _choose(self.settings, request.section) if request.section else dict(self.settings)
        safe: dict[str, Any] = self.redactor.value(content)
        changes = () if request.section else tuple(self._list_changes())
        text = write_yaml(safe)
        names = await self.naming.names(dict.fromkeys(find_ids(text), ""))
        lines = comment_ids(text, names).rstrip("\n").split("\n")
        if request.first > len(lines):
            raise NotDone(f"The settings have {len(lines)} lines here.")
        rest = lines[request.first - 1 :]
        visible = rest if asker.via == "cli" else _fit(rest)
        rows = [f"# {change}" for change in changes] if request.first == 1 else []
        rows += _describe_part(request, len(visible), len(lines), self.settings)
        rows.append("\n".join(("```", *map(escape, visible), "```")))
        data = ConfigData(settings=safe, changes=tuple(to_plain_text(change, UTC) for change in changes))
        return CommandAnswer(line="# The settings as they were read at the start", rows=tuple(rows), data=data)

    def _list_changes(self) -> list[str]:
        """Say what commands have set since, each in a sentence."""
        modes = ", ".join(f"<#{channel}> {mode}" for channel, mode in self.controls.commanded_modes.items())
        changes = [f"Set by `mode`: {modes}."] if modes else []
        if self.ledger and self.ledger.allowed:
            changes.append(f"Set by `allow`: ${self.ledger.allowed:,.2f} more until {moment(self.ledger.day_ends)}.")
        changes += self.projects.list_overrides()
        if self.controls.state != "running":
            changes.append(f"Triage is {self.controls.state}.")
        return changes


def _describe_part(request: ConfigInput, visible: int, count: int, sections: Iterable[str]) -> list[str]:
    """Say in a comment which lines are shown and how to see the others; nothing if all are."""
    if visible == count:
        return []
    last = request.first + visible - 1
    section = f"{request.section} " if request.section else ""
    parts = [f"# Lines {request.first}-{last} of {count}."]
    if last < count:
        parts.append(f"`config {escape(section)}first={last + 1}` shows what follows.")
    if not request.section:
        parts.append(f"`config NAME` shows one section: {', '.join(sections)}.")
    return [" ".join(parts)]


def _choose(settings: Mapping[str, Any], section: str) -> dict[str, Any]:
    """Return one section in its place among the others. Raises `NotDone` if there is none of this name."""
    name, _, rest = (section, "", "") if section in settings else section.partition(".")
    key = next((each for each in settings if each.lower() == name.lower()), None)
    if key is None:
        near = suggest_sentence(name, [*settings])
        safe_name = escape(clip(name, LONGEST_WORD)).replace("`", "'")
        raise NotDone(f"The settings have no `{safe_name}`.{near} All: {escape(clip(', '.join(settings), 1_500))}.")
    inner = settings[key]
    if not rest:
        return {key: inner}
    if not isinstance(inner, Mapping):
        raise NotDone(f"`{escape(key)}` has no parts with names; `config {escape(key)}` shows it.")
    return {key: _choose(inner, rest)}


def _fit(lines: list[str]) -> list[str]:
    """Return as many lines as one answer has room for, at least one."""
    room, count = MAX_CHARS, 0
    for line in lines:
        room -= len(escape(line)) + 1
        if room < 0:
            break
        count += 1
    return lines[: max(1, count)]
