"""A bench for fixes: a bare remote with a planted defect and a failing check, and a model that plays two agents."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.adapters.checkouts.workspaces import GitWorkspaces
from bot.adapters.clock import SystemClock
from bot.adapters.sessions import SessionFiles
from bot.agents.ledger import Ledger
from bot.config.environment import Environment
from bot.config.settings import Settings, load
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.escalation.environment import EnvironmentBuilder
from bot.escalation.fix_commit import FixCommitter
from bot.escalation.fix_drafter import HeadlessFixes
from bot.escalation.fix_ends import FixEnds
from bot.escalation.fix_money import FixMoney
from bot.escalation.fix_process import FixProcess
from bot.escalation.folder import RunFolder
from bot.escalation.launcher import FIX, Launcher
from bot.models.declared_command import DeclaredCheck
from bot.models.fix import FixOrder, NamedDefect
from bot.models.fix_task import FixReturn, FixTask
from bot.models.project import Project, Repository
from bot.models.thread import Thread
from bot.models.workspace import WorkRepository
from bot.tools.denied_paths import is_denied
from bot.tools.git_folder import source_folder
from bot.triage.controls import Controls
from bot.wiring.fix_process import FixHarnessBuilder
from tests.adapters.workspace_bench import build_remote, work_repository
from tests.builders import check, found, moved, reference, validated
from tests.decide.test_workflow import investigating
from tests.fakes import MemoryKept, PhoneBook, RoundPrices, ignore, naming
from tests.model_server import Answer, Body, ModelServer, calls, says, status

CODE = "def total(prices):\n    return sum(prices) - 1\n"
GOOD = "    return sum(prices)\n"
BAD = "    return sum(prices) - 1\n"
CHECK = "from total import total\n\nassert total([1, 2]) == 3, total([1, 2])\nprint('fine')\n"
FILES = {"total.py": CODE, "check.py": CHECK}
ARGV = (sys.executable, "-B", "check.py")
DEFECT = NamedDefect(summary="The total is one too small; it should be the sum of the prices.", ref="total.py:2")
PASSES = {"verdict": "pass", "mends_defect": True, "does_only_that": True, "tests": "not-needed", "reasons": []}
"""A judgement that objects to nothing."""


def edits(old: str = BAD, new: str = GOOD, path: str = "total.py") -> Body:
    """A turn that edits a file."""
    return calls(("edit_file", {"path": path, "old": old, "new": new}))


def gives(title: str = "Add up all prices", **fields: Any) -> Body:
    """A turn with the answer of the agent that drafts."""
    return says(json.dumps({"title": title, "description": "The total was one too small.", "problem": None} | fields))


def judges(**fields: Any) -> Body:
    """A turn with the validator's answer."""
    return says(json.dumps(PASSES | fields))


@dataclass
class Play:
    """Script of both agents: each turn is the next of its own list."""

    fixer: Sequence[Answer]
    validator: Sequence[Answer] = ()
    seen: dict[str, list[Body]] = field(default_factory=lambda: {"fixer": [], "validator": []})

    def __call__(self, body: Body) -> Answer:
        """Return the next turn."""
        who = "fixer" if "You mend one defect" in json.dumps(body["system"]) else "validator"
        turns = self.fixer if who == "fixer" else self.validator
        self.seen[who].append(body)
        if len(self.seen[who]) > len(turns):
            return status(400, said=f"nobody scripted turn {len(self.seen[who])} of the {who}")
        return turns[len(self.seen[who]) - 1]

    def last_words(self, who: str = "fixer", at: int = -1) -> str:
        """Return the newest message that an agent read, in one of its turns."""
        return "\n".join(str(block.get("text") or block) for block in self.seen[who][at]["messages"][-1]["content"])


class OneRepository:
    """`WorkRepositories` with one repository."""

    def __init__(self, repository: WorkRepository) -> None:
        self.repository = repository

    async def get(self, name: str) -> WorkRepository:
        """Return it."""
        if name != self.repository.name:
            raise ToolError(f"the repository {name} is no longer there")
        return self.repository


