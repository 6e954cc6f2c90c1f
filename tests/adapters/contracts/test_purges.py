"""Purge: what names a person, a channel or a thread, or is old, goes from every part; the rest stays as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.models.conversation_record import ConversationRecord
from bot.models.judged_draft import COUNTED
from bot.models.purge_criterion import Criterion, PurgeCounts
from bot.ports.storage import JournalName, Storage
from tests.adapters.contracts.backends import Backend
from tests.adapters.contracts.test_threads import ended, new_thread
from tests.agents.test_ledger import session
from tests.builders import T0

ANA, OLU = "U0ANA", "U0OLU"
OLD, NEW = new_thread("100.000001"), new_thread("200.000001")
CHANNEL = OLD.thread_id.split("-")[1]
TALK = OLD.thread_id.replace("100.", "900.")
EARLY, LATE = T0, T0 + timedelta(days=40)
BETWEEN = T0 + timedelta(days=20)


def message(thread_id: str, user: str, at: datetime) -> dict[str, Any]:
    """A classified message."""
    team, channel, ts = thread_id.split("-")
    place = {"team_id": team, "chat_id": channel, "message_id": ts, "thread_id": thread_id}
    return {**place, "sender": {"id": user}, "received_at": at.isoformat(), "text": "\ud800"}


@pytest.fixture
async def storage(backend: Backend) -> Storage:
    """Two threads, of two people and times, with all that belongs to them."""
    storage = backend.storage
    store, sessions, tasks = storage.store(None), storage.sessions(), storage.task_files
    for thread, user, at in ((OLD, "U0TOM", EARLY), (NEW, OLU, LATE)):
        asked = tuple(each.evolve(sender_id=user) for each in thread.messages)
        await store.save(ended(thread, messages=asked, original_sender_id=user, last_event_at=at, closed_at=at))
        await tasks.save(f"task-{thread.thread_id[-10:-7].lower()}", "task.json", {"threadId": thread.thread_id})
    for number, (thread, user, at) in enumerate(((OLD, ANA, EARLY), (NEW, OLU, LATE))):
        await _append(storage, "events-classified", message(thread.thread_id, user, at))
        await _append(storage, "replies", {"thread_id": thread.thread_id, "posted_at": at.isoformat()})
        await sessions.save(session(number, thread_id=thread.thread_id, started_at=at))
        await storage.notes.change("shop", "log.md", lambda text, user=user: (text or "") + _passage(user))  # type: ignore[misc]  # bound at once
    await storage.conversations.save(ConversationRecord(conversation=TALK, saved_at=EARLY, refused=(ANA,)))
    await storage.json_file("muted").write({OLD.thread_id: ANA, NEW.thread_id: OLU})
    await storage.json_file("confirmations").write({"typed": "words"})
    await storage.json_file("schedule").write({"at": ANA})
    return storage


def _passage(user: str) -> str:
    return f"<!-- 2026-01-05 10:00 UTC, {user} in {CHANNEL} -->\nwords\n\n"


async def _append(storage: Storage, name: JournalName, record: dict[str, Any]) -> None:
    journal = storage.journal(name, None)
    await journal.append(record)
    await journal.close()


async def left(storage: Storage) -> dict[str, list[str]]:
    """What stays, by part."""
    replies = storage.journal("replies", None).records()
    messages = storage.journal("events-classified", None).records()
    return {
        "threads": await storage.store(None).thread_ids(),
        "replies": [record["thread_id"] async for record in replies],
        "messages": [record["thread_id"] async for record in messages],
        "sessions": [str(each.thread_id) for each in await storage.sessions().list_since(T0.date())],
        "muted": [*await storage.json_file("muted").read()],
        "tasks": sorted(await storage.task_files.names()),
        "conversations": [record.conversation for record in await storage.conversations.list_all()],
        "notes": [user for user in (ANA, OLU) if user in (await storage.notes.read("shop", "log.md") or "")],
    }


NONE = {name: list[str]() for name in ("threads", "replies", "messages", "sessions", "muted", "tasks")}
ALL = {
    **{name: [OLD.thread_id, NEW.thread_id] for name in ("threads", "replies", "messages", "sessions", "muted")},
    "tasks": ["task-100", "task-200"],
    "conversations": [TALK],
    "notes": [ANA, OLU],
}
OF_NEW = {
    **{name: [NEW.thread_id] for name in ("threads", "replies", "messages", "sessions", "muted")},
    "tasks": ["task-200"],
    "conversations": list[str](),
    "notes": [OLU],
}
OLD_GONE_BY_AGE = {**OF_NEW, "muted": ALL["muted"], "tasks": ALL["tasks"], "notes": ALL["notes"]}


@pytest.mark.parametrize(
    ("criterion", "expected", "counts"),
    [
        (Criterion(user=ANA), OF_NEW, PurgeCounts(records=6, documents=1)),
        (Criterion(user="U0NOBODY"), ALL, PurgeCounts()),
        (
            Criterion(thread_id=OLD.thread_id),
            {**OF_NEW, "conversations": [TALK], "notes": ALL["notes"]},
            PurgeCounts(records=3, documents=1),
        ),
        (
            Criterion(channel=CHANNEL),
            {**NONE, "conversations": [], "notes": []},
            PurgeCounts(records=10, documents=2),
        ),
        (Criterion(before=BETWEEN), OLD_GONE_BY_AGE, PurgeCounts(records=4, documents=1)),
    ],
    ids=["person", "stranger", "thread", "channel", "age"],
)
async def test_all_parts_are_purged_together(
    storage: Storage, backend: Backend, criterion: Criterion, expected: dict[str, list[str]], counts: PurgeCounts
) -> None:
    """First it is only counted; what was typed for a confirmation goes with any of them."""
    assert await storage.purge(criterion, really=False) == counts
    assert await left(storage) == ALL
    assert await storage.purge(criterion, really=True) == counts
    assert await left(backend.reopen()) == expected
    assert await storage.json_file("confirmations").exists() is False
    assert await storage.json_file("schedule").read() == {"at": ANA}


async def test_no_purge_by_age_takes_a_judgement_that_a_gate_counts(backend: Backend) -> None:
    """Nor a record of the services' history beside a running bot, which has an age of its own."""
    now = datetime.now(UTC)
    for days in (1, COUNTED.days + 9):
        await _append(backend.storage, "judgements", {"at": (now - timedelta(days=days)).isoformat(), "n": days})
        await _append(backend.storage, "health", {"at": (now - timedelta(days=days)).isoformat(), "n": days})
    assert await backend.storage.purge(Criterion(before=now), really=True) == PurgeCounts(records=3)
    assert [record["n"] async for record in backend.storage.journal("judgements", None).records()] == [1]


