"""Debounce: group consecutive messages of one author in one channel or thread into one question.

A message within the debounce window of its author's previous one belongs to the same group, unless another person wrote
in between. The first actionable message anchors the question; the messages that lead up to it join. Only the messages'
own times count, not the order or time of delivery, so a restart and a catch-up give the same groups. Pure but for its
bounded memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from bot.decide.retrieval.question_similarity import is_similar

if TYPE_CHECKING:
    from datetime import timedelta

    from bot.models.message import Message
    from bot.models.thread import Thread

PLACES = 10_000
"""Channels and threads remembered; the least recently used one is forgotten first."""
MAX_MESSAGES = 100
"""Messages remembered for each of them; the oldest are forgotten first."""

DAY = 24 * 3600 * 1_000_000
"""Microseconds."""


class _Message(NamedTuple):
    at: int
    author: str
    home: str | None


def _index(messages: list[_Message] | list[_Entry], at: int) -> int:
    """Return the index of a message of this time, by bisection only if it was delivered late."""
    return bisect_left(messages, at, key=_at) if messages and messages[-1].at >= at else len(messages)


_at = attrgetter("at")


class LastQuestions:
    """Authors and questions of the newest messages of each channel."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, list[_Message]] = OrderedDict()

    def note(self, channel: str, at: int, author: str, home: str | None) -> None:
        """Remember a message of the channel itself; `home` is the thread of its question, if any."""
        messages = self._places.setdefault(channel, [])
        self._places.move_to_end(channel)
        if len(self._places) > PLACES:
            self._places.popitem(last=False)
        index = _index(messages, at)
        if index < len(messages) and messages[index].at == at:
            del messages[index]
        messages.insert(index, _Message(at, author, home))
        del messages[:-MAX_MESSAGES]

    def newest_before(self, channel: str, at: int, author: str) -> str | None:
        """Return the author's newest question, if nobody else has written in the channel since."""
        messages = self._places.get(channel, [])
        for message in reversed(messages[: _index(messages, at)]):
            if message.author != author:
                return None
            if message.home:
                return message.home
        return None

    def only_question(self, channel: str, at: int, author: str) -> str | None:
        """Return the author's newest question, if it is also their only one in the channel within a day."""
        home = self.newest_before(channel, at, author)
        others = {each.home for each in self._places.get(channel, []) if each.author == author and at - each.at < DAY}
        return home if others <= {home, None} else None


@dataclass(frozen=True, slots=True)
class LeadingMessage:
    """Message before a question that belongs to it, with its journal record."""

    message: Message
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Placement:
    """Placement of a message: the question that it joins or anchors, if any."""

    joins: str | None = None
    """Thread whose debounce window is open for its author."""
    anchors: bool = False
    """True if a question begins with it."""
    before: tuple[LeadingMessage, ...] = ()
    """Earlier messages of the same group that had no question yet, oldest first."""


@dataclass(slots=True)
class _Entry:
    at: int
    """Microseconds since 1970, by Slack's clock."""
    author: str
    home: str | None = None
    """Thread of the question that it belongs to."""
    waits: LeadingMessage | None = None
    """The message itself, while it belongs to no question."""
    asks: str = ""
    """Question text, if it may open a question."""


