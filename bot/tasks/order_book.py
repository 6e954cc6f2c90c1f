"""Order book: the records of created tasks until they are over, in memory and in `orders.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.order_record import OrderRecord
from bot.triage.record_book import RecordBook

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.task_order import TaskOrder
    from bot.models.thread import Thread
    from bot.ports.outbound import JsonFile

MAX_OPEN = 500
"""Number of created tasks that may be open at the same time: each change rewrites the book."""

OrderBook = RecordBook[OrderRecord]


def build_order_book(file: JsonFile, tell: Callable[[str], None]) -> OrderBook:
    """Build the book on its file; `tell` sends a notice to an admin."""
    return OrderBook(
        kind=OrderRecord,
        file=file,
        noun="task",
        tell=tell,
        subject="The orders of created tasks",
        consequence="Tasks that have a thread go on; one that had none yet must be created again.",
    )


def follow_task(book: OrderBook, thread: Thread, order: TaskOrder) -> None:
    """Bring the record of a task up to its document: an edited or restarted one is not over."""
    record = book.find(order.order_id)
    if order.outcome:
        book.change(order.order_id, is_over=True)
        return
    plain_order = _strip(order)
    if record is None:
        record = OrderRecord(order=plain_order, chat_id=thread.chat_id, thread_id=thread.thread_id)
        book.replace((*book.records, record))
    elif (record.order, record.is_over) != (plain_order, False):
        book.change(order.order_id, order=plain_order, is_over=False)


def _strip(order: TaskOrder) -> TaskOrder:
    """Return an order as its command gave it, without its result."""
    outcome_fields = {"outcome": None, "result": "", "skipped_by": None}
    message_fields = {"is_message_deleted": False, "is_title_behind": False}
    return order.evolve(question_round=1, agent=None, begun_at=None, inputs=(), **outcome_fields, **message_fields)
