"""Reports: the figures of the last days the morning brief and the acceptance criteria: `metrics`, `brief`,
`report`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from blocks.figure_table import table
from blocks.text import context, escape, section
from bot.commands.command import CommandAnswer
from bot.commands.inputs import Days, EmptyInput
from bot.commands.registry import command
from bot.commands.task_data import build_task, build_waiting
from bot.models.answer_table import AnswerTable
from bot.models.command_data.cost import CostData
from bot.models.command_data.reports import BriefData
from bot.models.command_data.usage import MetricsData
from bot.models.criterion import AcceptanceReport
from bot.reports import metrics_table
from bot.reports.criteria.text import count_standings, format_measurement
from bot.reports.metrics import format_figures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.command_data.tasks import TaskData
    from bot.models.criterion import Criterion
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.reports.brief import BriefContents
    from bot.reports.metrics import Figures
    from bot.reports.reporting import Reporting


@dataclass(frozen=True, kw_only=True)
class ReportCommands:
    """The report commands."""

    reporting: Reporting

    @command(
        "metrics",
        "counts messages, verdicts, decisions, replies, cost and times of the last days (7)",
        input=Days,
        role="operator",
        tier="read",
        result=MetricsData,
    )
    async def metrics(self, request: Days, _: Asker) -> CommandAnswer:
        """Show the same figures as the command line."""
        figures = await self.reporting.figures(request.days)
        line, *rows = map(escape, format_figures(figures))
        figure_table = AnswerTable(
            head=("Figure", "Value"),
            rows=metrics_table.rows(figures),
            notes=tuple(row for row in rows if row.startswith("Warning: ")),
        )
        blocks = (section(line), table(figure_table.head, figure_table.rows), *map(context, figure_table.notes))
        return CommandAnswer(
            line=line, rows=tuple(rows), blocks=blocks, table=figure_table, data=_build_metrics(figures)
        )

    @command(
        "report",
        "shows whether the acceptance criteria are met",
        input=EmptyInput,
        role="operator",
        tier="read",
        result=AcceptanceReport,
    )
    async def report(self, _: EmptyInput, __: Asker) -> CommandAnswer:
        """Show the criteria that `triage report` prints; one that has too few cases says how many are missing."""
        report = await self.reporting.acceptance()
        line = f"Acceptance criteria: {count_standings(report)}."
        rows = tuple(_list_criterion(each) for each in report.criteria)
        criteria = AnswerTable(
            head=("Criterion", "Standing", "Figure", "Threshold", "Cases"),
            rows=rows,
            notes=("`triage report --html` writes it as a page with definitions and plots.",),
        )
        blocks = (section(line), table(criteria.head, criteria.rows), *map(context, criteria.notes))
        lines = tuple(escape("; ".join(row)) for row in rows)
        return CommandAnswer(line=line, rows=lines, blocks=blocks, table=criteria, data=report)

    @command(
        "brief",
        "shows the morning brief as of now",
        input=EmptyInput,
        role="operator",
        tier="read",
        untrusted="people",
        result=BriefData,
    )
    async def brief(self, _: EmptyInput, __: Asker) -> CommandAnswer:
        """Show the morning brief of this moment."""
        brief, contents = await self.reporting.brief()
        return CommandAnswer(line=brief.line, rows=brief.rows, data=_build_brief(contents, self.reporting.url))


def _list_criterion(criterion: Criterion) -> tuple[str, ...]:
    missing = f", {criterion.missing:,} missing" if criterion.missing else ""
    return (
        f"{criterion.id} {criterion.name}",
        f"{criterion.standing}{missing}",
        format_measurement(criterion),
        criterion.threshold,
        f"{criterion.measurement.cases:,}",
    )


def _build_metrics(figures: Figures) -> MetricsData:
    counts = asdict(figures)
    parts = {name: counts.pop(name) for name in ("days", "messages", "first_drafts", "feedback", "warnings")}
    return MetricsData(**parts, figures=counts)


def _build_brief(contents: BriefContents, url: str) -> BriefData:
    def build(threads: Iterable[Thread]) -> tuple[TaskData, ...]:
        return tuple(build_task(thread, url) for thread in threads)

    return BriefData(
        since=contents.since,
        until=contents.until,
        came_in=build(contents.came_in),
        waiting=tuple(build_waiting(thread, url) for thread in contents.waiting),
        held=build(contents.held_low),
        escalated=build(contents.escalated),
        open=len(contents.open),
        replies=len(contents.replies),
        outages=len(contents.outages),
        cost=CostData.of(contents.cost),
    )
