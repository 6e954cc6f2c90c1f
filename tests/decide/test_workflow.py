"""The status machine, by table: which happening leads where, and which ones change nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.router import ProjectFolder, Routed, Router, RoutingRule
from bot.decide.workflow import Transition, WorkflowLimits, resume
from bot.decide.workflow.approvals import OPENING
from bot.models.effect import CheckFindings, Investigate, LookUpReply, PostReply
from bot.models.faults import confirmation_digest
from bot.models.route import Route
from bot.models.staleness import EvidenceChanged
from bot.models.thread import Thread
from bot.models.thread_event import (
    AnswerQuestion,
    Approve,
    Bounce,
    CardRendered,
    Deleted,
    Dismiss,
    DoubtfulPost,
    Due,
    Edited,
    EditSubmitted,
    EvidenceFailed,
    Findings,
    NotFound,
    Overheard,
    PostAgain,
    Posted,
    PostFailed,
    Redraft,
    RunFailed,
    ThreadEvent,
    WasPosted,
)
from bot.models.viewed_page import SubjectProject
from bot.models.waiting import Waiting
from tests.builders import (
    LIMITS,
    OPERATOR,
    added,
    at,
    check,
    draft_for,
    found,
    fresh,
    message,
    moved,
    opened,
    ran,
    step,
    validated,
    validator,
)


def press(kind: type[Any], thread: Thread, **changes: Any) -> Any:
    """A press on the thread's card as it is drawn now."""
    draft = thread.draft_pending
    values: dict[str, Any] = {
        "at": at(10),
        "fresh": fresh(),
        "by": OPERATOR,
        "draft_id": draft.draft_id if draft else f"{thread.thread_id}/0",
        "nonce": draft.nonce if draft else thread.card.nonce,
    }
    if kind is Approve:
        values["confirmed"] = confirmation_digest(thread)
    return kind(**(values | changes))


def collecting(**changes: Any) -> Thread:
    return moved(None, added(**changes))


def investigating(**changes: Any) -> Thread:
    return moved(collecting(**changes), Due(at=at(2), fresh=fresh()))


def awaiting(**changes: Any) -> Thread:
    thread = investigating(**changes)
    return moved(thread, found(thread))


def pending(**changes: Any) -> Thread:
    thread = awaiting(**changes)
    return moved(thread, validated(thread))


def nudged() -> Thread:
    """A draft that its operator was told of in the channel."""
    thread = awaiting()
    return moved(thread, validated(thread), replace(LIMITS, cards={"C0HELP": "ephemeral"}))


def approved() -> Thread:
    thread = pending()
    return moved(thread, press(Approve, thread))


def in_doubt() -> Thread:
    thread = moved(approved(), DoubtfulPost(at=at(11), fresh=fresh(), settle_at=at(16)))
    return moved(moved(thread, Due(at=at(16), fresh=fresh())), NotFound(at=at(17), fresh=fresh(), is_unread=True))


def replied() -> Thread:
    return moved(approved(), Posted(at=at(11), fresh=fresh(), ts="111.000001"))


def test_a_question_goes_the_straight_line_to_a_reply() -> None:
    """Every status of the straight line is passed once, in order, and is on record with its time."""
    history = [(change.previous, change.next) for change in replied().status_history]
    assert history == [
        ("new", "collecting"),
        ("collecting", "investigating"),
        ("investigating", "awaiting-validation"),
        ("awaiting-validation", "pending-user"),
        ("pending-user", "approved"),
        ("approved", "closed"),
    ]
    assert replied().posted_message_id == "111.000001"


@pytest.mark.parametrize(
    ("thread", "effect"),
    [
        pytest.param(collecting, None, id="collecting waits for the sweeper"),
        pytest.param(investigating, Investigate, id="an investigation is made again"),
        pytest.param(awaiting, CheckFindings, id="a check is made again"),
        pytest.param(pending, None, id="a card waits for a person"),
        pytest.param(approved, PostReply, id="an approved reply is posted"),
        pytest.param(in_doubt, None, id="a doubt waits for a person"),
        pytest.param(replied, None, id="closed is closed"),
    ],
)
def test_a_saved_document_says_what_to_do_again(thread: Any, effect: type | None) -> None:
    """After a crash the status alone tells which effect to start."""
    again = resume(thread())
    assert (type(again) if again else None) is effect
    assert not isinstance(again, PostReply) or again.look_first


def test_the_first_message_opens_a_thread_and_starts_nothing() -> None:
    """A new question only opens its debounce window."""
    opened = step(None, added())
    assert opened.thread is not None
    assert (opened.thread.status, opened.thread.due_at, opened.effect) == ("collecting", at(2), None)


