"""Check of a web server: one GET over a new connection, so that its name and its certificate are those of now."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import ssl
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.adapters.checks.outcome import HEALTHY, Outcome, degraded, describe_os_error, down, quote, unchecked
from bot.adapters.checks.trust import NoTrust, load_certificates

if TYPE_CHECKING:
    from aiohttp.client import ClientTimeout
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

    from bot.adapters.checks.addresses import Addresses
    from bot.models.check_target import HttpTarget
    from bot.ports.outbound import Clock

_MOST_READ = 1_048_576
"""Maximum bytes of a body that are read."""
_PIECE = 65_536
_DAY = 86_400
_TOO_LONG = "Got more than"
"""Words of aiohttp about a line of the header that is longer than it reads."""
_HEADERS = {"User-Agent": "triage-health", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "close"}

_certificate: ContextVar[dict[str, Any] | None] = ContextVar("_certificate", default=None)
"""Certificate of the server that the current check is connected to."""


class HttpProbe:
    """Sender of requests."""

    def __init__(self, clock: Clock, addresses: Addresses) -> None:
        self._clock, self._addresses = clock, addresses
        self._session: aiohttp.ClientSession | None = None
        self._trust: asyncio.Task[ssl.SSLContext] | None = None

    async def probe(self, target: HttpTarget) -> Outcome:
        """Send the request, and compare the answer with what is expected. May raise `TimeoutError`."""
        try:
            trust = await self.load_trust() if target.url.startswith("https:") else True
            async with self._open_session().get(target.url, ssl=trust, allow_redirects=False) as response:
                problem = _find_status_fault(response, target) or await _find_text_fault(response, target)
        except NoTrust as fault:
            return unchecked(str(fault))
        except aiohttp.ClientError as error:
            return down(_describe(error))
        except UnicodeError:  # a label of the name is too long
            return down("its address is not valid")
        except TimeoutError:
            raise
        except OSError as error:  # of the certificates of this machine
            return down(f"cannot connect: {describe_os_error(error)}")
        if problem:
            return down(problem)
        return self._judge_certificate(target) or HEALTHY

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=_Connector(
                    resolver=_Resolver(self._addresses), force_close=True, use_dns_cache=False, limit=0
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),  # the caller has a limit for the whole check
                headers=_HEADERS,
                auto_decompress=False,
            )
        return self._session

    async def load_trust(self) -> ssl.SSLContext:
        """Load the certificates that this machine trusts, once; it takes some tens of milliseconds."""
        if self._trust is None or (self._trust.done() and (self._trust.cancelled() or self._trust.exception())):
            self._trust = asyncio.create_task(asyncio.to_thread(load_certificates))
        return await asyncio.shield(self._trust)

    def _judge_certificate(self, target: HttpTarget) -> Outcome | None:
        """Return an outcome if the server's certificate expires soon."""
        certificate = _certificate.get()
        if not certificate or not target.url.startswith("https:"):
            return None
        days = math.floor((ssl.cert_time_to_seconds(certificate["notAfter"]) - self._clock.now().timestamp()) / _DAY)
        if days >= target.certificate_days:
            return None
        return degraded(f"its certificate expires {_describe_days(days)}, expected at least {target.certificate_days}")


class _Connector(aiohttp.TCPConnector):
    """Connector that keeps the server's certificate: a short answer is complete, and its connection gone, before
    anything else can look at it."""

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout) -> Connection:  # noqa: ASYNC109  # aiohttp's signature
        connection = await super().connect(req, traces, timeout)
        transport = connection.transport
        _certificate.set(transport.get_extra_info("peercert") if transport else None)
        return connection


class _Resolver(AbstractResolver):
    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        numeric = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [
            ResolveResult(hostname=host, host=address[0], port=address[1], family=kind, proto=protocol, flags=numeric)
            for kind, _, protocol, _, address in await self._addresses.find(host, port, family)
        ]

    async def close(self) -> None:
        """Leave the threads to their owner."""


def _find_status_fault(response: aiohttp.ClientResponse, target: HttpTarget) -> str:
    if response.status == target.status:
        return ""
    redirect = " (redirects are not followed)" if 300 <= response.status < 400 else ""
    return f"answered {response.status}, expected {target.status}{redirect}"


async def _find_text_fault(response: aiohttp.ClientResponse, target: HttpTarget) -> str:
    """Read the body, at most its first megabyte; return a fault if the expected text is not in it."""
    body = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        body += piece[: _MOST_READ - len(body)]
        if len(body) >= _MOST_READ:
            break
    if not target.text:
        return ""
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        return "the answer is compressed although it was not asked for, so its text cannot be read"
    charset = "utf-8"
    with contextlib.suppress(LookupError, UnicodeError):
        charset = response.charset or charset
        if target.text.encode(charset) in body:
            return ""
    if target.text.encode() in body:
        return ""
    place = "the first megabyte of the answer" if len(body) >= _MOST_READ else "the answer"
    return f"{place} does not contain {quote(target.text)}"


def _describe(error: aiohttp.ClientError) -> str:
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return _describe_certificate(error.certificate_error)
        case aiohttp.ClientConnectorSSLError():
            return f"no TLS connection: {getattr(error.os_error, 'reason', None) or 'the handshake failed'}".lower()
        case aiohttp.ClientConnectorDNSError():
            return f"the name {error.host} cannot be resolved: {describe_os_error(error.os_error)}"
        case aiohttp.ClientConnectorError():
            return f"cannot connect to {error.host}:{error.port}: {describe_os_error(error.os_error)}"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError():
            return "the connection was closed before an answer came"
        case aiohttp.ClientPayloadError():
            return "the answer was cut off"
        case aiohttp.ClientResponseError() if _TOO_LONG in error.message:
            return "its header is too large"
        case aiohttp.ClientResponseError():
            return "the answer is not HTTP"
        case aiohttp.InvalidURL():
            return "its address is not valid"
        case _:
            return f"the request failed: {type(error).__name__}"


def _describe_certificate(problem: Exception) -> str:
    reason = str(getattr(problem, "verify_message", "") or "it cannot be verified").rstrip(".")
    if "expired" in reason:
        return "its certificate has expired"
    if "not yet valid" in reason:
        return "its certificate is not valid yet"
    if "mismatch" in reason.lower() or "not valid for" in reason:
        return "its certificate is for another name"
    return f"its certificate is not trusted: {reason}"


def _describe_days(days: int) -> str:
    match days:
        case 0:
            return "in less than a day"
        case 1:
            return "in 1 day"
        case _:
            return f"in {days} days"