class OneProject:
    """`Projects` with one project."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def roots_of(self, name: str) -> tuple[Project, ...]:
        """Return it."""
        return (self.project,) if name == self.project.name else ()


class OneForge:
    """`Forge` that serves one address."""

    def __init__(self, address: str) -> None:
        self.address = address

    def find_fault(self, address: str) -> str:
        """Return a clause unless this is the address."""
        return "" if address == self.address else "no forge of the settings serves it"


@dataclass
class FixBench:
    """A home, a remote and a thread with a defect."""

    path: Path
    files: dict[str, str] = field(default_factory=lambda: dict(FILES))
    argv: tuple[str, ...] = ARGV
    day_usd: float = 20.0
    glance_every: float = 0.05
    isolation: str = "off"
    launchers: list[Launcher] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Build the remote and the thread."""
        self.remote = build_remote(self.path / "origin", **self.files)
        self.home.mkdir()
        self.repository = work_repository(self.remote)
        self.clock = SystemClock()
        before = investigating()
        cited = reference(ref=DEFECT.ref, quote="    return sum(prices) - 1")
        thread = moved(before, found(before, evidence_refs=(cited,), defect=DEFECT))
        thread = moved(thread, validated(thread, check(ref=DEFECT.ref)))
        self.thread: Thread = thread.evolve(project="shop", task="shop-total-k7x2mq")

    @property
    def home(self) -> Path:
        """The home."""
        return self.path / "home"

    @property
    def order(self) -> FixOrder:
        """The order of a press."""
        return FixOrder(
            run_id="run1",
            defect=DEFECT,
            repository="shop",
            slug="fix-total",
            base="",
            asked_by="U0OPS",
            asked_at=self.clock.now(),
        )

    @property
    def folder(self) -> RunFolder:
        """The folder of the run."""
        return RunFolder(self.home / "fixes" / "run1")

    @property
    def tree(self) -> Path:
        """The workspace."""
        (found,) = self.home.glob("checkouts/.work/*/trees/fix-total")
        return found

    @property
    def returned(self) -> FixReturn:
        """The return."""
        read = self.folder.read_record(self.folder.returned, FixReturn)
        assert read is not None
        return read

    @property
    def project(self) -> Project:
        """The project of the settings."""
        return Project(
            name="shop",
            root=self.path / "origin" / "people",
            repository=Repository(url=str(self.remote)),
            check=DeclaredCheck(argv=self.argv, timeout_s=20, reads=()),
        )

    def build_workspaces(self) -> GitWorkspaces:
        """Build the workspaces as a new bot does."""
        return GitWorkspaces(
            folder=self.home / "checkouts" / ".work",
            clock=self.clock,
            source=source_folder,
            token=lambda _: "",
            withholds=is_denied,
        )

    def write_settings(self, server: ModelServer, more: str = "") -> Settings:
        """Write the settings, and load them."""
        config = self.path / "triage.yml"
        config.write_text(
            f"engine: claude\nmodel: {{base_url: '{server.url}'}}\nprojects: {{shop: {{root: origin/people}}}}\n"
            f"security: {{isolation: {self.isolation}}}\n{more}\n"
        )
        return load(config, self.home)

    async def build_drafter(self, settings: Settings, *, command: Sequence[str] = FIX) -> HeadlessFixes:
        """Build the drafter as a new bot does."""
        sessions, clock, workspaces = SessionFiles(self.home / "sessions"), self.clock, self.build_workspaces()
        self.sessions = sessions
        self.ledger = Ledger(
            sessions=sessions,
            allowance_file=MemoryKept(),
            prices=RoundPrices(),
            clock=clock,
            usd_per_day=self.day_usd,
            tell=ignore,
        )
        await self.ledger.start()
        money = FixMoney(ledger=self.ledger, sessions=sessions, cap=2.0, model="scripted", clock=clock)
        repositories: Any = OneRepository(self.repository)
        projects: Any = OneProject(self.project)
        forge: Any = OneForge(str(self.remote))
        committer = FixCommitter(workspaces=workspaces, naming=naming(PhoneBook(U0OPS="Olga Ops")), redactor=Redactor())
        launcher = Launcher(tmux=None, command=command)
        self.launchers.append(launcher)
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
        return HeadlessFixes(
            parent=self.home / "fixes",
            home=self.home,
            settings=settings,
            projects=projects,
            repositories=repositories,
            workspaces=workspaces,
            forge=forge,
            launcher=launcher,
            environments=EnvironmentBuilder(settings=settings, variables=Environment()),
            money=money,
            ends=FixEnds(committer=committer, repositories=repositories, money=money, clock=clock),
            controls=self.controls,
            redactor=Redactor(),
            clock=clock,
            glance_every=self.glance_every,
        )

    def end_processes(self) -> None:
        """End all that was started."""
        for launcher in self.launchers:
            if self.folder.path.exists():
                launcher.kill(self.folder, patience=0.0)
            launcher.reap(patience=20.0)

    async def begin(self, server: ModelServer, more: str = "", **changes: Any) -> FixTask:
        """Prepare the workspace and save the task, as a drafter does."""
        settings = self.write_settings(server, more)
        workspace = await self.build_workspaces().prepare(self.repository, "fix-total")
        values: dict[str, Any] = {
            "run_id": "run1",
            "session_id": "20260105T090000-fix1",
            "thread_id": self.thread.thread_id,
            "project": "shop",
            "check": self.project.check,
            "folder": workspace.folder,
            "base": workspace.head,
            "defect": DEFECT,
            "question": self.thread.read_question,
            "findings": self.thread.investigator_return,
            "settings_file": settings.path,
            "home": self.home,
            "usd": 2.0,
            "seconds": 60.0,
            "most_seconds": 120.0,
            "at": self.clock.now(),
        }
        task = FixTask(**values | changes)
        self.folder.save_task(task.model_dump(mode="json"))
        return task

    async def run(self, play: Callable[[Body], Answer], more: str = "", **changes: Any) -> FixReturn:
        """Draft a fix in this process, from a prepared workspace to the return."""
        async with ModelServer(play) as server:
            task = await self.begin(server, more, **changes)
            await self.run_task(task)
        return self.returned

    async def run_task(self, task: FixTask) -> int:
        """Run the process's work in this process."""
        redactor = Redactor()
        builder = FixHarnessBuilder(
            folder=self.folder,
            task=task,
            environment=Environment(),
            variables={"PATH": "/usr/bin:/bin", "HOME": "/nowhere"},
            redactor=redactor,
            clock=self.clock,
        )
        process = FixProcess(folder=self.folder, task=task, clock=self.clock, redactor=redactor, build=builder.build)
        return await process.run()
