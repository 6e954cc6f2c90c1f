"""Actions of hooks: commands, given with the rights that the owner of a hook has when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from blocks.text import clip, escape
from bot.commands.argument_names import rename_arguments
from bot.commands.command import READ, find_spec
from bot.commands.misfit import describe_invalid_input
from bot.commands.parsing import parse_line
from bot.models.hook_record import MAX_LINE_CHARS, ActionEnd
from bot.models.interaction import Asker
from bot.models.plain_lines import to_plain_text

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer, CommandSpec
    from bot.commands.handler import CommandHandler
    from bot.models.hook import Hook
    from bot.models.hook_record import HookRun

CREATE_TASK = "create_task"
_NEEDS_PRESS = "needs a press, and nobody is there to press when a hook runs"
MAX_NOTICE = 2_800
"""Characters of a command's answer that its owner gets."""


@dataclass(frozen=True, kw_only=True)
class HookActionRunner:
    """The port `HookActions` on the command handler, which authorises, executes and audits each of them."""

    handler: CommandHandler
    team_id: str
    zone: str

    async def create_task(self, hook: Hook, run: HookRun, description: str) -> ActionEnd:
        """Create the task of a run; its order has an id of the run, so that it is created once."""
        arguments = {
            "title": f"Hook {hook.name}",
            "description": description,
            "project": hook.project,
            "channel": hook.channel or None,
        }
        answer = await self.handler.execute(CREATE_TASK, arguments, self._build_asker(hook, run))
        return self._build_end(answer)

    async def execute(self, hook: Hook, run: HookRun) -> ActionEnd:
        """Execute the command of a hook; its answer is for the owner."""
        if fault := self.find_fault(hook.command):
            return ActionEnd(is_done=False, line=fault)
        name, arguments = self._parse(hook.command)
        answer = await self.handler.execute(name, arguments, self._build_asker(hook, run))
        end = self._build_end(answer)
        heading = f"The hook `{hook.name}`, `{escape(clip(hook.command, 200)).replace('`', chr(39))}`:"
        return end.evolve(notice=f"{heading}\n{clip(answer.text, MAX_NOTICE)}") if end.is_done else end

    def may_repeat(self, command: str) -> bool:
        """Return whether a command only reads."""
        spec = self._find_spec(command)
        return spec is not None and spec.tier == READ

    def find_fault(self, command: str) -> str:
        """Return the reason why no hook can give a command, as a clause; empty if one can."""
        name, arguments = self._parse(command)
        spec = self._find_spec(command)
        if spec is None:
            return f"there is no command {clip(name, 60)}"
        if spec.name == CREATE_TASK:
            return "a hook creates tasks by its prompt"
        if spec.stands_for:
            return f"{spec.name} stands for other commands; name the one that is meant"
        if spec.tier == "irreversible" or spec.needs_press or spec.always_asks:
            return f"{spec.name} {_NEEDS_PRESS}"
        try:
            spec.input.model_validate(rename_arguments(spec.input, arguments))
        except ValidationError as problem:
            return to_plain_text(describe_invalid_input(spec, problem), ZoneInfo(self.zone)).rstrip(".")
        return ""

    async def find_refusal(self, command: str, asker: Asker) -> str:
        """Return the reason why a person may not give a command; empty if they may."""
        spec = self._find_spec(command)
        return (await self.handler.permission.refusal(asker, spec.role) or "") if spec else ""

    def _parse(self, command: str) -> tuple[str, dict[str, str]]:
        text = command.removeprefix("/triage").strip()
        return parse_line(text, self.handler.catalogue, self.handler.object_names)

    def _find_spec(self, command: str) -> CommandSpec | None:
        return find_spec(self._parse(command)[0], self.handler.catalogue)

    def _build_asker(self, hook: Hook, run: HookRun) -> Asker:
        return Asker(
            interaction_id=f"hook-{hook.name}-{run.run_id}",
            team_id=self.team_id,
            user_id=hook.owner,
            channel_id=hook.owner,
            via="hook",
        )

    def _build_end(self, answer: CommandAnswer) -> ActionEnd:
        line = " ".join(to_plain_text(answer.line, ZoneInfo(self.zone)).split())
        prefix = "with the rights of its owner: " if answer.outcome == "refused" else ""
        return ActionEnd(is_done=answer.outcome == "done", line=clip(f"{prefix}{line}", MAX_LINE_CHARS))
