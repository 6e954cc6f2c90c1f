"""Edits of the current question, its next question, and the answers before thanks: exact documents, by table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.classify.settlement import SettlingWords
from bot.decide.workflow import Transition, advance
from bot.models.asker_line import AskerLine
from bot.models.external import External
from bot.models.sent_file import SentFile
from bot.models.thread import Thread
from bot.models.thread_event import Edited, Overheard
from tests.builders import ASKER, LIMITS, added, at, fresh, message, moved, step
from tests.decide.test_workflow import pending, replied

BEN = "U0BEN"
FIRST, SECOND = "100.000001", "100.000005"
LOG = SentFile(id="F0LOG", name="app.log", filetype="text", size=10)
READING = replace(LIMITS, reads_files=True)


def edit(text: str, ts: str, **changes: Any) -> Edited:
    return Edited(at=at(60), fresh=fresh(), message=message(text, ts=ts, root=FIRST, **changes))


@pytest.mark.parametrize("status", ["collecting", "investigating", "pending-user"])
def test_an_edit_changes_its_message_alone(status: str) -> None:
    """With all that the message has beside its text; a colleague's edit is no other question."""
    thread = moved(pending(), added("and on staging?", ts=SECOND, root=FIRST, sender=BEN))
    thread = thread.evolve(status=status) if status != thread.status else thread
    before = thread.messages
    event = edit(f"and in <@{ASKER}>'s region?", SECOND, sender=BEN, unread=("a.png",), shared=("Bo",), files=(LOG,))
    event = replace(event, message=event.message.evolve(content=f"and @{ASKER}?", names={ASKER: "Ana"}))
    after = moved(thread, event, READING)
    changes = {"unread": ("a.png",), "shared": ("Bo",), "files": (LOG,), "asks": event.message.asks}
    assert after.messages == (before[0], before[1].evolve(content=f"and @{ASKER}?", **changes))
    if status == "pending-user":
        assert after.stale == "Edited since this draft was made: and @Ana?"


@pytest.mark.parametrize("status", ["collecting", "investigating", "pending-user", "approved"])
@pytest.mark.parametrize("newest", ["where is the newest limit?", "where is the limit set?"])
def test_an_edit_that_comes_after_a_newer_one_changes_nothing(status: str, newest: str) -> None:
    """Slack's own time of an edit decides, also where the newer one gave the old text back."""
    thread = pending().evolve(status=status)
    after = advance(thread, replace(edit(newest, FIRST, edited_ts="130.000001"), asks=True), LIMITS).thread
    late = replace(edit("how is an order cancelled?", FIRST, edited_ts="120.000001"), asks=True)
    assert advance(after, late, LIMITS) == Transition(after, accepted=False)
    assert moved(after, replace(late, message=late.message.evolve(edited_ts="140.000001"))) != after


@pytest.mark.parametrize(("reads_files", "files"), [(True, (LOG,)), (False, ())])
def test_the_files_of_an_edit_are_kept_only_if_files_are_read(reads_files: bool, files: tuple[SentFile, ...]) -> None:
    """Where they are not, none is named in the document."""
    event = edit("where is the other limit?", FIRST, files=(LOG,))
    after = moved(pending(), event, READING if reads_files else LIMITS)
    assert after.question_messages[0].files == files


def test_the_next_question_has_all_of_its_first_message() -> None:
    """Its asker, operator, channel mode and external people are those of the message, not of the question before."""
    before = replied()
    outside = External(asker=True, channel=False)
    event = replace(
        added("and for refunds?", ts=SECOND, root=FIRST, sender=BEN, names={BEN: "Ben"}, seconds=60),
        mentioned=True,
        mode="preview",
        operator="U0EVE",
        external=outside,
    )
    after = moved(before, event)
    assert (after.status, after.question_round, after.anchor) == ("collecting", before.question_round + 1, SECOND)
    assert (after.original_sender_id, after.original_sender_name) == (BEN, "Ben")
    assert (after.mode, after.operator, after.external) == ("preview", "U0EVE", outside)
    assert (after.due_at, after.asker_line) == (at(60) + LIMITS.debounce, before.asker_line)
    assert [(each.message_id, each.round) for each in after.messages] == [(FIRST, 1), (SECOND, 2)]
    assert after.messages[1].content == "and for refunds?"


