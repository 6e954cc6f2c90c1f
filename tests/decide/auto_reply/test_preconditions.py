"""Preconditions of an automatic reply by table: each one alone keeps a reply for a press."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.decide.auto_reply.maturity import judge_maturity
from bot.decide.auto_reply.preconditions import find_pool, find_unmet
from bot.decide.working_hours import DAYS, WorkingHours
from bot.models.advice import Advice
from bot.models.answer_change import AnswerChange
from bot.models.card import AskedOwner
from bot.models.draft import Draft
from bot.models.external import External
from bot.models.judged_draft import JudgedDraft, Pool
from bot.models.thread import Thread
from bot.models.thread_event import Due
from tests.builders import OPERATOR, T0, added, at, check, found, fresh, moved, reference, validated, validator
from tests.decide.unhealthy import incident

HOURS = WorkingHours(days=frozenset(DAYS[:5]), opens=9 * 60, closes=18 * 60, zone="UTC")
NOW = at(60)
POOL = Pool(project="triage", kind="technical_qa", validator="scripted")
APPROVED = [
    JudgedDraft(
        question_id=f"T-C-1/{n}", pool=POOL, at=T0 - timedelta(days=1 + n % 27), verdict="pass", judgement="approved"
    )
    for n in range(160)
]


def passed(
    text: str = "where is the limit of retries set?", said: dict[str, Any] | None = None, **found_as: Any
) -> Thread:
    """A thread whose first draft the validator has passed, in which nothing stands against an automatic reply."""
    thread = moved(moved(None, added(text)), Due(at=at(2), fresh=fresh()))
    thread = moved(thread, found(thread, **({"confidence": "high"} | found_as)))
    return moved(thread, validated(thread, check(), validator_return=validator(**(said or {}))))


def drafted(thread: Thread, **changes: Any) -> Draft:
    """Its draft, changed."""
    assert thread.draft_pending
    return thread.draft_pending.evolve(**changes)


def unmet(thread: Thread, **changes: Any) -> tuple[str, ...]:
    """The conditions that do not hold, with an open gate and at work unless another is said."""
    values: dict[str, Any] = {"is_mention": True, "now": NOW, "hours": HOURS}
    maturity = changes.pop("maturity", judge_maturity(APPROVED, POOL, now=T0))
    return find_unmet(thread, maturity, **(values | changes))


def test_a_reply_may_go_out_without_a_press() -> None:
    """Where all conditions hold and the gate of its pool is open."""
    thread = passed()
    assert unmet(thread) == ()
    assert find_pool(thread) == POOL
    assert unmet(thread.evolve(left_out=("99.000001",))) == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"is_mention": False}, "does not mention the bot", id="mention"),
        pytest.param({"now": at(-60)}, "outside of working hours", id="before work"),
        pytest.param({"hours": None}, "No working hours are set", id="no hours"),
        pytest.param({"maturity": judge_maturity(APPROVED[:140], POOL, now=T0)}, "9 more are needed", id="gate"),
    ],
)
def test_what_the_thread_does_not_say_is_a_condition_too(changes: dict[str, Any], words: str) -> None:
    """Each alone is the one that is named."""
    (sentence,) = unmet(passed(), **changes)
    assert words in sentence


def _after(**changes: Any) -> Thread:
    return passed().evolve(**changes)


def _draft(**changes: Any) -> Thread:
    thread = passed()
    return thread.evolve(draft_pending=drafted(thread, **changes))


@pytest.mark.parametrize(
    ("thread", "words"),
    [
        pytest.param(moved(None, added()), "No draft waits", id="no draft"),
        pytest.param(_after(status="approved"), "No draft waits", id="decided"),
        pytest.param(passed(confidence="medium"), "confidence is medium", id="confidence"),
        pytest.param(_after(found_nothing=True), "Nothing was found", id="nothing found"),
        pytest.param(_after(validator_return=None), "has not passed it in the first round", id="no validator"),
        pytest.param(_after(judged=passed().judged * 2), "in the first round", id="judged twice"),
        pytest.param(_after(operator_bounces=1), "in the first round", id="bounced"),
        pytest.param(passed(said={"risk_gate_check": "needs_high_confidence"}), "risk does not pass", id="risk"),
        pytest.param(passed(said={"reasons": ("Line 3.",)}), "The gate has not passed it", id="gate"),
        pytest.param(_after(verdict=None), "The gate has not passed it", id="no verdict"),
        pytest.param(
            _after(evidence_checks=(check("not_checkable"),)), "Code has not opened bot/a.py:1", id="evidence"
        ),
        pytest.param(
            _after(cited=(reference(), reference(ref="b.py:2"))),
            "Code has not opened b.py:2",
            id="one of two references",
        ),
        pytest.param(_after(cited=()), "not opened any reference", id="no reference"),
        pytest.param(_after(recorded=(check(),)), "not opened bot/a.py:1", id="from the run's record"),
        pytest.param(_after(unopened=("bot/a.py:1",)), "not opened bot/a.py:1", id="not opened by its run"),
        pytest.param(_after(code_of=T0), "could not be fetched", id="old code"),
        pytest.param(_draft(withheld="an API key"), "Something was redacted", id="a secret"),
        pytest.param(_draft(text="It is [redacted]."), "Something was redacted", id="redacted"),
        pytest.param(passed("where is the limit of [redacted] set?"), "Something was redacted", id="redacted question"),
        pytest.param(_draft(edited_by=OPERATOR), "The draft was edited", id="edited"),
        pytest.param(_after(served_edited_by=OPERATOR), "The draft was edited", id="edited before"),
        pytest.param(_after(stale="Ana has written"), "changed since the draft", id="stale"),
        pytest.param(_after(inbox=("101.000001",)), "changed since the draft", id="unread message"),
        pytest.param(_draft(advises=(Advice(kind="restart", words="restart it"),)), "advises to restart", id="advice"),
        pytest.param(_after(unsupported=("42",)), "not supported by any cited line", id="a value in no cited line"),
        pytest.param(
            _after(answer_changes=(AnswerChange(kind="cut", field="draft_reply", text="The draft was cut"),)),
            "The draft was cut",
            id="cut",
        ),
        pytest.param(_after(mode="preview"), "Nothing is posted", id="practice"),
        pytest.param(
            moved(passed(), added("is it not in b.py?", ts="100.900001", root="100.000001", sender="U0BOB", seconds=9)),
            "changed since",
            id="somebody asks on",
        ),
        pytest.param(_after(left_out=("100.900001",)), "Somebody has written", id="somebody writes"),
        pytest.param(
            _after(external=External(asker=False, channel=True, policy="allow")), "another company", id="shared"
        ),
        pytest.param(
            _after(asked_owner=AskedOwner(at=T0, by=OPERATOR, owner="U0BOB", draft_id="x")),
            "deciding",
            id="asked owner",
        ),
        pytest.param(_after(incident=incident()), "about an incident", id="incident"),
        pytest.param(
            _after(messages=tuple(each.evolve(unread=("a.pdf",)) for each in passed().messages)),
            "a.pdf",
            id="unread file",
        ),
        pytest.param(passed("is the limit of retries broken?"), "is a status check", id="status"),
        pytest.param(passed("where is the retry limit in production?"), 'it says "production"', id="production"),
        pytest.param(passed("how does retry work for my account?"), "single account", id="account"),
        pytest.param(passed("the limit of retries and all that"), "kind of the question is unknown", id="no kind"),
        pytest.param(passed("wo steht das `limit` für die Tarife?"), "do not read its language", id="German"),
        pytest.param(passed(f"where is the limit set? {'word ' * 500}"), "longer than 2,000", id="long"),
    ],
)
def test_each_condition_alone_keeps_a_draft_for_a_press(thread: Thread, words: str) -> None:
    """And is named."""
    assert words in "\n".join(unmet(thread))


def test_a_bot_gets_no_automatic_reply() -> None:
    """Its questions come without a person who may ask for one."""
    thread = passed()
    thread = thread.evolve(messages=tuple(each.evolve(by_bot=True) for each in thread.messages))
    assert "No person asked the question." in unmet(thread)


def test_a_draft_without_a_validator_is_in_no_pool() -> None:
    """Nor is one without a project."""
    assert find_pool(passed().evolve(project=None)) is None
    assert find_pool(passed().evolve(validator_return=None)) is None
    assert find_pool(passed("which endpoint sets the limit of retries?")) == POOL.evolve(kind="api_contract")
