"""What the bot says of its own commands: `help`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.assistant.commands.catalogue import CATALOGUE, Answer, CommandSpec
from bot.assistant.commands.handler import nearest

if TYPE_CHECKING:
    from bot.assistant.commands.inputs import Help
    from bot.models.interaction import Asker

EFFECTS = {
    "read": "changes nothing",
    "reversible": "another command takes it back",
    "irreversible": "nothing takes it back",
}


async def help_(asked: Help, _: Asker) -> Answer:
    """All commands, or one."""
    if not asked.command:
        rows = tuple(f"`{spec.usage}` {spec.summary}" for spec in CATALOGUE.values())
        return Answer(line="Commands, after `/triage`, or after `!triage` in a thread:", rows=rows)
    spec = CATALOGUE.get(asked.command.lower())
    if spec is None:
        spec = CATALOGUE[nearest(asked.command, CATALOGUE)]
        return Answer(outcome="invalid", line=f"No command has this name. The nearest: {_line(spec)}")
    return Answer(line=_line(spec))


def _line(spec: CommandSpec) -> str:
    whose = {"member": "any member", "operator": "operators and admins", "admin": "admins"}[spec.role]
    return f"`{spec.usage}` {spec.summary}. For {whose}; {EFFECTS[spec.tier]}."
