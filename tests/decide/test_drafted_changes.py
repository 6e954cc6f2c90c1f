"""Gate of a drafted change, and the comparison of its files: the model's word alone passes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.drafted_changes import (
    LONGEST_LINE,
    clean_words,
    correct_tests,
    describe_links,
    find_hidden,
    find_objections,
    find_unmeant,
    has_link,
)
from bot.decide.redaction.redactor import Redactor
from bot.models.fix import DiffJudgement, FixRound
from bot.models.program_run import CheckReport
from bot.models.workspace import FileChange

NO_TEST = "The check passed before the change, too, and no test would fail without it: add one."


@pytest.mark.parametrize(
    ("fields", "passed_before", "objections"),
    [
        ({}, False, ()),
        ({}, True, ()),
        ({"reasons": ("Looks fine.",)}, False, ()),
        ({"verdict": "bounce", "reasons": ("a.py:1 is wrong.",)}, False, ("a.py:1 is wrong.",)),
        ({"verdict": "bounce"}, False, ("It gives no reason.",)),
        ({"verdict": "bounce", "reasons": (" ",)}, False, ("It gives no reason.",)),
        ({"mends_defect": False}, False, ("It does not do what the finding says.",)),
        (
            {"does_only_that": False, "reasons": ("b.py is renamed.",)},
            False,
            ("It does more than the finding says.", "b.py is renamed."),
        ),
        ({"tests": "missing"}, False, ()),
        ({"tests": "missing"}, True, (NO_TEST,)),
        ({"tests": "not-needed"}, True, (NO_TEST,)),
        ({"tests": "not-needed"}, False, ()),
    ],
)
def test_a_change_passes_only_if_all_of_the_judgement_says_so(
    fields: dict[str, Any], passed_before: bool, objections: tuple[str, ...]
) -> None:
    """A *pass* that contradicts itself is none; a missing test counts where the check proves nothing."""
    values = {"verdict": "pass", "mends_defect": True, "does_only_that": True, "tests": "touched", "reasons": ()}
    judgement = DiffJudgement.model_validate(values | fields)
    assert find_objections(judgement, passed_before=passed_before) == objections


@pytest.mark.parametrize(
    ("said", "has_tests", "stands"),
    [
        ("touched", True, "touched"),
        ("touched", False, "missing"),
        ("missing", True, "missing"),
        ("not-needed", False, "not-needed"),
    ],
)
def test_tests_are_touched_only_where_a_file_of_them_is(said: Any, has_tests: bool, stands: str) -> None:
    """By the list of files, and not by the model's word."""
    values = {"verdict": "pass", "mends_defect": True, "does_only_that": True, "tests": said, "reasons": ()}
    assert correct_tests(DiffJudgement.model_validate(values), has_tests=has_tests).tests == stands


A = FileChange(status="modified", path="a.py")
B = FileChange(status="added", path="b.py")


@pytest.mark.parametrize(
    ("meant", "changed", "fault"),
    [
        ((A, B), (B, A), ""),
        ((A,), (A, B), "something else than the agent changed b.py in the workspace"),
        ((A, B), (A,), "git takes no change of b.py, which the repository may ignore"),
        ((A,), (A.evolve(status="deleted"),), "something else than the agent changed a.py in the workspace"),
        (
            (),
            tuple(A.evolve(path=f"{number}.py") for number in range(7)),
            "something else than the agent changed 0.py, 1.py, 2.py, 3.py, 4.py and 2 more files in the workspace",
        ),
    ],
)
def test_only_the_agents_changes_are_in_a_workspace(meant: Any, changed: Any, fault: str) -> None:
    """A build output, or a program that was not isolated, may be there, too."""
    assert find_unmeant(meant, changed) == fault


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("a\n", "a\nb\n", ""),
        ("", "a\tb\r\nc\r\n", ""),
        ("", "x" * LONGEST_LINE, ""),
        ("", "x" * (LONGEST_LINE + 1), "a.py gets a line of more than 900 characters"),
        ("x" * 2_000, f"{'x' * 2_000}\nb", ""),
        ("", "a\u200bb", "a.py gets characters that nobody sees"),
        ("", "a\x0cb", "a.py gets characters that nobody sees"),
        ("", f"key = 'sk-ant-{'a1B2' * 12}'", "a.py gets what looks like a secret"),
        (f"key = 'sk-ant-{'a1B2' * 12}'", f"key = 'sk-ant-{'a1B2' * 12}'\nb = 1", ""),
    ],
)
def test_every_new_line_can_be_read(before: str, after: str, fault: str) -> None:
    """Lines that were there before are not the change's."""
    assert find_hidden("a.py", before, after, Redactor()) == fault


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Add up all prices", "Add up all prices"),
        ("Add up [skip ci] all", "Add up  all"),
        ("Add up [CI-Skip][no actions]", "Add up"),
        ("One.\n\nSigned-off-by: Ada <a@b.c>\n co-authored-BY : x\nskip-checks: true\nTwo.", "One.\n\nTwo."),
        ("Passed by: the tests", "Passed by: the tests"),
        ("a\u202eb\x1b[2J", "ab[2J"),
        ("[skip ci]", ""),
        ("a ***NO_CI*** b **no ci**", "a  b"),
        ("[azurepipelines skip][skip travis][Travis-CI skip][skip azp][skip netlify]", ""),
        ("[skip [skip ci]ci]x", "x"),
        ("[skip ci]Signed-off-by: Ada <a@b.c>", ""),
        ("rows[skip - 1], [no], [skip], **bold**", "rows[skip - 1], [no], [skip], **bold**"),
        ("Closes #1, fixes team/zebra#2 and GH-3", "Closes \uff031, fixes team/zebra\uff032 and GH 3"),
        ("Resolves: https://git.example.com/a/b/-/issues/3", "Resolves - https://git.example.com/a/b/-/issues/3"),
        ("fixing issue SHOP-12; fixes UTF-8x", "fixing - issue SHOP-12; fixes - UTF-8x"),
        ("see https://git.example.com, which fixes it", "see https://git.example.com, which fixes it"),
        ("ask @ana", "ask \uff20ana"),
    ],
)
def test_an_agents_words_order_nothing_in_a_commit(text: str, cleaned: str) -> None:
    """No checks are skipped, and nobody else has signed it."""
    assert clean_words(text) == cleaned


@pytest.mark.parametrize(
    ("rows", "is_link"),
    [
        ("index 1a2b3c4..5d6e7f8 120000", True),
        ("deleted file mode 120000", True),
        ("new file mode 120000", True),
        ("old mode 120000\nnew mode 100644", True),
        ("index 1a2b3c4..5d6e7f8 100644", False),
        ("+new file mode 120000", False),
        (" index 1a2b3c4..5d6e7f8 120000", False),
    ],
)
def test_a_patch_of_a_link_is_known(rows: str, is_link: bool) -> None:
    """By git's own rows alone."""
    assert has_link(f"diff --git a/x b/x\n{rows}\n+x\n") is is_link


def test_links_are_named_where_a_check_failed() -> None:
    """Since they may be the reason."""
    report = CheckReport(exit_code=1, duration_ms=5, output="", problem="", is_isolated=True)
    failed, passed = FixRound(number=1, check=report), FixRound(number=1, check=report.evolve(exit_code=0))
    assert describe_links((), [failed]) == describe_links(("a",), [passed]) == describe_links(("a",), []) == ""
    assert describe_links(("a", "b"), [failed, passed]) == (
        "The repository has symbolic links (a, b), which are plain files for the check: one that "
        "needs them cannot pass."
    )
