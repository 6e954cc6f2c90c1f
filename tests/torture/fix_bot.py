"""A bot in a torture of fixes: it takes one fix from its draft to its merge request, with real documents and real git.

Its operator presses *Open Merge Request* once the message of the fix shows the change. Orders for its faults stand in
`bot-1.json` beside the home, and so on, one file for each bot that is started.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot import isolation
from bot.adapters.clock import SystemClock
from bot.adapters.documents import Documents
from bot.adapters.journal import NdjsonJournal
from bot.models.effect import DraftFix, OpenMergeRequest
from bot.models.fix import FixOrder, FixResult
from bot.models.fix_event import MergeRequestPressed
from bot.models.merge_request import ForgeSite
from bot.models.thread import Thread
from bot.runtime import failpoints
from bot.runtime.failpoints import passing
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.fix_messages import FixMessages
from bot.surfaces.request_links import RequestLinks
from bot.triage.fix_runs import FixRuns
from tests.builders import OPERATOR
from tests.fakes import card_renderer, orchestrator
from tests.fix_bench import FixBench
from tests.fixes import fix_of, proposal
from tests.torture.faults import Faults, read, take_orders

GLANCE = 0.02
"""Seconds between two looks at the document."""


@dataclass
class FileChat:
    """A direct message whose posts are lines of a file."""

    file: Path

    async def open_dm(self, user: str) -> str:
        """Its channel."""
        return f"D{user}"

    async def permalink(self, *, channel: str, ts: str) -> str:
        """An address."""
        return f"https://x.slack.com/archives/{channel}/p{ts}"

    async def post(self, **arguments: Any) -> str:
        """Append a line."""
        with passing("slack.post", "chat.postMessage"), self.file.open("a") as file:
            file.write(f"{json.dumps(arguments['metadata']['event_payload'])}\n")
        return f"{len(self._nonces())}.5"

    async def update(self, **_: Any) -> None:
        """Change it."""
        with passing("slack.post", "chat.update"):
            return

    async def find_in_channel(self, *, nonce: str, **_: Any) -> str | None:
        """Look it up."""
        return f"{self._nonces().index(nonce) + 1}.5" if nonce in self._nonces() else None

    def _nonces(self) -> list[str]:
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [json.loads(line)["nonce"] for line in lines]


@dataclass
class Committing:
    """A drafter whose change is committed unless it was (`FixDrafter`)."""

    bench: FixBench

    def find_refusal(self, _: Thread) -> str | None:
        """Refuse nothing."""
        return None

    def find_repository(self, _: Thread) -> str | None:
        """Name the one."""
        return "shop"

    def is_started(self, _: str) -> bool:
        """Begin again: each step looks first."""
        return False

    async def draft(self, thread: Thread, order: FixOrder) -> FixResult:
        """Commit the change."""
        base, head = await self.bench.commit(order.slug)
        return FixResult(proposal=proposal(thread, base=base, head=head))

    async def stop(self, _: str) -> None:
        """End nothing."""


async def live(lane: Path) -> None:
    """One bot's life."""
    isolation.configure("off")
    if orders := take_orders(lane, "bot"):
        failpoints.arm(Faults(read(orders)))
    forge = json.loads((lane / "forge.json").read_text())
    audit = NdjsonJournal(lane / "home" / "audit.ndjson", stop=None, may_refuse=False)
    bench = FixBench(lane, ForgeSite.model_validate(forge["site"]), forge["variables"], audit=audit)
    store, clock = Documents(lane / "home" / "state", stop=None), SystemClock()
    requests = bench.build()
    runs = FixRuns(
        drafter=Committing(bench),
        repositories=requests.repositories,
        workspaces=requests.workspaces,
        clock=clock,
        is_stopped=lambda: False,
    )
    views: list[Any] = []

    async def run(thread: Thread, effect: Any) -> Any:
        match effect:
            case DraftFix(run_id=run_id):
                return await runs.draft(thread, run_id)
            case OpenMergeRequest(run_id=run_id):
                return await requests.open(thread, run_id)
        return None

    def draw(thread: Thread) -> None:
        for view in views:
            view.redraw(thread)

    queue = orchestrator(store, run=run, draw=draw)
    chat: Any = FileChat(lane / "posts.ndjson")
    messages = FixMessages(
        chat=chat,
        clock=clock,
        pictures=card_renderer(chat),
        threads=queue,
        shared=CardChannel(),
        search_delay_seconds=0.05,
    )
    views += [messages, RequestLinks(clock=clock, threads=queue)]
    (name,) = await store.thread_ids()
    thread = await store.load(name)
    assert thread is not None
    messages.redraw(thread, look_up=True)
    await queue.start()
    await _operate(queue, store, name, clock)
    await audit.close()
    with passing("torture.end", "end.json"):
        (lane / "end.json").write_text("{}")


async def _operate(queue: Any, store: Documents, name: str, clock: SystemClock) -> None:
    """Press once the message shows a change, until the reply has the link and every view shows the end."""
    while True:
        thread = await store.load(name)
        assert thread is not None
        fix = fix_of(thread)
        if fix.state == "proposed" and not fix.is_behind and fix.proposal:
            press = MergeRequestPressed(
                at=clock.now(),
                fresh=clock.new_id(),
                by=OPERATOR,
                number=fix.number,
                nonce=fix.nonce,
                sha=fix.proposal.head,
            )
            await queue.submit(name, press)
        if fix.state == "failed" or (fix.state == "opened" and fix.linked_in is not None and not fix.is_behind):
            return
        await asyncio.sleep(GLANCE)


def main(lane: Path) -> None:
    """Live in a process of its own."""
    asyncio.run(live(lane))
