"""Who drafts, what is known already, what is written down: the engines of the settings on the bot's ground."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.adapters.tasks import TaskFolders
from bot.surfaces.task_files import Journals
from bot.tools.knowledge import Knowledge
from bot.triage.hints import Hints
from bot.triage.recent_channels import RecentChannels
from bot.triage.repeated_questions import Again
from bot.wiring.llm import Engines, engines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.config.environment import Environment
    from bot.ports.outbound import Store
    from bot.wiring.infrastructure import Infrastructure


def model_engines(ground: Infrastructure, environment: Environment, new_id: Callable[[], str]) -> Engines:
    """The engine that the settings name, and who judges its drafts."""
    return engines(
        ground.settings,
        environment,
        os.environ,
        ground.home,
        clock=ground.clock,
        redactor=ground.redactor,
        knowledge=knowledge(ground),
        new_id=new_id,
        tell=ground.to_admin.send,
        workers=ground.workers,
        indexing=ground.indexing,
    )


def knowledge(ground: Infrastructure) -> Knowledge:
    """Notes and earlier replies."""
    return Knowledge(replies=ground.replies, home=ground.home.path)


def journals(ground: Infrastructure) -> Journals:
    """The journals of runs."""
    return Journals(tasks=TaskFolders(ground.home.tasks), redactor=ground.redactor, clock=ground.clock)


def again(ground: Infrastructure, store: Store, open_threads: Callable[[], Sequence[str]]) -> Again:
    """Who knows whether a question was asked before."""
    return Again(
        replies=ground.replies,
        words=ground.feedback,
        store=store,
        chat=ground.chat,
        history=ground.chat,
        open_threads=open_threads,
        projects=ground.projects.all,
        redactor=ground.redactor,
        clock=ground.clock,
        days=ground.settings.approval.again_days,
    )


def hints_of(ground: Infrastructure, store: Store, open_threads: Callable[[], Sequence[str]]) -> Hints | None:
    """Who knows of other questions of a project; nobody where the settings switch that off."""
    if not ground.settings.investigator.hints:
        return None
    return Hints(
        store=store,
        channels=ground.chat,
        recent=RecentChannels(channels=ground.unhurried, clock=ground.clock),
        history=ground.chat,
        replies=ground.replies,
        open_threads=open_threads,
    )
