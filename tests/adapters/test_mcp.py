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

from bot.adapters.mcp import McpServer
from bot.config.sections.mcp import McpSection
from bot.errors import Misconfigured, ToolError
from bot.isolation import Boundary, boundary
from bot.tools.mcp_tools import remote_tools
from bot.tools.read_log import ReadLog
from bot.wiring.engines import build_mcp_servers
from tests.tables import each_row
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


@pytest.mark.parametrize("served", [(), ("library",)])
async def test_only_wanted_tools_are_offered_and_named_variables_given(
    monkeypatch: pytest.MonkeyPatch, served: tuple[str, ...]
) -> None:
    """No tool that the server calls writing, nor one that it does not have: both are told. Nothing of the bot's own
    environment."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xo" + "xb-of-the-bot")
    monkeypatch.setenv("OTHER_SECRET", "other")
    wanted = ("query_logs", "delete_logs", "nope", "environment")
    async with started(*wanted, variables={"LOGS_TOKEN": LOADED}, command=(*COMMAND, *served)) as server:
        offered = await server.list_tools()
        assert [tool.name for tool in offered.tools] == ["query_logs", "environment"]
        assert offered.problems == ("logs has no tool nope", "logs says that delete_logs is not read-only")
        with pytest.raises(ToolError, match="not an allowed tool"):
            await server.call("broken", {})
        said = json.loads((await server.call("environment", {})).text)
    assert said == {"LOGS_TOKEN": LOADED, "SLACK_BOT_TOKEN": "", "OTHER_SECRET": ""}


async def test_a_program_sees_its_own_files_and_those_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other of the home, no other process, no variable of the bot's; these are the same without a boundary."""
    monkeypatch.setenv("OTHER_SECRET", "other")
    key, named = tmp_path / "home" / ".ssh" / "key", tmp_path / "home" / "named" / "ca.pem"
    for path in (key, named):
        path.parent.mkdir(parents=True)
        path.write_text("here")
    fixed = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]
    for limits in (boundary(), Boundary(problem="off")):
        monkeypatch.setattr("bot.isolation.in_force._boundary", limits)
        async with started("look", reads=(named.parent,)) as server:
            said = json.loads((await server.call("look", {"paths": [str(key), str(named)]})).text)
        assert sorted({*said["variables"]} - {"PWD", "LC_CTYPE"}) == fixed
        if limits.bwrap:
            assert said["seen"] == {str(named): "here"}
            assert said["processes"] <= 2  # the boundary's own, and it
    assert len(said["seen"]) == 2


@pytest.mark.skipif(not boundary().bwrap, reason=f"no boundary here: {boundary().problem}")
async def test_a_program_reaches_the_hosts_that_are_named() -> None:
    """By way of the proxy alone: no other port of the same machine, and nothing without it."""
    async with greeting() as named, greeting() as other:
        urls = [f"http://127.0.0.1:{port}/x" for port in (named, other)]
        async with started("fetch", hosts=[f"127.0.0.1:{named}"]) as server:
            said = json.loads((await server.call("fetch", {"urls": urls, "port": named})).text)
        assert said == {"found": {urls[0]: "GET /x", urls[1]: "HTTP Error 403: Forbidden"}, "direct": False}
        async with started("fetch") as server:
            assert json.loads((await server.call("fetch", {"urls": urls[1:], "port": named})).text)["direct"]


@contextlib.asynccontextmanager
async def greeting() -> AsyncIterator[int]:
    """A web server that repeats what it was asked; gives its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).split(b" HTTP")[0]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(asked), asked))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_errors_are_answers_and_a_server_that_died_is_started_again() -> None:
    """The model reads what went wrong; the next call finds a server."""
    async with started("broken", "die", "query_logs") as server:
        assert (await server.call("broken", {})).failed
        with pytest.raises(ToolError, match="did not answer die"):
            await server.call("die", {})
        assert (await server.call("query_logs", {"query": "x", "limit": 1})).text == "line 0: x"


@pytest.mark.skipif(not boundary().bwrap, reason=f"no boundary here: {boundary().problem}")
async def test_a_program_that_its_boundary_refuses_says_why(tmp_path: Path) -> None:
    """In the boundary's own words; what the program itself complains of is its own, however much that is."""
    cases: list[tuple[dict[str, Any], str]] = [
        (
            {"reads": (tmp_path / "gone",)},
            rf"its boundary cannot be set up \(Can't find source path {tmp_path}/gone: No such",
        ),
        (
            {"command": ("/bin/sh", "-c", "head -c 300000 /dev/zero >&2; echo bwrap: no >&2")},
            r"list its tools \(\w+; it",
        ),
    ]
    for more, why in cases:
        async with started("query_logs", **more) as server:
            with pytest.raises(ToolError, match=f"{why}.*name others under `reads`"):
                await server.list_tools()


