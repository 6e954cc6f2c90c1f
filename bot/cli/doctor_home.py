"""Checks of a home for `triage doctor`: state, liveness of the bot, machine, and people who seem to answer."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blocks.text import format_count
from bot.cli.doctor_check import DoctorCheck
from bot.errors import TriageError
from bot.models.health import STALE
from bot.models.markup import named_time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import tzinfo
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.ports.storage import Storage

LEAST_FREE_MB = 200
"""Free disk space in MB below which the bot will soon be unable to write."""

LONGEST_LINE = 4_096
"""Bytes read from the end of a journal."""

TEAM_KEY = "classifier.team_members"


async def check_home(path: Path, storage: Storage, zone: tzinfo) -> AsyncIterator[DoctorCheck]:
    """Check the state, the liveness of the bot and the classifier's weights; times are shown in `zone`."""
    from bot.adapters.home import Home

    if not await asyncio.to_thread(path.is_dir):
        yield DoctorCheck("home", None, f"{path} does not exist yet; the first start creates it")
        return
    yield await _weights(storage)
    home = Home(path)
    store = storage.store(None)
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
    turns = f", {waiting} {'waits for its' if waiting == 1 else 'wait for their'} turn" if waiting else ""
    counted = f"{format_count(total, 'thread')}, {still_open} open{turns}"
    yield DoctorCheck("state", not broken, "; ".join(broken[:3]) or f"{storage.place}: {counted}")
    owner, health, now = home.owner(), home.health(), datetime.now(UTC)
    since = max(filter(None, (home.owned_at(), health.at if health else None)), default=now)
    if owner is None:
        detail = f"; the last one reported: {' '.join(health.problems)}" if health and health.problems else ""
        yield DoctorCheck("watcher", None, f"no bot runs on this home{detail}")
    elif now - since > STALE:
        yield DoctorCheck(
            "watcher",
            False,
            f"process {owner} runs and has given no sign of life for {(now - since).total_seconds():.0f} s",
        )
    elif health is None or health.at < since:
        yield DoctorCheck("watcher", True, f"process {owner} is starting")
    else:
        yield DoctorCheck("watcher", not health.fault, f"process {owner}, {health.fault or health.work}")
        for lost in health.problems:
            yield DoctorCheck("access", False, lost)
        if health.searches:
            yield DoctorCheck("searches", None, health.searches)
    last = await storage.journal("events-classified", None).tail(1)
    detail = (
        f"last classified {_format_time(last[-1].get('classified_at'), zone)}" if last else "nothing classified yet"
    )
    yield DoctorCheck("classifier", None, detail)


def _format_time(at: Any, zone: tzinfo) -> str:
    """Format the time of a record; return other values as text."""
    try:
        return named_time(datetime.fromisoformat(at), zone)
    except (TypeError, ValueError, OverflowError):
        return str(at)


def check_machine(path: Path, *, least_free_mb: int = LEAST_FREE_MB) -> list[DoctorCheck]:
    """Check the machine: git, free disk space, an owner-only home, and intact files in it."""
    git = shutil.which("git")
    checks = [DoctorCheck("git", git is not None, git or "not installed: no commits, no links, no fetched projects")]
    folder = next(each for each in (path.absolute(), *path.absolute().parents) if each.is_dir())
    free = shutil.disk_usage(folder).free // 1_000_000
    room = f"{free:,} MB free at {folder}"
    enough = free >= least_free_mb
    checks.append(DoctorCheck("disk", enough, room if enough else f"{room}; make room: expected {least_free_mb:,} MB"))
    if not path.is_dir():
        return checks
    from bot.runtime.home_ownership import exposure_reason, foreign_files_reason, others_reason

    if reason := others_reason(path):
        return [*checks, DoctorCheck("home", False, reason)]
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        checks.append(DoctorCheck("home", False, f"{path} is open to others ({mode:03o}): chmod 700 {path}"))
    checks += [
        DoctorCheck("home", False, why) for why in (exposure_reason(path) or foreign_files_reason(path)).splitlines()
    ]
    return [*checks, *_cut_off_or_broken(path)]


def _cut_off_or_broken(path: Path) -> list[DoctorCheck]:
    """Check the files of a home for broken ones, except those that other checks cover."""
    from bot.adapters.home import PROJECTS
    from bot.adapters.weights_file import NAME

    checks = [_object(file) for file in sorted(path.glob("*.json")) if file.name not in (PROJECTS, NAME)]
    checks += [_last_line(file) for file in sorted(path.glob("*.ndjson"))]
    return [check for check in checks if check]


def _object(path: Path) -> DoctorCheck | None:
    """Check a file that holds one JSON object; return `None` for an intact one."""
    try:
        if isinstance(json.loads(path.read_bytes()), dict):
            return None
        why = "expected a JSON object"
    except (OSError, ValueError, RecursionError) as problem:
        why = str(problem)
    return DoctorCheck(path.name, False, f"{path} cannot be read: {why}; repair or remove it")


def _last_line(path: Path) -> DoctorCheck | None:
    """Check the last line of a journal; a crash may have cut it off, and the next record begins a new line."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LONGEST_LINE))
            end = file.read()
    except OSError as problem:
        return DoctorCheck(path.name, False, f"{path} cannot be read: {problem.strerror}")
    if not end or end.endswith(b"\n"):
        return None
    return DoctorCheck(path.name, None, f"the last line of {path} is cut off, as by a crash; it is skipped")


async def _weights(storage: Storage) -> DoctorCheck:
    """Check the classifier's weights."""
    from bot.decide.classify.weights import build_weights

    try:
        own = await storage.weights.read()
        if own is not None:
            build_weights(own)
    except TriageError as problem:
        return DoctorCheck("weights", False, str(problem))
    return DoctorCheck("weights", True, f"the home's own ({own.made_by})" if own else "the packaged ones")


async def check_team(path: Path, storage: Storage, settings: Settings | None) -> AsyncIterator[DoctorCheck]:
    """List people who count as answerers by the recorded messages."""
    from bot.decide.classify.recalled_context import LEARNED_FROM, restore_context

    if not await asyncio.to_thread(path.is_dir):
        return
    named = settings.classifier.team_members if settings else ()
    journals = [storage.journal("events-classified", None), storage.journal("replies", None)]
    judged, replies = [await journal.tail(LEARNED_FROM) for journal in journals]
    answerers = [person for person in restore_context(judged, replies).answerers() if person.user not in named]
    if not answerers:
        return
    called = {chat.chat_id: f"#{chat.name}" for chat in settings.watched_chats if chat.name} if settings else {}
    people = ", ".join(
        f"{person.user} in {called.get(person.channel, person.channel)} (answered in "
        f"{format_count(person.answers, 'thread')}, asked {person.questions})"
        for person in answerers[:10]
    )
    counts = f"but {TEAM_KEY} decides: add team members there" if named else f"unless {TEAM_KEY} names the team"
    yield DoctorCheck(
        "team", None, f"these people answer and rarely ask, so they count as answerers, {counts}: {people}"
    )
