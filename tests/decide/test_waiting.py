"""What time does to a waiting card, by table: nudges, reminders, hand-overs and the expiry."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.decide.workflow import Transition, WorkflowLimits
from bot.decide.workflow.waiting import latest_due
from bot.decide.working_hours import DAYS, WorkingHours
from bot.models.decision import FirstApproval
from bot.models.effect import Remind, ShowCardInChannel
from bot.models.thread import Thread
from bot.models.thread_event import CardRendered, CardWanted, Delegate, Due, EditSubmitted, NudgeLost, Redraft
from tests.builders import LIMITS, added, at, draft_for, found, fresh, moved, references_opened, step, validated
from tests.decide import test_workflow as story

HOUR = 3_600
REMINDING = replace(LIMITS, remind=timedelta(hours=1))
PASSING = replace(REMINDING, hand_over=timedelta(hours=3))
AT_WORK = WorkingHours(days=frozenset(DAYS[:5]), opens=8 * 60, closes=18 * 60, zone="UTC")
CALM = replace(PASSING, hours=AT_WORK)
ORDER = ("U0OPS", "U0EVE", "U0MAX")
"""The story of every test begins on a Monday at 09:00."""


def waits(limits: WorkflowLimits, seconds: float = 4) -> Thread:
    """A card with a draft, from that second on."""
    thread = story.awaiting()
    return moved(thread, validated(thread, seconds=seconds), limits)


def due(thread: Thread, seconds: float, limits: WorkflowLimits, operators: tuple[str, ...] = ORDER) -> Transition:
    """What the sweeper leads to at this second."""
    return step(thread, Due(at=at(seconds), fresh=fresh(), operators=operators), limits)


def after(made: Transition) -> Thread:
    """The document after a step that was accepted."""
    assert made.accepted
    assert made.thread is not None
    return made.thread


@pytest.mark.parametrize(
    ("limits", "hours"),
    [(LIMITS, 72), (REMINDING, 1), (replace(LIMITS, hand_over=timedelta(hours=3)), 3)],
)
def test_a_card_is_due_when_the_first_thing_is_to_happen(limits: WorkflowLimits, hours: float) -> None:
    """And at no time before it."""
    thread = waits(limits)
    assert thread.due_at == at(4 + hours * HOUR)
    assert thread.due_at == latest_due(at(4), limits)
    assert not due(thread, 3 + hours * HOUR, limits).accepted


def test_nothing_is_due_in_a_thread_that_waits_for_nothing() -> None:
    """Whatever the time."""
    thread = moved(None, added())
    assert step(thread, Due(at=at(HOUR), fresh=fresh())).accepted
    assert not step(thread.evolve(due_at=None), Due(at=at(HOUR), fresh=fresh())).accepted


def test_a_reminder_changes_nothing_of_the_card() -> None:
    """It is not drawn anew, its buttons stay good, and its expiry stays where it was."""
    thread = waits(REMINDING)
    made = due(thread, 4 + HOUR, REMINDING)
    assert isinstance(made.effect, Remind)
    reminded = after(made)
    assert (reminded.revision, reminded.draft_pending, reminded.expires_at) == (
        thread.revision,
        thread.draft_pending,
        at(4 + 72 * HOUR),
    )
    assert reminded.due_at == at(4 + 2 * HOUR)


@pytest.mark.parametrize("away", [1.5, 5, 70])
def test_after_a_long_pause_there_is_one_reminder(away: float) -> None:
    """What was missed while nobody looked is not made up for one by one."""
    thread = waits(REMINDING)
    reminded = after(due(thread, 4 + away * HOUR, REMINDING))
    assert reminded.due_at == min(at(4 + (away + 1) * HOUR), at(4 + 72 * HOUR))
    assert not due(reminded, 5 + away * HOUR, REMINDING).accepted


def test_after_a_longer_pause_the_card_expires_without_a_reminder() -> None:
    """Nobody is reminded of what is over."""
    made = due(waits(PASSING), 4 + 100 * HOUR, PASSING)
    assert (after(made).outcome, made.effect) == ("expired", None)


def test_the_last_time_of_a_card_is_its_expiry() -> None:
    """However often it was reminded of or passed on."""
    thread, reminders, ends = waits(PASSING), 0, at(4 + 72 * HOUR)
    while thread.is_open:
        made = due(thread, ((thread.due_at or ends) - at()).total_seconds(), PASSING)
        thread, reminders = after(made), reminders + isinstance(made.effect, Remind)
    assert (thread.closed_at, thread.outcome, thread.operator) == (ends, "expired", "U0MAX")
    assert [(one.before, one.to, one.by) for one in thread.hand_overs] == [
        ("U0OPS", "U0EVE", None),
        ("U0EVE", "U0MAX", None),
    ]
    assert 60 < reminders < 72


@pytest.mark.parametrize(
    ("operators", "to"),
    [(ORDER, "U0EVE"), (("U0EVE", "U0OPS"), "U0EVE"), (("U0OPS",), None), ((), None), (("U0NEW",), "U0NEW")],
)
def test_a_card_passes_to_the_next_in_order(operators: tuple[str, ...], to: str | None) -> None:
    """Round the list; with nobody else it stays where it is, and is reminded of."""
    made = due(waits(PASSING), 4 + 3 * HOUR, PASSING, operators)
    thread = after(made)
    assert thread.operator == (to or "U0OPS")
    assert thread.hand_over_at == (at(4 + 6 * HOUR) if to else None)
    assert thread.expires_at == at(4 + 72 * HOUR)


def test_a_changed_card_passes_round_anew() -> None:
    """Who let an earlier state of it wait may get it again."""
    thread = after(due(waits(PASSING), 4 + 3 * HOUR, PASSING, ORDER[:2]))
    assert after(due(thread, 4 + 6 * HOUR, PASSING, ORDER[:2])).operator == "U0EVE"
    asked = moved(thread, added("still there?", ts="101.1", root="100.000001", seconds=4 * HOUR), PASSING)
    assert asked.expires_at == at(76 * HOUR)
    assert after(due(asked, 7 * HOUR, PASSING, ORDER[:2])).operator == "U0OPS"


def test_at_night_nobody_is_reminded_and_nothing_passes_on() -> None:
    """The time stops at the end of work, and goes on when it begins."""
    thread = waits(CALM, seconds=8.5 * HOUR)  # 17:30
    assert thread.due_at == at(23.5 * HOUR)  # 08:30 of the next day
    assert isinstance(due(thread, 23.5 * HOUR, CALM).effect, Remind)


@pytest.mark.parametrize("field", ["remind_at", "hand_over_at"])
def test_what_was_missed_at_night_waits_for_the_morning(field: str) -> None:
    """A bot that comes back at 02:00 wakes nobody."""
    thread = waits(CALM)
    thread = thread.evolve(remind_at=None, hand_over_at=None) if field == "hand_over_at" else thread
    late = thread.evolve(**{field: at(4 + HOUR), "due_at": at(4 + HOUR)})
    made = due(late, 17 * HOUR, CALM)
    assert made.effect is None
    assert getattr(after(made), field) == after(made).due_at == at(23 * HOUR)


def test_the_expiry_counts_plain_hours() -> None:
    """A card of Friday evening is gone on Monday evening."""
    thread = waits(replace(CALM, hours=replace(AT_WORK, days=frozenset({"mon"}), closes=9 * 60 + 1)))
    assert thread.expires_at == at(4 + 72 * HOUR)
    assert thread.due_at == at(4 + 72 * HOUR)  # no hour of work comes before


@pytest.mark.parametrize("limits", [REMINDING, PASSING, CALM])
def test_a_clock_that_is_set_back_makes_no_card_wait_longer(limits: WorkflowLimits) -> None:
    """Its times are set right by the first look after that, without a reminder, and then stay."""
    thread = waits(limits, seconds=2 * HOUR)
    made = due(thread, 0, limits)
    right = after(made)
    assert made.effect is None
    assert right.due_at == latest_due(at(), limits)
    assert right.expires_at == at(72 * HOUR)
    assert not due(right, 1, limits).accepted


def test_what_was_switched_off_since_does_not_happen() -> None:
    """The times of an older document are of older settings."""
    thread = waits(PASSING)
    made = due(thread, 4 + 2 * HOUR, LIMITS)
    assert (made.effect, after(made).remind_at) == (None, None)
    assert after(due(after(made), 4 + 3 * HOUR, LIMITS)).operator == "U0OPS"


def test_a_document_of_before_expires_at_its_time() -> None:
    """It knows `due_at` only."""
    thread = waits(LIMITS).evolve(expires_at=None)
    assert not due(thread, 4 + 71 * HOUR, REMINDING).accepted
    assert after(due(thread, 4 + 72 * HOUR, REMINDING)).outcome == "expired"


def nudging(cards: Any) -> WorkflowLimits:
    """Where the channel's cards go."""
    return replace(REMINDING, cards={"C0HELP": cards})


