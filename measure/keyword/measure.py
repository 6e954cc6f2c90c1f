"""How often the keyword engine names the file that answers, and how often it owns up when there is none.

Development only: `python -m measure.keyword.measure [--set NAME] [--verbose] [--json FILE]`. A set is a file in
`questions/`: a code base, questions in people's words, and for each the files that answer it, or a pattern that the
lines of a right place fit (`shows`); neither means that the code base holds no answer. A set with a version is fetched
as a source distribution through pip, one with a repository at its commit through git, once.

Figures: the answering file is the first one cited, or among the first three, with `shows` by lines of it that fit;
lines that fit are among the first three places; a question without an answer is marked `low`; an answerable one is
offered as an answer (`medium`). With each share a 95 % interval (Wilson).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tarfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bot.agents.keyword import KeywordEngine
from bot.decide.evaluation import is_refusal, is_within, rank_right
from bot.decide.share_interval import Share
from bot.models.findings import Assignment, Confidence, EngineReport
from bot.models.project import Project
from measure.keyword.bounces import folder_of as checkout

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]


@dataclass(frozen=True)
class Answered:
    """One question and what the engine made of it."""

    question: str
    answers: list[str]
    cited: list[str]
    confidence: Confidence
    seconds: float
    shows: str = ""
    lines: tuple[tuple[str, str], ...] = ()
    """File and lines of each place cited, in its order."""

    @property
    def is_answerable(self) -> bool:
        """The code base holds an answer."""
        return bool(self.answers or self.shows)

    def _answers(self, path: str) -> bool:
        if self.answers:
            return any(is_within(path, place) for place in self.answers)
        return any(re.search(self.shows, lines) for place, lines in self.lines if place == path)

    @property
    def is_first(self) -> bool:
        """The first file cited is one that answers."""
        return rank_right(self.cited, self._answers)[0]

    @property
    def three(self) -> bool:
        """One of the first three files cited answers."""
        return rank_right(self.cited, self._answers)[1]

    @property
    def shown(self) -> bool:
        """Lines that answer are among the first three places."""
        return rank_right([lines for _, lines in self.lines], lambda lines: bool(re.search(self.shows, lines)))[1]

    @property
    def mark(self) -> str:
        """One word for the list of questions."""
        if not self.is_answerable:
            return "owned up" if is_refusal(self.confidence) else "GUESSED"
        return "first" if self.is_first else "three" if self.three else "MISSED"


def share_of(hits: list[bool]) -> Share:
    """Return the share of the hits."""
    return Share.from_counts(sum(hits), len(hits))


def tell(line: str) -> None:
    """A line of the report."""
    print(line)  # noqa: T201  # it is what the script is for


def figures(answered: list[Answered]) -> dict[str, Share]:
    """The shares that are reported, by name."""
    with_answer = [one for one in answered if one.is_answerable]
    without = [one for one in answered if not one.is_answerable]
    return {
        "answering file first": share_of([one.is_first for one in with_answer]),
        "answering file among three": share_of([one.three for one in with_answer]),
        "answering lines among three": share_of([one.shown for one in with_answer if one.shows]),
        "answerable offered as an answer": share_of([not is_refusal(one.confidence) for one in with_answer]),
        "unanswerable marked low": share_of([is_refusal(one.confidence) for one in without]),
    }


def folder_of(about: dict[str, str], cache: Path) -> Path | None:
    """The code base of a set: this repository, or what is fetched once into `cache`; `None` if it is out of reach."""
    if "commit" in about:
        return checkout(about, cache)
    if "version" not in about:
        return REPOSITORY
    wanted = f"{about['name']}-{about['version']}"
    if not (cache / wanted).is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        requirement = f"{about['name']}=={about['version']}"
        download = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(cache), requirement]
        subprocess.run([sys.executable, "-m", "pip", *download], check=True)
        with tarfile.open(cache / f"{wanted}.tar.gz") as archive:
            archive.extractall(cache, filter="data")
    return cache / wanted


async def ask(project: Project, question: str, answers: list[str], shows: str = "") -> Answered:
    """One question, timed from the assignment to the report."""
    begun = time.perf_counter()
    report: EngineReport = await KeywordEngine().investigate(Assignment(question=question, projects=(project,)))
    seconds = time.perf_counter() - begun
    places = [ref for ref in report.findings.evidence_refs if ref.kind == "file"]
    lines = tuple((ref.ref.rpartition(":")[0], ref.quote or "") for ref in places)
    cited = list(dict.fromkeys(path for path, _ in lines))
    return Answered(question, answers, cited, report.findings.confidence, seconds, shows, lines)


async def ask_all(project: Project, questions: list[dict[str, Any]]) -> list[Answered]:
    """Every question of a set, one after the other."""
    await ask(project, "warm up", [])  # the first search after a start reads the files from disk
    return [await ask(project, one["question"], one["answers"], one.get("shows", "")) for one in questions]


def measure(path: Path, cache: Path, *, verbose: bool) -> dict[str, object]:
    """Runs one set, prints its figures and gives them back."""
    about = json.loads(path.read_text(encoding="utf-8"))
    folder = folder_of(about, cache)
    if folder is None:
        tell(f"\n{about['name']}: {about['repository']} is out of reach")
        return {"name": about["name"]}
    project = Project(name=about["name"], root=folder)
    answered = asyncio.run(ask_all(project, about["questions"]))
    shares = figures(answered)
    seconds = sorted(one.seconds for one in answered)
    version = about.get("version") or about.get("commit", "(this repository)")[:12]
    tell(f"\n{about['name']} {version}, {about['role']}")
    for name, share in shares.items():
        tell(f"  {name:32} {share}")
    tell(f"  time a question: median {statistics.median(seconds):.3f} s, worst {seconds[-1]:.3f} s")
    for one in answered if verbose else ():
        tell(f"    {one.mark:9} {one.confidence:6} {one.question[:90]}\n{'':14}{', '.join(one.cited[:3])}")
    return {
        "name": about["name"],
        "version": version,
        "role": about["role"],
        **{name: asdict(share) for name, share in shares.items()},
        "median_seconds": statistics.median(seconds),
        "worst_seconds": seconds[-1],
    }


def main() -> None:
    """Reads the command line and runs the sets."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--set", help="only this set")
    parser.add_argument("--verbose", action="store_true", help="a line for each question")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument(
        "--cache", type=Path, default=REPOSITORY / ".cache" / "codebases", help="where sources are kept"
    )
    options = parser.parse_args()
    sets = [path for path in sorted((HERE / "questions").glob("*.json")) if options.set in (None, path.stem)]
    if not sets:
        parser.error(f"there is no set {options.set}")
    results = [measure(path, options.cache, verbose=options.verbose) for path in sets]
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
