"""Slack's Web API: the port `Chat`. Making calls and translating their failures is in `calls`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from bot.adapters.slack.calls import SlackCalls
from bot.adapters.slack.failures import NOTHING_TO_DO
from bot.adapters.slack.identity import Identity as Identity
from bot.adapters.slack.identity import granted_scopes, identity_of
from bot.adapters.slack.metadata import is_own, with_nonce
from bot.adapters.slack.people import person_of
from bot.adapters.slack.responses import is_slacks_own, replace_original
from bot.errors import Refused, RetryLater
from bot.runtime.offload import run_offloaded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from slack_sdk.web.async_client import AsyncWebClient

    from bot.models.person import Person
    from bot.ports.slack import Blocks, CallPacing, OutgoingFilter


class SlackChat(SlackCalls):
    """The port `Chat` on the real Web API, or on any server that implements it.

    `pace` limits the rate of calls; `outgoing` filters everything shown; `None` where nothing is shown.
    """

    def __init__(self, client: AsyncWebClient, pace: CallPacing, outgoing: OutgoingFilter | None = None) -> None:
        super().__init__(client, pace)
        self._api_url, self._proxy = client.base_url, client.proxy
        self._outgoing = outgoing
        self._asking = asyncio.Lock()
        self._dms: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._zones: dict[str, str] = {}

    async def _filter(self, value: Any) -> Any:
        return await run_offloaded(self._outgoing.apply, value) if self._outgoing else value

    async def identity(self) -> Identity:
        """Return the owner of the token. Raises `Refused` with `invalid_auth` if it is not valid."""
        answer = await self._call_repeatable(self._client.auth_test)
        return identity_of(answer)

    async def post(
        self,
        *,
        channel: str,
        text: str,
        blocks: Blocks,
        metadata: dict[str, Any],
        thread_ts: str | None = None,
        broadcast_in: str | None = None,
    ) -> str:
        """Post a message; return its ts. Raises `Uncertain` if the call broke after it was sent."""
        answer = await self._call_once(
            self._client.chat_postMessage,
            channel=channel,
            text=await self._filter(text),
            blocks=await self._filter(blocks),
            metadata=metadata,
            thread_ts=broadcast_in or thread_ts,
            reply_broadcast=True if broadcast_in else None,
            unfurl_links=False,
            unfurl_media=False,
        )
        return str(answer["ts"])

    async def update(self, *, channel: str, ts: str, text: str, blocks: Blocks, metadata: dict[str, Any]) -> None:
        """Replace a message of the bot; repeating this is harmless."""
        await self._call_repeatable(
            self._client.chat_update,
            channel=channel,
            ts=ts,
            text=await self._filter(text),
            blocks=await self._filter(blocks),
            metadata=metadata,
            unfurl_links=False,
            unfurl_media=False,
        )

    async def delete(self, *, channel: str, ts: str) -> None:
        """Delete a message of the bot; repeating this is harmless."""
        await self._call_repeatable(self._client.chat_delete, channel=channel, ts=ts)

    async def add_reaction(self, *, channel: str, ts: str, name: str) -> None:
        """Add a reaction of the bot to a message, if that exists."""
        await self._react(self._client.reactions_add, channel, ts, name)

    async def remove_reaction(self, *, channel: str, ts: str, name: str) -> None:
        """Remove a reaction of the bot."""
        await self._react(self._client.reactions_remove, channel, ts, name)

    async def set_status(self, *, channel: str, thread_ts: str, status: str, loading: Sequence[str] = ()) -> None:
        """Set the assistant status in a thread; an empty `status` removes it."""
        doing = status.removeprefix("is ")
        lines = [f"{doing[:1].upper()}{doing[1:]}", *loading] if status else None
        await self._call_repeatable(
            self._client.assistant_threads_setStatus,
            channel_id=channel,
            thread_ts=thread_ts,
            status=await self._filter(status),
            loading_messages=await self._filter(lines),
        )

    async def set_session(self, *, channel: str, thread_ts: str, is_at_work: bool) -> None:
        """Set the status of a thread's agent session to working or idle."""
        status = "processing" if is_at_work else "active"
        method = self._client.agents_sessions_setStatus
        await self._call_repeatable(method, channel_id=channel, thread_ts=thread_ts, status=status)

    async def suggest_prompts(self, *, channel: str, title: str, prompts: Sequence[tuple[str, str]]) -> None:
        """Set the suggested prompts at the top of a direct message."""
        offered = [{"title": name, "message": text} for name, text in prompts]
        method = self._client.assistant_threads_setSuggestedPrompts
        await self._call_repeatable(method, channel_id=channel, title=title, prompts=offered)

    async def post_ephemeral(
        self, *, channel: str, user: str, text: str, blocks: Blocks | None = None, thread_ts: str | None = None
    ) -> None:
        """Show a message to one person only: a text, or the blocks that it summarises."""
        await self._call_once(
            self._client.chat_postEphemeral,
            channel=channel,
            user=user,
            text=await self._filter(text),
            blocks=await self._filter(blocks) if blocks else None,
            thread_ts=thread_ts,
        )

    async def respond(self, *, url: str, text: str, blocks: Blocks, metadata: dict[str, Any] | None = None) -> None:
        """Replace the message that a `response_url` came from. Raises `Refused` for an address that is not Slack's."""
        if not is_slacks_own(url, self._api_url):
            raise Refused("response_url: not an address of Slack's", code="foreign_url")
        await self._pace.wait_turn("response_url")
        content = {"text": await self._filter(text), "blocks": await self._filter(blocks)}
        await replace_original(url, content | ({"metadata": metadata} if metadata else {}), proxy=self._proxy)

    async def publish_home(self, *, user: str, view: dict[str, Any]) -> None:
        """Publish this view on a person's App Home."""
        await self._call_repeatable(self._client.views_publish, user_id=user, view=await self._filter(view))

    async def open_dm(self, user: str, *, refresh: bool = False) -> str:
        """Return the id of the direct message between the bot and `user`, cached."""
        async with self._asking:  # one request for many concurrent cards
            if refresh or user not in self._dms:
                answer = await self._call_repeatable(self._client.conversations_open, users=user)
                self._dms[user] = answer["channel"]["id"]
            return self._dms[user]

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Open a dialog; `trigger_id` is at most three seconds old."""
        await self._call_once(self._client.views_open, trigger_id=trigger_id, view=await self._filter(view))

    async def find_in_thread(self, *, channel: str, thread_ts: str, event_type: str, nonce: str) -> str | None:
        """Return the ts of the bot's own reply with this metadata, if it is in the thread."""
        pages = self._pages(self._client.conversations_replies, channel=channel, ts=thread_ts)
        return await with_nonce(pages, event_type, nonce)

    async def find_in_channel(
        self, *, channel: str, oldest: str, event_type: str, nonce: str, key: str = "nonce"
    ) -> str | None:
        """Return the newest such message of a channel that is newer than `oldest`."""
        pages = self._pages(self._client.conversations_history, channel=channel, oldest=oldest)
        return await with_nonce(pages, event_type, nonce, key)

    async def own_messages(self, *, channel: str, types: frozenset[str]) -> list[str]:
        """Return the ts of the bot's own messages of these types in a channel and its threads."""
        timestamps, threads = [], []
        async for message in self._pages(self._client.conversations_history, channel=channel):
            timestamps += [message["ts"]] if is_own(message, types) else []
            threads += [message["ts"]] if message.get("reply_count") else []
        for root in threads:
            replies = self._pages(self._client.conversations_replies, channel=channel, ts=root)
            timestamps += [m["ts"] async for m in replies if m["ts"] != root and is_own(m, types)]
        return timestamps

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """Return the messages in the channel itself that are newer than `oldest`."""
        return [m async for m in self._pages(self._client.conversations_history, channel=channel, oldest=oldest)]

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Return the replies in a thread that are newer than `oldest`."""
        messages = await self.thread_since(channel=channel, thread_ts=thread_ts, oldest=oldest)
        return [m for m in messages if m["ts"] != thread_ts]

    async def thread_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Return a thread's first message, and its replies that are newer than `oldest`."""
        pages = self._pages(self._client.conversations_replies, channel=channel, ts=thread_ts, oldest=oldest)
        return [m async for m in pages]

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """Return one message of a channel or its threads; `None` if it is gone."""
        try:
            answer = await self._call_repeatable(self._client.conversations_replies, channel=channel, ts=ts, limit=1)
        except Refused as problem:
            if problem.code == "thread_not_found":
                return None
            raise
        return next((message for message in answer.get("messages", []) if message["ts"] == ts), None)

    async def permalink(self, *, channel: str, ts: str) -> str:
        """Return the address of a message."""
        answer = await self._call_repeatable(self._client.chat_getPermalink, channel=channel, message_ts=ts)
        return str(answer["permalink"])

    async def user_name(self, user: str) -> str:
        """Return the display name of `user`, cached."""
        if user not in self._names:
            user_info = (await self._call_repeatable(self._client.users_info, user=user))["user"]
            profile = user_info.get("profile", {})
            names = (profile.get("display_name"), user_info.get("real_name"), user_info.get("name"), user)
            lines = (" ".join(str(name or "").split()) for name in names)
            self._names[user] = next(filter(None, lines))[:80]  # Slack's limit
        return self._names[user]

    async def time_zone(self, user: str) -> str:
        """Return the time zone set by `user`, cached; empty if Slack does not tell."""
        if user not in self._zones:
            self._zones[user] = str(
                (await self._call_repeatable(self._client.users_info, user=user))["user"].get("tz") or ""
            )
        return self._zones[user]

    async def group_members(self, group: str) -> tuple[str, ...]:
        """Return the user ids of a user group's members."""
        return tuple((await self._call_repeatable(self._client.usergroups_users_list, usergroup=group))["users"])

    async def person(self, user: str) -> Person:
        """Return Slack's current description of a user."""
        return person_of((await self._call_repeatable(self._client.users_info, user=user))["user"])

    async def is_active(self, user: str) -> bool:
        """Return whether a user is active now."""
        return bool((await self._call_repeatable(self._client.users_getPresence, user=user))["presence"] == "active")

    async def channel(self, channel: str) -> dict[str, Any]:
        """Return Slack's own description of a channel; its `is_member` is true if the bot is in it."""
        info: dict[str, Any] = (await self._call_repeatable(self._client.conversations_info, channel=channel))[
            "channel"
        ]
        return info

    async def is_member(self, *, channel: str, user: str) -> bool:
        """Return whether a user is a member of a channel now."""
        cursor = None
        while True:
            answer = await self._call_repeatable(
                self._client.conversations_members, channel=channel, limit=1_000, cursor=cursor
            )
            if user in answer["members"]:
                return True
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return False

    async def scopes(self) -> frozenset[str] | None:
        """Return the bot token's scopes; `None` if the server does not tell."""
        return granted_scopes(await self._call(self._client.auth_test, {}, broken=RetryLater))

    async def socket_url(self, app_token: str) -> str:
        """Return the address at which the app token can open a socket, once."""
        answer = await self._call_repeatable(self._client.apps_connections_open, app_token=app_token)
        return str(answer["url"])

    async def _react(self, method: Callable[..., Awaitable[Any]], channel: str, ts: str, name: str) -> None:
        try:
            await self._call_repeatable(method, channel=channel, timestamp=ts, name=name)
        except Refused as problem:
            if problem.code not in NOTHING_TO_DO:
                raise
