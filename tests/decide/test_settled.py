"""What an asker's word does to a question, by status: closed, proposed to its operator, or noted and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.emptied_edit import asks_nothing
from bot.decide.classify.settlement import SettlingWords
from bot.decide.workflow import Transition, WorkflowLimits, resume
from bot.models.effect import Investigate
from bot.models.presses import Restarted
from bot.models.status_reaction import ReactionNames
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Deleted,
    Dismiss,
    DoubtfulPost,
    Due,
    Edited,
    NotFound,
    Overheard,
    Posted,
    SettledMark,
)
from tests.builders import LIMITS, OPERATOR, added, at, found, fresh, message, moved, step, validated
from tests.decide.test_workflow import press

WORDS = replace(LIMITS, settling=SettlingWords(["en"]), marks=ReactionNames({"received": "eyes", "working": "hammer"}))
ROOT = "100.000001"


def made(status: str) -> Thread:
    """A thread in this status."""
    thread = moved(None, added(), WORDS)
    if status == "collecting":
        return thread
    thread = moved(thread, Due(at=at(2), fresh=fresh()), WORDS)
    if status == "investigating":
        return thread
    thread = moved(thread, found(thread), WORDS)
    if status == "awaiting-validation":
        return thread
    thread = moved(thread, validated(thread), WORDS)
    if status == "pending-user":
        return thread
    thread = moved(thread, press(Approve, thread), WORDS)
    if status == "approved":
        return thread
    if status == "replied":
        return moved(thread, Posted(at=at(20), fresh=fresh(), ts="101.000001"), WORDS)
    thread = moved(thread, DoubtfulPost(at=at(20), fresh=fresh(), settle_at=at(25)), WORDS)
    return moved(thread, NotFound(at=at(26), fresh=fresh(), is_unread=True), WORDS)


def said(text: str, *, ts: str = "160.000001", ack: bool | None = None, **changes: Any) -> Any:
    """A reply in the thread: worth attention, or only overheard; `ack` as an acknowledgement."""
    if ack is None:
        return added(text, ts=ts, root=ROOT, seconds=60, **changes)
    heard = message(text, ts=ts, root=ROOT, **changes)
    return Overheard(at=at(60), fresh=fresh(), message=heard, is_ack=ack)


BEFORE = ("collecting", "investigating", "awaiting-validation", "pending-user")


@pytest.mark.parametrize("status", BEFORE)
@pytest.mark.parametrize("ack", [None, False, True])
def test_the_asker_closes_it_whatever_the_message_was_taken_for(status: str, ack: bool | None) -> None:
    """Nothing is left to run, to draw a reaction for, or to be due; a restart finds it closed."""
    thread = moved(made(status), said("nvm, found it", ack=ack), WORDS)
    assert (thread.status, thread.outcome, thread.run_id, thread.due_at) == ("closed", "settled", None, None)
    assert thread.settled_word is not None
    assert (thread.settled_word.text, thread.settled_word.by) == ("nvm, found it", "U0ANA")
    assert not any(mark.wanted for mark in thread.marks)
    assert thread.question == "where is the limit set?"
    assert resume(thread) is None


@pytest.mark.parametrize("status", ["approved", "in-doubt"])
def test_an_approved_reply_is_not_called_back(status: str) -> None:
    """It may stand in the thread already: the card says what the asker wrote, and no new question begins with it."""
    thread = moved(made(status), said("nvm, found it"), WORDS)
    assert (thread.status, thread.inbox) == (status, ())
    assert thread.settled_word is not None


@pytest.mark.parametrize("status", BEFORE)
@pytest.mark.parametrize("ack", [None, False, True])
def test_somebody_else_settles_nothing(status: str, ack: bool | None) -> None:
    """Only the asker knows whether their question is settled."""
    thread = step(made(status), said("nvm, found it", sender="U0BOB", ack=ack), WORDS).thread
    assert thread is not None
    assert (thread.status, thread.settled_word) == (status, None)


def test_twice_and_again_after_a_restart_it_is_settled_once() -> None:
    """A second delivery changes nothing, nor does it close the next question of the thread."""
    closed = moved(made("pending-user"), said("nvm, found it"), WORDS)
    again = step(closed, said("nvm, found it", replayed=True), WORDS)
    assert not again.accepted
    assert step(closed, said("solved, thanks", ts="170.000001"), WORDS).thread == closed.evolve(
        left_out=(*closed.left_out, "170.000001")
    )
    reopened = moved(closed, said("hm no, where is the other limit?", ts="180.000001"), WORDS)
    assert (reopened.status, reopened.question_round, reopened.settled_word) == ("collecting", 2, None)
    late = step(reopened, said("nvm, found it"), WORDS).thread
    assert late is not None
    assert late.status == "collecting"


def test_what_was_said_before_the_question_does_not_settle_it() -> None:
    """A message that led up to it joins it, whatever it says."""
    thread = moved(moved(None, added(ts="200.000001"), WORDS), added("nvm", ts="199.000001"), WORDS)
    assert thread.status == "collecting"


def test_thanks_for_a_colleagues_answer_propose_to_dismiss() -> None:
    """The draft is behind; the card names the sentence and whose answer it was. The asker who goes on takes it back."""
    waits = made("pending-user")
    assert step(waits, said("thanks!", ack=True), WORDS).thread is waits
    answered = moved(waits, said("it is set in a.py", ts="150.000001", sender="U0BOB", ack=False), WORDS)
    thanked = moved(answered, said("thanks!", ack=True), WORDS)
    word = thanked.settled_word
    assert word is not None
    assert (thanked.status, word.text, word.answered_by, word.answer_id) == (
        "pending-user", "thanks!", "U0BOB", "150.000001",
    )  # fmt: skip
    assert thanked.draft_pending
    assert answered.draft_pending
    assert thanked.draft_pending.nonce != answered.draft_pending.nonce
    assert not step(thanked, press(Approve, answered), WORDS).accepted
    onward = moved(thanked, said("hm, and for refunds?", ts="170.000001"), WORDS)
    assert onward.settled_word is None
    doubted = moved(answered, said("thanks, but that is for v1", ts="170.000001", ack=False), WORDS)
    assert doubted.settled_word is None


@pytest.mark.parametrize("status", ["collecting", "investigating", "awaiting-validation"])
def test_a_proposal_waits_for_the_draft(status: str) -> None:
    """The run goes on; the card of its draft proposes it then."""
    thread = made(status)
    thread = moved(thread, said("it is set in a.py", ts="150.000001", sender="U0BOB"), WORDS)
    thread = moved(thread, said("thanks!", ack=True), WORDS)
    assert (thread.status, thread.settled_word is None) == (status, False)


def edited(text: str, ts: str = ROOT, **changes: Any) -> Edited:
    """An edit of a message."""
    return Edited(at=at(70), fresh=fresh(), message=message(text, ts=ts, **changes))


@pytest.mark.parametrize("status", BEFORE)
@pytest.mark.parametrize("text", ["solved", "[solved] where is the limit set?", "~where is the limit set?~"])
def test_an_edit_closes_it(status: str, text: str) -> None:
    """By its asker alone, and in every status in which no reply was approved."""
    thread = moved(made(status), edited(text), WORDS)
    assert (thread.status, thread.outcome) == ("closed", "settled")


@pytest.mark.parametrize("status", ["approved", "in-doubt"])
def test_an_edit_calls_no_approved_reply_back(status: str) -> None:
    """As a message."""
    assert not step(made(status), edited("solved"), WORDS).accepted


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        ("thanks all!", True),
        ("good morning!", True),
        ("We're having lunch at noon", True),
        ("guten Morgen zusammen", True),
        ("the limit, thanks all!", False),
        ("I meant the websocket", False),
        ("on postgres 15", False),
        ("how long is a session kept?", False),
        ("the socket dies after 30 s", False),
    ],
)
def test_an_edit_that_leaves_nothing_of_a_question_closes_it(text: str, closes: bool) -> None:
    """What still asks, tells of trouble, may add to it or keeps a word of it is looked up."""
    is_empty = asks_nothing(text, compile_rules(bot_id="U0TRIAGE").extractor)
    thread = moved(made("pending-user"), replace(edited(text), is_empty=is_empty), WORDS)
    assert (thread.status == "closed", thread.outcome == "settled") == (closes, closes)
    if closes:
        assert thread.settled_word
        assert (thread.settled_word.text, thread.settled_word.how) == (text, "edited")


def test_striking_out_one_line_of_two_leaves_the_other() -> None:
    """With the last one the question is settled."""
    thread = moved(made("collecting"), added("and why?", ts="100.500001", root=ROOT), WORDS)
    one = moved(thread, edited("~and why?~", "100.500001", root=ROOT), WORDS)
    assert one.status == "collecting"
    assert moved(one, edited("~where is the limit set?~"), WORDS).outcome == "settled"


def mark(by: str, ts: str = ROOT, emoji: str = "white_check_mark", *, added: bool = True) -> SettledMark:
    """A reaction."""
    return SettledMark(at=at(70), fresh=fresh(), by=by, message_id=ts, emoji=emoji, added=added)


def test_a_check_mark_of_the_asker() -> None:
    """Under the question it closes it, under a colleague's answer it proposes; of others it says nothing."""
    waits = moved(made("pending-user"), said("it is set in a.py", sender="U0BOB", ack=False), WORDS)
    assert moved(waits, mark("U0ANA"), WORDS).outcome == "settled"
    proposed = moved(waits, mark("U0ANA", "160.000001"), WORDS)
    assert proposed.settled_word is not None
    assert (proposed.status, proposed.settled_word.answered_by) == ("pending-user", "U0BOB")
    for other in (mark("U0BOB"), mark("U0ANA", "777.000001"), mark("U0ANA", emoji="eyes")):
        assert not step(waits, other, WORDS).accepted
    assert not step(made("approved"), mark("U0ANA"), WORDS).accepted


