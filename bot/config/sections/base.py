"""Base class of all sections, and the types of ids that keys hold."""

from __future__ import annotations

from typing import Annotated, get_args
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationInfo,
    field_validator,
)

from bot.decide.calendar import WEEKDAYS, read_time, read_weekday_time
from bot.decide.project_reach import is_local
from bot.models.role import RoleName


def _day_time(value: object) -> str:
    """Parse a time of day, or `off`. YAML reads `17:30` as a number of minutes, and `off` as false."""
    if value in (None, False) or str(value).strip().lower() == "off":
        return "off"
    if isinstance(value, int):
        value = f"{value // 60:02}:{value % 60:02}"
    return f"{read_time(str(value)):%H:%M}"


def _week_time(value: object) -> str:
    if value in (None, False) or str(value).strip().lower() == "off":
        return "off"
    weekday, time = read_weekday_time(str(value))
    return f"{WEEKDAYS[weekday]} {time:%H:%M}"


def _is_of_the_network(host: str) -> str:
    name, _, port = host.partition(":")
    if port and not 0 < int(port) < 65_536:
        raise ValueError(f"expected a port from 1 to 65535, got {port}")
    if is_local(name):
        raise ValueError(f"expected a host on the network, got {host}: fetching from this machine is not allowed")
    return host


ChannelId = Annotated[str, StringConstraints(pattern=r"^[CGD][A-Z0-9]{2,30}$")]
UserId = Annotated[str, StringConstraints(pattern=r"^[UW][A-Z0-9]{2,30}$")]
TeamId = Annotated[str, StringConstraints(pattern=r"^[UWS][A-Z0-9]{2,30}$")]
AlertBotId = Annotated[str, StringConstraints(pattern=r"^[ABUW][A-Z0-9]{2,30}$")]
ProjectName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]

UnitName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9:_.@\\-]{0,255}$")]
RunbookName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
ParameterName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./-]{1,128}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
EmojiName = Annotated[str, StringConstraints(pattern=r"^[^\s:<>&]{1,100}$")]
DayTime = Annotated[str, BeforeValidator(_day_time)]
"""Time of day such as `08:30`, or `off`."""
WeekTime = Annotated[str, BeforeValidator(_week_time)]
"""Weekday and time such as `mon 09:00`, or `off`."""
MuteWord = Annotated[str, StringConstraints(pattern=r"^.{0,99}\w.{0,99}$")]
Keyword = Annotated[str, StringConstraints(pattern=r"\w")]
CategoryName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
OwnerName = Annotated[str, StringConstraints(pattern=r"^(?:@[\w./-]+|[^@\s]+@[^@\s]+)$")]
BranchName = Annotated[str, StringConstraints(pattern=r"^(?:[A-Za-z0-9_][A-Za-z0-9._/-]{0,199})?$")]
IgnorePattern = Annotated[str, StringConstraints(pattern=r"^[^!\s\[\]{}\\][^\[\]{}\\\x00-\x1f]{0,199}$")]
HostName = Annotated[
    str,
    BeforeValidator(lambda host: host.lower() if isinstance(host, str) else host),
    StringConstraints(pattern=r"^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*(:\d{1,5})?$"),
    AfterValidator(_is_of_the_network),
]
ProgramHost = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:\d{1,5})?$")]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


def _is_known(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError) as problem:
        raise ValueError(f"expected a time zone such as Europe/Berlin, got {name!r}") from problem
    return name


ZoneName = Annotated[str, AfterValidator(_is_known)]

EXPECTED = {
    ChannelId.__metadata__[0].pattern: "a Slack channel id such as C0123ABCD",  # type: ignore[attr-defined]  # typing hides it
    UserId.__metadata__[0].pattern: "a Slack user id such as U0123ABCD",  # type: ignore[attr-defined]  # as above
    TeamId.__metadata__[0].pattern: "a Slack user id such as U0123ABCD, or a user group's such as S0123ABCD",  # type: ignore[attr-defined]  # as above
    AlertBotId.__metadata__[0].pattern: "a bot's id such as B0123ABCD, A0123ABCD or U0123ABCD",  # type: ignore[attr-defined]  # as above
    ProjectName.__metadata__[0].pattern: "a name of at most 64 letters a-z or A-Z, digits, dots, dashes, underscores",  # type: ignore[attr-defined]  # as above
    UnitName.__metadata__[0].pattern: "the name of a container or unit, such as web-1 or shop.service",  # type: ignore[attr-defined]  # as above
    RunbookName.__metadata__[0].pattern: "a name of at most 64 letters a-z, digits, dots, dashes, underscores",  # type: ignore[attr-defined]  # as above
    ParameterName.__metadata__[0].pattern: "a parameter's name: lower-case letters, digits, underscores",  # type: ignore[attr-defined]  # as above
    RoleName.__metadata__[0].pattern: "a role's name: lower-case letters, digits, dashes",  # type: ignore[attr-defined]  # as above
    ServerName.__metadata__[0].pattern: "a name of letters, digits, dashes, underscores",  # type: ignore[attr-defined]  # typing hides it
    ToolName.__metadata__[0].pattern: "the name of a tool",  # type: ignore[attr-defined]  # as above
    VariableName.__metadata__[0].pattern: "the name of a variable of the environment, never its value",  # type: ignore[attr-defined]  # as above
    EmojiName.__metadata__[0].pattern: "the name of an emoji without colons, such as mute",  # type: ignore[attr-defined]  # as above
    MuteWord.__metadata__[0].pattern: "a short message with at least one letter",  # type: ignore[attr-defined]  # as above
    Keyword.__metadata__[0].pattern: "a word with at least one letter",  # type: ignore[attr-defined]  # as above
    CategoryName.__metadata__[0].pattern: "a category's name: lower-case letters, digits, dashes",  # type: ignore[attr-defined]  # as above
    OwnerName.__metadata__[0].pattern: "an owner as CODEOWNERS has it: @name, @org/team or an e-mail address",  # type: ignore[attr-defined]  # as above
    BranchName.__metadata__[0].pattern: "a branch's name, such as main",  # type: ignore[attr-defined]  # as above
    IgnorePattern.__metadata__[0].pattern: "a pattern of .gitignore without !, [ and {, such as vendor/**",  # type: ignore[attr-defined]  # as above
    HostName.__metadata__[1].pattern: "a host without scheme and path, such as github.com or git.example.com:8443",  # type: ignore[attr-defined]  # as above
    ProgramHost.__metadata__[0].pattern: "a host such as logs.example.com, or host:port",  # type: ignore[attr-defined]  # as above
    HeaderName.__metadata__[0].pattern: "the name of a header",  # type: ignore[attr-defined]  # as above
}


class Section(BaseModel):
    """Base of all sections: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _no_yes_for_a_number(cls, value: object, info: ValidationInfo) -> object:
        """Reject `true` for a number, although Python counts it as 1."""
        kind = cls.model_fields[info.field_name or ""].annotation
        kinds = get_args(kind) or (kind,)
        if isinstance(value, bool) and bool not in kinds and {int, float}.intersection(kinds):
            raise ValueError(f"expected a number, got {str(value).lower()}")
        return value
