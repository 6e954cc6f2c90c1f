"""Check of an answer within its run: the references that fail are named with what would be right."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from bot.agents.answer_check import AnswerCheck
from bot.agents.shortening import cut_text, shorten
from bot.decide.redaction.redactor import Redactor
from bot.models.answer_change import AnswerChange
from bot.models.findings import MAX_DRAFT_CHARS, InvestigatorReturn
from bot.models.project import Project
from bot.tools.read_log import ReadLog
from tests.builders import findings, reference

if TYPE_CHECKING:
    from pathlib import Path

LINES = [f"line number {number}" for number in range(1, 21)]
LINES[7] = "RETRY_LIMIT = 3"
LINES[8] = "RETRY_PAUSE = 5"
LINES[9] = "the pau\u00adse of\u200b an hour"


@pytest.fixture
def opened(tmp_path: Path) -> AnswerCheck:
    """A run that opened lines 1 to 15 of one of three files."""
    (tmp_path / "src").mkdir()
    for name in ("src/orders.py", "src/unread.py", ".env"):
        (tmp_path / name).write_text("\n".join(LINES) + "\n")
    log = ReadLog()
    log.note("src/orders.py", 1, 15)
    return AnswerCheck(project=Project(name="shop", root=tmp_path), redactor=Redactor(), read_log=log)


@pytest.mark.parametrize(
    ("ref", "quote", "fault"),
    [
        ("src/orders.py:8", "RETRY_LIMIT = 3", ""),
        ("src/orders.py:8-9", "RETRY_LIMIT = 3\nRETRY_PAUSE = 5", ""),
        ("src/orders.py:10", "RETRY_LIMIT = 3", "the quote stands in line 8"),
        ("src/orders.py:8-9", "RETRY_LIMIT = 3", "the quote has 1 line, the reference 2; the quote stands in line 8"),
        (
            "src/orders.py:8",
            "RETRY_LIMIT = 3\nRETRY_PAUSE = 5",
            "the quote has 2 lines, the reference 1; it stands in lines 8-9",
        ),
        ("src/orders.py:2", "RETRY_LIMIT = 4", "the quote does not match these lines word for word"),
        ("src/orders.py:2", "line number 18", "the quote stands in line 18, which you have not opened in this run"),
        ("src/orders.py:18", "line number 18", "you have not opened these lines in this run"),
        ("src/unread.py:8", "RETRY_LIMIT = 3", "you have not opened it in this run"),
        ("orders.py:8", "RETRY_LIMIT = 3", "; you opened `src/orders.py`"),
        ("src/order.py:8", "RETRY_LIMIT = 3", "; you opened `src/orders.py`"),
        ("src/orders.py:8", "", "there is no quote to compare"),
        ("src/orders.py:30", "RETRY_LIMIT = 3", "the quote stands in line 8"),
        ("src/orders.py:8", "8\tRETRY_LIMIT = 3", ""),
        ("src/orders.py:2", "8\tRETRY_LIMIT = 3", "the quote stands in line 8"),
        ("src/orders.py:2-3", "8\tRETRY_LIMIT = 3\n9\tRETRY_PAUSE = 5", "it stands in lines 8-9"),
        ("src/orders.py:2", "8\tRETRY_LIMIT = 4", "the quote does not match these lines word for word"),
        ("src/orders.py:2", "99\tRETRY_LIMIT = 3", "the quote does not match these lines word for word"),
        ("src/orders.py:2", "the pause of an hour", "the quote stands in line 10"),
    ],
)
async def test_a_reference_that_fails_is_told_what_would_be_right(
    opened: AnswerCheck, ref: str, quote: str, fault: str
) -> None:
    """By its number and its words; nothing is said of one that stands."""
    answer = findings(
        evidence_refs=(reference(ref="src/orders.py:1", quote="line number 1"), reference(ref=ref, quote=quote))
    )
    told = await opened.find_faults(answer, ())
    if not fault:
        assert told == ""
    else:
        (line,) = [row for row in told.split("\n") if row.startswith("- ")]
        assert line.startswith(f"- reference 2 (`{ref}`): ")
        assert line.endswith(f"{fault}.")


@pytest.mark.parametrize(
    "ref", [".env:8", "../shop/.env:8", "/etc/passwd:1", "src/../../x:1", "src/nothing_alike.txt:1"]
)
async def test_nothing_is_told_of_files_that_no_tool_reads(opened: AnswerCheck, ref: str) -> None:
    """Not where a quote stands in them, nor that another file is meant."""
    told = await opened.find_faults(findings(evidence_refs=(reference(ref=ref, quote="RETRY_LIMIT = 3"),)), ())
    assert "stands in" not in told
    assert "you opened" not in told
    assert told


async def test_other_kinds_are_checked_by_the_runs_own_record(opened: AnswerCheck) -> None:
    """A commit that no tool showed, and a log that no tool returned; an address is not for code to open."""
    told = await opened.find_faults(
        findings(
            evidence_refs=(
                reference(kind="log_query", ref="logs: errors", quote="timeout after 5 s"),
                reference(kind="external_doc", ref="https://x.test/", quote=None),
            )
        ),
        (AnswerChange(kind="marked", field="draft_reply", text="The draft has 303 words; 300 were allowed"),),
    )
    assert "- reference 1 (`logs: errors`): no tool of another server answered in this run." in told
    assert "reference 2" not in told
    assert "- The draft has 303 words; 300 were allowed." in told


async def test_a_quote_that_stands_everywhere_is_looked_for_briefly(opened: AnswerCheck) -> None:
    """A long file and a hostile quote take no time."""
    (opened.project.root / "src" / "long.py").write_text("a = 1\n" * 50_000)
    cited = reference(ref="src/long.py:7", quote="\n".join(["a = 1"] * 75 + ["a = 2"] + ["a = 1"] * 75))
    began = time.perf_counter()
    assert await opened.find_faults(findings(evidence_refs=(cited,) * 8), ())
    assert time.perf_counter() - began < 10


def fields(**changes: Any) -> dict[str, Any]:
    """The JSON of an answer that fits."""
    return findings().model_dump(mode="json") | changes


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({}, []),
        ({"draft_reply": "word " * 300}, []),
        ({"draft_reply": "word " * 301}, ["marked"]),
        ({"draft_reply": "Three. " * 1_000}, ["cut"]),
        ({"draft_reply": "x" * 9_000}, ["cut"]),
        ({"draft_reply": "Words. " * 300 + "```\n" + "code\n" * 600 + "```"}, ["cut"]),
        ({"evidence_refs": [{"kind": "file", "ref": f"a:{n}", "supports_claim": "x"} for n in range(9)]}, ["cut"]),
        ({"summary_for_orchestrator": "One. Two. Three. Four."}, ["cut"]),
        ({"research_notes": "word " * 900, "question_gloss": "y" * 601}, ["cut", "cut"]),
        ({"proposed_triage_file": {"filename": "a.md", "content": "z" * 20_001}}, ["cut"]),
        ({"proposed_triage_file": {"filename": "a" * 201, "content": "z"}}, ["cut"]),
        ({"proposed_triage_file": {"filename": "a.md", "content": "z"}}, []),
    ],
)
def test_what_only_length_breaks_fits_afterwards(changes: dict[str, Any], kinds: list[str]) -> None:
    """And what fits already is left alone."""
    content = fields(**changes)
    made = shorten(content)
    assert [change.kind for change in made] == kinds
    answer = InvestigatorReturn.model_validate(content)
    assert answer.draft_reply.count("```") % 2 == 0
    if not kinds:
        assert content == fields(**changes)


@pytest.mark.parametrize("wrong", [7, [], {}, "", [1, "x"], {"filename": 7}])
def test_fields_of_another_type_are_left_to_the_form(wrong: Any) -> None:
    """Nothing is raised, and nothing is made valid."""
    names = ("draft_reply", "evidence_refs", "summary_for_orchestrator", "research_notes", "proposed_triage_file")
    content = fields(**dict.fromkeys(names, wrong))
    assert shorten(content) == []
    assert all(content[name] == wrong for name in names)


def test_a_text_is_cut_at_its_largest_break() -> None:
    """A paragraph, a line, a sentence, a word; a text without any is cut in its middle."""
    long = "x" * 30
    for text in (f"{long}\n\n{long}", f"{long}\n{long}", f"{long}. {long}", f"{long} {long}"):
        assert cut_text(text, 50).rstrip(".") == long
    assert len(cut_text("x" * 99, 50)) == 46
    assert len(cut_text("```\n" + "y" * 9_000, MAX_DRAFT_CHARS)) <= MAX_DRAFT_CHARS
