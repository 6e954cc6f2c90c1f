"""Words looked for in the projects' own files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.models.project import Project
from bot.triage.project_words import ProjectWords


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("nsqadmin", "assets"), True),
        (("Bower",), True),
        (("spill", "disks"), True),
        (("spill", "pizza"), None),
        (("pizza",), False),
        (("tombstones", "stale"), True),
        (("\u2603",), None),
        ((), None),
    ],
)
async def test_a_name_of_a_file_or_two_words_are_known(
    tmp_path: Path, words: tuple[str, ...], known: bool | None
) -> None:
    """In the code or in the notes of any project; one word alone says neither yes nor no."""
    for path, text in {
        "code/nsqadmin/bower.json": "{}",
        "code/q.go": "// spills to disk",
        "notes/a.md": "Tombstones: stale",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    project = Project(name="nsq", root=tmp_path / "code", knowledge=(tmp_path / "notes",))
    held = ProjectWords(projects=cast("Any", SimpleNamespace(list_all=lambda: (project,))), seconds=60)
    assert await held.are_known(words) is known
    assert await ProjectWords(projects=cast("Any", SimpleNamespace(list_all=tuple))).are_known(words) is None
