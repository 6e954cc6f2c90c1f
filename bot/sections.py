"""The sections of `triage.yml`, each with its keys, their bounds and defaults. Read by `bot/settings.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from bot.decide import packs
from bot.decide.admission import Quotas, Rate
from bot.decide.classifier import compile_pattern
from bot.decide.redact import Redactor
from bot.errors import Misconfigured
from bot.models.address import safe
from bot.models.thread import Mode

ChannelId = Annotated[str, StringConstraints(pattern=r"^[CGD][A-Z0-9]{2,30}$")]
UserId = Annotated[str, StringConstraints(pattern=r"^[UW][A-Z0-9]{2,30}$")]
TeamId = Annotated[str, StringConstraints(pattern=r"^[UWS][A-Z0-9]{2,30}$")]
AlertBotId = Annotated[str, StringConstraints(pattern=r"^[ABUW][A-Z0-9]{2,30}$")]
ProjectName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./-]{1,128}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]

EXPECTED = {
    ChannelId.__metadata__[0].pattern: "a Slack channel id such as C0123ABCD",  # type: ignore[attr-defined]  # typing hides it
    UserId.__metadata__[0].pattern: "a Slack user id such as U0123ABCD",  # type: ignore[attr-defined]  # as above
    TeamId.__metadata__[0].pattern: "a Slack user id such as U0123ABCD, or a user group's such as S0123ABCD",  # type: ignore[attr-defined]  # as above
    AlertBotId.__metadata__[0].pattern: "a bot's id such as B0123ABCD, A0123ABCD or U0123ABCD",  # type: ignore[attr-defined]  # as above
    ProjectName.__metadata__[0].pattern: "a name of letters, digits, dots, dashes",  # type: ignore[attr-defined]  # as above
    ServerName.__metadata__[0].pattern: "a name of letters, digits, dashes",  # type: ignore[attr-defined]  # typing hides it
    ToolName.__metadata__[0].pattern: "the name of a tool",  # type: ignore[attr-defined]  # as above
    VariableName.__metadata__[0].pattern: "the name of a variable of the environment, never its value",  # type: ignore[attr-defined]  # as above
    HeaderName.__metadata__[0].pattern: "the name of a header",  # type: ignore[attr-defined]  # as above
}
_REDACTOR = Redactor()


class Section(BaseModel):
    """Frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True)


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

    @property
    def team_groups(self) -> tuple[str, ...]:
        """Those of `team_members` that are user groups."""
        return tuple(name for name in self.team_members if name.startswith("S"))


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
    hints: bool = False
    """Whether agents are told of other open questions: closed fields only, within the limits of docs/security.md."""


class ValidatorSection(Section):
    """Who tries to break the draft."""

    model: str | None = None
    """The model of `engine: claude`; that of the investigator when left out."""
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


class McpServerSection(Section):
    """A server of logs, metrics or errors that agents may ask."""

    command: tuple[str, ...] = ()
    """The program to start and its arguments; or `url`."""
    url: str = ""
    """The address of a server that runs already: https, or http on this machine."""
    tools: Annotated[dict[ToolName, Literal["read_only"]], Field(min_length=1)]
    """The tools that may be called, each with the operator's word that it changes nothing."""
    env: tuple[VariableName, ...] = ()
    """Variables of Triage's environment that the program gets; it gets no other."""
    bearer: VariableName | None = None
    """The variable whose value is sent as `Authorization: Bearer`."""
    headers: dict[HeaderName, VariableName] = {}
    """Other headers, each with the variable that holds its value."""

    @model_validator(mode="after")
    def _is_one_server(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("expected either command or url")
        if self.url and not _is_safe(self.url):
            raise ValueError("expected for url an https address without a password, or http on this machine")
        if self.command and (self.bearer or self.headers):
            raise ValueError("expected env with command; bearer and headers go with url")
        if self.url and self.env:
            raise ValueError("expected bearer or headers with url; env goes with command")
        if kinds := _REDACTOR.kinds("\n".join((*self.command, self.url))):
            raise ValueError(f"expected no secret here; it holds what looks like {kinds[0]}. Name a variable instead")
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable of the environment that this server needs."""
        return (*self.env, *((self.bearer,) if self.bearer else ()), *self.headers.values())


class McpSection(Section):
    """Servers that speak the Model Context Protocol."""

    servers: dict[ServerName, McpServerSection] = {}
    """By the name that tools and evidence show."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable that any server needs."""
        return tuple(name for server in self.servers.values() for name in server.variables)


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    loopback = parts.hostname in ("127.0.0.1", "localhost", "::1")
    secure = parts.scheme == "https" or (parts.scheme == "http" and loopback)
    return secure and bool(parts.hostname) and parts.username is None and parts.password is None
