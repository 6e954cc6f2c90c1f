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
from typing import TYPE_CHECKING, Any

from bot.decide.retrieval.question_similarity import alike
from bot.intake.last_questions import LastQuestions

if TYPE_CHECKING:
    from datetime import timedelta

    from bot.models.message import Message
    from bot.models.thread import Thread

PLACES = 10_000
"""Channels and threads remembered; the least recently used one is forgotten first."""

MOST = 100
"""Messages remembered for each; the oldest are forgotten first."""


@dataclass(frozen=True, slots=True)
class LeadingMessage:
    """Message before a question that belongs to it, with its journal record."""

    message: Message
    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seat:
    """Placement of a message: the question that it joins or anchors, if any."""

    joins: str | None = None
    """Thread whose debounce window is open for its author."""
    anchors: bool = False
    """True if a question begins with it."""
    before: tuple[LeadingMessage, ...] = ()
    """Earlier messages of the same group that had no question yet, oldest first."""


@dataclass(slots=True)
class _Said:
    at: int
    """Microseconds since 1970, by Slack's clock."""
    author: str
    home: str | None = None
    """Thread of the question that it belongs to."""
    waits: LeadingMessage | None = None
    """The message itself, while it belongs to no question."""
    asks: str = ""
    """Question text, if it may open a question."""


_at = attrgetter("at")


class Windows:
    """Debounce groups by channel or thread.

    `length` is the debounce window, `longest` the maximum time between a leading message and its question.
    """

    def __init__(self, length: timedelta, longest: timedelta) -> None:
        self._length = round(length.total_seconds() * 1_000_000)
        self._longest = max(self._length, round(longest.total_seconds() * 1_000_000))
        self._places: OrderedDict[str, list[_Said]] = OrderedDict()
        self._last = LastQuestions()

    def seat(self, message: Message, record: dict[str, Any], *, opens: bool, alone: bool = False) -> Seat:
        """Return the placement of a message and remember it.

        `opens`: it may open a question. `alone`: it is a question by itself, unless the same was asked in its window.
        """
        seat = self._seat(message, record, opens=opens, alone=alone and message.thread_id is None)
        self.note(message, seat.joins or (message.home if seat.anchors else None))
        return seat

    def question_before(self, message: Message) -> str | None:
        """Return the author's newest question in the channel, if nobody else has written there since."""
        if message.thread_id is not None or message.sender.type != "user":
            return None
        return self._last.before(message.chat_id, _microseconds(message.message_id), message.sender.id)

    def only_question_before(self, message: Message) -> str | None:
        """Return the author's newest question in the channel, if it is also their only one there within a day."""
        if message.thread_id is not None or message.sender.type != "user":
            return None
        return self._last.only(message.chat_id, _microseconds(message.message_id), message.sender.id)

    def note(self, message: Message, home: str | None) -> None:
        """Remember a message's author and its question, if any, without opening a debounce window."""
        if message.thread_id is None and message.sender.type == "user":
            self._last.note(message.chat_id, _microseconds(message.message_id), message.sender.id, home)

    def _seat(self, message: Message, record: dict[str, Any], *, opens: bool, alone: bool) -> Seat:
        if message.sender.type != "user" or not self._length:
            return Seat(anchors=opens)
        said = self._place(message.thread_id or message.chat_id)
        at = _microseconds(message.message_id)
        index = _index(said, at)
        if index < len(said) and said[index].at == at:
            home = said[index].home
            if home is not None:
                return Seat(anchors=opens) if home == message.home and not message.thread_id else Seat(joins=home)
            del said[index]  # edited since
        new = _Said(at, message.sender.id, asks=message.asks if opens else "")
        said.insert(index, new)
        led_up, home = self._back(said, index)
        near = [place for place in (home, self._forward(said, index)) if place]
        if alone:  # it only joins a group in which the same was asked
            near = [place for place in near if any(each.home == place and alike(new.asks, each.asks) for each in said)]
        home = next(iter(near), None)
        if home is None and not opens:
            if record.get("classification") != "ack":  # an acknowledgement answers an earlier message
                new.waits = LeadingMessage(message, record)
            self._trim(said)
            return Seat()
        others = (*led_up, *self._followed(said, index))
        before = tuple(one.waits for one in others if one.waits)
        for one in (*others, new):
            one.home, one.waits = home or message.home, None
        if message.thread_id is None:
            self._stand(home or message.home, at, message.sender.id, home or message.home)
        self._trim(said)
        return Seat(joins=home, anchors=home is None, before=before)

    def put(self, message: Message, home: str) -> None:
        """Assign a message to a known question."""
        self.note(message, home)
        if message.sender.type == "user" and self._length:
            at = _microseconds(message.message_id)
            for place in {message.thread_id or message.chat_id, home}:
                self._stand(place, at, message.sender.id, home)

    def restore(self, thread: Thread) -> None:
        """Restore the group of a question that may still be added to, from its document."""
        for message in thread.messages:
            if message.round == thread.question_round:
                at = _microseconds(message.message_id)
                self._stand(thread.thread_id, at, message.sender_id, thread.thread_id)
                if message.sender_id == thread.original_sender_id:
                    self._stand(thread.chat_id, at, message.sender_id, thread.thread_id)

    def _stand(self, place: str, at: int, author: str, home: str) -> None:
        said = self._place(place)
        index = _index(said, at)
        if index < len(said) and said[index].at == at:
            said[index].home, said[index].waits = home, None
        else:
            said.insert(index, _Said(at, author, home))
            self._trim(said)

    def _back(self, said: list[_Said], index: int) -> tuple[list[_Said], str | None]:
        """Return the author's messages in the window before it, oldest first, and the question that they follow, if
        any."""
        led_up: list[_Said] = []
        new = nearest = said[index]
        for one in reversed(said[:index]):
            if one.author != new.author or nearest.at - one.at > self._length:
                break
            if one.home:
                return led_up[::-1], one.home
            if new.at - one.at > self._longest:
                break
            led_up.append(one)
            nearest = one
        return led_up[::-1], None

    def _followed(self, said: list[_Said], index: int) -> list[_Said]:
        """Return the author's later messages within the window, which were delivered before it."""
        followed: list[_Said] = []
        nearest = said[index]
        for one in said[index + 1 :]:
            if one.author != nearest.author or one.at - nearest.at > self._length or one.home:
                break
            followed.append(one)
            nearest = one
        return followed

    def _forward(self, said: list[_Said], index: int) -> str | None:
        """Return the question of the author's next message, if that was delivered first."""
        new, after = said[index], said[index + 1 : index + 2]
        near = [one for one in after if one.author == new.author and one.at - new.at <= self._length]
        return near[0].home if near else None

    def _place(self, name: str) -> list[_Said]:
        said = self._places.setdefault(name, [])
        self._places.move_to_end(name)
        if len(self._places) > PLACES:
            self._places.popitem(last=False)
        return said

    def _trim(self, said: list[_Said]) -> None:
        """Forget messages that no debounce window can reach any more."""
        oldest = said[-1].at - self._length - self._longest
        if said[0].at >= oldest and len(said) <= MOST:
            return
        keep = max(bisect_left(said, oldest, key=_at), len(said) - MOST)
        if keep > 0:
            del said[:keep]


def _index(said: list[_Said], at: int) -> int:
    """Return the index of a message of this time, by bisection only if it was delivered late."""
    return bisect_left(said, at, key=_at) if said and said[-1].at >= at else len(said)


def _microseconds(ts: str) -> int:
    seconds, _, rest = ts.partition(".")
    return int(seconds) * 1_000_000 + int(rest[:6].ljust(6, "0"))
