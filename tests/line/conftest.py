"""The whole line on loopback: a local workspace, and the real bot connected to it over Socket Mode."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.home import Home
from bot.config.environment import Environment
from bot.config.settings import Settings, load
from bot.decide.redaction.redactor import Redactor
from bot.ports.fixes import FixDrafter
from bot.ports.forge import Forge
from bot.ports.outbound import Clock, Engine
from bot.wiring.app import build
from bot.wiring.lifecycle import Bot
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests.line.human import Human

PACE = 20.0
"""How much faster than Slack's rates a bot may call where no test is about them."""

QUIET = "{brief_at: off, end_of_day_at: off, weekly_at: off}"
"""No reports, at whatever hour of the day the tests run."""

MANIFEST = Path(__file__).resolve().parents[2] / "manifest.yml"
"""The workspace grants the scopes that the manifest asks for and no other, and sends its events only."""

SETTINGS = """
watched_chats:
- {{chat_id: C0HELP, name: help-platform, mode: {mode}}}
- {{chat_id: C0GENERAL, name: general, mode: live}}
{chats}
operators: [U0OPS]
projects:
  shop: {{{code}, description: A small shop.}}
{projects}
slack: {{{slack}, pace: {pace}}}
reports: {reports}
{more}
"""

SHOP = '''"""Orders of the shop."""

RETRY_LIMIT = 3
"""How often a payment is tried again before the order is cancelled."""


def cancel_order(order, reason):
    """Cancel an order and give the money back within two days."""
    order.cancel(reason)
    refund(order, days=2)
'''


class SlackTime:
    """The workspace's clock: real time, and as many hours on as a test says."""

    def __init__(self) -> None:
        self.hours = 0.0

    def __call__(self) -> float:
        """Seconds since 1970."""
        return time.time() + self.hours * 3600


class TriageTime(SystemClock):
    """The bot's clock: real time, and as many hours on as a test has moved it."""

    def __init__(self, hours: float = 0.0) -> None:
        self._ahead = timedelta(hours=hours)
        self._moved = asyncio.Event()
        self._held: datetime | None = None

    def now(self) -> datetime:
        """The moment that the bot takes it for."""
        return (self._held or super().now()) + self._ahead

    def hold(self) -> None:
        """Let no time pass between two happenings from now on; who sleeps wakes up all the same."""
        self._held = super().now()

    async def sleep(self, seconds: float) -> None:
        """Wait so long, or until the clock was moved past it."""
        until = super().now() + self._ahead + timedelta(seconds=seconds)
        while (left := (until - super().now() - self._ahead).total_seconds()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._moved.wait()

    def move(self, hours: float) -> None:
        """Let hours pass in one step."""
        self._ahead += timedelta(hours=hours)
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()


@dataclass
class Line:
    """One workspace and the folder that a bot's home and settings lie in."""

    workspace: Sandbox
    folder: Path
    slack_time: SlackTime = field(default_factory=SlackTime)

    @property
    def ana(self) -> Human:
        """Who asks."""
        return Human(self.workspace.url, "U0ANA")

    @property
    def olu(self) -> Human:
        """Who decides."""
        return Human(self.workspace.url, "U0OPS")

    @property
    def ada(self) -> Human:
        """Who may do everything."""
        return Human(self.workspace.url, "U0ADMIN")

    @property
    def home(self) -> Path:
        """Where the bot's state lies."""
        return self.folder / "home"

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.folder / "triage.yml"

    def configure(self, **keys: Any) -> Settings:
        """Write the settings and read them back; `keys` are those of `writes`."""
        self.writes(**keys)
        return load(self.config, self.home)

    def writes(
        self,
        *,
        mode: str = "live",
        pace: float = PACE,
        more: str = "",
        chat: str = "",
        project: str = "",
        slack: str = "debounce_ms: 0",
        code: str = "root: ./shop",
        reports: str = QUIET,
        chats: str = "",
        projects: str = "",
    ) -> None:
        """Write the settings; `more` are further lines, the others keys of these.

        `code` says where the project's code lies; `chats` and `projects` are further ones.
        """
        values = {"code": code, "mode": mode, "pace": pace, "more": more, "chats": chats, "projects": projects}
        values |= {"reports": reports, "slack": slack}
        text = SETTINGS.format(**values)
        for before, key in (("name: help-platform", chat), ("description: A small shop.", project)):
            text = text.replace(before, f"{before}, {key}") if key else text
        self.config.write_text(text)

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a bot in this workspace."""
        return {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_API_URL": self.workspace.api_url,
        }

    @asynccontextmanager
    async def bot(
        self,
        *,
        engine: Engine | None = None,
        clock: Clock | None = None,
        mode: str = "live",
        pace: float = PACE,
        more: str = "",
        reports: str = QUIET,
        redactor: Redactor | None = None,
        model_key: str | None = None,
        drafter: FixDrafter | None = None,
        forge: Forge | None = None,
        **keys: str,
    ) -> AsyncIterator[Bot]:
        """A bot in this process, started, and stopped at the end; `keys` are further ones of `configure`."""
        values: dict[str, Any] = {name.lower(): value for name, value in self.variables.items()}
        values["anthropic_api_key"] = model_key
        home = Home(self.home)
        await home.lock()
        try:
            settings = self.configure(mode=mode, pace=pace, more=more, reports=reports, **keys)
            bot = await build(
                settings,
                Environment(**values),
                home,
                engine=engine,
                clock=clock,
                redactor=redactor,
                drafter=drafter,
                forge=forge,
            )
            await bot.start()
            try:
                yield bot
                await _let_replies_end(bot)
            finally:
                await bot.stop()
        finally:
            home.unlock()


async def _let_replies_end(bot: Bot) -> None:
    """Wait until replies that Slack shows are on record; one that Slack does not take has two seconds."""
    if replies := [*bot.core.orchestrator._effect_tasks._replies.values()]:
        await asyncio.wait(replies, timeout=2)


@pytest.fixture
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    """A workspace, a project to answer from, and no bot yet."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "orders.py").write_text(SHOP)
    slack_time = SlackTime()
    workspace = await Sandbox.start(port=0, clock=slack_time, manifest=MANIFEST)
    made = Line(workspace, tmp_path, slack_time)
    made.writes()
    yield made
    await workspace.close()