@pytest.mark.parametrize(("cards", "nudges"), [("dm", 0), ("channel", 0), ("both", 1), ("ephemeral", 1)])
def test_a_draft_is_nudged_of_once(cards: Any, nudges: int) -> None:
    """News about it does not nudge again, nor does the operator's own edit; a new draft does."""
    limits = nudging(cards)
    thread = story.awaiting()
    made = step(thread, validated(thread), limits)
    assert isinstance(made.effect, ShowCardInChannel) == bool(nudges)
    news = step(made.thread or thread, added("so?", ts="101.1", root="100.000001"), limits)
    assert news.effect is None
    thread = after(news)
    edited = draft_for(thread, "Shorter.").evolve(edited_by="U0OPS")
    thread = after(step(thread, story.press(EditSubmitted, thread, draft=edited), limits))
    assert step(thread, references_opened(thread), limits).effect is None
    again = moved(thread, story.press(Redraft, thread), limits)
    again = moved(again, found(again), limits)
    assert isinstance(step(again, validated(again), limits).effect, ShowCardInChannel) == bool(nudges)


def test_a_nudge_that_nobody_acted_on_gives_way_to_the_card() -> None:
    """At the first reminder the card itself is shown; from the second on it is reminded of."""
    limits = nudging("ephemeral")
    thread = waits(limits)
    made = due(thread, 4 + HOUR, limits)
    shown = after(made)
    assert (made.effect, shown.card.wanted, shown.draft_pending) == (None, True, thread.draft_pending)
    assert shown.revision > thread.revision  # so that it is drawn
    assert shown.expires_at == thread.expires_at
    drawn = CardRendered(
        at=at(HOUR + 5), fresh=fresh(), nonce=shown.card.nonce, channel="D0OPS", ts="9.1", revision=shown.revision
    )
    assert isinstance(due(moved(shown, drawn, limits), 4 + 2 * HOUR, limits).effect, Remind)


