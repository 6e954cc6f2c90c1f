"""Questions that the README and the documents suggest for the demo, asked of the code that the demo answers from."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.agents.keyword import KeywordEngine
from bot.cli import demo_projects
from bot.models.findings import Assignment
from bot.models.project import Project

ROOT = Path(demo_projects.__file__).resolve().parents[2]
PARCELS = Path(demo_projects.__file__).resolve().parent / "demo_project"
UNREAD = ("tests", "measure", "sandbox", "bot/adapters", "bot/triage", "bot/chat", "bot/commands", "bot/surfaces")
UNREAD_BY_SUITE = (*UNREAD, "bot/decide", "bot/models", "bot/agents", "bot/cli")
"""Left out, so that the test is quick."""
ANSWERS = (
    (ROOT, "bot/config/sections/slack.py", "debounce_ms:"),
    (PARCELS, "parcels/tracking.py", "LOST_AFTER_DAYS ="),
)


@pytest.mark.parametrize("unread", [UNREAD_BY_SUITE, pytest.param(UNREAD, marks=pytest.mark.long)])
async def test_what_the_documents_suggest_to_ask_is_answered(tmp_path: Path, unread: tuple[str, ...]) -> None:
    """With the line that answers first, as an answer that can be approved."""
    for document in ("README.md", "docs/projects.md"):
        text = " ".join((ROOT / document).read_text().lower().split())
        assert all(f"*{question}*" in text for question in demo_projects.QUESTIONS)
    for question, (root, path, shows) in zip(demo_projects.QUESTIONS, ANSWERS, strict=True):
        project = Project(name=root.name, root=root, ignore=unread)
        asked = Assignment(question=question, projects=(project,))
        findings = (await KeywordEngine(indexes=tmp_path).investigate(asked)).findings
        lead = findings.evidence_refs[0]
        assert (findings.confidence, lead.ref.rpartition(":")[0]) == ("medium", path)
        assert shows in (lead.quote or "")
