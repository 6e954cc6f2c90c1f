"""The search index on real files: what it finds again, what never comes into it, and what it survives."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from bot.decide.retrieval.query import build_query
from bot.models.project import Project
from bot.tools.index import ahead as indexing_ahead
from bot.tools.index import current
from bot.tools.index import refresh as refreshing
from bot.tools.index import step as stepping
from bot.tools.index.ahead import IndexRequest, index_ahead
from bot.tools.index.content import name_of, read_content
from bot.tools.index.exclusive import ParserCrashNote, lock
from bot.tools.index.grammars import definitions_in
from bot.tools.index.places import forget, keep_only, place_of
from bot.tools.index.project import Candidates, candidates
from bot.tools.index.refresh import refresh
from bot.tools.index.store import IndexStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

POOL = '''\
class Pool:
    """Keeps connections."""

    def lease(self, seconds=30):
        """Hand out a connection."""
        if not self.free:
            self.wait(seconds)
        return self.free.pop()
'''


def shop(tmp_path: Path, **files: str) -> Project:
    root = tmp_path / "shop"
    for name, text in {"pool.py": POOL, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Project(name="shop", root=root)


def ask(tmp_path: Path, project: Project, question: str = "who hands out a leased connection?") -> Candidates:
    found = candidates(tmp_path / "indexes", project, build_query(question))
    assert found is not None
    return found


def count(tmp_path: Path, project: Project, table: str) -> int:
    db = sqlite3.connect(place_of(tmp_path / "indexes", project))
    number = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  # a table's name
    db.close()
    return int(number)


def test_a_passage_is_found_by_its_words_and_cut_at_its_definition(tmp_path: Path) -> None:
    """The method alone is the passage, under the name of its class."""
    found = ask(tmp_path, shop(tmp_path, **{"docs/a.md": "# Leases\n\nNothing here.\n"}))
    best = max(found.scores, key=lambda place: found.scores[place])
    assert best[0] == "pool.py"
    assert any(part.start == best[1] and part.names == ("Pool", "lease") for part in found.parts["pool.py"])


def test_a_change_is_seen_and_what_is_the_same_is_indexed_once(tmp_path: Path) -> None:
    """A copy adds a path and no content; new text is found at the next question, and a file that went is not."""
    project = shop(tmp_path)
    ask(tmp_path, project)
    (project.root / "copy.py").write_text(POOL)
    assert set(ask(tmp_path, project).texts) == {"pool.py", "copy.py"}
    assert (count(tmp_path, project, "blob"), count(tmp_path, project, "file")) == (1, 2)
    (project.root / "copy.py").write_text(POOL.replace("Hand out", "Borrow"))
    assert "copy.py" in ask(tmp_path, project, "how is it borrowed?").texts
    (project.root / "copy.py").unlink()
    assert set(ask(tmp_path, project).texts) == {"pool.py"}


def test_nothing_secret_and_no_text_comes_into_the_file(tmp_path: Path) -> None:
    """Denied, hidden, ignored and linked files are not in it, tokens and opaque strings of others neither."""
    made, chance = "ghp_" + "a1B2c3D4e5F6" * 3, "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
    word = "hunter2lease!"
    project = shop(
        tmp_path,
        **{
            ".env": "leaseenv = 1\n",
            "secrets/a.py": "leasedenied = 1\n",
            ".hidden.py": "leasehidden = 1\n",
            ".ignore": "left.py\n",
            "left.py": "leaseignored = 1\n",
            "a.py": f'lease_token = "{made}"\npassword = "{word}"\ndigest = "{chance}"\n',
        },
    )
    (tmp_path / "outside.py").write_text("leaseoutside = 1\n")
    (project.root / "link.py").symlink_to(tmp_path / "outside.py")
    ask(tmp_path, project)
    path = place_of(tmp_path / "indexes", project)
    kept = b"".join(one.read_bytes() for one in path.parent.iterdir()).lower()
    for gone in (made, "a1b2c3", "hunter2", chance, "leaseenv", "leasedenied", "leasehidden", "leaseignored"):
        assert gone.lower().encode() not in kept, gone
    assert b"leaseoutside" not in kept
    assert b"hand out" not in kept
    assert b"connect" in kept
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("how", ["garbage", "another version", "cut off", "a table is gone"])
def test_a_broken_file_is_made_anew(tmp_path: Path, how: str) -> None:
    """Whatever is wrong with the file, the question is answered and the file is whole afterwards."""
    project = shop(tmp_path)
    ask(tmp_path, project)
    path = place_of(tmp_path / "indexes", project)
    if how == "garbage":
        path.write_bytes(b"no database" * 1_000)
    elif how == "cut off":
        path.write_bytes(path.read_bytes()[:9_000])
    else:
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("UPDATE meta SET value='0'" if how == "another version" else "DROP TABLE posting")
        db.close()
    assert "pool.py" in (ask(tmp_path, project).texts if how != "a table is gone" else {"pool.py"})
    candidates(tmp_path / "indexes", project, build_query("lease"))
    assert "pool.py" in ask(tmp_path, project).texts


def test_a_process_that_ends_in_the_middle_loses_one_step_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before stays, the rest follows, and a content that ended two processes is cut by its lines."""
    project = shop(tmp_path, **{f"m{number}.py": f"def job{number}():\n    pass\n" for number in range(6)})
    monkeypatch.setattr(stepping, "_MOST_FILES", 2)
    read = read_content

    class Killed(BaseException):
        """Stands for the end of the process."""

    def fatal(path: str, content: bytes, redact: object, *, parse: bool = True) -> object:
        if path == "m3.py" and parse:
            raise Killed
        return read(path, content, redact, parse=parse)  # type: ignore[arg-type]  # handed on

    monkeypatch.setattr(stepping, "read_content", fatal)
    monkeypatch.setattr(ParserCrashNote, "__exit__", lambda *_: None)
    with pytest.raises(Killed):
        ask(tmp_path, project)
    assert count(tmp_path, project, "file") == 2
    note = place_of(tmp_path / "indexes", project).with_suffix(".sqlite.parsing")
    name = name_of("m3.py", b"def job3():\n    pass\n")
    note.write_text(name)
    with pytest.raises(Killed):
        ask(tmp_path, project)
    note.write_text(name)
    assert len(ask(tmp_path, project, "what does job3 do?").paths) == 7


