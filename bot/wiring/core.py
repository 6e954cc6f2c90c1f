"""Core: threads, intake of messages, and what Slack lets the bot reach, on the infrastructure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.chat.mute_requests import MuteRequests
from bot.config.classifier_rules import build_classifier
from bot.config.limits import workflow_limits
from bot.config.named_subjects import named_channels, named_people, naming_keys
from bot.decide.addressing.mute_words import load_mute_words
from bot.decide.classify.settlement import settling_words
from bot.intake.alerts import Alerts
from bot.intake.catch_up import CatchUp, CatchUps
from bot.intake.debounce import Debouncer
from bot.intake.late_messages import LateMessages
from bot.intake.read_cursors import SavedCursors
from bot.intake.team import Team
from bot.intake.watched import WatchedChannels
from bot.intake.watcher import Watcher
from bot.reports.metrics import Sources
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.channel_clearing import ChannelClearing
from bot.surfaces.notices import PersonalNotices
from bot.triage.access import Access
from bot.triage.admin_notices import AdminNotices
from bot.triage.alert_threads import AlertThreads
from bot.triage.evidence_recheck import EvidenceRecheck
from bot.triage.hints import Hints
from bot.triage.losses import Losses
from bot.triage.lost_people import LostPeople
from bot.triage.lost_questions import LostQuestions
from bot.triage.maturity_gates import MaturityGates  # noqa: TC001  # a field's type, read at run time
from bot.triage.orchestrator import Orchestrator
from bot.triage.rate_limit import RateLimiter
from bot.triage.rebuild import Rebuilder
from bot.triage.rebuilt_incidents import RebuiltIncidents
from bot.triage.rebuilt_tasks import RebuiltTasks
from bot.triage.recent_channels import RecentChannels
from bot.triage.slack_names import NamedThreads
from bot.triage.thread_muting import ThreadMuter
from bot.wiring.auto_replies import build_gates
from bot.wiring.infrastructure import Infrastructure


@dataclass(frozen=True, kw_only=True, repr=False)
class Core(Infrastructure):
    """Infrastructure, threads and intake: everything that views, commands, chat and effects are built on."""

    orchestrator: Orchestrator
    mutes: MuteRequests
    watcher: Watcher
    cursors: SavedCursors
    catch_up: CatchUp
    catch_ups: CatchUps
    losses: Losses
    card_channel: CardChannel
    access: Access
    evidence: EvidenceRecheck
    gates: MaturityGates
    hints: Hints | None
    """Hints from other questions; `None` where the settings switch them off."""

    @property
    def sources(self) -> Sources:
        """Records that figures are counted from."""
        return Sources(
            classified=self.classified,
            audit=self.audit,
            replies=self.replies,
            labels=self.labels,
            feedback=self.feedback,
            sessions=self.storage.sessions(),
            store=self.store,
        )


async def build_core(infra: Infrastructure) -> Core:
    """Build threads and intake; effects, views and handlers are attached last."""
    orchestrator = _build_orchestrator(infra)
    mutes = _build_mute_requests(infra, orchestrator)
    watcher = _build_watcher(infra, orchestrator, await _build_team(infra), mutes)
    for channel, created in infra.projects.settings_by_command.created_channels.items():
        if not created.is_settled:  # of a process that ended before it had read what was written since
            watcher.cursors.points[channel] = f"{created.created_at.timestamp():.6f}"
    cursors = SavedCursors(
        watched=watcher.watched, cursors=watcher.cursors, file=infra.storage.json_file("watched"), clock=infra.clock
    )
    catch_up = CatchUp(
        history=infra.chat,
        unhurried=infra.unhurried,
        in_passing=infra.in_passing,
        watcher=watcher,
        cursors=watcher.cursors,
        open_threads=orchestrator.open_threads,
        team_id=infra.identity.team_id,
        externals=infra.externals,
        clock=infra.clock,
    )
    catch_ups = CatchUps(catch_up=catch_up, saved_cursors=cursors, cursors=watcher.cursors, clock=infra.clock)
    losses = _build_losses(infra)
    card_channel = CardChannel(
        channel=infra.settings.approval.queue_channel, places=infra.settings.card_places, losses=losses
    )
    return Core(
        **vars(infra),
        orchestrator=orchestrator,
        mutes=mutes,
        watcher=watcher,
        cursors=cursors,
        catch_up=catch_up,
        catch_ups=catch_ups,
        losses=losses,
        card_channel=card_channel,
        access=_build_access(infra, orchestrator, losses, card_channel, catch_ups),
        evidence=EvidenceRecheck(projects=infra.projects, redactor=infra.redactor),
        gates=build_gates(infra),
        hints=_build_hints(infra, orchestrator),
    )


def _build_orchestrator(infra: Infrastructure) -> Orchestrator:
    limits = workflow_limits(
        infra.settings,
        bot_name=infra.identity.name,
        router=infra.projects,
        redactor=infra.redactor,
        project_names=lambda: infra.projects.names,
    )
    rebuilder = Rebuilder(
        classified=infra.classified,
        labels=infra.labels,
        replies=infra.replies,
        limits=limits,
        clock=infra.clock,
        modes=infra.controls.modes,
        operators=infra.operators,
        incidents=RebuiltIncidents(
            file=infra.storage.json_file("incidents"),
            clock=infra.clock,
            modes=infra.controls.modes,
            channel_names=infra.channel_names,
            operators=infra.operators,
            bot_user_id=infra.identity.user_id,
        ),
        tasks=RebuiltTasks(file=infra.storage.json_file("orders"), clock=infra.clock, operators=infra.operators),
        folders=infra.storage.task_files,
    )
    return Orchestrator(
        store=infra.store,
        limits=limits,
        rebuilder=rebuilder,
        notices=infra.to_operator,
        rate_limiter=RateLimiter(infra.settings.floods.quotas),
        controls=infra.controls,
        projects=infra.projects,
        operators=infra.operators,
        acks=infra.acks,
        draining=infra.draining,
    )


async def _build_team(infra: Infrastructure) -> Team:
    table = await infra.storage.weights.read()
    classifier = build_classifier(infra.settings, bot_id=infra.identity.user_id, table=table)
    team = Team(classifier=classifier, groups=infra.chat, named=infra.settings.classifier.team_members)
    await team.refresh()
    return team


def _build_mute_requests(infra: Infrastructure, orchestrator: Orchestrator) -> MuteRequests:
    settings = infra.settings
    return MuteRequests(
        words=load_mute_words(settings.slack.mute_words, settings.classifier.languages),
        emoji=frozenset(settings.slack.mute_emoji),
        bot_id=settings.classifier.bot_id or infra.identity.user_id,
        operators=infra.operators,
        muting=ThreadMuter(controls=infra.controls, orchestrator=orchestrator, clock=infra.clock),
        permission=infra.permission,
        history=infra.chat,
        chat=infra.chat,
        audit=infra.audit,
        notices=PersonalNotices(chat=infra.chat, members=infra.members),
        url=infra.identity.url,
    )


def _build_watcher(infra: Infrastructure, orchestrator: Orchestrator, team: Team, mutes: MuteRequests) -> Watcher:
    settings = infra.settings
    slack = settings.slack
    return Watcher(
        events=infra.events,
        classified=infra.classified,
        replies=infra.replies,
        debouncer=Debouncer(timedelta(milliseconds=slack.debounce_ms), timedelta(milliseconds=slack.debounce_cap_ms)),
        team=team,
        alerts=Alerts(timedelta(minutes=settings.classifier.alert_pause_min)),
        alert_threads=AlertThreads(orchestrator=orchestrator, clock=infra.clock),
        threads=NamedThreads(threads=orchestrator, naming=infra.naming),
        mutes=mutes,
        clock=infra.clock,
        watched=WatchedChannels(infra.channel_names, infra.controls.modes),
        operators=infra.operators,
        team_id=infra.identity.team_id,
        externals=infra.externals,
        settling=settling_words(settings.classifier.languages),
        late=LateMessages(history=infra.chat, clock=infra.clock),
    )


def _build_losses(infra: Infrastructure) -> Losses:
    settings, created = infra.settings, infra.projects.settings_by_command.created_channels
    notices = AdminNotices(
        chat=infra.chat, members=infra.members, admins=settings.admins, others=named_people(settings)
    )
    return Losses(
        file=infra.storage.json_file("access"),
        clock=infra.clock,
        notices=notices,
        operators=infra.operators,
        channels={**dict.fromkeys(created, ""), **named_channels(settings)},
        keys=naming_keys(settings),
        channel_names=infra.channel_names,
        unreachable=infra.controls.away,
        card_channel=settings.approval.queue_channel or "",
    )


def _build_access(
    infra: Infrastructure, orchestrator: Orchestrator, losses: Losses, card_channel: CardChannel, catch_ups: CatchUps
) -> Access:
    """Build the check of what Slack lets the bot reach, and subscribe it to refused calls and to cards."""
    questions = LostQuestions(
        orchestrator=orchestrator, operators=infra.operators, clock=infra.clock, shared=card_channel
    )
    losses.observers.append(questions)
    access = Access(
        slack=infra.chat,
        losses=losses,
        people=LostPeople(slack=infra.chat, losses=losses, operators=infra.operators, clock=infra.clock),
        clearing=ChannelClearing(slack=infra.unhurried),
        bot_user_id=infra.identity.user_id,
        gaps=catch_ups,
        stop=infra.stop,
        questions=questions,
    )
    card_channel.access = access
    for slack in (infra.chat, infra.unhurried, infra.at_once, infra.in_passing, infra.files):
        slack.access = access
    return access


def _build_hints(infra: Infrastructure, orchestrator: Orchestrator) -> Hints | None:
    if not infra.settings.investigator.hints:
        return None
    return Hints(
        store=infra.store,
        channels=infra.chat,
        recent=RecentChannels(channels=infra.unhurried, clock=infra.clock),
        history=infra.chat,
        replies=infra.replies,
        open_threads=orchestrator.open_threads,
    )
