"""A program that tries to get out of its boundary: files, folders, sockets, processes, mounts, variables."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
from pathlib import Path
from typing import Any

from measure.attack.tally import Tally
from tests.isolation.outside import GIVEN, SET_BY_BWRAP, Outside, got, machine, refused

COUNT = 3_000
_AT_ONCE = 300
"""Tries of one program."""
_KINDS = ("read", "names", "write", "remove", "link", "unix", "remount")


def run(count: int) -> Tally:
    """Make so many tries, in programs that were granted one project for reading; skipped where there is no boundary."""
    if why := refused():
        return Tally("a program in its boundary", 0, measured=f"not run: {why}")
    with tempfile.TemporaryDirectory() as folder, machine(Path(folder)) as there:
        os.environ["TRIAGE_CANARY"] = "in the environment"
        try:
            return asyncio.run(_tried(there, count))
        finally:
            del os.environ["TRIAGE_CANARY"]


async def _tried(there: Outside, count: int) -> Tally:
    chance, effects, made = random.Random(7), list[str](), 0  # noqa: S311  # seeded, so that a try can be made again
    while made < count:
        tries = [*there.tries, ("variables", f"{GIVEN} {SET_BY_BWRAP}")]
        tries += [_wild(there, chance) for _ in range(min(_AT_ONCE, count - made) - len(tries))]
        answers = await got(tries, there.project)
        effects += [f"{kind} {about}" for (kind, about), found in zip(tries, answers, strict=True) if found]
        made += len(tries)
    changed = sorted(path.name for path in there.project.iterdir()) != ["a.py"]
    return Tally("a program in its boundary", made, (*effects, *(["the project is another"] if changed else [])))


def _wild(there: Outside, chance: random.Random) -> tuple[str, Any]:
    """A way out that nobody has thought of: detours to what lies outside, in every kind of try."""
    kind = chance.choice((*_KINDS, "kill", "connect"))
    if kind == "kill":
        return kind, chance.choice((os.getpid(), os.getppid(), chance.randrange(100, 30_000)))
    if kind == "connect":
        return kind, chance.choice((there.port, 22, 80, 443, 6379, chance.randrange(1, 65_536)))
    goal = chance.choice(
        (there.home / ".ssh/id_ed25519", there.home / ".triage/state.json", there.home / "beside/other.py")
    )
    path = f"{goal.parent}" if kind in ("names", "remount") else f"{goal}"
    for _ in range(chance.randrange(4)):
        path = chance.choice(
            (
                f"{there.project}/{os.path.relpath(path, there.project)}",
                f"/proc/self/root{path}",
                f"/proc/{chance.randrange(1, 9)}/root{path}",
                f"/proc/self/cwd/../{os.path.relpath(path, there.home)}",
                f"/dev/fd/{chance.randrange(3, 20)}",
                path.replace("/", "//"),
                f"/newroot{path}",
                f"/oldroot{path}",
            )
        )
    return kind, path