class Debouncer:
    """Debounce groups by channel or thread.

    `length` is the debounce window, `longest` the maximum time between a leading message and its question.
    """

    def __init__(self, length: timedelta, longest: timedelta) -> None:
        self._length = round(length.total_seconds() * 1_000_000)
        self._longest = max(self._length, round(longest.total_seconds() * 1_000_000))
        self._places: OrderedDict[str, list[_Entry]] = OrderedDict()
        self._last = LastQuestions()

    def place_message(self, message: Message, record: dict[str, Any], *, opens: bool, alone: bool = False) -> Placement:
        """Return the placement of a message and remember it.

        `opens`: it may open a question. `alone`: it is a question by itself, unless the same was asked in its window.
        """
        placement = self._find_placement(message, record, opens=opens, alone=alone and message.thread_id is None)
        self.note(message, placement.joins or (message.home if placement.anchors else None))
        return placement

    def question_before(self, message: Message) -> str | None:
        """Return the author's newest question in the channel, if nobody else has written there since."""
        if message.thread_id is not None or message.sender.type != "user":
            return None
        return self._last.newest_before(message.chat_id, _microseconds(message.message_id), message.sender.id)

    def only_question_before(self, message: Message) -> str | None:
        """Return the author's newest question in the channel, if it is also their only one there within a day."""
        if message.thread_id is not None or message.sender.type != "user":
            return None
        return self._last.only_question(message.chat_id, _microseconds(message.message_id), message.sender.id)

    def note(self, message: Message, home: str | None) -> None:
        """Remember a message's author and its question, if any, without opening a debounce window."""
        if message.thread_id is None and message.sender.type == "user":
            self._last.note(message.chat_id, _microseconds(message.message_id), message.sender.id, home)

    def _find_placement(self, message: Message, record: dict[str, Any], *, opens: bool, alone: bool) -> Placement:
        if message.sender.type != "user" or not self._length:
            return Placement(anchors=opens)
        entries = self._entries_of(message.thread_id or message.chat_id)
        at = _microseconds(message.message_id)
        index = _index(entries, at)
        if index < len(entries) and entries[index].at == at:
            home = entries[index].home
            if home is not None:
                return (
                    Placement(anchors=opens)
                    if home == message.home and not message.thread_id
                    else Placement(joins=home)
                )
            del entries[index]  # edited since
        new = _Entry(at, message.sender.id, asks=message.asks if opens else "")
        entries.insert(index, new)
        led_up, home = self._find_leading(entries, index)
        near = [place for place in (home, self._find_following(entries, index)) if place]
        if alone:  # it only joins a group in which the same was asked
            near = [
                place
                for place in near
                if any(each.home == place and is_similar(new.asks, each.asks) for each in entries)
            ]
        home = next(iter(near), None)
        if home is None and not opens:
            if record.get("classification") != "ack":  # an acknowledgement answers an earlier message
                new.waits = LeadingMessage(message, record)
            self._trim(entries)
            return Placement()
        others = (*led_up, *self._collect_followed(entries, index))
        before = tuple(entry.waits for entry in others if entry.waits)
        for entry in (*others, new):
            entry.home, entry.waits = home or message.home, None
        if message.thread_id is None:
            self._assign(home or message.home, at, message.sender.id, home or message.home)
        self._trim(entries)
        return Placement(joins=home, anchors=home is None, before=before)

    def assign(self, message: Message, home: str) -> None:
        """Assign a message to a known question."""
        self.note(message, home)
        if message.sender.type == "user" and self._length:
            at = _microseconds(message.message_id)
            for place in {message.thread_id or message.chat_id, home}:
                self._assign(place, at, message.sender.id, home)

    def restore(self, thread: Thread) -> None:
        """Restore the group of a question that may still be added to, from its document."""
        for message in thread.messages:
            if message.round == thread.question_round:
                at = _microseconds(message.message_id)
                self._assign(thread.thread_id, at, message.sender_id, thread.thread_id)
                if message.sender_id == thread.original_sender_id:
                    self._assign(thread.chat_id, at, message.sender_id, thread.thread_id)

    def _assign(self, place: str, at: int, author: str, home: str) -> None:
        entries = self._entries_of(place)
        index = _index(entries, at)
        if index < len(entries) and entries[index].at == at:
            entries[index].home, entries[index].waits = home, None
        else:
            entries.insert(index, _Entry(at, author, home))
            self._trim(entries)

    def _find_leading(self, entries: list[_Entry], index: int) -> tuple[list[_Entry], str | None]:
        """Return the author's messages in the window before it, oldest first, and the question that they follow, if
        any."""
        led_up: list[_Entry] = []
        new = nearest = entries[index]
        for entry in reversed(entries[:index]):
            if entry.author != new.author or nearest.at - entry.at > self._length:
                break
            if entry.home:
                return led_up[::-1], entry.home
            if new.at - entry.at > self._longest:
                break
            led_up.append(entry)
            nearest = entry
        return led_up[::-1], None

    def _collect_followed(self, entries: list[_Entry], index: int) -> list[_Entry]:
        """Return the author's later messages within the window, which were delivered before it."""
        followed: list[_Entry] = []
        nearest = entries[index]
        for entry in entries[index + 1 :]:
            if entry.author != nearest.author or entry.at - nearest.at > self._length or entry.home:
                break
            followed.append(entry)
            nearest = entry
        return followed

    def _find_following(self, entries: list[_Entry], index: int) -> str | None:
        """Return the question of the author's next message, if that was delivered first."""
        new, after = entries[index], entries[index + 1 : index + 2]
        near = [entry for entry in after if entry.author == new.author and entry.at - new.at <= self._length]
        return near[0].home if near else None

    def _entries_of(self, name: str) -> list[_Entry]:
        entries = self._places.setdefault(name, [])
        self._places.move_to_end(name)
        if len(self._places) > PLACES:
            self._places.popitem(last=False)
        return entries

    def _trim(self, entries: list[_Entry]) -> None:
        """Forget messages that no debounce window can reach any more."""
        oldest = entries[-1].at - self._length - self._longest
        if entries[0].at >= oldest and len(entries) <= MAX_MESSAGES:
            return
        keep = max(bisect_left(entries, oldest, key=_at), len(entries) - MAX_MESSAGES)
        if keep > 0:
            del entries[:keep]


def _microseconds(ts: str) -> int:
    seconds, _, rest = ts.partition(".")
    return int(seconds) * 1_000_000 + int(rest[:6].ljust(6, "0"))
