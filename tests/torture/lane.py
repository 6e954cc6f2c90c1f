"""One home with its workspace, and a bot that is started again whenever it dies, as a service manager would."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from bot.adapters.journal.parts import parts
from bot.models.thread import Thread
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from tests.line.conftest import QUIET, SETTINGS, SHOP
from tests.torture.clock import Hands
from tests.torture.faults import VARIABLE, Order, written
from tests.torture.nursery import KILLED, Nursery, Process
from tests.torture.patience import STILL, Patience
from tests.torture.workspace import Workspace

ACK_TIMEOUT = 0.4
RETRY_AFTER = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6, *(3.2,) * 20)
"""Seconds; Slack waits three for an ack and up to five minutes between deliveries. It goes on for as long as a slow
machine may need: what is lost here, the bot has lost."""

SETTLING = 0.2
"""Seconds that a doubtful post may settle; a killed post is on loopback, where nothing is still on its way."""

MORE_OPERATORS = "operators: [U0OPS, U0ADMIN]"


class Lane:
    """One run's world. `starts` orders what befalls the first start of the bot, the second, and so on."""

    def __init__(self, folder: Path, workspace: Workspace, nursery: Nursery) -> None:
        self.folder, self.workspace = folder, workspace
        self.clock = Hands(folder / "clock")
        """The bot's clock; Slack has its own."""
        self.settling = SETTLING
        self.home, self.config = folder / "home", folder / "triage.yml"
        self.starts: list[Sequence[Order]] = []
        self.deaths = 0
        self.bot: Process | None = None
        self._nursery = nursery
        self._stopping = False
        self._keeping: asyncio.Task[None] | None = None
        self.up = asyncio.Event()
        """Set while a bot is ready."""

    def start(self, *starts: Sequence[Order]) -> None:
        """Keep a bot running from now on."""
        self.starts = [*starts]
        self._stopping = False
        self._keeping = asyncio.create_task(self._keep_running())

    async def stop(self) -> int:
        """End it politely; the answer is the exit code of the last bot."""
        self._stopping = True
        if self.bot:
            self.bot.kill(signal.SIGTERM)
        if self._keeping:
            await self._keeping
        return self.bot.ended.result() if self.bot else 0

    async def ended_in_peace(self, count: int = 1) -> bool:
        """Wait until all is settled, stop, start once more and find it so; says whether it was."""
        settled = await self.settled(count)
        for _ in range(3):
            was_killed = await self.stop() == KILLED
            self.start()
            settled = settled and await self.settled(count)
            if not was_killed:
                break
        await self.stop()
        return settled

    async def _keep_running(self) -> None:
        while not self._stopping:
            orders = [*self.starts.pop(0)] if self.starts else []
            variables = {
                "SLACK_BOT_TOKEN": BOT_TOKEN,
                "SLACK_APP_TOKEN": APP_TOKEN,
                "SLACK_API_URL": self.workspace.api_url,
                VARIABLE: written(orders) if orders else "",
            }
            self.bot = await self._nursery.start(
                config=self.config, home=self.home, variables=variables, settling=self.settling
            )
            if await self.bot.is_ready():
                self.up.set()
                if self._stopping:
                    self.bot.kill(signal.SIGTERM)
            await self.bot.ended
            self.up.clear()
            self.deaths += self.bot.ended.result() == KILLED

    async def is_up(self) -> bool:
        """Wait until a bot is ready; says whether one was in time."""
        return await self._until(self.up.is_set)

    async def sees(self, what: Callable[[Thread], bool]) -> bool:
        """Wait until some thread is as `what` wants it; says whether one was in time."""
        return await self._until(lambda: any(thread and what(thread) for thread in self.threads()))

    async def settled(self, count: int = 1) -> bool:
        """Wait until a living bot has nothing left to do: `count` threads closed and their cards drawn as they are."""

        def is_settled() -> bool:
            threads = self.threads()
            closed = all(t and not t.is_open and not t.is_behind for t in threads)
            return self.up.is_set() and len(threads) >= count and closed

        return await self._until(is_settled)

    async def delivered(self) -> bool:
        """Wait until a living bot has acknowledged every event and has nothing left to do."""
        return await self._until(lambda: self.up.is_set() and not self.workspace.unacknowledged) and await self.settled(
            0
        )

    async def _until(self, is_so: Callable[[], bool]) -> bool:
        """Look again while anything moves; says whether it came to be so."""
        patience = self.patience()
        while not is_so():
            if not patience.is_left():
                return False
            await asyncio.sleep(0.02)
        return True

    def patience(self, still: float = STILL) -> Patience:
        """Patience with this run: its files, its bots and its calls are what moves."""
        return Patience(self._moves, still)

    def _moves(self) -> object:
        files = []
        for path in self.home.rglob("*.*json*"):
            with suppress(FileNotFoundError):
                if path.name != "health.json":  # a bot that hangs says that it lives
                    files.append((path.name, path.stat().st_size, path.stat().st_mtime_ns))
        return sorted(files), self.deaths, self.workspace.last_call

    async def passes(self, seconds: float, *, steps: int = 1) -> None:
        """Let time pass for the bot and for Slack, in so many steps, between which both act."""
        for _ in range(steps):
            self.workspace.advance(seconds / steps)
            self.clock.passes(seconds / steps)
            await asyncio.sleep(0.1)

    def threads(self) -> list[Thread | None]:
        """The documents on disk; `None` for one that does not parse."""
        return [_thread(path) for path in sorted((self.home / "state").glob("*.json"))]

    def records(self, name: str) -> list[dict[str, Any]]:
        """The records of a journal that parse, those of the parts that were set aside included."""
        path, found = self.home / name, []
        for part in (*parts(path), path):
            with suppress(FileNotFoundError):
                content = part.read_bytes()
                for line in (gzip.decompress(content) if part.suffix == ".gz" else content).splitlines():
                    with suppress(ValueError):
                        found.append(json.loads(line))
        return found

    async def fault(self, **wish: Any) -> None:
        """Order a fault on Slack's side."""
        async with aiohttp.ClientSession() as session, session.post(f"{self.workspace.url}/faults", json=wish) as said:
            assert (await said.json())["ok"], wish

    async def clear_faults(self) -> None:
        """Take back what was ordered on Slack's side."""
        async with aiohttp.ClientSession() as session, session.delete(f"{self.workspace.url}/faults") as said:
            assert (await said.json())["ok"]


def _thread(path: Path) -> Thread | None:
    try:
        return Thread.model_validate(json.loads(path.read_bytes())["thread"]["1"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        return None


@asynccontextmanager
async def lane(nursery: Nursery, *, keep: Path | None = None) -> AsyncIterator[Lane]:
    """A fresh world; with `keep` its folder is kept there."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    (folder / "shop").mkdir()
    (folder / "shop" / "orders.py").write_text(SHOP)
    workspace = await Workspace.start(port=0, ack_timeout=ACK_TIMEOUT, retry_after=RETRY_AFTER)
    await workspace.open()
    made = Lane(folder, workspace, nursery)
    made.config.write_text(
        SETTINGS.format(
            code="root: ./shop",
            slack="debounce_ms: 0",
            mode="live",
            pace=1,
            more="",
            chats="",
            projects="",
            reports=QUIET,
        ).replace("operators: [U0OPS]", MORE_OPERATORS)
    )
    try:
        yield made
    finally:
        if made.bot:
            made._stopping = True
            made.bot.kill()
            await made.stop()
        await workspace.close()
        if keep:
            shutil.copytree(folder, keep, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
        shutil.rmtree(folder, ignore_errors=True)
