"""Escalated questions, by table: how they begin, what each event makes of them, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args

import pytest

from bot.decide.escalation import DRY_RUN, EscalationPolicy
from bot.decide.workflow import advance, resume
from bot.decide.workflow.escalating import NEW_MESSAGES, NOTHING_DEEPER
from bot.decide.workflow.marking import state_of
from bot.decide.working_hours import WorkingHours
from bot.models.effect import CheckFindings, Escalate, Investigate, ShowCardInChannel
from bot.models.thread import Thread
from bot.models.thread_event import (
    Approve,
    Deleted,
    DigDeeper,
    Dismiss,
    Due,
    Edited,
    Mute,
    Overheard,
    PressEvent,
    Redraft,
    RunFailed,
    Settle,
    SettledMark,
    Stop,
    TakeOver,
    TierProgress,
    Validated,
)
from tests.builders import (
    ASKER,
    LIMITS,
    OPERATOR,
    added,
    at,
    draft_for,
    found,
    fresh,
    message,
    moved,
    ran,
    validated,
    validator,
)
from tests.decide.test_escalation import NOTES, failed, fell_back, wished
from tests.decide.test_presses import _FIELDS
from tests.decide.test_workflow import collecting, investigating, pending, press
from tests.tables import each_row

POLICY = EscalationPolicy(enabled=True, may_start=frozenset({2, 3}))
LONGER = replace(LIMITS, escalation=POLICY, project_names=lambda: ("shop", "billing"))
DRY = replace(LONGER, escalation=replace(POLICY, dry_run=True))
UNREAD = validator(spot_check_result="uncheckable")
QUESTION = "go through the logs of the last two weeks: where is the limit set?"


def do(thread: Thread | None, event: Any, limits: Any = LONGER) -> Thread:
    return moved(thread, event, limits)


def begun() -> Thread:
    """A question that takes long, before its start."""
    return do(do(None, added(QUESTION)), Due(at=at(2), fresh=fresh()))


def wanted() -> Thread:
    """Tier 1 has findings, and asks for more."""
    thread = investigating()
    return do(thread, wished(thread))


def exhausted() -> Thread:
    """Tier 1 has failed at its limit, with notes."""
    thread = investigating()
    return do(thread, failed(thread))


def deeper() -> Thread:
    """The operator has pressed Dig Deeper on a checked draft."""
    thread = pending()
    return do(thread, press(DigDeeper, thread))


STORIES = [begun, wanted, exhausted, deeper]


def lost(thread: Thread, reason: str = "the process died", **changes: Any) -> RunFailed:
    """The end of the thread's tier without a report."""
    return RunFailed(at=at(20), fresh=fresh(), run_id=changes.pop("run_id", thread.run_id), reason=reason, **changes)


def progress(thread: Thread, **changes: Any) -> TierProgress:
    """How far the thread's tier has come."""
    values: dict[str, Any] = {
        "run_id": thread.run_id,
        "session_id": "20260105T090003-tier2",
        "started_at": at(3),
        "watch_command": "tmux -L triage-x attach",
        "tmux_session": "triage-x",
        "transcript_path": "/home/bot/escalations/x/transcript.log",
        "turns": 3,
        "cost_usd": 0.2,
        "latest": "grep",
    }
    return TierProgress(at=at(15), fresh=fresh(), **(values | changes))


def follow_up(text: str = "on staging", ts: str = "103.000001") -> Any:
    return added(text, seconds=12, ts=ts, root="100.000001")


