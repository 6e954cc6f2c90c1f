"""Every button of every card: each does what it says, in the state of the question that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from blocks.card import build_card
from blocks.controls import remove_from_menu
from blocks.text import button, menu
from bot.approval.answers import NOBODY_ELSE
from bot.models.findings import ProposedTriageFile
from bot.models.interaction import read_press
from bot.models.repeated_question import ANSWERED_BEFORE
from bot.models.settlement import SettledWord
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Dismiss, Due, TakeOver
from tests.approval.test_actions import BEN, Office
from tests.builders import ASKER, OPERATOR, TEAM, at, check, draft_for, findings, fresh, moved
from tests.decide import test_workflow as story
from tests.fakes import operators

LINK = "https://sandbox.slack.com/archives/C0HELP/p100000001"
CHANGES = ("edit", "bounce", "answer", "dismiss", "delegate", "show_note", "show_evidence")
"""What a press opens a dialog for."""


WORD = SettledWord(at=at(9), by=ASKER, message_id="1.9", text="thanks!")


def noted() -> Thread:
    """A draft with a note to keep and an open question."""
    note = ProposedTriageFile(filename="note.md", content="Three.")
    asks = findings(proposed_triage_file=note, open_questions=("Which region?",))
    return story.pending().evolve(investigator_return=asks)


def edited() -> Thread:
    """A draft that somebody rewrote."""
    thread = story.pending()
    draft = draft_for(thread, "Another text.").evolve(edited_by=OPERATOR, drafted="The old one.")
    return thread.evolve(draft_pending=draft)


def withheld() -> Thread:
    """A draft that held a secret."""
    thread = story.pending()
    assert thread.draft_pending is not None
    return thread.evolve(draft_pending=thread.draft_pending.evolve(withheld="a GitHub token"))


def ended(kind: Any, **said: Any) -> Callable[[], Thread]:
    """A question that was decided so."""

    def make() -> Thread:
        thread = story.pending()
        return moved(thread, story.press(kind, thread, **said))

    return make


STATES: dict[str, Callable[[], Thread]] = {
    "collecting": story.collecting,
    "investigating": story.investigating,
    "awaiting validation": story.awaiting,
    "waiting": story.pending,
    "waiting, with a note and a question": noted,
    "waiting, edited": edited,
    "waiting, stale": lambda: story.pending().evolve(stale="Somebody has answered."),
    "waiting, held back": withheld,
    "waiting, held back and stale": lambda: withheld().evolve(stale="Somebody has answered."),
    "waiting, without the model": lambda: story.pending().evolve(fallback="over the cap"),
    "waiting, answered before": lambda: story.pending().evolve(engine=ANSWERED_BEFORE),
    "waiting, with a reference that failed": lambda: story.pending().evolve(evidence_checks=(check("failed"),)),
    "waiting, with a value that no line holds": lambda: noted().evolve(unsupported=("42 days",)),
    "waiting, failed and stale": lambda: story.pending().evolve(evidence_checks=(check("failed"),), stale="Lines."),
    "waiting, nothing found": lambda: story.pending().evolve(found_nothing=True),
    "waiting, nothing found and stale": lambda: story.pending().evolve(found_nothing=True, stale="Somebody."),
    "waiting, edited just now": lambda: story.pending().evolve(opening="o1", cited=()),
    "waiting, perhaps settled": lambda: story.pending().evolve(settled_word=WORD),
    "in doubt, perhaps settled": lambda: story.in_doubt().evolve(settled_word=WORD),
    "practice": lambda: story.pending().evolve(mode="preview"),
    "failed": lambda: story.pending().evolve(draft_pending=None, failure="It broke."),
    "approved": story.approved,
    "in doubt": story.in_doubt,
    "replied": story.replied,
    "dismissed": ended(Dismiss, code="not_for_us"),
    "taken over": ended(TakeOver),
    "practised": lambda: moved(thread := story.pending().evolve(mode="preview"), story.press(Approve, thread)),
    "expired": lambda: moved(story.pending(), Due(at=at(10**6), fresh=fresh())),
}
"""Wherever the question of a card may stand."""


def offered(thread: Thread) -> dict[str, dict[str, Any]]:
    """What Slack sends of each thing that can be pressed on the card, by the name of what it does."""
    found: dict[str, dict[str, Any]] = {}
    for block in build_card(thread, link=LINK)["blocks"]:
        for element in (*block.get("elements", ()), block.get("accessory", {})):
            if element.get("type") == "button":
                assert element["action_id"] not in found, "offered twice"
                found[element["action_id"]] = element
            for option in element.get("options", ()):
                name = option["value"].split()[0]
                assert name not in found, "offered twice"
                found[name] = {"type": "overflow", "action_id": element["action_id"], "selected_option": option}
    return found


EACH = [(state, name) for state, make in STATES.items() for name in offered(make())]


@pytest.mark.parametrize(("state", "action"), EACH)
async def test_each_button_of_each_card_does_something(state: str, action: str) -> None:
    """It opens its dialog, or changes the question; nobody reads that it came too late or cannot be."""
    office = Office()
    thread = STATES[state]()
    await office.store.save(thread)
    thread = office.store.saved[thread.thread_id]
    body = {"team": {"id": TEAM}, "user": {"id": OPERATOR}, "channel": {"id": "D0OPS"}, "trigger_id": "t"}
    press = read_press({**body, "actions": [{**offered(thread)[action], "action_ts": "5.1"}]})
    assert press is not None
    await office.approval.handle_press(press)
    assert office.chat.notices == []
    if action in CHANGES:
        assert len(office.chat.views) == 1
    else:
        assert office.store.saved[thread.thread_id].version > thread.version
    await office.orchestrator.stop()


def test_every_state_has_its_buttons() -> None:
    """What waits can be decided on; what is settled has Show Evidence alone; nothing is offered twice."""
    for state, make in STATES.items():
        names = [*offered(make())]
        if make().status in ("approved", "closed"):
            assert names == ["show_evidence"], state
        else:
            assert {"dismiss", "was_posted"} & set(names), state


async def test_a_card_that_is_behind_delegates_to_nobody() -> None:
    """Where the only other operator has left since, the press is told so, and no dialog opens."""
    office = Office()
    thread = await office.pending()
    alone = operators(OPERATOR, town=office.town, clock=office.clock)
    object.__setattr__(office.approval, "operators", alone)
    await office.approval.handle_press(office.press(thread, "delegate"))
    assert (office.chat.notices, office.chat.views) == ([NOBODY_ELSE], [])
    assert '"Delegate"' not in json.dumps(build_card(thread, link=LINK, may_delegate=False))
    assert BEN not in alone.operators_of(thread)


def test_a_menu_that_would_be_empty_is_left_out() -> None:
    """Slack refuses one without an option."""
    row = {
        "type": "actions",
        "elements": [button("Edit", "edit", "v", about="it"), menu("more", {"delegate v": "Delegate"})],
    }
    (left,) = remove_from_menu("delegate", [row])
    assert [element["action_id"] for element in left["elements"]] == ["edit"]
