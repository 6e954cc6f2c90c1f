"""`triage demo`: a local Slack workspace with its page, and the bot connected to it as a process of its own.

The bot is the real one, started as `triage run`; when it dies it is started again with the same home, so that anyone
can kill it and see it go on. Where the app was taken out of the workspace, it waits for it to be installed again. The
workspace keeps its messages in the home too.
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

import bot
from bot.adapters.home import Home
from bot.cli.demo_projects import PARCELS, QUESTIONS, write_demo
from bot.cli.options import port_number
from bot.cli.run import READY
from bot.config.environment import environment
from bot.config.paths import home_path, named_config
from bot.config.settings import load
from bot.errors import Misconfigured

if TYPE_CHECKING:
    import argparse
    from collections.abc import Coroutine

    from bot.config.settings import Settings
    from sandbox.server import Sandbox

DEFAULT_HOME = Path("~/.triage-demo")
DEFAULT_PORT = 8765
RESTART_AFTER = 0.5
"""Seconds between the bot's death and its next start."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `triage demo`."""
    parser.add_argument(
        "--home", type=Path, metavar="DIR", help=f"folder of the state (default: $TRIAGE_HOME, else {DEFAULT_HOME})"
    )
    parser.add_argument("--port", type=port_number, default=DEFAULT_PORT, metavar="N", help=f"default: {DEFAULT_PORT}")
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings (default: $TRIAGE_CONFIG, else its own, about Triage's source and a small service)",
    )
    parser.add_argument(
        "--model-url",
        metavar="URL",
        help="a model's server on this machine, such as http://127.0.0.1:11434: agents draft, and one talks with you",
    )


def main(options: argparse.Namespace) -> int:
    """Run the workspace and the bot until Ctrl-C."""
    environment()  # a mistake there is said before anything starts
    home = home_path(options.home, DEFAULT_HOME)
    os.umask(0o077)
    config = (_named(options) or write_demo(Home(home).path / "demo", options.model_url)).absolute()
    load(config)  # a mistake in the file is said before anything starts
    Home(home)
    return asyncio.run(_demo(home, options.port, config))


async def _demo(home: Path, port: int, config: Path) -> int:
    from sandbox.record import UnreadableRecord
    from sandbox.server import PortTaken, Sandbox

    try:
        workspace = await Sandbox.start(port=port, data=home / "workspace.ndjson", manifest=_manifest(), shared=True)
    except PortTaken:
        raise Misconfigured(f"port {port} is taken; stop what listens there, or choose another with --port") from None
    except UnreadableRecord as problem:
        raise Misconfigured(f"{problem}; move it away, or choose another folder with --home") from None
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        return await _keep_running(workspace, home, config, stop)
    finally:
        await workspace.close()


async def _keep_running(workspace: Sandbox, home: Path, config: Path, stop: asyncio.Event) -> int:
    """Start the bot, and again whenever it dies; the answer is the exit code of the demo."""
    introduced = False
    suggested = tries(load(config))
    installation = workspace.installation
    while True:
        endings = installation.endings
        process = await _start_bot(workspace, home, config)
        ended = asyncio.create_task(process.wait())
        stopped = asyncio.create_task(stop.wait())
        try:
            ready = asyncio.create_task(_is_ready(process))
            await asyncio.wait([ready, stopped], return_when=asyncio.FIRST_COMPLETED)
            if ready.done() and ready.result():
                _say(_again(process.pid) if introduced else _introduction(workspace.url, home, process.pid, suggested))
                if not introduced:
                    _open_page(workspace.url)
                introduced = True
            await asyncio.wait([ended, stopped], return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            ready.cancel()
            await _end(process)
        if stop.is_set():
            return 0
        if installation.error:
            _say(_taken_out(workspace.url, installation.error))
            await _first_of(stop.wait(), installation.installed())
        elif process.returncode == 2 and installation.endings == endings:
            return 2
        else:
            _say(f"The bot stopped (code {process.returncode}). Starting it again…")
            await _first_of(stop.wait(), asyncio.sleep(RESTART_AFTER))
        if stop.is_set():
            return 0


async def _first_of(*waits: Coroutine[Any, Any, Any]) -> None:
    """Return once one of them has."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


async def _start_bot(workspace: Sandbox, home: Path, config: Path) -> asyncio.subprocess.Process:
    from sandbox.seed import APP_TOKEN, BOT_TOKEN

    real = ("SLACK_", "ANTHROPIC_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")  # tokens, and ways out of this machine
    inherited = {key: value for key, value in os.environ.items() if not key.upper().startswith(real)}
    variables = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": workspace.api_url}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(config), "--home", str(home), "--stop-with-stdin"),
        env=inherited | variables,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )


async def _is_ready(process: asyncio.subprocess.Process) -> bool:
    assert process.stdout is not None  # noqa: S101  # it was asked for
    return (await process.stdout.readline()).decode(errors="replace").startswith(READY)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), 10)
        except TimeoutError:
            process.kill()
            await process.wait()


def _named(options: argparse.Namespace) -> Path | None:
    """Settings of one's own, which say themselves where a model is. Raises `Misconfigured` for an address elsewhere."""
    config = named_config(options.config)
    if config and options.model_url:
        raise Misconfigured("--model-url: the demo's own settings take it; in yours it is model.base_url")
    if options.model_url and urlsplit(options.model_url).hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Misconfigured("--model-url: expected a server on this machine; the demo hands no key on")
    return config


def _manifest() -> Path | None:
    """The app's manifest, where it lies beside the source: the workspace then grants what it asks for and no more."""
    path = Path(bot.__file__).resolve().parent.parent / "manifest.yml"
    return path if path.exists() else None


def tries(settings: Settings) -> str:
    """What to ask: of the demo's own projects its questions, of anybody else's only what the settings have."""
    shown = {project.name: project.root for project in settings.project_list}
    channel = next((chat.name or chat.chat_id for chat in settings.watched_chats), None)
    own = [question for name, question in zip(("triage", PARCELS), QUESTIONS, strict=True) if name in shown]
    if not own or not {*shown} <= {"triage", PARCELS}:
        where = f"in #{channel}" if channel else "in a channel that the settings watch"
        return f"Ask {where} about {', '.join(shown) or 'a project'}; the draft goes to the operator of the settings."
    lines = [
        f"As Ana, ask in #{channel}: {own[0]}",
        "Then look as Olu, the operator: the draft stands in the direct message with Triage. Press Approve.",
        *(f"Of the second project, by its own rule and role: {question}" for question in own[1:]),
        f"Ask {'one of them' if own[1:] else 'it'} once more: its approved answer is the draft at once.",
    ]
    return "\n          ".join(lines)


def _introduction(url: str, home: Path, pid: int, suggested: str) -> str:
    return f"""\
Triage demo is ready.

  Page    {url}/?as=U0ANA
  Try     {suggested}
  Talk    As Ada, the admin, write to Triage in the direct message: what are you doing?
  State   {home}
  Bot     process {pid}; kill it and it goes on where it stopped
  Stop    Ctrl-C
"""


def _again(pid: int) -> str:
    return f"The bot is back (process {pid})."


def _taken_out(url: str, code: str) -> str:
    return f"""\
The app is not installed in the workspace any more ({code}), so no bot runs. The page stays: {url}/?as=U0ANA
  Install it again:  curl -X POST {url}/human/install -d '{{}}'
"""


def _open_page(url: str) -> None:
    if sys.stdout.isatty() and (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        webbrowser.open(f"{url}/?as=U0ANA")


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the command line speaks to a person
