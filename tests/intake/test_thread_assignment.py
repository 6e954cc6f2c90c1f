"""Assignment of messages to threads, by table, with the real rules and the real state machine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.decide.workflow import advance
from bot.intake.classification import MessageClassifier
from bot.intake.incoming_message import read_edit
from bot.intake.watched import Watched
from bot.models.message import Message, thread_id
from bot.models.thread_event import MessageAdded
from tests.builders import CHANNEL, TEAM
from tests.decide.test_workflow import replied
from tests.fakes import HandClock, MemoryJournal, team
from tests.intake.assigning import ASKS, BEN, BOT, MARKED, ROOT, WORDS, Documents, MutedThreads, assigner, said


def answered() -> Documents:
    """Return documents with one answered question; its reply is of the first second."""
    threads = Documents()
    threads.save(replied().evolve(posted_message_id="101.000001"))
    return threads


@pytest.mark.parametrize(
    ("messages", "events"),
    [
        pytest.param([said(0, ASKS)], ["0>0 asks"], id="a question opens its thread"),
        pytest.param([said(0, "it runs on two machines")], [], id="a remark opens none"),
        pytest.param([said(0, "thanks!")], [], id="nor do thanks"),
        pytest.param([said(0, "that does not work for us either")], ["0>0 asks"], id="trouble that denies no reply"),
        pytest.param([said(0, ASKS, sender="U0OUT")], [], id="nor an outsider's question"),
        pytest.param(
            [said(0, ASKS), said(1, "it runs on two machines"), said(2, "how is it raised?")],
            ["0>0 asks", "1>0 asks joins", "2>0 asks joins"],
            id="what follows in the breath joins it",
        ),
        pytest.param(
            [said(0, "it runs on two machines"), said(1, ASKS)],
            ["1>1 asks", "0>1 asks joins"],
            id="what led up to it joins it",
        ),
        pytest.param(
            [said(3, "deployed v3 to staging"), said(0, ASKS), said(2, "it runs on two machines")],
            ["0>0 asks", "3>0 asks joins", "2>0 asks joins"],
            id="a late message joins with what follows it",
        ),
        pytest.param(
            [said(0, ASKS), said(1, "how is it raised?"), said(1, "how is it raised?")],
            ["0>0 asks", "1>0 asks joins", "1>0 asks joins"],
            id="a message that has joined opens no thread",
        ),
        pytest.param([said(0, ASKS), said(9, ASKS)], ["0>0 asks", "9>9 asks"], id="later it is another question"),
        pytest.param([said(0, ASKS), said(1, ASKS, BEN)], ["0>0 asks", "1>1 asks"], id="so it is of somebody else"),
        pytest.param(
            [said(0, f"<@{BOT}> where is Mount defined?"), said(1, f"<@{BOT}> where is TestClient defined?")],
            ["0>0 asks mentioned", "1>1 asks mentioned"],
            id="two whole questions to the bot",
        ),
        pytest.param(
            [said(0, ASKS), said(9, "nvm, found it")], ["0>0 asks", "9>0 asks joins"], id="settled in the channel"
        ),
        pytest.param(
            [said(0, ASKS), said(9, "```\nlimit: 3\n```", chat_name="general")],
            ["0>0 asks", "9>0 asks joins"],
            id="code in the channel",
        ),
        pytest.param([said(0, ASKS), said(9, "it runs on two machines")], ["0>0 asks"], id="a remark later"),
        pytest.param(
            [said(0, ASKS), said(5, "deployed v3 to staging", BEN), said(9, "nvm, found it")],
            ["0>0 asks"],
            id="settled after somebody else wrote",
        ),
        pytest.param(
            [said(0, ASKS), said(9, "perhaps in the settings", BEN, root=0)],
            ["0>0 asks", "9>0 overheard"],
            id="somebody else's remark in the thread",
        ),
        pytest.param([said(0, ASKS), said(9, "thanks!", BEN, root=0)], ["0>0 asks"], id="somebody else's thanks"),
        pytest.param(
            [said(0, ASKS), said(9, "thanks!", root=0)], ["0>0 asks", "9>0 overheard ack"], id="the asker's thanks"
        ),
        pytest.param(
            [said(0, ASKS), said(9, "I use a bot", "B0T", root=0, sender_type="bot")],
            ["0>0 asks"],
            id="a program's remark in the thread",
        ),
        pytest.param(
            [said(9, "it runs on two machines", root=0), said(10, "me too", BEN, root=0), said(0, ASKS)],
            ["0>0 asks", "9>0"],
            id="the asker's early reply is taken with the question",
        ),
    ],
)
async def test_a_message_goes_to_its_thread(messages: list[Message], events: list[str]) -> None:
    """Messages in the order of delivery, and the events that threads are given."""
    threads = Documents()
    one = assigner(threads)
    for each in messages:
        await one.take(each, "live")
    assert threads.assigned() == events
    assert {event.mode for _, event in threads.events if isinstance(event, MessageAdded)} <= {"live"}


@pytest.mark.parametrize(
    ("reply", "event"),
    [
        pytest.param(said(9, "and on arm?", root=0), "9>0 asks", id="a question"),
        pytest.param(said(9, "it runs on two machines", root=0), "9>0", id="a remark"),
        pytest.param(said(9, "thanks!", root=0), "9>0 overheard ack", id="thanks"),
        pytest.param(said(9, "one more thing", root=0), "9>0 asks", id="another question is announced"),
        pytest.param(said(9, "that did not help", root=0), "9>0 asks denies", id="a denial"),
        pytest.param(
            said(9, "that does not work for us either", BEN, root=0), "9>0 denies", id="somebody else's denial"
        ),
        pytest.param(said(9, "nope", root=0), "9>0 denies", id="a bare denial"),
        pytest.param(said(9, "nope", BEN, root=0), None, id="somebody else's bare denial"),
        pytest.param(said(9, "for the record: it was the cache", root=0), "9>0 is_served", id="the cause"),
        pytest.param(said(9, "everything is green again", root=0), "9>0 is_served", id="good news"),
        pytest.param(said(9, "perhaps in the settings", BEN, root=0), None, id="somebody else's remark"),
        pytest.param(said(9, "thanks!"), "9>0 overheard ack", id="thanks in the channel"),
        pytest.param(said(9, "nvm, found it"), None, id="a settlement in the channel"),
        pytest.param(said(9, "thanks!", BEN), None, id="somebody else's thanks in the channel"),
        pytest.param(said(1000, "thanks!"), None, id="thanks in the channel much later"),
    ],
)
async def test_a_message_after_the_reply(reply: Message, event: str | None) -> None:
    """Feedback of the asker and of others."""
    threads = answered()
    one = assigner(threads)
    home = thread_id(TEAM, CHANNEL, ROOT)
    one.debouncer.restore(threads.documents[home])
    one.debouncer.note(said(0, ASKS), home)
    one.message_classifier.classify(said(0, ASKS), one.team.classifier)
    one.message_classifier.note_reply(CHANNEL, home, "101.000001")
    at = datetime.fromtimestamp(float(reply.message_id), UTC)
    is_changed = await one.take(reply.evolve(create_time=at), "live")
    assert (threads.assigned(), threads.accepted) == (([event], [is_changed]) if event else ([], []))


@pytest.mark.parametrize(
    ("messages", "events"),
    [
        pytest.param([said(0, ASKS, "B0T", sender_type="bot")], [], id="a program's message opens nothing"),
        pytest.param([said(0, ASKS, "U0X", sender_type="bot")], [], id="nor does one that writes under a person's id"),
    ],
)
async def test_programs_open_no_thread_unless_a_setting_names_them(messages: list[Message], events: list[str]) -> None:
    """A question of another bot is none."""
    threads = Documents()
    for each in messages:
        assert not await assigner(threads).take(each, "live")
    assert threads.assigned() == events


async def test_an_alert_opens_a_thread_once_in_a_while() -> None:
    """Two bots that answer each other come to an end."""
    rules = compile_rules(bot_id=BOT, ack_patterns=(), question_keywords=(), alert_bots=("B0ALERT",))
    threads = Documents()
    one = assigner(threads, team=team(rules))
    alert = "Error: connection refused"
    for second in (0, 5):
        await one.take(said(second, alert, "B0ALERT", sender_type="bot", root=0 if second else None), "live")
    assert threads.assigned() == ["0>0 asks"]


@pytest.mark.parametrize(
    ("text", "events"), [("it runs on two machines", ["9>0 overheard"]), (ASKS, ["9>0 overheard"]), ("thanks!", [])]
)
async def test_a_silent_channel_opens_nothing_and_only_makes_a_draft_stale(text: str, events: list[str]) -> None:
    """A card of before it was silent may wait."""
    threads = Documents()
    one = assigner(threads)
    await one.take(said(0, ASKS), "live")
    await one.take(said(50, ASKS), "silent")
    await one.take(said(9, text, root=0), "silent")
    await one.take(said(51, "how is it raised?"), "live")
    assert threads.assigned() == ["0>0 asks", *events, "51>51 asks"]


async def test_a_muted_thread_is_told_so() -> None:
    """Only a mention is heard there."""
    threads = Documents()
    one = assigner(threads, mutes=MutedThreads())
    await one.take(said(0, ASKS), "live")
    await one.take(said(9, f"<@{BOT}> {ASKS}"), "live")
    assert threads.assigned() == ["0>0 asks muted", "9>9 asks mentioned"]
    assert list(threads.documents) == [thread_id(TEAM, CHANNEL, "109.000001")]


async def test_a_message_waits_for_the_thread_of_the_question_before_it() -> None:
    """The question is still being handed over when the second message comes; a third in its thread waits too."""
    threads, handed_over = Documents(), asyncio.Event()

    async def wait_for_the_first(message: Message) -> None:
        if message.message_id == ROOT:
            await handed_over.wait()

    threads.before_add = wait_for_the_first
    one = assigner(threads)
    messages = (said(0, ASKS), said(1, "it runs on two machines"), said(2, "deployed v3 to staging", root=0))
    tasks = []
    for each in messages:
        tasks.append(asyncio.create_task(one.take(each, "live")))
        await asyncio.sleep(0)
    wait = asyncio.create_task(one.wait_until_assigned(CHANNEL, "101.000001"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert (threads.assigned(), wait.done()) == ([], False)
    handed_over.set()
    await asyncio.gather(*tasks, wait)
    assert threads.assigned()[0] == "0>0 asks"
    assert sorted(threads.assigned()[1:]) == ["1>0 asks joins", "2>0 asks joins"]


async def test_a_message_asks_for_itself_where_its_question_was_not_taken_up() -> None:
    """The thread of the first one is muted, so the second opens its own."""
    threads = Documents()
    one = assigner(threads, mutes=MutedThreads())
    await one.take(said(0, ASKS), "live")
    await one.take(said(1, "how is it raised?"), "live")
    assert threads.assigned() == ["0>0 asks muted", "1>0 asks joins muted", "1>1 asks muted"]


async def test_a_record_brings_a_message_back_to_the_thread_that_it_joined() -> None:
    """After a restart nothing is classified again, and the window is as it was."""
    threads = Documents()
    one = assigner(threads)
    await one.take(said(0, ASKS), "live")
    home = thread_id(TEAM, CHANNEL, ROOT)
    record = {"classification": "ambient", "joined": home}
    assert await one.take(said(9, "it runs on two machines"), "live", replayed=True, record=record)
    assert await one.take(said(10, "in staging"), "live")
    assert threads.assigned() == ["0>0 asks", "9>0 asks joins replayed", "10>0 asks joins"]


async def test_early_replies_are_taken_once_their_thread_is_open() -> None:
    """In watched channels, and the asker's alone."""
    threads = Documents()
    one = assigner(threads)
    await one.take(said(9, "it runs on two machines", root=0), "live")
    await one.take(said(10, "me too", BEN, root=0), "live")
    watched = {CHANNEL: Watched("help-platform", "live")}
    assert (await one.take_early(watched), threads.events) == (0, [])
    await one.take(said(61, "in staging", root=60), "live")
    for second in (0, 60):
        threads.save(advance(None, _opens(said(second, ASKS)), WORDS).thread or replied())
    assert await one.take_early({}) == 0
    assert await one.take_early(watched) == 2
    assert sorted(threads.assigned()) == ["61>60", "9>0"]
    assert {event.mode for _, event in threads.events if isinstance(event, MessageAdded)} == {"live"}
    assert await one.take_early(watched) == 0


