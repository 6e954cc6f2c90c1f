"""How many programs a call of an agent's tool starts, and its time: `python -m measure.tools_bench [--times N]`.

Each is measured with the boundary of the operating system and without; the two take turns, so that what else the
machine does meets both, and the quarter of the calls that it met least is what counts.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.agents.evidence import EvidenceChecker
from bot.agents.keyword import KeywordEngine
from bot.agents.sources import find_sources
from bot.decide.redaction.redactor import Redactor
from bot.isolation import in_force
from bot.models.findings import Assignment, EvidenceRef
from bot.models.project import Project
from bot.tools import git
from bot.tools.file_tools import FileTools, Glob, ReadFile, Search
from bot.tools.git_tools import GitBlame, GitLog, GitShow, GitTools
from bot.tools.guard import Guard
from bot.tools.read_log import ReadLog

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
    desk = GitTools(root=ROOT, guard=guard, read_log=ReadLog())
    reader = FileTools(root=ROOT, guard=guard, read_log=ReadLog())
    sha, (first, *_) = await git.lines_at(ROOT, "HEAD", "README.md")
    cited = EvidenceRef(kind="file", ref="README.md:1", supports_claim="", quote=first, commit=sha)
    return {
        "read_file": lambda: reader.read_file(ReadFile(path="bot/wiring/app.py")),
        "search": lambda: reader.search(Search(text="Ledger")),
        "glob": lambda: reader.glob(Glob(pattern="**/*.py")),
        "git_log": lambda: desk.git_log(GitLog(path="bot/wiring/app.py")),
        "git_show": lambda: desk.git_show(GitShow(ref=sha)),
        "git_blame": lambda: desk.git_blame(GitBlame(path="bot/wiring/app.py", first=1)),
        "a reference in a commit": lambda: EvidenceChecker(ROOT).check(cited),
        "a card of the keyword engine": _card,
    }


async def _card() -> None:
    """A question from its search to the places that its card links to."""
    project = Project(name="triage", root=ROOT, web_url="https://example.com/triage")
    asked = Assignment(question="which setting says how long closed threads are kept?", projects=(project,))
    report = await KeywordEngine().investigate(asked)
    await find_sources(project, report.findings.evidence_refs)


async def main(times: int) -> None:
    """Print a line for each."""
    sys.addaudithook(_note)
    kinds = {"with": in_force.configure("auto"), "without": in_force.configure("off")}
    if not kinds["with"].bwrap:
        sys.stdout.write(f"There is no boundary here: {kinds['with'].problem}\n")
    for name, call in (await _cases()).items():
        took: dict[str, list[float]] = {kind: [] for kind in kinds}
        await call()
        before = len(_started)
        for _ in range(times):
            for kind, limits in kinds.items():
                in_force._boundary = limits
                began = time.perf_counter()
                await call()
                took[kind].append(1000 * (time.perf_counter() - began))
        programs = (len(_started) - before) / (2 * times)
        inside, outside = (statistics.quantiles(took[kind], n=4)[0] for kind in kinds)
        each = f", {(inside - outside) / programs:+.1f} ms a program" if programs else ""
        sys.stdout.write(
            f"{name:28} {programs:3g} programs, {inside:6.1f} ms in the boundary, {outside:6.1f} ms without: "
            f"x {inside / outside:.2f}{each}\n"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=TIMES)
    asyncio.run(main(parser.parse_args().times))