def test_each_message_in_the_window_moves_its_end() -> None:
    """The window ends a while after the last message, and the question holds both."""
    thread = moved(collecting(), added("it is 502 since noon", ts="100.000002", root="100.000001", seconds=1))
    assert (thread.due_at, thread.question) == (at(3), "where is the limit set?\nit is 502 since noon")
    assert not step(thread, Due(at=at(2), fresh=fresh())).accepted


@pytest.mark.parametrize(
    ("due_at", "waiting", "seconds", "end"),
    [
        pytest.param(7, None, 3, 5, id="a message that was delivered late"),
        pytest.param(60, Waiting(level="channel", ahead=3), 10, 60, id="its turn comes later"),
        pytest.param(60, Waiting(level="channel", ahead=3), 100, 100, id="its turn and the longest window have passed"),
        pytest.param(30, None, 29, 30, id="the longest window"),
    ],
)
def test_a_window_ends_after_its_last_message(due_at: int, waiting: Waiting | None, seconds: int, end: int) -> None:
    """A question that waits for its turn waits for that, too."""
    thread = collecting().evolve(due_at=at(due_at), waiting=waiting)
    after = moved(thread, added("on staging", ts="100.000002", root="100.000001", seconds=seconds))
    assert after.due_at == at(end)


@pytest.mark.parametrize(("ahead", "begins"), [(2, False), (60, False), (61, True)])
def test_a_clock_that_was_set_back_keeps_no_question_waiting(ahead: int, begins: bool) -> None:
    """No window and no lookup lasts longer than a minute."""
    thread = collecting().evolve(due_at=at(ahead))
    assert step(thread, Due(at=at(0), fresh=fresh())).accepted is begins
    waits = thread.evolve(waiting=Waiting(level="channel", ahead=3))
    assert not step(waits, Due(at=at(0), fresh=fresh())).accepted


@dataclass
class ByRules:
    """A router by rules alone."""

    router: Router

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route:
        """By its text."""
        return self.router.route(text, channel)


def test_a_question_goes_where_all_of_its_messages_say() -> None:
    """Its first one may be a greeting; what is asked later in the thread goes the same way."""
    rules = (RoutingRule(pattern="^portal", role="portal-dev"), RoutingRule(pattern="^mobile", role="app-dev"))
    places = {
        name: Routed(display_name=name, place=ProjectFolder(project=name)) for name in ("portal-dev", "app-dev", "dev")
    }
    router = Router(default="dev", rules=rules, roles=places, projects=[*places])
    limits = replace(LIMITS, router=ByRules(router))
    thread = moved(None, added("can somebody help me?"), limits)
    thread = moved(thread, added("portal is slow", ts="100.000002"), limits)
    thread = moved(thread, Due(at=at(9), fresh=fresh()), limits)
    assert thread.route is not None
    assert (thread.route.role, thread.dispatches[0].role) == ("portal-dev", "portal-dev")

    later = replied().evolve(route=thread.route)
    later = moved(later, added("mobile is slow, too", ts="102.000001", root="100.000001", seconds=60), limits)
    assert moved(later, Due(at=at(90), fresh=fresh()), limits).route == thread.route


def test_findings_of_another_run_are_dropped() -> None:
    """A late result of a cancelled run changes nothing."""
    thread = investigating()
    assert not step(thread, found(thread, run_id="another")).accepted


@pytest.mark.parametrize("late", [collecting, pending, approved, in_doubt, replied])
def test_findings_come_only_from_an_investigation(late: Any) -> None:
    """Findings that arrive in any other status change nothing."""
    thread = late()
    assert not step(thread, found(thread, run_id="gone")).accepted


def test_a_message_during_an_investigation_leads_to_one_more_round() -> None:
    """Nothing that the asker adds is lost: the run that did not read it is followed by one that does."""
    thread = moved(investigating(), added("on staging", ts="100.000002", root="100.000001", seconds=2.5))
    assert thread.status == "investigating"
    again = step(thread, found(thread))
    assert again.thread is not None
    assert isinstance(again.effect, Investigate)
    assert again.thread.inbox == ()
    assert again.effect.run_id == again.thread.run_id != thread.run_id
    assert "on staging" in again.thread.question


def test_a_message_during_the_check_leads_to_one_more_round() -> None:
    """A draft that did not see the last message is not shown."""
    thread = moved(awaiting(), added("on staging", ts="100.000002", root="100.000001"))
    assert isinstance(step(thread, validated(thread)).effect, Investigate)


def test_a_failed_reference_bounces_once_then_goes_to_the_operator() -> None:
    """The second draft with a reference that does not stand is shown for what it is, never as validated."""
    thread = awaiting()
    failed = EvidenceFailed(at=at(4), fresh=fresh(), run_id=thread.run_id or "", checks=(check("failed"),))
    first = step(thread, failed)
    assert first.thread is not None
    assert (first.thread.status, type(first.effect)) == ("bounced-round-1", Investigate)
    assert "bot/a.py:1" in (first.thread.feedback or "")
    second = moved(first.thread, found(first.thread))
    shown = moved(second, replace(failed, run_id=second.run_id or ""))
    assert shown.status == "pending-user"
    assert shown.verdict is not None
    assert shown.verdict.verdict == "bounce"


