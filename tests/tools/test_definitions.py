"""`find_definition`: where a name is defined and called, in several languages, within what a run may read."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from bot.decide.retrieval.query import build_query
from bot.errors import ToolError
from bot.models.project import Project
from bot.tools.definitions import CALLS_SHOWN, DefinitionFinder, FindDefinition
from bot.tools.file_tools import FileTools, Glob, ReadFile, Search
from bot.tools.git_tools import GitBlame, GitLog, GitTools
from bot.tools.guard import ANSWER_BYTES
from bot.tools.index.project import candidates
from bot.tools.read_log import ReadLog
from tests.tools.conftest import TOKEN, make_guard

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "src/pool.py": "class Pool:\n    @once\n    def take_lease(self, seconds):\n        return 1\n",
    "src/job.go": "package job\n\n// TakeLease is another.\nfunc TakeLease() int {\n\treturn takeLease(1)\n}\n",
    "src/pool.rs": "impl Pool {\n    pub fn take_lease(&self) {}\n}\nfn main() { pool.take_lease(); }\n",
    "web/app.ts": "export const takeLease = (n: number) => n\ninterface Lease {}\ntakeLease(2)\n",
    "lib/pool.rb": "class Pool\n  def take_lease\n  end\nend\nPool.new.take_lease\n",
    "src/use.py": f"pool.take_lease(3)\ntake_lease_all()\nkey = '{TOKEN}'; take_lease(4)\n",
    "Mail.kt": "fun take_lease() {\n}\n",
}


def finder(tmp_path: Path, folder: str = ".", files: dict[str, str] = FILES) -> DefinitionFinder:
    root = tmp_path / "shop"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    reader = FileTools(root=root, guard=make_guard(), read_log=ReadLog(), folder=folder)
    return DefinitionFinder(project=Project(name="shop", root=root), reader=reader, indexes=tmp_path / "indexes")


@pytest.mark.parametrize(
    ("name", "defined", "called"),
    [
        (
            "take_lease",
            ["src/pool.py:3", "src/pool.rs:2", "lib/pool.rb:2", "Mail.kt:1"],
            ["src/use.py:1", "src/pool.rs:4"],
        ),
        ("TakeLease", ["src/job.go:4"], []),
        ("takeLease", ["web/app.ts:1"], ["web/app.ts:3", "src/job.go:5"]),
        ("Lease", ["web/app.ts:2"], []),
        ("Pool", ["src/pool.py:1", "lib/pool.rb:1"], []),
        ("nobody_has_it", [], []),
    ],
)
async def test_definitions_come_first_then_calls(
    tmp_path: Path, name: str, defined: list[str], called: list[str]
) -> None:
    """Each with its path and line, in whatever language; no line that holds a secret, no longer name."""
    said = await finder(tmp_path).find(FindDefinition(name=name))
    head, _, tail = said.partition("Called:")
    assert all(f"\n{place}\t" in head for place in defined)
    assert all(f"\n{place}\t" in tail for place in called)
    assert "take_lease_all" not in said
    assert "src/use.py:3" not in said
    assert bool(defined) == ("Defined:" in said)


async def test_an_answer_is_bounded_and_a_name_is_a_name(tmp_path: Path) -> None:
    """A name that is called everywhere fits into one answer; what is no name is refused before anything is read."""
    files = {f"m{at}.py": "def go_on():\n    pass\n" + "go_on()\n" * 40 for at in range(60)}
    said = await finder(tmp_path, files=files).find(FindDefinition(name="go_on"))
    assert len(said.encode()) < ANSWER_BYTES
    assert said.count("go_on()\n") <= CALLS_SHOWN + 1
    assert "there are more" in said
    for wrong in ("", "a", "a b", "../x", "1a", "x" * 101, "a\nb", "--all"):
        with pytest.raises(ValidationError):
            FindDefinition(name=wrong)


async def test_the_folder_of_a_rule_bounds_search_and_tools(tmp_path: Path) -> None:
    """Nothing outside of it is found, listed, read, blamed or cited by the keyword engine."""
    made = finder(tmp_path, "src")
    reader, root = made.reader, made.reader.root
    assert "lib/pool.rb" not in await made.find(FindDefinition(name="take_lease"))
    assert "lib/" not in await reader.search(Search(text="take_lease"))
    assert "web/" not in await reader.glob(Glob(pattern="**"))
    history = GitTools(root=root, guard=make_guard(), read_log=ReadLog(), folder="src")
    for outside in ("lib/pool.rb", "src/../lib/pool.rb", "srcs/a.py", "."):
        with pytest.raises(ToolError, match=r"lies outside|not a regular"):
            await reader.read_file(ReadFile(path=outside))
        with pytest.raises(ToolError, match="lies outside"):
            await history.git_blame(GitBlame(path=outside, first=1))
        with pytest.raises(ToolError, match="lies outside"):
            await history.git_log(GitLog(path=outside))
    asked = build_query("where is take_lease called?")
    found = await asyncio.to_thread(candidates, tmp_path / "indexes", made.project, asked, "src")
    assert found is not None
    assert found.texts
    assert all(path.startswith("src/") for path in (*found.texts, *found.paths))
