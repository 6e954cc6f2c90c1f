"""Who decides and by which rules, put together from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.note_files import NoteFolders
from bot.triage.code_owners import Owning
from bot.triage.edits import Edits
from bot.triage.externals import Externals
from bot.triage.notes import NoteKeeper
from bot.triage.operators import Operators
from bot.triage.rebuild import Rebuilder
from bot.wiring.commands import new_id
from bot.wiring.workflow import limits

if TYPE_CHECKING:
    from bot.triage.controls import Controls
    from bot.triage.freshness import Freshness
    from bot.wiring.infrastructure import Infrastructure


def externals_of(ground: Infrastructure, operators: Operators) -> Externals:
    """Who is of another company."""
    policy = ground.settings.slack.external
    return Externals(members=operators.members, channels=ground.chat, policy=policy)


def operators_of(ground: Infrastructure) -> Operators:
    """Who may decide where, as the settings name them."""
    settings = ground.settings
    return Operators(
        everywhere=settings.operators,
        chats={chat.chat_id: chat.operators for chat in settings.watched_chats},
        projects={p.name: settings.projects[p.belongs_to].operators for p in settings.project_list},
        groups=ground.chat,
        members=ground.members,
        clock=ground.clock,
        asker_may=settings.approval.asker_may_approve,
    )


def owning_of(ground: Infrastructure) -> Owning:
    """Who knows the owners of cited files."""
    projects = ground.settings.projects
    return Owning(known=ground.settings.owners, on_call={name: each.on_call for name, each in projects.items()})


def edits_of(ground: Infrastructure, freshness: Freshness) -> Edits:
    """Who opens the references of edited drafts."""
    return Edits(
        projects=ground.projects.all,
        freshness=freshness,
        clock=ground.clock,
        new_id=new_id,
        redactor=ground.redactor,
        owning=owning_of(ground),
    )


def notes_of(ground: Infrastructure) -> NoteKeeper:
    """Who keeps notes in the projects' folders."""
    return NoteKeeper(
        files=NoteFolders(),
        projects=ground.projects.all,
        clock=ground.clock,
        new_id=new_id,
        redactor=ground.redactor,
    )


def rebuilder_of(ground: Infrastructure, controls: Controls, operators: Operators) -> Rebuilder:
    """Who makes a thread anew from the journals."""
    return Rebuilder(
        classified=ground.classified,
        labels=ground.labels,
        replies=ground.replies,
        limits=limits(ground),
        new_id=new_id,
        modes=controls.modes,
        operator=operators.first,
    )
