"""Pages of addresses that the settings declare: one GET each, without redirects, cookies and a long body."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import aiohttp

from bot.errors import ToolError
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from aiohttp import ClientResponse

TIMEOUT_S = 10.0
MAX_BYTES = 1_000_000
_PIECE = 65_536
_HEADERS = {"User-Agent": "triage-hooks", "Accept": "text/*, application/json, application/xml"}


class HttpPages:
    """The port `WebPages` over HTTP. Each page has a session of its own: hooks read few of them."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)

    async def fetch(self, url: str) -> str:
        """Return the text of a page. Raises `ToolError` with the reason, which names no address."""
        try:
            async with aiohttp.ClientSession(
                timeout=self._timeout, cookie_jar=aiohttp.DummyCookieJar(), headers=_HEADERS
            ) as session:
                with passing("web.fetch", "page"):
                    async with session.get(url, allow_redirects=False) as response:
                        return await _read(response)
        except TimeoutError:
            raise ToolError(f"the address did not answer within {self._timeout.total:g} s") from None
        except aiohttp.ClientSSLError as problem:
            raise ToolError("the certificate of the address is not trusted on this machine") from problem
        except aiohttp.ClientConnectorError as problem:
            raise ToolError("nothing answers at the address") from problem
        except (aiohttp.ClientError, OSError, UnicodeError) as problem:
            raise ToolError("the answer of the address is cut off, or is not HTTP") from problem


async def _read(response: ClientResponse) -> str:
    if response.status != 200:
        redirect = "; redirects are not followed" if 300 <= response.status < 400 else ""
        raise ToolError(f"the address answered {response.status}, expected 200{redirect}")
    body = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        body += piece
        if len(body) > MAX_BYTES:
            raise ToolError(f"the page has more than {MAX_BYTES:,} bytes")
    if b"\0" in body:
        raise ToolError("the page is no text")
    return bytes(body).decode(_find_charset(response), "replace")


def _find_charset(response: ClientResponse) -> str:
    try:
        return codecs.lookup(response.charset or "utf-8").name
    except LookupError:
        return "utf-8"