@pytest.mark.parametrize("ack", [None, False])
@pytest.mark.parametrize(
    ("text", "is_settled"), [("resolved, was a deploy", True), ("resolved in staging, not in prod", False)]
)
def test_below_what_a_program_asks_anybody_may_say_that_it_is_settled(
    ack: bool | None, text: str, is_settled: bool
) -> None:
    """An operator reads it and decides; below a colleague's question it says nothing, and neither does a program."""
    by_program = made("pending-user").messages[0].evolve(by_bot=True)
    alert = made("pending-user").evolve(messages=(by_program,))
    told = moved(alert, said(text, sender="U0BOB", ack=ack), WORDS)
    assert (told.status, bool(told.settled_word)) == ("pending-user", is_settled)
    early = made("collecting").evolve(messages=(by_program,))
    told_early = step(early, said(text, sender="U0BOB", ack=ack), WORDS).thread
    assert bool(told_early and told_early.settled_word) is is_settled
    of_bot = moved(alert, said(text, sender="B0OTHER", sender_type="bot", ack=ack), WORDS)
    of_colleague = moved(made("pending-user"), said(text, sender="U0BOB", ack=ack), WORDS)
    assert (of_bot.settled_word, of_colleague.settled_word) == (None, None)


def test_a_check_mark_that_is_taken_away_takes_back_what_it_did_and_no_more() -> None:
    """By whoever had put it there, where it stood; what a word or an operator has closed stays closed."""
    waits = moved(made("pending-user"), said("it is set in a.py", sender="U0BOB", ack=False), WORDS)
    closed = moved(waits, mark("U0ANA"), WORDS)
    again = moved(closed, mark("U0ANA", added=False), WORDS)
    assert (again.status, again.settled_word, again.question) == ("collecting", None, waits.question)
    proposed = moved(waits, mark("U0ANA", "160.000001"), WORDS)
    assert moved(proposed, mark("U0ANA", "160.000001", added=False), WORDS).settled_word is None
    others = (
        mark("U0BOB", added=False),
        mark("U0ANA", "160.000001", added=False),
        mark("U0ANA", emoji="solved", added=False),
    )
    for other in others:
        assert not step(closed, other, WORDS).accepted
    for ended in (moved(made("pending-user"), said("nvm, found it"), WORDS), made("approved")):
        assert not step(ended, mark("U0ANA", added=False), WORDS).accepted


