"""The program from its wheel, without the source beside it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sandbox.seed import APP_TOKEN, BOT_TOKEN
from tests.wheel import build, give_first_commands, lay_out, prepare

if TYPE_CHECKING:
    from pathlib import Path

    from tests.line.conftest import Line

pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It is built once."""
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its files; the libraries are those of the tests."""
    return lay_out(wheel, tmp_path_factory.mktemp("site"))


def test_a_wheel_has_what_its_messages_name(installed: Path) -> None:
    """Manifest, example settings and documents; neither tests nor pictures."""
    shipped = installed / "bot"
    for name in (
        "manifest.yml",
        "triage.example.yml",
        "README.md",
        "docs/install.md",
        "docs/decisions/17-four-packages.md",
    ):
        assert (shipped / name).is_file(), name
    assert {path.name for path in installed.iterdir() if path.suffix != ".dist-info"} == {
        "bot",
        "blocks",
        "prompts",
        "sandbox",
    }
    assert not (shipped / "docs" / "images").exists()


def test_a_second_build_is_equal(wheel: Path, tmp_path: Path) -> None:
    """Byte for byte: what is published can be built again by anybody."""
    assert build(tmp_path / "dist").read_bytes() == wheel.read_bytes()


async def test_the_program_runs_from_it(line: Line, installed: Path) -> None:
    """Without the network: whatever an hour with it begins with."""
    variables = {"PYTHONPATH": str(installed)}
    assert await asyncio.to_thread(_use, line, [sys.executable, "-P", "-m", "bot"], variables, is_whole=False) == 3


@pytest.mark.long  # half a minute, and a package index
async def test_the_program_runs_in_an_environment_of_its_own(line: Line, wheel: Path, tmp_path: Path) -> None:
    """With the libraries that the wheel asks for and no others."""
    await asyncio.to_thread(_install, wheel, tmp_path / "venv")
    assert await asyncio.to_thread(_use, line, [str(tmp_path / "venv" / "bin" / "triage")], {}, is_whole=True) == 6


def _install(wheel: Path, venv: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, "--constraint", "constraints.txt", str(wheel)], check=True)


def _use(line: Line, program: list[str], variables: dict[str, str], *, is_whole: bool) -> int:
    """Give the first commands of an installation; the answer is their number."""
    folder = line.folder / "elsewhere"
    prepare(folder)
    api = line.variables["SLACK_API_URL"]
    slack = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": api}
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLACK_", "TRIAGE_", "ANTHROPIC_", "PYTHON"))}

    def run(*words: str, stdin: str = "") -> str:
        done = subprocess.run(
            [*program, *words],
            input=stdin,
            cwd=folder,
            env=clean | slack | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        if words[0] == "init":
            assert str(folder.parent) in done.stdout or "site-packages" in done.stdout
        return done.stdout

    return give_first_commands(run, str(line.home), is_whole=is_whole)
