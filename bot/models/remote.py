"""Tools that another program offers: what `adapters/mcp` tells of an MCP server, and `tools/mcp_tools` hands to
agents."""

from __future__ import annotations

from typing import Any

from bot.models.fact import Fact


class RemoteTool(Fact):
    """One tool of a server, in the server's own words, which are not trusted."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Offered(Fact):
    """What a server offers of the tools that the settings name."""

    tools: tuple[RemoteTool, ...]
    problems: tuple[str, ...] = ()
    """Why tools that the settings name are not among them, a sentence each."""


class RemoteAnswer(Fact):
    """What a tool said. `failed` when the server calls it an error."""

    text: str
    failed: bool = False
