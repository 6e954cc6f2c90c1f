"""Paths of the state as commands take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.config.paths import demand_home, home_path
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("file", "file: expected a folder for the state, and {}/file is none; name another with --home"),
        ("file/x/y", "y: expected a folder for the state, and {}/file is none; name another with --home"),
        ("nowhere", "nowhere: expected a folder for the state, and {}/nowhere is none; name another with --home"),
        ("~nobody.here/x", "~nobody.here/x: expected the home of a user of this machine; name another with --home"),
    ],
)
def test_a_home_that_can_be_no_folder_has_a_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, said: str
) -> None:
    """A file, a path below one, a link that leads nowhere, and the home of nobody."""
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("missing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIAGE_HOME", named)
    with pytest.raises(Misconfigured) as raised:
        home_path(None)
    assert str(raised.value).endswith(said.format(tmp_path))


def test_a_home_may_be_missing_or_be_reached_by_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that needs one says what makes it."""
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to("home")
    monkeypatch.setenv("TRIAGE_HOME", str(tmp_path / "link"))
    demand_home(home_path(None))
    with pytest.raises(Misconfigured, match="there is no home, which the first `triage run` makes; name another with"):
        demand_home(home_path(tmp_path / "missing" / "deep"))
    with pytest.raises(Misconfigured, match="it holds home, link; name an empty or a new one"):
        demand_home(tmp_path)