def test_what_was_written_while_a_reply_was_on_its_way_is_settled_with_it() -> None:
    """The next question does not begin with what its asker has taken back."""
    waiting = moved(made("approved"), said("and for refunds?", ts="150.000001"), WORDS)
    replied = moved(waiting, Posted(at=at(70), fresh=fresh(), ts="151.000001"), WORDS)
    assert replied.due_at is not None
    settled = step(replied, said("nvm, found it"), WORDS).thread
    assert settled is not None
    assert (settled.status, settled.outcome, settled.due_at, settled.inbox) == ("closed", "replied", None, ())


def test_there_is_a_way_back() -> None:
    """An operator may have it investigated after all; a deletion, a press and a run that come late change nothing."""
    runs = made("investigating")
    closed = moved(runs, said("nvm, found it"), WORDS)
    assert not step(closed, found(runs), WORDS).accepted
    assert not step(closed, Deleted(at=at(80), fresh=fresh(), message_id=ROOT), WORDS).accepted
    again = moved(closed, Restarted(at=at(90), fresh=fresh(), by=OPERATOR, mode="live", operator=OPERATOR), WORDS)
    assert (again.status, again.settled_word, again.question) == ("collecting", None, "where is the limit set?")
    assert isinstance(step(again, Due(at=at(95), fresh=fresh()), WORDS).effect, Investigate)


