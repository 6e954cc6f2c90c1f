"""A home with many threads in it, for measuring what they cost."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.decide.slug import slug
from bot.models.thread_event import Due
from tests.builders import added, at, found, fresh, moved, validated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def fill(home: Path, count: int, *, every: int) -> None:
    """Threads on disk, as their store writes them; one in `every` waits for its operator, the others are closed.

    Each has the folder of its task, which is empty.
    """
    folder = home / "state"
    folder.mkdir(parents=True)
    (home / "tasks").mkdir()
    write = _writer()
    for number in range(count):
        name, content = write(number, number % every == 0)
        (folder / name).write_text(content)
        (home / "tasks" / named(name.removesuffix(".json"))).mkdir()


def named(thread_id: str) -> str:
    """The task of a thread that was filled in."""
    return slug(f"where is the limit of {int(thread_id.rpartition('-')[2].partition('.')[0]) % 977} set?", thread_id)


def _writer() -> Callable[[int, bool], tuple[str, str]]:
    newest = int(time.time())
    thread = moved(None, added(ts="100.000001"))
    thread = moved(thread, Due(at=at(60), fresh=fresh()))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    card = thread.card.evolve(channel="D0OPS", ts="90.000001", drawn=thread.revision)
    waiting = thread.evolve(card=card, version=1, due_at=datetime.now(UTC) + timedelta(hours=72))
    texts = {True: waiting, False: waiting.evolve(status="closed", outcome="dismissed", due_at=None)}
    contents = {is_open: json.dumps({"thread": {"1": made.model_dump(mode="json")}}) for is_open, made in texts.items()}

    def write(number: int, is_open: bool) -> tuple[str, str]:
        ts = f"{newest - number}.000001"
        thread_id = thread.thread_id.replace("100.000001", ts)
        content = contents[is_open].replace("100.000001", ts)
        return f"{thread_id}.json", content.replace(thread.task or "", named(thread_id))

    return write
