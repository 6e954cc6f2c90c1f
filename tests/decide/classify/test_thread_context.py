"""What is known around a message: who opened its thread, who wrote last, and how much is remembered."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.classify.channel_memory import BOT_AUTHOR, HALVING_THRESHOLD, ChannelThread
from bot.decide.classify.known_contexts import KnownContexts
from bot.decide.classify.recalled_context import own_reply, restore_context
from bot.decide.classify.thread_context import ThreadContext
from bot.models.context import MessageContext
from bot.models.message import Message
from tests.builders import at, message
from tests.decide.answered import threads


def said(ts: str, sender: str, *, root: str | None = None, seconds: float = 0) -> Message:
    """A message of this sender."""
    return message(ts=ts, sender=sender, root=root, create_time=at(seconds))


def test_the_asker_is_known_in_their_thread() -> None:
    """Who opened a thread is its asker there, and nowhere else."""
    around = ThreadContext()
    told = [
        around.context_of(made)[1:3]
        for made in (
            said("1.1", "U0ANA"),
            said("1.2", "U0BEN", root="1.1"),
            said("1.3", "U0ANA", root="1.1"),
            said("1.4", "U0ANA", root="0.9"),
        )
    ]
    assert told == [(False, False), (True, False), (True, True), (True, False)]


def test_who_opened_a_thread_with_news_has_nothing_to_come_back_to() -> None:
    """What neither asks nor is actionable, as far as it was seen; replies of others are no matter."""
    told = []
    for asks, actionable in ((False, False), (True, False), (False, True)):
        around, opening = ThreadContext(), said("1.1", "U0ANA")
        around.context_of(opening)
        around.learn(opening, asks=asks, actionable=actionable)
        told.append(tuple(around.context_of(said("1.2", who, root="1.1")).asked_nothing for who in ("U0ANA", "U0BEN")))
    assert told == [(True, False), (False, False), (False, False)]


def test_the_next_message_of_an_author_belongs_to_the_one_before() -> None:
    """For ten minutes, in the same place, unless another wrote between; a thread goes on from its first message."""
    around = ThreadContext()
    told = [
        around.context_of(made).asker_wrote_before
        for made in (
            said("1.1", "U0ANA"),
            said("1.2", "U0ANA", seconds=30),
            said("1.3", "U0ANA", root="1.1", seconds=40),
            said("1.4", "U0BEN", seconds=50),
            said("1.5", "U0ANA", seconds=60),
            said("1.6", "U0ANA", seconds=700),
        )
    ]
    assert told == [False, True, True, False, False, False]


def chat(around: ThreadContext, *lines: str, channel_of: int = 0) -> list[MessageContext]:
    """What is known around each message of a channel without threads, `ANA?` asks, `BEN` does not."""
    known = []
    for number, line in enumerate(lines):
        made = said(f"{channel_of}{number}.1", f"U0{line.rstrip('?')}", seconds=10 * number)
        known.append(around.context_of(made))
        around.learn(made, asks=line.endswith("?"))
    return known


IDLE = ["ANA", "BEN", "CAT"] * 30
"""A channel in which nobody uses threads."""


def test_who_begins_something_answers_nobody() -> None:
    """Who was away begins, and who writes when nobody else's talk goes on; a reply and a program never do."""
    around = ThreadContext()
    told = chat(around, *IDLE, "DAN?", "BEN", "DAN", "EVE")[-4:]
    assert [known.opens for known in told] == [True, False, False, True]
    assert [known.is_away for known in told] == [True, False, False, True]
    assert [known.is_new for known in told] == [True, False, False, True]
    assert [known.spoke_lately for known in told] == [False, True, True, False]
    assert [(known.own_talk, known.anothers_talk) for known in told[1:]] == [
        (False, True),
        (True, False),
        (False, True),
    ]
    assert not around.context_of(said("99.2", "U0EVE", root="1.1")).opens
    assert not around.context_of(message(ts="99.3", sender_type="bot")).opens


def test_where_people_use_threads_each_message_of_the_channel_begins_something() -> None:
    """A question between two others of a busy channel is no answer to them."""
    around = ThreadContext()
    for number in range(100):
        around.context_of(said(f"{number}.1", f"U0{number % 3}", seconds=number))
        around.context_of(said(f"{number}.2", "U0MAX", root=f"{number}.1", seconds=number))
    assert around.context_of(said("100.1", "U01", seconds=101)).opens


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        ([line for n in range(4) for line in (f"ASK{n}?", "MAX")], True),
        ([line for n in range(2) for line in (f"ASK{n}?", "MAX")], False),
        ([line for _ in range(4) for line in ("ANA?", "MAX")], False),
        ([line for n in range(4) for line in (f"ASK{n}?", "MAX?")], False),
        ([line for n in range(6) for line in (f"ASK{n}?", "MAX", *(["MAX?"] if n < 3 else []))], False),
    ],
    ids=["answers", "too few", "of one person", "asks in others' talks", "peer"],
)
def test_who_answers_and_hardly_asks_is_told_apart(lines: list[str], answers: bool) -> None:
    """In talks and in threads; a peer who asks as well stays one who asks."""
    around = ThreadContext()
    chat(around, *IDLE)
    last = chat(around, *lines, "NEW?", "MAX", channel_of=1)[-1]
    assert last.by_answerer == answers
    threads = ThreadContext()
    for number, line in enumerate(lines):
        if line.startswith("MAX"):
            made = said(f"{number}.2", "U0MAX", root=f"{number - 1}.1")
        else:
            made = said(f"{number}.1", f"U0{line.rstrip('?')}")
        threads.context_of(made)
        threads.learn(made, asks=line.endswith("?"))
    if "MAX?" not in lines:
        assert [one.user for one in threads.answerers()] == (["U0MAX"] if answers else [])


