"""Thread context of each message: author of its thread or conversation, latest author, answerers. Uses no clock.

Every message passes through it in order; each is classified after its context is read and before it is learnt from.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bot.decide.classify.channel_memory import BOT_AUTHOR, LONG_AGO, Channel, ChannelMember, ChannelThread
from bot.models.context import MessageContext

if TYPE_CHECKING:
    from datetime import datetime

    from bot.decide.classify.channel_memory import Place
    from bot.models.line_message import MessagePosition
    from bot.models.message import Message

K = TypeVar("K")
T = TypeVar("T")

REMEMBERED = 10_000
"""Maximum number of threads, channels and members that are remembered; the longest inactive are dropped first."""

SHORT_WHILE = timedelta(minutes=10)
"""Time within which an author's next message continues the previous one."""

IN_TALK = timedelta(minutes=3)
"""Time within which the next message in a channel may answer somebody else's."""

AT_ONCE = timedelta()
LONG = 60
"""Number of channel messages after which an author's next one begins something new."""
NEVER = 1 << 60
LATELY = 3
"""Number of channel messages within which an author still takes part in a conversation."""


class Answerer(NamedTuple):
    """Member of a channel who mostly answers."""

    channel: str
    user: str
    answers: int
    """Other people's threads and conversations that they answered in; three with only clarifying questions count as
    one."""
    questions: int
    """Threads and conversations that they began."""