def _opens(message: Message) -> MessageAdded:
    return MessageAdded(
        at=HandClock().now(), fresh="run", message=message, mode="live", operator="U0OPS", mentioned=False
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (ASKS, {"asks": True, "is_empty": False}),
        ("it runs on two machines", {"asks": False, "is_empty": False}),
        ("thanks!", {"asks": False, "is_empty": True}),
        (f"@{BOT} thanks!", {"asks": False, "is_empty": True}),
        (f"@{BOT}", {"asks": False, "is_empty": True}),
        (f"@{BOT} it runs on two machines", {"asks": False, "is_empty": False}),
    ],
)
def test_an_edited_message_is_read_by_itself(text: str, result: dict[str, bool]) -> None:
    """It may ask by now, or say nothing any more."""
    assert read_edit(said(0, text), assigner(Documents()).team.classifier) == result


async def test_a_request_to_be_quiet_goes_to_no_thread() -> None:
    """It was handled before a restart, so its record is not handled again."""
    threads = Documents()
    one = assigner(threads, mutes=MutedThreads())
    await one.take(said(0, f"<@{BOT}> {ASKS}"), "live")
    assert await one.take(said(9, "hush", root=0), "live")
    assert threads.assigned() == ["0>0 asks mentioned"]
    await one.take(said(9, "hush", root=0), "live", replayed=True, record={"classification": "ambient"})
    assert threads.assigned()[1:] == ["9>0 muted replayed"]


