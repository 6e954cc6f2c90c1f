"""The files that CONTRIBUTING.md lists on the ways of a message and an answer are passed in the order of the lists."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
MOST = 25
"""Files that a reader opens to follow a message."""


WAYS = ("Follow a message", "Follow an answer")


def section(title: str) -> str:
    """The text below a heading."""
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def way(title: str) -> list[tuple[str, str]]:
    """The files on a way in their order, each with the first name of its row."""
    rows = re.findall(r"^\d+\. `([^`]+)`: (.*)", section(title), re.MULTILINE)
    return [(path, (re.findall(r"`(?:[A-Z]\w+\.)?(\w+)`", text) or [""])[0]) for path, text in rows]


def test_a_message_is_followed_through_few_files_that_exist() -> None:
    """Also those of the other recipes."""
    assert all(1 < len(way(title)) <= MOST for title in WAYS)
    titles = (*WAYS, "Add a command", "Add a button", "Add an adapter")
    named = {path for title in titles for path in re.findall(r"`([a-z]+/[\w./]+\.(?:py|yml|md))`", section(title))}
    assert len(named) > MOST
    assert [path for path in named if not (ROOT / path).exists()] == []


def names_in(path: Path) -> set[str]:
    """The functions, classes, methods and constants that a module defines."""
    tree = ast.walk(ast.parse(path.read_text()))
    return {
        name
        for node in tree
        for name in (
            [node.name]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            else [node.id]
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            else []
        )
    }


@pytest.mark.parametrize("title", [*WAYS, "Add a button"])
def test_a_name_after_a_file_is_defined_in_it(title: str) -> None:
    """Each row begins with its file, and names functions, classes or constants of it."""
    missing = []
    for path, text in re.findall(r"^\d+\. `([\w/]+\.py)`: (.*(?:\n   .*)*)", section(title), re.MULTILINE):
        own_part = text.partition(";")[0] if title == "Add a button" else text
        names = re.findall(r"`(?:[A-Z]\w+\.)?(\w+)`", own_part)
        missing += [f"{path}: {name}" for name in names if name not in names_in(ROOT / path)]
    assert missing == []


async def test_a_question_passes_each_file_of_its_ways(line: Line) -> None:
    """In order, from its frame until its reply is posted; a module of protocols is passed by its types alone."""
    named = {
        (str(ROOT / path), name) for title in WAYS for path, name in way(title) if not path.startswith("bot/ports/")
    }
    files, calls = {path for path, _ in named}, list[tuple[str, str]]()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename in files:
            calls.append((frame.f_code.co_filename, frame.f_code.co_name))

    async with line.bot():
        sys.setprofile(note)
        try:
            asked = await line.ana.say(QUESTION)
            await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
            await line.ana.replies(asked)
            await line.olu.card("The reply is posted.")
        finally:
            sys.setprofile(None)
    for title in WAYS:
        left = iter(calls)
        rows = [(path, name) for path, name in way(title) if not path.startswith("bot/ports/")]
        missing = [
            (path, name)
            for path, name in rows
            if not any(path_called == str(ROOT / path) and name in ("", called) for path_called, called in left)
        ]
        assert missing == []
