"""Variables of `.env`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bot.config.env_file import load_env_file, read_env_file
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins without these, and leaves none."""
    for name in ("SLACK_BOT_TOKEN", "PORTAL_TOKEN", "EMPTY"):
        monkeypatch.setenv(name, "")


def test_the_environment_takes_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable counts as none; nothing is substituted."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-set")
    file = tmp_path / ".env"
    file.write_text("# tokens\nSLACK_BOT_TOKEN=xoxb-file\nexport PORTAL_TOKEN='a$HOME b'\nEMPTY=\n")
    assert load_env_file(None, tmp_path / "triage.yml") == file
    assert (os.environ["SLACK_BOT_TOKEN"], os.environ["PORTAL_TOKEN"]) == ("xoxb-set", "a$HOME b")


def test_no_file_is_fine_unless_it_is_named(tmp_path: Path) -> None:
    """Most installations get their variables from elsewhere."""
    assert load_env_file(None, tmp_path / "triage.yml") is None
    with pytest.raises(Misconfigured, match=r"missing\.env: cannot be read \(FileNotFoundError\)"):
        load_env_file(tmp_path / "missing.env", tmp_path / "triage.yml")


@pytest.mark.parametrize(
    "text",
    [
        "A=one\nB=two words",
        "\ufeffA=one\r\nB='two words'\r\n",
        "export A='one'  # a remark\n\n# B=\nexport B=\"two words\"\n",
        "A = one\nB = two words\n",
    ],
    ids=["plain", "from Windows", "for a shell", "spaced"],
)
def test_the_usual_forms_are_read(tmp_path: Path, text: str) -> None:
    """A byte order mark belongs to no name."""
    (tmp_path / ".env").write_text(text, newline="")
    assert read_env_file(tmp_path / ".env") == {"A": "one", "B": "two words"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("A=1\nxoxb-secret\n", ":2: expected NAME=value"),
        ('A=1\nB="xoxb-secret\n', ":2: expected NAME=value"),
        ("A=xoxb-secret\0\n", ":1: expected NAME=value"),
        ("TRIAGE_HOME=/srv\n", ":1: expected TRIAGE_HOME in the environment, or --config and --home"),
    ],
)
def test_a_mistake_is_named_without_the_value(tmp_path: Path, text: str, complaint: str) -> None:
    """A line that is no variable may still be a secret."""
    (tmp_path / ".env").write_text(text)
    with pytest.raises(Misconfigured) as raised:
        load_env_file(None, tmp_path / "triage.yml")
    assert str(raised.value) == f"{tmp_path}/.env{complaint}"
