"""Data of `list_projects`, `get_project`, `get_project_channels` and `get_project_for_channel`."""

from __future__ import annotations

from typing import Literal

from bot.models.command_data.fields import UtcTime
from bot.models.fact import Fact
from bot.models.status import Mode


class CodeData(Fact):
    """Place of a project's code."""

    name: str
    """Name of the project, or `project/root` where it has several."""
    root: str | None
    """Folder; null for a repository."""
    repository: str | None
    """Address that it is fetched from; null for a folder."""
    branch: str | None
    web_url: str | None


class ProjectData(Fact):
    """A project."""

    name: str
    display_name: str | None
    description: str | None
    is_created: bool
    """True if a command created it, false if the settings have it."""
    created_at: UtcTime | None
    code: tuple[CodeData, ...]
    problem: str | None
    """Reason why its code cannot be used now."""
    paused_since: UtcTime | None
    channels: tuple[str, ...]
    weight: float
    """Its share of the created tasks that start, relative to other projects."""
    max_agents: int | None
    """Maximum number of its created tasks that run at the same time; null for as many as there are agents."""
    waiting_questions: int
    """Number of its questions that are held."""
    waiting_tasks: int
    """Number of its created tasks that have not started."""
    is_active: bool
    """True for the project of commands that name none here."""


class ProjectsData(Fact):
    """All projects, those of the settings first."""

    projects: tuple[ProjectData, ...]


class ProjectChannelData(Fact):
    """A channel, and the project that its questions go to."""

    channel: str
    project: str | None
    """Null where their words or the rules decide."""
    set_by: Literal["command", "settings"] | None
    is_watched: bool
    mode: Mode | None
    is_created: bool
    """True if `create_project` created the channel."""
    is_lost: bool
    """True if Triage cannot write there now, as far as is known; `status` has the reason."""


class ProjectChannelsData(Fact):
    """Channels whose questions go to a project."""

    project: str
    channels: tuple[ProjectChannelData, ...]
