"""`triage run`: the bot, over Socket Mode or HTTP, until it is stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from bot import isolation
from bot.cli.announcements import ENDING, READY, STANDING_BY
from bot.cli.banner import banner
from bot.cli.options import add_config, add_env_file, add_home, http_address, ip_of_machine, listen_address, port_number
from bot.cli.program_places import list_lost_programs
from bot.cli.roles import add_roles, read_role, work_until_stopped, working
from bot.cli.stop_signals import StopSignals, await_or_stop
from bot.config.env_file import load_env_file
from bot.config.environment import Environment, forget_secrets, read_environment
from bot.config.paths import config_path, home_path
from bot.config.settings import Settings, load
from bot.decide.redaction.loaded_secrets import secret_values
from bot.decide.redaction.redactor import Redactor
from bot.errors import Fenced
from bot.isolation.relay import sweep
from bot.runtime import process_tuning
from bot.runtime.restart_request import RestartRequest

if TYPE_CHECKING:
    import argparse

    from bot.adapters.home import Home
    from bot.cli.roles import Role
    from bot.models.address import ListenAddress
    from bot.wiring.lifecycle import Bot
    from bot.wiring.probes import Probes
    from bot.wiring.replica import Replica

log = logging.getLogger(__name__)

RESTART = -1
"""Result of a run that is to be followed by another one with the same arguments."""


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
        "--bind",
        type=ip_of_machine,
        metavar="ADDRESS",
        help="with --http: listen on this IP address of the machine, such as that which a load balancer reaches; who"
        " reaches it may send requests, of which only signed ones are read, and bodies are not encrypted"
        " (docs/deploy.md)",
    )
    parser.add_argument(
        "--health-port",
        type=listen_address,
        metavar="[ADDRESS:]PORT",
        help="answer /healthz, /readyz and /metrics (Prometheus) on this port of 127.0.0.1, or of ADDRESS: everyone who"
        " reaches that may read them (docs/deploy.md)",
    )
    add_roles(parser)
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
    role = read_role(options, settings)
    if role.listens:
        tokens(env, http=http_address(options) is not None)
    redactor = Redactor((*env.secrets, *secret_values(os.environ, also=settings.secret_variables)))
    forget_secrets()
    code = asyncio.run(_run(settings, env, redactor, options, role, variables))
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


async def _run(
    settings: Settings,
    env: Environment,
    redactor: Redactor,
    options: argparse.Namespace,
    role: Role,
    variables: dict[str, str],
) -> int:
    from bot.adapters.home import Home
    from bot.adapters.logs import set_up
    from bot.wiring.probes import serve_probes

    home = Home(home_path(options.home))
    closed = await home.lock()
    set_up(home.system, redact=redactor.redact)
    if closed:
        log.warning(closed)
    _log_warnings(settings, env)
    if (at := http_address(options)) and not at.is_loopback:
        log.warning("--bind: everyone who reaches %s may send requests; only what Slack signed is read", at)
    stop = StopSignals.listen(with_stdin=options.stop_with_stdin)
    address: ListenAddress | None = options.health_port
    async with serve_probes(home, address.host if address else "", address.port if address else 0) as probes:
        if address:
            _say(f"Health port: http://{replace(address, port=probes.port)}")
            if not address.is_loopback:
                log.warning("--health-port: everyone who reaches %s may read figures of this bot", address)
        if not role.listens:
            probes.works = True
            return await work_until_stopped(settings, env, home, redactor, stop, role.workers)
        process = _Process(settings, env, redactor, options, role, home, stop, probes, variables)
        return await (process.run_replica() if settings.storage == "postgresql" else process.run_bot())


@dataclass(frozen=True)
class _Process:
    """This process: what it was started with, and what may end it."""

    settings: Settings
    env: Environment
    redactor: Redactor
    options: argparse.Namespace
    role: Role
    home: Home
    stop: StopSignals
    probes: Probes
    variables: dict[str, str]
    """Environment for the process that takes the place of this one."""

    async def run_replica(self) -> int:
        """Take in what Slack delivers, and run the bot while no other replica does; return the exit code."""
        from bot.wiring.replica import open_replica

        replicas = open_replica(
            self.settings, self.env, self.home, redactor=self.redactor, http=http_address(self.options)
        )
        async with replicas as replica:
            self.probes.intake, self.probes.lease = replica.intake, replica.lease
            _say(f"{STANDING_BY}: {replica.intake.identity.team}; state in the {replica.storage.place}")
            process_tuning.freeze_startup_objects()
            broken = replica.intake.stop
            try:
                async with working(
                    self.settings, self.env, self.home, self.redactor, self.stop, broken, self.role
                ) as work:
                    if await await_or_stop(self.stop.first, replica.wait_to_lead(self.home), broken.future) is None:
                        if broken.future.done():
                            raise broken.future.result()
                        _say("Stopped. Another replica leads.")
                        return 0
                    await work.fetch_no_more()  # the leader's bot fetches
                    process_tuning.postpone_garbage_collection()
                    return await self.run_bot(replica)
            except Fenced as problem:
                log.warning("%s; this one begins again and stands by", problem)
                _replace_process(self.variables)  # its tasks would go on trying what nobody takes any more

    async def run_bot(self, replica: Replica | None = None) -> int:
        """Run the bot until its end; return the exit code. Raises `Fenced` once another replica leads."""
        from bot.decide.orders import order_parser

        bot, restart = await self._build(replica)
        if bot is None:
            return 0
        stop, ended = self.stop, bot.core.stop.future
        try:
            if await await_or_stop(stop.first, bot.start(), ended) is None:
                if ended.done():
                    raise ended.result()
                return 0
            self.probes.bot = bot
            _announce(bot, self.settings)
            process_tuning.freeze_startup_objects()
            acks = bot.core.acks
            tidying = asyncio.create_task(process_tuning.keep_tidy(lambda: acks.are_rare), name="tidying")
            warm = order_parser(self.settings.classifier.languages).warm  # before the first message needs it
            threading.Thread(target=warm, name="templates", daemon=True).start()
            ends: list[asyncio.Future[Any]] = [stop.first, ended, restart.future]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not ended.done() and not stop.at_once.done():
                _say(ENDING if stop.first.done() else "Restarting.")
                if replica:
                    await replica.intake.close()  # the others take in what comes now
                await await_or_stop(stop.at_once if stop.first.done() else stop.first, bot.drain(), ended)
            tidying.cancel()
        finally:
            open_threads = len(bot.core.orchestrator.open_threads)
            if not (ended.done() and isinstance(ended.result(), Fenced)):
                await bot.stop()
            self.home.unlock()
        if ended.done():
            raise ended.result()
        if restart.future.done() and not stop.first.done():
            return RESTART
        _say(f"Stopped. {open_threads} open; they continue at the next start.")
        return 0

    async def _build(self, replica: Replica | None) -> tuple[Bot | None, RestartRequest]:
        """Build the bot; `None` if it is to stop before."""
        from bot.agents.project_search import begin_searching
        from bot.runtime.workers import Workers
        from bot.wiring import app

        restart = RestartRequest(partial(_load_settings, self.options))
        building = app.build(
            self.settings,
            self.env,
            self.home,
            http=http_address(self.options),
            redactor=self.redactor,
            workers=Workers(partial(begin_searching, self.home.path, self.settings.security.isolation)),
            restart=restart,
            storage=replica.storage if replica else None,
            leading=replica.build_leading() if replica else None,
        )
        bot = await await_or_stop(self.stop.first, building)
        if bot and replica:
            for end in (replica.lost, replica.intake.stop.future):
                end.add_done_callback(lambda problem: bot.core.stop.set(problem.result()))
        return bot, restart


def _announce(bot: Bot, settings: Settings) -> None:
    """Say that the bot listens, where, and with what."""
    modes = bot.core.controls.modes
    watched = ", ".join(f"#{name} ({modes[channel]})" for channel, name in bot.core.channel_names.items())
    place = bot.core.storage.place
    _say(f"{READY}: {bot.core.identity.team}, watching {watched}; engine {settings.engine}; state in {place}")
    for line in banner(settings, bot.core.projects, bot.core.controls.state):
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


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # command-line output
