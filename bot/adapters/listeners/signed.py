"""HTTP server that verifies signatures, those of Slack and of forges: unsigned requests are untrusted.

No body is parsed before that. Limits apply to the time and size of a request, to the size of all requests being read,
and to the number of connections; idle ones are closed. An unsigned request leaves nothing but a status.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import re
import time
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from aiohttp import web

from bot.adapters.listeners.limited_server import LimitedServer, build_refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.address import ListenAddress

PATH = "/slack/events"
"""Path for events, presses, dialogs and commands over HTTP."""
LARGEST_REQUEST = 2_000_000
"""Bytes of one body."""
MOST_HELD = 16_000_000
"""Bytes of all bodies that are being read."""
READ_WITHIN = 5.0
"""Seconds for receiving a body; Slack itself waits for 3."""
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
    """A server that passes on signed requests, complete and unchanged: Slack's, and those of `routes`."""

    def __init__(
        self,
        *,
        secret: str,
        address: ListenAddress,
        handler: SignedRequestHandler,
        routes: Mapping[str, SignedRoute] = MappingProxyType({}),
    ) -> None:
        self._routes = {PATH: SignedRoute(SlackSignature(secret), handler), **routes}
        self._held = 0
        self._server = LimitedServer(self._handle, option="--http", host=address.host, port=address.port)

    async def open(self) -> None:
        """Listen. Raises `Misconfigured` when the port is taken, or the address is not to be had."""
        await self._server.open()

    @property
    def port(self) -> int:
        """Return the listening port; useful if port 0 was requested."""
        return self._server.port

    @property
    def is_open(self) -> bool:
        """Return whether it listens."""
        return self._server.is_open

    async def close(self) -> None:
        """Finish the running requests, and stop listening."""
        await self._server.close()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        route = self._routes.get(request.path)
        if route is None:
            return build_refusal(404, "nothing is here")
        if request.method != "POST":
            return build_refusal(405, "expected POST")
        if not route.signature.may_be_signed(request.headers):
            return build_refusal(401, "expected a signed request")
        try:
            body = await self._read(request)
        except _Refusal as refusal:
            return build_refusal(refusal.status, str(refusal))
        if not route.signature.matches(request.headers, body):
            return build_refusal(401, "expected a signed request")
        try:
            return await route.handler.answer(request, body.decode())
        except UnicodeDecodeError:
            return build_refusal(400, "expected a body of text")
        except Exception:
            log.exception("a signed request failed: %s", request.path)
            return build_refusal(500, "this request failed; see the log of Triage")

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


def _read_slack_headers(headers: Mapping[str, str]) -> tuple[str, str]:
    return headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")


def _is_recent(timestamp: str) -> bool:
    return bool(_TIMESTAMP.fullmatch(timestamp)) and abs(time.time() - int(timestamp)) <= YOUNGEST
