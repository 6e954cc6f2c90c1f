"""Inputs of commands on projects and their channels."""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from bot.commands.inputs import ChannelName, ProjectNamed
from bot.models.fact import Fact
from bot.models.project import RESERVED_NAMES, MaxAgents, StoredProjectName, Weight
from bot.models.visible import clean

_NAME = TypeAdapter[str](StoredProjectName)
_WEIGHT, _MAX_AGENTS = TypeAdapter[float](Weight), TypeAdapter[int](MaxAgents)
_MAX_LENGTH = Field(max_length=500)
_EXISTING_CHANNEL = re.compile(r"<#[A-Z0-9]{2,31}(?:\|[^>]*)?>")
_CHANNEL_NAME = re.compile(r"[\w-]{1,80}")
_NAMED = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}=")
Root = Annotated[str, _MAX_LENGTH, Field(description="Path of a folder on Triage's machine.")]
Address = Annotated[str, _MAX_LENGTH, Field(description="Or an https://, ssh:// or file:// address.")]
Branch = Annotated[str, _MAX_LENGTH, Field(description="Of the repository; else its default one.")]
WebUrl = Annotated[str, _MAX_LENGTH, Field(description="The repository's page, for links.")]
_ONE_LINE = AfterValidator(lambda text: " ".join(clean(text).split()))
About = Annotated[
    str,
    _MAX_LENGTH,
    _ONE_LINE,
    Field(description="What it is, in a sentence."),
]
DisplayName = Annotated[
    str,
    Field(max_length=80),
    _ONE_LINE,
    Field(description="Name that people see; the id stays."),
]


def _parse_weight(value: Any) -> Any:
    """Parse a weight, or an empty value, which restores the default."""
    text = str(value).strip()
    if not text:
        return ""
    try:
        return f"{_WEIGHT.validate_python(text):g}"
    except ValidationError:
        raise ValueError("expected a number from 0.1 to 100, such as 2") from None


def _parse_max_agents(value: Any) -> Any:
    text = str(value).strip()
    if not text:
        return ""
    try:
        return str(_MAX_AGENTS.validate_python(text))
    except ValidationError:
        raise ValueError("expected a whole number from 1 to 10") from None


WeightText = Annotated[
    str,
    BeforeValidator(_parse_weight),
    WithJsonSchema({"type": "number", "description": "Its share of the created tasks, 0.1 to 100 (1)."}),
]
MaxAgentsText = Annotated[
    str,
    BeforeValidator(_parse_max_agents),
    WithJsonSchema({"type": "integer", "description": "Its created tasks at the same time, 1 to 10."}),
]


def _parse_name(value: Any) -> Any:
    try:
        name = _NAME.validate_python(value)
    except ValidationError:
        raise ValueError("expected 1 to 64 letters, digits, dots, dashes and underscores, such as shop") from None
    if name.lower() in RESERVED_NAMES:
        raise ValueError("expected another name: none means no project, and all means each of them")
    return name


def _parse_new_channel(value: Any) -> Any:
    text = str(value).strip()
    if _EXISTING_CHANNEL.fullmatch(text):
        raise ValueError("this channel exists: create the project without it, and link it by `set_project_channel`")
    name = text.removeprefix("#")
    is_named = _CHANNEL_NAME.fullmatch(name) and name == name.lower() and any(map(str.isalnum, name))
    if name and not is_named:
        raise ValueError("expected at most 80 lower-case letters, digits, dashes and underscores, such as help-shop")
    return name


NewChannel = Annotated[
    str,
    BeforeValidator(_parse_new_channel, json_schema_input_type=str),
    Field(description="A channel to create, such as help-shop."),
]


class _Code(Fact):
    """Location of code as typed: a URL given as a folder is moved to the right field."""

    @model_validator(mode="before")
    @classmethod
    def _an_address_is_no_folder(cls, values: Any) -> Any:
        root = str(values.get("root", "")) if isinstance(values, dict) else ""
        if _NAMED.match(root):  # the words of a line fill the fields in their order
            *names, last = [*cls.model_fields][1:]
            raise ValueError(f"expected one of {', '.join(names)} and {last} before the =")
        if ("://" in root or ":" in root.partition("/")[0]) and not values.get("repository"):  # as git reads it
            return {**{key: value for key, value in values.items() if key != "root"}, "repository": values["root"]}
        return values


class NewProject(_Code):
    """A project: its name, and either the folder of its code or the address that it is fetched from."""

    name: Annotated[StoredProjectName, BeforeValidator(_parse_name), Field(description="Its name.")]
    root: Root = ""
    repository: Annotated[Address, Field(validate_default=True)] = ""
    branch: Branch = ""
    web_url: WebUrl = ""
    description: About = ""
    channel: NewChannel = ""

    @field_validator("channel", mode="before")
    @classmethod
    def _may_be_its_own_name(cls, channel: Any, info: ValidationInfo) -> Any:
        """Take `true` as a channel with the project's name, and `false` as none."""
        word = str(channel).strip().lower()
        own_name = str(info.data.get("name", "")).lower().replace(".", "-")
        return own_name if word in ("true", "yes") else "" if word in ("false", "no") else channel

    @field_validator("repository")
    @classmethod
    def _is_somewhere(cls, repository: str, info: ValidationInfo) -> str:
        if bool(info.data.get("root")) == bool(repository):
            raise ValueError(
                "expected either a folder as root, such as /srv/shop, or an address as repository; give further "
                'values with their names, as in branch=main description="The shop"'
            )
        return repository

    @property
    def settings(self) -> dict[str, str]:
        """Return the given keys, as in `triage.yml`."""
        return {key: value for key, value in self.model_dump(exclude={"name", "channel"}).items() if value}


_AS_NEW = Field(description="As in create_project.")


class ProjectChange(_Code):
    """A project and the keys to change; an empty value removes a key."""

    project: ProjectNamed
    root: Annotated[Root | None, _AS_NEW] = None
    repository: Annotated[Address | None, _AS_NEW] = None
    branch: Annotated[Branch | None, _AS_NEW] = None
    web_url: Annotated[WebUrl | None, _AS_NEW] = None
    description: Annotated[About | None, _AS_NEW] = None
    name: DisplayName | None = None
    weight: WeightText | None = None
    max_agents: MaxAgentsText | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.changes:
            *keys, last = [*type(self).model_fields][1:]
            raise ValueError(f"expected what is to change: {', '.join(keys)} or {last}")
        return self

    @property
    def changes(self) -> dict[str, str]:
        """Return the keys to change."""
        return self.model_dump(exclude={"project"}, exclude_none=True)


class ProjectInput(Fact):
    """A project by its name."""

    project: ProjectNamed


class ProjectToDelete(Fact):
    """A project by its name, and what goes with it."""

    project: ProjectNamed
    with_data: Annotated[bool, Field(description="true: its notes, tasks and clones go, too.")] = False
    archive_channels: Annotated[bool, Field(description="true: channels made for it are archived.")] = False


class MaybeProject(Fact):
    """A project by its name; without one, that of the conversation."""

    project: ProjectNamed = ""


class ProjectOrNone(Fact):
    """A project by its name, or `none`; without a word, the one that counts is shown."""

    project: ProjectNamed = ""


class ProjectChannel(Fact):
    """A project by its name, or `none`, and a watched channel; without one, that in which the command is given."""

    project: ProjectNamed
    channel: ChannelName = ""


class MaybeChannel(Fact):
    """A watched channel; without one, that in which the command is given."""

    channel: ChannelName = ""
