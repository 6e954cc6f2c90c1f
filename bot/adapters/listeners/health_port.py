"""Health port: `/healthz`, `/readyz` and `/metrics` over HTTP, read-only and without a signature.

An answer has reasons and figures, and no name, text or token. Bodies of requests are not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from bot.adapters.listeners.limited_server import LimitedServer, build_refusal
from bot.adapters.listeners.prometheus import CONTENT_TYPE, render_figures

if TYPE_CHECKING:
    from bot.ports.probes import ProbesPort


class HealthPort:
    """Server of the probes."""

    def __init__(self, probes: ProbesPort, *, host: str, port: int) -> None:
        self._probes = probes
        self._server = LimitedServer(self._answer, option="--health-port", host=host, port=port)

    async def open(self) -> None:
        """Listen. Raises `Misconfigured` when the port is taken, or the address is not to be had."""
        await self._server.open()

    @property
    def port(self) -> int:
        """Return the listening port; useful if port 0 was requested."""
        return self._server.port

    async def close(self) -> None:
        """Finish the running requests, and stop listening."""
        await self._server.close()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method not in ("GET", "HEAD"):
            return build_refusal(405, "expected GET")
        match request.path:
            case "/healthz":
                return _report(self._probes.find_fault(), "alive")
            case "/readyz":
                return _report(await self._probes.find_obstacle(), "ready")
            case "/metrics":
                if figures := await self._probes.read_figures():
                    return web.Response(body=render_figures(figures), headers={"Content-Type": CONTENT_TYPE})
                return build_refusal(503, "starting")
        return build_refusal(404, "expected /healthz, /readyz or /metrics")


def _report(problem: str, word: str) -> web.Response:
    return build_refusal(503, problem) if problem else web.Response(text=word)