@pytest.mark.parametrize(
    ("story", "reason", "by"),
    [
        (begun, "it needs the logs of a long time", None),
        (wanted, "its investigator asks for a longer run: It needs the logs", None),
        (exhausted, "tier 1 reached its limit", None),
        (deeper, "its operator asked for it", OPERATOR),
    ],
)
def test_a_longer_run_begins(story: Callable[[], Thread], reason: str, by: str | None) -> None:
    """With its reason, a new run and an effect that a restart repeats."""
    thread = story()
    assert thread.escalation
    assert (thread.status, thread.is_escalated, thread.is_worked_on) == ("escalated", True, True)
    assert (thread.escalation.tier, thread.escalation.decided_by) == (2, by)
    assert thread.escalation.reason.startswith(reason)
    assert resume(thread) == Escalate(run_id=thread.run_id or "")
    assert (state_of(thread), thread.dispatches[-1].status) == ("working", "running")


def test_a_fallback_at_a_limit_leads_on_with_its_notes() -> None:
    """The draft of the keyword engine is kept."""
    thread = investigating()
    after = do(thread, fell_back(thread))
    assert (after.status, after.unchecked_notes[-1].text) == ("escalated", NOTES)
    assert after.draft_pending


@pytest.mark.parametrize(
    ("before", "event", "status"),
    [
        (lambda: do(None, added(QUESTION)), lambda _: Due(at=at(2), fresh=fresh()), "investigating"),
        (investigating, wished, "awaiting-validation"),
        (investigating, failed, "pending-user"),
    ],
)
def test_a_dry_run_goes_on_without_a_longer_one(before: Any, event: Any, status: str) -> None:
    """Its card says so, once."""
    thread = before()
    after = do(thread, event(thread), DRY)
    assert (after.status, after.is_escalated, after.escalation) == (status, False, None)
    assert (after.escalation_problem or "").startswith(f"{DRY_RUN}; the reason for one: ")


def test_a_press_is_refused_where_no_longer_run_may_start() -> None:
    """Or while the references of an edited text are opened."""
    thread = pending()
    step = advance(thread, press(DigDeeper, thread), LIMITS)
    assert (step.accepted, step.refusal, step.thread) == (False, NOTHING_DEEPER, thread)
    opening = thread.evolve(opening="x")
    assert not advance(opening, press(DigDeeper, opening), LONGER).accepted
    late = thread.evolve(card=thread.card.evolve(nonce="other"), draft_pending=draft_for(thread))
    assert not advance(late, press(DigDeeper, thread), LONGER).accepted


def test_a_press_after_a_failure_starts_a_longer_run() -> None:
    """There is no draft to keep."""
    thread = investigating()
    thread = moved(thread, lost(thread))
    after = do(thread, press(DigDeeper, thread))
    assert (after.status, after.failure, after.draft_pending) == ("escalated", None, None)


_TAKEN = {Stop, Settle, Dismiss, TakeOver}


@pytest.mark.parametrize("story", STORIES)
def test_each_press_is_taken_in_a_longer_run(story: Callable[[], Thread]) -> None:
    """As during any other run; nothing is approved."""
    thread = story()
    kinds = {kind: _FIELDS.get(kind, {}) for kind in get_args(PressEvent) if kind.__name__ != "EditSubmitted"}
    taken = {kind for kind, fields in kinds.items() if advance(thread, press(kind, thread, **fields), LONGER).accepted}
    assert {kind.__name__ for kind in taken} == {kind.__name__ for kind in _TAKEN} | {"Delegate"}


@each_row("story", STORIES)
@each_row(
    ("event", "outcome"),
    [
        (lambda thread: press(Dismiss, thread), "dismissed"),
        (lambda thread: press(Settle, thread), "settled"),
        (lambda thread: press(TakeOver, thread), "taken-over"),
        (lambda _: Mute(at=at(12), fresh=fresh()), "muted"),
        (lambda _: Deleted(at=at(12), fresh=fresh(), message_id="100.000001"), "withdrawn"),
        (
            lambda _: SettledMark(
                at=at(12), fresh=fresh(), by=ASKER, message_id="100.000001", emoji="white_check_mark"
            ),
            "settled",
        ),
    ],
)
def test_an_end_of_the_question_ends_its_longer_run(story: Any, event: Any, outcome: str) -> None:
    """The process is ended by whoever looks for its run."""
    thread = story()
    after = do(thread, event(thread))
    assert (after.status, after.run_id, resume(after)) == ("closed", None, None)
    assert after.outcome == outcome


