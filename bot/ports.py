"""The protocols between what decides and what touches the outside. Doers know these; only `app` knows both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime
    from pathlib import Path

    from bot.models.findings import Assignment, Report
    from bot.models.happening import Deleted, Edited, MessageAdded
    from bot.models.interaction import Dialog, Press
    from bot.models.thread import Thread

Blocks = list[dict[str, Any]]


class Clock(Protocol):
    """Time, so that tests can move it."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""


class Store(Protocol):
    """The threads' documents."""

    async def load(self, thread_id: str) -> Thread | None:
        """The newest saved document, or `None`. Raises `Unreadable` when it is there but does not parse."""

    async def save(self, thread: Thread) -> Thread:
        """Save a changed document; the answer has the next `version`.

        Raises `Conflict` when the saved version is no longer `thread.version`.
        """

    async def quarantine(self, thread_id: str) -> Path:
        """Move a document that does not parse out of the way; the answer is where it lies now."""

    async def thread_ids(self) -> list[str]:
        """The ids of all saved threads."""


class Journal(Protocol):
    """One append-only file of JSON lines."""

    async def append(self, record: dict[str, Any]) -> None:
        """Return once the record is synced to disk."""

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """The last `limit` records that parse, oldest first."""

    def records(self) -> AsyncIterator[dict[str, Any]]:
        """Every record that parses, oldest first."""


class Chat(Protocol):
    """The Web API calls that Triage makes.

    Any of them may raise `RetryLater` (no effect outside), `Uncertain` (perhaps an effect) or `Refused` (never).
    """

    async def post(
        self, *, channel: str, text: str, blocks: Blocks, metadata: dict[str, Any], thread_ts: str | None = None
    ) -> str:
        """Post a message without previews of links; the answer is its ts."""

    async def update(self, *, channel: str, ts: str, text: str, blocks: Blocks, metadata: dict[str, Any]) -> None:
        """Replace a message of the bot's own."""

    async def notice(self, *, channel: str, user: str, text: str) -> None:
        """Show one person a line that nobody else sees."""

    async def open_dm(self, user: str) -> str:
        """The id of the direct message between the bot and `user`."""

    async def open_view(self, *, trigger_id: str, view: dict[str, Any]) -> None:
        """Open a dialog; `trigger_id` is at most three seconds old."""

    async def find_in_thread(self, *, channel: str, thread_ts: str, event_type: str, nonce: str) -> str | None:
        """The ts of the bot's own reply whose metadata has this type and nonce, if it stands in the thread."""

    async def find_in_channel(self, *, channel: str, oldest: str, event_type: str, nonce: str) -> str | None:
        """The same among the messages of a channel that are newer than `oldest`."""

    async def permalink(self, *, channel: str, ts: str) -> str:
        """The address of a message."""

    async def user_name(self, user: str) -> str:
        """The name that people know `user` by."""


class History(Protocol):
    """What was said in channels, in Slack's own shape of a message. Raises as `Chat` does."""

    async def messages_since(self, *, channel: str, oldest: str) -> list[dict[str, Any]]:
        """The messages in the channel itself that are newer than `oldest`."""

    async def replies_since(self, *, channel: str, thread_ts: str, oldest: str) -> list[dict[str, Any]]:
        """The replies in a thread that are newer than `oldest`."""


class Pace(Protocol):
    """When a call to Slack may go out."""

    async def turn(self, method: str, *, channel: str = "", now_or_never: bool = False) -> None:
        """Return when it may; with `now_or_never` raise `RetryLater` instead of waiting."""

    def hold(self, method: str, seconds: float) -> None:
        """Slack has asked for a pause of this method."""


class Engine(Protocol):
    """Whoever investigates: the keyword engine, or agents on a model."""

    name: str

    async def investigate(self, assignment: Assignment) -> Report:
        """Findings for a question. Raises `TriageError` with a plain sentence when there can be none."""


class Threads(Protocol):
    """What intake knows of the orchestrator."""

    def is_open(self, thread_id: str) -> bool:
        """Whether this thread has work outstanding."""

    def concerns(self, thread_id: str, sender_id: str) -> bool:
        """Whether this person asked the question of this thread, be it open or closed."""

    async def add(self, thread_id: str, message: MessageAdded) -> bool:
        """Hand a message to its thread; says whether it changed anything."""

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Hand an edit or a deletion to its thread; says whether it changed anything."""


class Desk(Protocol):
    """What intake knows of approval."""

    async def pressed(self, press: Press, *, replayed: bool = False) -> None:
        """Act on a button."""

    async def submitted(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """Act on a dialog; the answer is the errors to show in it, by `block_id`."""