def test_without_bounces_allowed_the_first_failure_goes_to_the_operator() -> None:
    """`validator.max_rounds: 0` sends nothing back."""
    thread = awaiting()
    failed = EvidenceFailed(at=at(4), fresh=fresh(), run_id=thread.run_id or "", checks=(check("failed"),))
    assert moved(thread, failed, WorkflowLimits(debounce=LIMITS.debounce, validator_bounces=0)).status == "pending-user"


def test_escalation_is_no_bounce() -> None:
    """A validator's escalate goes to the operator immediately."""
    thread = awaiting()
    said = validated(thread, validator_return=validator(verdict="escalate", reasons=("They disagree.",)))
    assert moved(thread, said).status == "pending-user"


def test_values_that_no_cited_text_has_are_sent_back_once() -> None:
    """Where the validator opened nothing itself; the second time, and without a model to ask, the operator decides."""
    thread = awaiting()
    unread = validator(spot_check_result="uncheckable")
    said = replace(validated(thread, validator_return=unread), unsupported=("42",))
    sent_back = moved(thread, said)
    assert (sent_back.status, "42" in (sent_back.feedback or "")) == ("bounced-round-1", True)
    second = moved(sent_back, found(sent_back))
    assert moved(second, replace(said, run_id=second.run_id or "")).status == "pending-user"
    away = replace(validated(thread), unsupported=("42",), unvalidated="overloaded", is_model_away=True)
    assert moved(thread, away).status == "pending-user"
    assert moved(thread, replace(away, is_model_away=False)).status == "bounced-round-1"


def test_redraft_asks_the_validator_alone_where_only_its_verdict_is_missing() -> None:
    """The investigation was paid: its draft stays, and the second verdict counts as the first would have."""
    thread = awaiting()
    away = moved(
        thread, replace(validated(thread), validator_return=None, unvalidated="overloaded", is_model_away=True)
    )
    assert away.status == "pending-user"
    begun = step(away, press(Redraft, away))
    again = begun.thread
    assert again is not None
    assert (again.status, begun.effect) == ("awaiting-validation", CheckFindings(run_id=again.run_id or ""))
    assert again.draft_pending
    assert away.draft_pending
    assert (again.draft_pending.text, again.drafts_made) == (away.draft_pending.text, away.drafts_made)
    assert (again.unvalidated, again.verdict, again.investigator_round) == (None, None, away.investigator_round)
    assert resume(again) == begun.effect
    assert not step(again, press(Redraft, away)).accepted
    done = moved(again, replace(validated(again), run_id=again.run_id or ""))
    assert (done.status, done.unvalidated, done.verdict and done.verdict.verdict) == ("pending-user", None, "pass")
    assert not step(done, press(Redraft, away)).accepted


@pytest.mark.parametrize(
    "changes",
    [{"stale": "the code changed"}, {"fallback": "no key"}, {"unvalidated": None}],
    ids=["stale", "of the keyword engine", "validated"],
)
def test_any_other_redraft_investigates(changes: dict[str, Any]) -> None:
    """There the draft itself is in doubt."""
    thread = awaiting()
    away = moved(
        thread, replace(validated(thread), validator_return=None, unvalidated="overloaded", is_model_away=True)
    )
    away = away.evolve(**changes)
    assert moved(away, press(Redraft, away)).status == "investigating"


def test_texts_of_runs_without_an_answer_are_kept_for_their_question() -> None:
    """The last three, oldest first, with their agent and round; the next question begins without them."""
    thread = investigating()
    report = found(thread)
    told = replace(report, report=report.report.evolve(fallback="it never fits", unchecked_notes="Perhaps three."))
    drafted = moved(thread, told)
    seen = moved(drafted, replace(validated(drafted), unvalidated="it never fits", unchecked_notes="It looks right."))
    assert [(notes.agent, notes.round, notes.text) for notes in seen.unchecked_notes] == [
        ("investigator", 1, "Perhaps three."),
        ("validator", 1, "It looks right."),
    ]
    for number in range(2):
        seen = moved(seen, press(Redraft, seen))
        failed = RunFailed(at=at(9), fresh=fresh(), run_id=seen.run_id or "", reason="x", unchecked_notes=f"{number}")
        seen = moved(seen, failed)
    assert [notes.text for notes in seen.unchecked_notes] == ["It looks right.", "0", "1"]


