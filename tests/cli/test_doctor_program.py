"""The installed program: collisions with other distributions, and the demo from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bot.cli import demo_projects
from bot.cli.doctor_program import check_program, find_collisions

if TYPE_CHECKING:
    from pathlib import Path

OWN = {name: f"/venv/lib/{name}/__init__.py" for name in ("bot", "blocks", "prompts", "sandbox")}


@pytest.mark.parametrize(
    ("distributions", "origins", "told"),
    [
        ({"bot": ["triage-bot"], "yaml": ["PyYAML"]}, OWN, []),
        ({}, OWN, []),
        (
            {"bot": ["triage-bot", "botlib", "botlib"]},
            OWN,
            ["botlib has a package `bot` like Triage's; one overwrites"],
        ),
        ({"prompts": ["llm-prompts"]}, OWN, ["llm-prompts has a package `prompts`"]),
        ({}, OWN | {"sandbox": "/here/sandbox/__init__.py"}, ["`sandbox` is imported from /here/sandbox/__init__.py"]),
    ],
)
def test_a_package_of_another_distribution_is_named(
    distributions: dict[str, list[str]], origins: dict[str, str | None], told: list[str]
) -> None:
    """It is no matter which of the two was installed last."""
    problems = find_collisions(distributions, origins)
    assert [problem[: len(start)] for problem, start in zip(problems, told, strict=True)] == told


def test_this_environment_has_none() -> None:
    """The documents that messages name are where the check says."""
    (program,) = check_program()
    assert (program.name, program.ok) == ("program", True)


def test_the_demo_of_an_installed_package_answers_from_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files may be links to an installer's cache, which no search reads; a copy of an older version is replaced."""
    package, folder = tmp_path / "site-packages" / "bot", tmp_path / "demo"
    package.mkdir(parents=True)
    (tmp_path / "cached").write_text("LIMIT = 3\n")
    os.link(tmp_path / "cached", package / "limits.py")
    (folder / "triage").mkdir(parents=True)
    (folder / "triage" / "older.py").touch()
    monkeypatch.setattr(demo_projects, "shipped_root", lambda: package)
    copied = demo_projects.own_source(folder)
    assert [(path.name, path.stat().st_nlink) for path in copied.iterdir()] == [("limits.py", 1)]
