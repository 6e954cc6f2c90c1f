"""The cost of the keyword engine's index: CPU, memory and disk of one indexing, and of questions when it is warm.

`python -m measure.index_bench [FOLDER ...]` measures these folders, each in a process of its own; without any, this
project. CPU counts child processes (ripgrep) too, so the figures hold on a busy machine.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bot.agents.keyword import KeywordEngine
from bot.agents.project_search import begin_searching
from bot.models.findings import Assignment
from bot.models.project import Project
from bot.tools.index.ahead import IndexRequest, index_ahead
from bot.tools.index.places import place_of

QUESTIONS = (
    "how long does a connection wait before it times out?",
    "where is the retry policy configured?",
    "which option turns off compression of responses?",
    "what is the default size of the pool?",
    "why do I get an error when the cache is full?",
    "how do I register a custom handler for a request?",
    "does the server close idle sockets by itself?",
    "where are file names of uploads sanitised?",
)
EARLIER = (
    "which port does the server listen on?",
    "how are passwords hashed?",
    "what happens when a worker crashes?",
    "how do I change the log level?",
    "where is the date of a message parsed?",
    "can the queue be limited in length?",
)
"""Asked before, so that what is measured is another question than the process has seen."""


def cpu() -> float:
    """Seconds of CPU that this process and its children took so far."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def peak() -> float:
    """The most megabytes that this process held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def ask(engine: KeywordEngine, project: Project, question: str) -> tuple[float, float]:
    """The seconds of CPU and of wall clock of one question."""
    busy, started = cpu(), time.monotonic()
    asyncio.run(engine.investigate(Assignment(question=question, projects=(project,))))
    return cpu() - busy, time.monotonic() - started


def measure(root: Path) -> None:
    """Index one folder, ask some questions, and print what others took then."""
    with tempfile.TemporaryDirectory(prefix="index-bench-") as made:
        folder = Path(made)
        project, engine = Project(name=root.name, root=root), KeywordEngine(indexes=folder)
        before, started = cpu(), time.monotonic()
        while index_ahead(IndexRequest(folder, project)).left:
            pass
        indexed, waited, held = cpu() - before, time.monotonic() - started, peak()
        for question in EARLIER:
            ask(engine, project, question)
        taken = [ask(engine, project, question) for question in QUESTIONS]
        files = sum(path.is_file() for path in root.rglob("*"))
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        sys.stdout.write(
            f"{root.name}: {files:,} files; indexing {indexed:.1f} s CPU, {waited:.1f} s, {held:.0f} MB at most; "
            f"{size:.0f} MB on disk ({place_of(folder, project).stat().st_size / 1e6:.0f}); "
            f"warm question CPU {statistics.median(one for one, _ in taken):.3f} s "
            f"(most {max(one for one, _ in taken):.3f}), wall {statistics.median(one for _, one in taken):.3f} s "
            f"(most {max(one for _, one in taken):.3f}); {peak():.0f} MB at most\n"
        )


def main() -> None:
    """Measure each folder in a process of its own: memory is counted at its peak."""
    folders = sys.argv[1:]
    if folders[:1] == ["--one"]:
        with tempfile.TemporaryDirectory(prefix="index-bench-home-") as home:
            begin_searching(Path(home), "auto")
            measure(Path(folders[1]).resolve())
        return
    for folder in folders or [str(Path(__file__).resolve().parents[1] / "bot")]:
        subprocess.run([sys.executable, "-m", "measure.index_bench", "--one", folder], check=True)


if __name__ == "__main__":
    main()
