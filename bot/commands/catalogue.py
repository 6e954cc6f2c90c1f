"""Catalogue of commands: the classes whose methods declare them, and all of them by name."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import cast

from bot.commands.agents import AgentCommands
from bot.commands.audit import AuditCommands
from bot.commands.auto_replies import AutoReplyCommands
from bot.commands.budget import BudgetCommands
from bot.commands.channels import ChannelModes, ThreadMutes
from bot.commands.command import build_catalogue
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
from bot.commands.hooks import HookCommands
from bot.commands.messages import ClassificationCommands
from bot.commands.mine import OwnQuestionCommands
from bot.commands.notes import NoteCommands
from bot.commands.programs import ProgramCommands
from bot.commands.project_changes import ProjectChanges
from bot.commands.project_channels import ProjectChannels
from bot.commands.project_choice import ProjectChoice
from bot.commands.project_deletion import ProjectDeletion
from bot.commands.project_pauses import ProjectPauses
from bot.commands.project_views import ProjectViews
from bot.commands.registry import Command, bound_commands, declared_specs
from bot.commands.reports import ReportCommands
from bot.commands.repositories import RepositoryCommands
from bot.commands.repository_removal import RepositoryRemoval
from bot.commands.restart import RestartCommands
from bot.commands.services import ServiceCommands
from bot.commands.sessions import SessionCommands
from bot.commands.spec_comparison import SpecComparison
from bot.commands.state import StateCommands
from bot.commands.status import StatusCommands
from bot.commands.system_events import SystemEventCommands
from bot.commands.task_approvals import TaskApprovals
from bot.commands.task_chains import ChainCommands
from bot.commands.task_changes import TaskChanges
from bot.commands.task_lists import TaskLists
from bot.commands.task_views import TaskViews
from bot.commands.tasks import TaskCommands
from bot.commands.usage import UsageCommands


@dataclass(frozen=True, kw_only=True)
class CommandSet:
    """One instance of each class with commands, in the order of `help`.

    The field types make up `CATALOGUE`, the instances run it: neither can have a command that the other lacks.
    """

    help: CommandHelp
    own_questions: OwnQuestionCommands
    overview: StatusCommands
    services: ServiceCommands
    messages: ClassificationCommands
    work: StateCommands
    restarts: RestartCommands
    modes: ChannelModes
    auto_replies: AutoReplyCommands
    allowance: BudgetCommands
    reports: ReportCommands
    mutes: ThreadMutes
    configuration: ConfigCommand
    audit: AuditCommands
    projects: ProjectViews
    project_changes: ProjectChanges
    project_pauses: ProjectPauses
    project_deletion: ProjectDeletion
    project_choice: ProjectChoice
    project_channels: ProjectChannels
    task_views: TaskViews
    task_lists: TaskLists
    task_chains: ChainCommands
    tasks: TaskCommands
    created_tasks: CreatedTaskCommands
    agents: AgentCommands
    hook_views: HookViews
    hooks: HookCommands
    task_approvals: TaskApprovals
    task_changes: TaskChanges
    events: EventCommands
    spending: UsageCommands
    sessions: SessionCommands
    escalation_events: SystemEventCommands
    notes: NoteCommands
    comparison: SpecComparison
    files: FileCommands
    repositories: RepositoryCommands
    repository_removal: RepositoryRemoval
    git_views: GitViews
    git_branches: BranchCommands
    git_pushes: PushCommands
    git_merge_requests: MergeRequestCommands
    programs: ProgramCommands

    def bound(self) -> dict[str, Command]:
        """Return every command by name, bound to its instance."""
        instances = (getattr(self, field.name) for field in fields(self))
        return {command.spec.name: command for owner in instances for command in bound_commands(owner)}


def _classes() -> Iterator[type]:
    # No postponed annotations in this module: the types of the fields are the classes themselves.
    return (cast("type", field.type) for field in fields(CommandSet))


CATALOGUE = build_catalogue(*(spec for owner in _classes() for spec in declared_specs(owner)))
"""All commands by name, in the order in which `help` lists them."""
