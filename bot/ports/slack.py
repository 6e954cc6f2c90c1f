"""The protocols between what decides and Slack. Doers know these; only `wiring/app` and its helpers know both sides.

All others towards the outside are in `bot/ports`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.person import Person
    from bot.models.sent_file import SentFile

Blocks = list[dict[str, Any]]


class Chat(Protocol):
    """The Web API calls that Triage makes.

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
        """Post a message without previews of links; the answer is its ts.

        With `broadcast_in` it stands in that thread and outside it, too.
        """

    async def update(self, *, channel: str, ts: str, text: str, blocks: Blocks, metadata: dict[str, Any]) -> None:
        """Replace a message of the bot's own."""

    async def delete(self, *, channel: str, ts: str) -> None:
        """Remove a message of the bot's own."""

    async def notice(
        self, *, channel: str, user: str, text: str, blocks: Blocks | None = None, thread_ts: str | None = None
    ) -> None:
        """Show one person what nobody else sees: a line, or the blocks that it sums up."""

    async def respond(self, *, url: str, text: str, blocks: Blocks, metadata: dict[str, Any] | None = None) -> None:
        """Replace the message that this `response_url` came from; five times within thirty minutes."""

    async def publish_home(self, *, user: str, view: dict[str, Any]) -> None:
        """Show this view on a person's App Home."""

    async def open_dm(self, user: str) -> str:
        """The id of the direct message between the bot and `user`."""

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Open a dialog; `trigger_id` is at most three seconds old."""

    async def find_in_thread(self, *, channel: str, thread_ts: str, event_type: str, nonce: str) -> str | None:
        """The ts of the bot's own reply whose metadata has this type and nonce, if it stands in the thread."""

    async def find_in_channel(
        self, *, channel: str, oldest: str, event_type: str, nonce: str, key: str = "nonce"
    ) -> str | None:
        """The newest such among the messages of a channel that are newer than `oldest`.

        `key` names another value of the metadata that may be `nonce`, too.
        """

    async def permalink(self, *, channel: str, ts: str) -> str:
        """The address of a message."""

    async def user_name(self, user: str) -> str:
        """The name that people know `user` by."""


class Marks(Protocol):
    """The bot's own emoji under messages. Raises as `Chat` does, but never `Uncertain`: both may be done twice."""

    async def put_reaction(self, *, channel: str, ts: str, name: str) -> None:
        """Have it stand under a message, if that is there."""

    async def take_reaction(self, *, channel: str, ts: str, name: str) -> None:
        """Have it not stand there."""


class Signs(Protocol):
    """What stands beside messages while the chat agent is at work. Raises as `Chat` does, but never `Uncertain`."""

    async def set_status(self, *, channel: str, thread_ts: str, status: str, loading: Sequence[str] = ()) -> None:
        """Say what the bot does there, after its name: `is reading notes`; nothing takes it down.

        Slack shows it in turn with the short lines of `loading`, nine at most, and none of its own.
        """

    async def set_session(self, *, channel: str, thread_ts: str, is_at_work: bool) -> None:
        """Have the session of a thread say that the bot works, which shows Slack's own Stop, or that it does not."""

    async def suggest(self, *, channel: str, title: str, prompts: Sequence[tuple[str, str]]) -> None:
        """Offer what one may say in a direct message: a title and the words, at most four."""


class Groups(Protocol):
    """Slack's user groups."""

    async def group_members(self, group: str) -> tuple[str, ...]:
        """The user ids of those in a group. Raises `RetryLater`, or `Refused` for a group that is not there."""


class People(Protocol):
    """Who is who. Raises as `Chat` does."""

    async def person(self, user: str) -> Person:
        """What Slack knows of a user now."""


class Presence(Protocol):
    """Who is there. Raises as `Chat` does, but never `Uncertain`."""

    async def is_active(self, user: str) -> bool:
        """Return whether a user is at a screen now, so that Slack shows them what they alone see."""


class History(Protocol):
    """What was said in channels, in Slack's own shape of a message. Raises as `Chat` does."""

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """The messages in the channel itself that are newer than `oldest`."""

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """The replies in a thread that are newer than `oldest`."""

    async def message(self, *, channel: str, ts: str) -> dict[str, Any] | None:
        """One message, in the channel itself or in a thread of it; `None` where it is gone."""


class Channels(Protocol):
    """What Slack knows of channels. Raises as `Chat` does."""

    async def channel(self, channel: str) -> dict[str, Any]:
        """Slack's own description of a channel."""


class OwnMessages(Protocol):
    """What the bot itself has posted. Raises as `Chat` does, but never `Uncertain`."""

    async def own_messages(self, *, channel: str, types: frozenset[str]) -> list[str]:
        """The ts of those in a channel and in its threads whose metadata is of these types, newest first."""

    async def delete(self, *, channel: str, ts: str) -> None:
        """Remove one."""


class Rooms(Protocol):
    """Who is in which channel. Raises as `Chat` does, but never `Uncertain`."""

    async def is_in(self, *, channel: str, user: str) -> bool:
        """Return whether somebody is in a channel now."""


class SlackAccess(Protocol):
    """What Slack says of the bot's own standing. Raises as `Chat` does."""

    async def identity(self) -> object:
        """Who the token belongs to. Raises `Refused` when it belongs to nobody."""

    async def scopes(self) -> frozenset[str] | None:
        """The token's scopes; `None` where the server does not tell."""

    async def channel(self, channel: str) -> dict[str, Any]:
        """Slack's own description of a channel."""

    async def open_dm(self, user: str, *, anew: bool = False) -> str:
        """The id of the direct message between the bot and `user`; asked `anew`, whatever Slack said before."""


class SentFilesPort(Protocol):
    """Text files that people have sent."""

    async def read(self, file: SentFile) -> SentFile:
        """The file with its whole text, or with the reason why it has none; a failure that may pass is `RetryLater`."""


class Pace(Protocol):
    """When a call to Slack may go out."""

    async def turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Return when it may; with `now_or_never` raise `RetryLater` instead of waiting."""

    def hold(self, method: str, seconds: float) -> None:
        """Slack has asked for a pause of this method."""
