"""The image without Docker: its steps in bare roots, and its bot as compose.yml starts it, with the local workspace.

The base image's Python is built from source in /usr/local; here it is Debian's own of the same version, in the release
of Debian that has it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.announcements import READY
from measure.bare_root.container import put_binds, started
from measure.bare_root.dockerfile import Copy, read_stages
from measure.bare_root.root import PATH, RELEASES, Failed, bare_root
from measure.bare_root.sent import ROOT, list_sent
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from sandbox.server import Sandbox
from tests.line.human import Human

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from measure.bare_root.container import Container
    from measure.bare_root.dockerfile import Stage
    from measure.bare_root.root import Root

PYTHON = ("python3", "python3-venv", "python-is-python3", "netbase", "tzdata")
"""What the base image has of Python, and further packages that Debian's smallest root has not."""
QUESTION = "where is RETRY_LIMIT set?"
_BASE = re.compile(r"python:(\d+\.\d+)-slim")
_SHARED = {"/tmp", "/var/tmp", "/run/lock", "/dev/shm"}  # noqa: S108  # open to everybody in each Debian


@contextmanager
def built(tell: Callable[[str], None]) -> Iterator[tuple[Root, Stage]]:
    """Carry out the Dockerfile; give the root of its last stage, and what its container starts with."""
    stages = read_stages((ROOT / "Dockerfile").read_text(encoding="utf-8"), {"PATH": PATH})
    with ExitStack() as stack:
        roots: dict[str, Root] = {}
        for stage in stages:
            version = _BASE.fullmatch(stage.base)
            if version is None or version[1] not in RELEASES:
                raise LookupError(f"{stage.base} is no base for which a Debian is known")
            root = stack.enter_context(bare_root(RELEASES[version[1]], *PYTHON))
            roots[stage.name] = root
            tell(f"{stage.base}: Debian {RELEASES[version[1]]} with {root.run('python', '--version').strip()}")
            for step in stage.steps:
                around = step.surroundings
                (root.folder / around.folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
                if isinstance(step, Copy):
                    _copy(step, root, roots)
                    tell(f"COPY {' '.join(step.sources)} {step.target}")
                else:
                    here = replace(root, variables={**root.variables, **around.variables})
                    here.run("/bin/sh", "-c", step.command, user=around.user, cwd=around.folder)
                    tell(f"RUN {step.command[:90]}")
            (root.folder / stage.surroundings.folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
        yield roots[stages[-1].name], stages[-1]


def _copy(step: Copy, root: Root, roots: dict[str, Root]) -> None:
    target = root.folder / os.path.join(step.surroundings.folder, step.target).lstrip("/")  # noqa: PTH118  # as Docker
    for source in step.sources:
        if step.stage:
            there = roots[step.stage].folder / source.lstrip("/")
            subprocess.run(["cp", "--archive", "--no-target-directory", str(there), str(target)], check=True)  # noqa: S607  # of this machine
            continue
        if source != ".":
            raise LookupError(f"COPY {source}: only all that is sent can be copied here")
        for path in list_sent():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, target / path)


def list_writable(root: Root, stage: Stage) -> list[str]:
    """Return what the container's user may write to, but for the volumes and the folders open to everybody."""
    line = r"find / -xdev \( -path /proc -o -path /dev \) -prune -o -not -type l -writable -print 2> /dev/null || true"
    found = root.run("sh", "-c", line, user=stage.surroundings.user).splitlines()
    return [path for path in found if not path.startswith(stage.volumes) and path not in _SHARED]


async def try_image(tell: Callable[[str], None]) -> None:
    """Build it, start it, ask, kill it, approve after the next start, and stop it.

    Raises `Failed` at the first thing that is not as it should be.
    """
    with built(tell) as (root, stage), tempfile.TemporaryDirectory(prefix="triage-container-") as folder:
        if stage.health is None or stage.volumes != ("/state",):
            raise Failed("the image has no health check, or other volumes than /state")
        if writable := list_writable(root, stage):
            raise Failed(f"user {stage.surroundings.user} may write to {', '.join(writable)}")
        tell(f"user {stage.surroundings.user} may write to {' '.join(stage.volumes)} and nothing else")
        root = put_binds(root, stage, Path(folder))
        workspace = await Sandbox.start(port=0, manifest=ROOT / "manifest.yml")
        secrets = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": workspace.api_url}
        ana, olu = Human(workspace.url, "U0ANA"), Human(workspace.url, "U0OPS")
        try:
            async with started(root, stage, secrets) as container:
                tell(await container.becomes_ready(READY))
                await container.becomes_healthy(stage.health)
                tell(f"healthy: {' '.join(stage.health.command)}")
                ts = await ana.say(QUESTION)
                card = await olu.card(QUESTION)
                tell("the card of a question is there; killed")
            async with started(root, stage, secrets) as container:
                tell(await container.becomes_ready(READY))
                await container.becomes_healthy(stage.health)
                await olu.press("approve", card)
                await ana.replies(ts)
                tell("approved after a start on the same volume, and posted")
                await _look(container, tell)
                await _stop(container, tell)
        finally:
            await workspace.close()


async def _look(container: Container, tell: Callable[[str], None]) -> None:
    """Look at what runs: by doctor, at the libraries of several replicas, and at the volume's files."""
    for command in (("triage", "doctor"), ("python", "-c", "import procrastinate, psycopg, psycopg_pool")):
        code, said = await container.execute(*command, patience=60)
        if code:
            raise Failed(f"exit code {code} of {' '.join(command)}:\n{said}")
        tell(f"{' '.join(command)}: exit code 0\n{said}".rstrip())
    number, _, _ = container.root.account(container.stage.surroundings.user)
    for bind in container.root.binds:
        if not bind.is_read_only and (strange := [p for p in bind.path.rglob("*") if p.lstat().st_uid != number]):
            raise Failed(f"not of user {number}: {strange}")


async def _stop(container: Container, tell: Callable[[str], None]) -> None:
    code, said = await container.end(grace=90)
    if code:
        raise Failed(f"exit code {code} after SIGTERM:\n{said}")
    tell(f"SIGTERM ends it with exit code 0: {said.strip()}")
