"""A bench for headless runs: a home with a project of one file, settings, and the task of a thread."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.adapters.clock import SystemClock
from bot.config.environment import Environment
from bot.decide.redaction.redactor import Redactor
from bot.escalation.folder import RunFolder
from bot.escalation.headless import Headless
from bot.models.escalation import HeadlessReturn
from bot.models.handoff import QuestionHandoff
from bot.models.project import Project
from bot.wiring.headless import HarnessBuilder
from tests.escalation.builders import THREAD, assignment, task
from tests.model_server import Body, calls, says

LINE = "RETRY_LIMIT = 5"
KEY = "sk-ant-" + "a1B2" * 12
"""A key like the model's, assembled so that no scanner finds it."""


def answer(**changes: Any) -> Body:
    """Findings as a model or a program returns them."""
    reference = {"kind": "file", "ref": "limits.py:1", "supports_claim": "The limit.", "quote": LINE}
    return {
        "confidence": "high",
        "confidence_reason": "The line was opened.",
        "summary_for_orchestrator": "The limit is 5.",
        "draft_reply": "The retry limit is 5 (`limits.py:1`).",
        "draft_language": "en",
        "evidence_refs": [reference],
        "research_notes": "Opened limits.py.",
    } | changes


def unfinished(**changes: Any) -> Body:
    """Findings that ask for the next tier."""
    wish = {"confidence": "low", "draft_reply": "Not settled yet.", "escalation_requested": True, "evidence_refs": []}
    return answer(**wish | {"tried": ["git log of limits.py"], "missing": "The change of May."} | changes)


def looks(said: str = "") -> Body:
    """A turn that opens the file."""
    return calls(("read_file", {"path": "limits.py", "first": 1, "count": 1}), said=said)


def gives(**changes: Any) -> Body:
    """A turn that answers."""
    return says(json.dumps(answer(**changes)))


@dataclass(frozen=True)
class Bench:
    """A home, a project and the folder of a run."""

    path: Path

    @property
    def home(self) -> Path:
        """The home."""
        return self.path / "home"

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.path / "code"

    @property
    def folder(self) -> RunFolder:
        """The folder of the run."""
        return RunFolder(self.home / "escalations" / THREAD)

    def begin(self, settings: str, **changes: Any) -> RunFolder:
        """Write settings and task; the project is named by the settings and by the task."""
        self.root.mkdir(exist_ok=True)
        (self.root / "limits.py").write_text(f"{LINE}\n")
        config = self.path / "triage.yml"
        config.write_text(f"projects: {{shop: {{root: code}}}}\nsecurity: {{isolation: off}}\n{settings}\n")
        projects = (Project(name="shop", root=self.root),)
        given = {"assignment": assignment(question="What is the retry limit?", projects=projects, thread_id=THREAD)}
        made = task(**given | {"home": self.home, "settings_file": config, "seconds": 60.0} | changes)
        self.folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.task.write_text(made.model_dump_json())
        return self.folder

    async def run(self, key: str | None = None, **variables: str) -> int:
        """Run the task in this process."""
        folder, clock = self.folder, SystemClock()
        begun = folder.read_task()
        assert begun is not None
        redactor = Redactor([key] if key else [])
        builder = HarnessBuilder(
            folder=folder,
            task=begun,
            environment=Environment(anthropic_api_key=key),
            variables=variables,
            redactor=redactor,
            clock=clock,
        )
        return await Headless(folder=folder, task=begun, clock=clock, redactor=redactor, build=builder.build).run()

    @property
    def returned(self) -> HeadlessReturn:
        """The return."""
        found = self.folder.read_return()
        assert found is not None
        return found

    @property
    def handoff(self) -> QuestionHandoff | None:
        """The handoff, if there is one."""
        path = self.folder.handoff
        return QuestionHandoff.model_validate_json(path.read_bytes()) if path.exists() else None

    @property
    def transcript(self) -> str:
        """The transcript."""
        return self.folder.transcript.read_text()
