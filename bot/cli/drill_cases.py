"""Cases of `triage drill`, taken from a project's own code, and an estimate of their tokens."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from bot.decide.drill.facts import find_facts, is_source
from bot.decide.drill.plan import FEWEST_FACTS, plan
from bot.errors import Misconfigured, ToolError
from bot.models.turn import Usage
from bot.tools.files import read_lines
from bot.tools.search import list_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bot.decide.drill import Case, CodeFact
    from bot.decide.redaction.redactor import Redactor
    from bot.models.project import Project

MOST_FILES = 1_500
"""Maximum number of files to take facts from, chosen by seed."""

TURNS = 3
"""Turns of a review: it opens the cited lines, often looks again, and answers."""
FIXED_TOKENS = 2_500
"""Tokens of the prompt, the rubric and the tool schemas, read in each turn."""
OPENED_TOKENS = 3_500
"""Tokens of an opened file."""
WRITTEN_TOKENS = 1_500
"""Tokens written by the model in all turns, thinking included."""
_PER_TOKEN = 3.5
"""Characters per token, approximately."""


async def build_cases(project: Project, redactor: Redactor, *, cases: int, seed: int) -> list[Case]:
    """Build the cases. Raises `Misconfigured` when the project's code states too few facts."""
    paths = [path for path in await list_files(project.root) if is_source(path)]
    Random(seed).shuffle(paths)  # noqa: S311  # a seeded choice is intended
    code_facts = await asyncio.to_thread(_facts, project.root, paths[:MOST_FILES], redactor)
    if len(code_facts) < FEWEST_FACTS:
        raise Misconfigured(
            f"{project.name}: expected code with at least {FEWEST_FACTS} constants, defaults or definitions to ask "
            f"about; found {len(code_facts)} in {len(paths)} source files below {project.root}"
        )
    return plan(code_facts, cases=cases, seed=seed)


def estimate_usage(cases: Sequence[Case]) -> Usage:
    """Estimate the tokens of reviewing these cases; the true number may be half or twice as large."""
    total = Usage()
    for case in cases:
        characters = len(case.findings.model_dump_json()) + len(case.question) + sum(map(len, case.others))
        read = FIXED_TOKENS + round(characters / _PER_TOKEN)
        total += Usage(input_tokens=TURNS * read + (TURNS - 1) * OPENED_TOKENS, output_tokens=WRITTEN_TOKENS)
    return total


def _facts(root: Path, paths: Sequence[str], redactor: Redactor) -> list[CodeFact]:
    return [fact for fact in find_facts(_texts(root, sorted(paths))) if not redactor.kinds(fact.text)]


def _texts(root: Path, paths: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for path in paths:
        try:
            yield path, read_lines(root, path)
        except ToolError:
            continue  # gone or unreadable since it was listed