def heard(around: ThreadContext, made: Message, *, asks: bool = False, for_help: bool = True) -> MessageContext:
    """What is known around a message in a channel for help, which is learnt from."""
    known = around.context_of(made, for_help=for_help)
    around.learn(made, asks=asks)
    return known


def test_in_a_channel_for_help_what_stands_in_the_channel_begins_something() -> None:
    """However many came before without a thread, and nobody becomes an answerer by it; one's own next words go on."""
    around = ThreadContext()
    told = [heard(around, said(f"{n}.1", f"U0{n % 30}", seconds=60 * n), asks=n % 2 == 0) for n in range(150)]
    assert all(known.opens and not known.by_answerer for known in told)
    assert not heard(around, said("200.1", "U029", seconds=60 * 149 + 20)).opens
    assert heard(around, said("201.1", "U03", seconds=60 * 150), asks=True).opens
    assert not around.context_of(said("202.1", "U05", seconds=60 * 151)).opens


def test_replies_of_a_program_are_threads_in_use() -> None:
    """In threads of people, whatever the channel is for; not in its own."""
    for replied_to, opens in ((0, True), (1, False)):
        around = ThreadContext()
        for n in range(100):
            root = said(f"{n}.1", f"U0{n % 3}", seconds=n)
            heard(around, root, asks=n > 90, for_help=False)
            alert = message(ts=f"{n}.5", sender="U0BOT", sender_type="bot", create_time=at(n))
            around.context_of(alert)
            place = (root, alert)[replied_to].message_id
            around.context_of(message(ts=f"{n}.2", root=place, sender="U0BOT", sender_type="bot", create_time=at(n)))
        assert around.context_of(said("100.1", "U01", seconds=101)).opens == opens


@pytest.mark.parametrize(
    ("threads", "asks_back", "own", "answers"),
    [(24, "all", 0, True), (9, "all", 0, True), (8, "all", 0, False), (12, "half", 0, True), (12, "half", 4, False)],
    ids=["only asks back", "three times three", "too few", "both", "peer"],
)
def test_who_asks_back_stays_one_who_answers(threads: int, asks_back: str, own: int, answers: bool) -> None:
    """A question in another's thread is no own one; who begins with questions as well stays one who asks."""
    around = ThreadContext()
    for n in range(threads):
        heard(around, said(f"{n}.1", f"U0{n}", seconds=900 * n), asks=True)
        asks = asks_back == "all" or n % 2 == 0
        heard(around, said(f"{n}.2", "U0MAX", root=f"{n}.1", seconds=900 * n + 60), asks=asks)
    for n in range(own):
        heard(around, said(f"{n}.3", "U0MAX", seconds=900 * (threads + n)), asks=True)
    assert [one.user for one in around.answerers()] == (["U0MAX"] if answers else [])


def test_what_was_learnt_comes_back_from_the_journal() -> None:
    """From the records of classified messages; thanks are no answer, and what was judged again counts once."""
    records = threads(4) + threads(4, by="U0NICE", classification="ack") + threads(4)
    assert [(one.user, one.answers) for one in restore_context(records).answerers()] == [("U0OLU", 4)]
    records = [{"message_id": "x", "content": "a"}, *threads(4)]
    assert restore_context(records).answerers() == restore_context(threads(4)).answerers()


@pytest.mark.parametrize("step", [1, 3, 5])
def test_own_replies_are_threads_in_use_live_and_after_a_start(step: int) -> None:
    """Told of as they are posted, once each, or read from the journal of replies: both know the same."""
    live, records, replies = KnownContexts(), list[dict[str, Any]](), list[dict[str, Any]]()
    for n in range(1, 100):
        root = said(f"{n}.1", f"U0{n % 3}", seconds=n)
        live.context_of(root)
        live.learn(root, asks=False)
        records.append({**root.model_dump(mode="json"), "classification": "ambient"})
        if n % step == 0:
            for _ in range(2):  # a catch-up reads it once more
                live.context_of(own_reply(root.chat_id, root.home, f"{n}.2"))
            replies.append({"chat_id": root.chat_id, "thread_id": root.home, "posted_message_id": f"{n}.2"})
    started = restore_context(records, replies)
    new = said("100.1", "U01", seconds=101)
    assert live.context_of(new).opens == started.context_of(new).opens == (step < 5)
    assert not restore_context(records).context_of(new).opens


