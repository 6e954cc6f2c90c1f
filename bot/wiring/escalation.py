"""Escalation: the supervisor of the processes of tiers 2 and 3."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from bot.escalation.ends import EndReader
from bot.escalation.environment import EnvironmentBuilder
from bot.escalation.handoffs import Handoffs
from bot.escalation.launcher import Launcher
from bot.escalation.money import ProcessMoney
from bot.escalation.progress import ProgressTeller
from bot.escalation.starter import Starter
from bot.escalation.supervisor import Supervisor

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.config.environment import Environment
    from bot.wiring.core import Core


def build_supervisor(core: Core, engines: Engines, environment: Environment) -> Supervisor | None:
    """Build the supervisor; `None` where no agent works.

    With escalation switched off it starts nothing, and takes the results of runs that were started before.
    """
    settings, home, clock = core.settings, core.home, core.clock
    policy = core.orchestrator.limits.escalation
    if engines.ledger is None:
        return None
    open_runs: dict[str, str] = {}
    launcher = Launcher(tmux=shutil.which("tmux"))
    money = ProcessMoney(ledger=engines.ledger, sessions=core.storage.sessions(), settings=settings, clock=clock)
    ends = EndReader(handoffs=Handoffs(policy=policy, clock=clock), money=money)
    supervisor = Supervisor(
        parent=settings.escalation.transcript_dir or home.escalations,
        starter=Starter(
            home=home.path,
            settings_file=settings.path,
            settings=settings,
            policy=policy,
            launcher=launcher,
            money=money,
            ends=ends,
            environments=EnvironmentBuilder(settings=settings, variables=environment),
            clock=clock,
            open_runs=open_runs,
        ),
        ends=ends,
        money=money,
        launcher=launcher,
        progress=ProgressTeller(
            threads=core.orchestrator,
            tasks=core.storage.task_files,
            launcher=launcher,
            money=money,
            redactor=core.redactor,
            clock=clock,
        ),
        store=core.store,
        controls=core.controls,
        clock=clock,
        open_runs=open_runs,
    )
    core.controls.observers.append(supervisor)
    return supervisor
