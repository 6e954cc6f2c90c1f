"""Creation and archiving of channels by the bot: the port `ChannelAdministration`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.adapters.slack.calls import SlackCalls
from bot.adapters.slack.identity import granted_scopes
from bot.errors import Refused, RetryLater
from bot.models.created_channel import SlackChannel

SCOPE = "channels:manage"
"""Scope for public channels; optional in `manifest.yml`."""
_PAGE = 200


class SlackChannels(SlackCalls):
    """The port `ChannelAdministration` on the real Web API."""

    async def create_channel(self, name: str) -> SlackChannel:
        """Create a public channel. Raises `Uncertain` if the call broke after it was sent."""
        return _channel_of((await self._call_once(self._client.conversations_create, name=name))["channel"])

    async def find_joined(self, name: str) -> SlackChannel | None:
        """Return the channel of this name among those that the bot is in and that are not archived."""
        cursor = None
        while True:
            answer = await self._call_repeatable(
                self._client.users_conversations,
                types="public_channel",
                exclude_archived=True,
                limit=_PAGE,
                cursor=cursor,
            )
            for channel in answer["channels"]:
                if channel.get("name") == name:
                    return _channel_of(channel)
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return None

    async def invite(self, *, channel: str, user: str) -> None:
        """Invite a person; repeating this is harmless."""
        try:
            await self._call_repeatable(self._client.conversations_invite, channel=channel, users=user)
        except Refused as problem:
            if problem.code != "already_in_channel":
                raise

    async def archive(self, channel: str) -> None:
        """Archive a channel; repeating this is harmless."""
        try:
            await self._call_repeatable(self._client.conversations_archive, channel=channel)
        except Refused as problem:
            if problem.code not in ("already_archived", "channel_not_found"):
                raise

    async def may_administer(self) -> bool:
        """Return whether the token has the scope; true if the server does not tell its scopes."""
        scopes = granted_scopes(await self._call(self._client.auth_test, {}, broken=RetryLater))
        return scopes is None or SCOPE in scopes


def _channel_of(channel: dict[str, Any]) -> SlackChannel:
    return SlackChannel(
        channel_id=channel["id"],
        name=channel["name"],
        creator=channel.get("creator", ""),
        created_at=datetime.fromtimestamp(channel["created"], UTC),
    )