async def test_a_program_that_does_not_start_is_a_tools_failure() -> None:
    """No run of an agent ends for it."""
    async with started("query_logs", command=("/nonexistent/server",)) as server:
        with pytest.raises(ToolError, match=r"did not list its tools \(its program /nonexistent/server"):
            await server.list_tools()


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
            assert [tool.name for tool in (await server.list_tools()).tools] == ["query_logs"]
            assert (await server.call("query_logs", {"query": "x", "limit": 2})).text == "line 0: x\nline 1: x"
    finally:
        process.kill()
        await process.communicate()


async def test_an_agent_gets_answers_in_envelopes() -> None:
    """Redacted, unable to close themselves, the server's errors too; its words about a tool are stripped."""
    async with started("query_logs", "echo_secret", "broken", variables={"LOGS_TOKEN": LOADED}) as server:
        tools, problems = await remote_tools(server, make_guard(), ReadLog())
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


@pytest.mark.parametrize(
    ("bwrap", "given", "said"),
    [
        (("bwrap",), {"command": ["x"], "hosts": ["a.example", "b.example:3000"]}, "reaches a.example, b.example:3000"),
        (("bwrap",), {"command": ["x"]}, "reaches any host: name those it needs under `hosts`"),
        ((), {"command": ["x"], "hosts": ["a.example"]}, "without a boundary"),
        (("bwrap",), {"url": "https://logs.example/mcp"}, ""),
    ],
)
def test_what_doctor_says_of_a_program(
    monkeypatch: pytest.MonkeyPatch, bwrap: tuple[str, ...], given: dict[str, Any], said: str
) -> None:
    """Where it may go, and whether that holds."""
    monkeypatch.setattr("bot.isolation.in_force._boundary", Boundary(bwrap))
    assert McpServer("logs", tools=(), **given).reach.endswith(said)


SERVER = {"command": ["logs"], "tools": {"query": "read_only"}, "env": ["LOGS_TOKEN"]}
REMOTE = {"url": "https://logs.example/mcp", "tools": {"query": "read_only"}, "bearer": "LOGS_TOKEN"}


def test_a_missing_variable_is_named() -> None:
    """Before anything is started."""
    for server in (SERVER, REMOTE):
        section = McpSection.model_validate({"servers": {"logs": server}})
        assert section.variables == ("LOGS_TOKEN",)
        with pytest.raises(Misconfigured, match=r"mcp\.servers\.logs: the environment has no LOGS_TOKEN"):
            build_mcp_servers(section, {})
        assert [made.name for made in build_mcp_servers(section, {"LOGS_TOKEN": "x"})] == ["logs"]


def test_a_header_of_a_server_may_have_an_underscore() -> None:
    """As those of Datadog have."""
    section = McpSection.model_validate({"servers": {"logs": REMOTE | {"headers": {"DD_API_KEY": "DD_KEY"}}}})
    assert section.variables == ("LOGS_TOKEN", "DD_KEY")


@each_row(
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
        (SERVER, {"reads": ["ca.pem"]}, "expected whole paths in reads"),
        (REMOTE, {"reads": ["/x"]}, "reads and hosts go with command"),
        (REMOTE, {"hosts": ["logs.example"]}, "reads and hosts go with command"),
        (SERVER, {"hosts": ["https://logs.example"]}, "match pattern"),
        (REMOTE, {"env": ["A"]}, "expected bearer or headers with url"),
        (REMOTE, {"headers": {"X Y": "LOGS_TOKEN"}}, "match pattern"),
        (REMOTE, {"token": "x"}, "Extra inputs"),
    ],
)
def test_what_the_settings_refuse(server: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    """Two ways in, no tool marked, a token where its variable's name belongs, an address that others can read."""
    with pytest.raises(ValueError, match=said):
        McpSection.model_validate({"servers": {"logs": server | changes}})
