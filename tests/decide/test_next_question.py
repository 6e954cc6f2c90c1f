"""Next question of a thread, by table: its messages, its anchor, its time, and the queue it came from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.retrieval.normalised_question import Normaliser
from bot.decide.workflow.next_question import card_nonce
from bot.models.card import Card
from bot.models.presses import Restarted
from bot.models.sent_file import SentFile
from bot.models.task import EarlierQuestion
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Dismiss,
    DoubtfulPost,
    Due,
    Edited,
    Mute,
    NotFound,
    Posted,
    PostFailed,
    TakeOver,
)
from tests.builders import LIMITS, added, at, edited, found, fresh, message, moved, step, validated
from tests.decide.test_workflow import approved, awaiting, investigating, pending, press, replied

ROOT = "100.000001"


class Capitals(Normaliser):
    """Writes in capitals, so that what it has seen shows."""

    def normalise(self, text: str) -> str:
        """In capitals."""
        return text.upper()


READING = replace(LIMITS, reads_files=True, normaliser=Capitals())
LOG = SentFile(id="F0LOG", name="app.log", filetype="text", size=10, text="Error: limit reached")
ANOTHER = "how long is a session kept?"


def reply(text: str, ts: str, **changes: Any) -> Any:
    """A message of the asker in the thread."""
    return added(text, ts=ts, root=ROOT, **changes)


def edit(text: str, ts: str = ROOT, **changes: Any) -> Edited:
    """An edit into a question."""
    return Edited(at=at(20), fresh=fresh(), message=message(text, ts=ts, **changes), asks=True)


def posted(thread: Thread) -> Thread:
    """The thread with its reply, and with the messages that came meanwhile."""
    return moved(thread, Posted(at=at(11), fresh=fresh(), ts="111.000001"))


def queued() -> Thread:
    """An approved reply, and two messages that came after the approval, the older one second."""
    thread = moved(approved(), reply("and for refunds?", "200.000001"))
    return moved(thread, reply("by the way,", "150.000001"))


def rounds(thread: Thread) -> list[tuple[str, int]]:
    """Messages by the question they belong to."""
    return [(each.message_id, each.round) for each in thread.messages]


def test_queued_messages_become_the_next_question_at_once() -> None:
    """The oldest of them carries its reaction."""
    after = moved(posted(queued()), Due(at=at(15), fresh=fresh()))
    assert rounds(after) == [(ROOT, 1), ("150.000001", 2), ("200.000001", 2)]
    assert (after.anchor, after.due_at, after.inbox) == ("150.000001", at(15), ())


def test_each_question_has_a_card_of_its_own_that_a_rebuilt_document_finds() -> None:
    """A card that stands in Slack has the same nonce after an update."""
    after = moved(replied(), reply("and for refunds?", "200.000001", seconds=60))
    assert after.card == Card(nonce=card_nonce(after.thread_id, 2))
    assert card_nonce("T0A-C0HELP-100.000001", 1) == "9df017154dda7d4b"
    assert card_nonce("T0A-C0HELP-100.000001", 1, 2) == "50e190e64a66a556"


def next_after(thread: Thread) -> EarlierQuestion:
    """The summary of its question that the next one is given."""
    (earlier,) = moved(thread, reply("and for refunds?", "200.000001", seconds=60)).earlier
    return earlier


def test_the_next_question_is_told_the_text_that_stood_last() -> None:
    """The edited draft, or the engine's where no draft was made of it."""
    changed = edited(pending(), "It is in `bot/a.py:1`, I think.")
    dismissed = next_after(moved(changed, press(Dismiss, changed)))
    assert changed.draft_pending
    assert (dismissed.said, dismissed.draft_id) == ("It is in `bot/a.py:1`, I think.", changed.draft_pending.draft_id)
    unchecked = awaiting()
    undrafted = moved(unchecked, press(Dismiss, unchecked)).evolve(draft_pending=None)
    assert undrafted.investigator_return
    assert next_after(undrafted).said == undrafted.investigator_return.draft_reply
    assert next_after(undrafted).draft_id == ""


def test_a_question_without_recorded_runs_has_no_journal() -> None:
    """Its document may be older than the record."""
    assert next_after(replied().evolve(dispatches=())).journal_file is None


def test_a_restart_takes_the_last_question_alone() -> None:
    """In the mode that the channel has by then."""
    thread = moved(replied(), reply("and for refunds?", "200.000001", seconds=60))
    thread = moved(thread, press(Dismiss, thread))
    event = Restarted(at=at(90), fresh=fresh(), by="U0ADMIN", mode="preview", operator="U0ADMIN")
    after = moved(thread, event)
    assert rounds(after) == [(ROOT, 1), ("200.000001", 3)]
    assert (after.mode, after.operator, after.due_at, after.anchor) == ("preview", "U0ADMIN", at(90), "200.000001")


