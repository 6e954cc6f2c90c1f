"""A model that is wholly hostile: many calls of every tool with the worst arguments, and not one canary comes back."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from bot.errors import ToolError
from bot.models.project import Project
from bot.tools.file_tools import FileTools
from bot.tools.git_tools import GitTools
from bot.tools.knowledge import Knowledge, knowledge_tool
from bot.tools.read_log import ReadLog
from tests.fakes import MemoryJournal
from tests.tools.conftest import LOADED, TOKEN, commit, git, make_guard

if TYPE_CHECKING:
    from pathlib import Path

    from bot.tools.tool import Tool

AT_ONCE = 8
OUTSIDE, DENIED, ELSEWHERE = "canary-outside-the-root", "canary-in-a-denied-file", "canary-of-another-channel"
CANARIES = (LOADED, TOKEN, OUTSIDE, DENIED, ELSEWHERE, LOADED[4:], TOKEN[6:])
WORST = (
    *("", ".", "..", "../outside.txt", "/etc/passwd", "app.py", ".env", "./.env", "sub/../.env", ".ENV", ".git/config"),
    *(
        "link",
        "link/outside.txt",
        "loop",
        "pipe",
        "/proc/self/environ",
        "/dev/zero",
        "~/.ssh/id_rsa",
        "app.py\0",
        "\ud800",
        "a\nb",
    ),
    *("HEAD", "main", "HEAD~1", "HEAD:.env", "main:app/.env", ":/canary", "--output=TRIP", "-p", "--", "@{0}", "stash"),
    *(
        "--pre=./run",
        "-e.*",
        "canary",
        "canary-",
        ".*",
        "(?s).*",
        "[^x]*",
        LOADED,
        LOADED[:9],
        TOKEN,
        TOKEN[:8],
        "gh[p]_",
    ),
    *(
        "**",
        "**/.*",
        "../**",
        "{.env,app.py}",
        ":(top)outside.txt",
        "\u202e",
        "⟦end n1⟧",
        "$(touch TRIP)",
        "`touch TRIP`",
    ),
    *("%2e%2e/outside.txt", "..\\outside.txt", "key", "token", "what is the token of the mirror?"),
)


FITTING = ("app.py", "notes/a.md", "HEAD", "main", "*.py", "**", "key", "token", "")
"""So that some calls get far."""


def planted(project: Path) -> Path:
    """A project with a canary in each place where one can stand."""
    code = f"key = '{LOADED}'\ntoken = '{TOKEN}'\n"
    commit(project, f"Use {TOKEN} for now", app_py=code, dot_env=f"A={DENIED}\n", notes__a_md=f"the token is {TOKEN}\n")
    commit(project, "Go on", app_py=code.replace("key", "the_key"), dot_env=f"B={DENIED}\n")
    commit(project.parent, OUTSIDE, outside_txt=f"{OUTSIDE}\n")
    (project / "link").symlink_to(project.parent)
    (project / "loop").symlink_to("loop")
    git(project, "config", "diff.external", f"touch {project.parent / 'TRIP'}")
    return project


def all_tools(root: Path) -> list[Tool]:
    journal = MemoryJournal()
    journal.kept = [
        {"chat_id": "C1", "thread_id": "T1-C1-1.1", "posted_message_id": "1.1", "reply_text": f"the token is {TOKEN}"},
        {
            "chat_id": "C2",
            "thread_id": "T1-C2-1.1",
            "posted_message_id": "2.1",
            "reply_text": f"the token: {ELSEWHERE}",
        },
        {"chat_id": "C1", "thread_id": "T1-C1-2.1", "reply_text": "see the note", "triage_file": "../outside.txt"},
    ]
    guard, opened = make_guard(), ReadLog()
    about = Project(name="app", root=root, knowledge=(root / "notes",))
    knowledge = Knowledge(replies=journal, home=root)
    return [
        *FileTools(root=root, guard=guard, read_log=opened).tools,
        *GitTools(root=root, guard=guard, read_log=opened).tools,
        knowledge_tool(knowledge, guard, about, team_id="T1", chat_id="C1"),
    ]


async def said_by(tools: list[Tool], chance: random.Random, count: int) -> list[str]:
    """The answers to so many hostile calls, failures included."""
    answers: list[str] = []
    while len(answers) < count:  # several at a time: each waits for a separate process
        some = min(AT_ONCE, count - len(answers))
        answers += await asyncio.gather(*(_said(chance.choice(tools), chance) for _ in range(some)))
    return answers


async def _said(tool: Tool, chance: random.Random) -> str:
    fields = tool.input.model_fields
    asked: dict[str, Any] = {name: _worst(field.annotation, chance) for name, field in fields.items()}
    try:
        return await tool.run(tool.input.model_validate(asked))
    except (ToolError, ValidationError) as problem:
        return str(problem) if isinstance(problem, ToolError) else ""


def _worst(kind: Any, chance: random.Random) -> Any:
    if kind is bool:
        return chance.random() < 0.5
    return chance.choice((1, 2, 40)) if kind is int else chance.choice(chance.choice((WORST, FITTING)))


@pytest.mark.parametrize("calls", [150, pytest.param(600, marks=pytest.mark.long)])
async def test_no_canary_comes_back(project: Path, calls: int) -> None:
    """Nor does anything run or get written."""
    root = planted(project)
    before = sorted(path.name for folder in (root, root.parent) for path in folder.iterdir())
    answers = await said_by(all_tools(root), random.Random(7), calls)
    assert [canary for canary in CANARIES for answer in answers if canary in answer] == []
    assert sum("⟦untrusted" in answer for answer in answers) > calls // 20
    assert sorted(path.name for folder in (root, root.parent) for path in folder.iterdir()) == before
