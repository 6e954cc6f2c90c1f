"""Incomplete orders: only the next message of their sender completes one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.chat.incomplete_orders import IncompleteOrders
from bot.models.message import Deletion, Message
from bot.models.order import Order
from tests.builders import message
from tests.tables import each_row

ORDER = Order(command="mode", arguments={"mode": "silent"})
FIRST = "100.000001"


def said(ts: str, text: str = "never mind", sender: str = "U0ADMIN", channel: str = "D0ADMIN") -> Message:
    """Build a message of the order's sender in the order's place."""
    sent = datetime.fromtimestamp(float(ts), UTC)
    return message(text, ts=ts, sender=sender, chat_id=channel, create_time=sent)


def deletion(ts: str) -> Deletion:
    """Build the deletion of a message in the order's place."""
    return Deletion(team_id="T0SANDBOX", chat_id="D0ADMIN", message_id=ts, thread_id=f"T0SANDBOX-D0ADMIN-{ts}")


ASKED = said(FIRST, "set this channel to silent")
NAMED = said("109.000001", "#help-platform")
EDITED = said(FIRST, "set this channel to live")


@each_row(
    ("between", "is_found"),
    [
        pytest.param([], True, id="the next message"),
        pytest.param([said("101.000001")], False, id="taken back"),
        pytest.param([said("101.000001", "where is TTL set?")], False, id="another question"),
        pytest.param([deletion(FIRST)], False, id="the order is deleted"),
        pytest.param([deletion("99.000001")], True, id="another message is deleted"),
        pytest.param([EDITED], False, id="the order is edited"),
        pytest.param([ASKED], True, id="the order comes twice"),
        pytest.param([said("99.000001")], True, id="an older message comes late"),
        pytest.param([said("101.000001", sender="U0OPS")], True, id="another person's message"),
        pytest.param([said("101.000001", channel="C0HELP")], True, id="a message in another place"),
    ],
)
@each_row("is_running", [False, True])
def test_only_the_next_message_completes_an_order(
    between: list[Message | Deletion], is_found: bool, is_running: bool
) -> None:
    """Messages, edits and deletions count from the moment that the order is executed."""
    orders = IncompleteOrders()
    orders.begin(ASKED, ORDER)
    if not is_running:
        orders.end(ASKED, "channel")
    for news in between:
        if isinstance(news, Deletion) or news is EDITED:
            orders.revise(news)
        else:
            orders.note(news)
    if is_running:
        orders.end(ASKED, "channel")
    orders.note(NAMED)
    assert (orders.find(NAMED) == (ORDER, "channel")) is is_found


def test_an_order_without_a_missing_field_and_an_old_one_are_not_completed() -> None:
    """Ten minutes are the limit."""
    orders = IncompleteOrders()
    for missing, ts in ((None, "109.000001"), ("channel", "701.000002")):
        orders.begin(ASKED, ORDER)
        orders.end(ASKED, missing)
        orders.note(named := said(ts, "#help-platform"))
        assert orders.find(named) is None
