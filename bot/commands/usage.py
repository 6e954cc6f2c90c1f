"""Usage of the agents: `get_token_usage`. Figures come from the records of their runs, in UTC days."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.figure_table import table
from blocks.text import context, escape, section
from bot.commands.answers import project_of
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import ListedBy, TokenUsage
from bot.commands.registry import command
from bot.commands.state import count
from bot.errors import TriageError
from bot.models.answer_table import AnswerTable
from bot.models.command_data.cost import CostData, TokensData
from bot.models.command_data.usage import UsageData, UsageGroup
from bot.models.cost import sum_sessions
from bot.models.turn import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.commands.projects import ProjectOverview
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.session import Session
    from bot.ports.outbound import Clock
    from bot.reports.metrics import Sources

MAX_ROWS = 20
MOST_THREADS = 500
"""Number of documents read to find projects and tasks, those of the newest runs."""
_HEAD = ("Runs", "Tokens in", "From the cache", "Into the cache", "Tokens out", "Cost")
_UNKNOWN_GROUPS = {"project": "no project known", "task": "no task", "agent": "", "day": ""}


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The only project or task whose runs count."""

    project: str | None = None
    task: str | None = None

    @property
    def phrase(self) -> str:
        """Return the selection as words after the time."""
        parts = (f" for `{escape(self.task)}`" if self.task else "", f" in `{self.project}`" if self.project else "")
        return "".join(parts)


@dataclass(frozen=True, kw_only=True)
class UsageCommands:
    """The command `get_token_usage`. `engine` is the answering engine's name; `has_agents` is false if it costs
    nothing."""

    sources: Sources
    clock: Clock
    engine: str
    has_agents: bool
    overview: ProjectOverview
    finder: TaskFinder

    @command(
        "get_token_usage",
        "counts runs, tokens and cost of the agents over the last days (7)",
        input=TokenUsage,
        role="operator",
        tier="read",
        untrusted="people",
        result=UsageData,
    )
    async def tokens(self, request: TokenUsage, asker: Asker) -> CommandAnswer:
        """Show a row for each day, project, agent or task, the most expensive first; days newest first."""
        since = (self.clock.now() - timedelta(days=request.days - 1)).date()
        every = [session for session in await self.sources.sessions.list_since(since) if session.uses_model]
        runs, only = await self._select(every, request, asker)
        free = "" if self.has_agents else f" The {escape(self.engine)} engine answers, which costs nothing."
        if not runs:
            line = f"No agent has run{only.phrase} in the last {count(request.days, 'day')}.{free}"
            return CommandAnswer(line=line, data=_build_data(request, only, {}, ()))
        names = await self._names(runs, request.by)
        grouped: dict[str, list[Session]] = defaultdict(list)
        for run in runs:
            grouped[names[run.session_id]].append(run)
        order = (
            sorted(grouped, reverse=True) if request.by == "day" else sorted(grouped, key=lambda n: -_cost(grouped[n]))
        )
        rows = [f"`{escape(name)}` {_figures(grouped[name])}" for name in order[:MAX_ROWS]]
        overflow = [f"… and {len(order) - MAX_ROWS} more."] if len(order) > MAX_ROWS else []
        line = f"The last {count(request.days, 'day')}{only.phrase}: {_figures(runs)}{free}"
        figures = AnswerTable(
            head=(request.by.capitalize(), *_HEAD),
            rows=tuple((name, *_cells(grouped[name])) for name in order[:MAX_ROWS]),
            notes=tuple(overflow),
        )
        blocks = (section(line), table(figures.head, figures.rows), *map(context, figures.notes))
        data = _build_data(request, only, grouped, order)
        return CommandAnswer(line=line, rows=(*rows, *overflow), blocks=blocks, table=figures, data=data)

    async def _select(self, runs: list[Session], request: TokenUsage, asker: Asker) -> tuple[list[Session], Selection]:
        """Return the runs of the named project and task, or all. Raises `NotDone` for an unknown name."""
        only = Selection(project=self.overview.find_project(request.project) if request.project else None)
        if request.task is not None:
            thread = await self.finder.find(request.task, asker)
            only = Selection(project=only.project, task=thread.task)
            runs = [run for run in runs if run.thread_id == thread.thread_id]
        if only.project:
            names = await self._names(runs, "project")
            runs = [run for run in runs if names[run.session_id].partition("/")[0] == only.project]
        return runs, only

    async def _names(self, runs: Iterable[Session], by: ListedBy) -> dict[str, str]:
        """Return the group of each run."""
        match by:
            case "day":
                return {run.session_id: f"{run.started_at:%Y-%m-%d}" for run in runs}
            case "agent":
                return {run.session_id: f"{run.agent} on {run.model}" for run in runs}
            case _:
                newest = sorted(runs, key=lambda run: run.started_at, reverse=True)
                homes = list(dict.fromkeys(run.thread_id for run in newest if run.thread_id))
                called = {home: await self._find_group(home, by) for home in homes[:MOST_THREADS]}
                return {run.session_id: called.get(run.thread_id or "") or _UNKNOWN_GROUPS[by] for run in newest}

    async def _find_group(self, thread_id: str, by: ListedBy) -> str:
        try:
            thread = await self.sources.store.load(thread_id)
        except TriageError:
            return ""
        if thread is None:
            return ""
        return project_of(thread) if by == "project" else thread.task


def _build_data(
    request: TokenUsage, only: Selection, grouped: Mapping[str, list[Session]], order: Iterable[str]
) -> UsageData:
    all_runs = [run for runs in grouped.values() for run in runs]
    return UsageData(
        days=request.days,
        by=request.by,
        project=only.project,
        task=only.task,
        runs=len(all_runs),
        tokens=_tokens(all_runs),
        cost=CostData.of(sum_sessions(all_runs)),
        groups=tuple(
            UsageGroup(
                name=name,
                runs=len(grouped[name]),
                tokens=_tokens(grouped[name]),
                cost=CostData.of(sum_sessions(grouped[name])),
            )
            for name in order
        ),
    )


def _tokens(runs: Iterable[Session]) -> TokensData:
    return TokensData.of(sum((run.usage for run in runs), Usage()))


def _cost(runs: Iterable[Session]) -> float:
    return sum_sessions(runs).usd


def _cells(runs: list[Session]) -> tuple[str, ...]:
    """Return one row's cells, one for each column of `_HEAD`."""
    used = sum((run.usage for run in runs), Usage())
    counts = (len(runs), used.input_tokens, used.cache_read_tokens, used.cache_write_tokens, used.output_tokens)
    return (*(f"{number:,}" for number in counts), format_cost(sum_sessions(runs)))


def _figures(runs: list[Session]) -> str:
    used = sum((run.usage for run in runs), Usage())
    kinds = (
        f"{used.input_tokens:,} in, {used.cache_read_tokens:,} from the cache, {used.cache_write_tokens:,} into it, "
        f"{used.output_tokens:,} out"
    )
    return f"{count(len(runs), 'run')}, {used.total:,} tokens ({kinds}), {format_cost(sum_sessions(runs))}."
