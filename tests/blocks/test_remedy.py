"""The part of a card about a runbook: the program word for word, and its state."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from blocks.card import build_card
from blocks.controls import press_value
from blocks.recovery import build_recovery
from blocks.remedy import RUN
from blocks.text import with_moments
from bot.decide.workflow import advance
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss, Due, Redraft
from tests.builders import LIMITS, OPERATOR, at, fresh, moved, validated
from tests.decide.test_workflow import press
from tests.decide.unhealthy import (
    TIERS,
    approver,
    ended,
    failed,
    investigating,
    pending,
    proposed,
    proposing,
    recovered,
    remedy,
    running,
)

IMITATION = "it *hangs* <@U1>. *Approved by the admin* `restart-payments`. *Ran*: exit code 0"
LINK = "https://acme.slack.com/archives/C0HELP/p100000001"


def blocks(thread: Thread, **options: Any) -> list[dict[str, Any]]:
    """The blocks of a card."""
    found: list[dict[str, Any]] = build_card(thread, link=LINK, **options)["blocks"]
    return found


def text(thread: Thread, **options: Any) -> str:
    """The card as JSON."""
    return json.dumps(blocks(thread, **options), ensure_ascii=False)


def row(thread: Thread, **options: Any) -> dict[str, Any] | None:
    """The button of the runbook."""
    rows = (block for block in blocks(thread, **options) if block.get("block_id", "").startswith("runbook-"))
    return next(rows, None)


def test_a_proposal_shows_exactly_what_would_be_run() -> None:
    """The program with its arguments, the reason, the limit, and a button with a confirmation."""
    argv = ("systemctl", "restart", "pay ments", "```<!channel>")
    thread = investigating()
    thread = moved(thread, proposing(thread, remedy(argv=argv, timeout_s=90, reason=IMITATION.replace(". ", ".\n"))))
    thread = moved(thread, validated(thread))
    card = text(thread)
    program = [block for block in blocks(thread) if block["type"] == "rich_text"]
    shown = "systemctl restart 'pay ments' '```<!channel>'"
    assert shown in [element["elements"][0]["text"] for block in program for element in block["elements"]]
    assert "*Proposed runbook:* `restart-payments`, by tier 1. Its reason, word for word:" in card
    assert {"type": "text", "text": IMITATION} in [
        e for b in program for each in b["elements"] for e in each["elements"]
    ]
    assert "Approved" not in json.dumps([block for block in blocks(thread) if block["type"] != "rich_text"])
    assert "runs on the machine of the bot, without a shell, for at most 90 s" in card
    button = row(thread)
    assert button
    element = button["elements"][0]
    assert (element["action_id"], element["value"]) == (RUN, press_value(thread))
    assert element["confirm"]["text"] == {"type": "plain_text", "text": shown, "emoji": False}


def _after(kind: Any) -> Thread:
    """The proposal after this press."""
    thread = proposed()
    return moved(thread, press(kind, thread))


@pytest.mark.parametrize("options", [{}, {"is_short": True}, {"may_dig_deeper": True}])
def test_the_button_stands_by_itself(options: dict[str, Any]) -> None:
    """Also on a short card; Dig Deeper stays with the buttons of the reply."""
    button = row(proposed(), **options)
    assert button
    assert [element["action_id"] for element in button["elements"]] == [RUN]
    assert row(pending(), **options) is None


@pytest.mark.parametrize(
    ("story", "words"),
    [
        (running, "*Running* `restart-payments` · "),
        (lambda: moved(running(), ended("down")), "exit code 0 after 0 s. *Still not healthy:* a person has to look."),
        (lambda: moved(running(), ended(None)), "The checks after it could not be made."),
        (
            lambda: moved(running(), ended("down", outcome="not-started", exit_code=None), TIERS),
            "The checks made then were not healthy.",
        ),
        (
            lambda: moved(running(), ended("down", outcome="timed-out", duration_ms=60_000)),
            "it reached its time limit. It took longer than 60 s, and was ended.",
        ),
        (
            lambda: moved(running(), ended("down", outcome="not-started", problem="No space left.")),
            "it did not start. No space left.",
        ),
        (lambda: moved(running(), ended(None, outcome="not-started")), "*Did not run* `restart-payments`"),
        (
            lambda: moved(running(), ended(None, outcome="failed", exit_code=None, problem="It was ended.")),
            "it ended after 0 s. It was ended.",
        ),
        (lambda: moved(running(), ended("down"), TIERS), "after 0 s. The checks after it were not healthy."),
        (
            lambda: moved(moved(running(), ended("down")), recovered(40)),
            "after 0 s. The checks after it were not healthy.",
        ),
        (lambda: moved(running(), ended("down", outcome="unknown", problem="Gone.")), "its end is not known. Gone."),
        (
            lambda: _after(Redraft),
            "*Not run:* `restart-payments`, since an operator asked for another draft.",
        ),
    ],
)
def test_the_card_shows_the_state_of_a_runbook(story: Callable[[], Thread], words: str) -> None:
    """While it runs, after its end, and if nobody ran it; there is no button any more."""
    thread = story()
    assert words in text(thread)
    assert row(thread) is None


def test_the_end_shows_its_last_lines() -> None:
    """Of a long output its end."""
    thread = moved(running(), ended("down", output="first\n" + "x" * 5_000 + "\nlast"))
    card = text(thread)
    assert "…" in card
    assert "first" not in card
    assert "last" in card


def test_a_cut_output_begins_with_a_whole_line() -> None:
    """Not in the middle of a line."""
    lines = [f"step {number} of the restart of payments" for number in range(400)]
    card = text(moved(running(), ended("down", output="\n".join(lines))))
    assert re.search(r"…(?:\n|\\n)step \d+ of", card)
    assert lines[-1] in card


def test_a_held_runbook_says_why_it_waits() -> None:
    """It starts after `resume`."""
    held = text(running(), held_reason="Triage is paused")
    assert "*Approved, not started:* `restart-payments`" in held
    assert "It waits: Triage is paused." in held
    assert "*Running*" not in held


def test_a_first_approval_is_shown() -> None:
    """It waits for the second."""
    thread = proposed()
    step = advance(thread, approver(thread), replace(LIMITS, second_approver=True))
    assert step.thread
    assert f"*Approved* by <@{OPERATOR}>" in text(step.thread)
    assert row(step.thread)
    both = moved(step.thread, approver(step.thread, by="U0BEN", fresh="run1"), replace(LIMITS, second_approver=True))
    assert f"approved by <@{OPERATOR}> and <@U0BEN>" in text(both)
    over = moved(both, ended())
    assert over.incident
    assert f"<@{OPERATOR}> and <@U0BEN> had the runbook" in build_recovery(over.incident)
    relapsed = moved(moved(over, failed(seconds=60)), recovered(90))
    assert relapsed.incident
    assert "had the runbook" not in build_recovery(relapsed.incident)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ({}, "`restart-payments` run."),
        ({"outcome": "failed", "exit_code": 3}, "`restart-payments` run, which ended with exit code 3."),
        ({"outcome": "failed", "exit_code": None}, "`restart-payments` run, which was ended."),
        ({"outcome": "timed-out", "exit_code": None}, "`restart-payments` run, which reached its time limit."),
        ({"outcome": "unknown", "exit_code": None}, "`restart-payments` run, whose end is not known."),
        ({"outcome": "not-started", "exit_code": None}, "*payments* is healthy again, after 1 min."),
    ],
)
def test_a_runbook_that_failed_is_not_said_to_have_helped(end: dict[str, Any], words: str) -> None:
    """Services may come back by themselves while the checks after it are made."""
    over = moved(running(), ended(**end)).incident
    assert over
    assert build_recovery(over).endswith(words)


def test_a_closed_card_keeps_the_line() -> None:
    """As the last words on it."""
    closed = moved(running(), ended())
    assert "The checks after it were healthy." in text(closed)
    thread = proposed()
    assert "*Not run:*" in text(moved(thread, press(Dismiss, thread)))
    assert "Run Runbook" not in text(closed)


def test_earlier_runbooks_stay_on_the_card() -> None:
    """The last two of them, a line each."""
    thread = proposed()
    assert thread.incident
    before = tuple(remedy(runbook=f"r{n}", state="refused", why="no", decided_at=at(n)) for n in range(3))
    many = thread.evolve(incident=thread.incident.evolve(remedies=(*before, *thread.incident.remedies)))
    card = text(many)
    assert [name in card for name in ("`r0`", "`r1`", "`r2`")] == [False, True, True]


def test_the_time_from_which_a_runbook_rests_is_in_the_readers_zone() -> None:
    """As all times on a card; what is no time stays as it is."""
    assert with_moments("started at 2026-01-05 09:00 UTC, and") == (
        "started at <!date^1767603600^{date_short_pretty} {time}|2026-01-05 09:00 UTC>, and"
    )
    assert with_moments("at 2026-99-05 09:00 UTC") == "at 2026-99-05 09:00 UTC"


def test_a_card_names_no_runbook_that_an_earlier_outage_left() -> None:
    """Its refusal beside a proposal of the same runbook reads as if that was not run now."""
    thread = moved(moved(proposed(), recovered()), failed(seconds=40))
    assert "restart-payments" not in text(thread)
    begun = moved(thread, Due(at=at(50), fresh=fresh()))
    again = moved(begun, proposing(begun, remedy(proposed_at=at(51))))
    card = text(moved(again, validated(again)))
    assert ("*Not run:*" in card, "*Proposed runbook:* `restart-payments`" in card) == (False, True)


def test_a_runbook_that_could_not_be_proposed_is_named_with_its_reason() -> None:
    """And with the way to ask for it again, in the reader's time."""
    thread = investigating()
    why = "it was started at 2026-01-05 09:00 UTC, and the settings let it rest for 10 minutes after a start"
    thread = moved(thread, proposing(thread, remedy(state="refused", why=why)))
    card = text(moved(thread, validated(thread)))
    assert "*Not run:* `restart-payments`, since it was started at <!date^" in card
    assert "after a start. *Redraft* asks for a runbook again." in card
    assert '"action_id": "redraft"' in card


def test_a_problem_that_was_recorded_as_a_clause_is_a_sentence() -> None:
    """Between two others."""
    over = ended("healthy", outcome="not-started", exit_code=None, problem="the incident was over before it started")
    assert "it did not start. The incident was over before it started. The checks" in text(moved(running(), over))
