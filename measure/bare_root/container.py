"""A container without an engine: the image's program in its root, with the rights that compose.yml leaves it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from measure.bare_root.root import Bind, Failed, as_user

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from measure.bare_root.dockerfile import Health, Stage
    from measure.bare_root.root import Root

SETTINGS = """\
watched_chats: [{chat_id: C0HELP, name: help, mode: live}]
operators: [U0OPS]
projects: {shop: {root: /projects/shop}}
"""


@dataclass
class Container:
    """The image's program, running."""

    root: Root
    stage: Stage
    process: asyncio.subprocess.Process
    pid: int
    """Its number on this machine."""

    async def execute(self, *command: str, patience: float) -> tuple[int, str]:
        """Run a command beside the program, as `docker exec` does; return exit code and output."""
        number, group, home = self.root.account(self.stage.surroundings.user)
        pairs = [f"{name}={value}" for name, value in {"HOME": home, **self.root.variables}.items()]
        inside = ["env", "-i", f"--chdir={self.stage.surroundings.folder}", *pairs, *command]
        words = [
            "nsenter",
            f"--target={self.pid}",
            "--mount",
            "--pid",
            "--ipc",
            "--uts",
            *as_user(number, group),
            *inside,
        ]
        beside = await asyncio.create_subprocess_exec(
            *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            said, _ = await asyncio.wait_for(beside.communicate(), patience)
        except TimeoutError:
            beside.kill()
            return await beside.wait(), f"no end within {patience:.0f} s"
        return beside.returncode or 0, said.decode(errors="replace")

    async def becomes_ready(self, line: str) -> str:
        """Return the program's first line, which begins with `line`; raise `Failed` with all that it says if not."""
        assert self.process.stdout is not None  # noqa: S101  # it was asked for
        said = (await self.process.stdout.readline()).decode()
        if not said.startswith(line):
            raise Failed(said + (await self.process.stdout.read()).decode())
        return said.strip()

    async def becomes_healthy(self, health: Health) -> None:
        """Ask the health check again and again, for as long as Docker would; raise `Failed` with its last answer."""
        end = time.monotonic() + health.start_period + health.interval * health.retries
        code, said = 1, ""
        while code:
            if time.monotonic() > end or self.process.returncode is not None:
                raise Failed(f"the container is not healthy: {said}")
            code, said = await self.execute(*health.command, patience=health.timeout)

    async def end(self, grace: float) -> tuple[int, str]:
        """Send SIGTERM as `docker stop` does; return exit code and what the program printed."""
        assert self.process.stdout is not None  # noqa: S101  # it was asked for
        os.kill(self.pid, signal.SIGTERM)
        said = await asyncio.wait_for(self.process.stdout.read(), grace)
        return await self.process.wait(), said.decode(errors="replace")


def put_binds(root: Root, stage: Stage, folder: Path) -> Root:
    """Return the root with the volumes, settings and projects that compose.yml gives it, which lie in `folder`.

    Volumes begin as the image has them.
    """
    binds = []
    for number, place in enumerate(stage.volumes):
        volume = folder / str(number)
        subprocess.run(["cp", "--archive", str(root.folder / place.lstrip("/")), str(volume)], check=True)  # noqa: S607  # coreutils
        binds.append(Bind(volume, place, is_read_only=False))
    (folder / "triage.yml").write_text(SETTINGS, encoding="utf-8")
    (folder / "projects" / "shop").mkdir(parents=True)
    (folder / "projects" / "shop" / "orders.py").write_text("RETRY_LIMIT = 3\n", encoding="utf-8")
    binds += [Bind(folder / "triage.yml", "/config/triage.yml"), Bind(folder / "projects", "/projects")]
    for bind in binds:
        root.make_place(bind)
    return replace(root, binds=tuple(binds), is_read_only=True)


@asynccontextmanager
async def started(root: Root, stage: Stage, secrets: dict[str, str]) -> AsyncIterator[Container]:
    """Start the image's program with the rights that compose.yml leaves it: read-only, no capability, /tmp in memory.

    It is the first process of its container, so nothing forwards signals to it. At the end it is killed.
    """
    here = replace(root, variables={**stage.surroundings.variables, **secrets})
    reading, writing = os.pipe()
    options = ("--as-pid-1", "--info-fd", str(writing))
    command = (*stage.entrypoint, *stage.arguments)
    process = await asyncio.create_subprocess_exec(
        *here.words(*command, user=stage.surroundings.user, cwd=stage.surroundings.folder, options=options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        pass_fds=(writing,),
    )
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        pid = json.load(told)["child-pid"]
    try:
        yield Container(here, stage, process, pid)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # all others of the container end with it
            await process.wait()
