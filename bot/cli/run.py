"""`triage run`: the bot, over Socket Mode or HTTP, until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from bot import isolation
from bot.cli.banner import banner
from bot.cli.options import ListenAddress, add_config, add_env_file, add_home, listen_address, port_number
from bot.cli.program_places import list_lost_programs
from bot.config.env_file import load_env_file
from bot.config.environment import Environment, forget_secrets, read_environment
from bot.config.paths import config_path, home_path
from bot.config.settings import Settings, load
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.isolation.relay import sweep
from bot.runtime import process_tuning
from bot.runtime.restart_request import RestartRequest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Coroutine

    from bot.adapters.home import Home
    from bot.ports.storage import Storage
    from bot.wiring.lifecycle import Bot
    from bot.wiring.probes import Probes

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

TIDY_EVERY = 30.0
"""Seconds between two full garbage collections."""
RESTART = -1
"""Result of a run that is to be followed by another one with the same arguments."""
READY = "Triage is ready"
"""Beginning of the line that reports a ready bot; `triage demo` waits for it."""
ENDING = "Ending: work under way has up to 70 s; a second signal ends it at once."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage run`."""
    add_config(parser)
    add_home(parser)
    add_env_file(parser)
    parser.add_argument(
        "--http",
        type=port_number,
        metavar="PORT",
        help="take Slack's requests on this port of 127.0.0.1, not Socket Mode",
    )
    parser.add_argument(
        "--health-port",
        type=listen_address,
        metavar="[ADDRESS:]PORT",
        help="answer /healthz, /readyz and /metrics (Prometheus) on this port of 127.0.0.1, or of ADDRESS: everyone who"
        " reaches that may read them (docs/deploy.md)",
    )
    parser.add_argument(
        "--stop-with-stdin", action="store_true", help="stop when standard input ends, as when the parent process dies"
    )


def main(options: argparse.Namespace) -> int:
    """Run until SIGTERM, which lets work under way end, or SIGINT, or until a command asks for a restart."""
    os.umask(0o077)  # its files are for their owner only
    variables = dict(os.environ)  # for the process that takes the place of this one: the secrets are removed below
    process_tuning.postpone_garbage_collection()
    process_tuning.tune_interpreter()
    from bot.config.settings_checks import tokens

    load_env_file(options.env_file, config_path(options.config))
    env = read_environment()
    settings = _load_settings(options)
    isolation.configure(settings.security.isolation).demand()
    sweep(time.time())
    tokens(env, http=options.http is not None)
    redactor = Redactor((*env.secrets, *secret_values(os.environ, also=settings.secret_variables)))
    forget_secrets()
    code = asyncio.run(_run(settings, env, redactor, options))
    if code == RESTART:
        _replace_process(variables)
    return code


def _replace_process(variables: dict[str, str]) -> NoReturn:
    """Start the same command line in the place of this process; its id stays, so a supervisor sees no end."""
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], variables)  # noqa: S606  # its own command line


def _load_settings(options: argparse.Namespace) -> Settings:
    """Load the settings. Raises `Misconfigured` if the bot would not start with them."""
    from bot.config.settings_checks import ready_to_run

    path = config_path(options.config)
    settings = load(path, home_path(options.home))
    ready_to_run(settings, path)
    return settings


async def _run(settings: Settings, env: Environment, redactor: Redactor, options: argparse.Namespace) -> int:
    from bot.adapters.home import Home
    from bot.adapters.logs import set_up
    from bot.wiring.probes import serve_probes
    from bot.wiring.storage import open_storage

    home = Home(home_path(options.home))
    closed = await home.lock()
    set_up(home.system, redact=redactor.redact)
    if closed:
        log.warning(closed)
    _log_warnings(settings, env)
    stop = _StopSignals.listen(with_stdin=options.stop_with_stdin)
    address: ListenAddress | None = options.health_port
    async with serve_probes(home, address.host if address else "", address.port if address else 0) as probes:
        if address:
            _say(f"Health port: http://{replace(address, port=probes.port)}")
            if not address.is_loopback:
                log.warning("--health-port: everyone who reaches %s may read figures of this bot", address)
        async with open_storage(settings, env, home.path) as storage:
            return await _run_bot(settings, env, redactor, options, home, storage, stop, probes)


