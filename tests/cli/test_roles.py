"""Roles of the processes of `triage run`: which options fit together, and what each process does."""

from __future__ import annotations

import argparse
import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from bot.adapters.home import Home
from bot.cli.roles import Role, read_role, work_until_stopped
from bot.cli.run import arguments
from bot.cli.stop_signals import StopSignals
from bot.config.environment import Environment
from bot.config.settings import Settings
from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured
from bot.runtime import process_tuning

if TYPE_CHECKING:
    from pathlib import Path


def read(*words: str, storage: str = "postgresql") -> Role:
    """The role of a command line."""
    parser = argparse.ArgumentParser()
    arguments(parser)
    return read_role(parser.parse_args(words), Settings(storage=storage))


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("", Role(listens=True, workers=8)),
        ("--workers 3", Role(listens=True, workers=3)),
        ("--only listen", Role(listens=True, workers=0)),
        ("--only work", Role(listens=False, workers=8)),
        ("--only work --workers 2", Role(listens=False, workers=2)),
    ],
)
def test_a_process_does_what_its_options_say(words: str, role: Role) -> None:
    """All of the work by default."""
    assert read(*words.split()) == role


@pytest.mark.parametrize(
    ("words", "storage", "says"),
    [
        ("--only work", "files", "--only: expected `storage: postgresql`, got `storage: files`"),
        ("--workers 2", "files", "--workers: expected `storage: postgresql`"),
        ("--only listen --workers 2", "postgresql", "expected none beside `--only listen`"),
        ("--only work --http 3000", "postgresql", "--http: expected none beside `--only work`"),
    ],
)
def test_options_that_do_not_fit_are_told_with_what_is_expected(words: str, storage: str, says: str) -> None:
    """Before anything is opened."""
    with pytest.raises(Misconfigured, match=says):
        read(*words.split(), storage=storage)


def test_one_process_on_files_does_all_the_work() -> None:
    """Its role needs no option."""
    assert read(storage="files").listens


@pytest.mark.parametrize("number", ["0", "65", "many"])
def test_a_number_of_workers_is_one_that_a_process_can_have(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """From 1 to 64."""
    with pytest.raises(SystemExit):
        read("--workers", number)
    assert "expected a number from 1 to 64" in capsys.readouterr().err


async def test_a_process_that_only_works_collects_garbage(database_address: str, tmp_path: Path) -> None:
    """Every start postpones that, and a worker runs for months, too."""
    loop, thresholds = asyncio.get_running_loop(), gc.get_threshold()
    signals = StopSignals(loop.create_future(), loop.create_future())
    signals.end_at_once()
    settings, environment = Settings(storage="postgresql"), Environment(triage_database_url=database_address)
    process_tuning.postpone_garbage_collection()
    try:
        assert await work_until_stopped(settings, environment, Home(tmp_path), Redactor(()), signals, 1) == 0
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
        gc.set_threshold(*thresholds)
