"""Calls of the agents' tools with the worst arguments, on a repository with secrets, links and settings that bite."""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path

from measure.attack.tally import Tally
from tests.tools.conftest import git
from tests.tools.test_hostile import CANARIES, all_tools, planted, said_by

COUNT = 5_000


def run(count: int) -> Tally:
    """Look for canaries in every answer, and for what was run or written."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "app"
        project.mkdir()
        for place in (project.parent, project):
            git(place, "init", "--quiet", "--initial-branch=main")
        root = planted(project)
        before = sorted(path.name for place in (root, root.parent) for path in place.iterdir())
        chance = random.Random(7)  # noqa: S311  # a run is repeated by it
        answers = asyncio.run(said_by(all_tools(root), chance, count))
        effects = [f"{canary} in {answer[:80]}" for canary in CANARIES for answer in answers if canary in answer]
        after = sorted(path.name for place in (root, root.parent) for path in place.iterdir())
        effects += [f"written: {name}" for name in after if name not in before]
    shown = sum("⟦untrusted" in answer for answer in answers)
    return Tally("hostile calls of the agents' tools", count, tuple(effects), f"{shown:,} of them showed something")
