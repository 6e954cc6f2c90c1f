"""The MCP servers of the settings, put together with their variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.adapters.mcp import McpServer
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config.sections.mcp import McpSection


def mcp_servers(section: McpSection, environment: Mapping[str, str]) -> tuple[McpServer, ...]:
    """One for each server; none is started. Raises `Misconfigured` when a variable is missing."""
    made = []
    for name, server in section.servers.items():
        if missing := [variable for variable in server.variables if not environment.get(variable)]:
            raise Misconfigured(f"mcp.servers.{name}: the environment has no {missing[0]}")
        headers = {header: environment[variable] for header, variable in server.headers.items()}
        if server.bearer:
            headers["Authorization"] = f"Bearer {environment[server.bearer]}"
        made.append(
            McpServer(
                name,
                tools=server.tools,
                command=server.command,
                url=server.url,
                reads=[path.expanduser() for path in server.reads],
                hosts=server.hosts,
                variables={variable: environment[variable] for variable in server.env},
                headers=headers,
            )
        )
    return tuple(made)
