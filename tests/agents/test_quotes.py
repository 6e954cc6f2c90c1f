"""Quotes as a model sees them: every kind of line, quoted as a tool has shown it, stands; one changed word falls."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest

from bot.agents.evidence import EvidenceChecker
from bot.agents.own_lines import with_own_lines
from bot.agents.quote_comparison import is_same_text
from bot.models.fix import NamedDefect
from bot.models.project import Project
from bot.tools.file_tools import FileTools, ReadFile
from bot.tools.git_tools import GitBlame, GitTools
from bot.tools.read_log import ReadLog
from tests.builders import findings, reference
from tests.tools.conftest import LOADED, TOKEN, git, make_guard

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.findings import EvidenceRef

KINDS = {
    "plain": "The export stops at four.",
    "Persian with a non-joiner": "نمی\u200cخواهم که صادرات متوقف شود",
    "a non-joiner before a bracket": "صادرات می\u200c(شود) در ساعت چهار",
    "Arabic with marks of direction": "\u202bالتصدير\u202c يتوقف \u061cعند \u200fالرابعة\u200e 04:30",
    "Hebrew with marks of direction": "\u2067הייצוא נעצר\u2069 at 04:30",
    "emoji with joiners": "team \U0001f468\u200d\U0001f469\u200d\U0001f467 owns the export",
    "emoji with a variation selector": "the export \u2764\ufe0f stops \u2600\U000e0100 at four",
    "composed letters": "L'export \u00e9t\u00e9 s'arr\u00eate \u00e0 quatre",
    "decomposed letters": "L'export e\u0301te\u0301 s'arre\u0302te a\u0300 quatre",
    "tabs": "\tif\texport:\tstop()",
    "a form feed": "\x0cthe export\x0c stops at four",
    "escape codes": "\x1b[31mthe export\x1b[0m stops at four",
    "a carriage return inside": "the export\rstops at four",
    "bytes that are no UTF-8": "the export \udcff\udce9 stops at four",
    "marks of an envelope": "the \u27e6export\u27e7 stops at four",
    "blanks at its end": "the export stops at four  \t ",
    "blanks without break": "the\u00a0export\u202fstops at\u2007four",
    "soft hyphens": "the ex\u00adport stops\u200b at four",
    "line separators": "the export\u2028stops\u2029at four",
    "a byte order mark inside": "the \ufeffexport stops at four",
    "1,000 characters": f"export = {'x' * 991}",
    "1,001 characters": f"export = {'x' * 992}",
    "blanks at the cut": f"{'export ' * 142}    {'x' * 90}   ",
    "blanks before the cut": f"{'export ' * 142}          ",
    "a minified line": "export{stop:4};" * 3_000,
    "a long line of wide letters": "導出は四時に止まる。" * 300,
    "a long Persian line": "نمی\u200cخواهم " * 200,
    "a loaded secret": f"key = '{LOADED}'  # of the export",
    "a token": f"token: {TOKEN} of the export",
    "a secret beyond the cut": f"{'export ' * 160}{TOKEN}",
    "a tab and a number": "12\tthe export stops at four",
    "no letter of a known script": "⠿⠿⠿⠿⠿⠿⠿",
}
"""A line of each kind; halves of surrogate pairs are written as single bytes."""
LAYOUT = ("before\r\n", "{line}{end}", "\n", "\tafter it\n")


def write(root: Path, line: str, end: str = "\n") -> None:
    """Write four lines, the second of them of that kind, after a byte order mark."""
    text = "".join(LAYOUT).format(line=line, end=end)
    (root / "a.txt").write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8", "surrogateescape"))


async def read(root: Path, first: int, count: int) -> list[str]:
    """Return the rows of an answer of `read_file`, without the envelope."""
    tools = FileTools(root=root, guard=make_guard(), read_log=ReadLog())
    answer = await tools.read_file(ReadFile(path="a.txt", first=first, count=count))
    return answer.split("\n")[1:-1]


def lines_of(rows: list[str]) -> list[str]:
    """Return rows without their numbers."""
    return [row.partition("\t")[2] for row in rows]


async def passes(root: Path, made: EvidenceRef) -> bool:
    """Check a reference, and its form in the findings, as every later check does; both results are the same."""
    guard = make_guard()
    project = Project(name="shop", root=root)
    kept = await with_own_lines(findings(evidence_refs=(made,)), project, guard.redactor)
    (stored,) = (ref.evolve(quote=guard.redactor.redact(ref.quote or "")) for ref in kept.evidence_refs)
    results = {(await EvidenceChecker(root, guard.redactor).check(each)).result for each in (made, stored)}
    assert len(results) == 1
    assert LOADED not in (stored.quote or "")
    assert TOKEN not in (stored.quote or "")
    return results == {"ok"}


@pytest.mark.parametrize("line", KINDS.values(), ids=KINDS)
async def test_a_line_quoted_as_shown_stands(tmp_path: Path, line: str) -> None:
    """Alone and among others, with and without the tool's numbers, its blanks and its form of letters."""
    write(tmp_path, line, end="\r\n")
    one, all_rows = await read(tmp_path, 2, 1), await read(tmp_path, 1, 4)
    for ref, rows in (("a.txt:2", one), ("a.txt:1-4", all_rows)):
        for quoted in (rows, lines_of(rows)):
            quote = "\n".join(quoted)
            for form in (quote, f"{quote}\n", "\r\n".join(quoted), unicodedata.normalize("NFC", quote)):
                assert await passes(tmp_path, reference(ref=ref, quote=form))
            assert await passes(tmp_path, reference(ref=ref, quote="\n".join(line.rstrip() for line in quoted)))


