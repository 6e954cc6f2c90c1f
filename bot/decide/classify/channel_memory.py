"""Channel memory of tier 0: active conversations, and each member's counts of questions and answers. Uses no clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple

Place = Literal["", "below", "right below"]
"""Position of a message relative to the bot's last reply in its thread: "" without such a reply, "below" when others
have written since, "right below" when only the message's author has."""
BOT_AUTHOR = "bot"
"""Author id that stands for the bot's own replies."""

RUNS = 20
"""Number of channel messages after which a conversation ends."""
PAUSE = timedelta(minutes=30)
"""Longest pause within a conversation."""
TALKS = 3
"""Maximum number of conversations tracked concurrently in a channel."""
FEWEST = 3
"""Minimum number of other people's threads or conversations that a member has answered in before they count as an
answerer."""
TIMES = 3
"""Minimum ratio of answered to started threads for an answerer: among peers everybody does both."""
BACK = 3
"""Number of other people's threads with a question by the member that count as one answered thread: some use them
for their own questions."""
HALVING_THRESHOLD = 60
"""Sum of a member's counts at which all are halved, so that recent activity weighs more."""
THREADED = 4
"""Inverse share of threaded messages above which a channel uses threads; messages outside threads then form no
conversation."""
MIN_MESSAGES = 60
"""Minimum number of channel messages before the channel counts as one without threads."""
LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""Timestamp used before the first message."""


class ChannelQuestion(NamedTuple):
    """Conversation that a question outside any thread began."""

    asker: str
    home: str
    at: int
    """Sequence number of its first message in the channel."""


class ChannelThread:
    """State of a thread, or of a message that may start one."""

    __slots__ = ("asker", "asks", "at", "by", "since")

    def __init__(self, asker: str | None, at: datetime) -> None:
        self.asker = self.by = asker
        """Author of the first message, and of the latest; `None` when the first message was not seen."""
        self.at = at
        self.asks = False
        """True if its first message asks or reports something."""
        self.since: str | None = None
        """Only author since the bot's reply: empty if nobody wrote, the bot's id if several did, `None` without a
        reply."""

    def record_author(self, author: str) -> None:
        """Record the author of a message written after the bot's reply."""
        if author == BOT_AUTHOR:
            self.since = ""
        elif self.since is not None and self.since != author:
            self.since = BOT_AUTHOR if self.since else author

    def place_of(self, author: str) -> Place:
        """Return the position of this author's next message."""
        if self.since is None:
            return ""
        return "right below" if self.since in ("", author) else "below"


class Channel:
    """State of a channel."""

    __slots__ = ("at", "by", "count", "latest", "replies", "talks")

    def __init__(self) -> None:
        self.by: str | None = None
        """Author and time of the latest message outside threads; programs included."""
        self.at = LONG_AGO
        self.count = 0
        """Messages of people, replies included."""
        self.replies = 0
        """Number of thread replies, including a program's replies in a person's thread."""
        self.talks: tuple[ChannelQuestion, ...] = ()
        self.latest: datetime | None = None
        """Time of the latest message outside threads that belongs to a conversation."""

    @property
    def has_threads(self) -> bool:
        """Return whether people answer in threads here."""
        return self.replies * THREADED > self.count or self.count < MIN_MESSAGES

    def begin_conversation(self, asker: str, home: str, at: datetime) -> None:
        """Record the start of a conversation."""
        others = [talk for talk in self.talks if talk.asker != asker and self.count - talk.at <= RUNS]
        self.talks, self.latest = (*others[1 - TALKS :], ChannelQuestion(asker, home, self.count)), at

    def talk_at(self, at: datetime) -> str | None:
        """Return the author who began the active conversation; `None` if there is none."""
        if not self.talks or self.has_threads or self.latest is None or at - self.latest > PAUSE:
            return None
        talk = self.talks[-1]
        return talk.asker if self.count - talk.at <= RUNS else None

    def talk_of_another(self, author: str) -> ChannelQuestion | None:
        """Return the newest conversation if another author began it."""
        if not self.talks or self.has_threads:
            return None
        talk = self.talks[-1]
        return talk if talk.asker != author and self.count - talk.at <= RUNS else None


class ChannelMember:
    """State of a member of a channel."""

    __slots__ = (
        "answered", "answers", "asked", "asked_back", "asked_in", "begins", "is_apart", "last", "latest", "others",
        "wrote_at",
    )  # fmt: skip

    def __init__(self) -> None:
        self.last = 0
        """Sequence number of their last message in the channel; 0 before the first."""
        self.wrote_at: datetime | None = None
        """Time of their last message outside threads."""
        self.begins = True
        """True if that message may begin a conversation."""
        self.is_apart = False
        """True if that message is in a help channel and nobody else wrote just before it."""
        self.asked = self.answered = self.asked_back = 0
        self.asked_in = ""
        """Latest thread or conversation of somebody else that they asked in."""
        self.answers = False
        """True if they mostly answer."""
        self.latest: tuple[str, ...] = ()
        """Latest threads and conversations that they answered in."""
        self.others: tuple[str, ...] = ()
        """Authors of those threads, two at most."""

    @property
    def helped(self) -> int:
        """Return the number of other people's threads and conversations that count as answered."""
        return self.answered + self.asked_back // BACK

    def goes_on(self, at: datetime, short_while: timedelta) -> bool:
        """Return whether a message outside threads continues their own previous one."""
        return self.wrote_at is not None and timedelta() <= at - self.wrote_at < short_while

    def record_reply(self, home: str, asker: str, *, asks: bool) -> None:
        """Record a reply in somebody else's thread; a question there counts as a clarifying question."""
        if not asks:
            self._answer(home, asker)
        elif home != self.asked_in:
            self.asked_in = home
            self.asked_back += 1
            self._add_other(asker)
            self._weigh()

    def record_talk(self, home: str, asker: str, *, asks: bool) -> None:
        """Record a message in somebody else's conversation; a question there may be their own."""
        if asks and home != self.asked_in:
            self.asked_in = home
            self.record_question()
        self._answer(home, asker)

    def record_question(self) -> None:
        """Record a question of their own."""
        self.asked += 1
        self._weigh()

    def _answer(self, home: str, asker: str) -> None:
        if home in self.latest:
            return
        self.latest = (*self.latest[-3:], home)
        self.answered += 1
        self._add_other(asker)
        self._weigh()

    def _add_other(self, asker: str) -> None:
        if len(self.others) < 2 and asker not in self.others:  # two are enough for the check below
            self.others = (*self.others, asker)

    def _weigh(self) -> None:
        if self.answered + self.asked_back + self.asked > HALVING_THRESHOLD:
            self.answered, self.asked = self.answered // 2, self.asked // 2
            self.asked_back //= 2
        self.answers = len(self.others) > 1 and self.helped >= max(FEWEST, TIMES * self.asked)