async def _run_bot(
    settings: Settings,
    env: Environment,
    redactor: Redactor,
    options: argparse.Namespace,
    home: Home,
    storage: Storage,
    stop: _StopSignals,
    probes: Probes,
) -> int:
    from bot.agents.project_search import begin_searching
    from bot.decide.orders import order_parser
    from bot.runtime.workers import Workers
    from bot.wiring import app

    restart = RestartRequest(partial(_load_settings, options))
    workers = Workers(partial(begin_searching, home.path, settings.security.isolation))
    bot = await _await_or_stop(
        stop.first,
        app.build(
            settings,
            env,
            home,
            storage=storage,
            http_port=options.http,
            redactor=redactor,
            workers=workers,
            restart=restart,
        ),
    )
    if bot is None:
        return 0
    try:
        if await _await_or_stop(stop.first, bot.start()) is None:
            return 0
        probes.bot = bot
        _announce(bot, settings)
        process_tuning.freeze_startup_objects()
        tidying = asyncio.create_task(_tidy(bot), name="tidying")
        warm = order_parser(settings.classifier.languages).warm  # before the first message needs it
        threading.Thread(target=warm, name="templates", daemon=True).start()
        ends: list[asyncio.Future[Any]] = [stop.first, bot.core.stop.future, restart.future]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if not bot.core.stop.future.done() and not stop.at_once.done():
            _say(ENDING if stop.first.done() else "Restarting.")
            await _await_or_stop(stop.at_once if stop.first.done() else stop.first, bot.drain(), bot.core.stop.future)
        tidying.cancel()
    finally:
        open_threads = len(bot.core.orchestrator.open_threads)
        await bot.stop()
        home.unlock()
    if bot.core.stop.future.done():
        raise bot.core.stop.future.result()
    if restart.future.done() and not stop.first.done():
        return RESTART
    _say(f"Stopped. {open_threads} open; they continue at the next start.")
    return 0


def _announce(bot: Bot, settings: Settings) -> None:
    """Say that the bot listens, where, and with what."""
    modes = bot.core.controls.modes
    watched = ", ".join(f"#{name} ({modes[channel]})" for channel, name in bot.core.channel_names.items())
    place = bot.core.storage.place
    _say(f"{READY}: {bot.core.identity.team}, watching {watched}; engine {settings.engine}; state in {place}")
    for line in banner(settings, bot.core.projects):
        _say(line)


def _log_warnings(settings: Settings, env: Environment) -> None:
    from bot.config.settings_checks import model_is_usable, without_answers

    if warning := model_is_usable(settings, env):
        log.warning(warning)
    if problem := isolation.boundary().problem:
        log.warning("searches, git, MCP servers and declared commands start without a boundary: %s", problem)
    for warning in without_answers(settings):
        log.warning(warning)
    for warning in list_lost_programs(settings):
        log.warning(warning)


async def _tidy(bot: Bot) -> None:
    """Run a full garbage collection while nothing waits."""
    while True:
        await asyncio.sleep(TIDY_EVERY)
        if bot.core.acks.are_rare:
            process_tuning.collect_garbage()


async def _await_or_stop(
    stop: asyncio.Future[None], work: Coroutine[Any, Any, Answer], *further: asyncio.Future[Any]
) -> Answer | None:
    """Await `work`; return `None` when the stop signal, or one of `further` ends, comes first."""
    task = asyncio.ensure_future(work)
    ends: list[asyncio.Future[Any]] = [task, stop, *further]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return None


@dataclass(frozen=True)
class _StopSignals:
    """Signals that end this process: SIGTERM lets work under way end, every other one and a second one do not."""

    first: asyncio.Future[None]
    at_once: asyncio.Future[None]

    @classmethod
    def listen(cls, *, with_stdin: bool) -> _StopSignals:
        """Take the signals of the running loop, and with `with_stdin` the end of standard input."""
        loop = asyncio.get_running_loop()
        signals = cls(loop.create_future(), loop.create_future())
        loop.add_signal_handler(signal.SIGTERM, signals.end)
        loop.add_signal_handler(signal.SIGINT, signals.end_at_once)
        if with_stdin:
            stdin = sys.stdin.fileno()

            def on_stdin() -> None:
                if not os.read(stdin, 1024):
                    loop.remove_reader(stdin)
                    signals.end_at_once()

            loop.add_reader(stdin, on_stdin)
        return signals

    def end(self) -> None:
        """End when work under way has ended; at once if that was said before."""
        if self.first.done():
            self.end_at_once()
        else:
            self.first.set_result(None)

    def end_at_once(self) -> None:
        """End without waiting for work, which the next process goes on with."""
        for each in (self.first, self.at_once):
            if not each.done():
                each.set_result(None)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output