def test_an_answered_question_that_is_edited_takes_the_queue_with_it() -> None:
    """With all that an edited message has: search text, files and unread parts."""
    closed = posted(queued())
    closed = closed.evolve(messages=tuple(each.evolve(files=(LOG,)) for each in closed.messages))
    sent: dict[str, Any] = {"files": (LOG.evolve(text=None),), "unread": ("plan.pdf",), "shared": ("Bo",)}
    after = moved(closed, edit(ANOTHER, **sent), READING)
    assert (after.status, after.due_at, after.anchor) == ("collecting", at(22), ROOT)
    assert rounds(after) == [(ROOT, 2), ("150.000001", 2), ("200.000001", 2)]
    first = after.messages[0]
    assert (first.content, first.asks, first.files) == (ANOTHER, ANOTHER.upper(), (LOG,))
    assert (first.unread, first.shared, after.messages[1].content) == (("plan.pdf",), ("Bo",), "by the way,")


def test_an_answered_question_of_which_a_later_message_is_edited_begins_at_that_message() -> None:
    """Its reaction and the wait for more are under it."""
    thread = moved(None, added())
    thread = moved(thread, reply("on staging", "101.000001"))
    thread = moved(thread, Due(at=at(9), fresh=fresh()))
    thread = moved(thread, found(thread, seconds=10))
    thread = moved(thread, validated(thread, seconds=11))
    thread = posted(moved(thread, press(Approve, thread)))
    after = moved(thread, edit(ANOTHER, "101.000001"))
    assert (after.status, after.anchor) == ("collecting", "101.000001")


def test_an_edit_of_a_message_that_is_not_known_reopens_nothing() -> None:
    """Such as one of a question before."""
    assert not step(replied(), edit(ANOTHER, "999.000001")).accepted


def test_an_edit_during_the_post_waits_with_all_that_it_has() -> None:
    """Search text, files and unread parts."""
    thread = approved()
    thread = thread.evolve(messages=tuple(each.evolve(files=(LOG,)) for each in thread.messages))
    sent: dict[str, Any] = {"files": (LOG.evolve(text=None),), "unread": ("plan.pdf",)}
    (waits,) = moved(thread, edit(ANOTHER, **sent), READING).reworded
    assert (waits.content, waits.asks, waits.files) == (ANOTHER, ANOTHER.upper(), (LOG,))
    assert waits.unread == ("plan.pdf",)


def test_an_edit_back_leaves_the_lookup_of_the_reply_as_it_was() -> None:
    """Its time is the reply's; that of a queue goes with the last message of it."""
    doubtful = moved(approved(), DoubtfulPost(at=at(11), fresh=fresh(), settle_at=at(16)))
    back = moved(moved(doubtful, edit(ANOTHER)), edit("where is the limit set?"))
    assert (back.reworded, back.due_at) == ((), at(16))
    both = moved(queued(), edit(ANOTHER))
    closed = moved(posted(both), edit("where is the limit set?"))
    assert (closed.status, closed.inbox, closed.due_at) == ("closed", ("200.000001", "150.000001"), at(13))


def test_a_refused_reply_keeps_the_other_messages_of_an_edited_question() -> None:
    """Only the edited one has another text; the others stay in the queue."""
    thread = moved(queued(), edit(ANOTHER))
    after = moved(thread, PostFailed(at=at(30), fresh=fresh(), reason="Slack refused."))
    assert [each.content for each in after.messages] == [ANOTHER, "by the way,", "and for refunds?"]
    assert after.inbox == ("200.000001", "150.000001")
    another = "Its asker has made another question of it since it was approved."
    assert after.stale == f"Slack refused. {another}"
    held = thread.evolve(held_back="stop", due_at=at(20))
    stopped = moved(held, NotFound(at=at(30), fresh=fresh()))
    assert stopped.stale == f"Triage was stopped before this reply was posted; it is not in the thread. {another}"


@pytest.mark.parametrize("end", [Dismiss, TakeOver, Mute])
def test_an_end_leaves_nothing_unread(end: Any) -> None:
    """A message that no run has read is no part of a later question."""
    thread = moved(investigating(), reply("on staging", "100.000002"))
    assert thread.inbox == ("100.000002",)
    event = Mute(at=at(20), fresh=fresh()) if end is Mute else press(end, thread)
    assert moved(thread, event).inbox == ()


def test_a_muted_reply_leaves_nothing_unread() -> None:
    """While it is looked up already."""
    assert moved(queued(), Mute(at=at(20), fresh=fresh())).inbox == ()


def test_the_oldest_of_the_queue_is_the_first_in_time() -> None:
    """Not in the alphabet."""
    thread = moved(approved(), reply("and for refunds?", "1000.000001"))
    thread = moved(thread, reply("by the way,", "200.000001"))
    assert moved(posted(thread), Due(at=at(13), fresh=fresh())).anchor == "200.000001"


def test_answers_to_the_old_words_are_no_part_of_another_question() -> None:
    """They stay with the question of before."""
    thread = moved(investigating(), reply("it is in a.py", "150.000001", sender="U0BEN"))
    after = moved(thread, edit(ANOTHER))
    assert (after.question, rounds(after)) == (ANOTHER, [(ROOT, 1), ("150.000001", 0)])
