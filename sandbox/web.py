"""Web API at /api/<method>: token, arguments, faults, the log of calls, and Slack's errors."""

import math
from collections import deque
from dataclasses import dataclass

from aiohttp import web

from sandbox import seed
from sandbox.arguments import Arguments, read
from sandbox.faults import REFUSED, Fault, Faults
from sandbox.installation import Installation
from sandbox.methods import Method
from sandbox.models import Json, Refused
from sandbox.rates import RateLimits
from sandbox.scopes import Scopes
from sandbox.timing import Time

APP_LEVEL_METHODS = frozenset({"apps.connections.open"})
"""Methods that take the app-level token, only in the header."""
TOKENLESS_METHODS = frozenset({"api.test", "blocks.validate"})
"""Methods that need no token."""
UNANSWERED = 60.0
"""Default of seconds for which `timeout_after_accept` keeps the connection open."""
REMEMBERED_CALLS = 20_000


@dataclass(frozen=True, slots=True)
class Token:
    """Token of a call; "" if it had none."""

    text: str
    in_header: bool

    @property
    def masked(self) -> str | None:
        return f"{self.text[:5]}***" if self.text else None


class WebApi:
    """Handler of the app's calls. Methods never wait."""

    def __init__(
        self,
        *,
        methods: dict[str, Method],
        faults: Faults,
        scopes: Scopes,
        rates: RateLimits | None,
        installation: Installation,
        time: Time,
    ) -> None:
        self._methods = methods
        self._faults = faults
        self._scopes = scopes
        self._rates = rates
        self._installation = installation
        self._time = time
        self.calls: deque[Json] = deque(maxlen=REMEMBERED_CALLS)
        """Received calls, in order, with tokens masked."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        call: Json = {"at": self._time(), "method": method}
        self.calls.append(call)
        fault = self._faults.for_answer(method)
        if fault is not None:
            call["fault"] = fault.kind
        headers: dict[str, str] = {}
        try:
            arguments, token = await _read(request, call)
            if fault is not None and fault.kind in ("429", "500", "503"):
                return _failure(fault)
            if error := self._faults.refusal(method, call["arguments"]):
                call["fault"] = REFUSED
                raise Refused(error)
            run = self._require_scopes(method, token)
            headers = self._scopes.headers(method)
            if wait := self._too_often(method, arguments):
                call |= {"ok": False, "error": "ratelimited"}
                return _rate_limited_response(wait)
            self._scopes.check(method, arguments)
            answer = {"ok": True, **run(arguments)}
        except Refused as refused:
            answer = _refusal(method, refused)
        call |= {key: answer[key] for key in ("ok", "error") if key in answer}
        if fault is not None:
            await self._hold(request, fault)
        return web.json_response(answer, headers=headers)

    def _require_scopes(self, method: str, token: Token) -> Method:
        run = self._methods.get(method)
        if run is None:
            raise Refused("unknown_method")
        if method in TOKENLESS_METHODS:
            return run
        _authorize(method, token)
        if token.text == seed.BOT_TOKEN and (error := self._installation.error):
            raise Refused(error)
        return run

    def _too_often(self, method: str, arguments: Arguments) -> int | None:
        return self._rates.refuse_for(method, arguments.text("channel")) if self._rates else None

    async def _hold(self, request: web.Request, fault: Fault) -> None:
        """Delay the answer of a finished call, or drop the connection instead."""
        if fault.kind == "delay":
            await self._time.pause(1.0 if fault.seconds is None else fault.seconds)
            return
        await self._time.pause(UNANSWERED if fault.seconds is None else fault.seconds)
        if request.transport is not None:
            request.transport.abort()


def _refusal(method: str, refused: Refused) -> Json:
    answer: Json = {"ok": False, "error": refused.error, **refused.details}
    if refused.messages:
        if refused.error == "invalid_blocks" and method == "chat.postMessage":
            answer["errors"] = [message.removeprefix("[ERROR] ") for message in refused.messages]
        answer["response_metadata"] = {"messages": list(refused.messages)}
    return answer


async def _read(request: web.Request, call: Json) -> tuple[Arguments, Token]:
    """Read a request's arguments and token, and log both."""
    values = await read(request)
    parameter = values.pop("token", None)
    header = _header_token(request)
    token = Token(str(header or parameter or ""), in_header=header is not None)
    call |= {"token": token.masked, "arguments": values}
    return Arguments(values), token


def _authorize(method: str, token: Token) -> None:
    if not token.text:
        raise Refused("not_authed")
    if token.text not in (seed.BOT_TOKEN, seed.APP_TOKEN):
        raise Refused("invalid_auth")
    if (token.text == seed.APP_TOKEN) is not (method in APP_LEVEL_METHODS):
        raise Refused("not_allowed_token_type")
    if method in APP_LEVEL_METHODS and not token.in_header:
        raise Refused("invalid_auth")


def _header_token(request: web.Request) -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _failure(fault: Fault) -> web.Response:
    if fault.kind in ("500", "503"):
        error = "internal_error" if fault.kind == "500" else "service_unavailable"
        return web.json_response({"ok": False, "error": error}, status=int(fault.kind))
    return _rate_limited_response(1 if fault.seconds is None else math.ceil(fault.seconds))


def _rate_limited_response(seconds: int) -> web.Response:
    headers = {"Retry-After": str(seconds)}
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
