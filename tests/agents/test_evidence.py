"""The evidence check: true references stand, anything else falls, whatever engine or hand made it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.agents.evidence import EvidenceChecker
from bot.decide.grounding.quoted_lines import find_own_text
from bot.models.project import Project
from tests.agents.fabricated import FALSE, tracked, tried
from tests.builders import reference

SOURCE = "def limit():\n    # three is enough\n    return 3\n\n\nTIMEOUT = 30  # seconds\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project beside something that is none of its business."""
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "a.py").write_text(SOURCE)
    (project / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    (project / ".env").write_text("limit = 3\n")
    (tmp_path / "outside.py").write_text("limit = 3\n")
    (project / "link.py").symlink_to(tmp_path / "outside.py")
    (project / "folder.py").mkdir()
    return project


async def verdict(root: Path, ref: str, quote: str | None, **changes: str) -> tuple[str, str]:
    """Result and reason for one reference."""
    check = await EvidenceChecker(root).check(reference(ref=ref, quote=quote, **changes))
    return check.result, check.reason


@pytest.mark.parametrize(
    ("ref", "quote"),
    [
        pytest.param("src/a.py:1-3", "def limit():\n    # three is enough\n    return 3", id="whole lines"),
        pytest.param("src/a.py:1-3", "def limit():\n    # three is enough\n    return 3\n", id="with its last newline"),
        pytest.param("src/a.py:6", "TIMEOUT = 30  # seconds", id="one line"),
        pytest.param("src/a.py:6-6", "TIMEOUT = 30", id="the start of a line"),
        pytest.param("src/a.py:2-3", "three is enough\n    return 3", id="from the middle of the first line"),
        pytest.param("./src/../src/a.py:3", "return 3", id="another way to the same file"),
        pytest.param("dos.txt:1-2", "one\ntwo", id="other line ends"),
        pytest.param("dos.txt:1-2", "one\r\ntwo\r\n", id="line ends as in the file"),
    ],
)
async def test_what_stands_there_is_accepted(root: Path, ref: str, quote: str) -> None:
    """A true reference passes, and the reason says where its quote is."""
    place = ref.rpartition(":")[2]
    where = f"lines {place}" if place in ("1-3", "2-3", "1-2") else f"line {place[0]}"
    assert await verdict(root, ref, quote) == ("ok", f"the quote is in {where}")


@pytest.mark.parametrize(
    ("ref", "quote", "why"),
    [
        pytest.param("src/b.py:1", "def limit():", "does not exist", id="a file that is not there"),
        pytest.param(
            "src/a.py:2-4", "def limit():\n    # three is enough\n    return 3", "word for word", id="off by one"
        ),
        pytest.param("src/a.py:7", "TIMEOUT = 30", "line 7 does not exist", id="past the end"),
        pytest.param("src/a.py:3-1", "return 3", "backwards", id="a reversed range"),
        pytest.param("src/a.py:0", "def limit():", "expected path:line", id="line zero"),
        pytest.param("src/a.py", "def limit():", "expected path:line", id="no line"),
        pytest.param("src/a.py:1", "def limits():", "word for word", id="one character more"),
        pytest.param("src/a.py:1", "def limi", "word for word", id="a word cut short"),
        pytest.param("src/a.py:3", "3", "needs at least 6 characters", id="a quote that says nothing"),
        pytest.param("src/a.py:2", "    # enough is three", "word for word", id="swapped words"),
        pytest.param("src/a.py:3", "    return 4", "word for word", id="another number"),
        pytest.param("src/a.py:1-3", "def limit():", "1 line, the reference 3", id="a quote shorter than its range"),
        pytest.param(
            "src/a.py:3", "return 3\n\n\nTIMEOUT", "the quote has 4 lines, the reference 1", id="a longer one"
        ),
        pytest.param("src/a.py:3", "# three\n    return 3", "the quote has 2 lines, the reference 1", id="two for one"),
        pytest.param(
            "src/a.py:3-4", "    return 3\n", "1 line, the reference 2", id="a range that ends on a blank line"
        ),
        pytest.param("src/a.py:3-5", "    return 3\n\n\n", "blank", id="a quote that ends on a blank line"),
        pytest.param("src/a.py:1", "", "no quote", id="an empty quote"),
        pytest.param("src/a.py:1", None, "no quote", id="no quote"),
        pytest.param("../outside.py:1", "limit = 3", "outside", id="a path that leaves the root"),
        pytest.param("link.py:1", "limit = 3", "outside", id="a link that leaves the root"),
        pytest.param(".env:1", "limit = 3", "secrets", id="a file of secrets"),
        pytest.param("folder.py:1", "limit = 3", "not a regular file", id="a folder"),
        pytest.param("src/a\0.py:1", "limit = 3", "expected path:line", id="a NUL in the path"),
    ],
)
async def test_anything_else_is_refused(root: Path, ref: str, quote: str | None, why: str) -> None:
    """A reference that is wrong in any one way falls, with the reason."""
    result, reason = await verdict(root, ref, quote)
    assert (result, reason.endswith(".")) == ("failed", False)
    assert why in reason


BLOCK = (
    "def f():\n    if x:\n        return 1\n\n    return 2  # this must not be changed\n"
    "\tgo := 1\n\t\tstop()\nkeep it on, never: off\n"
)
"""The indents of Python and of Go, and lines that a part of says the opposite of."""


@pytest.mark.parametrize(
    ("ref", "quote", "own"),
    [
        pytest.param("b.py:2-3", "if x:\n    return 1", "    if x:\n        return 1", id="a dropped indent"),
        pytest.param("b.py:2-3", "  if x:\n      return 1", "    if x:\n        return 1", id="half of it dropped"),
        pytest.param("b.py:6-7", "go := 1\n\tstop()", "\tgo := 1\n\t\tstop()", id="tabs"),
        pytest.param(
            "b.py:2-3", "if x:\n        return 1", "    if x:\n        return 1", id="the first line stripped"
        ),
        pytest.param(
            "b.py:2-5",
            "if x:\n    return 1\n\nreturn 2",
            BLOCK[9 : BLOCK.index("  #")],
            id="a blank line, part of the last",
        ),
        pytest.param("b.py:2-3", "if x:\nreturn 1", None, id="no indent at all"),
        pytest.param("b.py:2-5", "if x:\n    return 1\n\n    return 2", None, id="another relative indent"),
        pytest.param("b.py:2-3", "        if x:\n            return 1", None, id="an indent added"),
        pytest.param("b.py:6-7", "go := 1\n    stop()", None, id="a blank for a tab"),
        pytest.param("b.py:5", "be changed", BLOCK.split("\n")[4], id="near a negation"),
        pytest.param("b.py:5", "changed", BLOCK.split("\n")[4], id="in its reach"),
        pytest.param("b.py:8", "keep it on", "keep it on, never: off", id="before a negation"),
        pytest.param("b.py:5", "return 2", "return 2", id="far from it"),
        pytest.param("../project/b.py:1", "def f():", "def f():", id="out of the root and back"),
        pytest.param("src/.././b.py:1", "def f():", "def f():", id="in and out"),
        pytest.param("../elsewhere/b.py:1", "def f():", None, id="another folder"),
    ],
)
async def test_a_reference_is_shown_as_the_file_has_it(root: Path, ref: str, quote: str, own: str | None) -> None:
    """With the plain path, the file's own indent, and the whole of a line whose negation was left out."""
    (root / "b.py").write_text(BLOCK)
    checker, given = EvidenceChecker(root), reference(ref=ref, quote=quote)
    shown = await checker.as_it_stands(given)
    assert (await checker.check(given)).result == (await checker.check(shown)).result == ("ok" if own else "failed")
    assert shown == (given.evolve(ref=f"b.py:{ref.partition(':')[2]}", quote=own) if own else given)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *[(f"It is {word} ", ".") for word in ("not", "never", "no longer", "NOT **", "not (yet) the", "hardly")],
        *[(f"You {word} ", "") for word in ("don't", "don\u2019t", "cannot", "mustn't ever", "won't be")],
        *[("if not ", ":"), ("if (!", ") {"), ("Es wird nie ", "."), ("Läuft ohne ", "."), ("n'est pas ", "")],
        *[("não é ", "."), ("sin ", ""), ("tidak ", ""), ("non-", ""), ("", " is not"), ("Der Job ", " nicht.")],
    ],
)
def test_a_quote_never_loses_the_negation_of_its_line(before: str, after: str) -> None:
    """The whole line is shown, whatever the negation is written as."""
    line = f"{before}restarted at night{after}"
    assert find_own_text([line], "restarted at night") == line


