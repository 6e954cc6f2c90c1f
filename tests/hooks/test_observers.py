"""Observers of events: told by intake, by the tasks and by the services, and told again after a start."""

from __future__ import annotations

from pathlib import Path

from bot.models.message import Message
from bot.models.service_state import ServiceState
from bot.models.thread import Thread
from tests.builders import OPERATOR, message
from tests.health import service_bench
from tests.intake.test_watcher import OpenThread, watcher
from tests.tasks import bench as tasks_bench


class Observer:
    """Observer with a memory."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.statuses: list[str] = []
        self.services: list[str] = []

    def note_message(self, message: Message) -> None:
        """Keep its words."""
        self.messages.append(message.content)

    def note_task(self, thread: Thread) -> None:
        """Keep its status."""
        self.statuses.append(thread.status)

    def note_service(self, state: ServiceState) -> None:
        """Keep its status."""
        self.services.append(str(state.status))


async def test_each_message_of_a_watched_channel_is_told() -> None:
    """Also one that comes again; a command and another channel are not."""
    intake, observer = watcher(OpenThread()), Observer()
    intake.observers.append(observer)
    for text, channel in (("deploy failed", "C0HELP"), ("secret", "C0OTHER")):
        await intake.add(message(text, chat_id=channel, ts="200.000001"))
    await intake.add(message("deploy failed", ts="200.000001"), replayed=True)
    assert observer.messages == ["deploy failed", "deploy failed"]


async def test_the_document_of_each_task_is_told(tmp_path: Path) -> None:
    """Live, and again at a start while the task is open."""
    bench, observer = await tasks_bench.Bench(tmp_path).start(), Observer()
    bench.orchestrator.open_threads.tasks.observers.append(observer)
    bench.failing.add("A")
    await bench.create("A", by=OPERATOR)
    await bench.settle()
    assert observer.statuses[-1] == "pending-user"
    assert "collecting" in observer.statuses
    await bench.stop()


async def test_a_service_that_turns_unhealthy_is_told(tmp_path: Path) -> None:
    """Once for each outage, and again at a start."""
    bench, observer = await service_bench.Bench(tmp_path).start(), Observer()
    bench.services.observers.append(observer)
    for status in ("healthy", "down", "degraded", "healthy", "down"):
        bench.checks.status["shop"] = status
        await bench.services.check("shop")
    assert observer.services == ["down", "down"]
    observer.services.clear()
    await bench.services.begin()
    assert observer.services == ["down"]