def test_an_edit_or_a_deletion_begins_again_in_the_bot() -> None:
    """The chain does not restart by itself for the same question."""
    thread = do(begun(), follow_up("in the shop"))
    edited = Edited(at=at(13), fresh=fresh(), message=message(QUESTION + " please"))
    deleted = Deleted(at=at(13), fresh=fresh(), message_id="103.000001")
    for event in (edited, deleted):
        step = advance(thread, event, LONGER)
        assert step.thread
        assert (step.thread.status, step.effect) == ("investigating", Investigate(run_id=event.fresh))
        assert step.thread.dispatches[-2].status == "aborted: superseded"
        again = do(step.thread, wished(step.thread))
        assert again.status == "awaiting-validation"


def test_the_next_question_begins_without_the_longer_run() -> None:
    """It may have one of its own."""
    closed = do(
        do(begun(), Mute(at=at(12), fresh=fresh())),
        added("and now?", seconds=30, ts="130.1", root="100.000001", mentioned=True),
    )
    assert (closed.status, closed.is_escalated, closed.escalation) == ("collecting", False, None)


def test_progress_is_recorded_of_the_live_run_alone() -> None:
    """Each change once; the card shows it."""
    thread = begun()
    after = do(thread, progress(thread))
    assert after.escalation
    assert (after.escalation.turns, after.escalation.latest, after.escalation.session_id) == (
        3,
        "grep",
        "20260105T090003-tier2",
    )
    assert (after.escalation_tmux_session, after.revision) == ("triage-x", thread.revision + 1)
    assert after.escalation_transcript_path == "/home/bot/escalations/x/transcript.log"
    assert not advance(after, progress(thread), LONGER).accepted
    assert not advance(thread, progress(thread, run_id="other"), LONGER).accepted
    moved_on = do(after, progress(thread, tmux_session=None))
    assert moved_on.escalation_tmux_session is None
    checked = do(after, found(after))
    assert not advance(checked, progress(thread), LONGER).accepted
    assert not advance(after.evolve(escalation=None), progress(thread), LONGER).accepted


@pytest.mark.parametrize("story", STORIES)
def test_findings_of_a_longer_run_are_checked(story: Callable[[], Thread]) -> None:
    """As those of tier 1; the refusal of a further tier is shown."""
    thread = story()
    report = replace(found(thread, "It is set in `bot/a.py:1`, since 2019."), problem="tier 3 is above the highest")
    after = do(thread, report)
    assert after.draft_pending
    assert (after.status, after.draft_pending.text) == ("awaiting-validation", "It is set in `bot/a.py:1`, since 2019.")
    assert (after.escalation_problem, after.verdict, after.stale) == ("tier 3 is above the highest", None, None)
    assert resume(after) == CheckFindings(run_id=thread.run_id or "")
    waits = do(after, validated(after))
    assert (waits.status, waits.is_escalated) == ("pending-user", True)
    assert not advance(waits, report, LONGER).accepted


def test_a_reused_answer_is_no_longer_run() -> None:
    """Nothing was started for it."""
    thread = begun()
    after = do(thread, replace(found(thread), is_started=False))
    assert (after.status, after.is_escalated) == ("awaiting-validation", False)


def test_a_sent_back_draft_of_a_longer_run_is_made_again_in_the_bot() -> None:
    """With what was wrong with it."""
    thread = begun()
    after = do(thread, found(thread))
    step = advance(after, replace(validated(after, validator_return=UNREAD), unsupported=("42",)), LONGER)
    assert step.thread
    assert (step.thread.status, type(step.effect)) == ("bounced-round-1", Investigate)


