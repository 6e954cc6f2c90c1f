"""A project whose files no search may read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.agents.bounced_drafts import Bounced
from bot.agents.project_search import ProjectRequest, search_project
from bot.decide.bounce.correction import Correction
from bot.decide.retrieval.query import build_query
from bot.models.project import Project

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "where is debounce_ms set?"


def test_files_that_may_not_be_read_any_more_are_passed_over(tmp_path: Path) -> None:
    """They have another name outside of the project since they were indexed; what can be read answers alone."""
    root, cache = tmp_path / "root", tmp_path / "cache"
    root.mkdir()
    cache.mkdir()
    for number in range(90):
        (root / f"part_{number}.py").write_text(f"debounce_ms = {number}  # is set\n")
    (root / "limits.py").write_text("debounce_ms = 2000\n")
    request = ProjectRequest(
        project=Project(name="shop", root=root),
        question=QUESTION,
        query=build_query(QUESTION),
        bounced=Bounced(correction=Correction()),
        index=tmp_path / "index",
    )
    assert search_project(request).files == 91
    for number in range(90):
        os.link(root / f"part_{number}.py", cache / f"{number}.py")
    found = search_project(request)
    assert found.failure == ""
    assert [cited.rated.path for cited in found.cited] == ["limits.py"]
