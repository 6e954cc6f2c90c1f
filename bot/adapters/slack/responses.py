"""Call of a `response_url`: the only way to change an ephemeral message."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import aiohttp

from bot.errors import Refused, RetryLater
from bot.runtime.failpoints import passing

TIMEOUT = 10
"""Seconds for one call."""

_HOOKS = "hooks.slack.com"


def is_slacks_own(url: str, api_url: str) -> bool:
    """Return whether an address is Slack's, or of the server that `api_url` names in its place."""
    try:
        address, api = urlsplit(url), urlsplit(api_url)
        return (address.scheme, address.netloc) in (("https", _HOOKS), (api.scheme, api.netloc))
    except ValueError:
        return False


async def replace_original(url: str, content: dict[str, Any], *, proxy: str | None) -> None:
    """Replace the original message. Raises `Refused` if the address is used up or too old, `RetryLater` without an
    answer."""
    answer = {"replace_original": True, **content}
    try:
        with passing("slack.call", "response_url"):
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT)) as session,
                session.post(url, json=answer, proxy=proxy, allow_redirects=False) as response,
            ):
                status = response.status
    except (OSError, aiohttp.ClientError) as problem:  # a timeout is an `OSError`
        raise RetryLater(f"response_url: the answer did not arrive ({type(problem).__name__})") from problem
    if status >= 500 or status == 429:
        raise RetryLater(f"response_url: Slack answered {status}")
    if status != 200:
        raise Refused(f"response_url: Slack answered {status}", code=f"http_{status}")
