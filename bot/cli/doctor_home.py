"""What `triage doctor` says of a home: its state, whether a bot runs on it, and who seems to answer there."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.cli.check import Check
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.settings import Settings

LEAST_FREE_MB = 200
"""Room on the disk below which a bot will soon be unable to write."""

STALE = timedelta(seconds=45)
"""A bot that has said nothing for so long is not well."""

LEARNED_FROM = 20_000
"""How many of the newest classified messages tell who answers here."""

TEAM_KEY = "classifier.team_members"


async def home(path: Path) -> AsyncIterator[Check]:
    """State, liveness of the bot, what tier 0 judges by."""
    from bot.edges.documents import Documents
    from bot.edges.home import Home
    from bot.edges.journal import NdjsonJournal

    if not await asyncio.to_thread(path.is_dir):
        yield Check("home", None, f"{path} does not exist yet; the first start makes it")
        return
    yield _weights(path)
    home = Home(path)
    store = Documents(home.state, on_broken=lambda _: None)
    total, still_open, waiting, broken = 0, 0, 0, []
    for thread_id in await store.thread_ids():
        try:
            thread = await store.load(thread_id)
        except TriageError as problem:
            broken.append(str(problem))
            continue
        total += 1
        still_open += bool(thread and thread.is_open)
        waiting += bool(thread and thread.waiting)
    counted = f"{total} threads, {still_open} open" + (f", {waiting} wait for their turn" if waiting else "")
    yield Check("state", not broken, "; ".join(broken[:3]) or f"{path}: {counted}")
    owner, health, now = home.owner(), home.health(), datetime.now(UTC)
    if owner is None:
        yield Check("watcher", None, "no bot runs on this home")
    elif health is None or now - health.at > STALE:
        yield Check("watcher", False, f"process {owner} runs and has said nothing for {STALE.seconds} s")
    else:
        connected = "connected to Slack" if health.connected else "not connected to Slack"
        yield Check("watcher", health.connected, f"process {owner}, {connected}")
    last = await NdjsonJournal(home.classified, on_broken=lambda _: None).tail(1)
    yield Check(
        "classifier", None, f"last classified_at {last[-1].get('classified_at')}" if last else "nothing classified yet"
    )


def machine(path: Path, *, least_free_mb: int = LEAST_FREE_MB) -> list[Check]:
    """What the bot needs of the machine: git, room on the disk, a home that is its owner's alone, readable controls."""
    git = shutil.which("git")
    checks = [Check("git", git is not None, git or "not installed: no commits, no links, no fetched projects")]
    folder = next(each for each in (path.absolute(), *path.absolute().parents) if each.is_dir())
    free = shutil.disk_usage(folder).free // 1_000_000
    room = f"{free:,} MB free at {folder}"
    enough = free >= least_free_mb
    checks.append(Check("disk", enough, room if enough else f"{room}; make room: expected {least_free_mb:,} MB"))
    if not path.is_dir():
        return checks
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        checks.append(Check("home", False, f"{path} is open to others ({mode:03o}): chmod 700 {path}"))
    controls = path / "controls.json"
    try:
        if controls.exists() and not isinstance(json.loads(controls.read_bytes()), dict):
            raise ValueError("expected a JSON object")
    except (OSError, ValueError) as problem:
        checks.append(Check("controls.json", False, f"{controls} cannot be read: {problem}; mend it or take it away"))
    return checks


def _weights(path: Path) -> Check:
    """Which weights tier 0 judges by."""
    from bot.decide.weights import weigh
    from bot.edges.weights_file import read_weights

    try:
        own = read_weights(path)
        if own is not None:
            weigh(own)
    except TriageError as problem:
        return Check("weights", False, str(problem))
    return Check("weights", True, f"the home's own ({own.made_by})" if own else "the packaged ones")


async def team(path: Path, settings: Settings | None) -> AsyncIterator[Check]:
    """Who seems to belong to the team and is not named in the settings."""
    from bot.decide.roster import answerers
    from bot.edges.home import Home
    from bot.edges.journal import NdjsonJournal

    if not await asyncio.to_thread(path.is_dir):
        return
    named = settings.classifier.team_members if settings else ()
    records = await NdjsonJournal(Home(path).classified, on_broken=lambda _: None).tail(LEARNED_FROM)
    found = [one for one in answerers(records) if one.user not in named]
    if found:
        shown = ", ".join(f"{one.user} (answered in {one.answered} threads, asked {one.asked})" for one in found[:10])
        yield Check(
            "team", None, f"these people answer far more than they ask: {shown}; name the team's own in {TEAM_KEY}"
        )
