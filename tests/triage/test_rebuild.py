"""A thread made anew from the journals, whatever else they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.slug import slug
from bot.models.label import label_record
from bot.models.order_record import OrderRecord
from bot.triage.rebuild import Rebuilder
from bot.triage.rebuilt_incidents import RebuiltIncidents
from bot.triage.rebuilt_tasks import RebuiltTasks
from tests.builders import ASKER, CHANNEL, LIMITS, OPERATOR, T0, at, message
from tests.decide.ordered import order
from tests.fakes import HandClock, MemoryJournal, MemoryKept, operators

if TYPE_CHECKING:
    from bot.models.status import Mode

RECORD = {
    "incident_id": "inc1",
    "group": "payments",
    "groups": ["payments"],
    "services": ["payments"],
    "since": at(-60).isoformat(),
    "opened_at": at(0).isoformat(),
    "worst": {"payments http": "down"},
    "thread_id": message().home,
    "chat_id": CHANNEL,
}
POSTED = {"posted_at": at(60).isoformat(), "posted_message_id": "160.000001"}


class Folders:
    """Folders of tasks, by name."""

    def __init__(self, *names: str) -> None:
        self._names = names

    async def names(self) -> list[str]:
        """All of them."""
        return [*self._names]


def rebuilder(
    classified: MemoryJournal,
    *,
    incidents: MemoryKept | None = None,
    orders: MemoryKept | None = None,
    folders: tuple[str, ...] = (),
    **journals: MemoryJournal,
) -> Rebuilder:
    """A rebuilder of these journals, and of these records of incidents."""
    clock, team = HandClock(), operators(OPERATOR)
    modes: dict[str, Mode] = {CHANNEL: "live"}
    records = RebuiltIncidents(
        file=incidents or MemoryKept(),
        clock=clock,
        modes=modes,
        channel_names={CHANNEL: "ops"},
        operators=team,
        bot_user_id="U0BOT",
    )
    return Rebuilder(
        classified=classified,
        labels=journals.get("labels", MemoryJournal()),
        replies=journals.get("replies", MemoryJournal()),
        limits=LIMITS,
        clock=clock,
        modes=modes,
        operators=team,
        incidents=records,
        tasks=RebuiltTasks(file=orders or MemoryKept(), clock=clock, operators=team),
        folders=Folders(*folders),
    )


async def question() -> MemoryJournal:
    """The journal of one question."""
    asked = message("how often is a payment retried?")
    judged = compile_rules(bot_id="U0TRIAGE").classify(asked, thread_is_open=False, at=at())
    journal = MemoryJournal()
    await journal.append({**asked.model_dump(mode="json"), **judged.record()})
    return journal


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ((), "often-payment-retried"),
        (("link",), "link"),
        (("link", "often-payment-retried"), "often-payment-retried"),
        (("other-0101-0000-aaaaaa",), "often-payment-retried"),
    ],
)
async def test_a_rebuilt_thread_finds_the_folder_of_its_task(words: tuple[str, ...], kept: str) -> None:
    """Also one that an earlier version has named by other words."""
    ending = slug("", message().home).removeprefix("question")
    names = (each if each.endswith("aaaaaa") else f"{each}{ending}" for each in words)
    thread = await rebuilder(await question(), folders=tuple(names)).rebuild(message().home)
    assert thread
    assert thread.task == f"{kept}{ending}"


async def reply_below() -> MemoryJournal:
    """The journal of a person's reply below the message of an incident."""
    reply = message("is it the deploy?", ts="130.000001", root=message().message_id)
    judged = compile_rules(bot_id="U0TRIAGE").classify(reply, thread_is_open=True, at=at(30))
    journal = MemoryJournal()
    await journal.append({**reply.model_dump(mode="json"), **judged.record(), "joined": message().home})
    return journal


