"""Web server on loopback that answers with the bytes of a test."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Awaitable, Callable


class WebServer:
    """Server with one answer for every request."""

    def __init__(self, answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> None:
        self.requests: list[bytes] = []
        self.port = 0
        self.tasks: set[asyncio.Task[None]] = set()
        self._answer = answer

    def begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection."""
        self.tasks.add(asyncio.create_task(self.serve(reader, writer)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request and answer it."""
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                self.requests.append(await reader.readuntil(b"\r\n\r\n"))
                await self._answer(writer)
                await writer.drain()
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


def whole(body: bytes = b"ok", status: str = "200 OK", headers: str = "") -> bytes:
    """A complete answer."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


@asynccontextmanager
async def serve(
    answer: bytes | Callable[[asyncio.StreamWriter], Awaitable[None]], tls: ssl.SSLContext | None = None
) -> AsyncIterator[WebServer]:
    """A server until the end of the block."""

    async def write(writer: asyncio.StreamWriter) -> None:
        if isinstance(answer, bytes):
            writer.write(answer)
        else:
            await answer(writer)

    web = WebServer(write)
    server = await asyncio.start_server(web.begin, "127.0.0.1", 0, ssl=tls)
    web.port = server.sockets[0].getsockname()[1]
    try:
        yield web
    finally:
        server.close()
        for task in web.tasks:
            task.cancel()
        await asyncio.gather(*web.tasks, return_exceptions=True)