async def test_a_question_carries_the_outsider_who_asks_it() -> None:
    """Its card marks them."""
    threads = Documents()
    await assigner(threads).take(said(0, ASKS, "U0MARKED"), "live")
    ((_, event),) = threads.events
    assert isinstance(event, MessageAdded)
    assert (event.external, event.operator) == (MARKED, "U0OPS")


async def test_a_denial_in_a_thread_that_is_open_again_is_part_of_its_question() -> None:
    """It denies nothing that was posted since."""
    threads = answered()
    one = assigner(threads)
    home = thread_id(TEAM, CHANNEL, ROOT)
    one.message_classifier.classify(said(0, ASKS), one.team.classifier)
    one.message_classifier.note_reply(CHANNEL, home, "101.000001")
    await one.take(said(9, "and on arm?", root=0), "live")
    await one.take(said(10, "that did not help", root=0), "live")
    assert [each for each in threads.assigned() if "denies" in each] == []


@pytest.mark.parametrize(
    ("record", "events"),
    [
        ({"classification": "actionable"}, ["9>9 asks replayed"]),
        ({"classification": "ambient"}, []),
        ({"classification": "actionable", "joined": thread_id(TEAM, CHANNEL, ROOT)}, ["9>0 asks joins replayed"]),
    ],
)
async def test_a_record_is_followed_after_a_restart(record: dict[str, Any], events: list[str]) -> None:
    """The class and the thread that it names, whatever the text says now."""
    threads = Documents()
    is_changed = await assigner(threads).take(said(9, "deployed v3 to staging"), "live", replayed=True, record=record)
    assert (threads.assigned(), is_changed) == (events, "joined" not in record and bool(events))


async def test_a_replayed_message_in_a_silent_channel_is_told_as_one() -> None:
    """What was left out before the restart stays out."""
    threads = Documents()
    one = assigner(threads)
    await one.take(said(0, ASKS), "live")
    await one.take(said(9, ASKS, root=0), "silent", replayed=True, record={"classification": "actionable"})
    assert threads.assigned()[1:] == ["9>0 overheard replayed"]


async def test_the_journal_names_the_thread_that_a_message_joined() -> None:
    """A restart reads it there."""
    threads, journal, clock = Documents(), MemoryJournal(), HandClock()
    classifier = MessageClassifier(classified=journal, threads=threads, clock=clock)
    one = assigner(threads, message_classifier=classifier)
    for each in (said(0, "it runs on two machines"), said(1, ASKS), said(2, "deployed v3 to staging")):
        await one.take(each, "live")
    home = thread_id(TEAM, CHANNEL, "101.000001")
    joined = [(each["message_id"][:3], each.get("joined")) for each in journal.kept]
    assert joined == [("100", None), ("101", None), ("100", home), ("102", home)]
