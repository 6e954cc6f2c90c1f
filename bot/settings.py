"""Settings: `triage.yml`, read once at start and handed on as plain values. It may hold no secret.

Every mistake is a `Misconfigured` that names file, key and what was expected, in at most four lines. What comes
from the environment is in `bot/environment.py`.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.decide import packs
from bot.decide.admission import Quotas, Rate
from bot.decide.classifier import compile_pattern
from bot.errors import Misconfigured
from bot.models.address import safe
from bot.models.project import Project
from bot.models.thread import Mode
from bot.sections import EXPECTED, McpSection, McpServerSection, Section
from bot.yaml_file import Lines, read_mapping

MAX_COMPLAINTS = 3

ChannelId = Annotated[str, StringConstraints(pattern=r"^[CGD][A-Z0-9]{2,30}$")]
TeamId = Annotated[str, StringConstraints(pattern=r"^[UWS][A-Z0-9]{2,30}$")]
UserId = Annotated[str, StringConstraints(pattern=r"^[UW][A-Z0-9]{2,30}$")]
AlertBotId = Annotated[str, StringConstraints(pattern=r"^[ABUW][A-Z0-9]{2,30}$")]
ProjectName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]

_EXPECTED = EXPECTED | {
    ChannelId.__metadata__[0].pattern: "a Slack channel id such as C0123ABCD",  # type: ignore[attr-defined]  # typing hides it
    UserId.__metadata__[0].pattern: "a Slack user id such as U0123ABCD",  # type: ignore[attr-defined]  # as above
    TeamId.__metadata__[0].pattern: "a Slack user id such as U0123ABCD, or a user group's such as S0123ABCD",  # type: ignore[attr-defined]  # as above
    AlertBotId.__metadata__[0].pattern: "a bot's id such as B0123ABCD, A0123ABCD or U0123ABCD",  # type: ignore[attr-defined]  # as above
    ProjectName.__metadata__[0].pattern: "a name of letters, digits, dots, dashes",  # type: ignore[attr-defined]  # as above
}


class WatchedChat(Section):
    """A channel that Triage reads."""

    chat_id: ChannelId
    name: str = ""
    """What people call it, without the `#`."""
    mode: Mode = "live"
    """`live` posts what was approved; `preview` shows cards and posts nothing; `silent` only classifies and records."""


class SlackSection(Section):
    """How Triage behaves in Slack."""

    debounce_ms: Annotated[int, Field(ge=0, le=600_000)] = 2000
    """The debounce window, in milliseconds: how long a question waits for its author's next message."""
    pace: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """How often Slack is called at most, as a multiple of the rates that it publishes for each method."""