def test_a_run_that_failed_ends_at_the_operator_without_a_draft() -> None:
    """A failure is shown with its reason and can be tried again."""
    thread = investigating()
    failed = moved(thread, RunFailed(at=at(3), fresh=fresh(), run_id=thread.run_id or "", reason="ripgrep is missing"))
    assert (failed.status, failed.draft_pending, failed.failure) == ("pending-user", None, "ripgrep is missing")
    assert isinstance(step(failed, press(Redraft, failed)).effect, Investigate)
    assert moved(failed, press(Dismiss, failed)).outcome == "dismissed"


def test_an_edit_makes_a_new_version_that_the_old_button_cannot_approve() -> None:
    """What is approved is what was shown: a press with the nonce of the draft before changes nothing."""
    thread = pending()
    old = press(Approve, thread)
    edited = moved(thread, press(EditSubmitted, thread, draft=draft_for(thread, "Shorter.")))
    assert edited.status == "pending-user"
    assert not step(edited, old).accepted
    refused = step(edited, press(Approve, edited))
    assert (refused.accepted, refused.refusal) == (False, OPENING)
    edited = opened(edited)
    assert moved(edited, press(Approve, edited)).status == "approved"


def test_a_bounce_starts_a_round_with_the_operators_words() -> None:
    """The feedback reaches the next run, counted apart from the gate's own bounces."""
    thread = pending()
    again = step(thread, press(Bounce, thread, feedback="look at the settings"))
    assert again.thread is not None
    assert (again.thread.status, again.thread.feedback) == ("bounced-round-1", "look at the settings")
    assert (again.thread.operator_bounces, again.thread.validator_bounces) == (1, 0)
    assert isinstance(again.effect, Investigate)


def test_a_decision_settles_once() -> None:
    """The second press on the same card changes nothing."""
    thread = pending()
    decision = press(Approve, thread)
    assert not step(moved(thread, decision), decision).accepted
    assert not step(replied(), decision).accepted
    assert not step(moved(thread, press(Dismiss, thread)), decision).accepted


def test_a_new_message_makes_the_draft_stale() -> None:
    """An approval pressed on the card as it was before the message is refused; Post Anyway and Redraft stand."""
    thread = pending()
    before = press(Approve, thread)
    stale = moved(thread, added("never mind, found it", ts="100.000002", root="100.000001"))
    assert stale.stale is not None
    assert not step(stale, before).accepted
    assert not step(stale, press(Approve, stale)).accepted
    assert moved(stale, press(Approve, stale, anyway=True)).status == "approved"
    assert isinstance(step(stale, press(Redraft, stale)).effect, Investigate)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (collecting, False),
        (investigating, True),
        (awaiting, True),
        (pending, True),
        (approved, False),
        (replied, False),
    ],
)
def test_what_is_overheard_puts_a_draft_behind_and_starts_nothing(before: Any, behind: bool) -> None:
    """The status stays and no run begins; what comes twice changes nothing, and the next draft has it in view."""
    thread = before()
    said = message("it is 3 in staging", ts="100.000002", root="100.000001", sender="U0BEN")
    news = Overheard(at=at(20), fresh=fresh(), message=said)
    made = step(thread, news)
    assert made.accepted == behind
    assert made.effect is None
    if behind and made.thread:
        assert (made.thread.status, made.thread.run_id, made.thread.inbox) == (thread.status, thread.run_id, ())
        assert "it is 3 in staging" in (made.thread.stale or "")
        assert said.message_id in [m.message_id for m in made.thread.messages]
        assert not step(made.thread, news).accepted


@pytest.mark.parametrize("before", [collecting, investigating, awaiting])
def test_dismiss_ends_a_question_before_its_draft(before: Any) -> None:
    """The operator need not wait for a draft that nobody wants."""
    thread = before()
    made = press(Dismiss, thread, draft_id=f"{thread.thread_id}/0", nonce=thread.card.nonce)
    closed = moved(thread, made)
    assert (closed.status, closed.outcome, closed.run_id) == ("closed", "dismissed", None)


def test_in_preview_an_approval_posts_nothing() -> None:
    """Practice is counted and closed."""
    thread = pending(mode="preview")
    closed = step(thread, press(Approve, thread))
    assert closed.thread is not None
    assert (closed.thread.status, closed.thread.outcome, closed.effect) == ("closed", "practice", None)


def test_a_doubtful_post_is_looked_up_when_it_has_settled() -> None:
    """Nothing is posted again before the thread was read."""
    thread = moved(approved(), DoubtfulPost(at=at(11), fresh=fresh(), settle_at=at(16)))
    assert thread.status == "approved"
    assert not step(thread, Due(at=at(15), fresh=fresh())).accepted
    assert isinstance(step(thread, Due(at=at(16), fresh=fresh())).effect, LookUpReply)


