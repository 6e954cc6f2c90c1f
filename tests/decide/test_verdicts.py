"""Verdict on a checked draft, by table: its own references and advice count, and what came too late does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.models.advice import Advice
from bot.models.thread import Thread
from bot.models.thread_event import EvidenceFailed, Redraft
from tests.builders import added, check, found, moved, reference, step, validated
from tests.decide.test_workflow import awaiting, pending, press

OTHER = reference(ref="b.py:2")
ADVICE = Advice(kind="delete", words="drop the table")


def checked(fields: dict[str, Any], draft: dict[str, Any]) -> Thread:
    """A draft whose references are being checked."""
    thread = awaiting()
    assert thread.draft_pending
    return thread.evolve(draft_pending=thread.draft_pending.evolve(**draft), **fields)


@pytest.mark.parametrize(
    ("thread", "checks", "verdict", "reason"),
    [
        (checked({}, {}), (check(),), "pass", ""),
        (checked({}, {"advises": (ADVICE,)}), (check(),), "escalate", "drop the table"),
        (checked({"cited": (OTHER,)}, {}), (check(ref="b.py:2"),), "pass", ""),
        (
            checked({"cited": (OTHER,)}, {}),
            (check(),),
            "escalate",
            "they prove nothing",
        ),
        (checked({"cited": ()}, {"edited_by": "U0BEN"}), (), "escalate", "The edited text cites nothing."),
        (checked({"cited": ()}, {}), (), "escalate", "No reference of this draft can be checked by code."),
    ],
)
def test_the_draft_is_judged_by_what_it_cites_and_advises(
    thread: Thread, checks: Any, verdict: str, reason: str
) -> None:
    """An answer that serves again has references of its own, and may have been edited."""
    after = moved(thread, replace(validated(thread), checks=checks))
    assert after.verdict
    assert after.verdict.verdict == verdict
    assert reason in " ".join(after.verdict.reasons)


def _running_again() -> Thread:
    thread = pending()
    return moved(thread, press(Redraft, thread))


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(_running_again, id="another run is alive, with findings of before"),
        pytest.param(lambda: awaiting().evolve(investigator_return=None), id="no findings"),
        pytest.param(lambda: awaiting().evolve(draft_pending=None), id="no draft"),
    ],
)
def test_a_check_without_its_draft_decides_nothing(story: Callable[[], Thread]) -> None:
    """The run goes on, or begins anew after a restart."""
    thread = story()
    assert not step(thread, validated(thread)).accepted


def test_a_check_that_a_message_overtook_is_kept_with_the_next_run() -> None:
    """The draft is made again, and the verdict counts in the statistics."""
    thread = moved(awaiting(), added("on staging", ts="100.000002", root="100.000001"))
    after = moved(thread, validated(thread, check("failed")))
    assert (after.status, after.evidence_checks, len(after.judged)) == ("investigating", (check("failed"),), 1)
    assert (after.rounds, after.validator_bounces) == ((), 0)


def test_all_reasons_are_the_attack_of_a_round() -> None:
    """In their order."""
    thread = awaiting()
    both = (check("failed"), check("failed", "b.py:2"))
    event = EvidenceFailed(at=validated(thread).at, fresh="r2", run_id=str(thread.run_id), checks=both)
    (first,) = moved(thread, event).rounds
    assert first.attack == (
        "The reference bot/a.py:1 is not valid: so it is. The reference b.py:2 is not valid: so it is."
    )


def test_findings_during_a_check_change_nothing() -> None:
    """The draft that is being checked stays."""
    thread = awaiting()
    assert not step(thread, found(thread)).accepted
