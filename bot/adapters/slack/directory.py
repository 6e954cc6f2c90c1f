"""Directory of the workspace: all channels and members, for `triage init`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.adapters.slack.calls import SlackCalls
from bot.adapters.slack.people import person_of
from bot.models.directory import ListedChannel, ListedMember

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

_PAGE = 1_000
"""Entries asked for by one call: Slack's maximum, since it allows twenty calls a minute."""
_MOST_PAGES = 20


class SlackDirectory(SlackCalls):
    """Lists of the Web API. Each raises `RetryLater` or `Refused`, and ends after twenty thousand entries."""

    async def channels(self) -> list[ListedChannel]:
        """List the public channels, and the private ones that the bot is in; archived ones are left out."""
        kinds = {"types": "public_channel,private_channel", "exclude_archived": True}
        return [
            ListedChannel(channel_id=each["id"], name=each.get("name", ""), is_member=bool(each.get("is_member")))
            async for each in self._entries(self._client.conversations_list, "channels", **kinds)
        ]

    async def members(self, team_id: str) -> list[ListedMember]:
        """List those of the workspace who may decide: no bots, guests or deactivated accounts."""
        found = []
        async for each in self._entries(self._client.users_list, "members"):
            person = person_of(each)
            if person.is_bot or person.is_guest or person.is_gone or person.is_stranger:
                continue
            if each["id"] != "USLACKBOT" and person.team_id in ("", team_id):
                found.append(ListedMember(user_id=each["id"], names=_names_of(each) or (each["id"],)))
        return found

    async def _entries(
        self, method: Callable[..., Awaitable[Any]], key: str, **arguments: Any
    ) -> AsyncIterator[dict[str, Any]]:
        cursor = None
        for _ in range(_MOST_PAGES):
            answer = await self._call_repeatable(method, **arguments, limit=_PAGE, cursor=cursor)
            for entry in answer.get(key, []):
                yield entry
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return


def _names_of(user: dict[str, Any]) -> tuple[str, ...]:
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name") or user.get("real_name"), user.get("name"))
    return tuple(dict.fromkeys(name for name in names if name))
