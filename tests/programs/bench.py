"""Declared commands for tests: a project, a bot that runs them, and the person who presses."""

from __future__ import annotations

import os
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pydantic import TypeAdapter

from bot.adapters.json_file import DiskJsonFile
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.handler import CommandHandler
from bot.commands.programs import ProgramCommands
from bot.commands.registry import bound_commands
from bot.commands.search import ProjectFinder
from bot.decide.redaction.redactor import Redactor
from bot.models.declared_command import DeclaredCommand
from bot.models.pending_command import ConfirmationPress
from bot.models.project import Project
from bot.models.workspace import WorkRepository, Workspace
from bot.programs.command_plans import CommandPlans
from bot.programs.command_runs import CommandRuns
from bot.runtime.program_runner import PROCESS, ProgramRunner
from tests.chat.crew import OPERATOR, Booth, command, permission
from tests.fakes import MemoryJournal
from tests.health.bench import SECONDS, SECRET, MovedClock

NAME = "run_command"
_COMMAND: TypeAdapter[DeclaredCommand] = TypeAdapter(DeclaredCommand)
PLAIN: dict[str, Any] = {
    "parameters": {},
    "projects": (),
    "timeout_s": 20,
    "writes": False,
    "role": "operator",
    "reads": (),
}


def declare(name: str, *argv: str, **fields: Any) -> DeclaredCommand:
    """A command of the settings."""
    return _COMMAND.validate_python({**PLAIN, "name": name, "argv": argv, **fields})


@dataclass
class Known:
    """A `Projects` and a `ProjectOverview` of these projects, in no conversation about one."""

    projects: tuple[Project, ...]

    def configured(self) -> tuple[Project, ...]:
        """All of them."""
        return self.projects

    def find_conversation_project(self, _: Any) -> None:
        """None."""


@dataclass
class Trees:
    """A `RepositoryFinder` and its `Workspaces` with the workspaces of `shop`, by branch."""

    folders: dict[str, Path] = field(default_factory=dict)

    @property
    def workspaces(self) -> Any:
        """Itself."""
        return SimpleNamespace(find=self._find)

    async def find(self, project: str, _: Any) -> WorkRepository:
        """The only repository."""
        if project not in ("", "shop"):
            raise NotDone(f"There is no project `{project}`.")
        return WorkRepository(name="shop", project="shop", kind="init")

    async def find_branch(self, _: Any, branch: str, __: Any) -> str:
        """The branch that is named, else the only one."""
        slug = branch or next(iter(self.folders), "")
        if slug not in self.folders:
            raise NotDone(f"`shop` has no branch `triage/{slug}` here.")
        return slug

    async def allow(self, work: Awaitable[Any]) -> Any:
        """Wait for it."""
        return await work

    async def _find(self, _: Any, slug: str) -> Workspace:
        return Workspace(repository="shop", slug=slug, folder=self.folders[slug], head="1" * 40, base="1" * 40)


@dataclass
class Stand:
    """What may stop Triage."""

    state: str = "running"


@dataclass
class Bench:
    """A home with a bot; each `start` is another process on it."""

    home: Path
    commands: tuple[DeclaredCommand, ...] = ()
    audit: MemoryJournal = field(default_factory=MemoryJournal)
    clock: MovedClock = field(default_factory=MovedClock)
    chat: Booth = field(default_factory=Booth)
    controls: Stand = field(default_factory=Stand)
    trees: Trees = field(default_factory=Trees)
    redactor: Redactor = field(default_factory=lambda: Redactor([SECRET]))
    _runners: list[ProgramRunner] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = self.home / "shop"
        (self.root / "src").mkdir(parents=True, exist_ok=True)
        (self.root / "src" / "app.py").write_text("print(1)\n")
        self.projects: tuple[Project, ...] = (Project(name="shop", root=self.root.resolve()),)
        self.start()

    def start(self) -> None:
        """Another bot on this home."""
        runner = ProgramRunner(
            parent=self.home / "command-runs",
            environment={"PATH": os.environ["PATH"], "HOME": str(self.home)},
            audit=self.audit,
            redactor=self.redactor,
            clock=self.clock,
            process=PROCESS,
        )
        self._runners.append(runner)
        known: Any = Known(self.projects)
        self.programs = ProgramCommands(
            plans=CommandPlans(commands=self.commands, redactor=self.redactor),
            runs=CommandRuns(programs=runner),
            which=ProjectFinder(projects=known, overview=known),
            finder=self.trees,  # type: ignore[arg-type]  # of a finder, what finds workspaces
            permission=permission(),
            controls=self.controls,  # type: ignore[arg-type]  # of the controls, their state
            clock=self.clock,
        )
        chat: Any = self.chat
        self.handler = CommandHandler(
            commands={each.spec.name: each for each in bound_commands(self.programs)},
            permission=permission(),
            audit=self.audit,
            clock=self.clock,
            redactor=self.redactor,
            confirmations=Confirmations(file=DiskJsonFile(self.home / "confirmations.json"), clock=self.clock),
            chat=chat,
        )
        self.buttons = ConfirmationButtons(handler=self.handler, confirmations=self.handler.confirmations, chat=chat)

    def declare(self, *commands: DeclaredCommand) -> None:
        """Start again with these commands."""
        self.commands = commands
        self.start()

    async def ask(self, text: str = "", *, user: str = OPERATOR, via: str = "slash", **words: Any) -> CommandAnswer:
        """`/triage run_command` with these words."""
        given = {"command": text, **words}
        return await self.handler.execute(NAME, given, command(user_id=user, via=via))

    async def press(self, answer: CommandAnswer, *, user: str = OPERATOR, replayed: bool = False) -> None:
        """Confirm what was asked, and wait for its end."""
        press = ConfirmationPress(
            interaction_id=f"{user}-press-{answer.confirmation}",
            team_id=command().team_id,
            user_id=user,
            confirmation_id=answer.confirmation or "",
            action="command_confirm",
            channel_id="D0OPS",
            trigger_id="t1",
        )
        await self.buttons.handle_press(press, replayed=replayed)
        await self.buttons.settle()

    async def run(self, text: str, **words: Any) -> str:
        """Ask, press, and return what then is in the place of the buttons."""
        answer = await self.ask(text, **words)
        assert answer.outcome == "asked", answer.text
        await self.press(answer)
        said: str = self.chat.said[-1]
        return said

    def lines(self, action: str) -> list[dict[str, Any]]:
        """The lines of the audit log about starts or ends."""
        return [each for each in self.audit.kept if each["action"] == action and each["kind"] == "declared command"]

    def reap(self) -> None:
        """Wait for the processes of all bots."""
        for runner in self._runners:
            for child in runner._children:
                child.wait(SECONDS)