def test_a_document_of_before_still_loads() -> None:
    """It knows of no such word."""
    old = made("pending-user").model_dump(mode="json")
    del old["settled_word"]
    assert Thread.model_validate(old).settled_word is None


@pytest.mark.parametrize("status", BEFORE)
def test_an_order_to_close_settles_whatever_its_words(status: str) -> None:
    """Said in the thread, or edited into the question."""
    order = message("forget about it", ts="160.000001", root=ROOT)
    said_so = moved(made(status), Overheard(at=at(60), fresh=fresh(), message=order, settles=True), WORDS)
    edit = Edited(at=at(60), fresh=fresh(), message=message("@Triage close this", ts=ROOT), is_order=True)
    for thread in (said_so, moved(made(status), edit, WORDS)):
        assert (thread.status, thread.outcome, thread.due_at) == ("closed", "settled", None)
    assert said_so.settled_word
    assert said_so.settled_word.text == "forget about it"


def test_thanks_edited_below_the_question_are_only_proposed() -> None:
    """They may be thanks in advance."""
    waits = made("pending-user")
    text = "where is the limit set?\nEdit: thanks, got it"
    edit = Edited(at=at(60), fresh=fresh(), message=message(text, ts=ROOT))
    proposed = moved(waits, edit, WORDS)
    assert proposed.settled_word
    assert (proposed.status, proposed.settled_word.how) == ("pending-user", "edited")
    assert not step(proposed, press(Approve, waits), WORDS).accepted


@pytest.mark.parametrize("limits", [WORDS, replace(WORDS, settling=None)])
def test_a_check_mark_on_a_colleagues_question_says_nothing(limits: WorkflowLimits) -> None:
    """Only an answer can settle; without words for it none is known."""
    asked = moved(made("pending-user"), said("which environment?", ts="150.000001", sender="U0BOB", ack=False), WORDS)
    mark = SettledMark(at=at(60), fresh=fresh(), by="U0ANA", message_id="150.000001", emoji="white_check_mark")
    assert not step(asked, mark, limits).accepted


@pytest.mark.parametrize("added_now", [False, True])
def test_a_check_mark_is_taken_back_where_it_settled(added_now: bool) -> None:
    """Reopened is only what that mark has closed: not what ended otherwise meanwhile."""
    mark = SettledMark(at=at(60), fresh=fresh(), by="U0ANA", message_id=ROOT, emoji="white_check_mark")
    closed = moved(made("pending-user"), mark, WORDS)
    assert (closed.outcome, closed.settled_word and closed.settled_word.how) == ("settled", "marked")
    other = closed.evolve(outcome="dismissed")
    assert not step(other, replace(mark, added=added_now), WORDS).accepted
    assert moved(closed, replace(mark, added=False), WORDS).status == "collecting"


@pytest.mark.parametrize("status", ["approved", "in-doubt", "replied"])
def test_a_question_that_is_edited_to_say_that_it_is_solved_is_no_other_one(status: str) -> None:
    """Although it shares no word with the question of before."""
    thread = made(status)
    solved = replace(edited("solved"), asks=True)
    assert step(thread, solved, WORDS) == Transition(thread, accepted=False)


def test_a_colleagues_words_keep_no_question_open() -> None:
    """Only the asker's own messages of this question count where it is struck out or emptied."""
    earlier = made("collecting").messages[0].evolve(message_id="90.000001", round=0)
    thread = moved(made("collecting"), said("look into a.py", ts="150.000001", sender="U0BOB"), WORDS)
    thread = thread.evolve(messages=(earlier, *thread.messages))
    for edit in (edited("~where is the limit set?~"), replace(edited("thanks all!"), is_empty=True)):
        assert moved(thread, edit, WORDS).outcome == "settled"


def test_thanks_in_place_of_one_line_of_two_leave_the_other() -> None:
    """The question is still there."""
    thread = moved(made("collecting"), said("and why?", ts="150.000001"), WORDS)
    after = moved(thread, replace(edited("thanks all!", "150.000001", root=ROOT), is_empty=True), WORDS)
    assert after.status == "collecting"


