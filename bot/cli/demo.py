"""`triage demo`: a local Slack workspace with a web page, and the real bot connected to it in a separate process.

The bot is started as `triage run`; when it dies it is restarted with the same home, so that a user can kill it and see
it continue. After the app is uninstalled from the workspace, the demo waits until it is installed again. The workspace
keeps its messages in the home too.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bot.adapters.home import Home
from bot.cli.demo_database import run_database
from bot.cli.demo_forge import VARIABLE, DemoForge
from bot.cli.demo_guide import fit, format_restart, format_uninstalled, introduce, introduce_replicas, list_hints
from bot.cli.demo_judgements import write_judgements
from bot.cli.demo_projects import OTIS, OWN, forge_folder, write_demo
from bot.cli.demo_replicas import keep_replicas
from bot.cli.demo_service import start_service
from bot.cli.local_bot import end_bot, is_ready, start_bot
from bot.cli.manifest import MANIFEST
from bot.cli.options import port_number
from bot.cli.progress import Activity
from bot.cli.recorded_answers import MODEL
from bot.cli.recorded_model import start_recorded_model
from bot.cli.shipped_files import shipped_file
from bot.cli.terminal_style import find_width
from bot.config.environment import read_environment
from bot.config.paths import home_path, named_config
from bot.config.settings import load
from bot.errors import Misconfigured
from bot.runtime.home_ownership import others_reason
from bot.wiring.storage import demand_driver

if TYPE_CHECKING:
    import argparse
    from collections.abc import Coroutine

    from bot.cli.demo_service import DemoService
    from bot.cli.recorded_model import RecordedModel
    from bot.config.settings import Settings
    from sandbox.server import Sandbox

DEFAULT_HOME = Path("~/.triage-demo")
DEFAULT_PORT = 8765
RESTART_AFTER = 0.5
"""Seconds between the bot's death and its next start."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage demo`."""
    parser.add_argument(
        "--home", type=Path, metavar="DIR", help=f"folder of the state (default: $TRIAGE_HOME, else {DEFAULT_HOME})"
    )
    parser.add_argument(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"port of the page (default: {DEFAULT_PORT}); all else of the demo listens at free ports",
    )
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings (default: $TRIAGE_CONFIG, else demo settings for Triage's source and a small service)",
    )
    parser.add_argument(
        "--model-url",
        metavar="URL",
        help="a model server on this machine, such as http://127.0.0.1:11434; enables drafting agents and chat",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="the model of all agents on the server of --model-url, as the server names it"
    )
    parser.add_argument(
        "--keyword", action="store_true", help="the keyword engine alone, without the recorded answers of a model"
    )

    parser.add_argument(
        "--replicas",
        type=int,
        choices=range(2, 6),
        metavar="N",
        help="2 to 5 bots on one PostgreSQL, which has to be installed here: kill one, and another goes on",
    )


def main(options: argparse.Namespace) -> int:
    """Run the workspace and the bot until Ctrl-C."""
    read_environment()  # report mistakes in it before anything starts
    home = home_path(options.home, DEFAULT_HOME)
    os.umask(0o077)
    named = _find_settings_file(options)
    if named:
        load(named)  # report mistakes in the file before anything starts
    path = Home(home).path
    for each in (path, *sorted(path.glob("replica-*"))):
        if owner := Home(each).owner():
            raise Misconfigured(f"{path}: process {owner} runs on it; stop that demo, or name another with --home")
    if problem := others_reason(path):
        raise Misconfigured(problem)
    return asyncio.run(_demo(path, options, named.absolute() if named else None))


async def _demo(home: Path, options: argparse.Namespace, named: Path | None) -> int:
    """Run the demo, with the `named` settings or its own."""
    from sandbox.models import Person
    from sandbox.record import UnreadableRecord
    from sandbox.server import PortTaken, Sandbox

    port, own = options.port, load(named) if named else None
    has_recordings = own.investigator.model == MODEL if own else not (options.model_url or options.keyword)
    try:
        workspace = await Sandbox.start(
            port=port,
            data=home / "workspace.ndjson",
            manifest=shipped_file(MANIFEST),
            shared=True,
            people=(Person(OTIS, "Otis", "Operator"),),
            hints=list_hints(own),
            notice="The model's answers are recorded." if has_recordings else "",
        )
    except PortTaken:
        raise Misconfigured(f"port {port} is taken; stop what listens there, or choose another with --port") from None
    except UnreadableRecord as problem:
        raise Misconfigured(f"{problem}; move it away, or choose another folder with --home") from None
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    folder = home / "demo"
    service = None if named else await start_service(folder)
    recorded = await _start_recordings(folder, own) if has_recordings else None
    url, model, forge_url = (recorded.url, MODEL, recorded.url) if recorded else (options.model_url, options.model, "")
    check = None
    try:
        if options.replicas:
            config = write_demo(folder, url, model, service=service, forge_url=forge_url, is_replicated=True)
            return await _run_replicas(workspace, home, config, stop, service, options.replicas)
        config = named or write_demo(folder, url, model, service=service, forge_url=forge_url)
        if recorded:
            write_judgements(Home(home).judgements, OWN, MODEL)
        if options.model_url:  # it is tried meanwhile
            check = asyncio.create_task(_report_model_fault(load(config)), name="model")
        return await _keep_running(workspace, home, config, stop, service)
    finally:
        if check:
            check.cancel()
        if service:
            await service.close()
        if recorded:
            await recorded.close()
        await workspace.close()


