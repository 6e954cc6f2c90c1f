"""Sources of evidence, on a real repository: a link shows the lines that were checked, or there is none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from blocks.reply import LISTED
from bot.agents.sources import find_sources, map_wordings
from bot.decide.grounding.mention import Mention
from bot.decide.grounding.references import find_references
from bot.models.project import Project
from tests.builders import reference
from tests.tools.conftest import commit, git, project

__all__ = ["project"]

PAGE = "https://github.com/team/shop"


async def test_a_link_is_pinned_to_the_commit_that_holds_the_lines(project: Path) -> None:
    """The path starts at the repository's top, though the project is a folder of it."""
    sha = commit(project, "first", a_py="one\ntwo\nthree\n")
    found = await find_sources(Project(name="shop", root=project, web_url=PAGE), [reference(ref="a.py:2-3")])
    assert [(each.ref, each.commit, each.url) for each in found] == [
        ("a.py:2-3", sha, f"{PAGE}/blob/{sha}/app/a.py#L2-L3")
    ]


async def test_a_reference_of_its_own_commit_is_pinned_to_that(project: Path) -> None:
    """Also when the file says something else by now."""
    old = commit(project, "first", a_py="one\n")
    commit(project, "second", a_py="two\n")
    found = await find_sources(Project(name="shop", root=project), [reference(ref="a.py:1", commit=old[:12])])
    assert [(each.commit, each.url) for each in found] == [(old, None)]


async def test_lines_that_are_not_committed_as_they_are_have_no_link(project: Path) -> None:
    """Nobody is shown other lines than those that were checked; the rest of the file may have changed."""
    commit(project, "first", a_py="one\ntwo\n")
    (project / "a.py").write_text("one\nTWO\n")
    (project / "new.py").write_text("one\n")
    wanted = [reference(ref=ref) for ref in ("a.py:1", "a.py:2", "new.py:1", "a.py:9", "../x.py:1", "a.py")]
    assert [each.ref for each in await find_sources(Project(name="shop", root=project, web_url=PAGE), wanted)] == [
        "a.py:1"
    ]


async def test_a_cited_commit_has_its_page(project: Path) -> None:
    """By its full hash, however it was cited."""
    sha = commit(project, "first", a_py="one\n")
    wanted = [reference(kind="git_commit", ref=sha[:10], quote=None)]
    found = await find_sources(Project(name="shop", root=project, web_url=PAGE), wanted)
    assert [each.url for each in found] == [f"{PAGE}/commit/{sha}"]


@pytest.mark.parametrize("prepared", ["no repository", "no commit"])
async def test_where_there_is_no_commit_there_is_no_source(tmp_path: Path, prepared: str) -> None:
    """And nothing is raised."""
    if prepared == "no commit":
        git(tmp_path, "init", "--quiet")
    (tmp_path / "a.py").write_text("one\n")
    assert await find_sources(Project(name="shop", root=tmp_path, web_url=PAGE), [reference(ref="a.py:1")]) == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("lines 3, 7 and 9-12 of a.py", {"3": "a.py:3", "7": "a.py:7", "9-12": "a.py:9-12"}),
        ("see a.py:3,7-9", {"a.py:3": "a.py:3", "7-9": "a.py:7-9"}),
        ("خطوط ۳، ۷ و ۹ از a.py", {"۳": "a.py:3", "۷": "a.py:7", "۹": "a.py:9"}),
        ("a.py 第3、7、9行", {"3": "a.py:3", "7": "a.py:7", "9": "a.py:9"}),
        ("a.py lines 3 and 7, and b.py lines 3 and 7", {}),
    ],
)
def test_each_line_of_a_list_has_its_own_place(text: str, parts: dict[str, str]) -> None:
    """In each language and its digits; where the same words name lines of two files nobody can tell."""
    cited: Any = [
        SimpleNamespace(wording=one.text, words=one.words, reference=SimpleNamespace(ref=_ref(one)))
        for one in find_references(text)
    ]
    found = {written.partition(LISTED)[2]: ref for written, ref in map_wordings(cited).items() if LISTED in written}
    assert found == parts


def _ref(one: Mention) -> str:
    return f"{one.paths[0]}:{one.first}" + (f"-{one.last}" if one.last != one.first else "")
