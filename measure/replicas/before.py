"""What the embedded bot costs beside that of an earlier revision: start, memory, acks and drafts, in turns."""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from measure.load_bench import ROOT, app_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from measure.load_bench import App

SETTINGS = """
watched_chats: [{{chat_id: C0HELP, name: general, mode: live}}]
operators: [U0OPS]
slack: {{pace: 20}}
floods: {{per_user: {{per_minute: 6000, burst: 6000}}, per_channel: {{per_minute: 6000, burst: 6000}},
  per_workspace: {{per_minute: 6000, burst: 6000}}}}
projects: {{triage: {{root: {root}, description: A bot for Slack.}}}}
"""
"""Settings of every bot that is compared, without its storage, of which earlier revisions know nothing."""


@asynccontextmanager
async def run_both(revision: str, messages: Path) -> AsyncIterator[tuple[App, App]]:
    """Start the embedded bot of an earlier revision, and then that of now, over the same code and messages."""
    with tempfile.TemporaryDirectory(prefix="before-") as name:
        folder = Path(name)
        _git("worktree", "add", "--detach", str(folder / "code"), revision)
        try:
            config = folder / "triage.yml"
            config.write_text(SETTINGS.format(root=ROOT))
            before, now = folder / "before", folder / "now"
            async with (
                _run(config, before, messages, folder / "code") as first,
                _run(config, now, messages, ROOT) as second,
            ):
                yield first, second
        finally:
            _git("worktree", "remove", "--force", str(folder / "code"))


@asynccontextmanager
async def _run(config: Path, home: Path, messages: Path, code: Path) -> AsyncIterator[App]:
    tokens = {"SLACK_BOT_TOKEN": "xoxb-feed", "SLACK_APP_TOKEN": "xapp-feed", "SLACK_API_URL": "{url}/api/"}
    command = ("-m", "bot", "run", "--config", str(config), "--home", str(home))
    async with app_of(messages, home, *command, code=code, **tokens) as app:
        yield app


def _git(*arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True)  # noqa: S607  # git of this machine
