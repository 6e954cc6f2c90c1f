"""Which reaction stands under a question at each step, by table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide.workflow import Transition
from bot.models.presses import Approve, Bounce, TakeOver
from bot.models.status_reaction import ReactionNames
from bot.models.thread import Thread
from bot.models.thread_event import (
    Dismiss,
    DoubtfulPost,
    Due,
    NotFound,
    Overheard,
    Posted,
    ReactionsUpdated,
    RunFailed,
    StateChanged,
)
from tests.builders import CHANNEL, LIMITS, OPERATOR, added, at, found, fresh, moved, step, validated

NAMES: Any = {"received": "eyes", "working": "hammer", "waiting": "clock1", "success": "tada", "failure": "x"}
MARKS = replace(LIMITS, marks=ReactionNames(NAMES))


def then(thread: Thread | None, *happenings: Any, limits: Any = MARKS) -> Thread:
    """The document after these, each as it is or made of the document; Slack has drawn what was wanted each time."""
    for each in happenings:
        thread = moved(thread, each(thread) if callable(each) else each, limits)
        if thread.marks:
            thread = moved(thread, drawn(thread), limits)
    assert thread is not None
    return thread


def drawn(thread: Thread) -> ReactionsUpdated:
    """Slack shows what the document wants."""
    standing = tuple(mark.place for mark in thread.marks if mark.wanted)
    gone = tuple(mark.place for mark in thread.marks if not mark.wanted)
    return ReactionsUpdated(at=at(9), fresh=fresh(), standing=standing, removed=gone)


def begun(thread: Thread) -> Due:
    """The end of the window."""
    return Due(at=at(60), fresh=fresh())


def failed(thread: Thread) -> RunFailed:
    """No findings."""
    return RunFailed(at=at(61), fresh=fresh(), run_id=thread.run_id or "", reason="the model is down")


def pressed(kind: Any, **more: Any) -> Any:
    """A press on the card as it is."""

    def press(thread: Thread) -> Any:
        draft = thread.draft_pending
        named = {"draft_id": draft.draft_id, "nonce": draft.nonce} if draft else {"draft_id": "", "nonce": ""}
        if draft is None:
            named["nonce"] = thread.card.nonce
        return kind(at=at(62), fresh=fresh(), by=OPERATOR, **named, **more)

    return press


def posted(thread: Thread) -> Posted:
    """The reply stands."""
    return Posted(at=at(63), fresh=fresh(), ts="200.000001")


def doubtful(thread: Thread) -> DoubtfulPost:
    """Slack did not say that the reply stands."""
    return DoubtfulPost(at=at(63), fresh=fresh(), settle_at=at(68))


def unread(thread: Thread) -> NotFound:
    """Nor could the thread be read."""
    return NotFound(at=at(69), fresh=fresh(), is_unread=True)


def expired(thread: Thread) -> Due:
    """Nobody decided."""
    return Due(at=at(10_000_000), fresh=fresh())


DRAFTED = (added(), begun, found, validated)


@pytest.mark.parametrize(
    ("story", "stands"),
    [
        pytest.param(DRAFTED[:1], ["eyes"], id="received"),
        pytest.param(DRAFTED[:2], ["hammer"], id="investigated"),
        pytest.param(DRAFTED[:3], ["hammer"], id="checked"),
        pytest.param(DRAFTED, ["clock1"], id="a person decides"),
        pytest.param((*DRAFTED, pressed(Approve)), ["clock1"], id="approved"),
        pytest.param((*DRAFTED, pressed(Approve), posted), ["tada"], id="replied"),
        pytest.param((*DRAFTED, pressed(Approve), doubtful, unread), ["clock1"], id="perhaps replied"),
        pytest.param((added(), begun, failed), ["x"], id="the run failed"),
        pytest.param((added(), begun, failed, pressed(Dismiss)), ["x"], id="failed and dismissed"),
        pytest.param((*DRAFTED, pressed(Bounce, feedback="on arm")), ["hammer"], id="sent back"),
        pytest.param((*DRAFTED, pressed(Dismiss)), [], id="a person wants no reply"),
        pytest.param((*DRAFTED, pressed(TakeOver)), [], id="a person answers"),
        pytest.param((*DRAFTED, expired), ["x"], id="nobody decided in time"),
        pytest.param((added(mode="preview"), begun), [], id="practice is not to be seen"),
    ],
)
def test_what_stands(story: tuple[Any, ...], stands: list[str]) -> None:
    """Exactly the last state, and nothing else is left to do."""
    thread = then(None, *story)
    assert [mark.name for mark in thread.marks] == stands
    assert all(mark.is_done for mark in thread.marks)


def test_without_the_setting_reactions_stay_as_they_are() -> None:
    """Those of before are not taken away by further events."""
    marked = then(None, added())
    assert moved(marked, begun(marked)).marks == marked.marks


def test_an_event_that_changes_nothing_adds_no_reaction() -> None:
    """The setting may be newer than the question."""
    thread = moved(None, added())
    assert step(thread, posted(thread), MARKS) == Transition(thread, accepted=False)


def test_a_channel_may_go_without() -> None:
    """`reactions: false` there."""
    quiet = replace(LIMITS, marks=ReactionNames(NAMES, frozenset({CHANNEL})))
    assert then(None, added(), begun, limits=quiet).marks == ()


def test_what_may_stand_is_known_before_slack_is_asked() -> None:
    """A process that dies between the call and its answer leaves nothing that the next one does not know of."""
    thread = then(None, added())
    thread = moved(thread, begun(thread), MARKS)
    assert {mark.name: (mark.wanted, mark.stands) for mark in thread.marks} == {
        "eyes": (False, False),
        "hammer": (True, False),
    }


def test_nothing_is_recorded_of_reactions_that_nobody_wanted() -> None:
    """Such as one of a channel that goes without since."""
    thread = moved(None, added())
    late = ReactionsUpdated(at=at(70), fresh=fresh(), standing=((thread.anchor or "", "hammer"),))
    assert not step(thread, late).accepted


def test_a_mark_that_is_wanted_again_while_it_goes_is_put_there_again() -> None:
    """Gone, says Slack, of what another change wants by now."""
    thread = then(None, added(), begun)
    late = ReactionsUpdated(at=at(70), fresh=fresh(), removed=((thread.anchor or "", "hammer"),))
    (mark,) = moved(thread, late, MARKS).marks
    assert (mark.wanted, mark.stands) == (True, False)


def test_the_next_question_of_a_thread_carries_its_own() -> None:
    """Under the one before its end stays."""
    thread = then(
        None, *DRAFTED, pressed(Approve), posted, added("and on staging?", ts="300.000001", root="100.000001")
    )
    assert [mark.place for mark in thread.marks] == [("300.000001", "eyes")]


def test_a_reaction_of_the_last_question_is_kept_until_it_is_confirmed() -> None:
    """A restart adds it."""
    thread = then(None, *DRAFTED, pressed(Approve))
    thread = moved(thread, posted(thread), MARKS)
    thread = moved(thread, added("and on staging?", ts="300.000001", root="100.000001"), MARKS)
    assert ("100.000001", "tada") in [mark.place for mark in thread.marks if mark.wanted and not mark.stands]


def test_what_is_overheard_changes_none() -> None:
    """The draft is behind, the state is not."""
    thread = then(None, *DRAFTED)
    news = Overheard(at=at(64), fresh=fresh(), message=added("ok", ts="150.000001", root="100.000001").message)
    assert moved(thread, news, MARKS).marks == thread.marks


STOPPED = replace(MARKS, is_stopped=True)


def test_a_run_that_waits_during_a_stop_shows_no_work() -> None:
    """Begun during it or broken off by it; it shows work once Triage goes on."""

    def changed(_: Thread) -> StateChanged:
        return StateChanged(at=at(62), fresh=fresh())

    held = then(None, added(), begun, limits=STOPPED)
    assert [mark.name for mark in held.marks] == ["eyes"]
    assert [mark.name for mark in then(held, changed).marks] == ["hammer"]
    runs = then(None, added(), begun)
    broken_off = then(runs, changed, limits=STOPPED)
    assert [mark.name for mark in broken_off.marks] == ["eyes"]
    assert then(None, added()).status == "collecting"
