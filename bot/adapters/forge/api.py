"""Calls of a forge's API: one request each, with the token in its header alone, and no redirect.

An error says what a person does next, and repeats of the answer no more than its message. It never holds the token.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp
from yarl import URL

from bot.errors import RetryLater, ToolError, Uncertain
from bot.models.address import is_loopback
from bot.models.visible import clean
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp import ClientResponse

    from bot.models.merge_request import ForgeSite

TIMEOUT_S = 20.0
MAX_BYTES = 4_000_000
"""Bytes of one answer; a list of merge requests has their texts."""
LONGEST_WAIT_S = 3_600.0
"""Seconds that a forge may ask to wait."""
_USUAL_WAIT_S = 30.0
_LONGEST_MESSAGE = 200
_PIECE = 65_536


@dataclass(frozen=True, kw_only=True)
class Reply:
    """Answer of a forge that is no failure: the content of a success, or its reason against what was asked."""

    status: int
    content: Any

    @property
    def is_success(self) -> bool:
        """Return whether the forge did what was asked."""
        return 200 <= self.status < 300

    @property
    def reason(self) -> str:
        """Return what the forge has against it, in one line; untrusted text."""
        words = " ".join(clean(" ".join(_list_texts(self.content))).split())
        return words[:_LONGEST_MESSAGE] or f"status {self.status}"


def find_token_fault(site: ForgeSite, variables: Mapping[str, str]) -> str:
    """Return why a forge cannot be asked, as a clause: its token is missing; empty if it is there."""
    if variables.get(site.token_env):
        return ""
    return (
        f"the environment has no {site.token_env}, the token of the forge {_find_host(site)}: set it, and start Triage "
        "again"
    )


@dataclass(frozen=True, kw_only=True)
class ForgeApi:
    """The API of one forge, with the token in `variables`."""

    site: ForgeSite
    variables: Mapping[str, str]
    headers: Mapping[str, str]
    timeout_s: float = TIMEOUT_S

    async def get(self, path: str, **query: str) -> Reply:
        """Return the answer to a GET request. Raises `RetryLater` and `ToolError`."""
        try:
            return await self._send("GET", f"{path}?{urlencode(query)}" if query else path)
        except Uncertain as problem:
            raise RetryLater(str(problem), after=5) from problem

    async def post(self, path: str, content: Mapping[str, Any]) -> Reply:
        """Return the answer to a POST request. Raises `RetryLater`, `ToolError`, and `Uncertain` if it may have had
        its effect."""
        return await self._send("POST", path, json.dumps(content).encode())

    @property
    def name(self) -> str:
        """Return the host of the API, for errors."""
        return _find_host(self.site)

    async def _send(self, method: str, path: str, body: bytes | None = None) -> Reply:
        if fault := find_token_fault(self.site, self.variables):
            raise ToolError(fault)
        token = self.variables[self.site.token_env]
        headers = {**self.headers, "Authorization": f"Bearer {token}", "User-Agent": "triage"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        timeout = aiohttp.ClientTimeout(total=self.timeout_s)
        try:
            async with aiohttp.ClientSession(
                timeout=timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=not is_loopback(self.site.api_url),  # no proxy for this machine itself
            ) as session:
                with passing("forge.send", method):
                    async with session.request(
                        method,
                        URL(f"{self.site.api_url}{path}", encoded=True),
                        data=body,
                        headers=headers,
                        allow_redirects=False,
                    ) as response:
                        return await self._read(response)
        except aiohttp.ClientSSLError as problem:
            raise ToolError(f"the certificate of {self.name} is not trusted on this machine") from problem
        except aiohttp.ClientConnectorError as problem:  # nothing was sent
            raise RetryLater(f"{self.name} cannot be reached", after=5) from problem
        except TimeoutError as problem:
            raise Uncertain(f"{self.name} did not answer within {self.timeout_s:g} s") from problem
        except (aiohttp.ClientError, OSError) as problem:
            raise Uncertain(f"the connection to {self.name} was cut: {type(problem).__name__}") from problem
        except ValueError as problem:  # a token with a line break, or the like: nothing was sent
            raise ToolError(
                f"the token in {self.site.token_env} is no token: set it, and start Triage again"
            ) from problem

    async def _read(self, response: ClientResponse) -> Reply:
        """Return an answer. Raises the error of a status that says nothing about the request itself."""
        status = response.status
        if _is_rate_limit(response):
            raise RetryLater(f"{self.name} has its rate limit", after=_find_wait(response))
        if status >= 500:
            raise Uncertain(f"{self.name} answered {status}")
        if 300 <= status < 400:
            raise ToolError(
                f"{self.name} answered {status}, a redirect, which Triage does not follow: the repository may have "
                "moved, so set its new address, or that of the API (api_url)"
            )
        content = await self._read_content(response)
        reply = Reply(status=status, content=content)
        variable = self.site.token_env
        match status:
            case 401:
                raise ToolError(
                    f"{self.name} does not accept the token in {variable}: replace it, and start Triage again"
                )
            case 403:
                raise ToolError(
                    f"{self.name} does not allow this to the token in {variable} ({reply.reason}): give it the "
                    "right to read and write pull requests (GitHub), or the scope api and the role Developer (GitLab)"
                )
            case 404:
                raise ToolError(
                    f"{self.name} has no such repository for the token in {variable}: check the repository's address, "
                    "and let the token reach it"
                )
        return reply

    async def _read_content(self, response: ClientResponse) -> Any:
        body = bytearray()
        async for piece in response.content.iter_chunked(_PIECE):
            body += piece
            if len(body) > MAX_BYTES:
                raise Uncertain(f"{self.name} answered with more than {MAX_BYTES:,} bytes")
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            if 200 <= response.status < 300:
                raise Uncertain(f"{self.name} answered with something that is no JSON: is api_url right?") from None
            return {}


def _is_rate_limit(response: ClientResponse) -> bool:
    """Return whether a status is that of a rate limit; GitHub has 403 for it, too."""
    headers = response.headers
    is_used_up = headers.get("X-RateLimit-Remaining") == "0" or "Retry-After" in headers
    return response.status == 429 or (response.status == 403 and is_used_up)


def _find_wait(response: ClientResponse) -> float:
    """Return the seconds after which a forge takes requests again."""
    headers = response.headers
    waiting = headers.get("Retry-After", "")
    if waiting.isdecimal():
        seconds = float(waiting)
    else:
        try:
            now = parsedate_to_datetime(headers.get("Date", "")).timestamp()
            reset = headers.get("X-RateLimit-Reset") or headers.get("RateLimit-Reset") or ""
            seconds = (float(reset) if reset.isdecimal() else parsedate_to_datetime(waiting).timestamp()) - now
        except (ValueError, TypeError, OverflowError):
            seconds = _USUAL_WAIT_S
    return min(max(seconds, 1.0), LONGEST_WAIT_S)


def _find_host(site: ForgeSite) -> str:
    return URL(site.api_url).host or site.kind


def _list_texts(content: Any) -> list[str]:
    """Return the texts in a forge's reason: `message` and `errors`, which both shape in several ways."""
    match content:
        case str():
            return [content]
        case list():
            return [text for each in content[:5] for text in _list_texts(each)]
        case {"message": message, **rest}:
            return [*_list_texts(message), *_list_texts(rest.get("errors", ""))]
        case {"error": str(text)}:
            return [text]
        case dict():
            return [f"{key}: {text}" for key, each in [*content.items()][:5] for text in _list_texts(each)]
    return []