def test_a_reply_that_is_surely_not_there_is_posted_again_once() -> None:
    """Each time it is looked for before; after the second doubt its operator looks, as immediately where nobody can."""
    thread = moved(approved(), DoubtfulPost(at=at(11), fresh=fresh(), settle_at=at(16)))
    again = step(moved(thread, Due(at=at(16), fresh=fresh())), NotFound(at=at(17), fresh=fresh()))
    assert again.effect == PostReply(look_first=True, search_twice=True)
    assert again.thread is not None
    thread = moved(again.thread, DoubtfulPost(at=at(30), fresh=fresh(), settle_at=at(35)))
    thread = moved(moved(thread, Due(at=at(35), fresh=fresh())), NotFound(at=at(36), fresh=fresh()))
    assert (thread.status, in_doubt().status) == ("in-doubt", "in-doubt")
    assert moved(thread, press(PostAgain, thread)).doubts == 0


def test_a_doubt_is_settled_by_a_person() -> None:
    """In doubt the operator says whether the reply stands there; posting again looks first."""
    thread = in_doubt()
    assert thread.status == "in-doubt"
    assert moved(thread, press(WasPosted, thread)).outcome == "replied"
    again = step(thread, press(PostAgain, thread))
    assert again.effect == PostReply(look_first=True)


def test_a_refused_post_goes_back_to_the_operator() -> None:
    """The card says why, and a press on the card before that changes nothing."""
    thread = approved()
    back = moved(thread, PostFailed(at=at(11), fresh=fresh(), reason="channel is archived"))
    assert (back.status, back.stale) == ("pending-user", "channel is archived")
    assert not step(back, press(Approve, thread, anyway=True)).accepted


@pytest.mark.parametrize(
    ("follow_up", "opens"),
    [
        pytest.param(added("and the minimum?", ts="200.000001", root="100.000001"), True, id="the asker"),
        pytest.param(added("and for me?", ts="200.000001", root="100.000001", sender="U0BEN"), False, id="another"),
        pytest.param(
            added("@U0TRIAGE and for me?", ts="200.000001", root="100.000001", sender="U0BEN", mentioned=True),
            True,
            id="another who mentions the bot",
        ),
    ],
)
def test_a_follow_up_opens_the_same_document_again(follow_up: Any, opens: bool) -> None:
    """A closed thread goes on as the next question, with a card of its own and nothing left of the last draft."""
    closed = replied()
    again = step(closed, follow_up)
    assert again.accepted is opens
    if opens:
        assert again.thread is not None
        assert (again.thread.status, again.thread.question_round) == ("collecting", 2)
        assert again.thread.question == follow_up.message.content
        assert (again.thread.draft_pending, again.thread.posted_message_id) == (None, None)
        assert again.thread.card.nonce != closed.card.nonce


def test_what_the_asker_adds_while_the_reply_is_on_its_way_is_the_next_question() -> None:
    """Nothing is lost between the approval and the post."""
    thread = moved(approved(), added("and the minimum?", ts="200.000001", root="100.000001"))
    closed = moved(thread, Posted(at=at(11), fresh=fresh(), ts="111.000001"))
    assert (closed.status, closed.due_at) == ("closed", at(13))
    again = moved(closed, Due(at=at(13), fresh=fresh()))
    assert (again.status, again.question) == ("collecting", "and the minimum?")


@pytest.mark.parametrize("status", [collecting, investigating, awaiting, pending, approved, in_doubt, replied])
def test_a_message_that_is_known_changes_nothing(status: Any) -> None:
    """Slack delivers some messages twice."""
    assert not step(status(), added(seconds=20)).accepted


def test_what_was_left_out_on_purpose_stays_out_after_a_restart() -> None:
    """A message that changed nothing is noted, and changes nothing when it is read again from the journal."""
    left_out = added("I think it is 5", ts="150.000001", root="100.000001", sender="U0BEN")
    noted = step(replied(), left_out)
    assert not noted.accepted
    assert noted.thread
    thread = moved(noted.thread, added("and the minimum?", ts="200.000001", root="100.000001"))
    assert not step(thread, replace(left_out, replayed=True)).accepted
    assert step(thread, left_out).accepted  # said anew, as by an edit: judged anew
    assert step(noted.thread, left_out) == Transition(noted.thread, accepted=False)
    joining = replace(left_out, joins=True)
    before = replied()
    assert step(before, joining) == Transition(before, accepted=False)


@pytest.mark.parametrize("status", [collecting, investigating, awaiting, pending, approved])
def test_a_message_that_a_crash_overtook_is_taken_although_later_ones_are_known(status: Any) -> None:
    """It was judged before the crash and reached its thread after it, behind one that was written later."""
    thread = moved(status(), added("and the minimum?", ts="200.000001", root="100.000001"))
    late = added("of a new order, I mean", ts="150.000001", root="100.000001", replayed=True)
    assert "150.000001" in [m.message_id for m in moved(thread, late).messages]


