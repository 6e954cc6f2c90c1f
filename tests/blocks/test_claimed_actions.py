"""Claims of a draft about services: it says that something was done, and nothing was."""

from __future__ import annotations

import json

import pytest

from blocks.card import build_card
from bot.models.faults import find_faults
from bot.models.thread import Thread
from tests.builders import moved
from tests.decide import test_workflow as questions
from tests.decide.unhealthy import ended, pending, running

LINK = "https://acme.slack.com/archives/C0HELP/p100000001"


def saying(text: str, thread: Thread | None = None) -> Thread:
    """The card of an incident, or another one, with this draft."""
    thread = thread or pending()
    assert thread.draft_pending
    return thread.evolve(draft_pending=thread.draft_pending.evolve(text=text))


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("I have restarted m11 already.", "I have restarted"),
        ("It hung, so I just rolled back the deploy.", "I just rolled back"),
        ("I\u2019ve fixed it.", "I\u2019ve fixed"),
        ("We have already reset the pool.", "We have already reset"),
        ("Somebody has to restart m11.", None),
        ("It was restarted at 10:00, as the log says.", None),
        ("We fixed this in March; I ran into it, too.", None),
        ("I would have restarted it.", None),
        ("API restarted the worker.", None),
    ],
)
def test_a_claimed_action_is_named_first(text: str, claim: str | None) -> None:
    """Agents only read; what somebody else did, or should do, is no claim."""
    thread = saying(text)
    sentence = f"It says `{claim}`, but nothing was run."
    assert (sentence in find_faults(thread)) is bool(claim)
    assert ("but nothing was run" in json.dumps(build_card(thread, link=LINK))) is bool(claim)


def test_a_claim_is_not_judged_after_a_run_or_in_a_question() -> None:
    """A runbook was run there, or a person may have done it."""
    text = "I have restarted it."
    done = "but nothing was run"
    assert done not in "".join(find_faults(saying(text, moved(running(), ended("down")))))
    assert done in "".join(find_faults(saying(text, moved(running(), ended("down", outcome="not-started")))))
    assert done not in "".join(find_faults(saying(text, questions.pending())))
