"""SDK client without retries, with a failpoint on every call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_internal_utils import _request_with_session

from bot.models.address import is_loopback
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from bot.ports.deliveries import Lease

REAL_SLACK = AsyncWebClient.BASE_URL
TIMEOUT = 10
"""Seconds for one call."""


def web_client(token: str, base_url: str | None, lease: Lease | None = None) -> AsyncWebClient:
    """Create a client without retries; `base_url` ends in `/api/`.

    With a `lease` no request is sent before it is confirmed on the open connection: a call raises `Fenced` when another
    replica leads by then.
    """
    client = _Client(token=token, base_url=base_url or REAL_SLACK, timeout=TIMEOUT, retry_handlers=[])
    client.lease = lease
    if is_loopback(client.base_url):
        client.proxy = None  # the SDK would use the environment's proxy for this machine, too
    return client


class _Client(AsyncWebClient):
    """The SDK's client with a failpoint on every call, including the SDK's internal ones, as for a new socket.

    Each call has a new connection, as in the SDK: a kept one may be dead by the next call, and a post on a dead
    connection is in doubt.
    """

    lease: Lease | None = None

    async def _request(self, *, http_verb: str, api_url: str, req_args: dict[str, Any]) -> dict[str, Any]:
        name = api_url.rsplit("/", 1)[-1]

        async def answered(*_: object) -> None:
            with passing("slack.answer", name):  # the headers have arrived, the body is not read yet
                pass

        trace = aiohttp.TraceConfig()
        trace.on_request_end.append(answered)
        if lease := self.lease:

            async def connected(*_: object) -> None:
                await lease.confirm()

            trace.on_connection_create_end.append(connected)
        limit = aiohttp.ClientTimeout(total=self.timeout)
        with passing("slack.call", name):
            async with aiohttp.ClientSession(timeout=limit, trace_configs=[trace]) as session:
                return await _request_with_session(
                    current_session=session,
                    timeout=self.timeout,
                    logger=self._logger,
                    http_verb=http_verb,
                    api_url=api_url,
                    req_args=req_args,
                    retry_handlers=self.retry_handlers,
                )
