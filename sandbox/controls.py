"""Controls for tests and demonstrations: faults, the clock, the list of the app's calls."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from sandbox.body import body_of, refusal
from sandbox.faults import Faults
from sandbox.models import Json, Refused
from sandbox.sockets import SocketMode
from sandbox.timing import Time
from sandbox.web import WebApi

FURTHEST = 366 * 24 * 60 * 60
"""Maximum of seconds by which the clock may be advanced in one step."""


class Controls:
    """Routes of the controls."""

    def __init__(self, *, time: Time, faults: Faults, sockets: SocketMode, api: WebApi) -> None:
        self._time = time
        self._faults = faults
        self._sockets = sockets
        self._api = api

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/faults", _handler(self._order)),
            web.delete("/faults", self._clear),
            web.post("/clock", _handler(self._advance)),
            web.get("/calls", self._calls),
        ]

    async def _order(self, wish: Json) -> Json:
        fault = self._faults.order(wish)
        if fault.kind == "disconnect" and fault.reason is None:
            await self._sockets.drop()
        elif fault.kind == "disconnect" and fault.reason is not None:
            self._sockets.disconnect(fault.reason)
        return {"ok": True}

    async def _clear(self, _: web.Request) -> web.Response:
        self._faults.clear()
        return web.json_response({"ok": True})

    async def _advance(self, wish: Json) -> Json:
        seconds = wish.get("advance")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= FURTHEST:
            raise Refused("invalid_advance")
        self._time.advance(seconds)
        return {"ok": True, "now": self._time()}

    async def _calls(self, _: web.Request) -> web.Response:
        return web.json_response({"ok": True, "calls": list(self._api.calls)})


def _handler(act: Callable[[Json], Awaitable[Json]]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        try:
            return web.json_response(await act(await body_of(request)))
        except Refused as refused:
            return refusal(refused)

    return handle
