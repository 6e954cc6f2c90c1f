"""Channels and belongings of projects: what commands create and delete besides the projects themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.adapters.project_notes import ProjectNoteFiles
from bot.adapters.thread_folders import DiskThreadFolders
from bot.surfaces.notices import PersonalNotices
from bot.triage.channel_creation import ChannelCreation
from bot.triage.channel_watch import ChannelWatch
from bot.triage.project_deletion import ProjectBelongings
from bot.triage.thread_removal import ThreadRemoval

if TYPE_CHECKING:
    from bot.wiring.core import Core


@dataclass(frozen=True, kw_only=True)
class ProjectWork:
    """Work on projects that outlives their commands."""

    creation: ChannelCreation
    belongings: ProjectBelongings
    removal: ThreadRemoval
    notes: ProjectNoteFiles


def build_project_work(core: Core) -> ProjectWork:
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
    runs = core.settings.escalation.transcript_dir or core.home.escalations
    removal = ThreadRemoval(
        store=core.store,
        folders=DiskThreadFolders(tasks=core.home.tasks, runs=runs),
        open_threads=core.orchestrator.open_threads,
        events=core.watcher.events,
        clock=core.clock,
    )
    notes = ProjectNoteFiles(core.home.notes)
    belongings = ProjectBelongings(
        projects=core.projects,
        orchestrator=core.orchestrator,
        removal=removal,
        notes=notes,
        slack=slack,
        watch=watch,
        notices=notices,
        clock=core.clock,
    )
    return ProjectWork(creation=creation, belongings=belongings, removal=removal, notes=notes)