@pytest.mark.parametrize("before", ["Now it is ", "It does not. It is ", "notable: ", "nothing: 0; notes are "])
def test_a_quote_without_a_negation_stays_as_it_is(before: str) -> None:
    """Of another sentence the negation says nothing."""
    assert find_own_text([f"{before}restarted at night now"], "restarted at night") == "restarted at night"


async def test_an_absolute_path_is_refused_even_inside_the_root(root: Path) -> None:
    """References are relative to the project, so that they mean the same everywhere."""
    assert await verdict(root, f"{root}/src/a.py:1", "def limit():") == (
        "failed",
        "the path must be relative to the project's folder",
    )


@pytest.mark.parametrize("kind", ["log_query", "external_doc", "memory", "triage_file"])
async def test_other_kinds_are_not_checkable(root: Path, kind: str) -> None:
    """What code cannot open it does not vouch for."""
    assert await verdict(root, "rate(errors[5m])", None, kind=kind) == ("not_checkable", "not checkable by code")


def committed(root: Path) -> str:
    """Put the sources into a commit; the answer is its SHA."""
    run = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(root)]
    for command in (["init", "-q"], ["add", "src"], ["commit", "-q", "-m", "limit"]):
        subprocess.run([*run, *command], check=True)
    return subprocess.run([*run, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


async def test_a_commit_must_exist_and_holds_the_lines_that_are_quoted(root: Path) -> None:
    """A reference to a commit is read at that commit, whatever the file says now."""
    sha = committed(root)
    (root / "src" / "a.py").write_text("changed\n")
    assert (await verdict(root, "src/a.py:3", "    return 3", commit=sha))[0] == "ok"
    assert await verdict(root, sha, None, kind="git_commit") == ("ok", f"the commit exists: {sha[:12]}")
    for wrong in ("0" * 40, "--output=x", "HEAD^{tree}", "main..HEAD"):
        assert (await verdict(root, "src/a.py:3", "    return 3", commit=wrong))[0] == "failed"
        assert (await verdict(root, wrong, None, kind="git_commit"))[0] == "failed"


async def test_a_bracket_stands_and_the_reason_says_that_it_proves_nothing(root: Path) -> None:
    """A true quote without a word is no false one, but nobody should take it for evidence."""
    (root / "a.js").write_text("if (a) {\n  b()\n}\n")
    assert await verdict(root, "a.js:3", "}") == (
        "ok",
        "the quote is in line 3; it has no word, so it proves nothing",
    )


async def test_what_a_reference_lets_a_draft_say(root: Path) -> None:
    """Its place, its lines as they stand there and the names that enclose them, whatever the quote says."""
    checker = EvidenceChecker(root)
    said = await checker.cited(reference(ref="src/a.py:2-3", quote="invented"))
    assert said == "src/a.py:2-3 \nlimit\n    # three is enough\n    return 3"
    for lost in (".env:1", "src/b.py:1", "../outside.py:1", "nowhere"):
        assert await checker.cited(reference(ref=lost, quote="limit = 3")) == lost
    assert await checker.cited(reference(ref="rate(x)", kind="log_query")) == "rate(x)"


async def test_true_references_stand_and_fabricated_ones_fall() -> None:
    """Over some of this project's files; the same with all, and with commits, is `measure/evidence_bench.py`."""
    tally = await tried(ROOT, tracked(ROOT, every=14), seed=7, count=200)
    assert len(tally.true) == 7
    assert set(tally.false) == set(FALSE)
    assert min(tally.false.values()) > 50
    assert (tally.refused, tally.accepted) == ([], [])


async def test_the_same_holds_at_a_commit() -> None:
    """The lines are read as they were then."""
    tally = await tried(ROOT, tracked(ROOT, every=60), seed=7, count=40, commit="HEAD")
    assert (tally.refused, tally.accepted) == ([], [])


@pytest.mark.parametrize(
    ("ref", "quote", "result"),
    [
        ("handbook/export.md:3", "The export stops at 04:30.", "ok"),
        ("notes/shop/desk.md:2", "The desk opens at nine.", "ok"),
        ("notes/shop/desk.md:2", "The desk opens at noon.", "failed"),
        ("handbook/gone.md:1", "The export stops at 04:30.", "failed"),
        ("handbook/../secret.md:1", "The export stops at 04:30.", "failed"),
        ("elsewhere/export.md:3", "The export stops at 04:30.", "not_checkable"),
        ("notes/till/desk.md:2", "The desk opens at nine.", "not_checkable"),
    ],
)
async def test_a_note_outside_the_root_is_opened_again(tmp_path: Path, ref: str, quote: str, result: str) -> None:
    """In the project's own folders of notes, and nowhere else."""
    for path, text in {
        "handbook/export.md": "# Export\n\nThe export stops at 04:30.\n",
        "home/notes/shop/desk.md": "<!-- 2026-01-02 10:00 UTC, U0ADMIN in C0HELP -->\nThe desk opens at nine.\n",
        "home/notes/till/desk.md": "# Desk\nThe desk opens at nine.\n",
        "secret.md": "The export stops at 04:30.\n",
        "shop/a.py": "A = 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    about = Project(
        name="shop",
        root=tmp_path / "shop",
        knowledge=(tmp_path / "handbook",),
        notes=tmp_path / "home" / "notes" / "shop",
    )
    check = await EvidenceChecker(about.root, project=about).check(reference(ref=ref, quote=quote, kind="memory"))
    assert check.result == result
