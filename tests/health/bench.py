"""Runbooks for tests: a home, a bot that runs them, and programs that leave a trace."""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.adapters.clock import SystemClock
from bot.config.sections.health import RunbookSection
from bot.decide.redaction.redactor import Redactor
from bot.health.runbooks import RunbookRunner
from bot.models.incident import Remedy
from bot.runtime.program_folder import ProgramFolder
from bot.runtime.program_runner import PROCESS, ProgramRunner
from tests.fakes import MemoryJournal

SECONDS = 20.0
"""Maximum time of a wait for a process, on a busy machine."""
RUN = "run1"
SECRET = "-".join(("Tr0ub4dor", "and", "3", "more"))


class MovedClock(SystemClock):
    """The system's clock, set forward by a test."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> datetime:
        """The time, so many seconds ahead."""
        return datetime.fromtimestamp(datetime.now(UTC).timestamp() + self.ahead, UTC)


@dataclass
class Runbooks:
    """A home with a bot."""

    home: Path
    sections: tuple[RunbookSection, ...] = ()
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    clock: MovedClock = field(default_factory=MovedClock)
    process: Sequence[str] = PROCESS
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"], "HOME": "/nowhere"})

    healthy: set[str] = field(default_factory=set)
    bots: list[RunbookRunner] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self, *sections: RunbookSection) -> RunbookRunner:
        """The next bot on this home, perhaps with other settings."""
        self.sections = sections or self.sections
        self.runner = RunbookRunner(
            programs=ProgramRunner(
                parent=self.home / "runbooks",
                environment=self.environment,
                audit=self.audit,
                redactor=Redactor([SECRET]),
                clock=self.clock,
                process=self.process,
            ),
            cwd=self.home,
            runbooks=self.sections,
            is_failing=lambda name: name not in self.healthy,
            is_back=lambda name: name in self.healthy,
        )
        self.bots.append(self.runner)
        return self.runner

    def reap(self) -> None:
        """Wait for the processes of all bots."""
        for each in self.bots:
            for child in each.programs._children:
                child.wait(SECONDS)

    def folder(self, run_id: str = RUN) -> ProgramFolder:
        """The folder of a run."""
        return ProgramFolder(self.home / "runbooks" / run_id)

    def script(self, text: str, **changes: Any) -> RunbookSection:
        """A runbook that runs a script of the shell; `starts` has a line for each start."""
        path = self.home / "remedy.sh"
        path.write_text(f"#!/bin/sh\necho start >> {self.home}/starts\n{text}\n")
        path.chmod(0o700)
        return self.add(**{"argv": (str(path), "shop-api")} | changes)

    def add(self, **changes: Any) -> RunbookSection:
        """One more runbook."""
        section = RunbookSection(**{"name": "restart-shop", "services": ("shop-api",)} | changes)
        self.restart(*self.sections, section)
        return section

    def press(self, run_id: str | None = RUN, **changes: Any) -> Remedy:
        """An approved remedy: the last runbook."""
        section = self.sections[-1]
        values: dict[str, Any] = {
            "runbook": section.name,
            "argv": section.argv,
            "timeout_s": section.timeout_s,
            "reason": "The settings name it for shop-api.",
            "tier": section.tiers[0],
            "proposed_at": self.clock.now(),
            "state": "approved",
            "decided_by": "U0OPS",
            "decided_at": self.clock.now(),
            "run_id": run_id,
        }
        return Remedy(**values | changes)

    @property
    def starts(self) -> int:
        """How often the program was started."""
        path = self.home / "starts"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def lines(self, action: str) -> list[dict[str, Any]]:
        """The lines of the audit log about this."""
        return [record for record in self.audit.kept if record["action"] == action]


def pipe(path: Path) -> Path:
    """A named pipe."""
    os.mkfifo(path)
    return path


async def read(path: Path) -> str:
    """The next words in a pipe. Raises `TimeoutError`."""
    try:
        return (await asyncio.wait_for(asyncio.to_thread(path.read_text), SECONDS)).strip()
    except TimeoutError:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))  # else its thread would wait for ever
        raise


def is_gone(pid: int) -> bool:
    """Wait for the end of a process."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], SECONDS)[0])
    finally:
        os.close(handle)
