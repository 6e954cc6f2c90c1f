"""Fitting weights, and the file that they are kept in."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bot.adapters.sklearn_fit import fit
from bot.adapters.weights_file import NAME, WeightsFile
from bot.errors import Misconfigured
from bot.models.weights import Regression, WeightTable

START = Regression(intercept=-1.0, threshold=0.4, weights={"asks": 2.0, "by_bot": -6.0})


def table(weight: float) -> WeightTable:
    """A table that can be told from another."""
    line = Regression(intercept=0.0, threshold=0.5, weights={"asks": weight})
    return WeightTable(actionable=line, ack=line)


def test_labels_move_what_they_speak_of() -> None:
    """A feature that they never show keeps its weight, and so does the threshold."""
    pytest.importorskip("sklearn")
    rows = [{"asks": 1.0}, {"asks": 1.0, "polls": 1.0}] * 150
    fitted = fit(rows, [True, False] * 150, start=START)
    assert fitted.weights["asks"] > START.weights["asks"]
    assert fitted.weights["polls"] < -1.0
    assert fitted.weights["by_bot"] == START.weights["by_bot"]
    assert fitted.threshold == START.threshold


def test_labels_that_agree_hardly_move_a_thing() -> None:
    """Two labels do not outweigh what the table was learned from."""
    pytest.importorskip("sklearn")
    fitted = fit([{"asks": 1.0}, {}], [True, False], start=START)
    assert abs(fitted.weights["asks"] - START.weights["asks"]) < 0.6
    assert abs(fitted.intercept - START.intercept) < 0.3


def test_labels_of_one_kind_can_be_fitted() -> None:
    """Where nobody ever wrote an acknowledgement."""
    pytest.importorskip("sklearn")
    assert fit([{"asks": 1.0}] * 20, [False] * 20, start=START).weights["asks"] < START.weights["asks"]


async def test_weights_are_kept_and_taken_back(tmp_path: Path) -> None:
    """One step: to the file before, or to the packaged weights."""
    assert await WeightsFile(tmp_path).read() is None
    path = await WeightsFile(tmp_path).write(table(1))
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    await WeightsFile(tmp_path).write(table(2))
    assert await WeightsFile(tmp_path).read() == table(2)
    assert await WeightsFile(tmp_path).undo()
    assert await WeightsFile(tmp_path).read() == table(1)
    assert not await WeightsFile(tmp_path).undo()
    assert await WeightsFile(tmp_path).read() is None
    with pytest.raises(Misconfigured, match="packaged ones are in use already"):
        await WeightsFile(tmp_path).undo()


async def test_what_was_taken_back_does_not_come_again(tmp_path: Path) -> None:
    """A write on top of the packaged weights goes back to those."""
    await WeightsFile(tmp_path).write(table(1))
    await WeightsFile(tmp_path).write(table(2))
    await WeightsFile(tmp_path).undo()
    await WeightsFile(tmp_path).undo()
    await WeightsFile(tmp_path).write(table(3))
    assert not await WeightsFile(tmp_path).undo()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"actionable": {}}', b"\xff"])
async def test_a_broken_file_is_said_with_the_way_back(tmp_path: Path, content: bytes) -> None:
    """It is not passed over: the bot would judge otherwise than the team thinks."""
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(Misconfigured, match=r"--undo. goes back"):
        await WeightsFile(tmp_path).read()
    await WeightsFile(tmp_path).undo()
    assert await WeightsFile(tmp_path).read() is None


async def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """With the file that could not be made."""
    with pytest.raises(Misconfigured, match="cannot be written"):
        await WeightsFile(tmp_path / "nowhere").write(table(1))