def test_trees_of_one_project_share_what_is_the_same(tmp_path: Path) -> None:
    """A second checkout costs its paths; one that is gone is forgotten."""
    first = shop(tmp_path, **{"old.py": "def elder():\n    pass\n"})
    ask(tmp_path, first)
    second = first.evolve(root=tmp_path / "second")
    first.root.rename(second.root)
    first.root.mkdir()
    (second.root / "new.py").write_text("def younger():\n    pass\n")
    assert set(ask(tmp_path, second, "what is younger than the elder?").texts) == {"old.py", "new.py"}
    assert count(tmp_path, first, "blob") == 3
    assert ask(tmp_path, first).paths == ()


def test_an_index_goes_with_its_project(tmp_path: Path) -> None:
    """`delete_project` and a start without it remove the file."""
    project = shop(tmp_path)
    removals: tuple[Callable[[Path], object], ...] = (
        lambda folder: forget(folder, "shop"),
        lambda folder: keep_only(folder, ["other"]),
    )
    for remove in removals:
        ask(tmp_path, project)
        keep_only(tmp_path / "indexes", ["shop"])
        assert place_of(tmp_path / "indexes", project).exists()
        remove(tmp_path / "indexes")
        assert not list((tmp_path / "indexes").iterdir())


def test_two_at_once_wait_for_one_another(tmp_path: Path) -> None:
    """While another process indexes, a tree that is whole is used as it is, and one that is not is waited for."""
    project = shop(tmp_path)
    store = IndexStore(place_of(tmp_path / "indexes", project))
    with lock(store.path, 0.0) as held:
        assert held
        assert not refresh(store, project.root, seconds=0.0).is_complete
    assert refresh(store, project.root).is_complete
    (project.root / "later.py").write_text("later = 1\n")
    with lock(store.path, 0.0):
        assert refresh(store, project.root).is_complete
    assert refresh(store, project.root).changes == 2
    store.close()