@pytest.mark.parametrize("line", KINDS.values(), ids=KINDS)
async def test_a_line_quoted_with_one_change_falls(tmp_path: Path, line: str) -> None:
    """Another letter, a letter more, another place, a wrong number, or a line of which nothing was shown."""
    write(tmp_path, line)
    (row,) = await read(tmp_path, 2, 1)
    shown = row.partition("\t")[2]
    at = len(shown) // 2
    changed = (
        *(f"{shown[:at]}{glyph}{shown[at + (shown[at] != glyph) :]}" for glyph in ("Q", "7", "ء")),
        f"Q{shown}",
        f"3\t{shown}",
        f"2\t2\t{shown}",
        shown + shown,
    )
    changed += (shown.replace("t", "t\u200b"), shown.replace(" ", "\u00a0")) if {"t", " "} <= set(shown) else ()
    for quote in changed:
        assert not await passes(tmp_path, reference(ref="a.txt:2", quote=quote))
    assert not await passes(tmp_path, reference(ref="a.txt:4", quote=shown))
    assert not await passes(tmp_path, reference(ref="a.txt:1-2", quote=f"1\tbefore\n1\t{shown}"))
    assert not await passes(tmp_path, reference(ref="a.txt:1-2", quote=f"1\tbefore\n{shown}"))


@pytest.mark.parametrize("line", KINDS.values(), ids=KINDS)
async def test_a_changed_line_is_noticed(tmp_path: Path, line: str) -> None:
    """A quote that stood falls once its line says something else."""
    write(tmp_path, line)
    made = reference(ref="a.txt:2", quote="\n".join(lines_of(await read(tmp_path, 2, 1))))
    assert await passes(tmp_path, made)
    write(tmp_path, f"{line[:5]}Q{line[5:]}")
    assert not await passes(tmp_path, made)


async def test_rows_of_blame_stand_with_their_commits(tmp_path: Path) -> None:
    """Number, commit, day and author are the tool's, and a blank line may be without its tab."""
    project = tmp_path
    git(project, "init", "--quiet")
    (project / "a.txt").write_text("the \u200bexport\n\n\tstops at four\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", "Export")
    tools = GitTools(root=project, guard=make_guard(), read_log=ReadLog())
    rows = (await tools.git_blame(GitBlame(path="a.txt", first=1, count=3))).split("\n")[1:-1]
    head = git(project, "rev-parse", "HEAD")
    for form in ("\n".join(rows), "\n".join(row.rstrip() for row in rows)):
        assert await passes(project, reference(ref="a.txt:1-3", quote=form, commit=head))
        assert not await passes(project, reference(ref="a.txt:1-3", quote=form.replace("four", "five"), commit=head))


def test_a_kept_reference_is_the_same_text_as_shown() -> None:
    """Blanks at the ends and invisible characters do not count; a word does."""
    lines = ("the ex\u00adport  ", "\tstops\u2028at four")
    assert is_same_text(lines, "the export\n\tstops at four")
    assert is_same_text(lines, "\n".join(lines))
    assert not is_same_text(lines, "the export\n\tstops at five")
    assert not is_same_text(lines, "the export")
    assert not is_same_text(lines, None)


async def test_a_claim_may_repeat_a_line_as_shown(tmp_path: Path) -> None:
    """The text behind a reference has the file's own letters and those that were shown."""
    write(tmp_path, "the ex\u00adport stops at 04:30")
    text = await EvidenceChecker(tmp_path).cited(reference(ref="a.txt:2", quote="the export stops at 04:30"))
    assert "the export stops at 04:30" in text


async def test_a_defect_keeps_its_place(tmp_path: Path) -> None:
    """It names a reference as the findings have it, so it follows where that is normalised."""
    write(tmp_path, "limit = 3")
    defect = NamedDefect(summary="It should be 4.", ref="./a.txt:2")
    said = findings(evidence_refs=(reference(ref="./a.txt:2", quote="limit = 3"),), defect=defect)
    kept = await with_own_lines(said, Project(name="shop", root=tmp_path), make_guard().redactor)
    assert kept.defect
    assert [kept.defect.ref] == [each.ref for each in kept.evidence_refs] == ["a.txt:2"]