ROWS = [
    {"chat_id": "C1", "message_id": "1.1", "by": "U0OPS"},
    {"chat_id": "C1", "message_id": "2.1", "by": "U0ADA"},
    {"chat_id": "C2", "message_id": "3.1", "by": None},
]


@pytest.mark.parametrize(
    ("criterion", "remaining"),
    [
        (Criterion(user="U0ADA"), ["1.1", "3.1"]),
        (Criterion(channel="C2"), ["1.1", "2.1"]),
        (Criterion(thread_id="T0-C1-1.1"), ["2.1", "3.1"]),
        (Criterion(user="U0BOSS"), []),
        (Criterion(user="U0NOBODY"), ["1.1", "2.1", "3.1"]),
    ],
)
async def test_only_rows_of_samples_that_are_named_go(
    backend: Backend, criterion: Criterion, remaining: list[str]
) -> None:
    """The whole sample goes with the person who got it."""
    samples = backend.storage.json_file("samples")
    await samples.write({"2026-01-05": {"operator": "U0BOSS", "channel": "D0", "ts": "9.9", "rows": ROWS}})
    await backend.storage.purge(criterion, really=True)
    saved = (await samples.read()).values()
    assert [row["message_id"] for sample in saved for row in sample["rows"]] == remaining


async def test_damaged_state_stays(backend: Backend) -> None:
    """It is no reason to stop."""
    samples = backend.storage.json_file("samples")
    await samples.write({"2026-01-05": 3})
    await backend.storage.purge(Criterion(user="U0ADA"), really=True)
    assert await samples.read() == {"2026-01-05": 3}
