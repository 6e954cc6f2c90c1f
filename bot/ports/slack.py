"""Ports towards Slack: protocols of the Web API calls that Triage makes. Only `bot/wiring` knows both sides.

The other outbound ports are in `ports/outbound`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.created_channel import SlackChannel
    from bot.models.person import Person
    from bot.models.sent_file import SentFile

Blocks = list[dict[str, Any]]


class Chat(Protocol):
    """Web API calls for messages, cards, dialogs and App Home (`bot.adapters.slack.SlackChat`).

    Any of them may raise `RetryLater` (no effect outside), `Uncertain` (perhaps an effect) or `Refused` (never).
    """

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
        """Post a message without link previews; return its ts.

        With `broadcast_in` it is a reply in that thread and also shown in the channel.
        """

    async def update(self, *, channel: str, ts: str, text: str, blocks: Blocks, metadata: dict[str, Any]) -> None:
        """Replace one of the bot's messages."""

    async def delete(self, *, channel: str, ts: str) -> None:
        """Delete one of the bot's messages."""

    async def post_ephemeral(
        self, *, channel: str, user: str, text: str, blocks: Blocks | None = None, thread_ts: str | None = None
    ) -> None:
        """Post an ephemeral message to one user; `text` is the fallback of `blocks`."""

    async def respond(self, *, url: str, text: str, blocks: Blocks, metadata: dict[str, Any] | None = None) -> None:
        """Replace the message that this `response_url` belongs to; allowed five times within thirty minutes."""

    async def publish_home(self, *, user: str, view: dict[str, Any]) -> None:
        """Publish this view on a user's App Home."""

    async def open_dm(self, user: str) -> str:
        """Return the channel id of the direct message between the bot and `user`."""

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Open a dialog; `trigger_id` is at most three seconds old."""

    async def find_in_thread(self, *, channel: str, thread_ts: str, event_type: str, nonce: str) -> str | None:
        """Return the ts of the bot's reply in the thread whose metadata has this type and nonce, or `None`."""

    async def find_in_channel(
        self, *, channel: str, oldest: str, event_type: str, nonce: str, key: str = "nonce"
    ) -> str | None:
        """Return the ts of the newest such message in a channel that is newer than `oldest`, or `None`.

        `key` names a second metadata field that may hold the nonce.
        """

    async def permalink(self, *, channel: str, ts: str) -> str:
        """Return the permalink of a message."""

    async def user_name(self, user: str) -> str:
        """Return the display name of `user`."""


class ReactionWriter(Protocol):
    """Reactions of the bot under messages (`bot.adapters.slack.SlackChat`). Raises as `Chat` does, but never
    `Uncertain`: both calls may be repeated."""

    async def add_reaction(self, *, channel: str, ts: str, name: str) -> None:
        """Add a reaction to a message, if the message exists."""

    async def remove_reaction(self, *, channel: str, ts: str, name: str) -> None:
        """Remove a reaction."""


class AssistantStatus(Protocol):
    """Assistant status and suggested prompts in Slack's assistant threads (`bot.adapters.slack.SlackChat`). Raises as
    `Chat` does, but never `Uncertain`."""

    async def set_status(self, *, channel: str, thread_ts: str, status: str, loading: Sequence[str] = ()) -> None:
        """Set the status text that Slack shows after the bot's name, such as `is reading notes`; empty clears it.

        Slack rotates the lines of `loading`, nine at most, instead of its default ones.
        """

    async def set_session(self, *, channel: str, thread_ts: str, is_at_work: bool) -> None:
        """Mark the session of a thread as running, which shows Slack's Stop button, or as ended."""

    async def suggest_prompts(self, *, channel: str, title: str, prompts: Sequence[tuple[str, str]]) -> None:
        """Set the suggested prompts of a direct message: a title, and at most four pairs of label and text."""


class Groups(Protocol):
    """User groups of Slack (`bot.adapters.slack.SlackChat`)."""

    async def group_members(self, group: str) -> tuple[str, ...]:
        """Return the user ids of a group. Raises `RetryLater`, or `Refused` for a missing group."""


class People(Protocol):
    """User profiles (`bot.adapters.slack.SlackChat`). Raises as `Chat` does."""

    async def person(self, user: str) -> Person:
        """Return the current profile of a user."""


class Presence(Protocol):
    """Presence of users (`bot.adapters.slack.SlackChat`). Raises as `Chat` does, but never `Uncertain`."""

    async def is_active(self, user: str) -> bool:
        """Return whether a user is active now, so that Slack delivers an ephemeral message."""


