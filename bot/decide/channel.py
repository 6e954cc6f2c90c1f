"""A channel and its people as tier 0 remembers them: running talks, who asks and who answers. No clock."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

RUNS = 20
"""Messages of a channel for which a talk that began there goes on."""
PAUSE = timedelta(minutes=30)
"""How long a talk may rest."""
TALKS = 3
"""Talks that go on at once in a channel."""
FEWEST = 3
"""Threads or talks of others that somebody has answered in before they count as one who answers."""
TIMES = 3
"""How many of them come on each that they began: among peers everybody does both."""
MOST = 60
"""From then on both counts are halved, so that what is newer counts for more."""
THREADED = 4
"""One message in so many stands in a thread where people use threads: what stands outside one is no talk."""
UNTOLD = 60
"""Messages of a channel before it tells that nobody uses threads there."""


class Talk(NamedTuple):
    """A question in the channel itself, and what is said after it."""

    asker: str
    home: str
    at: int
    """The number of its first message in the channel."""


class Channel:
    """What is known of a channel."""

    __slots__ = ("count", "latest", "replies", "talks")

    def __init__(self) -> None:
        self.count = 0
        """Messages of people, replies included."""
        self.replies = 0
        self.talks: tuple[Talk, ...] = ()
        self.latest: datetime | None = None
        """When somebody last said something in the channel itself."""

    @property
    def has_threads(self) -> bool:
        """Whether people answer in threads here."""
        return self.count < UNTOLD or self.replies * THREADED > self.count

    def begin(self, asker: str, home: str, at: datetime) -> None:
        """Note that somebody began a talk."""
        others = [talk for talk in self.talks if talk.asker != asker and self.count - talk.at <= RUNS]
        self.talks, self.latest = (*others[1 - TALKS :], Talk(asker, home, self.count)), at

    def go_on(self, at: datetime) -> None:
        """Note that something was said outside threads."""
        self.latest = at

    def talk_at(self, at: datetime) -> str | None:
        """Return the person who began the talk that is going on, if one is."""
        if not self.talks or self.has_threads or self.latest is None or at - self.latest > PAUSE:
            return None
        talk = self.talks[-1]
        return talk.asker if self.count - talk.at <= RUNS else None

    def talk_of_another(self, author: str) -> Talk | None:
        """Return the newest talk, where somebody else began it."""
        if not self.talks or self.has_threads:
            return None
        talk = self.talks[-1]
        return talk if talk.asker != author and self.count - talk.at <= RUNS else None


class Person:
    """What is known of a person in a channel."""

    __slots__ = ("answered", "answers", "asked", "asked_in", "is_away", "last", "latest", "others")

    def __init__(self) -> None:
        self.last = 0
        """The number of their last message in the channel; 0 before the first."""
        self.is_away = True
        """Whether they had been silent for long before it."""
        self.asked = self.answered = 0
        self.asked_in = ""
        """The thread or talk of another that they asked in last."""
        self.answers = False
        """Whether they answer and hardly ask."""
        self.latest: tuple[str, ...] = ()
        """Threads and talks that they answered in last."""
        self.others: tuple[str, ...] = ()
        """The people whose these are, two at most."""

    def speak(self, home: str, asker: str, *, asks: bool) -> None:
        """Note that they said something in a thread or talk of another, which counts once as an answer."""
        if asks and home != self.asked_in:
            self.asked_in = home
            self.ask()
        if home in self.latest:
            return
        self.latest = (*self.latest[-3:], home)
        if len(self.others) < 2 and asker not in self.others:  # whose talks they are matters no more
            self.others = (*self.others, asker)
        self.answered += 1
        self._weigh()

    def ask(self) -> None:
        """Note that they began a thread or a talk, or asked in another's."""
        self.asked += 1
        self._weigh()

    def _weigh(self) -> None:
        if self.answered + self.asked > MOST:
            self.answered, self.asked = self.answered // 2, self.asked // 2
        self.answers = len(self.others) > 1 and self.answered >= max(FEWEST, TIMES * self.asked)
