"""Calls of the Web API: one in its turn, a history in pages, and every way that a call can fail.

Nothing is retried here: whether a call may be made again is for the caller, who knows whether it had an effect.
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

    from bot.ports.slack import Pace

_IMPATIENT = frozenset({"views.open"})
"""Methods whose call is worth nothing once it has waited: a `trigger_id` lives for three seconds."""


class SlackCalls:
    """Makes calls with one client; `pace` says when a call may go out."""

    def __init__(self, client: AsyncWebClient, pace: Pace) -> None:
        self._client = client
        self._pace = pace
        self.on_refused: Callable[[str, Refused], None] = lambda _channel, _problem: None
        """Who hears of each refusal: the channel that the call was about, where it was about one, and why."""

    async def _pages(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> AsyncIterator[dict[str, Any]]:
        cursor, limit = None, FIRST
        while True:
            answer = await self._asked(method, **arguments, limit=limit, cursor=cursor, include_all_metadata=True)
            messages = answer.get("messages", [])
            for message in messages:
                yield message
            limit = size_after(limit, messages)
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    async def _asked(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> dict[str, Any]:
        """A call that may be made again at will: whatever passes is `RetryLater`."""
        return data_of(await self._call(method, arguments, broken=RetryLater))

    async def _done(self, method: Callable[..., Awaitable[Any]], **arguments: Any) -> dict[str, Any]:
        """A call with an effect that must not happen twice: what broke after it was sent is `Uncertain`."""
        return data_of(await self._call(method, arguments, broken=Uncertain))

    async def _call(
        self,
        method: Callable[..., Awaitable[Any]],
        arguments: dict[str, Any],
        *,
        broken: type[RetryLater] | type[Uncertain],
    ) -> Any:
        """One call in its turn, every failure translated; `broken` is what it becomes when no answer arrived."""
        name = getattr(method, "__name__", "call").replace("_", ".")
        await self._pace.turn(name, channel=arguments.get("channel", ""), now_or_never=name in _IMPATIENT)
        try:
            return await method(**arguments)
        except SlackApiError as error:
            if (seconds := pause(error)) is not None:
                self._pace.hold(name, seconds)
                raise RateLimited(f"{name}: rate limited", after=seconds) from error
            try:
                refused(name, error, broken)
            except Refused as problem:
                self.on_refused(str(arguments.get("channel") or ""), problem)
                raise
        except aiohttp.ClientConnectorError as error:
            raise RetryLater(f"{name}: Slack cannot be reached") from error
        except (OSError, aiohttp.ClientError, SlackClientError, ValueError) as error:  # a timeout is an `OSError`
            raise broken(f"{name}: the answer did not arrive ({type(error).__name__})") from error