class History(Protocol):
    """Message history of channels, as Slack's message objects (`bot.adapters.slack.SlackChat`). Raises as `Chat`
    does."""

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """Return the top-level messages of a channel that are newer than `oldest`."""

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Return the replies in a thread that are newer than `oldest`."""

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """Return one message of a channel or of a thread in it, or `None` where it was deleted."""


class ThreadHistory(History, Protocol):
    """History that also reads whole threads (`bot.adapters.slack.SlackChat`). Raises as `Chat` does."""

    async def thread_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """Return a thread's first message, and its replies that are newer than `oldest`."""


class Channels(Protocol):
    """Channel information (`bot.adapters.slack.SlackChat`). Raises as `Chat` does."""

    async def channel(self, channel: str) -> dict[str, Any]:
        """Return Slack's channel object."""


class ChannelAdministration(Protocol):
    """Channels that the bot creates (`bot.adapters.slack.channels.SlackChannels`). Raises as `Chat` does."""

    async def create_channel(self, name: str) -> SlackChannel:
        """Create a public channel, with the bot as its only member."""

    async def find_joined(self, name: str) -> SlackChannel | None:
        """Return the open public channel of this name, if the bot is a member of it; never raises `Uncertain`."""

    async def invite(self, *, channel: str, user: str) -> None:
        """Invite a person into a channel, unless they are in it; never raises `Uncertain`."""

    async def archive(self, channel: str) -> None:
        """Archive a channel, unless it is archived or gone; never raises `Uncertain`."""

    async def may_administer(self) -> bool:
        """Return whether the token has the scope for this, as far as Slack tells."""


class OwnMessages(Protocol):
    """Messages that the bot has posted (`bot.adapters.slack.SlackChat`). Raises as `Chat` does, but never
    `Uncertain`."""

    async def own_messages(self, *, channel: str, types: frozenset[str]) -> list[str]:
        """Return the ts of the bot's messages with these metadata types in a channel and its threads, newest first."""

    async def delete(self, *, channel: str, ts: str) -> None:
        """Delete one of them."""


class ChannelMembership(Protocol):
    """Membership of channels (`bot.adapters.slack.SlackChat`). Raises as `Chat` does, but never `Uncertain`."""

    async def is_member(self, *, channel: str, user: str) -> bool:
        """Return whether a user is a member of a channel now."""


class SlackConnection(Protocol):
    """Connection through which Slack delivers (`bot.adapters.listeners.SocketListeners` and
    `bot.adapters.listeners.HttpListeners`)."""

    async def connected(self) -> bool:
        """Return whether Slack can deliver at this moment."""


class OutgoingFilter(Protocol):
    """Filter of everything that Slack is given (`bot.decide.redaction.outbound_filter.OutboundFilter`)."""

    def apply(self, value: Any) -> Any:
        """Return a JSON value as Slack may have it."""


class SocketAddresses(Protocol):
    """Addresses of sockets (`bot.adapters.slack.SlackChat`). Raises as `Chat` does."""

    async def socket_url(self, app_token: str) -> str:
        """Return the address for one socket. Raises `Refused` for a token that opens none."""


class SlackAccess(Protocol):
    """Access rights of the bot's token (`bot.adapters.slack.SlackChat`). Raises as `Chat` does."""

    async def identity(self) -> object:
        """Return the identity behind the token. Raises `Refused` for a token without one."""

    async def scopes(self) -> frozenset[str] | None:
        """Return the token's scopes, or `None` where the server does not report them."""

    async def channel(self, channel: str) -> dict[str, Any]:
        """Return Slack's channel object."""

    async def open_dm(self, user: str, *, refresh: bool = False) -> str:
        """Return the channel id of the direct message with `user`; `refresh` skips the cached id."""


class SentFilesPort(Protocol):
    """Text files attached to messages (`bot.adapters.slack.files.SlackFiles`)."""

    async def read(self, file: SentFile) -> SentFile:
        """Return the file with its full text, or with the reason for a missing one. Raises `RetryLater` for a passing
        failure."""


class CallPacing(Protocol):
    """Pacing of calls to Slack's rate limits (`bot.adapters.pace.Pacer`)."""

    async def wait_turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Wait until the call may go out; with `now_or_never` raise `RetryLater` instead of waiting."""

    def hold(self, method: str, seconds: float) -> None:
        """Pause a method for the seconds that Slack has asked for."""
