"""A proxy before the server that cuts connections at chosen statements."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

Side = Literal["before", "after"]
"""The connection is cut before the server gets the statement, or after its answer, which the client does not get."""


class CuttingProxy:
    """Connections to the socket of a server; `cut` cuts those of the next statements that contain a text."""

    def __init__(self, folder: str, port: int) -> None:
        self._target = f"{folder}/.s.PGSQL.{port}"
        self._cuts: list[tuple[bytes, Side]] = []
        self.address = ""

    def cut(self, statement: str, side: Side) -> None:
        """Cut the connection that sends such a statement next."""
        self._cuts.append((statement.encode(), side))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what one client and the server say."""
        there, to_server = await asyncio.open_unix_connection(self._target)
        passing_back = asyncio.ensure_future(_pass_on(there, writer))
        with suppress(ConnectionError):
            while content := await reader.read(65_536):
                side = self._side_of(content)
                if side == "after":
                    passing_back.cancel()
                    await asyncio.gather(passing_back, return_exceptions=True)
                if side != "before":
                    to_server.write(content)
                    await to_server.drain()
                if side == "after":
                    await there.read(1)
                if side:
                    break
        for each in (writer, to_server):
            each.close()
        passing_back.cancel()
        await asyncio.gather(passing_back, return_exceptions=True)

    def _side_of(self, content: bytes) -> Side | None:
        for number, (statement, side) in enumerate(self._cuts):
            if statement in content:
                del self._cuts[number]
                return side
        return None


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while content := await reader.read(65_536):
            writer.write(content)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def run_proxy(folder: str, port: int, database: str) -> AsyncIterator[CuttingProxy]:
    """A proxy until the end of the block; its `address` takes the place of the server's."""
    proxy = CuttingProxy(folder, port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    own = server.sockets[0].getsockname()[1]
    proxy.address = f"postgresql://shop@127.0.0.1:{own}/{database}?sslmode=disable&gssencmode=disable"
    try:
        yield proxy
    finally:
        server.close()
