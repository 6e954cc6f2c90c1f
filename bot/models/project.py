"""Project: a name, a folder with code, and a description.

It comes from `projects` in `triage.yml`, or from a command that stored it in `projects.json` of the home.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.models.created_channel import ChannelOrder, CreatedChannel
from bot.models.declared_command import DeclaredCheck
from bot.models.fact import Fact
from bot.models.message import SlackId


class Repository(Fact):
    """The git source of a project's code."""

    url: str
    """An `https://`, `ssh://` or `file://` address, or an absolute path, without user name and password."""
    branch: str = ""
    """The branch to fetch; if empty, that of its HEAD."""
    refresh_min: float = 15
    token_env: str | None = None
    """The environment variable that holds its token."""
    max_mb: int = 2_000
    below: tuple[Path, ...] | None = None
    """For a repository on this machine: the folders that must contain it and all that git reads of it; `None` for those
    of the settings, which may be anywhere."""

    @property
    def protocol(self) -> str:
        """Return the protocol of the address."""
        scheme, separator, _ = self.url.partition("://")
        return scheme if separator else "file"

    @property
    def source(self) -> str:
        """Return address and branch, the identity of the source."""
        return f"{self.url} {self.branch}".rstrip()


class Fetched(Fact):
    """The state of a fetched repository."""

    commit: str
    """The full SHA; empty if nothing was ever fetched."""
    at: datetime
    """The time of the fetch."""
    source: str
    """The fetched source (`Repository.source`)."""
    problem: str = ""
    """The reason why the last attempt failed; empty if it did not."""


Weight = Annotated[float, Field(ge=0.1, le=100, allow_inf_nan=False)]
MaxAgents = Annotated[int, Field(ge=1, le=10)]


class Project(Fact):
    """A code base that questions are answered from."""

    name: str
    """`shop`; or `shop/api` for one root of a project that has several."""
    root: Path
    """Absolute path of the folder; all references of this project are relative to it. With a repository, a link to the
    tree of the newest commit."""
    repository: Repository | None = None
    display_name: str = ""
    """Name shown to people beside `name`; empty for none."""
    description: str = ""
    web_url: str = ""
    """The repository's web page, or a template for links to lines (`decide/grounding/web_link`); may be empty."""
    knowledge: tuple[Path, ...] = ()
    """Absolute paths of the team's knowledge folders: notes that answer questions."""
    notes: Path | None = None
    """The folder in the home for the project's notes; `None` without a home."""
    ignore: tuple[str, ...] = ()
    """Patterns of files that are neither read nor searched (`decide/retrieval/path_patterns`)."""
    languages: tuple[str, ...] = ()
    """The programming languages that the keyword engine prefers; empty means all."""
    external: bool = True
    """True if people of another company may see answers from it."""
    weight: Weight = 1.0
    """Share of the created tasks that start, relative to other projects."""
    max_agents: MaxAgents | None = None
    """Maximum number of its created tasks that run at the same time; `None` for as many as there are agents."""
    check: DeclaredCheck | None = None
    """The program that says if the code of a workspace is sound."""

    @property
    def belongs_to(self) -> str:
        """Return the name of the project in the settings, without the root."""
        return self.name.partition("/")[0]


RESERVED_NAMES = ("none", "all")
"""Words that commands take in the place of a project's name."""
StoredProjectName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


class StoredProject(Fact):
    """A project created by a command, as stored."""

    given: dict[str, str]
    """The keys of `projects.<name>` set by the command, under the same rules (`triage/created_projects`)."""
    made_at: datetime
    told: str | None = None
    """The user to notify when its code is fetched; `None` once notified."""


class DeletedProject(Fact):
    """A deleted project, some of whose belongings are still there."""

    by: SlackId
    """The person who gave the command."""
    at: datetime
    with_data: bool = False
    """True if its tasks and notes go, too."""
    channels: tuple[SlackId, ...] = ()
    """Channels to archive."""


class ProjectRecords(Fact):
    """Content of `projects.json`: changes that commands made in addition to `triage.yml`."""

    schema_version: Literal[1] = 1
    projects: dict[StoredProjectName, StoredProject] = Field(default_factory=dict)
    paused: dict[str, datetime] = Field(default_factory=dict)
    """Paused projects, whose questions wait, with the time of the pause."""
    channels: dict[str, str | None] = Field(default_factory=dict)
    """The project of a channel, which overrides `triage.yml`; `None` for no project."""
    channel_orders: dict[str, ChannelOrder] = Field(default_factory=dict)
    """Projects that are being created with a channel, by the channel's name."""
    created_channels: dict[SlackId, CreatedChannel] = Field(default_factory=dict)
    """Channels that commands created, by id."""
    deletions: dict[StoredProjectName, DeletedProject] = Field(default_factory=dict)
    """Projects whose belongings are being deleted; their names are not free yet."""

    def end_order(self, name: str, *, links: bool) -> ProjectRecords:
        """Return the records without the order of the channel `name`, which is listed if it was created; with `links`
        its questions go to the ordered project."""
        orders = {other: order for other, order in self.channel_orders.items() if other != name}
        order = self.channel_orders.get(name)
        if order is None or order.channel is None:
            return self.evolve(channel_orders=orders)
        channel = order.channel
        created = CreatedChannel(name=channel.name, project=order.project, by=order.by, created_at=channel.created_at)
        return self.evolve(
            channel_orders=orders,
            created_channels={**self.created_channels, channel.channel_id: created},
            channels={**self.channels, channel.channel_id: order.project} if links else self.channels,
        )

    def without_project(self, name: str, *, is_elsewhere: bool) -> ProjectRecords:
        """Return the records without a created project; its pause and its channels stay if `triage.yml` has one of this
        name (`is_elsewhere`)."""
        return self.evolve(
            projects={other: project for other, project in self.projects.items() if other != name},
            paused={other: at for other, at in self.paused.items() if other != name or is_elsewhere},
            channels={channel: other for channel, other in self.channels.items() if other != name or is_elsewhere},
        )

    def without_deletion(self, name: str) -> ProjectRecords:
        """Return the records after a deletion, of which nothing is left to do."""
        return self.evolve(deletions={other: each for other, each in self.deletions.items() if other != name})

    def without_channel(self, channel_id: str) -> ProjectRecords:
        """Return the records without a channel that a command created."""
        return self.evolve(
            created_channels={other: each for other, each in self.created_channels.items() if other != channel_id},
            channels={other: name for other, name in self.channels.items() if other != channel_id},
        )
