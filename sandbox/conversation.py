"""Conversations: a channel or a person's direct messages, with messages in order, threads, and paging."""

import base64
import binascii
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field

from sandbox import seed
from sandbox.models import Message, Refused, micros


@dataclass(slots=True)
class Conversation:
    """Channel or direct messages. The cost of a post does not grow with the number of messages."""

    id: str
    name: str
    members: tuple[str, ...]
    is_im: bool = False
    is_open: bool = False
    is_private: bool = False
    is_archived: bool = False
    creator: str = "U0ADMIN"
    created: int = seed.CREATED
    teams: tuple[str, ...] = (seed.TEAM_ID,)
    """Teams of the channel; the first one hosts it."""
    previous_names: tuple[str, ...] = ()
    is_frozen: bool = False
    """True if archived because another company ended the connection."""
    topic: str = ""
    purpose: str = ""
    hint: str = ""
    """Text that the page shows while nothing was said."""
    messages: dict[str, Message] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    threads: dict[str, list[str]] = field(default_factory=dict)

    def put(self, message: Message) -> None:
        """Store a new message or a new version of one."""
        if message.ts not in self.messages:
            if message.is_reply and message.thread_ts:
                insort(self.threads.setdefault(message.thread_ts, []), message.ts, key=micros)
            if not message.is_reply or message.is_broadcast:
                insort(self.roots, message.ts, key=micros)
        self.messages[message.ts] = message

    def remove(self, ts: str) -> None:
        message = self.messages.pop(ts)
        if message.is_reply and message.thread_ts:
            replies = self.threads[message.thread_ts]
            replies.remove(ts)
            if not replies:
                del self.threads[message.thread_ts]
        if not message.is_reply or message.is_broadcast:
            self.roots.remove(ts)

    @property
    def kind(self) -> str:
        """Return the kind as in an event's `channel_type`."""
        if self.is_im:
            return "im"
        return "group" if self.is_private else "channel"

    @property
    def is_shared(self) -> bool:
        """Return whether more than one team is in it."""
        return len(self.teams) > 1

    def message(self, ts: str) -> Message:
        message = self.messages.get(ts)
        if message is None:
            raise Refused("message_not_found")
        return message

    def replies(self, ts: str) -> list[Message]:
        return [self.messages[reply] for reply in self.threads.get(ts, ())]


@dataclass(frozen=True, slots=True)
class Window:
    """Requested part of a conversation: Slack's oldest, latest, inclusive, cursor and limit."""

    limit: int
    oldest: str | None = None
    latest: str | None = None
    inclusive: bool = False
    cursor: str | None = None

    def select(self, order: list[str]) -> list[str]:
        """Return the part of an ascending list of ts between `oldest` and `latest`."""
        low, high = 0, len(order)
        if self.oldest is not None:
            side = bisect_left if self.inclusive else bisect_right
            low = side(order, _parse_bound(self.oldest, "invalid_ts_oldest"), key=micros)
        if self.latest is not None:
            side = bisect_right if self.inclusive else bisect_left
            high = side(order, _parse_bound(self.latest, "invalid_ts_latest"), key=micros)
        return order[low:high]

    def newest_first(self, order: list[str]) -> tuple[list[str], str]:
        """Return one page of history, and the cursor of the next ("" on the last page)."""
        part = self.select(order)
        if self.cursor:
            part = part[: bisect_right(part, micros(read_cursor(self.cursor)), key=micros)]
        page = part[-self.limit :][::-1]
        rest = part[: -self.limit]
        return page, write_cursor(rest[-1]) if rest else ""

    def oldest_first(self, order: list[str]) -> tuple[list[str], str]:
        """Return one page of a thread or a list, and the cursor of the next."""
        part = self.select(order)
        if self.cursor:
            part = part[bisect_left(part, micros(read_cursor(self.cursor)), key=micros) :]
        rest = part[self.limit :]
        return part[: self.limit], write_cursor(rest[0]) if rest else ""


def write_cursor(mark: str) -> str:
    return base64.b64encode(f"next:{mark}".encode()).decode()


def read_cursor(cursor: str) -> str:
    try:
        kind, _, mark = base64.b64decode(cursor, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refused("invalid_cursor") from None
    if kind != "next" or not mark.replace(".", "", 1).isdigit():
        raise Refused("invalid_cursor")
    return mark


def _parse_bound(ts: str, error: str) -> int:
    try:
        return micros(ts)
    except ValueError:
        raise Refused(error) from None
