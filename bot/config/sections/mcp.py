"""Settings of MCP servers (logs, metrics, errors) for agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from bot.config.sections.base import HeaderName, ProgramHost, Section, ServerName, ToolName, VariableName
from bot.errors import Misconfigured
from bot.models.address import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping


class McpServerSection(Section):
    """MCP server of logs, metrics or errors for agents."""

    command: tuple[str, ...] = ()
    """Program to start, with its arguments; or `url`."""
    url: str = ""
    """Address of a running server: https, or http on this machine."""
    tools: Annotated[dict[ToolName, Literal["read_only"]], Field(min_length=1)]
    """Allowed tools, each declared by the operator as free of side effects."""
    env: tuple[VariableName, ...] = ()
    """Variables of Triage's environment that the program receives; it receives no others."""
    reads: tuple[Path, ...] = ()
    """Folders and files that the program may read inside its boundary, besides its own installation."""
    hosts: tuple[ProgramHost, ...] = ()
    """Hosts that the program may reach, with a port if it is not 80 or 443; all hosts if empty."""
    bearer: VariableName | None = None
    """Variable whose value is sent as `Authorization: Bearer`."""
    headers: dict[HeaderName, VariableName] = Field(default_factory=dict)
    """Other headers, each with the variable that holds its value."""

    @model_validator(mode="after")
    def _is_one_server(self) -> Self:
        # its patterns take a tenth of a command's start, and most settings have no server
        from bot.decide.redaction.redactor import Redactor

        if bool(self.command) == bool(self.url):
            raise ValueError("expected either command or url")
        if self.url and not _is_safe(self.url):
            raise ValueError("expected for url an https address without a password, or http on this machine")
        if self.command and (self.bearer or self.headers):
            raise ValueError("expected env with command; bearer and headers go with url")
        if self.url and (self.env or self.reads or self.hosts):
            raise ValueError("expected bearer or headers with url; env, reads and hosts go with command")
        if strange := [path for path in self.reads if not path.expanduser().is_absolute()]:
            raise ValueError(f"expected whole paths in reads, got {strange[0]}")
        if kinds := Redactor().kinds("\n".join((*self.command, self.url))):
            raise ValueError(f"expected no secret here; it holds what looks like {kinds[0]}. Name a variable instead")
        return self

    def resolve(self, name: str, environment: Mapping[str, str]) -> dict[str, Any]:
        """Return the arguments of this server's client, secrets included.

        Raises `Misconfigured` when a variable is missing; `name` is the server's.
        """
        if missing := [variable for variable in self.variables if not environment.get(variable)]:
            raise Misconfigured(f"mcp.servers.{name}: the environment has no {missing[0]}")
        headers = {header: environment[variable] for header, variable in self.headers.items()}
        if self.bearer:
            headers["Authorization"] = f"Bearer {environment[self.bearer]}"
        return {
            "tools": self.tools,
            "command": self.command,
            "url": self.url,
            "reads": [path.expanduser() for path in self.reads],
            "hosts": self.hosts,
            "variables": {variable: environment[variable] for variable in self.env},
            "headers": headers,
        }

    @property
    def variables(self) -> tuple[str, ...]:
        """Return every variable of the environment that this server needs."""
        return (*self.env, *((self.bearer,) if self.bearer else ()), *self.headers.values())


class McpSection(Section):
    """Servers that speak the Model Context Protocol."""

    servers: dict[ServerName, McpServerSection] = Field(default_factory=dict)
    """Servers by the name that tools and evidence show."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Return every variable that any server needs."""
        return tuple(name for server in self.servers.values() for name in server.variables)


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    secure = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url))
    return secure and bool(parts.hostname) and parts.username is None and parts.password is None
