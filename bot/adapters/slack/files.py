"""Text files that people send, downloaded from Slack with the bot's token, which goes to Slack's own hosts only.

An unreadable file gets its reason, in words for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import aiohttp

from bot.adapters.slack import SlackChat
from bot.errors import Refused, RetryLater
from bot.models.address import is_loopback
from bot.models.sent_file import LARGEST, sent_file, why_unread
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from bot.models.sent_file import SentFile

HOSTS = frozenset({"files.slack.com", "files.slack-gov.com"})
"""Slack's file hosts; https, on the usual port."""
SCOPE = "files:read"
NO_SCOPE = f"the app lacks the scope {SCOPE}"


class _Unread(Exception):  # carries a clause, caught in this module
    """The reason why a file was not read."""


class _Elsewhere(_Unread):
    """Slack redirects a token without the scope to its sign-in page."""


class SlackFiles(SlackChat):
    """The port `SentFilesPort` on the real Web API."""

    async def read(self, file: SentFile) -> SentFile:
        """Return the file with its whole text, or with the reason for its absence; a temporary failure raises
        `RetryLater`."""
        try:
            described = await self._complete_file(file) if file.is_unchecked else file
            if why := why_unread(described):
                return described.evolve(problem=why)
            return described.evolve(text=await self._content(described))
        except _Elsewhere:
            lost = Refused("url_private: missing_scope", code="missing_scope", needed=SCOPE)
            self._report_refusal("", lost)  # the check asks Slack for the scopes
            return file.evolve(problem=f"Slack redirects the download; perhaps {NO_SCOPE}")
        except _Unread as problem:
            return file.evolve(problem=str(problem))
        except Refused as problem:
            lacks = problem.code == "missing_scope"
            return file.evolve(problem=NO_SCOPE if lacks else f"Slack refuses it: {problem.code}")

    async def _complete_file(self, file: SentFile) -> SentFile:
        """Complete a file that the event only names, by `files.info`."""
        shape: Any = (await self._call_repeatable(self._client.files_info, file=file.id)).get("file")
        described = sent_file(shape, file.called) if isinstance(shape, dict) else None
        if described is None or described.id != file.id or described.is_unchecked:
            raise _Unread("it is not text")
        return described

    async def _content(self, file: SentFile) -> str:
        if not is_slacks_file(file.url, self._api_url):
            raise _Unread("it is not stored in Slack")
        await self._pace.wait_turn("url_private")
        limit = aiohttp.ClientTimeout(total=self._client.timeout)
        token = {"Authorization": f"Bearer {self._client.token}"}
        try:
            with passing("slack.call", "url_private"):
                async with (
                    aiohttp.ClientSession(timeout=limit) as session,
                    session.get(file.url, headers=token, proxy=self._proxy, allow_redirects=False) as answer,
                ):
                    return await _read_body(answer, file)
        except RetryLater as problem:
            self._pace.hold("url_private", problem.after)
            raise
        except aiohttp.InvalidURL as problem:
            raise _Unread("Slack gives no address for it") from problem
        except (OSError, aiohttp.ClientError) as problem:  # a timeout is an `OSError`, too
            raise RetryLater("url_private: no answer") from problem


def is_slacks_file(url: str, api_url: str) -> bool:
    """Return whether an address is one of Slack's files, or of a server on this machine at `api_url`."""
    try:
        address, api = urlsplit(url), urlsplit(api_url)
        local = is_loopback(api_url) and (address.scheme, address.netloc) == (api.scheme, api.netloc)
        return local or (address.scheme == "https" and address.netloc in HOSTS)
    except ValueError:
        return False


def _parse_retry_after(answer: aiohttp.ClientResponse) -> float:
    """Return the seconds until the next attempt."""
    header = answer.headers.get("Retry-After", "")
    return float(header) if header.isdecimal() else 1.0


async def _read_body(answer: aiohttp.ClientResponse, file: SentFile) -> str:
    """Read the text of an answer.

    Raises `_Elsewhere` at a redirect or a page in place of the file, `RetryLater` if Slack is busy, and `_Unread` for
    another status, a file that is too large, and content that is not text.
    """
    is_page = answer.content_type == "text/html" and file.mimetype != "text/html" and file.filetype != "html"
    if answer.status in (301, 302, 303, 307, 308) or is_page:
        raise _Elsewhere
    if answer.status == 429 or answer.status >= 500:
        raise RetryLater(f"url_private: {answer.status}", after=_parse_retry_after(answer))
    if answer.status != 200:
        raise _Unread(f"Slack answered {answer.status}")
    body = b""
    async for part in answer.content.iter_chunked(LARGEST):
        body += part
        if len(body) > LARGEST:
            raise _Unread(f"it is larger than {LARGEST // 1024} KB")
    if b"\0" in body:
        raise _Unread("it is not text")
    return body.decode("utf-8-sig", errors="replace")
