"""What is known around each message: who opened its thread or talk, who wrote last, who answers here. No clock.

Fed with every message in order, by `intake/judging` as they come in and by the commands that go through a stream; each
is judged between `context_of` and `learn`.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bot.decide.channel import Channel, Person
from bot.models.context import Context

if TYPE_CHECKING:
    from bot.models.message import Message
    from bot.models.said import Placed

K = TypeVar("K")
T = TypeVar("T")

REMEMBERED = 10_000
"""How many threads, places and people are remembered; the ones that were quiet longest are forgotten first."""

SHORT_WHILE = timedelta(minutes=10)
"""How long an author's next message belongs to the one before."""

IN_TALK = timedelta(minutes=3)
"""How long a message of somebody else in a channel may be what the next one answers."""

AT_ONCE, FOREVER = timedelta(), timedelta.max
LONG = 60
"""Messages of a channel after which its author's next one begins something."""
NEVER = 1 << 60
LATELY = 3
"""Messages of a channel within which an author is still in a talk."""


class Answerer(NamedTuple):
    """A person who answers in a channel and hardly asks."""

    channel: str
    user: str
    answered: int
    """Threads and talks of others that they answered in; three that they only asked back in count as one."""
    asked: int
    """Threads and talks that they began."""


class Surroundings:
    """A memory of threads, channels and people. Ask it once for each message: it notes what it is asked."""

    def __init__(self, *, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._askers: OrderedDict[str, str] = OrderedDict()
        self._asked: OrderedDict[str, bool] = OrderedDict()
        """Threads whose first message asks or reports."""
        self._last: OrderedDict[str, tuple[str, datetime]] = OrderedDict()
        self._channels: OrderedDict[str, Channel] = OrderedDict()
        self._people: OrderedDict[tuple[str, str], Person] = OrderedDict()
        self._read: tuple[object, str, Channel, Person] | None = None
        """The message that was asked for last, and what is known of its place: it is learnt from next."""

    def context_of(self, message: Message | Placed, *, for_help: bool = False) -> Context:
        """What is known around this message, before it; then it is part of what is known.

        `for_help` says that people come to its channel for help: what stands in the channel itself begins something
        there, unless its author answers or goes on with what they said themselves.
        """
        sender, thread, channel = message.sender, message.thread_id, message.chat_id
        author, at, by_bot = sender.id, message.create_time, sender.type == "bot"
        home, most = message.home, self._remembered
        place = thread or channel
        last = self._last.get(place)
        same, gap_time = False, FOREVER
        if last is not None:
            same, gap_time = last[0] == author, at - last[1]
        wrote_before = same and AT_ONCE <= gap_time < SHORT_WHILE
        written = (author, at)
        asker = self._askers.get(home) if thread is not None else None
        by_asker = asker == author
        if thread is None:
            _keep(self._askers, home, author, most)
            _keep(self._last, home, written, most)
        _keep(self._last, place, written, most)
        if by_bot:
            if asker is not None and not by_asker and channel in self._channels:
                self._channels[channel].replies += 1
            return Context(False, thread is not None, by_asker, wrote_before, False, True)
        here, person = self._met(channel, author)
        self._read = message, home, here, person
        gap = here.count - person.last if person.last else NEVER
        is_away, began, opens = gap >= LONG, None, False
        if thread is None:
            began = here.talk_at(at) if here.talks else None
            is_soon = not same and gap_time < IN_TALK
            is_quiet = not is_soon and gap >= LATELY and began in (None, author)
            asks_here = for_help and not person.answers and not person.goes_on(at, IN_TALK)
            opens = is_away or is_quiet or here.has_threads or asks_here
            person.wrote_at = at
            person.begins, person.is_apart = is_away or asks_here, for_help and not is_soon
        else:
            here.replies += 1
        here.count += 1
        person.last = here.count
        return Context(
            False, thread is not None, by_asker, wrote_before, False, False, False, False, False, opens,
            is_away, gap < LATELY, gap >= NEVER and here.count > LONG,
            began == author, began is not None and began != author, person.answers, False,
            by_asker and thread is not None and home not in self._asked,
        )  # fmt: skip

    def learn(self, message: Message | Placed, *, asks: bool, actionable: bool = False) -> None:
        """Note whether the message that was just judged asks by its words: who only answers is told from it.

        What opens a thread and neither asks nor is actionable leaves its author nothing to come back to.
        """
        channel, author, thread = message.chat_id, message.sender.id, message.thread_id
        if message.sender.type == "bot":
            return
        if self._read is not None and self._read[0] is message:
            _, home, here, person = self._read
        else:
            home, (here, person) = message.home, self._met(channel, author)
        if thread is None and (asks or actionable):
            _keep(self._asked, home, True, self._remembered)
        if thread is not None:
            asker = self._askers.get(home)
            if asker is not None and asker != author:
                person.speak(home, asker, asks=asks)
            return
        if asks and (person.begins or here.has_threads):
            person.ask()
            here.begin(author, home, message.create_time)
            return
        here.go_on(message.create_time)
        talk = here.talk_of_another(author)
        if talk is not None and not person.is_apart:
            person.talk(talk.home, talk.asker, asks=asks)

    def answerers(self) -> list[Answerer]:
        """The people who answer and hardly ask, the busiest first."""
        known = [
            Answerer(channel, user, person.helped, person.asked)
            for (channel, user), person in self._people.items()
            if person.answers
        ]
        return sorted(known, key=lambda one: (-one.answered, one.channel, one.user))

    def adopt(self, other: Surroundings) -> None:
        """Take over what another one remembers."""
        self._askers, self._asked, self._last = other._askers, other._asked, other._last
        self._channels, self._people, self._read = other._channels, other._people, None

    def _met(self, channel: str, author: str) -> tuple[Channel, Person]:
        here = self._channels.get(channel)
        if here is None:
            here = Channel()
            _keep(self._channels, channel, here, self._remembered)
        key = (channel, author)
        person = self._people.get(key)
        if person is None:
            person = Person()
            _keep(self._people, key, person, self._remembered)
        else:
            self._people.move_to_end(key)
        return here, person


def _keep(memory: OrderedDict[K, T], key: K, value: T, most: int) -> None:
    if key in memory:
        memory.move_to_end(key)
    memory[key] = value
    if len(memory) > most:
        memory.popitem(last=False)
