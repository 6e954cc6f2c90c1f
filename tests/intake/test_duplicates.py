"""Duplicates at the watcher, with journals on disk: each thing is acted on once, and nothing is dropped unacted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.journal import NdjsonJournal
from bot.decide.classify.classifier import compile_rules
from bot.errors import RetryLater
from bot.intake.watched import Watched
from bot.intake.watcher import Watcher
from bot.models.interaction import Dialog, Press
from bot.models.thread_event import Deleted, Edited, MessageAdded, Overheard
from tests.builders import T0, fresh
from tests.fakes import HandClock, NobodyCommands, NothingMuted, OneOperator, team
from tests.intake.test_watcher import intake

OLD = f"{(T0 - timedelta(hours=3)).timestamp():.6f}"
"""The ts of a message from before any process of these tests."""


class Threads:
    """Keeps what reaches a thread, or fails as the test said; what its documents hold already changes nothing."""

    def __init__(self, known: set[str]) -> None:
        self.reached: list[str] = []
        self.failures: list[Exception] = []
        self._known = known

    def is_open(self, thread_id: str) -> bool:
        """None has work outstanding."""
        return False

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Nothing is open."""
        return False

    def find_thread(self, channel: str, ts: str) -> str | None:
        """No message has a thread yet."""
        return None

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """A question."""
        if self.failures:
            raise self.failures.pop()
        self.reached.append(message.message.content)
        new = message.message.home not in self._known
        self._known.add(message.message.home)
        return new

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """An edit or a deletion."""
        return False


class Desk:
    """Keeps what was pressed."""

    def __init__(self) -> None:
        self.pressed_ids: list[str] = []

    async def handle_press(self, press: Press, *, replayed: bool = False) -> None:
        """A button."""
        self.pressed_ids.append(press.interaction_id)

    async def handle_dialog(self, dialog: Dialog, *, replayed: bool = False) -> dict[str, str]:
        """A dialog."""
        return {}


class Intake:
    """One process's watcher on a home that outlives it."""

    def __init__(self, home: Path, clock: HandClock, known: set[str]) -> None:
        self.threads, self.desk, self.clock = Threads(known), Desk(), clock
        self._journals = [
            NdjsonJournal(home / f"{name}.ndjson", stop=None) for name in ("events", "events-classified", "audit")
        ]
        events, classified, audit = self._journals
        self.watcher = Watcher(
            events=events,
            classified=classified,
            team=team(compile_rules(bot_id="U0TRIAGE")),
            threads=self.threads,
            commands=NobodyCommands(),
            mutes=NothingMuted(),
            clock=clock,
            watched={"C0HELP": Watched("help", "live")},
            operators=OneOperator(),
        )
        self.dispatcher = intake(self.watcher, audit=audit, cards=self.desk)

    async def start(self) -> int:
        """As `app` does it; the answer is how much was recovered."""
        recovered = await self.dispatcher.recover()
        await self.watcher.recall()
        return recovered

    async def delivers(self, body: dict[str, Any]) -> None:
        """Slack delivers: the journal, the ack, then the rest."""
        await self.dispatcher.handle(await self.dispatcher.record(body))

    async def is_busy(self) -> None:
        """So much comes in that what came before is not among the newest records any more."""
        at = self.clock.now().isoformat()
        others = [{"kind": "event", "event_id": fresh(), "received_at": at} for _ in range(2_100)]
        await asyncio.gather(*(self.watcher.events.append(other) for other in others))

    async def stop(self) -> None:
        """The process ends."""
        for journal in self._journals:
            await journal.close()


@pytest.fixture
def process(tmp_path: Path) -> Callable[[], Intake]:
    """Starts one process after the other on the same home and the same clock."""
    clock, known = HandClock(), set[str]()
    return lambda: Intake(tmp_path, clock, known)


def event(event_id: str = "Ev1", text: str = "how does it work?", *, ts: str = OLD, kind: str = "message") -> Any:
    """What Slack sends of a message."""
    said = {"type": kind, "channel": "C0HELP", "user": "U0ANA", "text": text, "ts": ts}
    return {"type": "event_callback", "event_id": event_id, "team_id": "T0SANDBOX", "event": said}


@pytest.mark.parametrize("kinds", [("message", "app_mention"), ("app_mention", "message")])
async def test_a_retry_after_a_restart_is_acted_on_once(process: Callable[[], Intake], kinds: tuple[str, str]) -> None:
    """Twenty hours and two restarts later the event is still known, by its id and by its place; so is its twin, at
    once and then.
    """
    one, twin = event(kind=kinds[0]), event("Ev2", kind=kinds[1])
    first = process()
    await first.start()
    await asyncio.gather(first.delivers(one), first.delivers(twin))
    await first.is_busy()
    await first.stop()
    for _ in range(2):
        await first.clock.move(10 * 3600)
        again = process()
        assert await again.start() == 0
        await again.delivers(twin)
        await again.delivers(one)
        await again.watcher.caught_up(event("none"))
        assert again.threads.reached == []
        await again.is_busy()
        await again.stop()
    assert first.threads.reached == ["how does it work?"]


async def test_what_was_journaled_and_never_acted_on_is_acted_on_and_its_retry_is_not(
    process: Callable[[], Intake],
) -> None:
    """A crash between journal and action: the start acts, and the retry that comes later finds it done."""
    dying = process()
    await dying.dispatcher.record(event())
    await dying.stop()
    after = process()
    assert await after.start() == 1
    await after.delivers(event())
    assert after.threads.reached == ["how does it work?"]
    await after.stop()


async def test_what_was_never_journaled_is_new_whatever_its_retry_says(process: Callable[[], Intake]) -> None:
    """The retry may be the only delivery that ever arrived."""
    intake = process()
    await intake.start()
    await intake.delivers({**event(), "retry_attempt": 3, "retry_reason": "timeout"})
    assert intake.threads.reached == ["how does it work?"]
    await intake.stop()


async def test_a_delivery_that_failed_leaves_the_retry_its_chance(process: Callable[[], Intake]) -> None:
    """It was journaled and remembered, but not acted on."""
    intake = process()
    await intake.start()
    intake.threads.failures = [RetryLater("the disk is full")]
    with pytest.raises(RetryLater):
        await intake.delivers(event())
    await intake.delivers(event())
    await intake.delivers(event())
    assert intake.threads.reached == ["how does it work?"]
    await intake.stop()


async def test_while_the_journal_is_read_only_old_things_wait(process: Callable[[], Intake]) -> None:
    """A new question goes immediately; an old event waits until it is known whether it came before."""
    first = process()
    await first.start()
    await first.delivers(event())
    await first.stop()
    await first.clock.move(1)
    again = process()
    recalling = asyncio.create_task(again.watcher.recall())
    await asyncio.sleep(0)
    new = f"{(T0 + timedelta(seconds=2)).timestamp():.6f}"
    old, other = event(), event("Ev9", "how old is this?", ts=f"{OLD[:-1]}9")
    await asyncio.gather(
        again.delivers(old), again.delivers(other), again.delivers(event("Ev2", "what is new?", ts=new))
    )
    await recalling
    assert sorted(again.threads.reached) == ["how old is this?", "what is new?"]
    await again.stop()


async def test_a_day_later_it_is_new_again(process: Callable[[], Intake]) -> None:
    """What is older than a day is left to the documents, which know their messages."""
    first = process()
    await first.start()
    await first.delivers(event())
    await first.stop()
    await first.clock.move(26 * 3600)
    again = process()
    await again.watcher.recall()
    await again.delivers(event())
    assert again.threads.reached == ["how does it work?"]
    await again.stop()
