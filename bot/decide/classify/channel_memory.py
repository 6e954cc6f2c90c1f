"""A channel and its people as tier 0 remembers them: running talks, who asks and who answers. No clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

Place = Literal["", "below", "right below"]
"""Where a message stands to the last reply of the bot's own in its thread: none is there, others have written since, or
nobody but its author has."""
ITSELF = "bot"
"""The author of the bot's own replies."""

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
BACK = 3
"""Threads of others that they asked in which count as one that they answered in: some ask there for
themselves."""
MOST = 60
"""From then on all counts are halved, so that what is newer counts for more."""
THREADED = 4
"""One message in so many stands in a thread where people use threads: what stands outside one is no talk."""
UNTOLD = 60
"""Messages of a channel before it tells that nobody uses threads there."""
LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""When nothing was said yet."""


class ChannelQuestion(NamedTuple):
    """A question in the channel itself, and what is said after it."""

    asker: str
    home: str
    at: int
    """The number of its first message in the channel."""


class ChannelThread:
    """What is known of a thread, or of a message that may open one."""

    __slots__ = ("asker", "asks", "at", "by", "since")

    def __init__(self, asker: str | None, at: datetime) -> None:
        self.asker = self.by = asker
        """Who opened it, and who wrote in it last; `None` where its first message was not seen."""
        self.at = at
        self.asks = False
        """Whether its first message asks or reports."""
        self.since: str | None = None
        """Who alone has written since the bot's reply: empty for nobody, `ITSELF` for several; `None` without one."""

    def hear(self, author: str) -> None:
        """Note who writes in it, for what follows its last reply."""
        if author == ITSELF:
            self.since = ""
        elif self.since is not None and self.since != author:
            self.since = ITSELF if self.since else author

    def place_of(self, author: str) -> Place:
        """Return where the next message of this author will stand."""
        if self.since is None:
            return ""
        return "right below" if self.since in ("", author) else "below"


class Channel:
    """What is known of a channel."""

    __slots__ = ("at", "by", "count", "latest", "replies", "talks")

    def __init__(self) -> None:
        self.by: str | None = None
        """Who wrote in the channel itself last, and when; programs too."""
        self.at = LONG_AGO
        self.count = 0
        """Messages of people, replies included."""
        self.replies = 0
        """Messages in threads, those of a program in the thread of a person among them."""
        self.talks: tuple[ChannelQuestion, ...] = ()
        self.latest: datetime | None = None
        """When somebody last said something in the channel itself."""

    @property
    def has_threads(self) -> bool:
        """Return whether people answer in threads here."""
        return self.replies * THREADED > self.count or self.count < UNTOLD

    def begin(self, asker: str, home: str, at: datetime) -> None:
        """Note that somebody began a talk."""
        others = [talk for talk in self.talks if talk.asker != asker and self.count - talk.at <= RUNS]
        self.talks, self.latest = (*others[1 - TALKS :], ChannelQuestion(asker, home, self.count)), at

    def talk_at(self, at: datetime) -> str | None:
        """Return the person who began the talk that is going on, if one is."""
        if not self.talks or self.has_threads or self.latest is None or at - self.latest > PAUSE:
            return None
        talk = self.talks[-1]
        return talk.asker if self.count - talk.at <= RUNS else None

    def talk_of_another(self, author: str) -> ChannelQuestion | None:
        """Return the newest talk, where somebody else began it."""
        if not self.talks or self.has_threads:
            return None
        talk = self.talks[-1]
        return talk if talk.asker != author and self.count - talk.at <= RUNS else None


class ChannelMember:
    """What is known of a person in a channel."""

    __slots__ = (
        "answered", "answers", "asked", "asked_back", "asked_in", "begins", "is_apart", "last", "latest", "others",
        "wrote_at",
    )  # fmt: skip

    def __init__(self) -> None:
        self.last = 0
        """The number of their last message in the channel; 0 before the first."""
        self.wrote_at: datetime | None = None
        """When they last said something in the channel itself."""
        self.begins = True
        """Whether a talk may begin with that."""
        self.is_apart = False
        """Whether it was said where people come for help, and nobody else spoke just before."""
        self.asked = self.answered = self.asked_back = 0
        self.asked_in = ""
        """The thread or talk of another that they asked in last."""
        self.answers = False
        """Whether they answer and hardly ask."""
        self.latest: tuple[str, ...] = ()
        """Threads and talks that they answered in last."""
        self.others: tuple[str, ...] = ()
        """The people whose these are, two at most."""

    @property
    def helped(self) -> int:
        """Threads and talks of others that count for one who answers."""
        return self.answered + self.asked_back // BACK

    def goes_on(self, at: datetime, short_while: timedelta) -> bool:
        """Return whether what they say now in the channel itself goes on with their own last message there."""
        return self.wrote_at is not None and timedelta() <= at - self.wrote_at < short_while

    def speak(self, home: str, asker: str, *, asks: bool) -> None:
        """Note that they said something in a thread of another; what they ask there is asked back."""
        if not asks:
            self._answer(home, asker)
        elif home != self.asked_in:
            self.asked_in = home
            self.asked_back += 1
            self._among(asker)
            self._weigh()

    def talk(self, home: str, asker: str, *, asks: bool) -> None:
        """Note that they said something in a talk of another: what they ask there may be their own."""
        if asks and home != self.asked_in:
            self.asked_in = home
            self.ask()
        self._answer(home, asker)

    def ask(self) -> None:
        """Note that they asked for themselves."""
        self.asked += 1
        self._weigh()

    def _answer(self, home: str, asker: str) -> None:
        if home in self.latest:
            return
        self.latest = (*self.latest[-3:], home)
        self.answered += 1
        self._among(asker)
        self._weigh()

    def _among(self, asker: str) -> None:
        if len(self.others) < 2 and asker not in self.others:  # whose talks they are matters no more
            self.others = (*self.others, asker)

    def _weigh(self) -> None:
        if self.answered + self.asked_back + self.asked > MOST:
            self.answered, self.asked = self.answered // 2, self.asked // 2
            self.asked_back //= 2
        self.answers = len(self.others) > 1 and self.helped >= max(FEWEST, TIMES * self.asked)