def test_the_next_question_is_in_the_order_of_writing() -> None:
    """A message that was delivered late stands before those that were written after it."""
    before = replied()
    late = before.messages[0].evolve(message_id="300.000001")
    after = moved(
        before.evolve(messages=(before.messages[0], late)), added(ts="200.000001", root=FIRST, mentioned=True)
    )
    assert [each.message_id for each in after.messages] == [FIRST, "200.000001", "300.000001"]


def test_an_asker_without_a_name_is_someone() -> None:
    """The id is not shown in place of it."""
    after = moved(replied(), added("and for refunds?", ts=SECOND, root=FIRST, names={ASKER: ""}, mentioned=True))
    assert after.original_sender_name == "someone"


def test_a_question_that_is_asked_during_a_stop_has_its_line() -> None:
    """In place of the line of the question before."""
    line = AskerLine(at=at(1), ending="expired", question_round=1)
    before = replied().evolve(asker_line=line)
    event = added("and for refunds?", ts=SECOND, root=FIRST, mentioned=True, seconds=60)
    assert moved(before, event).asker_line == line
    stopped = moved(before, event, replace(LIMITS, is_stopped=True)).asker_line
    assert stopped == AskerLine(at=at(60), ending="stopped", question_round=2, is_begun=True)


WORDS = replace(LIMITS, settling=SettlingWords(["en"]))


def answered(thread: Thread, ts: str, sender: str = BEN, *, number: int = 2, text: str = "it is in a.py") -> Thread:
    """Add a message to a thread, of one of its questions."""
    one = thread.messages[0].evolve(message_id=ts, sender_id=sender, content=text, round=number)
    return thread.evolve(messages=(*thread.messages, one))


def second_question() -> Thread:
    """Return a draft for the second question of a thread, which was asked at 200."""
    thread = pending()
    asked = thread.messages[0].evolve(message_id="200.000001", round=2)
    return thread.evolve(question_round=2, anchor="200.000001", messages=(*thread.messages, asked))


@pytest.mark.parametrize(
    ("others", "answer"),
    [
        pytest.param([("250.000001", BEN, 2)], "250.000001", id="a colleague's answer"),
        pytest.param([("250.000001", BEN, 2), ("260.000001", "U0EVE", 2)], "260.000001", id="the newer of two"),
        pytest.param([("250.000001", ASKER, 2)], None, id="the asker's own"),
        pytest.param([("250.000001", BEN, 1)], None, id="an answer to the question before"),
        pytest.param([("199.000001", BEN, 2)], None, id="a message before the question"),
        pytest.param([("199.000001", ASKER, 2)], None, id="the asker's own before the question"),
        pytest.param([("170.000001", BEN, 1)], None, id="an answer to the question before, in its time"),
        pytest.param([("350.000001", BEN, 2)], None, id="an answer after the thanks"),
    ],
)
def test_thanks_are_for_the_newest_answer_before_them(others: list[tuple[str, str, int]], answer: str | None) -> None:
    """Written by a colleague, after the current question; without one, thanks settle nothing."""
    thread = second_question()
    for ts, sender, number in others:
        thread = answered(thread, ts, sender, number=number)
    thanks = message("thanks!", ts="300.000001", root=FIRST)
    event = Overheard(at=at(60), fresh=fresh(), message=thanks, is_ack=True)
    after = step(thread, event, WORDS).thread
    assert after
    assert (after.settled_word and after.settled_word.answer_id) == answer


def test_a_message_that_answers_nothing_is_passed_over() -> None:
    """The answer before it is thanked for."""
    thread = answered(answered(second_question(), "250.000001"), "260.000001", text="which version?")
    thanks = message("thanks!", ts="300.000001", root=FIRST)
    after = moved(thread, Overheard(at=at(60), fresh=fresh(), message=thanks, is_ack=True), WORDS)
    assert after.settled_word
    assert after.settled_word.answer_id == "250.000001"
