"""What a bot does from time to time, put together: periodic work, the team, messages that Slack has not delivered.

Called by `bot/app`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.intake.catch_up import CatchUp
from bot.intake.team import Team
from bot.periodic import Periodic
from bot.reporting import reporting

if TYPE_CHECKING:
    from bot.assistant.commands.desk import CommandDesk
    from bot.ground import Ground
    from bot.intake.watcher import Watcher
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator


async def team_of(ground: Ground, watcher: Watcher) -> Team:
    """Those who answer, as Slack knows them now."""
    section = ground.settings.classifier
    team = Team(named=section.team_members, groups=ground.chat, watcher=watcher)
    await team.refresh()
    return team


def catch_up_of(ground: Ground, orchestrator: Orchestrator, watcher: Watcher) -> CatchUp:
    """What reads messages that came while nobody listened."""
    return CatchUp(
        history=ground.chat,
        unhurried=ground.unhurried,
        take=watcher.caught_up,
        roots=orchestrator.open_threads.roots,
        team_id=ground.identity.team_id,
        clock=ground.clock,
    )


def periodic_of(
    ground: Ground,
    orchestrator: Orchestrator,
    operators: Operators,
    commands: CommandDesk,
    watcher: Watcher,
    team: Team,
) -> Periodic:
    """The periodic work."""
    return Periodic(
        home=ground.home,
        keep=timedelta(days=ground.settings.retention.days),
        clock=ground.clock,
        orchestrator=orchestrator,
        journals=ground.journals,
        watcher=watcher,
        team=team,
        operators=operators,
        repositories=ground.repositories,
        expire=commands.confirming.expire,
        reports=reporting(ground, orchestrator).jobs(),
    )