def test_a_nudge_that_cannot_be_shown_gives_way_at_once() -> None:
    """That of an earlier draft, or a second word of it, changes nothing."""
    limits = nudging("ephemeral")
    thread = waits(limits)
    draft_id = thread.draft_pending.draft_id if thread.draft_pending else ""
    lost = NudgeLost(at=at(5), fresh=fresh(), draft_id=draft_id)
    shown = moved(thread, lost, limits)
    assert shown.card.wanted
    assert not step(shown, lost, limits).accepted
    assert not step(thread, replace(lost, draft_id=f"{thread.thread_id}/9"), limits).accepted


def test_who_gets_a_card_from_a_colleague_is_nudged_too() -> None:
    """With `ephemeral` they would not know of it otherwise."""
    limits = nudging("ephemeral")
    thread = waits(limits)
    made = step(thread, story.press(Delegate, thread, to="U0EVE"), limits)
    assert isinstance(made.effect, ShowCardInChannel)
    assert after(made).operator == "U0EVE"


def test_the_next_operator_is_nudged_too() -> None:
    """The one before has had it long enough."""
    limits = replace(nudging("both"), hand_over=timedelta(minutes=30))
    made = due(waits(limits), 4 + HOUR, limits)
    assert isinstance(made.effect, ShowCardInChannel)
    assert after(made).operator == "U0EVE"


