"""Headless process: its harness, built from the settings that its task names. Nothing of Slack is part of it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot import isolation
from bot.adapters.claude import Server
from bot.adapters.home import Home
from bot.adapters.json_file import DiskJsonFile
from bot.adapters.prices import PriceTable
from bot.adapters.sessions import SessionFile
from bot.agents.briefing import Briefing
from bot.agents.investigator import Investigator
from bot.agents.keyword import KeywordEngine
from bot.agents.ledger import Ledger
from bot.agents.llm_runtime import LlmRuntime
from bot.agents.long_run import LongRun
from bot.agents.run_artifacts import RunArtifacts
from bot.agents.search_runner import SearchRunner
from bot.config.limits import tier_limits
from bot.config.model_parameters import tier_model, tier_parameters
from bot.config.projects import unreadable_reason
from bot.config.settings import Settings, load
from bot.decide.redaction.loaded_secrets import secret_values
from bot.errors import Misconfigured
from bot.escalation.context import render_context
from bot.escalation.follow_ups import FollowUps
from bot.escalation.handoff_content import LAST_TIER
from bot.escalation.investigation import Investigation, RunRecord
from bot.escalation.program_run import ProgramRun
from bot.tools.guard import Guard
from bot.tools.knowledge import Knowledge
from bot.tools.roots import keep_home
from bot.wiring.engines import build_mcp_servers
from bot.wiring.storage import open_storage
from prompts.render import render

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from bot.config.environment import Environment
    from bot.decide.limits import RunLimits
    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.folder import RunFolder
    from bot.escalation.headless import Harness
    from bot.escalation.transcript import Transcript
    from bot.models.escalation import EscalationTask
    from bot.ports.outbound import Clock
    from bot.ports.storage import Storage

_PROGRAM_VARIABLES = ("PATH", "HOME", "LANG", "TZ")
_ESCALATES = (
    "Set `escalation_requested` only if a run with more turns and hours could finish what you cannot: then "
    "`draft_reply` and `research_notes` have your findings so far. People decide about it."
)
_LAST = "No tier comes after this one: `escalation_requested` stays false, and `open_questions` has what is left."


@dataclass(frozen=True, kw_only=True)
class HarnessBuilder:
    """Builder of the harness of one task. `variables` is the environment as it was at the start."""

    folder: RunFolder
    task: EscalationTask
    environment: Environment
    variables: Mapping[str, str]
    redactor: Redactor
    clock: Clock

    async def build(self, transcript: Transcript, began: datetime) -> Harness:
        """Build it. Raises `Misconfigured` with the reason why the task cannot be run."""
        settings = load_settings(self.task.settings_file, self.task.home)
        section = settings.tiers.get_tier(self.task.tier)
        self.redactor.learn(*secret_values(self.variables, also=settings.secret_variables))
        isolation.configure(settings.security.isolation).demand()
        task = self._with_projects(transcript)
        seconds = max(1.0, task.seconds - (self.clock.now() - began).total_seconds())
        guard = Guard(redactor=self.redactor, new_nonce=self.clock.new_id)
        if section.command:
            return self._build_program(settings, section.command, task, guard, transcript, seconds)
        if settings.engine != "claude":
            raise Misconfigured("no model may be asked: the settings have `engine: keyword`")
        async with AsyncExitStack() as opening:
            storage = await opening.enter_async_context(open_storage(settings, self.environment, task.home))
            opened = AsyncExitStack()
            investigation = self._build_investigation(settings, storage, opened, task, guard, transcript, seconds)
            opened.push_async_exit(opening.pop_all())
            return investigation

    def _with_projects(self, transcript: Transcript) -> EscalationTask:
        """Return the task with the projects that can still be read. Raises `Misconfigured` if none can."""
        assignment, reasons = self.task.assignment, []
        projects = []
        for project in assignment.projects:
            if why := unreadable_reason(project.root):
                reasons.append(f"the code of {project.name} as it was at the start is gone: {why}")
            else:
                projects.append(project)
        if not projects:
            raise Misconfigured("; ".join(reasons) or "the task names no project")
        for reason in reasons:
            transcript.write(f"warning: {reason}")
        return self.task.evolve(assignment=assignment.evolve(projects=tuple(projects)))

    def _build_investigation(
        self,
        settings: Settings,
        storage: Storage,
        opened: AsyncExitStack,
        task: EscalationTask,
        guard: Guard,
        transcript: Transcript,
        seconds: float,
    ) -> Investigation:
        home, tier = Home(task.home), task.tier
        limits = tier_limits(settings, tier, usd=task.usd, seconds=seconds)
        model = tier_model(settings, tier)
        runtime = build_runtime(settings, limits, self.environment, self.folder, self.redactor, self.clock)
        servers = build_mcp_servers(settings.mcp, self.variables)
        record = RunRecord(
            transcript=transcript, follow_ups=FollowUps(self.folder.messages, guard=guard, tell=transcript.write)
        )
        investigator = Investigator(
            loop=runtime.loop(model, tier_parameters(settings, tier)),
            limits=limits,
            guard=guard,
            scout=_build_scout(home),
            knowledge=Knowledge(replies=storage.journal("replies", None), home=home.path),
            servers=servers,
            artifacts=RunArtifacts(tasks=storage.task_files, redactor=self.redactor),
            indexes=home.indexes,
            is_small=settings.model.small,
            long_run=LongRun(
                tier=tier,
                session_id=task.session_id,
                parent_session_id=task.parent_session_id,
                prompt=_render_prompt(settings, task, limits),
                context=render_context(task.handoff, guard),
                log=transcript,
                before_turn=record.before_turn,
                keep=record.keep,
            ),
        )

        async def close() -> None:
            await runtime.close()
            for server in servers:
                await server.stop()
            await opened.aclose()

        return Investigation(
            task=task,
            engine=investigator,
            record=record,
            limits=f"{model}, {limits.turns} turns, {task.seconds / 60:.3g} minutes, ${limits.usd:.2f}",
            ends_at=self.clock.now() + timedelta(seconds=seconds),
            clock=self.clock,
            close=close,
        )

    def _build_program(
        self,
        settings: Settings,
        command: tuple[str, ...],
        task: EscalationTask,
        guard: Guard,
        transcript: Transcript,
        seconds: float,
    ) -> ProgramRun:
        section = settings.tiers.get_tier(task.tier)
        names = (*_PROGRAM_VARIABLES, *section.env)
        for name in section.env:
            if name not in self.variables:
                transcript.write(f"warning: the variable {name} of tiers.{task.tier}.env is not set")
        return ProgramRun(
            task=task,
            command=command,
            environment={name: self.variables[name] for name in names if name in self.variables},
            folder=self.folder.program,
            briefing=Briefing(guard=guard, scout=_build_scout(Home(task.home))),
            context=render_context(task.handoff, guard),
            prompt=_read_prompt(settings, task),
            model=tier_model(settings, task.tier),
            max_turns=section.max_turns,
            seconds=seconds,
            transcript=transcript,
            redactor=self.redactor,
            sessions=SessionFile(self.folder.session),
            clock=self.clock,
        )


def load_settings(file: Path | None, home: Path) -> Settings:
    """Load the settings that a task names, and keep its home from being read as a project. Raises `Misconfigured`."""
    if file:
        return load(file, home)
    keep_home(home)
    return Settings()


def build_runtime(
    settings: Settings,
    limits: RunLimits,
    environment: Environment,
    folder: RunFolder,
    redactor: Redactor,
    clock: Clock,
) -> LlmRuntime:
    """Build the runtime of a process, whose agents together may cost what `limits` allow."""
    key, section = environment.anthropic_api_key, settings.model
    server = Server(
        key=key.get_secret_value() if key else None,
        base_url=section.base_url or environment.anthropic_base_url,
        timeout=section.timeout_s,
    )
    ledger = Ledger(
        sessions=SessionFile(folder.session),
        allowance_file=DiskJsonFile(folder.path / "allowance.json"),
        prices=PriceTable(),
        clock=clock,
        usd_per_day=limits.usd,
        tell=lambda _: None,
        redact=redactor.redact,
    )
    return LlmRuntime(server=server, ledger=ledger, limits=limits, clock=clock)


def _build_scout(home: Home) -> KeywordEngine:
    return KeywordEngine(SearchRunner().search, home.indexes)


def _render_prompt(settings: Settings, task: EscalationTask, limits: RunLimits) -> str:
    is_last = task.tier == LAST_TIER or settings.escalation.max_tier <= task.tier
    return render(
        "investigator_headless",
        tier=str(task.tier),
        last=str(LAST_TIER),
        turns=str(limits.turns),
        minutes=f"{limits.seconds / 60:.3g}",
        next=_LAST if is_last else _ESCALATES,
        more=_read_prompt(settings, task),
    ).rstrip()


def _read_prompt(settings: Settings, task: EscalationTask) -> str:
    """Return the team's further instructions for a tier. Raises `Misconfigured` if they cannot be read."""
    path = settings.tiers.get_tier(task.tier).prompt
    if path is None:
        return ""
    path = path.expanduser()
    if task.settings_file:
        path = task.settings_file.absolute().parent / path
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(f"tiers.{task.tier}.prompt: {path} cannot be read ({type(problem).__name__})") from None
