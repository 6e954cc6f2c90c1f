"""The keyword engine on an incident: places that name the service, what changed there, and a proposed runbook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.agents.evidence import EvidenceChecker
from bot.agents.keyword import KeywordEngine
from bot.decide.redaction.redactor import Redactor
from bot.models.findings import Assignment, EngineReport
from bot.models.incident import ProposedRunbook
from bot.models.project import Project
from bot.models.runbook import RunbookProposal
from tests.tools.conftest import git

SECRET = "-".join(("Tr0ub4dor", "and", "3", "more"))
RESTART = RunbookProposal(
    name="restart-shop", argv=("systemctl", "restart", "shop"), services=("web", "shop-api"), timeout_s=60
)
FILES = {
    "docs/runbooks/outages.md": "# Outages\n\n## shop-api\n\nRestart it once, then look at the pool.\n",
    "deploy/compose.yaml": "services:\n  web:\n    depends_on:\n      - shop-api\n  shop-api:\n    image: shop:3\n",
    "services/shop-api/pool.py": 'NAME = "shop-api"\nPOOL_SIZE = 5\n',
    "tests/test_pool.py": 'assert NAME == "shop-api"\n',
    "CHANGELOG.md": "- shop-api is faster\n",
    "docs/other.md": "# shop-apis and workshop-api\n\nNothing of that service.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project that names the service in six files, with a history."""
    root = tmp_path / "shop"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", f"Halve the pool {SECRET}")
    return Project(name="shop", root=root)


async def ask(*projects: Project, **changes: Any) -> EngineReport:
    """The engine's report on an incident."""
    question = "shop-api is down, http check: HTTP 503, expected 200"
    values = {"question": question, "projects": projects, "services": ("shop-api",), "runbooks": (RESTART,)}
    return await KeywordEngine(redactor=Redactor([SECRET])).investigate(Assignment(**values | changes))


async def test_the_places_that_name_the_service_are_cited_with_what_changed_there(project: Project) -> None:
    """Notes for operators first, then settings, then code; tests and changelogs are left out. Each can be checked."""
    report = await ask(project)
    refs = [reference.ref for reference in report.findings.evidence_refs]
    assert refs[:3] == ["docs/runbooks/outages.md:3-5", "deploy/compose.yaml:4-6", "services/shop-api/pool.py:1-2"]
    assert "Halve the pool redacted" in report.findings.draft_reply
    assert "in `services/shop-api`" in report.findings.draft_reply
    checker = EvidenceChecker(project.root, project=project)
    checks = [await checker.check(reference) for reference in report.findings.evidence_refs]
    assert [check.result for check in checks] == ["ok"] * 4
    assert (report.findings.confidence, report.found_nothing, report.project) == ("low", False, "shop")
    assert report.findings.draft_reply.startswith("The cause of this is not known to me")


async def test_a_service_that_no_file_names_is_not_found(project: Project, tmp_path: Path) -> None:
    """Words that are a part of another name do not count; the runbook is proposed all the same, in the name of the
    first project, so that the draft can be checked."""
    runbook = RESTART.evolve(services=("mail",))
    (tmp_path / "other").mkdir()
    projects = (project, Project(name="other", root=tmp_path / "other"))
    report = await ask(*projects, services=("mail",), runbooks=(runbook,))
    assert (report.found_nothing, report.findings.evidence_refs, report.project) == (True, (), "shop")
    assert "no file that I can read names it (shop, other)" in report.findings.draft_reply
    assert report.findings.proposed_runbook == ProposedRunbook(
        name="restart-shop", reason="The settings name it for mail."
    )


async def test_the_project_that_names_it_best_is_chosen(project: Project, tmp_path: Path) -> None:
    """One without a history has no commits."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "list.txt").write_text("web\nshop-api\n")
    other = Project(name="other", root=tmp_path / "other")
    assert (await ask(other, project)).project == "shop"
    alone = await ask(other)
    assert (alone.project, "latest commits" in alone.findings.draft_reply) == ("other", False)


async def test_where_many_groups_failed_a_runbook_must_name_all_services(project: Project) -> None:
    """The restart of one program seldom mends what many have."""
    many: dict[str, Any] = {"services": ("shop-api", "mail"), "is_of_several_groups": True}
    assert (await ask(project, runbooks=(RESTART,), **many)).findings.proposed_runbook is None
    both = RESTART.evolve(name="both", services=("mail", "shop-api"))
    proposed = (await ask(project, runbooks=(RESTART, both), **many)).findings.proposed_runbook
    assert proposed
    assert proposed.name == "both"


@pytest.mark.parametrize(
    ("runbooks", "name"),
    [((), None), ((RESTART.evolve(services=("web",)),), None), ((RESTART.evolve(name="first"), RESTART), "first")],
)
async def test_only_a_runbook_that_names_an_unhealthy_service_is_proposed(
    project: Project, runbooks: tuple[RunbookProposal, ...], name: str | None
) -> None:
    """The first one of the settings."""
    proposed = (await ask(project, runbooks=runbooks)).findings.proposed_runbook
    assert (proposed.name if proposed else None) == name


@pytest.mark.parametrize(
    ("feedback", "is_again"),
    [
        ("Where is the size of the pool?", True),
        ("Where does shop-api read the pool?", True),
        ("No restart, please!", False),
        ("This runbook is wrong. Where is the size of the pool?", False),
    ],
)
async def test_a_runbook_is_proposed_again_unless_the_bounce_was_about_it(
    project: Project, feedback: str, is_again: bool
) -> None:
    """After a bounce the draft is one of any bounced question."""
    first = (await ask(project)).findings
    bounced = await ask(project, previous=first, feedback=feedback, round=2)
    assert first.proposed_runbook is not None
    assert bounced.findings.proposed_runbook == (first.proposed_runbook if is_again else None)
    assert "The cause of this is not known" not in bounced.findings.draft_reply


async def test_a_question_without_an_incident_proposes_nothing(project: Project) -> None:
    """Also where a runbook exists."""
    report = await ask(project, services=(), question="What is the pool size of shop-api?")
    assert report.findings.proposed_runbook is None
    assert "The cause of this is not known" not in report.findings.draft_reply
