"""Remote tools: the tools of an MCP server, and their answers."""

from __future__ import annotations

from typing import Any

from bot.models.fact import Fact


class RemoteTool(Fact):
    """One tool of a server, in the server's own words, which are not trusted."""

    name: str
    description: str
    input_schema: dict[str, Any]


class OfferedTools(Fact):
    """The tools of a server that are allowed by the settings."""

    tools: tuple[RemoteTool, ...]
    problems: tuple[str, ...] = ()
    """For each missing tool of the settings a sentence that says why."""


class RemoteAnswer(Fact):
    """A tool's answer; `failed` if the server calls it an error."""

    text: str
    failed: bool = False