@pytest.mark.parametrize("read", [True, False])
def test_a_follow_up_is_answered(read: bool) -> None:  # a row of the table
    """By the longer run if that has read it, else by another run of tier 1."""
    thread = do(begun(), follow_up())
    assert (thread.status, thread.inbox) == ("escalated", ("103.000001",))
    after = do(thread, replace(found(thread), read_messages=("103.000001",) if read else ()))
    assert (after.status, after.inbox) == ("awaiting-validation" if read else "investigating", ())


def test_an_overheard_message_makes_the_coming_draft_stale() -> None:
    """It asks nothing, so no run takes longer for it."""
    said = Overheard(at=at(12), fresh=fresh(), message=message("hm, it moved", ts="103.000001", root="100.000001"))
    thread = do(begun(), said)
    after = do(thread, found(thread))
    assert (after.status, bool(after.stale)) == ("awaiting-validation", True)


@pytest.mark.parametrize("event", [lambda thread, **more: replace(found(thread), **more), lost])
def test_tier_3_goes_on_from_tier_2(event: Any) -> None:
    """With findings or without; its failure then comes back to the last draft."""
    thread = begun()
    after = do(thread, event(thread, next_tier=3, next_reason="the consumer's repository is missing"))
    assert after.escalation
    assert (after.status, after.escalation.tier) == ("escalated", 3)
    assert after.escalation.reason == "the consumer's repository is missing"
    assert after.run_id != thread.run_id
    ended = do(after, lost(after))
    assert ended.status == ("awaiting-validation" if after.draft_pending else "pending-user")


@pytest.mark.parametrize("story", [begun, exhausted])
def test_a_longer_run_without_a_report_waits_for_its_operator(story: Callable[[], Thread]) -> None:
    """With the reason, and the text of the run."""
    thread = story()
    after = do(thread, lost(thread, unchecked_notes="Perhaps.", runs=(ran(2, tier=2),)))
    assert (after.status, after.failure, after.run_id) == ("pending-user", "the process died", None)
    assert (after.unchecked_notes[-1].text, after.escalation_problem) == ("Perhaps.", "the process died")
    assert (after.is_escalated, after.runs[-1].tier) == (True, 2)


@pytest.mark.parametrize(
    ("event", "status"), [(lost, "failed"), (lambda thread: press(Stop, thread), "aborted: stopped")]
)
def test_an_unchecked_draft_is_checked_after_a_longer_run_without_a_report(event: Any, status: str) -> None:
    """Tier 1 had findings, which are not lost."""
    thread = wanted()
    happening = event(thread)
    step = advance(thread, happening, LONGER)
    assert step.thread
    assert (step.thread.status, step.effect) == ("awaiting-validation", CheckFindings(run_id=happening.fresh))
    assert step.thread.run_id == happening.fresh  # else the process would count as waited for
    assert step.thread.draft_pending == thread.draft_pending
    assert step.thread.dispatches[-1].status == status
    assert step.thread.escalation_problem
    waits = do(step.thread, validated(step.thread))
    assert (waits.status, waits.failure) == ("pending-user", None)


@pytest.mark.parametrize("event", [lost, lambda thread: press(Stop, thread)])
def test_a_checked_draft_comes_back_after_a_longer_run_without_a_report(event: Any) -> None:
    """As it was, on a new card with fresh buttons."""
    thread = deeper()
    before = thread.draft_pending
    after = do(thread, event(thread))
    assert before
    assert after.draft_pending
    assert (after.status, after.draft_pending.draft_id, after.stale) == ("pending-user", before.draft_id, None)
    assert after.draft_pending.nonce != before.nonce
    assert (after.verdict, after.failure, after.run_id) == (thread.verdict, None, None)
    assert do(after, press(Approve, after)).status == "approved"