@pytest.mark.parametrize("recovered_at", [None, at(600).isoformat()])
async def test_the_thread_of_an_incident_is_rebuilt_as_one(recovered_at: str | None) -> None:
    """Its reply is no question of its own; a recovery closes it, and its line is looked up before it is posted."""
    records = MemoryKept(inc1=RECORD | {"recovered_at": recovered_at})
    thread = await rebuilder(await reply_below(), incidents=records).rebuild(message().home)
    assert thread is not None
    assert thread.incident is not None
    assert (thread.original_sender_id, len(thread.messages), thread.is_about_incident) == ("U0BOT", 2, True)
    assert thread.chat_name == "ops"
    assert (thread.incident.services, thread.incident.is_over) == (("payments",), recovered_at is not None)
    assert (thread.status, thread.outcome) == (("closed", "recovered") if recovered_at else ("collecting", None))
    assert bool(thread.incident.recovery) == (recovered_at is not None)
    assert thread.incident.recovery is None or thread.incident.recovery.is_begun


@pytest.mark.parametrize(
    "records", [{}, {"inc1": RECORD | {"thread_id": "T0-C0-1.0"}}, {"inc1": RECORD | {"worst": {}}}, {"inc1": {}}]
)
async def test_replies_alone_are_no_thread(records: dict[str, Any]) -> None:
    """Without a record of the opening nothing is rebuilt, and nobody's reply becomes a question."""
    assert await rebuilder(await reply_below(), incidents=MemoryKept(**records)).rebuild(message().home) is None


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (POSTED, "closed"),
        ({**POSTED, "posted_at": 5}, "collecting"),
        ({**POSTED, "posted_at": "2026-01-05"}, "collecting"),
        ({**POSTED, "posted_at": "soon"}, "collecting"),
        ({**POSTED, "posted_message_id": "x"}, "collecting"),
        ({}, "collecting"),
    ],
)
async def test_a_record_that_makes_no_sense_stops_nothing(reply: dict[str, Any], status: str) -> None:
    """A start makes threads anew, and must not end by a line that the disk has changed."""
    asked = message()
    judged = compile_rules(bot_id="U0TRIAGE").classify(asked, thread_is_open=False, at=T0)
    classified, replies = MemoryJournal(), MemoryJournal()
    await classified.append({**asked.model_dump(mode="json"), **judged.record()})
    await replies.append({**reply, "thread_id": asked.home})
    made = await rebuilder(classified=classified, replies=replies).rebuild(asked.home)
    assert made
    assert made.status == status


@pytest.mark.parametrize(
    ("why", "broken", "made"),
    [
        ("missed_this", {}, True),
        ("not_for_us", {}, False),
        ("missed_this", {"at": "soon"}, False),
        ("missed_this", {"message": {}}, False),
    ],
)
async def test_what_a_person_called_missed_is_played_again(why: Any, broken: dict[str, Any], made: bool) -> None:
    """The rules had left the message alone, and its judgement says so still."""
    asked = message("the invoices of May look odd")
    judged = compile_rules(bot_id="U0TRIAGE").classify(asked, thread_is_open=False, at=T0)
    assert judged.classification == "ambient"
    classified, labels = MemoryJournal(), MemoryJournal()
    await classified.append({**asked.model_dump(mode="json"), **judged.record()})
    label = label_record(asked, "actionable", by=OPERATOR, at=T0, why=why, interaction_id="i")
    await labels.append(label | {"why": why} | broken)
    thread = await rebuilder(classified=classified, labels=labels).rebuild(asked.home)
    assert (thread is not None and thread.messages[0].content == asked.content) == made


@pytest.mark.parametrize("is_replied", [False, True])
async def test_the_thread_of_a_created_task_is_rebuilt_from_its_order(is_replied: bool) -> None:
    """It waits for its start again, with the messages below it; an approved reply closes it."""
    record = OrderRecord(order=order(), chat_id=CHANNEL, thread_id=message().home)
    orders = MemoryKept(**{order().order_id: record.model_dump(mode="json")})
    replies = MemoryJournal()
    if is_replied:
        await replies.append(POSTED | {"thread_id": message().home})
    thread = await rebuilder(await reply_below(), orders=orders, replies=replies).rebuild(message().home)
    assert thread is not None
    assert (thread.is_about_order, thread.original_sender_id, len(thread.messages)) == (True, ASKER, 2)
    assert (thread.status, thread.due_at) == ("closed" if is_replied else "collecting", None)
    assert thread.task.startswith("list-limits-")


async def test_an_unreadable_book_rebuilds_nothing() -> None:
    """Replies alone are no task."""
    assert await rebuilder(await reply_below(), orders=MemoryKept(x={})).rebuild(message().home) is None
