"""How often a bounce that asks for a missing value brings it.

Development only: `python -m measure.keyword.bounces [--set NAME] [--verbose]`. A set is a file in `bounces/`: a public
repository at a commit, and for each case the question, the words of the bounce, and what the next draft must show.
Cases whose first draft shows it already are no bounces, and are counted apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.agents.keyword import KeywordEngine
from bot.models.findings import Assignment, EngineReport
from bot.models.project import Project

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]


@dataclass(frozen=True)
class Bounced:
    """One case: whether each of the two drafts shows the value."""

    question: str
    feedback: str
    at_once: bool
    then: bool
    confidence: str
    cited: tuple[str, ...]


def tell(line: str) -> None:
    """A line of the report."""
    print(line)  # noqa: T201  # it is what the script is for


def folder_of(about: dict[str, str], cache: Path) -> Path | None:
    """The files of a repository at a commit, fetched once into `cache`; `None` where it cannot be reached."""
    folder = cache / f"{about['name']}-{about['commit'][:12]}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as made:
        for arguments in (
            ("init", "--quiet"),
            ("fetch", "--quiet", "--depth", "1", about["repository"], about["commit"]),
            ("checkout", "--quiet", "FETCH_HEAD"),
        ):
            if subprocess.run(["git", "-C", made, *arguments], check=False, capture_output=True).returncode:  # noqa: S607  # git of the developer
                return None
        Path(made).rename(folder)
        Path(made).mkdir()
    return folder


async def bounce(project: Project, case: dict[str, str]) -> Bounced:
    """The first draft, and the one after the bounce."""
    engine = KeywordEngine()
    first = await engine.investigate(Assignment(question=case["question"], projects=(project,)))
    assignment = Assignment(
        question=case["question"],
        projects=(project,),
        round=2,
        feedback=case["feedback"],
        previous=first.findings,
        asker="Ana Silva",
    )
    second = await engine.investigate(assignment)

    def shown(report: EngineReport) -> bool:
        return bool(re.search(case["shows"], report.findings.draft_reply, re.DOTALL))

    return Bounced(
        case["question"],
        case["feedback"],
        shown(first),
        shown(second),
        second.findings.confidence,
        tuple(ref.ref for ref in second.findings.evidence_refs),
    )


async def all_bounces(project: Project, cases: list[dict[str, Any]]) -> list[Bounced]:
    """Every case of a set, one after the other."""
    return [await bounce(project, case) for case in cases]


def summary(results: list[Bounced]) -> str:
    """The counts in a line."""
    asked = [one for one in results if not one.at_once]
    brought = [one for one in asked if one.then]
    offered = sum(one.confidence != "low" for one in brought)
    lost = sum(one.at_once and not one.then for one in results)
    return (
        f"{len(brought)} of {len(asked)} bounces brought the value ({offered} as an answer); "
        f"{len(results) - len(asked)} first drafts showed it, {lost} of them lost it again"
    )


def main() -> None:
    """Reads the command line and runs the sets."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--set", help="only this set, or all of one role: tuning, held out")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    parser.add_argument(
        "--cache", type=Path, default=REPOSITORY / ".cache" / "codebases", help="where sources are kept"
    )
    options = parser.parse_args()
    by_role: dict[str, list[Bounced]] = {}
    for path in sorted((HERE / "bounces").glob("*.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        if options.set not in (None, path.stem, about["role"]):
            continue
        folder = folder_of(about, options.cache)
        if folder is None:
            tell(f"{about['name']}, {about['role']}: left out, {about['repository']} cannot be reached")
            continue
        project = Project(name=about["name"], root=folder)
        results = asyncio.run(all_bounces(project, about["bounces"]))
        by_role.setdefault(about["role"], []).extend(results)
        tell(f"{about['name']}, {about['role']}: {summary(results)}")
        for one in results if options.verbose else ():
            mark = "at once" if one.at_once else "brought" if one.then else "MISSED"
            tell(f"    {mark:8} {one.confidence:6} {one.question[:70]} | {one.feedback}\n{'':12}{', '.join(one.cited)}")
    for role, results in by_role.items():
        tell(f"{role}: {summary(results)}")


if __name__ == "__main__":
    main()
