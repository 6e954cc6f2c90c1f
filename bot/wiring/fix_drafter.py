"""Drafter of fixes, which starts their processes."""

from __future__ import annotations

import shutil
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.config.model_parameters import tier_model
from bot.escalation.environment import EnvironmentBuilder
from bot.escalation.fix_commit import FixCommitter
from bot.escalation.fix_drafter import HeadlessFixes
from bot.escalation.fix_ends import FixEnds
from bot.escalation.fix_money import FixMoney
from bot.escalation.launcher import FIX, Launcher
from bot.runtime.scheduler import Job
from bot.wiring.fix_process import TIER

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.config.environment import Environment
    from bot.ports.forge import Forge
    from bot.wiring.core import Core
    from bot.wiring.projects import ProjectWork


def build_fix_drafter(
    core: Core, engines: Engines, environment: Environment, work: ProjectWork, forge: Forge
) -> HeadlessFixes | None:
    """Build the drafter; `None` without a model, and then no fix can be proposed."""
    settings, home, clock = core.settings, core.home, core.clock
    if engines.ledger is None or settings.engine != "claude":
        return None
    money = FixMoney(
        ledger=engines.ledger,
        sessions=core.storage.sessions(),
        cap=settings.tiers.get_tier(TIER).max_usd or settings.model.max_usd_per_run,
        model=tier_model(settings, TIER),
        clock=clock,
    )
    committer = FixCommitter(workspaces=work.workspaces, naming=core.naming, redactor=core.redactor)
    return HeadlessFixes(
        parent=home.fixes.absolute(),
        home=home.path,
        settings=settings,
        projects=core.projects,
        repositories=work.repositories,
        workspaces=work.workspaces,
        forge=forge,
        launcher=Launcher(tmux=shutil.which("tmux"), command=FIX),
        environments=EnvironmentBuilder(settings=settings, variables=environment),
        money=money,
        ends=FixEnds(committer=committer, repositories=work.repositories, money=money, clock=clock),
        controls=core.controls,
        redactor=core.redactor,
        clock=clock,
    )


def build_fix_jobs(drafter: HeadlessFixes | None) -> tuple[Job, ...]:
    """Build the jobs of the schedule."""
    return (Job("fixes", timedelta(days=1), drafter.prune),) if drafter else ()
