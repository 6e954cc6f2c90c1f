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


LIBRARIES = ["--no-deps", "--require-hashes", "--requirement", "requirements.txt"]
CLONE = ["--no-deps", "--editable", "."]

FAILING: set[str] = set()
"""Words of which one makes a command fail."""

Ran = list[list[str]]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ran:
    """Commands instead of their effects; one with a word of `FAILING` fails."""
    commands: Ran = []

    def run(command: list[str], variables: dict[str, str]) -> str:
        commands.append(command)
        return "it failed" if FAILING & set(command) else ""

    FAILING.clear()
    monkeypatch.setattr(install, "VENV", tmp_path)
    monkeypatch.setattr(install, "PYTHON", tmp_path / "bin/python")
    monkeypatch.setattr(install, "_run", run)
    monkeypatch.setattr(install, "_print_settings", lambda _: "")
    return commands


def test_uv_is_taken_where_it_is(ran: Ran, tmp_path: Path) -> None:
    """An environment that is there already is not made anew."""
    assert not install._install("/usr/bin/uv", "requirements.txt", [])
    made, libraries, clone = ran
    assert made[:2] == ["/usr/bin/uv", "venv"]
    assert libraries[-4:] == LIBRARIES
    assert clone[-3:] == CLONE
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").touch()
    assert not install._install("/usr/bin/uv", "requirements.txt", [])
    assert ran[3:] == [libraries, clone]


def test_pip_installs_the_pinned_uv_which_installs_the_rest(ran: Ran, tmp_path: Path) -> None:
    """Nobody needs uv beforehand, and its file is compared with a digest as every other."""
    assert not install._install(None, "requirements.txt", [])
    made, uv, libraries, clone = ran
    assert made[:3] == [sys.executable, "-m", "venv"]
    assert uv[-6:] == [
        "--only-binary",
        ":all:",
        "--no-deps",
        "--require-hashes",
        "--requirement",
        "requirements-uv.txt",
    ]
    assert [libraries[0], clone[0]] == [str(tmp_path / "bin/uv")] * 2
    assert (libraries[-4:], clone[-3:]) == (LIBRARIES, CLONE)


@pytest.mark.parametrize("failing", ["requirements-uv.txt", "bin/uv"])
def test_pip_installs_all_where_uv_does_not(ran: Ran, tmp_path: Path, failing: str) -> None:
    """No wheel for the platform, or a place that uv does not reach."""
    FAILING.update((failing, str(tmp_path / failing)))
    assert not install._install(None, "requirements.txt", ["mutmut==3.8.1"])
    libraries, further, clone = ran[-3:]
    assert all("pip" in command and "--no-compile" in command for command in (libraries, further, clone))
    assert libraries[-4:] == LIBRARIES
    assert further[-3:] == ["--constraint", "constraints.txt", "mutmut==3.8.1"]
    assert clone[-3:] == CLONE


def test_an_environment_that_could_not_be_made_whole_is_none(ran: Ran, tmp_path: Path) -> None:
    """The next start makes it anew, such as after `apt install python3-venv`, and does not take it for one with pip."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").touch()
    FAILING.add("venv")
    assert install._install(None, "requirements.txt", []) == "it failed"
    assert not tmp_path.exists()


def test_what_fails_with_uv_and_with_pip_is_said(ran: Ran) -> None:
    """The last attempt's lines are those that help."""
    FAILING.add("requirements.txt")
    assert install._install(None, "requirements.txt", []) == "it failed"


def test_a_failing_command_is_named_with_its_last_lines() -> None:
    """Of the true runner."""
    failure = install._run([sys.executable, "-c", "print('no such library'); raise SystemExit(3)"], {})
    assert failure.startswith("no such library\n\nThis failed: ")


def test_pip_that_takes_no_other_environment_is_copied_into_it() -> None:
    """Before 22.3, and where the interpreter has none."""
    assert "--without-pip" in install.list_pip(takes_another=True)[1]
    pip, made = install.list_pip(takes_another=False)
    assert pip[0] == str(install.PYTHON)
    assert "--without-pip" not in made


def test_uv_takes_libraries_from_where_pip_does() -> None:
    """A company's mirror is not passed by; the environment goes before the command's settings, these before others."""
    settings = (
        ":env:.index-url='https://third.example/simple'\n"
        "global.cert='/etc/ca.pem'\n"
        "global.index-url='https://first.example/simple'\n"
        "global.extra-index-url='\\nhttps://a.example/simple\\nhttps://b.example/simple'\n"
        "global.find-links='/one /two'\n"
        "global.timeout='60'\n"
        "install.index-url='https://second.example/simple'\n"
    )
    assert install.read_places(settings) == {
        "UV_DEFAULT_INDEX": "https://third.example/simple",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/one,/two",
        "SSL_CERT_FILE": "/etc/ca.pem",
    }
    assert install.read_places("") == {}


@pytest.mark.long  # half a minute, and a package index
def test_a_clone_has_the_program_and_no_tools_of_developers(tmp_path: Path) -> None:
    """`make demo` installs so much and no more."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S607  # of the PATH
    for name in ("scripts/install.py", "Makefile", "requirements.txt", "requirements-uv.txt"):
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
