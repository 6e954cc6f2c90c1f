"""Replicas of one bot as real processes, with a cluster of their own and the local workspace."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from bot.adapters.postgresql.migrations import migrate
from bot.cli.announcements import READY, STANDING_BY, WORKING
from bot.cli.manifest import MANIFEST
from bot.cli.shipped_files import shipped_file
from sandbox.models import Person
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests.postgresql import MISSING, find_binaries, run_cluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.postgresql import Cluster

_FIRST = (
    *("amber", "arctic", "autumn", "bitter", "bright", "broken", "copper", "crimson", "distant", "eager"),
    *("feral", "fluent", "frozen", "gentle", "golden", "hollow", "humble", "hungry", "indigo", "jagged"),
    *("lively", "lunar", "marble", "mellow", "misty", "modest", "narrow", "nimble", "olive", "patient"),
    *("placid", "proud", "purple", "quiet", "rapid", "rustic", "silent", "silver", "velvet", "winter"),
)
_SECOND = (
    *("anchor", "badger", "beacon", "canyon", "cedar", "cobalt", "comet", "dragon", "engine", "falcon"),
    *("garden", "glacier", "harbor", "island", "jungle", "kettle", "ladder", "lantern", "magnet", "meadow"),
    *("mirror", "nectar", "orchid", "paddle", "pebble", "pepper", "planet", "pocket", "prairie", "rabbit"),
    *("raven", "river", "rocket", "saddle", "shadow", "signal", "spruce", "summit", "temple", "tunnel"),
)
NAMES = tuple(f"{first}_{second}_limit" for first in _FIRST for second in _SECOND)
"""Constants of the code that questions ask for."""
_FILES, _LEVELS = 40, ("user", "channel", "workspace")
ASKERS = tuple(Person(f"U0ASKER{number:02}", f"Asker {number}", "Engineer") for number in range(40))
"""People who ask, each one thing at a time: what one person writes within seconds is one question."""
STEADY = ("max_connections=80", "shared_buffers=64MB")
"""Options of the server: with syncs, as where a team runs it."""


def value_of(name: str) -> int:
    """The value of a constant, which no other one has."""
    return 100_000 + NAMES.index(name)


def place_of(name: str) -> tuple[str, int]:
    """The file and the line of a constant."""
    number = NAMES.index(name)
    return f"limits_{number % _FILES}.py", number // _FILES + 1


@dataclass
class Replica:
    """One process: when it began to lead, by `time.monotonic`, and its last lines."""

    process: asyncio.subprocess.Process
    number: int
    """The number of its home."""
    led_at: float | None = None
    is_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once it stands by, leads or works."""
    lines: list[str] = field(default_factory=list)
    reading: asyncio.Task[None] | None = None

    async def read(self) -> None:
        """Note what it says until its end."""
        said = self.process.stdout
        while said and (line := await said.readline()):
            text = line.decode(errors="replace").rstrip()
            self.lines = [*self.lines[-200:], text]
            if text.startswith(READY):
                self.led_at = time.monotonic()
            elif text.startswith(STANDING_BY):
                self.led_at = None  # it began again
            if text.startswith((READY, STANDING_BY, WORKING)):
                self.is_up.set()

    def send(self, number: int) -> None:
        """Send a signal to the process and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


@dataclass
class Place:
    """Where replicas run: `folder` has their homes."""

    folder: Path
    cluster: Cluster
    workspace: Sandbox
    config: Path
    replicas: list[Replica] = field(default_factory=list)

    async def start(self, number: int, *role: str) -> Replica:
        """Start a replica with the home of this number, and with these options."""
        variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SLACK_", "ANTHROPIC_"))},
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_API_URL": self.workspace.api_url,
            "TRIAGE_DATABASE_URL": self.cluster.local_address("postgres"),
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run", "--config", str(self.config), "--stop-with-stdin"),
            *("--home", str(self.folder / f"home-{number}"), "--env-file", os.devnull, *role),
            env=variables,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        replica = Replica(process, number)
        replica.reading = asyncio.create_task(replica.read())
        self.replicas.append(replica)
        return replica

    async def close(self) -> None:
        """End all processes."""
        for replica in self.replicas:
            replica.send(signal.SIGCONT)
            replica.send(signal.SIGKILL)
            await replica.process.wait()


@asynccontextmanager
async def open_place(folder: Path, options: tuple[str, ...] = STEADY, **settings: Any) -> AsyncIterator[Place]:
    """A cluster, a workspace and a code base with the constants of `NAMES`, until the end of the block.

    `settings` are further ones of the bot.
    """
    binaries = find_binaries()
    if binaries is None:
        pytest.skip(MISSING)
    code = folder / "code"
    code.mkdir(parents=True)
    for number in range(_FILES):
        lines = [f"{name.upper()} = {value_of(name)}" for name in NAMES[number::_FILES]]
        (code / f"limits_{number}.py").write_text("\n".join(lines) + "\n")
    config = folder / "triage.yml"
    config.write_text(
        yaml.safe_dump(
            {
                "storage": "postgresql",
                "watched_chats": [{"chat_id": "C0HELP", "name": "help-platform", "mode": "live"}],
                "floods": {f"per_{level}": {"per_minute": 600, "burst": 600} for level in _LEVELS},
                "operators": ["U0OPS"],
                "admins": ["U0ADMIN"],
                "projects": {"shop": {"root": str(code), "description": "the shop and its limits"}},
                **settings,
            }
        )
    )
    with run_cluster(binaries, options) as cluster:
        await migrate(cluster.local_address("postgres"), really=True)
        workspace = await Sandbox.start(port=0, manifest=shipped_file(MANIFEST), people=ASKERS)
        place = Place(folder, cluster, workspace, config)
        try:
            yield place
        finally:
            await place.close()
            await workspace.close()