async def _start_recordings(folder: Path, own: Settings | None) -> RecordedModel:
    """Start the recorded model and the forge: at a free port, or where a copy of the demo's settings says."""
    forge = DemoForge(folder=forge_folder(folder))
    os.environ[VARIABLE] = forge.token  # the bot's process inherits it
    port = urlsplit(own.model.base_url or "").port if own else None
    return await start_recorded_model(port or 0, further=forge.routes())


async def _report_model_fault(settings: Settings) -> None:
    from bot.cli.demo_model import find_model_fault

    if fault := await find_model_fault(settings.model.base_url or "", settings.investigator.model):
        _say(fault)


async def _keep_running(
    workspace: Sandbox, home: Path, config: Path, stop: asyncio.Event, service: DemoService | None
) -> int:
    """Start the bot and restart it whenever it dies; return the exit code of the demo."""
    introduced = False
    settings = load(config)
    installation = workspace.installation
    while True:
        endings = installation.endings
        process = await start_bot(workspace, home, config)
        exit_task = asyncio.create_task(process.wait())
        stopped = asyncio.create_task(stop.wait())
        try:
            ready = asyncio.create_task(is_ready(process))
            with Activity(sys.stderr, "Starting the bot"):
                await asyncio.wait([ready, stopped], return_when=asyncio.FIRST_COMPLETED)
            if ready.done() and ready.result():
                _say(
                    format_restart(process.pid)
                    if introduced
                    else introduce(settings, workspace.url, home, process.pid, service)
                )
                if not introduced:
                    _open_page(workspace.url)
                introduced = True
            await asyncio.wait([exit_task, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            ready.cancel()
            await end_bot(process)
        if stop.is_set():
            return 0
        if installation.error:
            _say(format_uninstalled(workspace.url, installation.error))
            await _first_of(stop.wait(), installation.installed())
        elif process.returncode == 2 and installation.endings == endings:
            return 2
        else:
            _say(f"The bot stopped (code {process.returncode}). Restarting it…")
            await _first_of(stop.wait(), asyncio.sleep(RESTART_AFTER))
        if stop.is_set():
            return 0


async def _run_replicas(
    workspace: Sandbox, home: Path, config: Path, stop: asyncio.Event, service: DemoService | None, count: int
) -> int:
    """Keep several bots running on one database of the demo; return the exit code."""
    demand_driver()
    from bot.adapters.postgresql.migrations import migrate

    async with run_database(home) as address:
        await migrate(address, really=True)
        _say(introduce_replicas(load(config), workspace.url, home, count, service))
        _open_page(workspace.url)
        await _first_of(stop.wait(), keep_replicas(workspace, home, config, address, count, _say))
    return 0


async def _first_of(*waits: Coroutine[Any, Any, Any]) -> None:
    """Wait until the first of these coroutines is done, and cancel the others."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


def _find_settings_file(options: argparse.Namespace) -> Path | None:
    """Return the settings file that the user named, if any. Raises `Misconfigured` for a model address elsewhere."""
    config = named_config(options.config)
    if config and options.replicas:
        raise Misconfigured("--replicas: only with the demo's own settings; leave --config and $TRIAGE_CONFIG away")
    if config and options.model_url:
        raise Misconfigured("--model-url: the demo's own settings take it; in yours it is model.base_url")
    if options.model_url and urlsplit(options.model_url).hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Misconfigured("--model-url: expected a server on this machine; the demo hands no key on")
    if options.model and not options.model_url:
        raise Misconfigured("--model: it names a model of --model-url; in your settings it is investigator.model")
    return config


def _open_page(url: str) -> None:
    if sys.stdout.isatty() and (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        webbrowser.open(f"{url}/?as=U0ANA")


def _say(line: str) -> None:
    print(fit(line, find_width(sys.stdout)), flush=True)  # noqa: T201  # command-line output
