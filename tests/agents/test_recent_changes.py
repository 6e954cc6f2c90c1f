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


async def test_the_keyword_engine_lists_them_as_commits_that_code_checks(shop: Project) -> None:
    """The draft has hash, day, author and subject of each, redacted and without markup."""
    for text, subject in (("charge_card is slow", "Raise the limit of cards"), ("*Service:* search", "Search with")):
        assignment = Assignment(
            question="charge_card is slow", projects=(shop,), alert=record(alertmanager("[FIRING:1] A", text=text))
        )
        report = await KeywordEngine(redactor=Redactor((LOADED,))).investigate(assignment)
        (reference,) = [each for each in report.findings.evidence_refs if each.kind == "git_commit"]
        row = f"- `{reference.ref}` of 2026-01-15 by Ana: {subject}"
        assert f"Changed lately in the code that the alert names:\n{row}" in report.findings.draft_reply
        assert subject in reference.supports_claim
        assert LOADED not in f"{reference.supports_claim} {report.findings.draft_reply}"
        assert (await EvidenceChecker(shop.root).check(reference)).result == "ok"


async def test_words_of_a_commit_are_no_markup(shop: Project) -> None:
    """Neither a mention, nor a link, nor a control character of its author reaches the draft."""
    saved(shop.root, "Charge `x` <!channel> \x1b[31m *now* [a](https://evil.example)", LATE, src__payments_py="x\n")
    told = record(alertmanager("[FIRING:1] A", text="in src/payments.py"))
    report = await KeywordEngine(redactor=Redactor(())).investigate(
        Assignment(question="charge_card is slow", projects=(shop,), alert=told)
    )
    rows = [line for line in report.findings.draft_reply.splitlines() if line.startswith("- `")]
    assert not any(char in row[16:] for row in rows for char in "<>!*`[]\x1b")
    assert any("channel" in row for row in rows)


async def test_where_nothing_is_found_the_commits_come_first(shop: Project) -> None:
    """Before what is perhaps about something else."""
    told = record(alertmanager("[FIRING:1] A", text="in src/payments.py"))
    report = await KeywordEngine(redactor=Redactor(())).investigate(
        Assignment(question="why do zebras quarrel about limits?", projects=(shop,), alert=told)
    )
    assert report.found_nothing
    assert report.findings.draft_reply.startswith("Changed lately in the code")
    assert report.findings.evidence_refs[0].kind == "git_commit"


async def test_commits_before_a_rename_and_merges_are_found(shop: Project) -> None:
    """Each commit of the file under its earlier name, and the merge that brought a change of it."""
    root = shop.root
    saved(root, "Grow", "2026-01-16T09:00:00+00:00", src__payments_py="def charge_card():\n    return 500\n" * 9)
    git(root, "mv", "src/payments.py", "src/billing.py")
    saved(root, "Rename", "2026-01-17T09:00:00+00:00")
    git(root, "checkout", "--quiet", "-b", "side")
    saved(root, "On the side", "2026-01-18T08:00:00+00:00", src__billing_py="def charge_card():\n    return 5\n" * 9)
    git(root, "checkout", "--quiet", "main")
    saved(root, "Meanwhile", "2026-01-18T09:00:00+00:00", search__index_py="def lookup(): return 1\n")
    git(root, "merge", "--quiet", "--no-ff", "-m", "Merge side", "side", when="2026-01-19T09:00:00+00:00")
    told = record(attached(title="[FIRING] Refunds fail", text="in /app/src/billing.py:12", color="danger"))
    changes = await find_recent_changes(told, shop)
    subjects = [each.message for each in changes.commits]
    assert subjects == ["Merge side", "On the side", "Rename", "Grow", "Raise the limit of cards"]
    assert changes.files == ("src/billing.py",)


async def test_an_earlier_name_that_agents_may_not_read_is_left_out(shop: Project) -> None:
    """A file that was moved out of an ignored folder or of secrets shows only its commits since."""
    root, text = shop.root, "def refund_card():\n    return 500\n" * 9
    saved(root, "Hidden", "2026-01-16T09:00:00+00:00", hidden__refunds_py=text)
    git(root, "mv", "hidden/refunds.py", "src/refunds.py")
    saved(root, "Move", "2026-01-17T09:00:00+00:00")
    told = record(alertmanager("[FIRING:1] A", text="in src/refunds.py"))
    for project, subjects in ((shop, ["Move", "Hidden"]), (shop.evolve(ignore=("hidden/*",)), ["Move"])):
        assert [each.message for each in (await find_recent_changes(told, project)).commits] == subjects


async def test_a_rebased_commit_has_the_day_of_its_rebase(shop: Project) -> None:
    """The day on which it came into the history that the alert is about."""
    (shop.root / "src" / "payments.py").write_text("def charge_card(): return 6\n")
    git(shop.root, "add", ".")
    git(shop.root, "commit", "--quiet", "--date", "2025-10-01T09:00:00+00:00", "-m", "Rebased", when=LATE)
    (commit_, *_) = (await find_recent_changes(record(STACK), shop)).commits
    assert (commit_.message, commit_.day) == ("Rebased", "2026-01-15")


PARTS = {
    "a bare label": alertmanager("[FIRING:1] ChargeFailures (search prod critical)"),
    "a word of the headline": attached(title="[ALERT] Uptime check on search", color="danger"),
    "a part of a name": {"text": 'ALARM: "search-5xx" in EU (Ireland)', "bot_id": "B0ALERT"},
}


@pytest.mark.parametrize("message", PARTS.values(), ids=PARTS.keys())
async def test_a_word_that_is_the_name_of_a_folder_is_looked_up(shop: Project, message: Json) -> None:
    """As a service would be, though no label says that it is one."""
    assert (await find_recent_changes(record(message), shop)).files == ("search/index.py",)


@pytest.mark.parametrize("title", ["Searches (prod)", "Uptime check on production", "Index error"])
async def test_other_words_name_no_folder(shop: Project, title: str) -> None:
    """A similar word, and a word of any alert or project."""
    saved(shop.root, "Deploy", LATE, production__x_py="x = 1\n")
    assert not (await find_recent_changes(record(alertmanager(f"[FIRING:1] {title}")), shop)).files


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
