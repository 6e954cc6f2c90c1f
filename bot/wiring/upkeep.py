"""What a bot does from time to time, put together: periodic work, the team, messages that Slack has not delivered,
what Slack lets it reach."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.adapters.json_file import KeptFile
from bot.config.named_subjects import named_channels, named_people, naming_keys
from bot.decide.losses import on_card
from bot.intake.catch_up import CatchUp, CatchUps
from bot.intake.team import Team
from bot.surfaces.channel_clearing import Clearing
from bot.triage.access import Access
from bot.triage.admin_notices import AdminNotices
from bot.triage.losses import Losses
from bot.triage.lost_people import LostPeople
from bot.triage.lost_questions import LostQuestions
from bot.wiring.commands import new_id
from bot.wiring.periodic import Periodic
from bot.wiring.reports import build_reporting

if TYPE_CHECKING:
    from bot.commands.entry import CommandDesk
    from bot.intake.watcher import Watcher
    from bot.triage.externals import Externals
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure
    from bot.wiring.surfaces import Surfaces


async def team_of(ground: Infrastructure, watcher: Watcher) -> Team:
    """Those who answer, as Slack knows them now."""
    section = ground.settings.classifier
    team = Team(named=section.team_members, groups=ground.chat, watcher=watcher)
    await team.refresh()
    return team


def catch_up_of(ground: Infrastructure, orchestrator: Orchestrator, watcher: Watcher, externals: Externals) -> CatchUp:
    """What reads messages that came while nobody listened."""
    return CatchUp(
        history=ground.chat,
        unhurried=ground.unhurried,
        in_passing=ground.in_passing,
        take=watcher.caught_up,
        cursors=watcher.cursors,
        roots=orchestrator.open_threads.roots,
        team_id=ground.identity.team_id,
        reads_along=externals.reads_along,
        clock=ground.clock,
    )


def periodic_of(
    ground: Infrastructure,
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
        reports=build_reporting(ground, orchestrator).jobs(),
    )


def access_of(
    ground: Infrastructure, orchestrator: Orchestrator, operators: Operators, shown: Surfaces, catch_ups: CatchUps
) -> Access:
    """Who minds what Slack lets the bot reach; from here on refused calls and cards tell of it."""
    settings, clock = ground.settings, ground.clock
    questions = LostQuestions(
        orchestrator=orchestrator,
        operators=operators,
        clock=clock,
        new_id=new_id,
        shared=shown.cards.shared,
    )
    losses = Losses(
        kept=KeptFile(ground.home.access),
        clock=clock,
        notices=AdminNotices(
            chat=ground.chat,
            bars=ground.members.bars,
            admins=settings.admins,
            others=named_people(settings),
        ),
        operators=operators,
        channels=named_channels(settings),
        keys=naming_keys(settings),
        channel_names=ground.channel_names,
        away=ground.away,
        card_channel=settings.approval.queue_channel or "",
        changed=questions.changed,
    )
    access = Access(
        slack=ground.chat,
        losses=losses,
        people=LostPeople(slack=ground.chat, losses=losses, operators=operators, clock=clock),
        clearing=Clearing(slack=ground.unhurried),
        clock=clock,
        bot_user_id=ground.identity.user_id,
        gaps=catch_ups,
        end=ground.stop_for,
        readers_gone=questions.readers_gone,
    )
    for slack in (ground.chat, ground.unhurried, ground.at_once, ground.in_passing, ground.files):
        slack.on_refused = access.refused
    shown.cards.undelivered = access.unreachable
    shown.cards.shared.is_lost = lambda channel: losses.of(channel) is not None
    shown.cards.shared.look = access.look
    shown.pictures.away = lambda channel: on_card(lost) if (lost := losses.of(channel)) else ""
    shown.reactions.may = lambda: losses.of("reactions:write") is None
    shown.problems = lambda: losses.lines
    return access
