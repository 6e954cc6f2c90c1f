"""Trial run of `triage selftest`: a question to a bot in a local workspace, whose tier 2 is a stand-in.

Bot, task folder, launcher, headless process and supervisor are those of any question. All is in one temporary folder.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import yaml

from bot.adapters.documents import Documents
from bot.cli import selftest_program
from bot.cli.local_bot import is_ready, start_bot
from bot.cli.manifest import MANIFEST
from bot.cli.selftest_program import END, FILE, LINE, STARTS, WAITS
from bot.cli.shipped_files import shipped_file
from bot.cli.watched_terminal import is_shown
from bot.decide.self_test import TrialRun
from bot.errors import TriageError
from bot.escalation.folder import RunFolder, list_folders
from bot.escalation.launcher import Launcher
from bot.models.thread import Thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandbox.server import Sandbox

PROGRAM = Path(selftest_program.__file__)
SECONDS = 15.0
"""Limit of each wait."""
HOME = "home"
_EVERY = 0.05
_PLACE = "set TMPDIR to a folder that can be written and has space"


async def try_run(place: Path | None, say: Callable[[str], None], *, program: Path = PROGRAM) -> TrialRun:
    """Run the trial in a new folder below `place`, the system's for temporary files by default; return its record.

    On return, and when it is cancelled, all its processes have ended and the folder is removed. `say` takes lines of
    progress.
    """
    seen = TrialRun(has_tmux=shutil.which("tmux") is not None)
    try:
        with TemporaryDirectory(prefix="triage-selftest-", dir=place, ignore_cleanup_errors=True) as name:
            folder = Path(name)
            store = Documents(folder / HOME / "state", stop=None)
            trial = _Trial(folder=folder, store=store, program=program, say=say, seen=seen)
            try:
                await trial.run()
            except TriageError as problem:
                trial.note(fault=str(problem))
            finally:
                await trial.close()
            return trial.seen
    except OSError as problem:
        path = problem.filename or "the folder for temporary files"
        return replace(seen, fault=f"{path} cannot be written: {problem.strerror}", advice=_PLACE)


@dataclass(kw_only=True)
class _Trial:
    """Trial. `seen` is its record so far."""

    folder: Path
    store: Documents
    program: Path
    say: Callable[[str], None]
    seen: TrialRun
    _workspace: Sandbox | None = None
    _bots: list[asyncio.subprocess.Process] = field(default_factory=list)

    async def run(self) -> None:
        """Run it. Raises `TriageError` with the reason why it does not go on, or `OSError`."""
        from sandbox.server import Sandbox

        config = self._write_settings()
        self.say("A local workspace and a bot in it are started.")
        self._workspace = await Sandbox.start(port=0, manifest=shipped_file(MANIFEST))
        bot = await self._start_bot(self._workspace, config)
        self.say("A question begins a run of tier 2.")
        asked = time.monotonic()
        await _ask(self._workspace.url)
        folder = await self._find_run()
        pid = folder.find_process()
        await self._watch(folder)
        self.say(f"The bot (process {bot.pid}) is killed with SIGKILL, and another one is started.")
        bot.kill()
        await bot.wait()
        killed = time.monotonic()
        self.note(killed=bot.pid)
        await self._start_bot(self._workspace, config)
        self.note(outlived=pid is not None and folder.find_process() == pid)
        self.say("The run is let go on to its end.")
        with suppress(OSError):  # nobody reads: the program is gone
            os.close(os.open(self.folder / END, os.O_WRONLY | os.O_NONBLOCK))
        await self._read_end(folder)
        self.note(run_seconds=time.monotonic() - asked)
        await self._until(lambda thread: thread is None or thread.status != "escalated")
        thread = await self._load()
        has_result = bool(thread and thread.escalation and thread.escalation.has_result)
        self.note(has_result=has_result, restart_seconds=time.monotonic() - killed, starts=self._count_starts())

    def note(self, **changes: object) -> None:
        """Add to the record."""
        self.seen = replace(self.seen, **changes)  # type: ignore[arg-type]  # fields of the record

    async def close(self) -> None:
        """End all processes of the trial."""
        for bot in self._bots:
            with suppress(ProcessLookupError):
                os.killpg(bot.pid, signal.SIGKILL)  # with its workers, also those of the one that was killed
            await bot.wait()
        await asyncio.to_thread(self._end_runs)
        if self._workspace:
            await self._workspace.close()

    @property
    def _runs(self) -> list[RunFolder]:
        return list_folders(self.folder / HOME / "escalations")

    def _write_settings(self) -> Path:
        """Write the project and the settings; return the settings file."""
        code, config = self.folder / "code", self.folder / "triage.yml"
        code.mkdir()
        (code / FILE).write_text(f"{LINE}\n")
        os.mkfifo(self.folder / END, 0o600)
        settings = {
            "watched_chats": [{"chat_id": "C0HELP", "name": "help-platform", "mode": "live"}],
            "operators": ["U0OPS"],
            "projects": {"selftest": {"root": str(code)}},
            "escalation": {"expected_runtime_min_threshold": 0.1},
            "tiers": {
                2: {
                    "command": [sys.executable, "-I", str(self.program), str(self.folder)],
                    "hard_cap_runtime_min": 2,  # the run's end, should this process be killed
                }
            },
        }
        config.write_text(yaml.safe_dump(settings))
        return config

    async def _start_bot(self, workspace: Sandbox, config: Path) -> asyncio.subprocess.Process:
        """Start a bot on the home, and wait until it is ready."""
        errors = self.folder / "errors"
        with errors.open("wb") as file:
            bot = await start_bot(workspace, self.folder / HOME, config, errors=file)
        self._bots.append(bot)
        try:
            is_up = await asyncio.wait_for(is_ready(bot), 2 * SECONDS)
        except TimeoutError:
            raise TriageError(f"a bot was not ready within {2 * SECONDS:g} s") from None
        if not is_up:
            last = errors.read_text(errors="replace").strip().rpartition("\n")[2]
            raise TriageError(f"a bot did not start: {last or 'it gave no reason'}")
        return bot

    async def _find_run(self) -> RunFolder:
        """Return the folder of the run, whose program has begun."""
        await self._until(lambda _: self._count_starts() > 0 or any(each.done.exists() for each in self._runs))
        if not self._runs:
            raise TriageError("the bot began no run of tier 2")
        folder = self._runs[0]
        if folder.done.exists():
            await self._read_end(folder)
            raise TriageError("the run ended before it could be watched")
        if not self._count_starts():
            raise TriageError(f"the run did not begin; its transcript ends with: {folder.read_latest() or 'nothing'}")
        return folder

    async def _watch(self, folder: RunFolder) -> None:
        """Run the command that the thread's document has, as a person would."""
        began = time.monotonic()
        await self._until(lambda thread: bool(thread and thread.escalation and thread.escalation.watch_command))
        thread = await self._load()
        if thread and thread.escalation and (command := thread.escalation.watch_command):
            self.say(f"It is watched: {command}")
            self.note(watch_command=command, in_tmux=folder.socket.exists())
            self.note(is_shown=await is_shown(command, WAITS, seconds=SECONDS))
        self.note(watch_seconds=time.monotonic() - began)

    async def _read_end(self, folder: RunFolder) -> None:
        """Wait for the end of the run, and note its result."""
        if not await self._until(lambda _: folder.read_state() in ("ended", "died")):
            raise TriageError(f"the run did not end within {SECONDS:g} s")
        if returned := folder.read_return():
            outcome = ": ".join(filter(None, (returned.outcome, returned.reason)))
            self.note(outcome=outcome, is_done=returned.report is not None and folder.done.exists())

    def _count_starts(self) -> int:
        starts = self.folder / STARTS
        return len(starts.read_text().splitlines()) if starts.exists() else 0

    async def _load(self) -> Thread | None:
        """Return the document of the only thread."""
        async for _, thread in self.store.threads():
            return thread if isinstance(thread, Thread) else None
        return None

    async def _until(self, holds: Callable[[Thread | None], bool]) -> bool:
        """Wait until a condition on the thread holds; return whether it did in time."""
        end = time.monotonic() + SECONDS
        while not holds(await self._load()):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(_EVERY)
        return True

    def _end_runs(self) -> None:
        """End all runs by force, and let none begin."""
        launcher = Launcher(tmux=shutil.which("tmux"))
        for folder in self._runs:
            with suppress(OSError):
                launcher.kill(folder, patience=1.0)
                folder.bar()


async def _ask(url: str) -> None:
    import aiohttp  # as late as the workspace's server

    body = {"user": "U0ANA", "channel": "C0HELP", "text": "where is the retry limit set?"}
    async with aiohttp.ClientSession(url) as session, session.post("/human/say", json=body) as answer:
        answer.raise_for_status()
