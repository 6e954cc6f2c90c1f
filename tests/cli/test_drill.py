"""`triage drill` as a person types it, up to the point where a model would be asked; and with one that is a script."""

from __future__ import annotations

import argparse
import asyncio
import json
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.cli.drill import drill
from bot.cli.drill_cases import build_cases, estimate_usage
from bot.cli.paid_run import PaidSetup
from bot.config.environment import read_environment
from bot.config.settings import load
from bot.decide.redaction.redactor import Redactor
from bot.errors import OverCap
from tests.builders import validator
from tests.forks import triage

if TYPE_CHECKING:
    from bot.models.verdict import Review, ValidatorReturn

LINES = [f"LIMIT_{letter} = {number}" for number, letter in enumerate("ABCDEFGHIJ", 3)]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Settings with one project of ten constants."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "limits.py").write_text("\n".join(LINES))
    (tmp_path / "code" / "other.py").write_text(f'OTHER_LIMIT = 5\nAPI_TOKEN = "{"ghp" + "_"}{"a1B2" * 9}"\n')
    path = tmp_path / "triage.yml"
    path.write_text("projects:\n  backend:\n    root: code\n")
    return path


def test_a_dry_run_shows_the_cases_and_asks_nobody(config: Path) -> None:
    """Each with its class, and whether code finds it; no secret of the code becomes a case."""
    done = triage("drill", "--dry-run", "--cases", "2", "--config", str(config))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n   asked: ") == 2 * (9 + 3)
    assert "changed quote; code finds it" in done.stdout
    assert "sound; code finds it" not in done.stdout
    assert "API_TOKEN" not in done.stdout
    lines = triage("drill", "--dry-run", "--json", "--cases", "1", "--config", str(config)).stdout.splitlines()
    assert {json.loads(line)["class"] for line in lines} >= {"sound", "AI manner"}


def test_without_a_yes_it_says_what_it_costs_and_asks_nobody(config: Path) -> None:
    """Number of reviews, tokens, dollars and the caps; then how to begin."""
    done = triage("drill", "--cases", "3", "--config", str(config), "--home", str(config.parent / "home"))
    assert done.returncode == 2
    assert "36 reviews by claude-opus-5-5: about " in done.stderr
    assert "At most $20.00: $1.00 a run, and $20.00 are left of today's $20.00" in done.stderr
    assert "--yes" in done.stderr
    assert not (config.parent / "home").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--project", "nowhere"), "expected the name of a project of"),
        (("--cases", "0"), "expected a number from 1 to 500"),
    ],
)
def test_what_cannot_start_says_what_to_do(config: Path, arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2."""
    done = triage("drill", "--dry-run", *arguments, "--config", str(config))
    assert (done.returncode, said in done.stderr) == (2, True)


def test_code_without_facts_makes_no_cases(config: Path) -> None:
    """It says what it looked for."""
    (config.parent / "code" / "limits.py").write_text("pass\n")
    done = triage("drill", "--dry-run", "--config", str(config))
    assert done.returncode == 2
    assert "expected code with at least 8 constants" in done.stderr


async def drilled(config: Path, capsys: pytest.CaptureFixture[str], build: Any, **changes: Any) -> tuple[int, str, str]:
    """Exit code and output of a drill with a validator of the test's own."""
    settings = load(config)
    made = PaidSetup(
        settings=settings,
        env=read_environment(),
        home=config.parent / "home",
        redactor=Redactor(),
        projects=settings.project_list,
    )
    cases = await build_cases(made.projects[0], made.redactor, cases=1, seed=1)
    options = argparse.Namespace(**{"seed": 1, "json": True, **changes})
    code = await drill(options, made, cases, build)
    shown = capsys.readouterr()
    return code, shown.out, shown.err


async def passing(review: Review) -> ValidatorReturn:
    """Finds nothing wrong with anything."""
    return validator()


async def test_the_result_names_model_seed_and_shares(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON, and as a table."""
    code, out, _ = await drilled(config, capsys, lambda *_: passing)
    said = json.loads(out)
    assert (code, said["model"], said["seed"], said["reviews"], said["planned"]) == (0, "claude-opus-5-5", 1, 12, 12)
    sound = said["classes"][-1]
    assert (sound["kind"], sound["cases"], sound["stopped"]["count"], sound["by_code"]["count"]) == ("sound", 3, 0, 0)
    _, table, _ = await drilled(config, capsys, lambda *_: passing, json=False)
    assert "wrong path             1      1 of 1 (21% to 100%)  0 of 1 (0% to 79%)" in table


async def test_a_cap_ends_it_with_what_was_learnt(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the reason, and the shares of what was done."""

    async def full(review: Review) -> ValidatorReturn:
        raise OverCap("the agents may cost $20.00 a day", limit="day")

    code, out, err = await drilled(config, capsys, lambda *_: full)
    assert (code, json.loads(out)["reviews"]) == (1, 0)
    assert "It ended early: the agents may cost $20.00 a day" in err


async def test_ctrl_c_keeps_what_was_learnt(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 130, and the table of the reviews that ended before."""
    asked = count()

    async def interrupt(review: Review) -> ValidatorReturn:
        if next(asked) < 2:
            return validator()
        assert main
        main.cancel()
        never: asyncio.Future[ValidatorReturn] = asyncio.get_running_loop().create_future()
        return await never

    main = asyncio.current_task()
    code, out, err = await drilled(config, capsys, lambda *_: interrupt)
    assert (code, json.loads(out)["reviews"] <= 2) == (130, True)
    assert "It ended early: interrupted" in err


async def test_the_estimate_grows_with_the_cases(config: Path) -> None:
    """Each review is read in several turns."""
    project = load(config).project_list[0]
    few, many = [await build_cases(project, Redactor(), cases=n, seed=1) for n in (1, 4)]
    assert 3.5 < estimate_usage(many).total / estimate_usage(few).total < 4.5
