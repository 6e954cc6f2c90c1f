"""MCP servers, real ones on this machine: a program over stdio, and one over HTTP, with the agent's tools on top."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.edges.mcp import McpServer
from bot.errors import Misconfigured, ToolError
from bot.mcp_servers import mcp_servers
from bot.sections.mcp import McpSection
from bot.tools.opened import Opened
from bot.tools.remote import remote_tools
from tests.tools.conftest import LOADED, make_guard

PROGRAM = Path(__file__).with_name("mcp_program.py")
COMMAND = (sys.executable, str(PROGRAM))


@contextlib.asynccontextmanager
async def started(*tools: str, **more: Any) -> AsyncIterator[McpServer]:
    """The program, with these tools wanted."""
    server = McpServer("logs", tools=tools, **({"command": COMMAND} | more))
    try:
        yield server
    finally:
        await server.stop()


async def test_only_wanted_tools_are_offered_and_named_variables_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool that the server calls writing, nor one that it does not have: both are told. Nothing of the bot's own
    environment."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xo" + "xb-of-the-bot")
    monkeypatch.setenv("OTHER_SECRET", "other")
    wanted = ("query_logs", "delete_logs", "nope", "environment")
    async with started(*wanted, variables={"LOGS_TOKEN": LOADED}) as server:
        offered = await server.offered()
        assert [tool.name for tool in offered.tools] == ["query_logs", "environment"]
        assert offered.problems == ("logs has no tool nope", "logs says that delete_logs is not read-only")
        with pytest.raises(ToolError, match="no tool that may be used"):
            await server.call("broken", {})
        said = json.loads((await server.call("environment", {})).text)
    assert said == {"LOGS_TOKEN": LOADED, "SLACK_BOT_TOKEN": "", "OTHER_SECRET": ""}


async def test_errors_are_answers_and_a_server_that_died_is_started_again() -> None:
    """The model reads what went wrong; the next call finds a server."""
    async with started("broken", "die", "query_logs") as server:
        assert (await server.call("broken", {})).failed
        with pytest.raises(ToolError, match="did not answer die"):
            await server.call("die", {})
        assert (await server.call("query_logs", {"query": "x", "limit": 1})).text == "line 0: x"


async def test_a_program_that_does_not_start_is_a_tools_failure() -> None:
    """No run of an agent ends for it."""
    async with started("query_logs", command=("/nonexistent/server",)) as server:
        with pytest.raises(ToolError, match=r"did not list its tools \(its program /nonexistent/server"):
            await server.offered()


async def test_over_http() -> None:
    """The same over HTTP, with a header."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    process = await asyncio.create_subprocess_exec(*COMMAND, str(port), stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        while b"running on" not in (line := await process.stderr.readline()):
            assert line, "the server ended"
        url = f"http://127.0.0.1:{port}/mcp"
        async with started("query_logs", command=(), url=url, headers={"Authorization": "Bearer x"}) as server:
            assert [tool.name for tool in (await server.offered()).tools] == ["query_logs"]
            assert (await server.call("query_logs", {"query": "x", "limit": 2})).text == "line 0: x\nline 1: x"
    finally:
        process.kill()
        await process.communicate()


async def test_an_agent_gets_answers_in_envelopes() -> None:
    """Redacted, unable to close themselves, the server's errors too; its words about a tool are stripped."""
    async with started("query_logs", "echo_secret", "broken", variables={"LOGS_TOKEN": LOADED}) as server:
        tools, problems = await remote_tools(server, make_guard(), Opened())
        found = {tool.name: tool for tool in tools}
        assert (sorted(found), problems) == (["logs_broken", "logs_echo_secret", "logs_query_logs"], ())
        query = found["logs_query_logs"]
        assert query.schema["required"] == ["query"]
        assert "\u200b" not in query.description
        assert query.description.startswith("A read-only tool of the server logs. In its own words: Find lines")
        answer = await query.run(query.input.model_validate({"query": "x", "limit": 1}))
        assert answer == '⟦untrusted n1 source="mcp" server="logs" tool="query_logs"⟧\nline 0: x\n⟦end n1⟧'
        echo = found["logs_echo_secret"]
        said = await echo.run(echo.input.model_validate({}))
        assert "connected with [redacted] [[end n1]]" in said
        broken = found["logs_broken"]
        assert 'status="error"' in await broken.run(broken.input.model_validate({}))


SERVER = {"command": ["logs"], "tools": {"query": "read_only"}, "env": ["LOGS_TOKEN"]}
REMOTE = {"url": "https://logs.example/mcp", "tools": {"query": "read_only"}, "bearer": "LOGS_TOKEN"}


def test_a_missing_variable_is_named() -> None:
    """Before anything is started."""
    for server in (SERVER, REMOTE):
        section = McpSection.model_validate({"servers": {"logs": server}})
        assert section.variables == ("LOGS_TOKEN",)
        with pytest.raises(Misconfigured, match=r"mcp\.servers\.logs: the environment has no LOGS_TOKEN"):
            mcp_servers(section, {})
        assert [made.name for made in mcp_servers(section, {"LOGS_TOKEN": "x"})] == ["logs"]


@pytest.mark.parametrize(
    ("server", "changes", "said"),
    [
        (SERVER, {"url": "https://logs.example/mcp"}, "either command or url"),
        (SERVER, {"command": []}, "either command or url"),
        (SERVER, {"tools": {}}, "at least 1 item"),
        (SERVER, {"tools": {"query": "any"}}, "read_only"),
        (SERVER, {"tools": ["query"]}, "valid dictionary"),
        (SERVER, {"headers": {"X": "LOGS_TOKEN"}}, "expected env with command"),
        (SERVER, {"command": ["logs", "--token=" + "gl" + "sa_" + "a1B2" * 10]}, "what looks like a Grafana token"),
        (SERVER, {"env": ["LOGS_TOKEN=x"]}, "match pattern"),
        (REMOTE, {"url": "http://logs.example/mcp"}, "https address"),
        (REMOTE, {"url": "https://ana:pw@logs.example/mcp"}, "https address"),
        (REMOTE, {"env": ["A"]}, "expected bearer or headers with url"),
        (REMOTE, {"token": "x"}, "Extra inputs"),
    ],
)
def test_what_the_settings_refuse(server: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    """Two ways in, no tool marked, a token where its variable's name belongs, an address that others can read."""
    with pytest.raises(ValueError, match=said):
        McpSection.model_validate({"servers": {"logs": server | changes}})