def test_a_draft_that_comes_back_is_announced_again() -> None:
    """In its channel too, and one of low confidence, which is held while it is new."""
    shared = replace(LONGER, cards={"C0HELP": "ephemeral"}, hold_low=True)
    thread = investigating()
    thread = do(thread, found(thread, confidence="low"), shared)
    thread = do(thread, validated(thread), shared)
    assert thread.held_low
    thread = do(thread, press(DigDeeper, thread), shared)
    step = advance(thread, lost(thread), shared)
    assert step.thread
    assert (step.thread.held_low, step.thread.card.asks, step.effect) == (False, True, ShowCardInChannel())


def test_a_run_is_recorded_with_its_tiers_model() -> None:
    """Or with that of the bot's own runs."""
    limits = replace(LONGER, tier_models={2: "claude-fable-5"})
    thread = do(do(None, added(QUESTION), limits), Due(at=at(2), fresh=fresh()), limits)
    third = do(thread, lost(thread, next_tier=3, next_reason="more"), limits)
    back = do(third, Edited(at=at(13), fresh=fresh(), message=message(QUESTION + " please")), limits)
    assert [each.model for each in back.dispatches] == ["claude-fable-5", "keyword", "keyword"]


def test_a_stopped_bot_tells_the_asker_of_a_long_question_too() -> None:
    """The run waits for `resume`."""
    thread = do(None, added(QUESTION))
    after = do(thread, Due(at=at(2), fresh=fresh()), replace(LONGER, is_stopped=True))
    assert after.asker_line
    assert (after.status, after.asker_line.ending) == ("escalated", "stopped")


def test_a_stale_draft_comes_back_as_stale() -> None:
    """Whatever was written before or during the longer run."""
    stale = do(pending(), follow_up())
    again = do(stale, press(DigDeeper, stale))
    assert (again.stale, again.inbox) == (None, ())
    assert do(again, lost(again)).stale == stale.stale
    third = do(again, lost(again, next_tier=3, next_reason="more"))
    assert do(third, lost(third)).stale == stale.stale
    asked = do(deeper(), follow_up())
    third = do(asked, lost(asked, next_tier=3, next_reason="more"))
    assert (do(third, lost(third)).stale or "").startswith(NEW_MESSAGES)


def test_a_message_that_no_run_has_read_is_answered_in_the_bot() -> None:
    """Unless an operator has stopped the work: then the draft is stale."""
    thread = do(deeper(), follow_up())
    assert do(thread, lost(thread)).status == "investigating"
    for event in (press(Stop, thread), lost(thread, why="stopped")):
        stopped = do(thread, event)
        assert (stopped.status, stopped.inbox) == ("pending-user", ())
        assert (stopped.stale or "").startswith(NEW_MESSAGES)
    unchecked = do(wanted(), follow_up())
    stopped = do(unchecked, press(Stop, unchecked))
    assert (stopped.status, stopped.inbox, bool(stopped.stale)) == ("awaiting-validation", (), True)


@pytest.mark.parametrize(
    ("story", "status", "is_draft"),
    [
        (begun, "investigating", False),
        (wanted, "awaiting-validation", True),
        (exhausted, "pending-user", False),
        (deeper, "pending-user", True),
    ],
)
def test_a_tier_that_cannot_start_leaves_the_question_where_it_was(story: Any, status: str, is_draft: Any) -> None:
    """To tier 1, its draft, or its operator, with the reason."""
    thread = story()
    after = do(thread, lost(thread, "no money is left today", is_started=False))
    assert (after.status, after.is_escalated, after.escalation_problem) == (status, False, "no money is left today")
    assert bool(after.draft_pending) == is_draft
    if status == "investigating":
        assert do(after, wished(after)).status == "awaiting-validation"


def test_a_further_tier_that_cannot_start_leaves_the_question_escalated() -> None:
    """Tier 2 has run, with a result or without one."""
    thread = begun()
    for end in (replace(found(thread), next_tier=3, next_reason="more"), lost(thread, next_tier=3, next_reason="more")):
        third = do(thread, end)
        after = do(third, lost(third, "no money is left today", is_started=False))
        assert (after.is_escalated, after.escalation_problem) == (True, "no money is left today")


