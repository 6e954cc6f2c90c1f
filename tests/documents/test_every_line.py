"""Each command line of the documents is run by a test, or has its row in the table of those that are not."""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.documents.commands import COMMANDS, Command
from tests.documents.not_run import NOT_RUN, find_row
from tests.documents.pages import ROOT
from tests.documents.test_sandbox_lines import SANDBOX
from tests.documents.test_slack_lines import SLACK
from tests.documents.test_terminal_lines import TERMINAL, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


RUN = {command.text for command in (*SLACK, *TERMINAL, *SANDBOX)} | {"make"}
"""Those that a test runs."""

UNIQUE = tuple({command.text: command for command in COMMANDS}.values())


SLOW_TO_LOAD = ("make train ", "make torture ARGS")
"""Lines with programs that load for seconds before they read their arguments."""


def test_each_command_line_is_run_or_has_a_reason() -> None:
    """No line is forgotten.

    A line that fails needs a test beside those of its kind, such as a row of `WORDS` in test_terminal_lines.py; if it
    cannot be run anywhere, it needs a row in not_run.py.
    """
    lost = [f"{each.where}: {each.text}" for each in UNIQUE if each.text not in RUN and not find_row(each.text)]
    assert not lost, "\n".join(lost)
    both = [each.text for each in UNIQUE if each.text in RUN and find_row(each.text)]
    assert both == []


def test_each_row_of_the_table_is_needed() -> None:
    """One that fits no line any more is removed."""
    assert {*NOT_RUN} - {find_row(each.text) for each in UNIQUE} == set()


def not_run(program: str) -> Iterator[Command]:
    """The lines of a program that are not run."""
    yield from (each for each in UNIQUE if find_row(each.text) and each.program == program)


def test_each_line_that_is_not_run_is_one_of_a_shell() -> None:
    """As the shell reads it, without running it; what stands for the reader's own is no word of it."""
    wrong = []
    for each in UNIQUE:
        if find_row(each.text):
            text = re.sub(r"<[^>]*>|…", "x", each.text)
            done = subprocess.run(["bash", "-nc", text], capture_output=True, text=True, check=False)  # noqa: S607
            wrong += [f"{each.where}: {each.text}: {done.stderr}"] if done.returncode else []
    assert not wrong, "\n".join(wrong)


def test_make_lists_its_targets() -> None:
    """As plain `make` does."""
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    assert {"demo", "test", "check"} <= {line.split()[0] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("loads_slowly", [False, pytest.param(True, marks=pytest.mark.long)])
def test_each_make_line_has_a_target_that_takes_its_arguments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, loads_slowly: bool
) -> None:
    """The programs of the target read their arguments, and do nothing then."""
    wrong = []
    for each in (each for each in not_run("make") if each.text.startswith(SLOW_TO_LOAD) == loads_slowly):
        done = subprocess.run(  # noqa: S602  # the line is the repository's own
            f"{each.text} --no-print-directory -n", shell=True, cwd=ROOT, capture_output=True, text=True, check=False
        )
        for line in done.stdout.splitlines() if "ARGS=" in each.text else ():
            if problem := read_recipe(line, capsys, monkeypatch):
                wrong.append(f"{each.where}: {each.text}: {problem}")
        if done.returncode:
            wrong.append(f"{each.where}: {each.text}: {done.stderr}")
    assert not wrong, "\n".join(wrong)


def read_recipe(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Say what is wrong with a command of a target; commands of foreign programs are not read."""
    if ".venv/bin/" not in line or "||" in line or "|" in line:
        return ""
    program, *words = shlex.split(line.split(".venv/bin/", 1)[1])
    if program == "triage":
        return parse(words, capsys)
    if program == "python" and words[:2] == ["-m", "pytest"]:
        return "".join(
            f"no such tests: {word}" for word in words if word.startswith("tests/") and not (ROOT / word).exists()
        )
    return read_python(words, capsys, monkeypatch) if program == "python" else ""


def test_each_line_of_a_program_of_this_repository_is_read_by_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that takes no arguments gets none."""
    wrong = []
    for each in not_run("python"):
        words = shlex.split(re.sub(r"\b(DIR|FOLDER)\b", str(tmp_path), each.text))[1:]
        if words[0] != "-c" and (problem := read_python(words, capsys, monkeypatch)):
            wrong.append(f"{each.where}: {each.text}: {problem}")
    assert not wrong, "\n".join(wrong)


class Taken(Exception):
    """The arguments are taken; the program goes no further."""


def read_python(words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Say what a module or script of this repository finds wrong with its arguments; it does nothing else."""
    is_module = words[0] == "-m"
    name, *arguments = words[1:] if is_module else words
    path = ROOT / (name.replace(".", "/") + ".py" if is_module else name)
    path = path if path.is_file() else path.with_suffix("") / "__main__.py"
    if name in ("pytest", "coverage") or name.startswith("-"):
        return ""
    if not path.is_file():
        return f"no such program: {name}"
    text = path.read_text("utf-8")
    if "parse_args" not in text:
        unknown = [word for word in arguments if f'"{word}"' not in text]
        return f"{name} does not take {unknown}" if unknown else ""
    taken = argparse.ArgumentParser.parse_args

    def take(parser: argparse.ArgumentParser, *given: object) -> None:
        taken(parser, *given)  # type: ignore[call-overload]  # as it is called
        raise Taken

    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", take)
        patch.setattr(sys, "argv", [name, *arguments])
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Taken:
            return ""
        except SystemExit:
            return capsys.readouterr().err
    return f"{name} did not read its arguments"


def test_each_library_that_a_line_installs_is_an_extra() -> None:
    """With the same version; and a clone's own extra is one."""
    named = (ROOT / "pyproject.toml").read_text("utf-8")
    for each in not_run("pip"):
        for word in (word for word in shlex.split(each.text)[2:] if re.match(r"[a-z]", word)):
            assert f'"{word}"' in named, each


def test_the_script_of_a_clean_checkout_is_there() -> None:
    """And may be started."""
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
