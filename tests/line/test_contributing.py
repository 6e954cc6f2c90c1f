"""The files that CONTRIBUTING.md lists on the way of a message are the ones that a message passes."""

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


def section(title: str) -> str:
    """The text below a heading."""
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def way() -> list[str]:
    """The files on the way of a message, in their order."""
    return re.findall(r"^\d+\. `([^`]+)`", section("Follow a message"), re.MULTILINE)


def test_a_message_is_followed_through_few_files_that_exist() -> None:
    """Also those of the other recipes."""
    assert len(way()) <= MOST
    titles = ("Follow a message", "Add a command", "Add a button", "Add an adapter")
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


@pytest.mark.parametrize("title", ["Follow a message", "Add a button"])
def test_a_name_after_a_file_is_defined_in_it(title: str) -> None:
    """Each row begins with its file, and names functions, classes or constants of it."""
    missing = []
    for path, text in re.findall(r"^\d+\. `([\w/]+\.py)`: (.*(?:\n   .*)*)", section(title), re.MULTILINE):
        own_part = text.partition(";")[0] if title == "Add a button" else text
        names = re.findall(r"`(?:[A-Z]\w+\.)?(\w+)`", own_part)
        missing += [f"{path}: {name}" for name in names if name not in names_in(ROOT / path)]
    assert missing == []


async def test_a_message_passes_each_file_of_its_way(line: Line) -> None:
    """From its frame until its thread is saved; a module of protocols is passed by its types alone."""
    called: set[str] = set()

    def note(frame: Any, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code.co_filename)

    async with line.bot():
        sys.setprofile(note)
        try:
            await line.ana.say(QUESTION)
            await line.olu.card(QUESTION, '"approve"')
        finally:
            sys.setprofile(None)
    missing = [path for path in way() if str(ROOT / path) not in called]
    assert [path for path in missing if not path.startswith("bot/ports/")] == []