@pytest.mark.parametrize("status", [collecting, pending, replied])
def test_what_is_said_in_a_muted_thread_stays_out_after_a_restart(status: Any) -> None:
    """By then it may be muted no longer."""
    noted = step(status(), added("still broken?", ts="150.000001", root="100.000001", muted=True))
    assert not noted.accepted
    assert not step(noted.thread, added("still broken?", ts="150.000001", root="100.000001", replayed=True)).accepted


def test_a_drawn_card_is_noted_once_and_shows_in_nothing_else() -> None:
    """The note of a drawing does not itself ask for a drawing."""
    thread = pending()
    drawn = CardRendered(
        at=at(5), fresh=fresh(), nonce=thread.card.nonce, channel="D0OPS", ts="1.1", revision=thread.revision
    )
    noted = moved(thread, drawn)
    assert noted.card.drawn == noted.revision
    assert not step(noted, drawn).accepted
    assert not step(noted, replace(drawn, nonce="another", revision=99)).accepted
    assert moved(noted, replace(drawn, revision=99)).card == noted.card.evolve(drawn=99)
    assert moved(noted, replace(drawn, ts="1.2")).card == noted.card.evolve(ts="1.2")
    assert moved(noted, replace(drawn, channel=None, ts=None, revision=99)).card == noted.card.evolve(drawn=99)


def test_nothing_but_a_message_opens_a_thread() -> None:
    """A happening for a thread that is not known changes nothing."""
    lost: ThreadEvent = Due(at=at(), fresh=fresh())
    assert step(None, lost) == Transition(None, accepted=False)


def edit_of(thread: Thread, text: str) -> Edited:
    """The first message of the thread says something else."""
    return Edited(at=at(20), fresh=fresh(), message=message(text, ts=thread.original_message_id))


def deletion_of(thread: Thread, ts: str | None = None) -> Deleted:
    """A message of the thread is gone."""
    return Deleted(at=at(20), fresh=fresh(), message_id=ts or thread.original_message_id)


@pytest.mark.parametrize("before", [investigating, awaiting])
def test_an_edit_corrects_a_running_investigation(before: Any) -> None:
    """The run that read the old words is replaced by one that reads the new ones."""
    thread = before()
    made = step(thread, edit_of(thread, "where is the minimum set?"))
    assert made.thread is not None
    assert isinstance(made.effect, Investigate)
    assert made.thread.run_id != thread.run_id
    assert made.thread.question == "where is the minimum set?"


def test_an_edit_moves_the_window_or_makes_the_draft_stale() -> None:
    """Before the investigation it waits for more; after it the operator is told of a typo that was mended."""
    waiting = moved(collecting(), edit_of(collecting(), "where is the minimum set?"))
    assert (waiting.status, waiting.due_at) == ("collecting", at(22))
    thread = pending()
    stale = moved(thread, edit_of(thread, "Where is the limit set, please?"))
    assert "please" in (stale.stale or "")
    assert stale.status == "pending-user"
    assert not step(stale, press(Approve, thread)).accepted


def test_an_edit_into_another_question_starts_a_new_draft() -> None:
    """Nothing that was said of the old draft is held against it, and that cannot be approved any more."""
    thread = pending().evolve(feedback="look elsewhere", operator_bounces=1)
    made = step(thread, edit_of(thread, "how long is a session kept?"))
    assert made.thread is not None
    assert isinstance(made.effect, Investigate)
    assert (made.thread.status, made.thread.feedback, made.thread.operator_bounces) == ("investigating", None, 0)
    assert made.thread.question == "how long is a session kept?"
    assert not step(made.thread, press(Approve, thread)).accepted
    other = Edited(at=at(20), fresh=fresh(), message=message("how long is a session kept?", sender="U0BOB"))
    assert moved(thread, other).status == "pending-user"


@pytest.mark.parametrize("before", [collecting, investigating, awaiting, pending])
def test_a_deleted_question_is_withdrawn(before: Any) -> None:
    """Nobody answers what nobody asks any more."""
    thread = before()
    gone = moved(thread, deletion_of(thread))
    assert (gone.status, gone.outcome, gone.run_id) == ("closed", "withdrawn", None)


def test_a_deleted_part_leaves_the_rest_of_the_question() -> None:
    """The run goes on with what is left."""
    thread = moved(investigating(), added("on staging", ts="100.000002", root="100.000001"))
    again = step(thread, deletion_of(thread, "100.000002"))
    assert again.thread is not None
    assert isinstance(again.effect, Investigate)
    assert again.thread.question == "where is the limit set?"


