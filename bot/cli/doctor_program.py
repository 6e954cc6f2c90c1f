"""Checks of the installed program for `triage doctor`: version, documents, and packages that collide with its own."""

from __future__ import annotations

from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import bot
from bot.cli.doctor_check import DoctorCheck
from bot.cli.shipped_files import shipped_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DISTRIBUTION = "triage-bot"
PACKAGES = ("bot", "blocks", "prompts", "sandbox")
"""Top-level packages of the distribution; their names are not its alone."""


def check_program() -> Iterator[DoctorCheck]:
    """Check the installation itself."""
    yield DoctorCheck("program", True, f"{bot.__version__}; its documents are in {shipped_file('docs')}")
    origins = {name: spec.origin for name in PACKAGES if (spec := find_spec(name))}
    for problem in find_collisions(packages_distributions(), origins):
        yield DoctorCheck("packages", False, problem)


def find_collisions(distributions: Mapping[str, Sequence[str]], origins: Mapping[str, str | None]) -> list[str]:
    """List the packages of Triage that another distribution has, too, or that are imported from elsewhere.

    `distributions` are the names of distributions by top-level package, `origins` the files that packages are imported
    from.
    """
    remedy = "install Triage in an environment of its own (pipx, uvx, or a new venv)"
    problems = []
    for name in PACKAGES:
        others = sorted({*distributions.get(name, ())} - {DISTRIBUTION})
        if others:
            problems.append(
                f"{', '.join(others)} has a package `{name}` like Triage's; one overwrites the other: {remedy}"
            )
    homes = {name: Path(origin).parent.parent for name, origin in origins.items() if origin}
    strays = [name for name, home in homes.items() if home != homes.get("bot", home)]
    problems += [f"`{name}` is imported from {origins[name]}, not from beside `bot`: {remedy}" for name in strays]
    return problems
