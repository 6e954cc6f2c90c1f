"""Commands on repositories and branches with real git: one project `shop`, its bare remote, and a further folder."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.adapters.forge import Forges
from bot.commands.active_project import ActiveProjects
from bot.commands.command import NotDone
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import Confirmations
from bot.commands.git_branches import BranchCommands
from bot.commands.git_merge_requests import MergeRequestCommands
from bot.commands.git_pushes import PushCommands
from bot.commands.git_views import GitViews
from bot.commands.handler import CommandHandler
from bot.commands.projects import ProjectOverview
from bot.commands.registry import bound_commands
from bot.commands.repositories import RepositoryCommands
from bot.commands.repository_finder import RepositoryFinder
from bot.commands.repository_removal import RepositoryRemoval
from bot.decide.project_reach import ProjectReach
from bot.decide.redaction.redactor import Redactor
from bot.models.pending_command import ConfirmationDialog, ConfirmationPress
from bot.models.project import Project, Repository
from bot.tools.guard import Guard
from bot.triage.created_projects import locate_repository
from bot.triage.work_repositories import WorkRepositories
from tests.adapters.workspace_bench import Bench, build_remote
from tests.builders import CHANNEL, TEAM
from tests.chat.crew import OPERATOR, Booth, command, permission
from tests.fakes import LeapingClock, MemoryJournal, MemoryKept, projects, settle

if TYPE_CHECKING:
    from bot.ports.workspaces import Workspaces

SECRET = "-".join(("a-loaded", "secret", "0815"))
TASK = "shop-mend-flyout-0219-1430-k7x2mq"


@dataclass
class _Task:
    """The part of a thread that these commands read."""

    task: str
    project: str = "shop"
    route: None = None
    order: None = None


class OneTask:
    """A `TaskFinder` that knows one task."""

    async def find(self, task: Any, _: Any, *, hints: bool = True) -> _Task:
        """Find it."""
        if task != TASK:
            raise NotDone("There is no such task.")
        return _Task(TASK)


class OneName:
    """`SlackNames` of one person."""

    async def names(self, names_by_id: dict[str, str]) -> dict[str, str]:
        """Name the operator."""
        return {each: "Otto Ops" if each == OPERATOR else "" for each in names_by_id}


@dataclass(kw_only=True)
class GitOffice:
    """The commands, as of one process; `again` is the next one."""

    folder: Path
    kept: MemoryKept = field(default_factory=MemoryKept)
    confirmations: MemoryKept = field(default_factory=MemoryKept)
    forges: Forges = field(default_factory=lambda: Forges(sites=(), variables={}))
    stub: Workspaces | None = None
    """Workspaces without git, for tests of what is around it."""
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        """Build the remote unless it is there, and the commands."""
        self.remote = self.folder / "remote.git"
        if not self.stub and not self.remote.exists():
            build_remote(self.folder, a="one\n")
        self.people, self.home = self.folder / "people", self.folder / "home"
        self.bench = Bench(folder=self.folder)
        self.chat = Booth()
        self.bench.clock.new_id = lambda: f"{next(self._numbers):08x}"
        self.workspaces: Workspaces = self.stub or self.bench.build()
        shop = Project(name="shop", root=self.home / "current", repository=Repository(url=str(self.remote)))
        registry: Any = projects(shop, Project(name="docs", root=self.folder))
        reach = ProjectReach(below=(self.folder,), hosts=frozenset({"git.example.com"}))
        self.repositories = WorkRepositories(
            file=self.kept,
            projects=registry,
            locate=partial(locate_repository, home=self.home, reach=reach),
            below=(self.folder,),
        )
        nothing: Any = None
        overview = ProjectOverview(
            projects=registry,
            active=ActiveProjects(file=MemoryKept(), projects=registry),
            orchestrator=nothing,
            controls=nothing,
            channel_names={},
        )
        redactor, names, tasks, chat = Redactor([SECRET]), OneName(), OneTask(), self.chat
        finder = RepositoryFinder(
            overview=overview,
            repositories=self.repositories,
            workspaces=self.workspaces,
            naming=names,  # type: ignore[arg-type]  # it has the one call
            redactor=redactor,
        )
        guard = Guard(redactor=redactor, new_nonce=lambda: "n")
        owners = (
            RepositoryCommands(finder=finder, clock=self.bench.clock),
            RepositoryRemoval(finder=finder),
            GitViews(finder=finder, tasks=tasks, guard=guard),  # type: ignore[arg-type]  # it has the one call
            BranchCommands(finder=finder, tasks=tasks),  # type: ignore[arg-type]  # as above
            PushCommands(finder=finder),
            MergeRequestCommands(
                finder=finder,
                tasks=tasks,  # type: ignore[arg-type]  # as above
                forge=self.forges,
                clock=LeapingClock(),
            ),
        )
        self.handler = CommandHandler(
            commands={each.spec.name: each for owner in owners for each in bound_commands(owner)},
            permission=permission(),
            audit=MemoryJournal(),
            clock=self.bench.clock,
            redactor=redactor,
            confirmations=Confirmations(file=self.confirmations, clock=self.bench.clock),
            chat=chat,  # type: ignore[arg-type]  # of a chat, what shows and opens
            overview=overview,
        )
        self.buttons = ConfirmationButtons(
            handler=self.handler,
            confirmations=self.handler.confirmations,
            chat=chat,  # type: ignore[arg-type]  # as above
        )

    async def again(self) -> GitOffice:
        """Build the commands as the next process does."""
        office = GitOffice(
            folder=self.folder,
            kept=self.kept,
            confirmations=self.confirmations,
            forges=self.forges,
            stub=self.stub,
            _numbers=self._numbers,
        )
        await office.repositories.load()
        return office

    async def give(self, order: str, /, *, user: str = OPERATOR, via: str = "slash", **arguments: Any) -> Any:
        """Give a command; of the project `shop` unless it names another one."""
        fields = {"project": "shop", **arguments} if order != "get_task_diff" else arguments
        asker = command(user_id=user, via=via, interaction_id=f"i{next(self._numbers)}")
        return await self.handler.execute(order, fields, asker)

    async def press(self, answer: Any, *, user: str = OPERATOR) -> str:
        """Press *Confirm*, and type the name if that is asked for; return what people read in place of the buttons."""
        pressed = ConfirmationPress(
            interaction_id=f"p{next(self._numbers)}",
            team_id=TEAM,
            user_id=user,
            channel_id=CHANNEL,
            confirmation_id=answer.confirmation or "",
            action="command_confirm",
            trigger_id="1.2",
        )
        before = len(self.chat.said)
        waiting = await self.handler.confirmations.find(pressed.confirmation_id)
        await self.buttons.handle_press(pressed)
        if waiting and waiting.typed_again is not None:
            named = pressed.model_dump(exclude={"trigger_id", "channel_id"}) | {
                "interaction_id": f"d{next(self._numbers)}"
            }
            await self.buttons.handle_dialog(ConfirmationDialog(**named, typed=waiting.typed_again))
        await self.buttons.settle()
        await settle()
        return "\n".join(self.chat.said[before:])

    async def shown(self, answer: Any) -> str:
        """Return what stands above the buttons."""
        confirmation = await self.handler.confirmations.find(answer.confirmation or "")
        assert confirmation
        return confirmation.said

    def tree(self, slug: str, repository: str = "shop") -> Path:
        """Return the folder of a workspace."""
        (folder,) = (self.home / "checkouts" / ".work").glob(f"{repository.replace('/', '@')}-*/trees/{slug}")
        return folder