def test_nobody_waits_for_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that does not wait gets none from half an index; it is made in stretches, and is whole then."""
    project = shop(tmp_path, **{f"m{number}.py": f"def job{number}():\n    pass\n" for number in range(3)})
    folder, asked = tmp_path / "indexes", build_query("who hands out a leased connection?")
    monkeypatch.setattr(stepping, "_MOST_FILES", 3)
    monkeypatch.setattr(indexing_ahead, "_STRETCH", 0.001)
    assert candidates(folder, project, asked, patience=0) is None
    told = [index_ahead(IndexRequest(folder, project))]
    while told[-1].left:
        assert candidates(folder, project, asked, patience=0) is None
        told.append(index_ahead(IndexRequest(folder, project)))
    assert all(one.files == 4 for one in told)
    found = candidates(folder, project, asked, patience=0)
    assert found
    assert "pool.py" in found.texts
    (project.root / "later.py").write_text(POOL.replace("Hand out", "Borrow"))
    found = candidates(folder, project, build_query("how is it borrowed?"), patience=0)
    assert found, "a small tree is looked at by the question itself"
    assert "later.py" in found.texts


def test_a_large_tree_is_not_looked_at_by_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is answered as the index stands, and says when somebody should look; what is quoted is read from the disk."""
    project = shop(tmp_path)
    folder, asked = tmp_path / "indexes", build_query("who hands out a leased connection?")
    monkeypatch.setattr(refreshing, "_SMALL", 0)
    while index_ahead(IndexRequest(folder, project)).left:
        pass
    db = sqlite3.connect(place_of(folder, project), isolation_level=None)
    db.execute("UPDATE tree SET looked_at = looked_at + 60")  # no folder changed since
    db.close()
    monkeypatch.setattr(refreshing, "_LONGEST_PAUSE", -60)
    monkeypatch.setattr(refreshing, "list_files", None)
    (project.root / "pool.py").write_text(f"# moved\n{POOL}")
    found = candidates(folder, project, asked, patience=0)
    assert found
    assert found.is_outdated
    assert found.texts["pool.py"][0] == "# moved"
    assert not found.parts


@pytest.mark.parametrize("name", ["later.py", "docs/later.py", "new/deep/later.py"])
def test_a_new_file_of_a_large_tree_is_found_by_the_first_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A folder that changed tells it; one that goes too, and what is left for later is left as it was."""
    project = shop(tmp_path, **{"docs/a.md": "# Leases\n", "gone/b.py": "def lend():\n    pass\n"})
    folder, asked = tmp_path / "indexes", build_query("how is it borrowed?")
    monkeypatch.setattr(refreshing, "_SMALL", 0)
    while index_ahead(IndexRequest(folder, project)).left:
        pass
    shop(tmp_path, **{name: POOL.replace("Hand out", "Borrow")})
    found = candidates(folder, project, asked, patience=0)
    assert found
    assert name in found.texts
    (project.root / "gone/b.py").unlink()
    (project.root / "gone").rmdir()
    monkeypatch.setattr(current, "STEP_SECONDS", 0.0)
    shop(tmp_path, **{"much.py": POOL})
    found = candidates(folder, project, asked, patience=0)
    assert found, "the index is used as it is"
    assert found.is_outdated
    assert "gone/b.py" not in found.paths


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "a=[{(" * 8_000),
        ("javascript", "`${" * 20_000),
        ("c", "(" * 60_000),
        ("rust", 'r#"' * 3_000),
        ("java", "class A{" * 8_000),
        ("go", "x" * 400_001),
    ],
)
def test_hostile_source_costs_little(language: str, text: str) -> None:
    """Whatever stands in a file, its grammar answers soon, or the file is cut by its lines."""
    ticks = iter(range(1_000_000))
    found = definitions_in(language, text.encode(), clock=lambda: next(ticks) / 2_000)
    assert found is None or len(found) < 100