class ClassifierSection(Section):
    """The rules of tier 0."""

    bot_id: UserId | None = None
    """The bot's own user id; Slack is asked when it is left out."""
    languages: tuple[str, ...] = ()
    """The language packs, which add to each other; all that there are when none is named."""
    ack_patterns: tuple[str, ...] = ()
    """re2 patterns, case-insensitive, of a short message that only acknowledges; they add to the packs."""
    question_keywords: tuple[str, ...] = ()
    """Words that ask wherever they stand; they add to the packs."""
    team_members: tuple[TeamId, ...] = ()
    """Those who answer, by user id or by user group. Where everyone asks and everyone answers, none."""
    alert_bots: tuple[AlertBotId, ...] = ()
    """The bots whose messages may open a thread; every other bot's are left alone."""
    alert_pause_min: Annotated[float, Field(ge=1, le=1_440)] = 10
    """Minutes from one message of a bot that is taken up in a thread to the next one there."""

    @property
    def team_groups(self) -> tuple[str, ...]:
        """Those of `team_members` that are user groups."""
        return tuple(name for name in self.team_members if name.startswith("S"))

    @field_validator("languages")
    @classmethod
    def _are_there(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        strange = [code for code in codes if code not in packs.codes()]
        if strange:
            raise ValueError(f"expected language packs of {', '.join(packs.codes())}, got {strange[0]}")
        return codes

    @field_validator("ack_patterns")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                compile_pattern(pattern)
            except Misconfigured as problem:
                raise ValueError(str(problem)) from problem
        return patterns


class ModelSection(Section):
    """Where the model of `engine: claude` is, and what it may cost. The key comes from the environment."""

    base_url: str | None = None
    """Another server that speaks the Messages API; https, or http on this machine. Else ANTHROPIC_BASE_URL, else
    Anthropic's own."""
    max_retries: Annotated[int, Field(ge=0, le=10)] = 2
    """How often a call that failed for a moment is made again."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 120
    """Seconds after which one call is given up, its repetitions included."""
    max_usd_per_run: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """US dollars that one run of an agent may cost."""
    max_usd_per_day: Annotated[float, Field(gt=0, le=100_000)] = 20.0
    """US dollars that all agents together may cost in a day (UTC)."""

    @field_validator("base_url")
    @classmethod
    def _is_safe(cls, url: str | None) -> str | None:
        if url is not None:
            safe(url, example="http://127.0.0.1:11434")
        return url


class InvestigatorSection(Section):
    """Who drafts."""

    model: str = "claude-opus-5-5"
    """The model of `engine: claude`; the keyword engine uses none."""
    max_rounds: Annotated[int, Field(ge=1, le=2)] = 2
    """Drafts of one question before it goes to the operator as it is."""
    hard_cap_runtime_min: Annotated[float, Field(gt=0, le=60)] = 5
    """Minutes after which an investigation is ended."""


class ValidatorSection(Section):
    """Who tries to break the draft."""

    model: str = "claude-opus-5-5"
    """The model of `engine: claude`."""
    max_rounds: Annotated[int, Field(ge=0, le=1)] = 1
    """How many drafts of a question the checks may send back by themselves."""


class ApprovalSection(Section):
    """How long an operator's decision is waited for."""

    expire_hours: Annotated[float, Field(gt=0, le=8_760)] = 72
    """Hours from the last change of a card after which its question is closed without a reply."""


class EscalationSection(Section):
    """Long runs in a process of their own."""

    enabled: bool = True
    expected_runtime_min_threshold: Annotated[float, Field(gt=0)] = 10
    """Minutes; a run expected to take longer is escalated."""
    transcript_dir: Path | None = None
    """Where transcripts go; `escalations/` in the home when left out."""


class RetentionSection(Section):
    """How long things are kept."""

    days: Annotated[float, Field(gt=0, le=36_500)] = 365
    """The age from which records and closed threads are taken out: once a day, and by `triage purge`."""


class RateSection(Section):
    """How many questions are investigated."""

    per_minute: Annotated[float, Field(gt=0, le=10_000)]
    """From then on, as long as more are asked."""
    burst: Annotated[int, Field(ge=1, le=10_000)]
    """At once, after a pause."""

    @property
    def rate(self) -> Rate:
        """The same as a plain value."""
        return Rate(per_minute=self.per_minute, burst=self.burst)


class FloodsSection(Section):
    """When questions wait for their turn; none is dropped."""

    per_user: RateSection = RateSection(per_minute=10, burst=20)
    """Of one person."""
    per_channel: RateSection = RateSection(per_minute=30, burst=60)
    """In one channel."""
    per_workspace: RateSection = RateSection(per_minute=60, burst=120)
    """In all."""

    @property
    def quotas(self) -> Quotas:
        """The same as a plain value."""
        return Quotas(user=self.per_user.rate, channel=self.per_channel.rate, workspace=self.per_workspace.rate)


class ProjectSection(Section):
    """A code base that questions are answered from."""

    root: Path
    """Its folder; a relative path starts at the settings file."""
    description: str = ""
    knowledge: tuple[Path, ...] = ()
    """Folders of tribal knowledge, such as notes and runbooks; a relative path starts at the settings file."""


class Settings(BaseSettings):
    """`triage.yml`. Every section has defaults; an unknown key is an error."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    watched_chats: tuple[WatchedChat, ...] = ()
    operators: tuple[UserId, ...] = ()
    admins: tuple[UserId, ...] = ()
    projects: dict[ProjectName, ProjectSection] = {}
    engine: Literal["claude", "keyword"] = "keyword"
    slack: SlackSection = SlackSection()
    floods: FloodsSection = FloodsSection()
    classifier: ClassifierSection = ClassifierSection()
    model: ModelSection = ModelSection()
    investigator: InvestigatorSection = InvestigatorSection()
    validator: ValidatorSection = ValidatorSection()
    approval: ApprovalSection = ApprovalSection()
    escalation: EscalationSection = EscalationSection()
    retention: RetentionSection = RetentionSection()
    mcp: McpSection = McpSection()

    @field_validator("watched_chats")
    @classmethod
    def _each_once(cls, chats: tuple[WatchedChat, ...]) -> tuple[WatchedChat, ...]:
        ids = [chat.chat_id for chat in chats]
        twice = [chat_id for chat_id in ids if ids.count(chat_id) > 1]
        if twice:
            raise ValueError(f"expected each channel once, {twice[0]} stands there twice")
        return chats

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what was read from the file: no variable of the environment changes a setting."""
        return (init_settings,)

    @property
    def project_list(self) -> tuple[Project, ...]:
        """The projects as the engines take them."""
        return tuple(
            Project(name=name, root=project.root, description=project.description, knowledge=project.knowledge)
            for name, project in self.projects.items()
        )


def load(path: Path) -> Settings:
    """The settings in `path`. Raises `Misconfigured`."""
    data, lines = read_mapping(path)
    given = {key: value for key, value in data.items() if value is not None}  # an empty section means its defaults
    try:
        settings = Settings(**given)
    except ValidationError as error:
        raise Misconfigured(_complaints(path, error, lines)) from None
    projects = {
        name: project.model_copy(
            update={
                "root": _folder(path, ("projects", name, "root"), project.root, lines),
                "knowledge": tuple(
                    _folder(path, ("projects", name, "knowledge"), folder, lines) for folder in project.knowledge
                ),
            }
        )
        for name, project in settings.projects.items()
    }
    return settings.model_copy(update={"projects": projects})


def _folder(path: Path, key: tuple[str, ...], given: Path, lines: Lines) -> Path:
    folder = (path.absolute().parent / given.expanduser()).resolve()
    if not folder.is_dir():
        raise Misconfigured(f"{path}:{lines.of(key)}: {'.'.join(key)}: expected a folder that exists, got {given}")
    return folder


def _complaints(path: Path, error: ValidationError, lines: Lines) -> str:
    problems = error.errors()
    said = [f"{path}:{lines.of(p['loc'])}: {_key(p['loc'])}: {_expected(p)}" for p in problems[:MAX_COMPLAINTS]]
    if len(problems) > MAX_COMPLAINTS:
        said.append(f"and {len(problems) - MAX_COMPLAINTS} more; triage.example.yml explains each key")
    return "\n".join(said)


def _key(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location if part != "[key]")


def _expected(problem: Any) -> str:
    context = problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return _no_such_key(str(problem["loc"][-1]))
        case "missing":
            return "expected a value, found none"
        case "string_pattern_mismatch":
            return f"expected {_EXPECTED.get(context['pattern'], context['pattern'])}"
        case "path_type":
            return "expected a path"
        case "literal_error":
            return f"expected {context['expected']}"
        case _:
            said: str = problem["msg"]
            plain = said.replace("a valid tuple", "a list").replace("a valid dictionary", "keys with values")
            plain = plain.removeprefix("Value error, ").partition(" or instance of ")[0]
            return plain.replace("Input should be ", "expected ")


def _no_such_key(name: str) -> str:
    sections = (field.annotation for field in Settings.model_fields.values())
    inner = [
        section
        for section in (*sections, WatchedChat, ProjectSection, RateSection, McpServerSection)
        if isinstance(section, type)
    ]
    known = [*Settings.model_fields, *(key for s in inner if issubclass(s, Section) for key in s.model_fields)]
    near = difflib.get_close_matches(name, known, n=1)
    return f"expected a known key, perhaps {near[0]}" if near else "expected a known key; see triage.example.yml"
