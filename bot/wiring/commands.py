"""Construction of the commands: each class with its collaborators, and the handler that runs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.adapters.json_file import KeptFile
from bot.adapters.project_notes import NoteShelf
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.approval.labels import Labels
from bot.commands.budget import Allowance
from bot.commands.catalogue import CATALOGUE, CommandSet
from bot.commands.channels import ChannelModes, ThreadMutes
from bot.commands.confirmation_buttons import ConfirmationDesk
from bot.commands.confirmations import Confirmations
from bot.commands.counts import Work
from bot.commands.entry import CommandDesk
from bot.commands.events import EventCommands
from bot.commands.files import FileCommands
from bot.commands.handler import CommandHandler
from bot.commands.help import CommandHelp, Configuration
from bot.commands.messages import Messages
from bot.commands.mine import OwnQuestions
from bot.commands.notes import NoteCommands
from bot.commands.order_answers import OrderAnswers
from bot.commands.project_changes import ProjectChanges
from bot.commands.project_channels import ProjectChannels
from bot.commands.projects import ProjectOverview
from bot.commands.reports import Reports
from bot.commands.search import TaskFinder, WhichProject
from bot.commands.task_list import TaskViews
from bot.commands.tasks import TaskCommands
from bot.commands.threads import Overview
from bot.commands.usage import Spending
from bot.surfaces.notices import Notices
from bot.tools.guard import Guard
from bot.tools.specs import Specs
from bot.triage.thread_muting import Muting
from bot.wiring.infrastructure import new_id
from bot.wiring.periodic import build_reporting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.agents.ledger import Ledger
    from bot.commands.queue import Queue
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.triage.controls import Controls
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator
    from bot.wiring.infrastructure import Infrastructure


@dataclass(frozen=True, kw_only=True)
class BotState:
    """What commands ask of the whole bot, which is put together after them."""

    queue: Queue
    engine: str
    connected: Callable[[], Awaitable[bool]]
    spent: Callable[[], float]
    """US dollars of this day."""
    mode_changed: Callable[[], Awaitable[None]]
    ledger: Ledger | None = None
    """What the agents cost; `None` where the engine has none."""
    problems: Callable[[], Sequence[str]] = tuple
    """What Slack keeps from the bot, with what to do about it, as mrkdwn."""


def command_desk(
    ground: Infrastructure, orchestrator: Orchestrator, controls: Controls, operators: Operators, reach: BotState
) -> CommandDesk:
    """Build the desk that intake hands commands to."""
    building = _CommandBuilder(ground, orchestrator, controls, operators, reach)
    projects = ProjectOverview(
        projects=ground.projects,
        active=ground.active,
        orchestrator=orchestrator,
        channel_names=ground.channel_names,
    )
    waiting = Confirmations(kept=KeptFile(ground.home.confirmations), clock=ground.clock, new_id=new_id)
    handler = CommandHandler(
        commands=building.commands(projects).bound(),
        permission=ground.permission,
        audit=ground.audit,
        clock=ground.clock,
        redactor=ground.redactor,
        confirmations=waiting,
        chat=ground.chat,
        project_of=projects.about,
        url=ground.identity.url,
    )
    confirming = ConfirmationDesk(handler=handler, confirmations=waiting, chat=ground.chat)
    orders = OrderAnswers(clock=ground.clock, catalogue=CATALOGUE)
    return CommandDesk(
        handler=handler, chat=ground.chat, confirming=confirming, shown=ground.shown.apply, orders=orders
    )


def _muting(ground: Infrastructure, orchestrator: Orchestrator, controls: Controls) -> Muting:
    return Muting(controls=controls, orchestrator=orchestrator, clock=ground.clock, new_id=new_id)


@dataclass(frozen=True)
class _CommandBuilder:
    """Builder of the command classes, with the collaborators that most of them share."""

    ground: Infrastructure
    orchestrator: Orchestrator
    controls: Controls
    operators: Operators
    state: BotState

    def commands(self, projects: ProjectOverview) -> CommandSet:
        ground, orchestrator, controls, clock = self.ground, self.orchestrator, self.controls, self.ground.clock
        redactor, url, team_id = ground.redactor, ground.identity.url, ground.identity.team_id
        finder = TaskFinder(
            store=orchestrator.store,
            slugs=TaskFolders(ground.home.tasks).names,
            home_of=orchestrator.home_of,
            team_id=team_id,
            url=url,
        )
        which = WhichProject(projects=ground.projects.known, active=projects.about)
        shelf, reports = NoteShelf(ground.home.notes), build_reporting(ground, orchestrator)
        return CommandSet(
            help=CommandHelp(has_role=ground.permission.has_role, catalogue=CATALOGUE),
            own_questions=OwnQuestions(orchestrator=orchestrator, url=url, now=clock.now, redactor=redactor),
            overview=self._overview(),
            messages=self._messages(),
            work=Work(controls=controls, orchestrator=orchestrator, clock=clock, new_id=new_id),
            modes=ChannelModes(controls=controls, names=ground.channel_names, mode_changed=self.state.mode_changed),
            allowance=Allowance(ledger=self.state.ledger),
            reports=Reports(measured=reports.figures, brief_now=reports.brief),
            mutes=ThreadMutes(muting=_muting(ground, orchestrator, controls), team_id=team_id, url=url),
            configuration=Configuration(
                settings=ground.settings.model_dump(mode="json"),
                controls=controls,
                ledger=self.state.ledger,
                projects=projects,
            ),
            projects=projects,
            project_changes=self._project_changes(projects),
            project_channels=ProjectChannels(overview=projects),
            task_views=TaskViews(overview=projects, finder=finder, url=url, redactor=redactor),
            tasks=self._tasks(finder),
            events=self._events(),
            spending=self._spending(),
            notes=NoteCommands(shelf=shelf, which=which, specs=Specs(), clock=clock, redactor=redactor),
            files=FileCommands(which=which, guard=Guard(redactor=redactor, new_nonce=new_id)),
        )

    def _overview(self) -> Overview:
        ground = self.ground
        return Overview(
            orchestrator=self.orchestrator,
            waiting=self.state.queue,
            controls=self.controls,
            url=ground.identity.url,
            engine=self.state.engine,
            connected=self.state.connected,
            cost_today=self.state.spent,
            now=ground.clock.now,
            ledger=self.state.ledger,
            redactor=ground.redactor,
            searches=lambda: ground.searches,
            problems=self.state.problems,
        )

    def _messages(self) -> Messages:
        return Messages(
            classified=self.ground.classified,
            labels=Labels(journal=self.ground.labels, clock=self.ground.clock),
            store=self.orchestrator.store,
            team_id=self.ground.identity.team_id,
            url=self.ground.identity.url,
            watched=frozenset(self.ground.channel_names),
        )

    def _project_changes(self, projects: ProjectOverview) -> ProjectChanges:
        """From here on the creator of a project hears of its first fetches, and an admin of unreadable projects."""
        ground = self.ground

        async def tell(user: str, text: str) -> None:
            await Notices(chat=ground.chat, bars=ground.members.bars, operator=user).tell(text)

        changes = ProjectChanges(
            overview=projects,
            fetches=ground.repositories,
            controls=self.controls,
            clock=ground.clock,
            tell=tell,
            redactor=ground.redactor,
        )
        ground.repositories.begun = changes.fetched
        if ground.projects.lost:
            ground.to_admin.send(escape(ground.projects.lost))
        return changes

    def _tasks(self, finder: TaskFinder) -> TaskCommands:
        operators, admins = self.operators, frozenset(self.ground.settings.admins)

        async def refusal(asker: Asker, thread: Thread) -> str | None:
            """Return the refusal of a press by the same person; an admin, checked by the handler, may anywhere."""
            return None if asker.user_id in admins else await operators.refusal(asker.user_id, asker.team_id, thread)

        return TaskCommands(
            finder=finder,
            orchestrator=self.orchestrator,
            controls=self.controls,
            clock=self.ground.clock,
            new_id=new_id,
            refusal=refusal,
            operator=operators.first,
            name=self.ground.chat.user_name,
        )

    def _events(self) -> EventCommands:
        ground, orchestrator = self.ground, self.orchestrator
        return EventCommands(
            classified=ground.classified,
            audit=ground.audit,
            replies=ground.replies,
            sessions=SessionFiles(ground.home.sessions),
            store=orchestrator.store,
            waiting=lambda: orchestrator.open_threads.with_status("pending-user"),
            now=ground.clock.now,
            redactor=ground.redactor,
        )

    def _spending(self) -> Spending:
        return Spending(
            sessions=SessionFiles(self.ground.home.sessions),
            store=self.orchestrator.store,
            now=self.ground.clock.now,
            engine=self.state.engine,
            has_agents=self.state.ledger is not None,
        )
