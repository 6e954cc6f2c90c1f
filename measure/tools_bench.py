"""How many programs a call of an agent's tool starts, and how long it takes: `python -m measure.tools_bench`."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.agents.evidence import EvidenceChecker
from bot.decide.redact import Redactor
from bot.models.findings import EvidenceRef
from bot.tools import git
from bot.tools.guard import Guard
from bot.tools.history import GitBlame, GitLog, GitShow, Historian
from bot.tools.opened import Opened
from bot.tools.reading import Glob, Reader, ReadFile, Search

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ROOT = Path(__file__).resolve().parent.parent
TIMES = 15

_started: list[str] = []


def _note(event: str, about: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _started.append(str(about[0]))


async def _cases() -> dict[str, Callable[[], Awaitable[object]]]:
    guard = Guard(redactor=Redactor(), new_nonce=lambda: "n")
    desk = Historian(root=ROOT, guard=guard, opened=Opened())
    reader = Reader(root=ROOT, guard=guard, opened=Opened())
    sha, (first, *_) = await git.lines_at(ROOT, "HEAD", "README.md")
    cited = EvidenceRef(kind="file", ref="README.md:1", supports_claim="", quote=first, commit=sha)
    return {
        "read_file": lambda: reader.read_file(ReadFile(path="bot/app.py")),
        "search": lambda: reader.search(Search(text="Ledger")),
        "glob": lambda: reader.glob(Glob(pattern="**/*.py")),
        "git_log": lambda: desk.git_log(GitLog(path="bot/app.py")),
        "git_show": lambda: desk.git_show(GitShow(ref=sha)),
        "git_blame": lambda: desk.git_blame(GitBlame(path="bot/app.py", first=1)),
        "a reference in a commit": lambda: EvidenceChecker(ROOT).check(cited),
    }


async def main() -> None:
    """Print a line for each."""
    sys.addaudithook(_note)
    for name, call in (await _cases()).items():
        await call()
        before, took = len(_started), list[float]()
        for _ in range(TIMES):
            began = time.perf_counter()
            await call()
            took.append(1000 * (time.perf_counter() - began))
        programs = (len(_started) - before) / TIMES
        sys.stdout.write(
            f"{name:24} {programs:g} programs, median {statistics.median(took):5.1f} ms, {max(took):5.1f} at most\n"
        )


if __name__ == "__main__":
    asyncio.run(main())
