"""How sure the keyword engine may be: weights fitted on questions with and without an answer, and how they hold.

Development only: `python -m measure.keyword.calibrate [--write] [--verbose]`, with scikit-learn (the extra `train`). A
set is a file in `calibration/`: a public repository at a commit, and questions in people's words with the files that
answer them; none means that the code base holds no answer. A draft is right when one of the two places that
it shows lies in one of these. Each code base is judged by weights that were fitted on the others.

The least chance of an answer is the one that leaves 95 in 100 questions without an answer low, on code bases left out.
With `--write` the weights go to `bot/decide/retrieval/confidence_weights.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import tempfile
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from sklearn.linear_model import LogisticRegression

from bot.agents.keyword import KeywordEngine
from bot.agents.project_search import ProjectMatches, ProjectRequest, search_project
from bot.models.findings import Assignment
from bot.models.project import Project
from measure.keyword.bounces import folder_of

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
OWNED_UP = 0.95
STRENGTH = 1.0
_MODULE = '''"""Weights of the keyword engine's confidence. Written by `measure/keyword/calibrate.py --write`."""

from __future__ import annotations

LEAST = {least:.2f}
"""Minimum probability for offering a passage as an answer."""
INTERCEPT = {intercept:.3f}
WEIGHTS = {{
{weights}
}}
"""Weights by signal name."""
'''


@dataclass(frozen=True)
class Row:
    """One question and what the engine made of it."""

    base: str
    question: str
    answerable: bool
    right: bool
    by_rule: bool
    """True if a rule marks it as low, whatever the signals: a question of the present, or lines that cannot answer."""
    signals: dict[str, float]


def tell(line: str) -> None:
    """A line of the report."""
    print(line)  # noqa: T201  # it is what the script is for


async def ask(project: Project, question: str, answers: list[str], indexes: Path) -> Row:
    """One question, with the outcome that the engine would draft from."""
    outcomes: list[ProjectMatches] = []

    async def search(request: ProjectRequest) -> ProjectMatches:
        outcomes.append(await asyncio.to_thread(search_project, request))
        return outcomes[-1]

    await KeywordEngine(search, indexes).investigate(Assignment(question=question, projects=(project,)))
    sure, cited = outcomes[-1].confidence, outcomes[-1].cited
    right = any(one.rated.path in answers for one in cited[:2])
    return Row(project.name, question, bool(answers), right, sure.is_live or not sure.can_answer, dict(sure.signals))


async def rows_of(about: dict[str, Any], folder: Path, indexes: Path) -> list[Row]:
    """Every question of a set."""
    project = Project(name=about["name"], root=folder)
    return [await ask(project, one["question"], one["answers"], indexes) for one in about["questions"]]


def fitted(rows: list[Row]) -> tuple[float, dict[str, float]]:
    """Intercept and weights; what a rule marks as low is no part."""
    known = [row for row in rows if not row.by_rule]
    names = list(known[0].signals)
    model = LogisticRegression(C=STRENGTH, max_iter=2_000)
    model.fit([[row.signals[name] for name in names] for row in known], [row.right for row in known])
    return float(model.intercept_[0]), dict(zip(names, map(float, model.coef_[0]), strict=True))


def chance(row: Row, weights: tuple[float, dict[str, float]]) -> float:
    """The chance by the weights, 0 for what a rule marks as low."""
    odds = weights[0] + sum(weight * row.signals.get(name, 0.0) for name, weight in weights[1].items())
    return 0.0 if row.by_rule else 1 / (1 + math.exp(-odds))


def report(rows: list[Row], chances: list[float], least: float) -> None:
    """What the chance says beside what was so."""
    pairs = list(zip(rows, chances, strict=True))
    known = [row for row in rows if row.answerable]
    offered = [row for row, sure in pairs if row.answerable and sure >= least]
    low = [sure < least for row, sure in pairs if not row.answerable]
    right = sum(row.right for row in offered)
    tell(f"\neach code base judged by weights of the others; least chance {least:.2f}")
    tell(f"  answerable offered as an answer  {len(offered)} of {len(known)}, {right} of these right")
    tell(f"  right, and offered               {right} of {sum(row.right for row in known)}")
    tell(f"  unanswerable owned up to         {sum(low)} of {len(low)} = {sum(low) / len(low):.0%}")
    for start, end in pairwise((0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)):
        held = [row.right for row, sure in pairs if start <= sure < end]
        if held:
            part = sum(held) / len(held)
            tell(f"  chance {start:.1f} to {min(1.0, end):.1f}: right {sum(held)} of {len(held)} = {part:.0%}")


def read_rows(path: Path | None) -> list[Row]:
    """Rows of an earlier run."""
    return [Row(**each) for each in json.loads(path.read_text(encoding="utf-8"))] if path and path.exists() else []


def main() -> None:
    """Reads the command line, asks every question and fits."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write the weights into the bot")
    parser.add_argument("--verbose", action="store_true", help="a line for each question that is judged wrongly")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".cache" / "codebases")
    parser.add_argument(
        "--rows", type=Path, help="where the engine's outcomes are kept, and taken from if they are there"
    )
    options = parser.parse_args()
    rows = read_rows(options.rows)
    with tempfile.TemporaryDirectory() as indexes:
        for path in [] if rows else sorted((HERE / "calibration").glob("*.json")):
            about = json.loads(path.read_text(encoding="utf-8"))
            if folder := folder_of(about, options.cache):
                rows += asyncio.run(rows_of(about, folder.resolve(), Path(indexes)))
            else:
                tell(f"{about['name']}: left out, {about['repository']} cannot be reached")
    if options.rows:
        options.rows.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")
    left_out = {base: fitted([row for row in rows if row.base != base]) for base in {row.base for row in rows}}
    chances = [chance(row, left_out[row.base]) for row in rows]
    unknown = sorted(sure for row, sure in zip(rows, chances, strict=True) if not row.answerable)
    least = min(0.95, round(unknown[int(OWNED_UP * len(unknown))] + 0.005, 2))
    report(rows, chances, least)
    for row, sure in zip(rows, chances, strict=True) if options.verbose else ():
        if (sure >= least) != row.right:
            mark = "right" if row.right else "wrong" if row.answerable else "NONE"
            tell(f"    {sure:.2f} {mark:5} {row.base}: {row.question[:100]}")
    intercept, weights = fitted(rows)
    tell(f"\nintercept {intercept:.2f}, " + ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items()))
    if options.write:
        lines = "\n".join(f'    "{name}": {weight:.3f},' for name, weight in weights.items())
        text = _MODULE.format(least=least, intercept=intercept, weights=lines)
        (REPOSITORY / "bot" / "decide" / "certainty_weights.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
