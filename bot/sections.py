"""Sections of `triage.yml` about MCP servers, and what every section is made of. Read by `bot/settings.py`."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from bot.decide.redact import Redactor

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")]
ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_./-]{1,128}$")]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]

EXPECTED = {
    ServerName.__metadata__[0].pattern: "a name of letters, digits, dashes",  # type: ignore[attr-defined]  # typing hides it
    ToolName.__metadata__[0].pattern: "the name of a tool",  # type: ignore[attr-defined]  # as above
    VariableName.__metadata__[0].pattern: "the name of a variable of the environment, never its value",  # type: ignore[attr-defined]  # as above
    HeaderName.__metadata__[0].pattern: "the name of a header",  # type: ignore[attr-defined]  # as above
}
_REDACTOR = Redactor()


class Section(BaseModel):
    """Frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True)


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
