"""Collisions of Triage's packages with those of other distributions."""

from __future__ import annotations

import pytest

from bot.cli.doctor_program import check_program, find_collisions

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
