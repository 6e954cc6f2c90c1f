"""What `triage doctor` says of the machine under a home."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.adapters.home import Home
from bot.cli.doctor_home import check_home, check_machine
from bot.cli.doctor_isolation import check_isolation
from bot.isolation import Boundary, Mode, in_force
from bot.models.health import Health
from bot.wiring.file_storage import FileStorage
from tests.builders import at

if TYPE_CHECKING:
    from pathlib import Path


def test_every_finding_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git, a home open to others, broken controls: all of them, with the next step."""
    monkeypatch.setenv("PATH", str(tmp_path))
    tmp_path.chmod(0o755)
    (tmp_path / "controls.json").write_text("{")
    wrong = {check.name: check.detail for check in check_machine(tmp_path) if check.ok is False}
    assert set(wrong) >= {"git", "home", "controls.json"}
    assert "chmod 700" in wrong["home"]


def test_files_that_a_crash_or_an_editor_broke_are_told(tmp_path: Path) -> None:
    """An object that is cut off is wrong, the last line of a journal a note; whole ones are well."""
    (tmp_path / "schedule.json").write_text('{"brief": "2026-')
    (tmp_path / "muted.json").write_text("[]")
    (tmp_path / "watched.json").write_text("{}")
    (tmp_path / "audit.ndjson").write_text('{"at": 1}\n{"at"')
    (tmp_path / "replies.ndjson").write_text('{"at": 1}\n')
    (tmp_path / "labels.ndjson").write_text("")
    found = {check.name: (check.ok, check.detail) for check in check_machine(tmp_path) if "json" in check.name}
    assert {name: ok for name, (ok, _) in found.items()} == {
        "schedule.json": False,
        "muted.json": False,
        "audit.ndjson": None,
    }
    assert "repair or remove it" in found["schedule.json"][1]
    assert "skipped" in found["audit.ndjson"][1]


async def test_a_bot_that_starts_is_no_silent_one(tmp_path: Path) -> None:
    """Its word of before counts no more; whoever has given no sign of life for long is named with how long that is."""
    one = Home(tmp_path)
    await one.lock()
    try:
        one.write_health(Health(at=at() - timedelta(days=1), pid=1, connected=True))
        assert await watcher(tmp_path) == (True, "is starting")
        os.utime(tmp_path / "lock", (0, 0))
        said = await watcher(tmp_path)
        assert said[0] is False
        assert "has given no sign of life for" in said[1]
        one.write_health(
            Health(at=datetime.now(UTC), pid=os.getpid(), connected=True, searches="1 of 1 search processes")
        )
        assert await watcher(tmp_path) == (True, f"process {os.getpid()}, connected to Slack")
        assert await watcher(tmp_path, "searches") == (None, "1 of 1 search processes")
    finally:
        one.unlock()


async def watcher(path: Path, name: str = "watcher") -> tuple[bool | None, str]:
    """What is said of the bot that runs there, without its number."""
    (found,) = [check async for check in check_home(path, FileStorage(path), UTC) if check.name == name]
    return found.ok, found.detail.removeprefix(f"process {os.getpid()} ")


def test_a_sound_home_is_well(tmp_path: Path) -> None:
    """Nothing is wrong with a home of mode 700 and whole controls."""
    tmp_path.chmod(0o700)
    (tmp_path / "controls.json").write_text("{}")
    assert {check.name for check in check_machine(tmp_path)} == {"git", "disk"}


def test_a_disk_that_is_nearly_full_is_named_before_the_first_start_too(tmp_path: Path) -> None:
    """The folder that the home will lie in counts where the home is not made yet."""
    for path in (tmp_path, tmp_path / "not" / "yet"):
        (disk,) = (check for check in check_machine(path, least_free_mb=10**9) if check.name == "disk")
        assert disk.ok is False
        assert f"at {tmp_path}; make room" in disk.detail


@pytest.mark.parametrize(
    ("mode", "bwrap", "ok", "said"),
    [
        ("auto", ("/usr/bin/bwrap",), True, "/usr/bin/bwrap; searches and git see"),
        ("required", ("/usr/bin/bwrap",), True, "/usr/bin/bwrap; searches and git see"),
        ("auto", (), None, "none, programs have the rights of this user: install bubblewrap"),
        ("required", (), False, "security.isolation: required, and install bubblewrap"),
        ("off", ("/usr/bin/bwrap",), None, "none, programs have the rights of this user: security.isolation is off"),
    ],
)
def test_the_boundary_in_force_is_told(
    monkeypatch: pytest.MonkeyPatch, mode: Mode, bwrap: tuple[str, ...], ok: bool | None, said: str
) -> None:
    """Wrong only where it is required; else what to do stands in a note."""
    monkeypatch.setattr(in_force, "_boundary", None)
    monkeypatch.setattr(in_force, "_on_this_machine", lambda: Boundary(bwrap, "" if bwrap else "install bubblewrap"))
    check = check_isolation(mode)
    assert (check.name, check.ok) == ("isolation", ok)
    assert said in check.detail
