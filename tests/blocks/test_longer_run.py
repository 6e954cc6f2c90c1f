"""Longer runs on cards and in their message: reason, progress, how to watch, the end, and the button for one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.card import build_card
from blocks.long_run import build_long_run
from blocks.notification import notification
from bot.models.escalation import Escalation
from bot.models.interaction import read_press
from bot.models.thread import Thread
from bot.models.thread_event import Overheard
from tests.builders import OPERATOR, at, found, fresh, message, moved, validated
from tests.decide.test_escalating import begun, deeper, do, lost, progress, wanted
from tests.decide.test_presses import with_note
from tests.decide.test_workflow import approved, awaiting, in_doubt, pending, replied

LINK = "https://sandbox.slack.com/archives/C0HELP/p100000001"
FAILED = Escalation(tier=2, reason="it is <b>long</b>", decided_at=at(), turns=34, cost_usd=0.8)
BEFORE = FAILED.evolve(has_result=True)


def shown(thread: Thread) -> str:
    """Everything on the card."""
    return json.dumps(build_card(thread, link=LINK), ensure_ascii=False)


def buttons(thread: Thread, **changes: Any) -> list[str]:
    """The action ids of the buttons, and those of the menu's options."""
    made = build_card(thread, link=LINK, may_dig_deeper=True, **changes)
    elements = [each for block in made["blocks"] if block["type"] == "actions" for each in block["elements"]]
    names = [
        [option["value"].split()[0] for option in each.get("options", ())] or [each["action_id"]] for each in elements
    ]
    return [name for each in names for name in each]


def test_a_run_under_way_says_how_far_it_is_and_how_to_watch_it() -> None:
    """On the card and in its message, with Stop; before its start it has its reason alone."""
    thread = begun()
    for made in (shown(thread), json.dumps(build_long_run(thread, link=LINK))):
        assert "*Longer run*, tier 2, since it needs the logs of a long time" in made
        assert "It is being started." in made
    started = do(thread, progress(thread, latest="found `a`\n<!here>", watch_command="tmux attach -t `x` && <y>"))
    for made in (shown(started), json.dumps(build_long_run(started, link=LINK), ensure_ascii=False)):
        assert "3 turns · at most $0.20" in made
        assert "Last: found `a` &lt;!here&gt;" in made
        assert "Watch it: `tmux attach -t 'x' &amp;&amp; &lt;y&gt;`" in made
        assert '"action_id": "stop"' in made


def test_a_run_without_figures_says_so() -> None:
    """Of a program that reports no cost, in a place that nobody can watch."""
    thread = begun()
    started = do(thread, progress(thread, latest="", watch_command="", cost_usd=None))
    made = shown(started)
    assert "cost unknown" in made
    assert "Watch it" not in made
    assert "Last:" not in made


def test_an_operators_wish_is_named() -> None:
    """On the card of a run that they asked for."""
    assert f"since <@{OPERATOR}> asked for it" in shown(deeper())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"escalation": BEFORE, "is_escalated": True},
            "*Longer run:* tier 2, since it is &lt;b&gt;long&lt;/b&gt; · 34 turns",
        ),
        (
            {"escalation": BEFORE.evolve(has_result=False, started_at=at(3)), "is_escalated": True},
            "Its draft was sent back; this one is of tier 1.",
        ),
        (
            {"escalation": BEFORE, "is_escalated": True, "escalation_problem": "tier 3 is too high"},
            "*No further run:* tier 3 is too high.",
        ),
        (
            {"escalation": FAILED, "is_escalated": True, "escalation_problem": "it <died>"},
            "*The longer run has no result:* it &lt;died&gt;.",
        ),
        ({"escalation_problem": "no money is left"}, "*No longer run:* no money is left."),
        ({"escalation_problem": "no money", "draft_pending": None, "failure": "x"}, "*No longer run:* no money."),
    ],
)
def test_a_waiting_card_names_the_longer_run(changes: dict[str, Any], said: str) -> None:
    """Behind its draft, or the reason why there is none."""
    assert said in shown(pending().evolve(**changes))
    assert "onger run" not in shown(pending())


def test_an_ended_run_is_told_on_the_card() -> None:
    """The draft of tier 1 comes back with the reason."""
    thread = wanted()
    after = do(thread, lost(thread, "the process died; its transcript is /x"))
    waits = do(after, validated(after))
    assert "its transcript is /x" in shown(waits)
    assert "The longer run has no result, so the draft of before waits: " in notification(waits)
    assert notification(thread).endswith("A longer run works on it.")


def _stale() -> Thread:
    said = Overheard(at=at(6), fresh=fresh(), message=message("hm", ts="103.000001", root="100.000001"))
    return moved(pending(), said)


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (pending, ["approve", "edit", "bounce", "dig_deeper", "dismiss", "take_over", "delegate"]),
        (
            lambda: pending().evolve(draft_pending=None, failure="x"),
            ["redraft", "dig_deeper", "dismiss", "take_over", "delegate"],
        ),
        (
            with_note,
            [
                "approve",
                "approve_and_save",
                "edit",
                "bounce",
                "dismiss",
                "take_over",
                "delegate",
                "show_note",
                "dig_deeper",
            ],
        ),
        (_stale, ["post_anyway", "redraft", "edit", "bounce", "dismiss", "take_over", "delegate", "dig_deeper"]),
        (lambda: pending().evolve(opening="x"), ["edit", "bounce", "dismiss", "take_over", "delegate"]),
        (awaiting, ["stop", "dismiss", "take_over", "delegate"]),
        (in_doubt, ["was_posted", "post_again"]),
        (approved, []),
        (replied, []),
    ],
)
def test_dig_deeper_is_offered_where_a_decision_is_due(make: Any, row: list[str]) -> None:
    """As a button in a short row, else in the menu, which holds five at most."""
    assert buttons(make()) == row


def test_dig_deeper_makes_its_menu_where_there_is_none() -> None:
    """Nobody else decides, and the row is full."""
    thread = with_note()
    assert "dig_deeper" in buttons(thread, may_delegate=False)
    assert "dig_deeper" not in json.dumps(build_card(thread, link=LINK))


@pytest.mark.parametrize("make", [pending, with_note])
def test_a_press_on_dig_deeper_is_read(make: Any) -> None:
    """From a button and from the menu."""
    thread = make()
    made = build_card(thread, link=LINK, may_dig_deeper=True)
    found_in = [each for block in made["blocks"] if block["type"] == "actions" for each in block["elements"]]
    (element,) = [each for each in found_in if "dig_deeper" in json.dumps(each)]
    action: dict[str, Any] = {"action_id": element["action_id"], "action_ts": "5.1", "type": element["type"]}
    if element["type"] == "overflow":
        (option,) = [option for option in element["options"] if option["value"].startswith("dig_deeper ")]
        action["selected_option"] = option
    else:
        action["value"] = element["value"]
    body = {
        "type": "block_actions",
        "actions": [action],
        "user": {"id": OPERATOR},
        "team": {"id": "T0SANDBOX"},
        "channel": {"id": "D0OPS"},
        "trigger_id": "1.2",
        "container": {},
    }
    press = read_press(body)
    assert press
    assert (press.action, press.thread_id) == ("dig_deeper", thread.thread_id)


def test_a_draft_of_a_longer_run_waits_as_any_other() -> None:
    """Its title asks for the decision."""
    thread = begun()
    waits = do(thread, found(thread))
    assert "In progress" in shown(waits)
