"""Reports: the figures of the last days and the morning brief: `metrics`, `brief`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.figure_table import table
from blocks.text import context, escape, section
from bot.commands.command import CommandAnswer
from bot.commands.inputs import Days, EmptyInput
from bot.commands.registry import command

if TYPE_CHECKING:
    from bot.models.interaction import Asker
    from bot.reports.reporting import Reporting


@dataclass(frozen=True, kw_only=True)
class ReportCommands:
    """The report commands."""

    reporting: Reporting

    @command(
        "metrics",
        "counts messages, mistakes, verdicts, decisions, replies, cost and times of the last days (7)",
        input=Days,
        role="operator",
        tier="read",
    )
    async def metrics(self, request: Days, _: Asker) -> CommandAnswer:
        """Show the same figures as the command line."""
        (first, *rest), counts = await self.reporting.figures(request.days)
        notes = [context(escape(each)) for each in rest if each.startswith("Warning: ")]
        blocks = (section(escape(first)), table(("Figure", "Value"), counts), *notes)
        return CommandAnswer(line=escape(first), rows=tuple(map(escape, rest)), blocks=blocks)

    @command(
        "brief",
        "shows the morning brief of this moment: questions since the last evening, open decisions, replies",
        input=EmptyInput,
        role="operator",
        tier="read",
        untrusted="people",
    )
    async def brief(self, _: EmptyInput, __: Asker) -> CommandAnswer:
        """Show the morning brief of this moment."""
        brief = await self.reporting.brief()
        return CommandAnswer(line=brief.line, rows=brief.rows)