def test_a_draft_of_tier_1_is_none_of_the_longer_run_before() -> None:
    """A result is of the longer run until another run begins."""
    thread = begun()
    done = do(thread, replace(found(thread), problem="tier 3 is too high"))
    done = do(done, validated(done))
    assert done.escalation
    assert done.escalation.has_result
    again = do(done, press(Redraft, done))
    assert again.escalation
    assert (again.escalation.has_result, again.is_escalated, again.escalation_problem) == (False, True, None)


def test_stop_ends_a_longer_run_without_a_draft() -> None:
    """Its question waits for a decision."""
    thread = begun()
    after = do(thread, press(Stop, thread))
    assert (after.status, after.run_id, after.dispatches[-1].status) == ("pending-user", None, "aborted: stopped")


def test_a_stopped_run_of_tier_1_returns_to_no_draft() -> None:
    """What was sent back is no draft any more."""
    thread = pending()
    again = do(thread, press(Redraft, thread))
    stopped = do(again, press(Stop, again))
    assert (stopped.status, stopped.draft_pending) == ("pending-user", None)


def test_late_and_double_events_change_nothing() -> None:
    """Of another run, of the run before, and of one that has ended."""
    thread = wanted()
    before = investigating()
    for event in (found(before), lost(thread, run_id="other"), validated(thread), wished(before)):
        assert not advance(thread, replace(event, run_id="other"), LONGER).accepted
    assert not advance(
        thread, Validated(at=at(9), fresh=fresh(), run_id=thread.run_id or "", checks=(), validator_return=None), LONGER
    ).accepted
    first = begun()
    done = do(first, lost(first))
    assert not advance(done, lost(first), LONGER).accepted
    assert not advance(done, found(first), LONGER).accepted
    assert not advance(done, progress(first), LONGER).accepted


@pytest.mark.parametrize("limits", [LONGER, replace(LONGER, progress=timedelta(minutes=5))])
def test_a_longer_run_has_a_progress_message_at_once(limits: Any) -> None:
    """Also where other runs have none; a question with a card has it there."""
    thread = do(do(None, added(QUESTION), limits), Due(at=at(2), fresh=fresh()), limits)
    assert thread.due_at == at(2)
    told = do(thread, Due(at=at(3), fresh=fresh()), limits)
    assert (told.status, told.due_at, told.progress is not None) == ("escalated", None, True)
    second = do(told, lost(told, next_tier=3, next_reason="more"), limits)
    assert (second.due_at, second.progress) == (None, told.progress)
    held = do(thread, Due(at=at(3), fresh=fresh(), is_held=True), limits)
    assert (held.progress, held.due_at) == (None, at(3) + (limits.progress or timedelta(minutes=1)))
    searching = do(collecting(), Due(at=at(2), fresh=fresh()), limits)
    assert do(searching, wished(searching), limits).due_at == at(3)
    ready = pending()
    shown = ready.evolve(card=ready.card.evolve(ts="9.1", channel="D0OPS"))
    assert do(shown, press(DigDeeper, shown)).due_at is None
    assert deeper().due_at == at(10)  # an ephemeral card cannot be changed to show it


def test_nobody_is_told_of_a_longer_run_outside_working_hours() -> None:
    """The message comes when work begins."""
    hours = replace(LONGER, hours=WorkingHours(days=frozenset({"mon"}), opens=600, closes=1_000, zone="UTC"))
    thread = do(do(None, added(QUESTION), hours), Due(at=at(2), fresh=fresh()), hours)
    later = do(thread, Due(at=at(3), fresh=fresh()), hours)
    assert later.progress is None
    assert later.due_at
    assert later.due_at > at(60)


def test_a_thread_without_its_run_resumes_nothing() -> None:
    """A document that was changed by hand."""
    assert resume(begun().evolve(run_id=None)) is None