@pytest.mark.parametrize("late", [approved, in_doubt, replied])
def test_an_edit_or_a_deletion_comes_too_late_for_an_approved_reply(late: Any) -> None:
    """What was approved is posted as it was approved."""
    thread = late()
    assert not step(thread, edit_of(thread, "else")).accepted
    assert not step(thread, deletion_of(thread)).accepted


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        (["how long is a session kept?"], "how long is a session kept?"),
        (["how long is a session kept?", "how is a refund made?"], "how is a refund made?"),
        (["Where is the limit set?"], None),
        (["how long is a session kept?", "where is the limit set?"], None),
    ],
)
def test_an_edit_while_the_reply_is_on_its_way_is_the_next_question(texts: list[str], asked: str | None) -> None:
    """The reply stands for what it answers; another question follows it, and one that is refused is marked."""
    thread = approved()
    for text in texts:
        thread = step(thread, replace(edit_of(thread, text), asks=True)).thread or thread
    assert (thread.status, thread.question) == ("approved", "where is the limit set?")
    posted = moved(thread, Posted(at=at(30), fresh=fresh(), ts="130.000001"))
    assert (posted.outcome, posted.due_at) == ("replied", at(32) if asked else None)
    refused = moved(thread, PostFailed(at=at(30), fresh=fresh(), reason="Slack refused."))
    assert refused.question == (asked or "where is the limit set?")
    assert ("another question" in (refused.stale or "")) == bool(asked)
    if asked:
        again = moved(posted, Due(at=at(40), fresh=fresh()))
        assert (again.status, again.question, again.question_round) == ("collecting", asked, 2)
        assert (again.inbox, again.reworded, again.earlier[-1].question) == ((), (), "where is the limit set?")
        back = moved(posted, replace(edit_of(thread, "where is the limit set?"), asks=True))
        assert (back.status, back.inbox, back.due_at) == ("closed", (), None)


def test_changed_evidence_makes_a_waiting_draft_stale_and_nothing_else() -> None:
    """The operator sees which lines are others now; a settled thread is left alone."""
    thread = pending()
    changed = EvidenceChanged(at=at(20), fresh=fresh(), checks=(check("failed"),), why="bot/a.py:1: gone")
    stale = moved(thread, changed)
    assert "bot/a.py:1: gone" in (stale.stale or "")
    assert stale.evidence_checks == changed.checks
    assert not step(stale, press(Approve, thread)).accepted
    assert not step(approved(), changed).accepted


def failed(**changes: Any) -> Thread:
    thread = investigating(**changes)
    return moved(thread, RunFailed(at=at(4), fresh=fresh(), run_id=thread.run_id or "", reason="no"))


@pytest.mark.parametrize("waiting", [pending, failed])
def test_a_card_that_nobody_decides_on_expires(waiting: Any) -> None:
    """With a draft or without one, at its time and not before; nothing is posted, and no press settles it later."""
    thread = waiting()
    assert thread.due_at == at(4) + LIMITS.expiry
    assert not step(thread, Due(at=thread.due_at - timedelta(seconds=1), fresh=fresh())).accepted
    gone = step(thread, Due(at=thread.due_at, fresh=fresh()))
    assert gone.thread is not None
    assert (gone.thread.status, gone.thread.outcome, gone.thread.due_at) == ("closed", "expired", None)
    assert gone.effect is None
    assert not step(gone.thread, press(Approve, thread)).accepted


def test_what_changes_a_card_gives_it_its_whole_time_again() -> None:
    """A new message does; that the card was drawn does not."""
    thread = pending()
    asked = moved(thread, added("still there?", ts="101.000001", root="100.000001", seconds=60))
    assert asked.due_at == at(60) + LIMITS.expiry
    drawn = CardRendered(
        at=at(90), fresh=fresh(), nonce=asked.card.nonce, channel="D0OPS", ts="90.1", revision=asked.revision
    )
    assert moved(asked, drawn).due_at == asked.due_at


@pytest.mark.parametrize("after", [approved, in_doubt])
def test_a_decision_ends_the_time_of_a_card(after: Any) -> None:
    """An approved reply is posted however long that takes, and a doubt is left to a person."""
    assert after().due_at is None


def test_an_expired_question_is_opened_again_by_its_asker() -> None:
    """The next message gets a card of its own."""
    thread = pending()
    gone = moved(thread, Due(at=at(10**6), fresh=fresh()))
    again = moved(gone, added("so?", ts="900.000001", root="100.000001", seconds=10**6 + 5))
    assert (again.status, again.outcome, again.question_round) == ("collecting", None, 2)


@pytest.mark.parametrize("again", ["bounce", "redraft"])
def test_dismiss_ends_a_later_round_too(again: str) -> None:
    """While a redraft is made the card still carries the draft before, and its Dismiss is good."""
    thread = pending()
    named = (
        {"draft_id": thread.draft_pending.draft_id, "nonce": thread.draft_pending.nonce} if thread.draft_pending else {}
    )
    made = press(Bounce, thread, feedback="look again") if again == "bounce" else press(Redraft, thread)
    running = moved(thread, made)
    assert moved(running, press(Dismiss, running, **named)).outcome == "dismissed"
    assert moved(running, press(Dismiss, running, nonce=running.card.nonce)).outcome == "dismissed"