class ThreadContext:
    """Memory of threads, channels and members. Request each message's context only once: a request is recorded."""

    def __init__(self, *, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._threads: OrderedDict[str, ChannelThread] = OrderedDict()
        self._channels: OrderedDict[str, Channel] = OrderedDict()
        self._people: OrderedDict[tuple[str, str], ChannelMember] = OrderedDict()
        self._read: tuple[object, ChannelThread, Channel, ChannelMember] | None = None
        """Latest requested message with the state of its thread, channel and author, to learn from next."""

    def context_of(self, message: Message | MessagePosition, *, for_help: bool = False) -> MessageContext:
        """Return the context of a message before it, then add the message to the memory.

        `for_help` marks a help channel: a message outside threads begins something there, unless its author is an
        answerer or continues their own previous message.
        """
        sender, at, channel, home = message.sender, message.create_time, message.chat_id, message.home
        author, in_thread = sender.id, message.thread_id is not None
        channel_memory = self._channels.get(channel) or self._open_channel(channel)
        if in_thread:
            thread = self._thread(home)
            if author == BOT_AUTHOR or thread.since is not None:
                thread.record_author(author)
        else:
            thread = self._threads[home] = ChannelThread(author, at)
            if len(self._threads) > self._remembered:
                self._threads.popitem(last=False)
        place: ChannelThread | Channel = thread if in_thread else channel_memory
        same, gap_time = place.by == author, at - place.at
        wrote_before = same and AT_ONCE <= gap_time < SHORT_WHILE
        place.by, place.at = author, at
        by_asker = in_thread and thread.asker == author
        if sender.type == "bot":
            channel_memory.replies += (
                in_thread and not by_asker and thread.asker is not None and channel_memory.count > 0
            )
            return _context(in_thread, by_asker, wrote_before, True)
        person = self._find_member(channel, author)
        self._read = message, thread, channel_memory, person
        gap = channel_memory.count - person.last if person.last else NEVER
        is_away, began, opens = gap >= LONG, None, False
        if in_thread:
            channel_memory.replies += 1
        else:
            began = channel_memory.talk_at(at) if channel_memory.talks else None
            is_soon = not same and gap_time < IN_TALK
            is_quiet = not is_soon and gap >= LATELY and (began is None or began == author)
            asks_here = for_help and not person.answers and not person.goes_on(at, IN_TALK)
            opens = is_away or is_quiet or asks_here or channel_memory.has_threads
            person.wrote_at = at
            person.begins, person.is_apart = is_away or asks_here, for_help and not is_soon
        channel_memory.count += 1
        person.last = channel_memory.count
        return _context(
            in_thread, by_asker, wrote_before, False, opens, is_away,
            gap < LATELY, gap >= NEVER and channel_memory.count > LONG,
            began == author, began is not None and began != author, person.answers, by_asker and not thread.asks,
        )  # fmt: skip

    def learn(self, message: Message | MessagePosition, *, asks: bool, actionable: bool = False) -> None:
        """Record if the message that was just classified asks something; answerers are recognised by it.

        A thread whose first message neither asks nor is actionable gives its author nothing to follow up on.
        """
        sender, channel = message.sender, message.chat_id
        if sender.type == "bot":
            return
        author, at = sender.id, message.create_time
        if self._read is not None and self._read[0] is message:
            _, thread, channel_memory, person = self._read
        else:
            channel_memory = self._channels.get(channel) or self._open_channel(channel)
            thread, person = self._thread(message.home), self._find_member(channel, author)
        if message.thread_id is not None:
            if thread.asker is not None and thread.asker != author:
                person.record_reply(message.home, thread.asker, asks=asks)
            return
        if asks or actionable:
            thread.asks = True
        if asks and (person.begins or channel_memory.has_threads):
            person.record_question()
            channel_memory.begin_conversation(author, message.home, at)
            return
        channel_memory.latest = at
        talk = channel_memory.talk_of_another(author) if channel_memory.talks and not person.is_apart else None
        if talk is not None:
            person.record_talk(talk.home, talk.asker, asks=asks)

    def last_activity(self, home: str) -> tuple[str | None, datetime] | None:
        """Return the author and time of the latest message in a thread; `None` for an unknown thread."""
        thread = self._threads.get(home)
        return (thread.by, thread.at) if thread else None

    def place_of(self, home: str, author: str) -> Place:
        """Return the position of this author's next message in a thread, relative to the bot's reply there."""
        thread = self._threads.get(home)
        return thread.place_of(author) if thread else ""

    def answerers(self) -> list[Answerer]:
        """Return the answerers, the busiest first."""
        answerers = [
            Answerer(channel, user, person.helped, person.asked)
            for (channel, user), person in self._people.items()
            if person.answers
        ]
        return sorted(answerers, key=lambda answerer: (-answerer.answers, answerer.channel, answerer.user))

    def adopt(self, other: ThreadContext) -> None:
        """Take over another instance's memory."""
        self._threads, self._channels, self._people = other._threads, other._channels, other._people
        self._read = None

    def _thread(self, home: str) -> ChannelThread:
        thread = self._threads.get(home)
        if thread is None:
            thread = ChannelThread(None, LONG_AGO)
            _keep(self._threads, home, thread, self._remembered)
        else:
            self._threads.move_to_end(home)
        return thread

    def _open_channel(self, channel: str) -> Channel:
        channel_memory = Channel()
        _keep(self._channels, channel, channel_memory, self._remembered)
        return channel_memory

    def _find_member(self, channel: str, author: str) -> ChannelMember:
        key = (channel, author)
        person = self._people.get(key)
        if person is None:
            person = ChannelMember()
            _keep(self._people, key, person, self._remembered)
        else:
            self._people.move_to_end(key)
        return person


def _keep(memory: OrderedDict[K, T], key: K, value: T, capacity: int) -> None:
    memory[key] = value
    if len(memory) > capacity:
        memory.popitem(last=False)


@cache
def _context(
    is_reply: bool,
    by_asker: bool,
    wrote_before: bool,
    by_bot: bool,
    opens: bool = False,
    is_away: bool = False,
    spoke_lately: bool = False,
    is_new: bool = False,
    own_talk: bool = False,
    anothers_talk: bool = False,
    by_answerer: bool = False,
    asked_nothing: bool = False,
) -> MessageContext:
    """Return the shared instance of a context, so that comparing and looking it up is fast."""
    return MessageContext(
        is_reply=is_reply,
        by_asker=by_asker,
        asker_wrote_before=wrote_before,
        by_bot=by_bot,
        opens=opens,
        is_away=is_away,
        spoke_lately=spoke_lately,
        is_new=is_new,
        own_talk=own_talk,
        anothers_talk=anothers_talk,
        by_answerer=by_answerer,
        asked_nothing=asked_nothing,
    )
