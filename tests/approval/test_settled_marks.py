"""Check marks: whose reactions settle a question, on which message, and the record of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.approval.settled_marks import SettledMarks
from bot.decide.classify.settlement import SettlingWords
from bot.models.message import thread_id
from bot.models.reaction import Reaction
from bot.models.thread import Thread
from bot.models.thread_event import Overheard
from tests.builders import ASKER, CHANNEL, LIMITS, TEAM, added, at, found, fresh, message, validated
from tests.fakes import HandClock, MemoryJournal
from tests.triage.test_orchestrator import Desk

ROOT = "1.1"
HOME = thread_id(TEAM, CHANNEL, ROOT)


class MarkDesk(Desk):
    """An orchestrator with check marks."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.audit, self.clock = MemoryJournal(), HandClock()
        self.marks = SettledMarks(orchestrator=self.orchestrator, audit=self.audit, clock=self.clock)

    async def react(self, **changes: Any) -> Thread:
        """Put a check mark on the question; return its thread."""
        values = {
            "interaction_id": "reaction-1",
            "team_id": TEAM,
            "chat_id": CHANNEL,
            "message_id": ROOT,
            "user_id": ASKER,
            "name": "white_check_mark",
            "added": True,
        }
        await self.marks.handle_reaction(Reaction(**(values | changes)))
        return self.store.saved[HOME]


async def test_the_askers_check_mark_settles_the_question() -> None:
    """The document quotes the mark, and removing it opens the question again."""
    desk = MarkDesk()
    await desk.open(ROOT)
    settled = await desk.react()
    assert (settled.status, settled.outcome) == ("closed", "settled")
    assert settled.settled_word
    assert (settled.settled_word.by, settled.settled_word.message_id) == (ASKER, ROOT)
    assert (settled.settled_word.text, settled.settled_word.at) == (":white_check_mark:", desk.clock.now())
    assert (await desk.react(added=False)).is_open
    await desk.orchestrator.stop()


async def test_a_check_mark_is_audited_with_its_thread() -> None:
    """Once for the mark and once for its removal; a restart finds both there and applies neither again."""
    desk = MarkDesk()
    await desk.open(ROOT)
    await desk.react()
    await desk.react(added=False, interaction_id="reaction-2")
    values = {"team_id": TEAM, "chat_id": CHANNEL, "message_id": ROOT, "user_id": ASKER, "name": "white_check_mark"}
    record = values | {"kind": "reaction", "at": desk.clock.now().isoformat(), "thread_id": HOME}
    assert desk.audit.kept == [
        record | {"interaction_id": "reaction-1", "added": True, "action": "settled_mark"},
        record | {"interaction_id": "reaction-2", "added": False, "action": "settled_mark_taken"},
    ]
    await desk.orchestrator.stop()


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"user_id": "U0BEN"}, id="a colleague"),
        pytest.param({"name": "eyes"}, id="another emoji"),
        pytest.param({"message_id": "9.9"}, id="a message of no question"),
        pytest.param({"chat_id": "C0ELSE"}, id="another channel"),
        pytest.param({"team_id": "T0ELSE"}, id="another workspace"),
        pytest.param({"added": False}, id="a mark that was not there"),
    ],
)
async def test_another_reaction_settles_nothing(changes: dict[str, Any]) -> None:
    """Neither the question nor the audit changes."""
    desk = MarkDesk()
    await desk.open(ROOT)
    before = desk.store.saved[HOME]
    assert await desk.react(**changes) == before
    assert (desk.audit.kept, list(desk.store.saved)) == ([], [HOME])
    await desk.orchestrator.stop()


async def test_a_check_mark_on_a_later_message_counts_for_the_question_that_it_joined() -> None:
    """The later message has its own ts, under which there is no thread."""
    desk = MarkDesk()
    await desk.open(ROOT)
    await desk.orchestrator.submit(HOME, replace(added("and on staging?", ts="1.2"), joins=True))
    settled = await desk.react(message_id="1.2")
    assert settled.settled_word
    assert (settled.outcome, settled.settled_word.message_id) == ("settled", "1.2")
    await desk.orchestrator.stop()


async def test_a_check_mark_on_a_colleagues_answer_is_proposed_to_the_operator() -> None:
    """The waiting draft is stale from then on, and its buttons are others."""
    desk = MarkDesk()
    desk.orchestrator.limits = replace(LIMITS, settling=SettlingWords(["en"]))
    await desk.open(ROOT)
    for event in (found, validated):
        await desk.orchestrator.submit(HOME, event(desk.store.saved[HOME]))
    answer = message("it is set in a.py", ts="1.2", root=ROOT, sender="U0BEN")
    await desk.orchestrator.submit(HOME, Overheard(at=at(60), fresh=fresh(), message=answer))
    before = desk.store.saved[HOME]
    after = await desk.react(message_id="1.2")
    assert after.settled_word
    assert (after.status, after.settled_word.answered_by) == ("pending-user", "U0BEN")
    assert before.draft_pending
    assert after.draft_pending
    assert after.draft_pending.nonce not in (None, before.draft_pending.nonce)
    await desk.orchestrator.stop()
