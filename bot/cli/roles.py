"""Roles of the processes of `triage run` on one database: all of the work, or a part of it."""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.cli.announcements import WORKING
from bot.cli.options import http_address
from bot.cli.stop_signals import await_or_stop
from bot.errors import Misconfigured, TriageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.adapters.home import Home
    from bot.adapters.postgresql.worker_beat import WorkerBeat
    from bot.agents.job_worker import JobWorker
    from bot.cli.stop_signals import StopSignals
    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.decide.redaction.redactor import Redactor
    from bot.runtime.stop_request import StopRequest
    from bot.wiring.work import Work

_MOST_WORKERS = 64
_REPORTED_EVERY = 10.0


@dataclass(frozen=True, kw_only=True)
class Role:
    """What a process does. One that listens may lead; `workers` is the number of its investigations at a time."""

    listens: bool
    workers: int


def add_roles(parser: argparse.ArgumentParser) -> None:
    """Add the options of the roles."""
    parser.add_argument(
        "--only",
        choices=("listen", "work"),
        help="with `storage: postgresql`: `listen` takes in and may lead, and leaves investigations to others; `work`"
        " only investigates, without Slack",
    )
    parser.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        help="with `storage: postgresql`: investigations of this process at the same time (default: 8)",
    )


def read_role(options: argparse.Namespace, settings: Settings) -> Role:
    """Return the role of this process. Raises `Misconfigured` for options that do not fit."""
    from bot.triage.effects import SEATS

    only, workers = options.only, options.workers
    if settings.storage != "postgresql" and (only or workers is not None):
        given = "--only" if only else "--workers"
        raise Misconfigured(
            f"{given}: expected `storage: postgresql`, got `storage: {settings.storage}`: one process"
            " does all the work there (docs/replicas.md)"
        )
    if only == "listen" and workers:
        raise Misconfigured("--workers: expected none beside `--only listen`, which does not investigate")
    if only == "work" and http_address(options) is not None:
        raise Misconfigured("--http: expected none beside `--only work`, which takes nothing in")
    return Role(listens=only != "work", workers=0 if only == "listen" else workers or SEATS)


@dataclass(kw_only=True)
class Working:
    """The work of a process beside its intake; `beat` is its heartbeat, `None` where it does none."""

    fetching: asyncio.Task[None] | None = None
    beat: WorkerBeat | None = None

    async def fetch_no_more(self) -> None:
        """Stop fetching code."""
        if self.fetching:
            self.fetching.cancel()
            await asyncio.gather(self.fetching, return_exceptions=True)


@asynccontextmanager
async def working(
    settings: Settings,
    environment: Environment,
    home: Home,
    redactor: Redactor,
    signals: StopSignals,
    broken: StopRequest,
    role: Role,
) -> AsyncIterator[Working]:
    """Investigate during the block; after a SIGTERM jobs under way have their time to end."""
    if not role.workers:
        yield Working()
        return
    from bot.agents.project_search import begin_searching
    from bot.runtime.background_tasks import BackgroundTasks
    from bot.runtime.workers import Workers
    from bot.wiring.work import keep_code, open_worker

    searches = Workers(partial(begin_searching, home.path, settings.security.isolation))
    tasks = BackgroundTasks(broken)
    opening = open_worker(settings, environment, home, redactor=redactor, searches=searches, seats=role.workers)
    try:
        async with opening as work:
            has_code = asyncio.Event()
            keeping = keep_code(settings, home, work.storage, has_code)
            fetching = asyncio.create_task(keeping, name="fetches of a worker")
            fetching.add_done_callback(lambda task: _report(task, broken))
            tasks.spawn(_begin(work, has_code), "worker")
            draining = asyncio.create_task(_drain(work.worker, signals), name="end of the worker")
            try:
                yield Working(fetching=fetching, beat=work.beat)
                if signals.first.done():
                    await draining
            finally:
                fetching.cancel()
                draining.cancel()
                await asyncio.gather(fetching, draining, return_exceptions=True)
                await tasks.cancel()
    finally:
        await searches.stop()


async def _begin(work: Work, has_code: asyncio.Event) -> None:
    await has_code.wait()
    await work.run()


def _report(fetching: asyncio.Task[None], broken: StopRequest) -> None:
    """Stop the process for a problem that would let it investigate without code."""
    if not fetching.cancelled() and (problem := fetching.exception()):
        failed = TriageError(f"the projects' code cannot be fetched: {problem}")
        broken.set(problem if isinstance(problem, TriageError) else failed)


async def _drain(worker: JobWorker, signals: StopSignals) -> None:
    from bot.wiring.lifecycle import DRAINED_WITHIN

    await asyncio.wait([signals.first])
    await await_or_stop(signals.at_once, worker.drain(DRAINED_WITHIN))


async def work_until_stopped(
    settings: Settings, environment: Environment, home: Home, redactor: Redactor, signals: StopSignals, workers: int
) -> int:
    """Only investigate, until a signal; return the exit code. Raises `Misconfigured`."""
    from bot.runtime import process_tuning
    from bot.runtime.stop_request import StopRequest
    from bot.tools.roots import keep_home
    from bot.wiring.storage import demand_driver

    demand_driver()
    keep_home(home.path)
    broken, role = StopRequest(), Role(listens=False, workers=workers)
    async with working(settings, environment, home, redactor, signals, broken, role) as work:
        _say(f"{WORKING}: up to {workers} investigations at a time; engine {settings.engine}")
        process_tuning.freeze_startup_objects()
        beside = [
            asyncio.create_task(_report_health(home, work.beat), name="health of a worker"),
            asyncio.create_task(process_tuning.keep_tidy(lambda: True), name="tidying"),
        ]
        ends: list[asyncio.Future[Any]] = [signals.first, broken.future]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for task in beside:
            task.cancel()
        if broken.future.done():
            raise broken.future.result()
        _say("Ending: investigations under way have up to 60 s; a second signal ends it at once.")
    home.unlock()
    _say("Stopped.")
    return 0


async def _report_health(home: Home, beat: WorkerBeat | None) -> None:
    """Report that this process works, as `triage alive` reads it; it needs no connection to Slack."""
    from bot.adapters.clock import SystemClock
    from bot.models.health import Health

    while True:
        is_away = beat is not None and not beat.is_answered
        health = Health(
            at=SystemClock().now(), pid=os.getpid(), connected=True, role="worker", is_database_away=is_away
        )
        await asyncio.to_thread(home.write_health, health)
        await asyncio.sleep(_REPORTED_EVERY)


def _workers(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {_MOST_WORKERS}, got {text}")
    return number


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output
