"""Installation of the clone into `.venv`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import install

ROOT = Path(__file__).parents[2]


def test_uv_is_taken_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment that is there already is not made anew."""
    monkeypatch.setattr(install, "PYTHON", tmp_path / "python")
    made, libraries, clone = install.list_commands("/usr/bin/uv", "requirements.txt", [])
    assert made[:2] == ["/usr/bin/uv", "venv"]
    assert libraries[-4:] == ["--no-deps", "--require-hashes", "--requirement", "requirements.txt"]
    assert clone[-3:] == ["--no-deps", "--editable", "."]
    (tmp_path / "python").touch()
    assert install.list_commands("/usr/bin/uv", "requirements.txt", []) == [libraries, clone]


def test_pip_compiles_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Most modules that are installed are never imported."""
    monkeypatch.setattr(install, "PYTHON", tmp_path / "python")
    made, libraries, further, clone = install.list_commands(None, "requirements-dev.txt", ["mutmut==3.8.1"])
    assert made[:3] == [sys.executable, "-m", "venv"]
    assert all("--no-compile" in command for command in (libraries, further, clone))
    assert further[-3:] == ["--constraint", "constraints.txt", "mutmut==3.8.1"]


@pytest.mark.long  # half a minute, and a package index
def test_a_clone_has_the_program_and_no_tools_of_developers(tmp_path: Path) -> None:
    """`make demo` installs so much and no more."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S607  # of the PATH
    for name in ("scripts/install.py", "Makefile", "requirements.txt"):
        shutil.copy(ROOT / name, clone / name)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        ["make", f"PYTHON={sys.executable}", ".venv/.runtime"],  # noqa: S607  # as above
        cwd=clone,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Installed in" in done.stdout
    assert subprocess.run([clone / ".venv/bin/triage", "--version"], check=True, capture_output=True).stdout
    assert not (clone / ".venv/bin/ruff").exists()
