"""The home and its lock, on a disk that fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot import faultpoints
from bot.edges.home import Home, exposed
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


@pytest.mark.parametrize(("mode", "after"), [(0o755, 0o700), (0o770, 0o700), (0o700, 0o700), (0o777, 0o700)])
async def test_a_home_of_ones_own_is_closed_to_others(tmp_path: Path, mode: int, after: int) -> None:
    """As the owner takes it, and so is what lies in it, but for what a link leads to."""
    folder, beside = tmp_path / "home", tmp_path / "beside"
    (folder / "state").mkdir(parents=True)
    for path in (folder / "state" / "a.json", folder / "controls.json", beside):
        path.touch()
        path.chmod(0o666)
    (folder / "state").chmod(0o777)
    (folder / "link").symlink_to(beside)
    folder.chmod(mode)
    home = Home(folder)
    await home.lock()
    home.unlock()
    assert folder.stat().st_mode & 0o7777 == after
    modes = [path.stat().st_mode & 0o777 for path in (folder / "state", folder / "state" / "a.json", beside)]
    assert modes == [0o755, 0o644, 0o666]


@pytest.mark.parametrize(
    ("parent", "home", "owner", "why"),
    [
        (0o777, 0o700, 0, "put another folder in the home's place; `chmod go-w"),
        (0o1777, 0o700, 0, ""),
        (0o755, 0o1777, 0, "a home is a folder of its own"),
        (0o1777, 0o700, 4321, "somebody else has made"),
        (0o755, 0o700, 4321, ""),
    ],
)
async def test_a_home_that_others_can_replace_is_refused(
    tmp_path: Path, parent: int, home: int, owner: int, why: str
) -> None:
    """By a folder on the way to it; in a folder such as /tmp only one's own counts. Nothing stays locked."""
    folder = tmp_path / "above" / "home"
    folder.mkdir(parents=True)
    folder.chmod(home)
    folder.parent.chmod(parent)
    if owner and os.geteuid():
        pytest.skip("only root can give a folder away")
    if owner:
        os.chown(folder, owner, -1)
    made = Home(folder)
    if why:
        with pytest.raises(Misconfigured, match=why):
            await made.lock()
        assert Home(folder).owner() is None
    else:
        await made.lock()
        made.unlock()
    said = exposed(folder)
    assert why in said if why else not said