def test_what_was_quiet_longest_is_forgotten() -> None:
    """The memory is bounded."""
    around = ThreadContext(remembered=2)
    for ts in ("1.1", "2.1", "3.1"):
        around.context_of(said(ts, "U0ANA"))
    assert not around.context_of(said("4.1", "U0ANA", root="1.1")).by_asker
    assert around.context_of(said("4.2", "U0ANA", root="3.1")).by_asker


def test_a_program_is_known_as_one() -> None:
    """What a bot writes is marked."""
    assert ThreadContext().context_of(message(sender_type="bot")).by_bot


def test_a_message_without_an_id_is_read_anew_each_time() -> None:
    """And what is known is kept for a while, then forgotten."""
    contexts = KnownContexts(remembered=2)
    assert contexts.context_of(said("1.1", "U0ANA").model_copy(update={"message_id": ""})).opens
    for ts in ("2.1", "3.1", "4.1", "5.1"):
        contexts.context_of(said(ts, "U0ANA"))
    known = contexts.context_of(said("5.1", "U0ANA"))
    assert known is contexts.context_of(said("5.1", "U0BEN"))
    assert contexts.context_of(said("2.1", "U0ANA")) is not None


def test_what_a_message_asked_is_learnt_of_any_message() -> None:
    """Also where another one was looked at since; what a program asks is no matter."""
    around = ThreadContext()
    first, second = said("1.1", "U0ANA"), said("2.1", "U0BEN", seconds=900)
    around.context_of(first)
    around.context_of(second)
    around.learn(first, asks=True)
    around.learn(message(ts="3.1", sender="B0CI", sender_type="bot"), asks=True)
    assert not around.context_of(said("1.2", "U0ANA", root="1.1", seconds=990)).asked_nothing
    assert around.context_of(said("2.2", "U0BEN", root="2.1", seconds=990)).asked_nothing


def test_who_answered_long_ago_counts_by_what_they_did_since() -> None:
    """The counts are halved, the clarifying questions too; a second question in one thread is the same one."""
    around = ThreadContext()
    for n in range(1, 70):
        heard(around, said(f"{n}.1", f"U0{n}", seconds=900 * n), asks=True)
        heard(around, said(f"{n}.2", "U0MAX", root=f"{n}.1", seconds=900 * n + 60), asks=n % 2 == 0)
        heard(around, said(f"{n}.3", "U0MAX", root=f"{n}.1", seconds=900 * n + 61), asks=n % 2 == 0)
    (max_,) = around.answerers()
    assert max_.user == "U0MAX"
    assert max_.answers < HALVING_THRESHOLD


def test_a_record_without_a_time_is_the_oldest() -> None:
    """It is read before all others, whatever it holds."""
    assert (
        restore_context([{"message_id": "x", "content": "a"}, *threads(4)]).answerers()
        == restore_context(threads(4)).answerers()
    )


def test_whoever_writes_below_the_reply_decides_how_near_they_are() -> None:
    """Alone it is right below, and with somebody else in between it is below."""
    thread = ChannelThread("U0ANA", at())
    assert thread.place_of("U0ANA") == ""
    thread.record_author("U0ANA")
    assert thread.place_of("U0ANA") == ""
    thread.record_author(BOT_AUTHOR)
    assert thread.place_of("U0ANA") == "right below"
    for _ in range(2):
        thread.record_author("U0ANA")
        assert (thread.place_of("U0ANA"), thread.place_of("U0BEN")) == ("right below", "below")
    thread.record_author("U0BEN")
    assert (thread.place_of("U0ANA"), thread.place_of("U0BEN")) == ("below", "below")


def test_a_context_tells_of_its_threads_and_hands_them_on() -> None:
    """Of an unknown thread it knows nothing; another instance takes all of it over."""
    around = ThreadContext()
    first = said("1.1", "U0ANA")
    around.context_of(first)
    around.context_of(said("1.2", "U0BEN", root="1.1", seconds=5))
    heir = ThreadContext()
    heir.adopt(around)
    assert heir.last_activity(first.home) == ("U0BEN", at(5))
    assert (heir.last_activity("T-C-9.9"), heir.place_of("T-C-9.9", "U0ANA")) == (None, "")
    assert heir.place_of(first.home, "U0ANA") == ""


def test_a_message_is_learnt_once() -> None:
    """One that is looked at again adds nothing."""
    contexts = KnownContexts()
    first = said("1.1", "U0ANA")
    for asks in (False, True):
        contexts.context_of(first)
        contexts.learn(first, asks=asks)
    assert contexts.context_of(said("1.2", "U0ANA", root="1.1")).asked_nothing
