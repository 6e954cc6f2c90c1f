"""Recent changes: the last commits to the code that an alert names, in real repositories."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.agents.briefing import Briefing
from bot.agents.evidence import EvidenceChecker
from bot.agents.keyword import KeywordEngine
from bot.agents.recent_changes import find_recent_changes
from bot.decide.alerts import read_alert
from bot.decide.redaction.redactor import Redactor
from bot.models.alert import AlertRecord, begin_record
from bot.models.findings import Assignment
from bot.models.project import Project
from tests.decide.alerts.programs import Json, alertmanager, attached, sentry_issue
from tests.tools.conftest import LOADED, commit, git, make_guard

FIRED = datetime(2026, 1, 20, 10, 0, tzinfo=UTC)
OLD, LATE = "2025-11-01T09:00:00+00:00", "2026-01-15T09:00:00+00:00"


def record(message: Json) -> AlertRecord:
    """The alert of a message."""
    alert = read_alert(message)
    assert alert
    return begin_record(alert, "100.000001", FIRED)


def saved(root: Path, message: str, when: str, **files: str) -> str:
    """A commit of that day."""
    commit(root, message, **files)
    git(root, "commit", "--quiet", "--amend", "--no-edit", "--reset-author", when=when)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A project with an old commit and three late ones."""
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    saved(root, "Begin", OLD, src__payments_py="def charge_card(): pass\n", README_md="Shop\n")
    saved(root, "Raise the limit of cards", LATE, src__payments_py="def charge_card(): return 500\n")
    saved(root, f"Search with {LOADED}", LATE, search__index_py="def lookup(): pass\n")
    saved(root, "Describe it", LATE, README_md="Shop, a shop\n")
    return Project(name="shop", root=root)


RAISED = ["Raise the limit of cards"]
STACK = attached(title="[FIRING] Refunds fail", text="in /app/src/payments.py:12", color="danger")
SEARCH = attached(title="[FIRING] No results", text="*Service:* search", color="danger")
ALERTS = {
    "a path": (STACK, RAISED),
    "a module": (sentry_issue(1, "KeyError: card", "src.payments in pay"), RAISED),
    "a name of code": (alertmanager("[FIRING:1] Refunds", text="charge_card is slow"), RAISED),
    "a service": (SEARCH, [f"Search with {LOADED}"]),
    "nothing": (alertmanager("[FIRING:1] DiskFull"), []),
}


@pytest.mark.parametrize(("message", "subjects"), ALERTS.values(), ids=ALERTS.keys())
async def test_commits_to_the_named_code_are_found(shop: Project, message: Json, subjects: list[str]) -> None:
    """By a path, a module, a name or a service; older than two weeks they are left out."""
    changes = await find_recent_changes(record(message), shop)
    assert [each.message for each in changes.commits] == subjects


async def test_secrets_folders_and_ignored_files_are_never_looked_at(shop: Project) -> None:
    """The same limits hold as for the tools of agents."""
    told = record(attached(title="[FIRING] x", text="charge_card in src/payments.py and .env", color="danger"))
    assert not (await find_recent_changes(told, shop.evolve(ignore=("src/*",)))).files
    assert not (await find_recent_changes(told, shop, "search")).files


async def test_a_folder_without_a_repository_has_no_changes(tmp_path: Path) -> None:
    """And no error."""
    told = record(alertmanager("[FIRING:1] X", text="charge_card"))
    assert not (await find_recent_changes(told, Project(name="shop", root=tmp_path))).commits


async def test_the_keyword_engine_cites_them_as_commits_that_code_checks(shop: Project) -> None:
    """The draft names them by hash; their words stand in the evidence, redacted."""
    for text, subject in (("charge_card is slow", "Raise the limit"), ("*Service:* search", "[redacted")):
        assignment = Assignment(
            question="charge_card is slow", projects=(shop,), alert=record(alertmanager("[FIRING:1] A", text=text))
        )
        report = await KeywordEngine(redactor=Redactor((LOADED,))).investigate(assignment)
        (reference,) = [each for each in report.findings.evidence_refs if each.kind == "git_commit"]
        assert f"Changed lately in the code that the alert names: `{reference.ref}`." in report.findings.draft_reply
        assert subject in reference.supports_claim
        assert LOADED not in reference.supports_claim
        assert (await EvidenceChecker(shop.root).check(reference)).result == "ok"


async def test_other_questions_are_answered_as_before(shop: Project) -> None:
    """No commit is cited, and nothing is added to the first message of a model."""
    assignment = Assignment(question="where is charge_card?", projects=(shop,))
    report = await KeywordEngine().investigate(assignment)
    assert all(each.kind == "file" for each in report.findings.evidence_refs)
    _, places = await Briefing(guard=make_guard(), scout=KeywordEngine()).scout_projects(assignment)
    assert "alert" not in places


async def test_a_model_is_told_of_the_alert_and_of_what_changed(shop: Project) -> None:
    """Each text of others in its envelope, without secrets."""
    told = record(alertmanager("[FIRING:1] A", text="charge_card and lookup are slow"))
    assignment = Assignment(question="charge_card is slow", projects=(shop,), alert=told)
    _, places = await Briefing(guard=make_guard(), scout=KeywordEngine()).scout_projects(assignment)
    assert "an alert that fired once, last at 2026-01-20 10:00 UTC" in places
    assert "Raise the limit of cards" in places
    assert LOADED not in places
