"""Channels and belongings of projects: what commands create and delete besides the projects themselves."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.checkouts.repositories import find_token
from bot.adapters.checkouts.workspaces import GitWorkspaces
from bot.config.settings import CHECKOUTS
from bot.surfaces.notices import PersonalNotices
from bot.tools.denied_paths import is_denied
from bot.tools.git_folder import source_folder
from bot.triage.channel_creation import ChannelCreation
from bot.triage.channel_watch import ChannelWatch
from bot.triage.created_projects import WORKSPACES, locate_repository
from bot.triage.project_deletion import ProjectBelongings
from bot.triage.thread_removal import ThreadRemoval
from bot.triage.work_repositories import WorkRepositories

if TYPE_CHECKING:
    from bot.ports.notes import ProjectNotes
    from bot.wiring.core import Core


@dataclass(frozen=True, kw_only=True)
class ProjectWork:
    """Work on projects that outlives their commands."""

    creation: ChannelCreation
    belongings: ProjectBelongings
    removal: ThreadRemoval
    notes: ProjectNotes
    repositories: WorkRepositories
    workspaces: GitWorkspaces


async def build_project_work(core: Core) -> ProjectWork:
    """Build the creation of channels and the deletion of belongings; losses of created channels are told to the
    former."""
    slack, notices = core.channel_administration, PersonalNotices(chat=core.chat, members=core.members)
    watch = ChannelWatch(
        names=core.channel_names,
        controls=core.controls,
        cursors=core.cursors,
        catch_ups=core.catch_ups,
        losses=core.losses,
    )
    creation = ChannelCreation(
        projects=core.projects,
        slack=slack,
        watch=watch,
        notices=notices,
        clock=core.clock,
        bot_user=core.identity.user_id,
    )
    core.losses.observers.append(creation)
    removal = ThreadRemoval(
        store=core.store,
        folders=core.storage.thread_folders,
        open_threads=core.orchestrator.open_threads,
        events=core.watcher.events,
        clock=core.clock,
    )
    notes = core.storage.notes
    repositories, workspaces = await _load_repositories(core), _build_workspaces(core)
    belongings = ProjectBelongings(
        projects=core.projects,
        orchestrator=core.orchestrator,
        removal=removal,
        notes=notes,
        slack=slack,
        watch=watch,
        notices=notices,
        clock=core.clock,
        repositories=repositories,
        workspaces=workspaces,
    )
    return ProjectWork(
        creation=creation,
        belongings=belongings,
        removal=removal,
        notes=notes,
        repositories=repositories,
        workspaces=workspaces,
    )


async def _load_repositories(core: Core) -> WorkRepositories:
    reach = core.settings.project_reach
    repositories = WorkRepositories(
        file=core.storage.json_file("repositories"),
        projects=core.projects,
        locate=partial(locate_repository, home=core.home.path, reach=reach),
        below=reach.below,
    )
    await repositories.load()
    return repositories


def _build_workspaces(core: Core) -> GitWorkspaces:
    return GitWorkspaces(
        folder=core.home.path.absolute() / CHECKOUTS / WORKSPACES,
        clock=core.clock,
        source=source_folder,
        token=partial(find_token, variables=os.environ),
        withholds=is_denied,
    )