def test_what_came_in_with_the_reply_and_after_it_is_one_question() -> None:
    """A message that was still unread when the next one came is not lost."""
    thread = moved(approved(), added("and the minimum?", ts="200.000001", root="100.000001"))
    closed = moved(thread, Posted(at=at(11), fresh=fresh(), ts="111.000001"))
    again = moved(closed, added("on staging", ts="201.000001", root="100.000001", seconds=12))
    assert again.question == "and the minimum?\non staging"


def test_messages_stand_in_the_order_in_which_they_were_said() -> None:
    """Slack delivers in any order; the question is read in the order of its writing."""
    thread = moved(None, added(ts="100.000001"))
    for ts in ("103.000000", "102.000000", "1000.000000"):
        thread = moved(thread, added(ts=ts, root="100.000001"))
    assert [m.message_id for m in thread.messages] == ["100.000001", "102.000000", "103.000000", "1000.000000"]


def test_a_follow_up_that_comes_late_stands_where_it_was_written() -> None:
    """Also when it opens the thread again."""
    thread = moved(approved(), added("and the minimum?", ts="200.000001", root="100.000001"))
    closed = moved(thread, Posted(at=at(11), fresh=fresh(), ts="111.000001"))
    again = moved(closed, added("by the way,", ts="150.000001", root="100.000001", seconds=12))
    assert [m.message_id for m in again.messages] == ["100.000001", "150.000001", "200.000001"]
    assert again.question == "by the way,\nand the minimum?"


def test_an_answer_leads_to_another_draft_and_counts_as_no_bounce() -> None:
    """The operator's words go into the next round; no draft was sent back."""
    thread = pending()
    after = step(thread, press(AnswerQuestion, thread, text="The second."))
    assert after.thread
    assert (after.thread.status, after.thread.operator_bounces, after.thread.rounds) == ("investigating", 0, ())
    assert after.thread.feedback == "An operator answers the open questions: The second."
    assert isinstance(after.effect, Investigate)


def test_what_was_sent_back_is_kept_as_a_round() -> None:
    """By the checks, by the validator and by an operator: draft, references, and the attack."""
    by_checks = awaiting()
    failed = EvidenceFailed(at=at(4), fresh=fresh(), run_id=by_checks.run_id or "", checks=(check("failed"),))
    (one,) = moved(by_checks, failed).rounds
    assert (one.by, one.number, one.refs) == ("checks", 1, ("bot/a.py:1",))
    thread = awaiting()
    bounced = validator(verdict="bounce", reasons=("It wanders.",))
    (one,) = moved(thread, validated(thread, validator_return=bounced)).rounds
    assert (one.by, one.attack, one.draft) == ("validator", "It wanders.", "It is set in `bot/a.py:1`.")
    (one,) = _bounced().rounds
    assert (one.by, one.attack) == ("operator", "Shorter.")


def test_a_round_needs_a_draft() -> None:
    """After a run that failed there is none to send back, although there are findings of before."""
    thread = pending()
    running = moved(thread, press(Redraft, thread))
    ended = RunFailed(at=at(12), fresh=fresh(), run_id=running.run_id or "", reason="no")
    after = moved(running, ended)
    assert after.investigator_return
    assert moved(after, press(Bounce, after, feedback="look again")).rounds == ()


def _bounced() -> Thread:
    thread = pending()
    return moved(thread, press(Bounce, thread, feedback="Shorter."))


@pytest.mark.parametrize("unread", [False, True])
def test_the_agents_runs_are_on_record_whatever_a_run_came_to(unread: bool) -> None:
    """Findings, a failure, failed evidence, a verdict; also where a message that nobody read starts another run."""
    investigator, judge = ran(), ran(2, "validator", outcome="unreachable")
    running = moved(collecting(), Due(at=at(2), fresh=fresh()))
    if unread:
        running = moved(running, added("and where?", ts="100.000009", seconds=3))
    for ended in (
        replace(found(running), runs=(investigator, judge)),
        RunFailed(at=at(4), fresh=fresh(), run_id=str(running.run_id), reason="no", runs=(investigator, judge)),
    ):
        thread = moved(running, ended)
        assert thread.runs == (investigator, judge)
        if not unread:
            assert thread.investigator_task_id == investigator.session_id
        elif isinstance(ended, Findings):
            assert (thread.status, thread.investigator_task_id) == ("investigating", thread.run_id)
    drafted = moved(running, replace(found(running), runs=(investigator,))) if not unread else awaiting()
    for checked in (
        replace(validated(drafted), runs=(judge,)),
        EvidenceFailed(at=at(4), fresh=fresh(), run_id=str(drafted.run_id), checks=(check("failed"),), runs=(judge,)),
    ):
        thread = moved(drafted, checked)
        assert (thread.runs[-1], thread.validator_task_id) == (judge, judge.session_id)
