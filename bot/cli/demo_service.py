"""Service of `triage demo` that people can break: a small HTTP server whose health depends on a file.

It is in the demo's process, at a port of this machine. While the file exists, its health page answers 503; the runbook
in the demo's settings removes the file.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from aiohttp import web

NAME = "shop"
RUNBOOK = "restart-shop"
FOLDER = "shop"
"""Folder in that of the demo's settings; the file is in it."""
INTERVAL_SECONDS = 2
COOLDOWN_MIN = 0.25
"""Short, so that people can break it again soon and see another incident."""


@dataclass(frozen=True, kw_only=True)
class DemoService:
    """The running service."""

    url: str
    """Address of its health page."""
    broken: Path
    """File that breaks it while it exists."""
    runner: web.AppRunner

    @property
    def command(self) -> str:
        """Return the shell command that breaks it."""
        return f"touch {shlex.quote(str(self.broken))}"

    async def close(self) -> None:
        """Stop the server."""
        await self.runner.cleanup()


async def start_service(folder: Path) -> DemoService:
    """Start the service at a free port; `folder`, absolute, has the settings."""
    from aiohttp import web  # as late as the workspace's server

    broken = folder / FOLDER / "broken"
    broken.parent.mkdir(parents=True, exist_ok=True, mode=0o700)

    async def report(_: web.Request) -> web.Response:
        if broken.exists():
            return web.Response(status=503, text=f"The shop is broken while the file {broken.name} exists.\n")
        return web.Response(text="ok\n")

    app = web.Application()
    app.router.add_get("/health", report)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/health"
    return DemoService(url=url, broken=broken, runner=runner)


def health_settings(service: DemoService, chat_id: str, project: str) -> dict[str, Any]:
    """Return the settings that check the service, report it in this channel, and offer its remedy."""
    checks = [{"type": "http", "url": service.url, "text": "ok", "latency_ms": 1000}]
    watched = {"name": NAME, "project": project, "checks": checks}
    remedy = {"name": RUNBOOK, "argv": ["rm", "-f", str(service.broken)], "services": [NAME], "cooldown_min": 0}
    return {
        "health": {"interval_s": INTERVAL_SECONDS, "cooldown_min": COOLDOWN_MIN, "services": [watched]},
        "watch": {"chat_id": chat_id},
        "runbooks": [remedy],
    }
