"""What `triage doctor` says of tiers 2 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import SecretStr

from bot.cli.doctor_tiers import check_tiers
from bot.config.environment import Environment
from bot.config.settings import Settings
from tests.forks import triage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENGINE: dict[str, Any] = {"engine": "claude", "investigator": {"model": "m"}}
OWN: dict[str, Any] = {"tiers": {"2": {"command": ["own-agent", "{task_file}"]}}}
DETACHED = "no tmux in PATH, so each is a detached process, and `triage attach` follows its transcript"
NO_KEY = "engine: claude, and no ANTHROPIC_API_KEY in the environment: the keyword engine answers until there is one"


@pytest.fixture(autouse=True)
def _no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def install(folder: Path, name: str) -> None:
    """Put a program into `PATH`."""
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o700)


def rows(settings: Mapping[str, Any], key: str | None = "k") -> list[tuple[str, bool | None, str]]:
    """The rows of a report."""
    environment = Environment(anthropic_api_key=SecretStr(key) if key else None)
    return [(each.name, each.ok, each.detail) for each in check_tiers(Settings.model_validate(settings), environment)]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "nothing to start: `engine: claude` or `tiers.<n>.command` starts them (docs/escalation.md)"),
        (ENGINE | {"escalation": {"enabled": False}}, "`escalation.enabled` is false"),
        (ENGINE | {"escalation": {"max_tier": 1}}, "`escalation.max_tier` is 1"),
        (OWN | {"escalation": {"enabled": False}}, "`escalation.enabled` is false"),
    ],
)
def test_a_bot_without_longer_runs_says_why(settings: Mapping[str, Any], reason: str) -> None:
    """As a note: nothing is wrong with it."""
    assert rows(settings) == [("long runs", None, f"off; {reason}")]


def test_each_tier_names_its_model_and_limits() -> None:
    """And what follows without tmux."""
    tiers = {"tiers": {"3": {"model": "large", "max_usd": 5, "hard_cap_runtime_min": 90}}}
    assert rows(ENGINE | tiers) == [
        ("tier 2", True, "starts Triage's investigator on m; 30 min, $1.00 at most"),
        ("tier 3", True, "starts Triage's investigator on large; 90 min, $5.00 at most"),
        ("long runs", None, DETACHED),
    ]


def test_tmux_is_named_where_it_is(tmp_path: Path) -> None:
    """With the way to watch; a dry run starts nothing in it, and a tier above the highest has no row."""
    install(tmp_path, "tmux")
    last = ("long runs", True, f"in tmux ({tmp_path / 'tmux'}); `triage attach` shows their terminal")
    assert rows(ENGINE | {"escalation": {"max_tier": 2}})[1:] == [last]
    dry = ("long runs", None, "recorded, never started: `escalation.dry_run` is on")
    assert rows(ENGINE | {"escalation": {"dry_run": True}})[2:] == [dry]


def test_a_program_is_looked_for(tmp_path: Path) -> None:
    """One that is not there is wrong, with the setting; the other tier has nothing to start."""
    missing = "tiers.2.command: own-agent cannot be started: expected a program in the PATH of the bot"
    nothing = ("tier 3", None, "nothing to start; `engine: claude` or `tiers.3.command` starts it")
    assert rows(OWN, key=None)[:2] == [("tier 2", False, missing), nothing]
    install(tmp_path, "own-agent")
    assert rows(OWN, key=None)[0] == ("tier 2", True, f"starts {tmp_path / 'own-agent'}; 30 min, $1.00 at most")


def test_a_model_without_a_key_starts_nothing() -> None:
    """In the words of the row about the model, of which a report shows one."""
    assert rows(ENGINE, key=None)[:2] == [("tier 2", False, NO_KEY), ("tier 3", False, NO_KEY)]


def test_the_report_has_the_row(tmp_path: Path) -> None:
    """Beside those of engine and model."""
    config = tmp_path / "triage.yml"
    config.write_text("escalation: {enabled: false}\n")
    done = triage("doctor", "--config", str(config), "--home", str(tmp_path / "home"))
    assert "long runs: off; `escalation.enabled` is false" in done.stdout