@pytest.mark.parametrize(
    ("changes", "limits", "to"),
    [
        ({}, PASSING, "U0EVE"),
        ({"original_sender_id": "U0EVE"}, PASSING, "U0EVE"),
        ({"original_sender_id": "U0EVE"}, replace(PASSING, asker_may_approve=False), "U0MAX"),
        ({"first_approval": "U0EVE"}, PASSING, "U0MAX"),
    ],
)
def test_a_card_passes_to_the_next_who_may_decide_on_it(changes: dict[str, Any], limits: Any, to: str) -> None:
    """Not to the first of two approvers, and to its asker only where the settings allow that."""
    thread = waits(limits)
    assert thread.draft_pending
    if by := changes.get("first_approval"):
        first = FirstApproval(by=by, at=at(5), draft_id=thread.draft_pending.draft_id, stale=None)
        changes = {"first_approval": first}
    passed = after(due(thread.evolve(**changes), 3 * HOUR + 5, limits))
    assert passed.operator == to


@pytest.mark.parametrize(
    ("holder", "operators", "to"),
    [
        ("U0EVE", ORDER, "U0MAX"),
        ("U0MAX", ORDER, "U0OPS"),
        ("U0OPS", ("U0NEW", "U0TWO"), "U0NEW"),
    ],
)
def test_the_next_operator_is_the_one_after_in_the_list(holder: str, operators: tuple[str, ...], to: str) -> None:
    """From its end round to its start; who is in no list is followed by the first."""
    thread = waits(PASSING).evolve(operator=holder)
    assert after(due(thread, 3 * HOUR + 5, PASSING, operators)).operator == to


def test_who_delegates_a_card_may_get_it_back() -> None:
    """That changed the card: its round begins with the new operator."""
    thread = waits(PASSING)
    given = moved(thread, story.press(Delegate, thread, to="U0EVE"), PASSING)
    assert after(due(given, 3 * HOUR + 11, PASSING, ORDER[:2])).operator == "U0OPS"


def test_the_card_counts_up_with_each_show() -> None:
    """Else it would not be drawn."""
    thread = waits(LIMITS)
    assert moved(thread, CardWanted(at=at(20), fresh=fresh())).revision == thread.revision + 1


@pytest.mark.parametrize("cards", ["dm", "ephemeral"])
def test_reminders_follow_each_other_in_working_hours(cards: Any) -> None:
    """One at the end of a day's work is followed by one on the next day, whether or not it shows the card."""
    limits = replace(nudging(cards), hours=AT_WORK)
    thread = waits(limits, seconds=7.5 * HOUR)  # 16:30
    reminded = after(due(thread, 8.5 * HOUR, limits))
    assert (reminded.remind_at, reminded.due_at) == (at(23.5 * HOUR), at(23.5 * HOUR))


def test_the_last_time_of_a_card_counts_from_its_announcement() -> None:
    """Outside working hours it begins to wait when work begins."""
    limits = replace(LIMITS, hours=AT_WORK)
    evening = 12 * HOUR
    assert latest_due(at(evening), limits) == at((23 + 72) * HOUR)


def test_a_draft_is_nudged_of_once_also_in_the_morning() -> None:
    """News of the night have a new card, and that is all; its times begin when it is shown."""
    limits = replace(nudging("ephemeral"), hours=AT_WORK)
    thread = waits(limits)
    assert thread.nudged
    news = moved(thread, added("so?", ts="101.1", root="100.000001", seconds=12 * HOUR), limits)
    assert news.due_at == at(23 * HOUR)
    shown = due(news, 23.5 * HOUR, limits)
    assert shown.effect is None
    assert (after(shown).remind_at, after(shown).expires_at) == (at(24.5 * HOUR), at((23.5 + 72) * HOUR))


@pytest.mark.parametrize(
    ("cards", "is_known", "is_told"), [("both", True, True), ("both", False, False), ("dm", True, False)]
)
def test_the_next_operator_is_nudged_only_of_a_draft(cards: Any, is_known: bool, is_told: bool) -> None:
    """After a run that failed there is none, and elsewhere the card comes as a direct message."""
    limits = replace(nudging(cards), hand_over=timedelta(minutes=30))
    thread = waits(limits)
    assert thread.draft_pending
    thread = thread.evolve(nudged=thread.draft_pending.draft_id if is_known else None)
    made = due(thread, 4 + HOUR, limits)
    assert (isinstance(made.effect, ShowCardInChannel), after(made).operator) == (is_told, "U0EVE")
