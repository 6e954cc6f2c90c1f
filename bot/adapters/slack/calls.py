"""Web API calls: single calls, histories in pages, and the translation of every failure.

Nothing is retried here: only the caller knows whether the call had an effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.adapters.slack.failures import pause, refused
from bot.adapters.slack.paging import FIRST, data_of, size_after
from bot.errors import RateLimited, Refused, RetryLater, Uncertain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from bot.ports.access import AccessCheck
    from bot.ports.slack import CallPacing

_IMPATIENT = frozenset({"views.open"})
"""Methods whose calls are worthless after a wait: a `trigger_id` lives for three seconds."""


class SlackCalls:
    """Caller of the Web API with one client; `pace` limits the rate."""

    def __init__(self, client: AsyncWebClient, pace: CallPacing) -> None:
        self._client = client
        self._pace = pace
        self.access: AccessCheck | None = None
        """Told of each refusal; set once it is built."""

    def _report_refusal(self, channel: str, problem: Refused) -> None:
        if self.access:
            self.access.note_refusal(channel, problem)

    async def _pages(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> AsyncIterator[dict[str, Any]]:
        cursor, limit = None, FIRST
        while True:
            answer = await self._call_repeatable(
                method, **arguments, limit=limit, cursor=cursor, include_all_metadata=True
            )
            messages = answer.get("messages", [])
            for message in messages:
                yield message
            limit = size_after(limit, messages)
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    async def _call_repeatable(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> dict[str, Any]:
        """Make a call that may be repeated: temporary failures raise `RetryLater`."""
        return data_of(await self._call(method, arguments, broken=RetryLater))

    async def _call_once(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> dict[str, Any]:
        """Make a call whose effect must not happen twice: a failure after sending raises `Uncertain`."""
        return data_of(await self._call(method, arguments, broken=Uncertain))

    async def _call(
        self,
        method: Callable[..., Awaitable[Any]],
        arguments: dict[str, Any],
        *,
        broken: type[RetryLater] | type[Uncertain],
    ) -> Any:
        """Make one call in its turn and translate failures; `broken` is raised if no answer arrived."""
        name = getattr(method, "__name__", "call").replace("_", ".")
        await self._pace.wait_turn(name, channel=arguments.get("channel", ""), now_or_never=name in _IMPATIENT)
        try:
            return await method(**arguments)
        except SlackApiError as error:
            if (seconds := pause(error)) is not None:
                self._pace.hold(name, seconds)
                raise RateLimited(f"{name}: rate limited", after=seconds) from error
            try:
                refused(name, error, broken)
            except Refused as problem:
                self._report_refusal(str(arguments.get("channel") or ""), problem)
                raise
        except aiohttp.ClientConnectorError as error:
            raise RetryLater(f"{name}: Slack cannot be reached") from error
        except (OSError, aiohttp.ClientError, SlackClientError, ValueError) as error:  # a timeout is an `OSError`
            raise broken(f"{name}: the answer did not arrive ({type(error).__name__})") from error
