"""The answer to an order that changes something is told, once where it can be known, whatever breaks in between."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.entry import TypedCommandHandler
from bot.commands.order_answers import OrderAnswers, describe_cut_off
from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater, Uncertain
from tests.builders import CHANNEL
from tests.chat.crew import command, handler
from tests.chat.talks import Room
from tests.fakes import settle

ORDER = command("pause", via="thread", interaction_id=f"{CHANNEL}-100.000001")
HOME = f"{ORDER.team_id}-{ORDER.interaction_id}"
TO_DM = "if it was, this is the same"


@dataclass
class Orders:
    """One home and one Slack; `turned` counts how often the order was done."""

    room: Room = field(default_factory=Room)
    turned: int = 0
    dies: bool = False
    """True if the process ends in the middle of the order."""

    async def desk(self) -> TypedCommandHandler:
        """A process that starts."""
        slack: Any = self.room.slack

        async def turn(*_: Any) -> CommandAnswer:
            self.turned += 1
            if self.dies:
                await asyncio.Event().wait()
            return CommandAnswer(line="Turned.")

        commands = handler(runs={"pause": turn}, chat=slack)
        talks = await self.room.bot()
        orders = OrderAnswers(clock=self.room.clock, catalogue=CATALOGUE, outbox=talks.turn_runner.poster.outbox)
        confirming = ConfirmationButtons(handler=commands, confirmations=commands.confirmations, chat=slack)
        talks.begin()
        return TypedCommandHandler(
            handler=commands,
            confirmations=confirming,
            outbound_filter=OutboundFilter(Redactor(), ZoneInfo("UTC")),
            orders=orders,
        )

    @property
    def told(self) -> list[str]:
        """What came in the direct message."""
        return [str(post["text"]) for post in self.room.slack.posts]

    def unsent(self) -> int:
        """How much is on record."""
        return sum('"of_order":true' in text for text in self.room.talks.saved.values())


async def test_an_answer_that_landed_leaves_no_record() -> None:
    """Shown where it was asked; a later start says nothing more."""
    orders = Orders()
    await (await orders.desk()).answer_in_thread(ORDER)
    assert (orders.room.slack.notices, orders.told, orders.unsent()) == (["Turned."], [], 0)
    await orders.desk()
    await orders.room.clock.move(60)
    assert orders.told == []


@pytest.mark.parametrize("is_stopped", [False, True])
async def test_an_answer_in_doubt_comes_in_the_direct_message(*, is_stopped: bool) -> None:
    """Once, by this process or the next, also where the order itself has silenced Triage."""
    orders = Orders()
    orders.room.slack.untold = [Uncertain("cut")]
    desk = await orders.desk()
    if is_stopped:
        orders.room.silenced.add(HOME)
    await desk.answer_in_thread(ORDER)
    assert orders.unsent() == 1
    await orders.desk()
    for _ in range(3):
        await orders.room.clock.move(60)
    assert orders.told == ["Turned."]
    assert TO_DM in str(orders.room.slack.posts[0]["blocks"])
    assert orders.unsent() == 0


async def test_a_slack_that_takes_nothing_for_a_while_is_asked_again() -> None:
    """What had no effect there is shown in its place after all."""
    orders = Orders()
    orders.room.slack.untold = [RetryLater("busy", after=1)]
    desk = await orders.desk()
    hearing = asyncio.create_task(desk.answer_in_thread(ORDER))
    await settle()
    await orders.room.clock.move(2)
    await hearing
    assert (orders.room.slack.notices, orders.told, orders.unsent()) == (["Turned."], [], 0)


async def test_an_order_that_a_crash_cut_off_is_told_and_not_done_again() -> None:
    """Nobody knows how far it came; the message is delivered once more, as after every crash."""
    orders = Orders(dies=True)
    hearing = asyncio.create_task((await orders.desk()).answer_in_thread(ORDER))
    await settle()
    hearing.cancel()
    orders.dies = False
    desk = await orders.desk()
    await desk.answer_in_thread(ORDER)
    for _ in range(3):
        await orders.room.clock.move(60)
    assert orders.turned == 1
    assert (orders.told, orders.unsent()) == ([describe_cut_off(desk.handler.catalogue["pause"])], 0)
    (record,) = [record async for record in desk.handler.audit.records()]
    assert (record["interaction_id"], record["action"], record["outcome"]) == (ORDER.interaction_id, "pause", "failed")


async def test_a_disk_that_takes_nothing_keeps_no_order_from_being_done() -> None:
    """Its answer is shown, on no record."""
    orders = Orders()
    desk = await orders.desk()
    orders.room.talks.failures = [RetryLater("full")]
    await desk.answer_in_thread(ORDER)
    assert (orders.turned, orders.room.slack.notices, orders.unsent()) == (1, ["Turned."], 0)


async def test_what_only_reads_is_on_no_record() -> None:
    """It is asked again as well."""
    orders = Orders()
    orders.room.slack.untold = [Uncertain("cut")]
    await (await orders.desk()).answer_in_thread(
        command("status", via="thread", interaction_id=f"{CHANNEL}-100.000002")
    )
    assert (orders.told, orders.unsent(), orders.room.talks.saved) == ([], 0, {})
