"""Presses, by table: the membership that is asked anew, the place of the answer, the redrawn card and the audit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import RetryLater
from tests.approval.test_actions import Office
from tests.approval.test_ask_owner import office as office_with_owners
from tests.approval.test_ask_owner import pending as pending_with_owners
from tests.builders import ASKER, LIMITS, OPERATOR


@pytest.mark.parametrize(
    ("action", "replayed", "counts"),
    [("approve", False, False), ("post_anyway", False, False), ("approve", True, True), ("take_over", False, True)],
)
async def test_only_a_press_that_posts_asks_slack_again(action: str, replayed: bool, counts: bool) -> None:
    """An operator who became a guest a moment ago approves nothing; their other decisions wait for the cache."""
    office = Office()
    thread = await office.pending()
    await office.approval.handle_press(office.press(thread, "edit"))
    office.town.guests.add(OPERATOR)
    await office.approval.act(office.press(thread, action), replayed=replayed)
    assert (office.store.saved[thread.thread_id].status != "pending-user") is counts
    await office.orchestrator.stop()


@pytest.mark.parametrize("replayed", [True, False])
async def test_a_replayed_press_counts_while_slack_does_not_answer(replayed: bool) -> None:
    """It was decided before the crash; a new one is not known to be a member's."""
    office = Office()
    thread = await office.pending()
    office.town.failure = RetryLater("users.info")
    await office.approval.act(office.press(thread), replayed=replayed)
    assert (office.store.saved[thread.thread_id].status == "approved") is replayed
    await office.orchestrator.stop()


@pytest.mark.parametrize("changes", [{"nonce": "older"}, {"action": "launch"}])
async def test_a_press_without_effect_redraws_the_card_once(changes: dict[str, str]) -> None:
    """The person alone is told, where they pressed; the audit has the press without its trigger."""
    office = Office()
    thread = await office.pending()
    drawn = len(office.drawn)
    await office.approval.handle_press(office.press(thread, **changes))
    assert office.drawn[drawn:] == [thread]
    assert office.chat.ephemerals == [{"channel": "D0OPS", "user": OPERATOR}]
    assert "trigger_id" not in office.audit.kept[-1]
    await office.orchestrator.stop()


async def test_a_refused_approval_redraws_the_card() -> None:
    """The person may have seen a card with other buttons."""
    office = Office()
    office.orchestrator.limits = replace(LIMITS, asker_may_approve=False)
    thread = await office.pending()
    office.approval.operators.everywhere = (ASKER, OPERATOR)
    drawn = len(office.drawn)
    await office.approval.handle_press(office.press(thread, user_id=ASKER))
    assert office.drawn[drawn:] == [thread]
    await office.orchestrator.stop()


async def test_another_button_asks_no_owner() -> None:
    """Though there is one who could be asked."""
    office = office_with_owners()
    thread = await pending_with_owners(office, ASKER)
    await office.approval.handle_press(office.press(thread, "take_over"))
    assert (office.store.saved[thread.thread_id].status, office.chat.sent) == ("closed", [])
    await office.orchestrator.stop()
