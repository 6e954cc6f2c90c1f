"""MCP servers: programs that answer questions about logs, metrics and errors, over stdio or HTTP.

The port `ToolServer` on the `mcp` library, which is imported when a server is first used. Only the tools that the
settings name are listed and called. A server gets the variables that are named for it, and none of the bot's own.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import Misconfigured, ToolError
from bot.models.remote import Offered, RemoteAnswer, RemoteTool

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from mcp import Client

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

CONNECTING = 60.0
"""Seconds that a server may take to start and greet."""
DEADLINE = 30.0
"""Seconds that one call may take."""
ENDING = 10.0
"""Seconds that a server may take to end."""
PAGES = 20
"""Pages of a server's list of tools that are read."""


class McpServer:
    """One server, started at the first call, again at the next one after it broke; `stop` ends it.

    Either `command` (a program and its arguments) or `url`. `variables` and `headers` hold values, secrets included.
    """

    def __init__(
        self,
        name: str,
        *,
        tools: Collection[str],
        command: Sequence[str] = (),
        url: str = "",
        variables: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._wanted = frozenset(tools)
        self._command, self._url = tuple(command), url
        self._variables, self._headers = dict(variables or {}), dict(headers or {})
        self._connecting = asyncio.Lock()
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    async def offered(self) -> Offered:
        """The wanted tools that the server has and does not call writing. Raises `ToolError` when it is silent."""
        found = await self._asked(_all_tools, "list its tools")
        writing = {t.name for t in found if t.annotations and _writes(t.annotations)} & self._wanted
        missing = self._wanted - {tool.name for tool in found}
        return Offered(
            tools=tuple(
                RemoteTool(name=tool.name, description=tool.description or "", input_schema=tool.input_schema)
                for tool in found
                if tool.name in self._wanted - writing
            ),
            problems=(
                *(f"{self.name} has no tool {name}" for name in sorted(missing)),
                *(f"{self.name} says that {name} is not read-only" for name in sorted(writing)),
            ),
        )

    async def call(self, tool: str, arguments: dict[str, Any]) -> RemoteAnswer:
        """Call one wanted tool. Raises `ToolError` when it is not wanted or the server does not answer."""
        if tool not in self._wanted:
            raise ToolError(f"{tool} is no tool that may be used.")
        said = await self._asked(lambda client: client.call_tool(tool, arguments), f"answer {tool}")
        return RemoteAnswer(text=_text(said), failed=bool(said.is_error))

    async def stop(self) -> None:
        """End the server, if it runs."""
        owner, self._owner, self._client = self._owner, None, None
        if owner is None:
            return
        self._end.set()
        _, late = await asyncio.wait([owner], timeout=ENDING)
        for task in late:
            task.cancel()
        await asyncio.gather(owner, return_exceptions=True)

    async def _asked(self, ask: Callable[[Client], Awaitable[Answer]], what: str) -> Answer:
        """One request, every failure translated; a server that failed is started anew the next time."""
        try:
            client = await self._connected()
            async with asyncio.timeout(DEADLINE):
                return await ask(client)
        except Misconfigured:
            raise
        except Exception as problem:  # the library passes on whatever its transports raise, groups of errors included
            log.warning("mcp server %s did not %s: %s", self.name, what, problem)
            await self.stop()
            why = type(problem).__name__
            if isinstance(problem, FileNotFoundError):
                why = f"its program {problem.filename} is not there: see `command`"
            raise ToolError(f"The server {self.name} did not {what} ({why}).") from problem

    async def _connected(self) -> Client:
        async with self._connecting:
            if self._client is None or self._owner is None or self._owner.done():
                self._end = asyncio.Event()
                ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
                self._owner = asyncio.create_task(self._own(ready, self._end), name=f"mcp {self.name}")
                async with asyncio.timeout(CONNECTING):
                    self._client = await ready
            return self._client

    async def _own(self, ready: asyncio.Future[Client], end: asyncio.Event) -> None:
        """Hold the connection from its beginning to its end in one task, as the library wants it."""
        try:
            async with AsyncExitStack() as stack:
                client = await self._opened(stack)
                ready.set_result(client)
                await end.wait()
        except Exception as problem:  # as above
            if ready.done():
                log.warning("mcp server %s ended: %s", self.name, problem)
            else:
                ready.set_exception(problem)

    async def _opened(self, stack: AsyncExitStack) -> Client:
        try:
            await asyncio.to_thread(importlib.import_module, "mcp")  # takes a second, in which others go on
            import httpx2
            from mcp import Client, StdioServerParameters, stdio_client
            from mcp.client.streamable_http import streamable_http_client
        except ImportError as problem:
            raise Misconfigured("MCP servers need the extra `mcp`: pip install 'triage-bot[mcp]'") from problem
        if self._url:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=self._headers, timeout=DEADLINE))
            return await stack.enter_async_context(Client(streamable_http_client(self._url, http_client=http)))
        program, *arguments = self._command
        server = StdioServerParameters(command=program, args=arguments, env=self._variables)
        silence = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: ASYNC230, SIM115  # a device never waits; the stack closes it
        return await stack.enter_async_context(Client(stdio_client(server, errlog=silence)))


async def _all_tools(client: Client) -> list[Any]:
    found: list[Any] = []
    cursor = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found


def _writes(hints: Any) -> bool:
    """Whether a server says itself that a tool changes something; where it is silent, the settings are believed."""
    return hints.read_only_hint is False or (hints.destructive_hint is True and not hints.read_only_hint)


def _text(said: Any) -> str:
    parts = [block.text if block.type == "text" else f"({block.type} left out)" for block in said.content]
    if not parts and said.structured_content is not None:
        return json.dumps(said.structured_content, ensure_ascii=False, indent=1)
    return "\n".join(parts)
