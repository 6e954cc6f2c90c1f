"""Reach of the evidence check: the folder of a routing rule, a project's notes, commits, and secrets in cited files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.agents.evidence import MOST_CITED, EvidenceChecker, notice_assigned_secrets
from bot.decide.redaction.redactor import Redactor
from bot.models.findings import EvidenceRef
from bot.models.project import Project
from tests.builders import reference
from tests.tools.conftest import commit, git

NAME = "".join(("pass", "word"))
ASSIGNED = "hunter2-Zq8" + "Rv31kd"
CODE = (
    "class Shop:\n    limit = 3\n\n    def pay(self):\n        return self.limit\n\n\ndef other():\n    return None\n"
)
INDENTED = "    def pay(self):\n        return self.limit"
STRIPPED = "def pay(self):\n    return self.limit"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository with a file of code, one of settings and one of secrets, and a folder of notes beside it."""
    root, notes = tmp_path / "shop", tmp_path / "handbook"
    root.mkdir()
    notes.mkdir()
    (root / "app").mkdir()
    (root / "app" / "shop.py").write_text(CODE)
    (notes / "desk.md").write_text(f"# Desk\nThe desk opens at nine.\n{INDENTED}\n")
    git(root, "init", "-q", "-b", "main")
    commit(root, "Start", settings_py=f'{NAME} = "{ASSIGNED}"\n')
    (root / ".env").write_text("limit = 3\n")
    return Project(name="shop", root=root, knowledge=(notes,))


async def test_a_rule_for_a_folder_cites_nothing_outside_of_it(project: Project) -> None:
    """Another way to the same place is no way around it."""
    checker = EvidenceChecker(project.root, folder="app")
    assert (await checker.check(reference(ref="app/shop.py:2", quote="limit = 3"))).result == "ok"
    for ref in ("settings.py:1", "app/../settings.py:1"):
        refused = await checker.check(reference(ref=ref, quote=f"{NAME} ="))
        assert (refused.result, "to which its routing rule is limited" in refused.reason) == ("failed", True)


async def test_a_note_is_opened_only_where_the_project_has_it(project: Project) -> None:
    """Without a project there are no notes, and a name that is none is not checkable."""
    note = reference(kind="memory", ref="handbook/desk.md:2", quote="The desk opens at nine.")
    assert (await EvidenceChecker(project.root, project=project).check(note)).result == "ok"
    assert (await EvidenceChecker(project.root).check(note)).result == "not_checkable"
    assert await EvidenceChecker(project.root).note("handbook/desk.md:2") is None
    assert await EvidenceChecker(project.root, project=project).note("no place") is None
    cited = await EvidenceChecker(project.root, project=project).cited(note)
    assert cited.endswith("The desk opens at nine.")
    assert await EvidenceChecker(project.root).cited(note) == "handbook/desk.md:2"


async def test_secrets_are_read_at_no_commit_either(project: Project) -> None:
    """The reason names the file."""
    refused = await EvidenceChecker(project.root).check(reference(ref=".env:1", quote="limit = 3", commit="HEAD"))
    assert (refused.result, refused.reason) == ("failed", ".env may hold secrets and is never read")
    there = reference(ref="settings.py:1", quote=f"{NAME} =", commit="HEAD")
    assert (await EvidenceChecker(project.root).check(there)).result == "ok"


@pytest.mark.parametrize(("value", "result"), [("[redacted]", "ok"), ("[redacted]-2", "failed")])
async def test_a_quote_with_a_redacted_value_is_compared_with_the_redacted_line(
    project: Project, value: str, result: str
) -> None:
    """As the tools show the line."""
    quoted = reference(ref="settings.py:1", quote=f'{NAME} = "{value}"')
    assert (await EvidenceChecker(project.root).check(quoted)).result == result
    (project.root / "more.py").write_text(f'LIMIT = 3\n{NAME} = "{ASSIGNED}"\n')
    both = reference(ref="more.py:1-2", quote=f'LIMIT = 3\n{NAME} = "{value}"')
    assert (await EvidenceChecker(project.root).check(both)).result == result


@pytest.mark.parametrize(
    ("given", "ref", "quote"),
    [
        (reference(ref="./app/./shop.py:2", quote="limit = 3"), "app/shop.py:2", "limit = 3"),
        (reference(ref="app/shop.py:99", quote="limit = 3"), "app/shop.py:99", "limit = 3"),
        (reference(ref="nowhere", quote="limit = 3"), "nowhere", "limit = 3"),
        (reference(kind="log_query", ref="app/shop.py:4-5", quote=STRIPPED), "app/shop.py:4-5", STRIPPED),
        (reference(ref="app/shop.py:4-5", quote=STRIPPED), "app/shop.py:4-5", INDENTED),
        (reference(kind="memory", ref="handbook/desk.md:3-4", quote=STRIPPED), "handbook/desk.md:3-4", INDENTED),
    ],
)
async def test_a_reference_is_returned_as_its_file_has_it(
    project: Project, given: EvidenceRef, ref: str, quote: str
) -> None:
    """The plain path and the own lines; what is not valid stays as it was."""
    stands = await EvidenceChecker(project.root, project=project).as_it_stands(given)
    assert (stands.ref, stands.quote) == (ref, quote)


@pytest.mark.parametrize(
    ("ref", "names"),
    [
        ("app/shop.py:5", {"Shop", "pay"}),
        ("app/shop.py:2", {"Shop"}),
        ("app/shop.py:9", {"other"}),
        ("app/shop.py:1", {"Shop"}),
        ("app/shop.py:4-8", {"Shop", "pay", "other"}),
    ],
)
async def test_the_names_around_the_cited_lines_are_cited_too(project: Project, ref: str, names: set[str]) -> None:
    """Those that enclose them, and no neighbour's."""
    cited = await EvidenceChecker(project.root).cited(reference(ref=ref, quote="x"))
    assert {"Shop", "pay", "other"} & set(cited.split("\n")[1].split()) == names


async def test_a_long_reference_cites_its_first_lines(project: Project) -> None:
    """No more than `MOST_CITED`; another kind than a file cites its place alone."""
    (project.root / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 301)))
    checker = EvidenceChecker(project.root)
    cited = await checker.cited(reference(ref="long.txt:11-300", quote="x"))
    assert cited.split("\n")[2:] == [f"line {number}" for number in range(11, 11 + MOST_CITED)]
    assert await checker.cited(reference(kind="log_query", ref="long.txt:1-2")) == "long.txt:1-2"


async def test_values_of_secret_names_in_cited_files_are_redacted_from_then_on(project: Project) -> None:
    """Wherever a draft repeats them, read as of the cited commit; a file that is not there is passed over."""
    gone = reference(ref="gone.py:1")
    for commit_id in (None, "HEAD"):
        (project.root / "settings.py").write_text("" if commit_id else f"# LOGIN\n{NAME}={ASSIGNED}\nLIMIT=3\n")
        redactor = Redactor()
        cited = [gone, reference(ref="settings.py:1", commit=commit_id), reference(ref="nowhere")]
        assert ASSIGNED in redactor.redact(f"it is {ASSIGNED}", repeated=True)
        await notice_assigned_secrets(project, cited, redactor)
        assert ASSIGNED not in redactor.redact(f"it is {ASSIGNED}", repeated=True)
    untaught = Redactor()
    await notice_assigned_secrets(None, cited, untaught)
    assert ASSIGNED in untaught.redact(f"it is {ASSIGNED}", repeated=True)
