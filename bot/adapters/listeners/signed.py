"""HTTP server that verifies signatures, those of Slack and of forges: unsigned requests are untrusted.

No body is parsed before that. Limits apply to the time and size of a request, to the size of all requests being read,
and to the number of connections; idle ones are closed. An unsigned request leaves nothing but a status.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import hmac
import logging
import re
import time
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from aiohttp import web

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LOOPBACK = "127.0.0.1"
PATH = "/slack/events"
"""Path for events, presses, dialogs and commands over HTTP."""
LARGEST_REQUEST = 2_000_000
"""Bytes of one body."""
MOST_HELD = 16_000_000
"""Bytes of all bodies that are being read."""
MOST_CONNECTIONS = 128
READ_WITHIN = 5.0
"""Seconds for receiving a body, and for the first byte on a connection; Slack itself waits for 3."""
YOUNGEST = 300
"""Seconds by which a signature's time may differ, as Slack recommends."""

log = logging.getLogger(__name__)

_TIMESTAMP = re.compile(r"\d{1,12}")
_SIGNATURE = re.compile(r"v0=[0-9a-f]{64}")


class SignedRequestHandler(Protocol):
    """Handler of signed requests."""

    async def answer(self, request: web.BaseRequest, body: str) -> web.StreamResponse:
        """Return the response to a request with this body."""


class Signature(Protocol):
    """Check of a request's signature."""

    def may_be_signed(self, headers: Mapping[str, str]) -> bool:
        """Return whether its headers are those of a signed request; only then its body is read."""

    def matches(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Return whether the signature is that of the body."""


@dataclass(frozen=True)
class SlackSignature:
    """Slack's signature, of the body and a time."""

    secret: str = field(repr=False)

    def may_be_signed(self, headers: Mapping[str, str]) -> bool:
        """Return whether there is a signature of the last minutes."""
        timestamp, signature = _read_slack_headers(headers)
        return _is_recent(timestamp) and bool(_SIGNATURE.fullmatch(signature))

    def matches(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Return whether the signature is that of the body."""
        timestamp, signature = _read_slack_headers(headers)
        signed = b"v0:%s:%s" % (timestamp.encode(), body)
        return hmac.compare_digest(
            "v0=" + hmac.new(self.secret.encode(), signed, hashlib.sha256).hexdigest(), signature
        )


@dataclass(frozen=True)
class SignedRoute:
    """Signature and handler of the requests to one path."""

    signature: Signature
    handler: SignedRequestHandler


class SignedRequestServer:
    """A server on loopback that passes on signed requests, complete and unchanged: Slack's, and those of `routes`."""

    def __init__(
        self,
        *,
        secret: str,
        port: int,
        handler: SignedRequestHandler,
        routes: Mapping[str, SignedRoute] = MappingProxyType({}),
    ) -> None:
        self._routes = {PATH: SignedRoute(SlackSignature(secret), handler), **routes}
        self._port = port
        self._held = 0
        self._runner: web.ServerRunner | None = None

    async def open(self) -> None:
        """Listen. Raises `Misconfigured` when the port is taken."""
        server = _Server(
            self._handle,
            keepalive_timeout=READ_WITHIN,
            lingering_time=0,
            auto_decompress=False,
            access_log=None,
            logger=_build_silent_logger(),
        )
        self._runner = web.ServerRunner(server)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, LOOPBACK, self._port).start()
        except OSError as problem:
            await self.close()
            if problem.errno != errno.EADDRINUSE:
                raise
            raise Misconfigured(f"--http: port {self._port} is taken; choose another") from None

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

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        route = self._routes.get(request.path)
        if route is None:
            return _build_refusal(404, "nothing is here")
        if request.method != "POST":
            return _build_refusal(405, "expected POST")
        if not route.signature.may_be_signed(request.headers):
            return _build_refusal(401, "expected a signed request")
        try:
            body = await self._read(request)
        except _Refusal as refusal:
            return _build_refusal(refusal.status, str(refusal))
        if not route.signature.matches(request.headers, body):
            return _build_refusal(401, "expected a signed request")
        try:
            return await route.handler.answer(request, body.decode())
        except UnicodeDecodeError:
            return _build_refusal(400, "expected a body of text")
        except Exception:
            log.exception("a signed request failed: %s", request.path)
            return _build_refusal(500, "this request failed; see the log of Triage")

    async def _read(self, request: web.BaseRequest) -> bytes:
        """Read a complete body. Raises `_Refusal`."""
        if (request.content_length or 0) > LARGEST_REQUEST:
            raise _Refusal(413, "the body is too large")
        body = bytearray()
        try:
            async with asyncio.timeout(READ_WITHIN):
                async for piece in request.content.iter_any():
                    body += piece
                    self._held += len(piece)
                    if len(body) > LARGEST_REQUEST:
                        raise _Refusal(413, "the body is too large")
                    if self._held > MOST_HELD:
                        raise _Refusal(503, "too many requests at once")
        except TimeoutError:
            raise _Refusal(408, "the body took too long") from None
        except (OSError, web.PayloadAccessError, web.RequestPayloadError):  # the connection broke, or it is no HTTP
            raise _Refusal(400, "the body was cut off") from None
        finally:
            self._held -= len(body)
        return bytes(body)


class _Refusal(Exception):  # not an error of this program
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


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


def _read_slack_headers(headers: Mapping[str, str]) -> tuple[str, str]:
    return headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")


def _is_recent(timestamp: str) -> bool:
    return bool(_TIMESTAMP.fullmatch(timestamp)) and abs(time.time() - int(timestamp)) <= YOUNGEST


def _build_refusal(status: int, why: str) -> web.Response:
    """Build an answer after which the connection is closed, even if more data is on its way."""
    response = web.Response(status=status, text=why)
    response.force_close()
    return response
