"""Process that drafts a fix: its agents, tools and check, built from the settings that its task names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot import isolation
from bot.agents.diff_validator import DiffValidator
from bot.agents.fixer import Fixer, FixProgress
from bot.config.limits import tier_limits
from bot.config.model_parameters import tier_model, tier_parameters, validator_parameters
from bot.decide.redaction.loaded_secrets import secret_values
from bot.errors import Misconfigured
from bot.escalation.fix_conditions import find_isolation_fault
from bot.escalation.fix_ends import COPIES
from bot.escalation.fix_process import FixHarness
from bot.programs.copied_check import CopiedCheck
from bot.programs.project_check import ProjectChecks
from bot.runtime.program_process import pick_variables
from bot.tools.edit_tools import EditTools
from bot.tools.guard import Guard
from bot.wiring.headless import build_runtime, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.config.environment import Environment
    from bot.decide.redaction.redactor import Redactor
    from bot.escalation.folder import RunFolder
    from bot.escalation.transcript import Transcript
    from bot.models.fix_task import FixTask
    from bot.models.handoff import NextTier
    from bot.models.session import Session
    from bot.ports.outbound import Clock

TIER: NextTier = 2
"""Tier whose settings bound the agents of a fix."""


@dataclass(frozen=True, kw_only=True)
class FixHarnessBuilder:
    """Builder of the harness of one task. `variables` is the environment as it was at the start."""

    folder: RunFolder
    task: FixTask
    environment: Environment
    variables: Mapping[str, str]
    redactor: Redactor
    clock: Clock

    def build(self, transcript: Transcript) -> FixHarness:
        """Build it. Raises `Misconfigured` with the reason why the task cannot be run."""
        task = self.task
        settings = load_settings(task.settings_file, task.home)
        self.redactor.learn(*secret_values(self.variables, also=settings.secret_variables))
        isolation.configure(settings.security.isolation).demand()
        if fault := find_isolation_fault(settings):
            raise Misconfigured(fault.rstrip("."))
        if settings.engine != "claude":
            raise Misconfigured("no model may be asked: the settings have `engine: keyword`")
        if not task.folder.is_dir():
            raise Misconfigured(f"the workspace {task.folder} is gone")
        limits = tier_limits(settings, TIER, usd=task.usd, seconds=task.seconds)
        runtime = build_runtime(settings, limits, self.environment, self.folder, self.redactor, self.clock)
        guard = Guard(redactor=self.redactor, new_nonce=self.clock.new_id)
        checks = ProjectChecks(environment=pick_variables(self.variables), redactor=self.redactor)

        async def begin_turn(session: Session) -> Sequence[str]:
            transcript.begin_turn(session)
            return ()

        judge = runtime.loop(settings.validator_model, validator_parameters(settings))
        model = tier_model(settings, TIER)
        fixer = Fixer(
            loop=runtime.loop(model, tier_parameters(settings, TIER)),
            limits=limits,
            guard=guard,
            desk=EditTools(root=task.folder, guard=guard, ignore=task.ignore, links=task.links),
            check=CopiedCheck(
                checks=checks, check=task.check, workspace=task.folder, scratch=self.folder.path / COPIES
            ),
            validator=DiffValidator(loop=judge, guard=guard, log=transcript),
            log=transcript,
            progress=FixProgress(),
            before_turn=begin_turn,
        )
        words = f"{model}, {limits.turns} turns, {task.seconds / 60:.3g} minutes, ${limits.usd:.2f}"
        return FixHarness(fixer=fixer, limits=words, close=runtime.close)
