"""Judgements read from documents, as the workflow leaves them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.auto_reply.judgements import read_judgement
from bot.models.judged_draft import JudgedDraft, Pool
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Bounce, Dismiss, Due, Posted, Redraft, Restarted, TakeOver
from bot.reports.judged_drafts import read_judged_drafts
from tests.builders import OPERATOR, added, at, check, edited, found, fresh, moved, ran, validated, validator
from tests.decide.unhealthy import incident


def drafted(
    said: str | None = "pass", text: str = "It is set in `bot/a.py:1`.", thread: Thread | None = None
) -> Thread:
    """A thread with a draft that the validator has judged so; a first one, unless a thread is given."""
    thread = thread or moved(moved(None, added()), Due(at=at(2), fresh=fresh()))
    thread = moved(thread, found(thread, text))
    return moved(thread, validated(thread, check(), validator_return=validator(verdict=said) if said else None))


def press(thread: Thread, kind: Any, seconds: float = 10, **fields: Any) -> Thread:
    """The thread after a press on its card."""
    assert thread.draft_pending
    named = {"draft_id": thread.draft_pending.draft_id, "nonce": thread.draft_pending.nonce}
    return moved(thread, kind(at=at(seconds), fresh=fresh(), by=OPERATOR, **named, **fields))


def judged(thread: Thread, **changes: Any) -> JudgedDraft:
    """The judgement that is expected."""
    values: dict[str, Any] = {
        "question_id": f"{thread.thread_id}/1",
        "draft_id": f"{thread.thread_id}/1",
        "pool": Pool(project="triage", kind="technical_qa", validator="scripted"),
        "at": at(10),
        "verdict": "pass",
        "judgement": "approved",
    }
    return JudgedDraft(**(values | changes))


def test_an_approval_is_one() -> None:
    """Of the draft as it was."""
    thread = press(drafted(), Approve)
    assert read_judgement(thread) == judged(thread)


def test_a_question_that_is_started_again_is_the_same_case() -> None:
    """However often, by its operator; the next question of its thread is another one."""
    thread = drafted()
    for number in (1, 2, 3):
        thread = press(thread, Dismiss, code="wrong")
        case = read_judgement(thread)
        assert case
        assert (case.question_id, case.judgement) == (f"{thread.thread_id}/1", "dismissed")
        again = Restarted(at=at(20 * number), fresh=fresh(), by=OPERATOR, mode="live", operator=OPERATOR)
        thread = drafted(thread=moved(moved(thread, again), Due(at=at(20 * number), fresh=fresh())))
    thread = press(thread, Approve)
    case = read_judgement(thread)
    assert case
    assert (thread.question_round, case.question_id) == (4, f"{thread.thread_id}/1")
    closed = moved(thread, Posted(at=at(90), fresh=fresh(), ts="190.000001"))
    later = moved(closed, added("and where is the limit of waits set?", ts="200.000001", root="100.000001"))
    case = read_judgement(press(drafted(thread=moved(later, Due(at=at(300), fresh=fresh()))), Approve, seconds=310))
    assert case
    assert case.question_id == f"{thread.thread_id}/5"


@pytest.mark.parametrize(
    ("text", "judgement"),
    [("Hi, it is set in `bot/a.py:1`.", "approved"), ("It is set in `bot/b.py:1`.", "edited")],
)
def test_an_edit_counts_by_its_substance(text: str, judgement: str) -> None:
    """A wording leaves the draft right, a correction does not."""
    thread = edited(drafted(), text, check())
    assert thread.draft_pending
    approved = thread.evolve(decision=press(drafted(), Approve).decision)
    assert read_judgement(approved) == judged(thread, judgement=judgement, draft_id=thread.draft_pending.draft_id)


@pytest.mark.parametrize("then", [False, True])
def test_a_bounce_is_one_also_after_the_next_draft(then: bool) -> None:
    """With its code, until the next question begins."""
    thread = press(drafted(), Bounce, code="outdated", feedback="see b.py")
    if then:
        thread = press(drafted(thread=thread), Dismiss, seconds=20)
    assert read_judgement(thread) == judged(thread, judgement="bounced", reason="outdated", draft_id="")


def test_words_alone_are_a_reason() -> None:
    """Such a bounce has no code."""
    thread = press(drafted(), Bounce, feedback="Wrong place, I think")
    assert read_judgement(thread) == judged(thread, judgement="bounced", draft_id="")


def test_a_dismissal_has_its_reason() -> None:
    """It is judged, and neither right nor wrong."""
    thread = press(drafted(), Dismiss, code="duplicate")
    assert read_judgement(thread) == judged(thread, judgement="dismissed", reason="duplicate")


@pytest.mark.parametrize(
    ("thread", "case"),
    [
        pytest.param(drafted(), "nobody has decided", id="pending"),
        pytest.param(press(drafted(None), Approve), "no validator", id="unvalidated"),
        pytest.param(press(drafted(thread=drafted("bounce")), Approve), "the second round", id="second round"),
        pytest.param(press(drafted(), TakeOver), "taken over", id="taken over"),
        pytest.param(press(drafted(), Redraft), "another draft was asked for", id="redraft"),
        pytest.param(press(drafted(thread=press(drafted(), Redraft)), Approve), "a later draft", id="later draft"),
        pytest.param(moved(None, added()), "no draft", id="no draft"),
        pytest.param(press(drafted(), Approve).evolve(project=None), "no project", id="no project"),
        pytest.param(press(drafted(), Approve).evolve(validator_return=None), "nothing names the model", id="no model"),
    ],
)
def test_other_ends_judge_no_first_draft(thread: Thread, case: str) -> None:
    """The cases are named."""
    assert read_judgement(thread) is None, case


def test_drafts_that_touch_production_are_told_apart() -> None:
    """By their advice, or by their question."""
    advice = press(drafted(text="You should restart the service `api`, see `bot/a.py:1`."), Bounce, code="wrong")
    outage = press(drafted(), Approve).evolve(incident=incident())
    assert [bool(j and j.touches_production) for j in map(read_judgement, (advice, outage))] == [True, True]


def test_the_model_is_that_of_the_run_where_the_verdict_is_gone() -> None:
    """As between a bounce and the next verdict."""
    thread = press(drafted(), Bounce, code="wrong").evolve(validator_return=None, runs=(ran(agent="validator"),))
    found_pool = read_judgement(thread)
    assert found_pool
    assert found_pool.pool.validator == "claude-opus-5-5"


def test_a_readers_reason_is_another_judgement() -> None:
    """A thumb alone is none, and neither is one on another reply."""
    thread = press(drafted(), Approve)
    down = {"draft_id": f"{thread.thread_id}/1", "vote": "down", "at": at(99).isoformat()}
    records: list[dict[str, Any]] = [
        {**down, "reason": None, "text": ""},
        {**down, "reason": "outdated", "text": ""},
        {**down, "reason": None, "text": "no"},
        {**down, "vote": "up", "text": "good"},
        {**down, "draft_id": "T-C-1/9", "reason": "outdated"},
        {**down, "reason": "outdated", "at": "never"},
    ]
    drafts = read_judged_drafts([thread, moved(None, added())], records)
    assert [(each.judgement, each.reason, each.has_words) for each in drafts] == [
        ("approved", None, False),
        ("unhelpful", "outdated", False),
        ("unhelpful", None, True),
    ]
    assert drafts[1].at == at(99)
