"""Set of commands: each class of commands with its collaborators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.approval.labels import Labels
from bot.commands.agents import AgentCommands
from bot.commands.audit import AuditCommands
from bot.commands.budget import BudgetCommands
from bot.commands.catalogue import CATALOGUE, CommandSet
from bot.commands.channels import ChannelModes, ThreadMutes
from bot.commands.configuration import ConfigCommand
from bot.commands.created_tasks import CreatedTaskCommands
from bot.commands.events import EventCommands
from bot.commands.files import FileCommands
from bot.commands.git_branches import BranchCommands
from bot.commands.git_merge_requests import MergeRequestCommands
from bot.commands.git_pushes import PushCommands
from bot.commands.git_views import GitViews
from bot.commands.help import CommandHelp
from bot.commands.hook_views import HookViews
from bot.commands.messages import ClassificationCommands
from bot.commands.mine import OwnQuestionCommands
from bot.commands.notes import NoteCommands
from bot.commands.project_changes import ProjectChanges
from bot.commands.project_channels import ProjectChannels
from bot.commands.project_choice import ProjectChoice
from bot.commands.project_deletion import ProjectDeletion
from bot.commands.project_pauses import ProjectPauses
from bot.commands.project_views import ProjectViews
from bot.commands.reports import ReportCommands
from bot.commands.repositories import RepositoryCommands
from bot.commands.repository_finder import RepositoryFinder
from bot.commands.repository_removal import RepositoryRemoval
from bot.commands.search import ProjectFinder, TaskFinder
from bot.commands.services import ServiceCommands
from bot.commands.sessions import SessionCommands
from bot.commands.spec_comparison import SpecComparison
from bot.commands.state import StateCommands
from bot.commands.system_events import SystemEventCommands
from bot.commands.task_approvals import TaskApprovals
from bot.commands.task_chains import ChainCommands
from bot.commands.task_changes import TaskChanges
from bot.commands.task_lists import TaskLists
from bot.commands.task_views import TaskViews
from bot.commands.tasks import TaskCommands
from bot.commands.usage import UsageCommands
from bot.surfaces.notices import PersonalNotices
from bot.tools.guard import Guard
from bot.tools.specs import Specs
from bot.triage.task_states import TaskStates
from bot.wiring.approval import build_approval, build_corrections
from bot.wiring.auto_replies import build_auto_reply_commands
from bot.wiring.forges import build_forges
from bot.wiring.hooks import build_hook_commands
from bot.wiring.programs import build_program_commands
from bot.wiring.reporting import build_reporting

if TYPE_CHECKING:
    from bot.agents.engines import Engines
    from bot.commands.projects import ProjectOverview
    from bot.commands.restart import RestartCommands
    from bot.commands.status import StatusCommands
    from bot.health.services import Services
    from bot.hooks.scheduler import HookScheduler
    from bot.wiring.core import Core
    from bot.wiring.projects import ProjectWork
    from bot.wiring.tasks import CreatedTasks


@dataclass(frozen=True, kw_only=True)
class CommandSetBuilder:
    """Builder of the set, from the parts of the bot; `projects` are those of conversations."""

    core: Core
    engines: Engines
    projects: ProjectOverview
    services: Services
    created_tasks: CreatedTasks
    hooks: HookScheduler
    project_work: ProjectWork

    def build(self, overview: StatusCommands, restarts: RestartCommands) -> CommandSet:
        """Build the set."""
        core, projects, clock, redactor = self.core, self.projects, self.core.clock, self.core.redactor
        url, notes, scheduler = core.identity.url, self.project_work.notes, self.created_tasks.scheduler
        which = ProjectFinder(projects=core.projects, overview=projects)
        return CommandSet(
            help=CommandHelp(permission=core.permission, catalogue=CATALOGUE),
            own_questions=OwnQuestionCommands(orchestrator=core.orchestrator, url=url, clock=clock, redactor=redactor),
            overview=overview,
            services=ServiceCommands(health=self.services, clock=clock, url=url, redactor=redactor),
            messages=self._build_messages(),
            work=StateCommands(controls=core.controls, orchestrator=core.orchestrator, clock=clock),
            restarts=restarts,
            modes=ChannelModes(controls=core.controls, names=core.channel_names, cursors=core.cursors),
            auto_replies=build_auto_reply_commands(core),
            allowance=BudgetCommands(ledger=self.engines.ledger, tasks=scheduler),
            reports=ReportCommands(reporting=build_reporting(core, self.services)),
            mutes=ThreadMutes(muting=core.mutes.muting, team_id=core.identity.team_id, url=url),
            configuration=self._build_configuration(),
            audit=AuditCommands(
                audit=core.audit, clock=clock, catalogue=CATALOGUE, zone=ZoneInfo(core.settings.timezone)
            ),
            projects=ProjectViews(overview=projects),
            project_changes=self._build_project_changes(),
            project_pauses=ProjectPauses(overview=projects, clock=clock),
            project_deletion=self._build_project_deletion(),
            project_choice=ProjectChoice(overview=projects),
            project_channels=ProjectChannels(overview=projects, slack=core.chat, losses=core.losses),
            task_views=self._build_task_views(),
            task_lists=TaskLists(overview=projects, states=self._states, url=url, redactor=redactor),
            task_chains=self._build_chains(),
            tasks=self._build_tasks(),
            created_tasks=self._build_created_tasks(),
            agents=AgentCommands(scheduler=scheduler, overview=projects),
            hook_views=HookViews(scheduler=self.hooks, overview=projects),
            hooks=build_hook_commands(core, self.hooks, projects, scheduler.budget),
            task_changes=self._build_task_changes(),
            task_approvals=self._build_approvals(),
            events=self._build_events(),
            spending=self._build_usage(),
            sessions=self._sessions,
            escalation_events=SystemEventCommands(log=core.system_events, clock=clock),
            notes=NoteCommands(notes=notes, project_finder=which, clock=clock, redactor=redactor),
            comparison=SpecComparison(notes=notes, project_finder=which, specs=Specs(), redactor=redactor),
            files=FileCommands(which=which, guard=self._guard),
            repositories=RepositoryCommands(finder=self._repository_finder, clock=clock),
            repository_removal=RepositoryRemoval(finder=self._repository_finder),
            git_views=GitViews(finder=self._repository_finder, tasks=self._finder, guard=self._guard),
            git_branches=BranchCommands(finder=self._repository_finder, tasks=self._finder),
            git_pushes=PushCommands(finder=self._repository_finder),
            git_merge_requests=MergeRequestCommands(
                finder=self._repository_finder, tasks=self._finder, forge=build_forges(core.settings), clock=clock
            ),
            programs=build_program_commands(core, self._repository_finder, which),
        )

    @cached_property
    def _finder(self) -> TaskFinder:
        core = self.core
        return TaskFinder(
            store=core.store,
            tasks=core.storage.task_files,
            orchestrator=core.orchestrator,
            team_id=core.identity.team_id,
            url=core.identity.url,
        )

    @cached_property
    def _repository_finder(self) -> RepositoryFinder:
        return RepositoryFinder(
            overview=self.projects,
            repositories=self.project_work.repositories,
            workspaces=self.project_work.workspaces,
            naming=self.core.naming,
            redactor=self.core.redactor,
        )

    @cached_property
    def _guard(self) -> Guard:
        return Guard(redactor=self.core.redactor, new_nonce=self.core.clock.new_id)

    @cached_property
    def _states(self) -> TaskStates:
        return TaskStates(
            store=self.core.store,
            index=self.core.orchestrator.open_threads.tasks,
            schedule=self.created_tasks.scheduler.planner,
        )

    @cached_property
    def _sessions(self) -> SessionCommands:
        core = self.core
        return SessionCommands(
            saved=core.sources.sessions, finder=self._finder, clock=core.clock, redactor=core.redactor
        )

    def _build_messages(self) -> ClassificationCommands:
        core = self.core
        return ClassificationCommands(
            classified=core.classified,
            labels=Labels(journal=core.labels, clock=core.clock),
            store=core.store,
            team_id=core.identity.team_id,
            url=core.identity.url,
            watched=core.channel_names,
        )

    def _build_configuration(self) -> ConfigCommand:
        core = self.core
        return ConfigCommand(
            settings=core.settings.model_dump(mode="json", by_alias=True),
            controls=core.controls,
            ledger=self.engines.ledger,
            projects=self.projects,
            redactor=core.redactor,
            naming=core.naming,
        )

    def _build_project_changes(self) -> ProjectChanges:
        """Build the commands that change projects; from now on they are told of first fetches and late creations."""
        core, creation = self.core, self.project_work.creation
        changes = ProjectChanges(
            overview=self.projects,
            fetches=core.repositories,
            creation=creation,
            clock=core.clock,
            notices=PersonalNotices(chat=core.chat, members=core.members),
            redactor=core.redactor,
        )
        core.repositories.observer = creation.observer = changes
        return changes

    def _build_project_deletion(self) -> ProjectDeletion:
        return ProjectDeletion(
            overview=self.projects,
            belongings=self.project_work.belongings,
            fetches=self.core.repositories,
            clock=self.core.clock,
        )

    def _build_task_views(self) -> TaskViews:
        return TaskViews(
            finder=self._finder,
            states=self._states,
            sessions=self._sessions,
            url=self.core.identity.url,
            redactor=self.core.redactor,
        )

    def _build_chains(self) -> ChainCommands:
        return ChainCommands(
            finder=self._finder,
            states=self._states,
            index=self._states.index,
            dependencies=self.created_tasks.scheduler.planner.dependencies,
        )

    def _build_tasks(self) -> TaskCommands:
        core = self.core
        return TaskCommands(
            finder=self._finder,
            states=self._states,
            controls=core.controls,
            clock=core.clock,
            operators=core.operators,
            chat=core.chat,
        )

    def _build_created_tasks(self) -> CreatedTaskCommands:
        core = self.core
        return CreatedTaskCommands(
            threads=self.created_tasks.threads,
            scheduler=self.created_tasks.scheduler,
            overview=self.projects,
            finder=self._finder,
            controls=core.controls,
            rooms=core.chat,
            clock=core.clock,
        )

    def _build_task_changes(self) -> TaskChanges:
        return TaskChanges(
            finder=self._finder,
            states=self._states,
            index=self._states.index,
            removal=self.project_work.removal,
            overview=self.projects,
            operators=self.core.operators,
            clock=self.core.clock,
        )

    def _build_approvals(self) -> TaskApprovals:
        core = self.core
        approval = build_approval(core, build_corrections(core))
        return TaskApprovals(finder=self._finder, approval=approval, url=core.identity.url, redactor=core.redactor)

    def _build_events(self) -> EventCommands:
        core = self.core
        threads = core.orchestrator.open_threads
        return EventCommands(sources=core.sources, open_threads=threads, clock=core.clock, redactor=core.redactor)

    def _build_usage(self) -> UsageCommands:
        return UsageCommands(
            sources=self.core.sources,
            clock=self.core.clock,
            engine=self.engines.engine.name,
            has_agents=self.engines.ledger is not None,
            overview=self.projects,
            finder=self._finder,
        )