def test_a_settling_message_is_noted_once_and_joins_no_question() -> None:
    """While its thread is open, and when it was written before the reply that it comes after."""
    closed = moved(made("pending-user"), said("nvm, found it"), WORDS)
    assert closed.left_out == ("160.000001",)
    waiting = moved(made("approved"), said("and for refunds?", ts="150.000001"), WORDS)
    replied = moved(waiting, Posted(at=at(70), fresh=fresh(), ts="170.000001"), WORDS)
    settled = replied.evolve(left_out=("160.000001",), inbox=(), due_at=None)
    assert step(replied, said("nvm, found it"), WORDS) == Transition(settled, accepted=False)


def answered() -> Thread:
    """A draft that waits, after a colleague's answer which the draft does not know of."""
    return moved(made("pending-user"), said("it is set in a.py", ts="150.000001", sender="U0BOB", ack=False), WORDS)


@pytest.mark.parametrize(
    ("stale", "why"),
    [("New in the thread", "New in the thread"), (None, "Its asker wrote since this draft was made: thanks!")],
)
def test_a_proposal_makes_the_draft_stale(stale: str | None, why: str) -> None:
    """The operator approves it knowing that, or not at all; an earlier reason stays."""
    proposed = moved(answered().evolve(stale=stale), said("thanks!", ack=True), WORDS)
    assert proposed.stale == why
    assert not step(proposed, press(Approve, proposed), WORDS).accepted
    assert step(proposed, press(Approve, proposed, anyway=True), WORDS).accepted


@pytest.mark.parametrize(("sender", "stands"), [("U0ANA", False), ("U0BOB", True)])
def test_only_the_askers_further_words_take_a_proposal_back(sender: str, stands: bool) -> None:
    """A colleague's say nothing of it."""
    proposed = moved(answered(), said("thanks!", ack=True), WORDS)
    after = moved(proposed, said("it runs on two machines", ts="170.000001", sender=sender, ack=False), WORDS)
    assert (after.settled_word is not None) is stands


@pytest.mark.parametrize(
    ("event", "how", "text"),
    [
        (replace(edited("close this, @U0BEN", names={"U0BEN": "Ben"}), is_order=True), "edited", "close this, @Ben"),
        (edited("~where is the limit set?~"), "struck", "~where is the limit set?~"),
        (said("nvm @U0BEN, found it", names={"U0BEN": "Ben"}), "said", "nvm @Ben, found it"),
        (mark("U0ANA"), "marked", ":white_check_mark:"),
    ],
)
def test_the_word_that_settled_a_question_is_kept(event: Any, how: str, text: str) -> None:
    """With its author, its message, and the names of the people in it."""
    word = moved(made("pending-user"), event, WORDS).settled_word
    assert word
    written = "160.000001" if how == "said" else ROOT
    assert (word.how, word.text, word.by, word.message_id, word.at) == (how, text, "U0ANA", written, event.at)
    assert (word.answered_by, word.answer_id) == (None, None)


def test_a_proposing_message_is_noted_as_left_out() -> None:
    """It joins no question after a restart either."""
    assert moved(answered(), said("thanks!", ack=True), WORDS).left_out == ("160.000001",)


@pytest.mark.parametrize(("status", "joins"), [("pending-user", True), ("approved", False), ("in-doubt", False)])
def test_a_proposal_joins_the_question_only_before_its_reply_is_approved(status: str, joins: bool) -> None:
    """After that it neither joins it nor begins the next one; the card shows it."""
    thread = answered()
    if status != "pending-user":
        thread = moved(thread, press(Approve, thread, anyway=True), WORDS)
    if status == "in-doubt":
        thread = moved(thread, DoubtfulPost(at=at(20), fresh=fresh(), settle_at=at(25)), WORDS)
        thread = moved(thread, NotFound(at=at(26), fresh=fresh(), is_unread=True), WORDS)
    after = moved(thread, said("thanks!"), WORDS)
    assert (after.status, after.settled_word and after.settled_word.text) == (status, "thanks!")
    assert ("160.000001" in [each.message_id for each in after.messages], after.inbox) == (joins, ())


def test_a_new_question_with_words_of_settlement_is_not_settled_by_them() -> None:
    """Nothing was open that they could settle."""
    waits = made("pending-user")
    closed = moved(waits, press(Dismiss, waits), WORDS)
    after = moved(closed, said("nvm, it is the cache of the proxy"), WORDS)
    assert (after.status, after.settled_word) == ("collecting", None)
