"""Colours, widths and progress at a real terminal, and plain text elsewhere."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from bot.cli.command import format_text
from bot.cli.doctor import format_check
from bot.cli.doctor_check import DoctorCheck
from bot.cli.progress import Activity
from bot.cli.terminal_style import has_colours, is_watched, paint
from bot.cli.terminal_table import draw_table
from bot.cli.terminal_text import isolate, measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TextIO

RED = "\x1b[31m"


@contextmanager
def open_terminal() -> Iterator[tuple[int, TextIO]]:
    """The side of a person, and the stream of a program."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w") as stream:
        yield ours, stream
    os.close(ours)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables of a person's terminal."""
    for name in ("NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(
    ("variables", "watched", "coloured"),
    [
        ({}, True, True),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"CI": "true"}, False, False),
    ],
)
def test_colours_are_for_a_terminal_that_wants_them(
    variables: Mapping[str, str], watched: bool, coloured: bool
) -> None:
    """Never for a pipe."""
    with open_terminal() as (_, stream):
        assert (is_watched(stream, variables), has_colours(stream, variables)) == (watched, coloured)
    assert not has_colours(io.StringIO(), variables)
    assert not has_colours(None, variables)


def test_a_check_is_coloured_by_its_mark_and_wrapped_below_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of others can neither colour nor move anything."""
    check = DoctorCheck("team", False, "[red]Ada[/red]\x1b[32m\x1b]0;title\x07 is away until Monday and Bo is not")
    line = "WRONG  team: [red]Ada[/red][32m]0;title is away until Monday and Bo is not"
    assert format_check(check, None) == [line]
    with open_terminal() as (_, stream):
        monkeypatch.setattr(sys, "stdout", stream)
        lines = format_check(check, 40)
    assert lines == [
        f"{RED}WRONG\x1b[0m  team: [red]Ada[/red][32m]0;title",
        "       is away until Monday and Bo is",
        "       not",
    ]


def test_changed_lines_of_a_diff_are_coloured_and_those_of_other_code_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list in YAML is no diff."""
    answer = {"line": "Lines:\n```\n@@ -1 +1 @@\n-a\n+b\n c\n```", "rows": ["```\n- a\n```"]}
    assert format_text(answer, 80) == "Lines:\n@@ -1 +1 @@\n-a\n+b\n c\n- a"
    with open_terminal() as (_, stream):
        monkeypatch.setattr(sys, "stdout", stream)
        assert format_text(answer, 80) == f"Lines:\n@@ -1 +1 @@\n{RED}-a\x1b[0m\n\x1b[32m+b\x1b[0m\n c\n- a"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("日本", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("กำ", 2),
        ("ที่", 1),
        ("\u26a0\ufe0f", 2),
        ("👍🏽", 4),
        ("각", 2),
    ],
)
def test_columns_are_those_of_a_terminal(text: str, columns: int) -> None:
    """Signs on a letter take none."""
    assert measure(text) == columns


@pytest.mark.parametrize("width", [40, 57, 80, 120, 200])
def test_tables_fit_with_names_of_any_script(width: int) -> None:
    """A name that runs from right to left stays in its column, and in a pipe is unchanged."""
    names = ("田中太郎 " * 6, "שלום עולם", "👩 " * 12, "Ada Lovelace of the analytical engine")
    rows = [(name, "waits for approval", str(number)) for number, name in enumerate(names)]
    lines = draw_table(("person", "status", "threads"), rows, width=width)
    assert max(map(measure, lines)) <= width
    assert width == 40 or any("\u2068" in line and "\u2069" in line for line in lines)  # else one cell a line
    assert not any("\u2068" in line for line in draw_table(("person", "status", "threads"), rows, width=None))
    assert isolate("plain") == "plain"


@pytest.mark.parametrize("end", [None, KeyboardInterrupt])
def test_long_work_is_named_until_it_ends(end: type[BaseException] | None) -> None:
    """Also when Ctrl-C ends it."""
    shown = b""
    with open_terminal() as (ours, stream):
        try:
            with Activity(stream, "Counting", patience=0):
                while b"Counting" not in shown:
                    shown += os.read(ours, 100)
                if end:
                    raise end
        except KeyboardInterrupt:
            pass
        while not shown.endswith(b"\r\x1b[K"):
            shown += os.read(ours, 100)
    assert b"Counting \xe2\x80\xa6 0 s\r" in shown


def test_a_log_has_no_progress_and_no_colour() -> None:
    """Work takes no thread there."""
    log = io.StringIO()
    with Activity(log, "Counting", patience=0):
        assert paint("not met", "bad", log) == "not met"
    assert log.getvalue() == ""
