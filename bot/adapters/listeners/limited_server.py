"""HTTP server for untrusted clients: few connections, idle ones are closed, and nothing of a bad request is logged."""

from __future__ import annotations

import asyncio
import errno
import logging
from typing import TYPE_CHECKING

from aiohttp import web

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 128
IDLE_FOR = 5.0
"""Seconds after which an idle connection is closed."""


class LimitedServer:
    """A server on one address. `option` of the command line names its port, in errors."""

    def __init__(
        self,
        handle: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
        *,
        option: str,
        port: int,
        host: str = LOOPBACK,
    ) -> None:
        self._handle, self._option, self._port, self._host = handle, option, port, host
        self._runner: web.ServerRunner | None = None

    async def open(self) -> None:
        """Listen. Raises `Misconfigured` when the port is taken, or the address is not to be had."""
        server = _Server(
            self._handle,
            keepalive_timeout=IDLE_FOR,
            lingering_time=0,
            auto_decompress=False,
            access_log=None,
            logger=_build_silent_logger(),
        )
        self._runner = web.ServerRunner(server)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except OSError as problem:
            await self.close()
            if complaint := self._describe(problem):
                raise Misconfigured(f"{self._option}: {complaint}") from None
            raise

    def _describe(self, problem: OSError) -> str:
        """Say why it cannot listen, and the next step; empty for an error that nobody expects."""
        match problem.errno:
            case errno.EADDRINUSE:
                return f"port {self._port} is taken; choose another"
            case errno.EADDRNOTAVAIL:
                return f"{self._host} is no address of this machine; choose one that it has"
            case errno.EACCES:
                return f"port {self._port} is for the administrator of this machine; choose one from 1024"
        return ""

    @property
    def port(self) -> int:
        """Return the listening port; useful if port 0 was requested."""
        addresses = self._runner.addresses if self._runner else []
        return int(addresses[0][1]) if addresses else self._port

    @property
    def is_open(self) -> bool:
        """Return whether it listens."""
        return self._runner is not None

    async def close(self) -> None:
        """Finish the running requests, and stop listening."""
        if self._runner:
            runner, self._runner = self._runner, None
            await runner.cleanup()


class _Server(web.Server):
    """aiohttp's server with a limit on its connections."""

    def connection_made(self, handler: Any, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self.connections) > MOST_CONNECTIONS:
            asyncio.get_running_loop().call_soon(transport.abort)  # aiohttp is not ready for it earlier


def _build_silent_logger() -> logging.Logger:
    """Return a disabled logger for aiohttp, which would log invalid requests of strangers."""
    logger = logging.Logger("strangers")  # outside the logger tree: nothing of it may appear anywhere
    logger.disabled = True
    return logger


def build_refusal(status: int, why: str) -> web.Response:
    """Build an answer after which the connection is closed, even if more data is on its way."""
    response = web.Response(status=status, text=why)
    response.force_close()
    return response
