"""Delivery: posted once, whatever the call's fate, and recorded once."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from blocks.feedback import thumbs
from bot.errors import Refused, RetryLater, Uncertain
from bot.models import thread_event
from bot.triage.delivery import Delivery
from tests.decide.test_workflow import approved
from tests.fakes import HandClock, MemoryJournal, RememberingChat, settle

if TYPE_CHECKING:
    from bot.models.thread import Thread


class Desk:
    """Delivery with everything around it in memory."""

    def __init__(self) -> None:
        self.chat, self.clock, self.replies = RememberingChat(), HandClock(), MemoryJournal()
        self.delivery = Delivery(chat=self.chat, replies=self.replies, clock=self.clock)  # type: ignore[arg-type]  # the fake has what delivery calls


def nonce(thread: Thread) -> str:
    """The nonce of the thread's draft."""
    assert thread.draft_pending is not None
    return thread.draft_pending.nonce


async def test_the_first_post_looks_for_nothing_and_is_recorded() -> None:
    """Right after the approval there is no doubt."""
    desk, told = Desk(), list[tuple[str, str, str]]()
    desk.delivery.watcher = SimpleNamespace(note_reply=lambda *posted: told.append(posted))  # type: ignore[assignment]  # it has what delivery calls
    said = await desk.delivery.post(approved(), look_first=False)
    assert isinstance(said, thread_event.Posted)
    assert told == [(approved().chat_id, approved().thread_id, said.ts)]
    assert (desk.chat.looks, len(desk.chat.posted), len(desk.replies.kept)) == (0, 1, 1)


@pytest.mark.parametrize("feedback", [True, False])
async def test_what_was_approved_is_posted_byte_for_byte(feedback: bool) -> None:
    """With thumbs below where the settings want them; they name the draft and nothing else."""
    desk, thread = Desk(), approved()
    desk.delivery.feedback = feedback
    await desk.delivery.post(thread, look_first=False)
    draft, sent = thread.draft_pending, desk.chat.sent[0]
    assert draft is not None
    below = [thumbs(draft.draft_id)] if feedback else []
    sealed = json.loads(draft.payload)
    assert (sent["text"], sent["blocks"]) == (sealed["text"], [*sealed["blocks"], *below])


async def test_a_reply_that_stands_there_is_taken_over() -> None:
    """A process that died after posting left a reply; it is recorded and not posted again."""
    desk, thread = Desk(), approved()
    ts = desk.chat.land(nonce(thread))
    said = await desk.delivery.post(thread, look_first=True, search_twice=True)
    assert isinstance(said, thread_event.Posted)
    assert (said.ts, len(desk.chat.posted), len(desk.replies.kept)) == (ts, 1, 1)
    await desk.delivery.post(thread, look_first=True, search_twice=True)
    assert len(desk.replies.kept) == 1


async def test_a_request_still_on_its_way_is_waited_for() -> None:
    """After a crash one look is not enough: the reply that lands in the settling time is found by the second."""
    desk, thread = Desk(), approved()

    def land_at_the_second(look: int) -> None:
        if look == 2:
            desk.chat.land(nonce(thread))

    desk.chat.on_look = land_at_the_second
    posting = asyncio.create_task(desk.delivery.post(thread, look_first=True, search_twice=True))
    await settle()
    assert not posting.done()
    await desk.clock.move(5)
    assert isinstance(await posting, thread_event.Posted)
    assert (desk.chat.looks, len(desk.chat.posted)) == (2, 1)


async def test_a_rate_limit_is_waited_out() -> None:
    """What had no effect is tried again when Slack said."""
    desk = Desk()
    desk.chat.fail = RetryLater("rate limited", after=30)
    posting = asyncio.create_task(desk.delivery.post(approved(), look_first=False))
    await settle()
    await desk.clock.move(29)
    assert not posting.done()
    await desk.clock.move(2)
    assert isinstance(await posting, thread_event.Posted)


@pytest.mark.parametrize(
    ("failure", "said"),
    [(Uncertain("cut"), thread_event.DoubtfulPost), (Refused("no", code="is_archived"), thread_event.PostFailed)],
)
async def test_other_failures_are_told_and_never_tried_again(failure: Exception, said: type) -> None:
    """Doubt is looked into later, a refusal goes back to the operator; neither posts again by itself."""
    desk = Desk()
    desk.chat.fail = failure
    assert isinstance(await desk.delivery.post(approved(), look_first=False), said)
    assert (desk.chat.posted, desk.replies.kept) == ([], [])


async def test_a_payload_that_was_changed_on_disk_is_not_posted() -> None:
    """What is posted is what was approved, or nothing."""
    desk, thread = Desk(), approved()
    assert thread.draft_pending is not None
    tampered = thread.draft_pending.evolve(payload=thread.draft_pending.payload.replace("set", "sold"))
    said = await desk.delivery.post(thread.evolve(draft_pending=tampered), look_first=False)
    assert isinstance(said, thread_event.PostFailed)
    assert desk.chat.posted == []
