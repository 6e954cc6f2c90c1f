"""The home and its lock, on a disk that fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot import faultpoints
from bot.edges.home import Home
from bot.errors import Misconfigured


@contextmanager
def full_at(point: str) -> Iterator[None]:
    """A disk that is full at one point."""

    @contextmanager
    def watch(passed: str, _: str) -> Iterator[None]:
        if passed == point:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    faultpoints.arm(watch)
    try:
        yield
    finally:
        faultpoints.arm(None)


@pytest.mark.parametrize("point", ["home.open", "home.flock", "home.write"])
async def test_a_lock_that_cannot_be_taken_says_why(tmp_path: Path, point: str) -> None:
    """The start is refused with the disk's reason, and nothing stays locked."""
    home = Home(tmp_path / "home")
    with full_at(point), pytest.raises(Misconfigured, match="cannot be used: No space left"):
        await home.lock()
    other = Home(tmp_path / "home")
    await other.lock()
    assert home.owner() == os.getpid()
    other.unlock()
    assert home.owner() is None


@pytest.mark.parametrize(("mode", "after"), [(0o755, 0o700), (0o770, 0o700), (0o700, 0o700), (0o1777, 0o1777)])
async def test_a_home_of_ones_own_is_closed_to_others(tmp_path: Path, mode: int, after: int) -> None:
    """As the owner takes it; a folder that many share stays as it is."""
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(mode)
    home = Home(folder)
    await home.lock()
    home.unlock()
    assert folder.stat().st_mode & 0o7777 == after
