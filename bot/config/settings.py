"""Settings: `triage.yml`, read once at start and passed on as plain values. It must not hold secrets.

Every mistake is a `Misconfigured` that names file, key and expected value, in at most four lines; `triage doctor` lists
all. Variables of the environment are in `bot/config/environment.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import PrivateAttr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.config.complaints import format_location, join_complaints, list_complaints
from bot.config.paths import home_path
from bot.config.projects import locate_projects, projects_of, resolve_allowed_folders
from bot.config.references import find_reference_faults
from bot.config.roles import Routes, build_routes
from bot.config.sections.agents import (
    ChatSection,
    InvestigatorSection,
    ModelSection,
    ValidatorSection,
)
from bot.config.sections.approval import ApprovalSection, RetentionSection
from bot.config.sections.base import CategoryName, HostName, OwnerName, TeamId, UserId, ZoneName
from bot.config.sections.commands import CommandSection
from bot.config.sections.forges import ForgeSection
from bot.config.sections.health import HealthSection, RunbookSection, WatchSection
from bot.config.sections.hooks import HooksSection
from bot.config.sections.mcp import McpSection
from bot.config.sections.projects import ProjectKey, ProjectSection
from bot.config.sections.reports import ReportsSection
from bot.config.sections.routing import CategorySection, RoutingSection
from bot.config.sections.security import SecuritySection
from bot.config.sections.slack import ClassifierSection, FloodsSection, SlackSection, WatchedChat
from bot.config.sections.tiers import EscalationSection, TiersSection
from bot.config.yaml_file import KeyLines, read_mapping
from bot.decide.project_reach import ProjectReach
from bot.errors import Misconfigured
from bot.models.status_reaction import ReactionNames
from bot.tools.roots import keep_home

if TYPE_CHECKING:
    from bot.decide.working_hours import WorkingHours
    from bot.models.card import CardPlace
    from bot.models.project import Project

MAX_COMPLAINTS = 3
CHECKOUTS = "checkouts"
"""Folder in the home for the code of repositories."""


class Settings(BaseSettings):
    """Settings of `triage.yml`. Every section has defaults; an unknown key is an error."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    watched_chats: tuple[WatchedChat, ...] = ()
    operators: tuple[UserId, ...] = ()
    """Users who get the cards and may decide on them; the first one gets them."""
    admins: tuple[UserId, ...] = ()
    """Users who may change how the bot works, by commands."""
    projects: dict[ProjectKey, ProjectSection] = {}
    projects_below: tuple[Path, ...] = ()
    """Allowed parent folders of projects created by commands; a relative path starts at the settings file."""
    repository_hosts: tuple[HostName, ...] = ()
    """Additional hosts that projects created by commands may be fetched from, besides those of the repositories above:
    a name for the default port of https and ssh, `name:port` for another."""
    owners: dict[OwnerName, TeamId] = {}
    """Owners: names in CODEOWNERS, mapped to Slack users or user groups."""
    routing: RoutingSection | None = None
    categories: dict[CategoryName, CategorySection] = {"coding": CategorySection()}
    engine: Literal["claude", "keyword"] = "keyword"
    """Engine that writes drafts: `keyword` searches and quotes, without a model; `claude` uses agents on a model."""
    storage: Literal["files", "postgresql"] = "files"
    """Place of the state that replicas share: `files` of the home, or the `postgresql` database of
    `TRIAGE_DATABASE_URL` (docs/replicas.md)."""
    timezone: ZoneName = "UTC"
    """Time zone of working hours and of scheduled reports."""
    slack: SlackSection = SlackSection()
    floods: FloodsSection = FloodsSection()
    classifier: ClassifierSection = ClassifierSection()
    model: ModelSection = ModelSection()
    investigator: InvestigatorSection = InvestigatorSection()
    validator: ValidatorSection = ValidatorSection()
    chat: ChatSection = ChatSection()
    approval: ApprovalSection = ApprovalSection()
    escalation: EscalationSection = EscalationSection()
    tiers: TiersSection = TiersSection()
    health: HealthSection = HealthSection()
    watch: WatchSection = WatchSection()
    runbooks: tuple[RunbookSection, ...] = ()
    commands: tuple[CommandSection, ...] = ()
    hooks: HooksSection = HooksSection()
    forges: tuple[ForgeSection, ...] = ()
    """Forges at which merge requests are opened."""
    reports: ReportsSection = ReportsSection()
    retention: RetentionSection = RetentionSection()
    mcp: McpSection = McpSection()
    security: SecuritySection = SecuritySection()

    @field_validator("watched_chats")
    @classmethod
    def _each_once(cls, chats: tuple[WatchedChat, ...]) -> tuple[WatchedChat, ...]:
        ids = [chat.chat_id for chat in chats]
        twice = [chat_id for chat_id in ids if ids.count(chat_id) > 1]
        if twice:
            raise ValueError(f"expected each channel once, found {twice[0]} twice")
        return chats

    @field_validator("forges")
    @classmethod
    def _each_place_once(cls, forges: tuple[ForgeSection, ...]) -> tuple[ForgeSection, ...]:
        places = [forge.place for forge in forges]
        twice = [place for place in places if places.count(place) > 1]
        if twice:
            raise ValueError(f"expected each host once, found {twice[0]} twice")
        return forges

    _routes: Routes | None = PrivateAttr(None)
    _path: Path | None = PrivateAttr(None)
    _lines: KeyLines = PrivateAttr(KeyLines({}))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use the file only: no variable of the environment changes a setting."""
        return (init_settings,)

    def format_key(self, *key: int | str) -> str:
        """Format a key for an error, as in `triage.yml:12: operators.0`; the key alone if no file was read."""
        return (
            f"{self._path}:{self._lines.line_of(key)}: {format_location(key)}" if self._path else format_location(key)
        )

    @property
    def path(self) -> Path | None:
        """Return the settings file; `None` if no file was read."""
        return self._path

    @property
    def channel_projects(self) -> dict[str, str]:
        """Return the project of each channel that sets one."""
        return {chat.chat_id: chat.project for chat in self.watched_chats if chat.project}

    @property
    def routes(self) -> Routes | None:
        """Return rules and roles, or `None` without a `routing` section."""
        return self._routes

    @property
    def validator_model(self) -> str:
        """Return the validator's model; the investigator's by default."""
        return self.validator.model or self.investigator.model

    @property
    def chat_model(self) -> str | None:
        """Return the model of the chat agent, or `None` if it is off."""
        enabled = self.engine == "claude" if self.chat.enabled is None else self.chat.enabled
        return (self.chat.model or self.investigator.model) if enabled else None

    @property
    def deciding(self) -> tuple[str, ...]:
        """Return every user and user group with the right to decide somewhere, each once."""
        chats, projects = self.watched_chats, self.projects.values()
        named = (self.operators, *(chat.operators for chat in chats), *(project.operators for project in projects))
        return tuple(dict.fromkeys(name for names in named for name in names))

    @property
    def asked_owners(self) -> tuple[str, ...]:
        """Return every user and user group that Ask an Owner may ask, each once."""
        on_call = (name for project in self.projects.values() for name in project.on_call)
        return tuple(dict.fromkeys((*self.owners.values(), *on_call)))

    @property
    def project_list(self) -> tuple[Project, ...]:
        """Return the projects as plain values."""
        return projects_of(self.projects)

    @property
    def project_reach(self) -> ProjectReach:
        """Return the folders and hosts that projects created by commands may use."""
        return ProjectReach.from_projects(
            self.project_list, below=self.projects_below, more_hosts=self.repository_hosts
        )

    @property
    def token_variables(self) -> tuple[str, ...]:
        """Return the variables of the environment that hold repository tokens."""
        sources = [project.repository for project in self.project_list]
        return tuple(source.token_env for source in sources if source and source.token_env)

    @property
    def secret_variables(self) -> tuple[str, ...]:
        """Return the variables of the environment that hold secrets of servers, repositories, forges, databases and
        programs."""
        programs = (*self.tiers.tier_2.env, *self.tiers.tier_3.env)
        forges = (name for forge in self.forges for name in (forge.token_env, forge.webhook_secret_env) if name)
        return (*self.mcp.variables, *self.token_variables, *forges, *self.health.variables, *programs)

    @property
    def working_hours(self) -> WorkingHours | None:
        """Return the working hours for reminders and hand-overs, or `None`."""
        section = self.approval.working_hours
        return section.hours(self.timezone) if section else None

    @property
    def marks(self) -> ReactionNames:
        """Return the reactions, and the channels without them."""
        quiet = (chat.chat_id for chat in self.watched_chats if not chat.reactions)
        return ReactionNames(self.slack.reactions.names, frozenset(quiet))

    @property
    def card_places(self) -> dict[str, CardPlace]:
        """Return the card place of each watched channel."""
        return {chat.chat_id: chat.cards for chat in self.watched_chats}


def load(path: Path, home: Path | None = None, *, max_complaints: int | None = MAX_COMPLAINTS) -> Settings:
    """Load the settings in `path`; `home` is the folder of the state, which holds the code of repositories.

    Raises `Misconfigured` with at most `max_complaints` mistakes; `None` means all of them.
    """
    data, lines = read_mapping(path)
    values = {key: value for key, value in data.items() if value is not None}  # an empty section has its defaults
    try:
        settings = Settings(**values)
    except ValidationError as error:
        raise Misconfigured(join_complaints(list_complaints(Settings, path, error, lines), max_complaints)) from None
    projects, missing = locate_projects(path, settings.projects, lines, (home or home_path(None)) / CHECKOUTS)
    below, unfit = resolve_allowed_folders(path, settings.projects_below, lines)
    missing += unfit
    ready = settings.model_copy(update={"projects": projects, "projects_below": below})
    ready._lines, ready._path = lines, path
    missing += find_reference_faults(ready)
    if home is not None:
        keep_home(home)
    if ready.routing:
        ready._routes, wrong = build_routes(
            ready.routing, ready.categories, ready.project_list, ready.channel_projects, path, lines
        )
        missing += wrong
    if missing:
        raise Misconfigured(join_complaints(missing, max_complaints))
    return ready
