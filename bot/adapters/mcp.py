"""MCP servers: programs that answer questions about logs, metrics and errors, over stdio or HTTP.

The port `ToolServer` on the `mcp` library, which is imported when a server is first used. Only the tools named in the
settings are listed and called. A program starts inside the operating system's boundary (`bot/isolation`): it sees its
own installation and the folders configured for it, and gets only the variables configured for it.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from bot.errors import Misconfigured, ToolError
from bot.isolation import Grant, NotIsolated, boundary
from bot.isolation.grant import PRIVATE_HOME
from bot.isolation.program import locate_program
from bot.isolation.relay import Relay, wrap_command
from bot.models.remote import OfferedTools, RemoteAnswer, RemoteTool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence

    from mcp import Client

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

CONNECTING = 60.0
"""Seconds for a server to start and to be initialised."""
DEADLINE = 30.0
"""Seconds for one call."""
ENDING = 10.0
"""Seconds for a server to end."""
LONGEST_COMPLAINT = 1_000
_PIECE = 65_536
_FIXED = {"USER": "triage", "LOGNAME": "triage", "SHELL": "/bin/sh", "TERM": "dumb", "LANG": "C.UTF-8"}
PAGES = 20
"""Pages read of a server's list of tools."""


class McpServer:
    """One server, started at the first call, and again after a failure; `stop` ends it.

    Either `command` (a program and its arguments; `reads`, additional readable folders; `hosts`, the only reachable
    ones, or any if empty) or `url`. `variables` and `headers` hold values, including secrets.
    """

    def __init__(
        self,
        name: str,
        *,
        tools: Collection[str],
        command: Sequence[str] = (),
        url: str = "",
        reads: Sequence[Path] = (),
        hosts: Collection[str] = (),
        variables: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._wanted = frozenset(tools)
        self._command, self._url, self._reads = tuple(command), url, tuple(reads)
        self._hosts = tuple(hosts)
        self._variables, self._headers = dict(variables or {}), dict(headers or {})
        self._connecting = asyncio.Lock()
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._complaint = b""
        """The beginning of the program's error output."""

    @property
    def reach(self) -> str:
        """Describe the program's access to this machine and the network in a few words; empty for a remote server."""
        if self._url:
            return ""
        if not boundary().bwrap:
            return "without a boundary"
        return f"in a boundary, reaches {', '.join(self._hosts) or 'any host: name those it needs under `hosts`'}"

    async def list_tools(self) -> OfferedTools:
        """Return the configured tools that the server has and does not declare as writing. Raises `ToolError` if it
        does not answer."""
        tools = await self._request(_all_tools, "list its tools")
        writing = {t.name for t in tools if t.annotations and _is_writing(t.annotations)} & self._wanted
        missing = self._wanted - {tool.name for tool in tools}
        return OfferedTools(
            tools=tuple(
                RemoteTool(name=tool.name, description=tool.description or "", input_schema=tool.input_schema)
                for tool in tools
                if tool.name in self._wanted - writing
            ),
            problems=(
                *(f"{self.name} has no tool {name}" for name in sorted(missing)),
                *(f"{self.name} says that {name} is not read-only" for name in sorted(writing)),
            ),
        )

    async def call(self, tool: str, arguments: dict[str, Any]) -> RemoteAnswer:
        """Call one configured tool. Raises `ToolError` if it is not configured or the server does not answer."""
        if tool not in self._wanted:
            raise ToolError(f"{tool} is not an allowed tool.")
        result = await self._request(lambda client: client.call_tool(tool, arguments), f"answer {tool}")
        return RemoteAnswer(text=_text(result), failed=bool(result.is_error))

    async def stop(self) -> None:
        """Stop the server, if it is running."""
        owner, self._owner, self._client = self._owner, None, None
        if owner is None:
            return
        self._end.set()
        _, pending = await asyncio.wait([owner], timeout=ENDING)
        for task in pending:
            task.cancel()
        await asyncio.gather(owner, return_exceptions=True)

    async def _request(self, ask: Callable[[Client], Awaitable[Answer]], what: str) -> Answer:
        """Make one request and translate every failure; a failed server is restarted for the next one."""
        client = None
        try:
            client = await self._ensure_connected()
            async with asyncio.timeout(DEADLINE):
                return await ask(client)
        except Misconfigured:
            raise
        except Exception as problem:  # the library passes on any error of its transports, including exception groups
            log.warning("mcp server %s did not %s: %s", self.name, what, problem)
            await self.stop()
            why = type(problem).__name__
            if isinstance(problem, FileNotFoundError):
                why = f"its program {problem.filename} is not there: see `command`"
            elif self._command and client is None and boundary().bwrap:
                own = "it starts with its own files alone: name others under `reads`, see docs/logs.md"
                why = f"{self._refusal or why}; {own}"
            raise ToolError(f"The server {self.name} did not {what} ({why}).") from problem

    @property
    def _refusal(self) -> str:
        """Return the reason why the boundary prevented the start; empty if the program itself ended."""
        try:
            boundary().check(self._complaint)
        except NotIsolated as refused:
            return refused.strerror or ""
        return ""

    async def _ensure_connected(self) -> Client:
        async with self._connecting:
            if self._client is None or self._owner is None or self._owner.done():
                self._end = asyncio.Event()
                ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
                self._owner = asyncio.create_task(self._hold_connection(ready, self._end), name=f"mcp {self.name}")
                async with asyncio.timeout(CONNECTING):
                    self._client = await ready
            return self._client

    async def _hold_connection(self, ready: asyncio.Future[Client], end: asyncio.Event) -> None:
        """Hold the connection from start to end in one task, as the library requires."""
        try:
            async with AsyncExitStack() as stack:
                client = await self._open_client(stack)
                ready.set_result(client)
                await end.wait()
        except Exception as problem:  # as above
            if ready.done():
                log.warning("mcp server %s ended: %s", self.name, problem)
            else:
                ready.set_exception(problem)

    async def _open_client(self, stack: AsyncExitStack) -> Client:
        try:
            await asyncio.to_thread(importlib.import_module, "mcp")  # takes a second; must not block the event loop
            import httpx2
            from mcp import Client, StdioServerParameters, stdio_client
            from mcp.client.streamable_http import streamable_http_client
        except ImportError as problem:
            raise Misconfigured("MCP servers need the library `mcp`: pip install 'mcp>=2.3'") from problem
        if self._url:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=self._headers, timeout=DEADLINE))
            return await stack.enter_async_context(Client(streamable_http_client(self._url, http_client=http)))
        relay = Relay(self._hosts) if self._hosts and (await asyncio.to_thread(boundary)).bwrap else None
        if relay is not None:
            stack.push_async_callback(relay.stop)
        path = await relay.start() if relay is not None else None
        (program, *arguments), variables = await asyncio.to_thread(self._start_command, path)
        server = StdioServerParameters(command=program, args=arguments, env=variables)
        complaints = stack.enter_context(self._error_stream())
        return await stack.enter_async_context(Client(stdio_client(server, errlog=complaints)))

    @contextmanager
    def _error_stream(self) -> Iterator[TextIO]:
        """Open a stream for the program's error output: its beginning is kept, and the rest drained, so that the
        program never blocks."""
        self._complaint = b""
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)

        def read() -> None:
            with suppress(BlockingIOError):
                self._complaint += os.read(ours, _PIECE)[: LONGEST_COMPLAINT - len(self._complaint)]

        loop = asyncio.get_running_loop()
        loop.add_reader(ours, read)
        try:
            with os.fdopen(theirs, "w", encoding="utf-8") as stream:
                yield stream
                read()
        finally:
            loop.remove_reader(ours)
            os.close(ours)

    def _start_command(self, relay: Path | None) -> tuple[list[str], dict[str, str]]:
        """Return the command that starts the program inside its boundary, and all of its variables; blocking."""
        program, limits = locate_program(self._command), boundary()
        command, extra_reads = wrap_command(relay, program.command) if relay else (program.command, ())
        reads = (*program.reads, *self._reads, *extra_reads)
        grant = Grant(folder=Path.cwd(), reads=reads, has_network=relay is None, is_equipped=True)
        home = PRIVATE_HOME if limits.bwrap else str(Path.home())
        variables = {**_FIXED, "PATH": program.path, "HOME": home, **self._variables}
        return [*limits.arguments(grant, command)], variables


async def _all_tools(client: Client) -> list[Any]:
    tools: list[Any] = []
    cursor = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return tools


def _is_writing(hints: Any) -> bool:
    """Return whether a server declares a tool as writing; without a declaration the settings decide."""
    return hints.read_only_hint is False or (hints.destructive_hint is True and not hints.read_only_hint)


def _text(result: Any) -> str:
    parts = [block.text if block.type == "text" else f"({block.type} left out)" for block in result.content]
    if not parts and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False, indent=1)
    return "\n".join(parts)
