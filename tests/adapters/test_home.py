"""The home and its lock, on a disk that fails."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.adapters.home import Home
from bot.cli.doctor_home import check_machine
from bot.errors import Misconfigured
from bot.runtime import failpoints
from bot.runtime.home_ownership import closed_reason, exposure_reason, foreign_files_reason, is_of_home


@contextmanager
def full_at(point: str) -> Iterator[None]:
    """A disk that is full at one point."""

    @contextmanager
    def watch(passed: str, _: str) -> Iterator[None]:
        if passed == point:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    failpoints.arm(watch)
    try:
        yield
    finally:
        failpoints.arm(None)


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


@pytest.mark.parametrize(
    ("mode", "files", "told"),
    [
        (0o700, 0o600, ""),
        (0o700, 0o666, "others could write to 3 of its files and folders; that is closed now"),
        (0o755, 0o644, "the home was open to others (755); that is closed now"),
        (0o777, 0o644, "the home was open to others (777); that is closed now"),
        (0o770, 0o644, "the home was open to others (770); that is closed now"),
    ],
)
async def test_a_home_of_ones_own_is_closed_to_others(tmp_path: Path, mode: int, files: int, told: str) -> None:
    """As the owner takes it, and so is what lies in it, but for what a link leads to; a line says so, once."""
    folder, beside = tmp_path / "home", tmp_path / "beside"
    (folder / "state").mkdir(parents=True)
    for path in (folder / "state" / "a.json", folder / "controls.json", beside):
        path.touch()
        path.chmod(files)
    (folder / "state").chmod(files | 0o111)
    (folder / "link").symlink_to(beside)
    folder.chmod(mode)
    home = Home(folder)
    said = await home.lock()
    home.unlock()
    assert said == (f"{folder}: {told}" if told else "")
    assert await home.lock() == ""
    home.unlock()
    assert folder.stat().st_mode & 0o7777 == 0o700
    assert (folder / "state" / "a.json").stat().st_mode & 0o777 == files & ~0o022
    assert beside.stat().st_mode & 0o777 == files


ROOT = 0
STRANGER = 4321


@pytest.mark.parametrize(
    ("mode", "name", "owner", "rights", "runs_as", "why"),
    [
        (0o777, "allowance.json", STRANGER, 0o666, ROOT, "not made by root: allowance.json (4321); remove the files"),
        (0o700, "projects.json", STRANGER, 0o600, ROOT, "not made by root: projects.json (4321)"),
        (0o755, "state/a.json", STRANGER, 0o644, ROOT, "not made by root: state/a.json (4321)"),
        (0o777, "checkouts/.made/x-1/current", STRANGER, 0o777, ROOT, "not made by root: checkouts/.made/x-1/current"),
        (0o777, "lock", STRANGER, None, ROOT, "not made by root: lock (4321)"),
        (0o777, "a\nb\u202e", STRANGER, 0o600, ROOT, "not made by root: a?b? (4321)"),
        (0o777, "allowance.json", ROOT, 0o666, ROOT, "others could write to allowance.json; check their content"),
        (0o755, "allowance.json", ROOT, 0o622, ROOT, "others could write to allowance.json"),
        (0o711, "state", ROOT, 0o777, ROOT, "others could write to state;"),
        (0o750, "state/a.json", ROOT, 0o666, ROOT, ""),
        (0o700, "state/a.json", ROOT, 0o666, ROOT, ""),
        (0o777, "events.ndjson", ROOT, 0o644, ROOT, ""),
        (0o755, "link", ROOT, None, ROOT, ""),
        (0o700, "audit.ndjson", ROOT, 0o666, STRANGER, ""),
        (0o700, "audit.ndjson", 5678, 0o666, STRANGER, "not made by 4321: audit.ndjson (5678)"),
    ],
)
async def test_what_others_made_or_could_write_in_a_home_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: int,
    name: str,
    owner: int,
    rights: int | None,
    runs_as: int,
    why: str,
) -> None:
    """By name and with the next step; nothing of it is opened or changed, and `doctor` says the same."""
    if os.geteuid():
        pytest.skip("only root can give a file away")
    folder, outside = tmp_path / "home", tmp_path / "outside"
    each = folder / name
    each.parent.mkdir(parents=True, mode=0o755)
    (folder / "health.json").touch(mode=0o600)
    outside.write_text("kept")
    if rights is None:
        each.symlink_to(outside)
    elif name == "state":
        each.mkdir()
    else:
        each.touch()
    if rights is not None:
        each.chmod(rights)
    folder.chmod(mode)
    os.chown(each, owner, owner, follow_symlinks=False)
    os.chown(folder, runs_as, runs_as)
    before = (folder.stat().st_mode, sorted(folder.rglob("*")))
    monkeypatch.setattr(os, "geteuid", lambda: runs_as)
    said, problem, home = foreign_files_reason(folder), "", Home(folder)
    doctors = [check.detail for check in check_machine(folder) if check.name == "home"]
    try:
        await home.lock()
    except Misconfigured as raised:
        problem = str(raised)
    home.unlock()
    assert problem == said
    assert [said] == doctors[-1:] or not said
    assert why in said if why else not said
    assert outside.read_text() == "kept"
    assert not why or (folder.stat().st_mode, sorted(folder.rglob("*"))) == before


@pytest.mark.parametrize(
    ("parent", "home", "owner", "why"),
    [
        (0o777, 0o700, 0, "replace the home by another folder; `chmod go-w"),
        (0o1777, 0o700, 0, ""),
        (0o755, 0o1777, 0, "so it cannot be a home"),
        (0o1777, 0o700, 4321, "the home belongs to 4321, and this runs as root; run it as 4321, give the home to root"),
        (0o755, 0o700, 4321, "the home belongs to 4321"),
        (0o755, 0o777, 4321, "the home belongs to 4321"),
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
    said = exposure_reason(folder)
    assert why in said if why else not said


async def test_a_home_that_was_moved_away_is_no_longer_owned(tmp_path: Path) -> None:
    """Another one in its place belongs to nobody yet."""
    home = Home(tmp_path / "home")
    assert not home.is_owned
    await home.lock()
    assert home.is_owned
    (tmp_path / "home").rename(tmp_path / "backup")
    assert not home.is_owned
    await Home(tmp_path / "home").lock()
    assert not home.is_owned


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("README.md", "src"), "it holds README.md, src; name an empty or a new one with --home"),
        (("a", "b", "c", "d", ".bashrc"), "it holds a, b, c and 1 more;"),
        (("lost+found", "triage.yml", ".env"), ""),
        (("README.md", "notes"), ""),
        (("events.2026-01.ndjson.gz", "old"), ""),
        ((), ""),
    ],
)
async def test_a_folder_of_something_else_is_no_home(tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    """It keeps its mode; one that has been a home, or that holds nothing of others, becomes one."""
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o755)
    for name in names:
        (folder / name).touch()
    home, problem = Home(folder), ""
    try:
        await home.lock()
    except Misconfigured as raised:
        problem = str(raised)
    home.unlock()
    assert (said in problem) if said else not problem
    assert [problem] == [check.detail for check in check_machine(folder) if check.name == "home"] or not said
    assert folder.stat().st_mode & 0o777 == (0o755 if said else 0o700)


def test_every_name_in_a_home_is_known(tmp_path: Path) -> None:
    """So that a part of one, such as a restored backup, is taken for a home."""
    names = {path.name for path in vars(Home(tmp_path)).values() if isinstance(path, Path) and path != tmp_path}
    assert {name for name in names if not is_of_home(name)} == set()


@pytest.mark.parametrize(("mode", "said"), [(0o500, "(mode 500); `chmod 700 "), (0o600, "(mode 600); `chmod 700 ")])
def test_a_home_that_is_closed_to_its_owner_has_a_next_step(tmp_path: Path, mode: int, said: str) -> None:
    """And one of another user; root may write to both."""
    tmp_path.chmod(mode)
    assert said in closed_reason(tmp_path)
    tmp_path.chmod(0o700)
    assert "its file system is read-only; name another" in closed_reason(tmp_path)
