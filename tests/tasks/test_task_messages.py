"""First messages of created tasks: they follow an edited title, whatever Slack says first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.json_file import DiskJsonFile
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater
from bot.models.order_record import OrderRecord
from bot.models.task_event import OrderEdited, TitleShown
from bot.models.thread import Thread
from bot.tasks.order_book import OrderBook, build_order_book
from bot.tasks.task_messages import TaskMessages
from tests.builders import OPERATOR, at, fresh, moved
from tests.decide import ordered
from tests.fakes import LeapingClock, settle


class Wall:
    """A `Chat` and the queue of a thread."""

    def __init__(self) -> None:
        self.shown: list[dict[str, Any]] = []
        self.told: list[Any] = []
        self.fail: list[Exception] = []

    async def update(self, **message: Any) -> None:
        """Show, or fail as the test said."""
        if self.fail:
            raise self.fail.pop(0)
        self.shown.append(message)

    def tell(self, thread_id: str, event: Any) -> None:
        """Keep the event."""
        self.told.append(event)


def edited(title: str = "Count the parcels") -> Thread:
    """A task with a new title."""
    return moved(ordered.waiting(), OrderEdited(at=at(30), fresh=fresh(), by=OPERATOR, title=title))


def messages(wall: Wall, book: OrderBook) -> TaskMessages:
    """The view."""
    return TaskMessages(
        chat=wall,  # type: ignore[arg-type]  # of a chat, what updates
        clock=LeapingClock(),
        threads=wall,  # type: ignore[arg-type]  # of the queues, one call
        orders=book,
        redactor=Redactor(),
    )


@pytest.fixture
def book(tmp_path: Path) -> OrderBook:
    """Orders on disk."""
    return build_order_book(DiskJsonFile(tmp_path / "orders.json"), lambda _: None)


async def test_an_edited_title_is_shown_and_recorded_once(book: OrderBook) -> None:
    """With what the message said before, and without secrets."""
    thread = edited("Count <them> & more")
    assert thread.order
    book.replace((OrderRecord(order=thread.order, chat_id=thread.chat_id, waits_for=("other-1",)),))
    wall = Wall()
    view = messages(wall, book)
    view.redraw(thread)
    view.redraw(thread)
    await settle()
    (shown,) = [*{each["text"]: each for each in wall.shown}.values()]
    assert shown["text"].startswith("Count &lt;them&gt; &amp; more: a task of <@U0ANA>. It starts after `other-1`.")
    assert (shown["channel"], shown["ts"]) == (thread.chat_id, thread.root_ts)
    assert shown["metadata"]["event_payload"]["order_id"] == thread.order.order_id
    assert isinstance(wall.told[0], TitleShown)
    after = moved(thread, replace(wall.told[0], at=at(40)))
    assert not after.is_behind or after.card.drawn != after.revision
    assert after.order
    assert not after.order.is_title_behind
    wall.shown.clear()
    view.redraw(after)
    await settle()
    assert wall.shown == []


async def test_a_failure_is_tried_again_and_a_refusal_is_not(book: OrderBook) -> None:
    """Until the next title, or the next start; a secret never reaches Slack."""
    wall = Wall()
    view = messages(wall, book)
    wall.fail = [RetryLater("later"), RetryLater("later")]
    view.redraw(thread := edited())
    await settle(200)
    assert len(wall.shown) == 1
    wall.fail = [Refused("chat.update", code="cant_update_message")]
    view.redraw(thread)
    await settle()
    view.redraw(thread)
    await settle()
    assert len(wall.shown) == 1
    secret = "-".join(("xoxb", "1" * 12, "2" * 12, "a" * 24))
    view.redraw(edited(f"Check {secret}"))
    await settle()
    assert len(wall.shown) == 2
    assert secret not in str(wall.shown[-1])
    await view.stop()


async def test_a_deleted_message_and_an_unedited_title_are_left_alone(book: OrderBook) -> None:
    """There is nothing to update."""
    wall = Wall()
    view = messages(wall, book)
    thread = edited()
    assert thread.order
    view.redraw(thread.evolve(order=thread.order.evolve(is_message_deleted=True)))
    view.redraw(ordered.waiting())
    await settle()
    assert (wall.shown, wall.told) == ([], [])
