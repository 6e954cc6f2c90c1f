"""A repository with its bare remote, its forge on loopback, and a fix that was committed in a workspace of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.adapters.forge import Forges
from bot.errors import ToolError
from bot.models.fix import FixResult, FixRound
from bot.models.fix_event import MergeRequestPressed
from bot.models.merge_request import ForgeSite
from bot.models.thread import Thread
from bot.models.workspace import Author, WorkRepository
from bot.triage.merge_requests import MergeRequests
from tests.adapters.workspace_bench import Bench, build_remote, git, work_repository
from tests.builders import OPERATOR, TEAM, moved
from tests.fakes import MemoryJournal
from tests.fixes import drafting, ended, fix_of, plan, pressed, proposal
from tests.forge_server import ForgeServer

ANA = Author(name="Olu Ops", user_id=OPERATOR, team_id=TEAM)


@dataclass
class OneRepository:
    """`WorkRepositories` of one repository, which a test may replace or remove."""

    repository: WorkRepository | None

    async def get(self, name: str) -> WorkRepository:
        """Return it."""
        if self.repository is None or name != self.repository.name:
            raise ToolError(f"the repository {name} is no longer there")
        return self.repository


@dataclass
class NamedPeople:
    """`SlackNames` of everybody."""

    async def names(self, names_by_id: dict[str, str]) -> dict[str, str]:
        """Name them."""
        return dict.fromkeys(names_by_id, "Olu Ops")


@dataclass
class FixBench:
    """Everything behind a fix, in a folder; `build` makes the opener of a new process."""

    folder: Path
    site: ForgeSite
    variables: dict[str, str]
    audit: Any = field(default_factory=MemoryJournal)

    def __post_init__(self) -> None:
        """Build the remote unless it is there."""
        self.team = self.folder / "srv" / "team"
        if not self.team.exists():
            build_remote(self.team, a="limit = 3\n")
            (self.team / "remote.git").rename(self.team / "shop.git")
        self.remote = self.team / "shop.git"
        self.repository = work_repository(self.remote)
        self.bench = Bench(folder=self.folder)
        self.repositories = OneRepository(self.repository)

    @classmethod
    def at(cls, folder: Path, server: ForgeServer) -> FixBench:
        """Build the bench of a server that serves its remote."""
        server.folder = folder / "srv"
        return cls(folder, server.site("gitlab"), server.variables)

    def build(self) -> MergeRequests:
        """Build the opener as a new process does."""
        repositories, people, clock = self.repositories, NamedPeople(), self.bench.clock
        return MergeRequests(
            repositories=repositories,  # type: ignore[arg-type]  # it has the one call
            workspaces=self.bench.build(),
            forge=Forges(sites=(self.site,), variables=self.variables),
            naming=people,  # type: ignore[arg-type]  # as above
            audit=self.audit,
            clock=clock,
        )

    async def commit(self, slug: str, text: str = "limit = 5\n") -> tuple[str, str]:
        """Commit a change in the workspace of a branch; return its base and its SHA."""
        workspaces = self.bench.build()
        workspace = await workspaces.prepare(self.repository, slug)
        (workspace.folder / "a").write_text(text)
        made = await workspaces.commit(self.repository, slug, "Raise the limit", author=ANA, task="task")
        return workspace.base, made.sha if made else workspace.head

    async def propose(self) -> Thread:
        """Return a thread whose fix was committed, with the plan of its push."""
        thread = drafting()
        slug = fix_of(thread).order.slug
        base, head = await self.commit(slug)
        own = proposal(thread, base=base, head=head)
        push = await self.bench.build().plan_push(self.repository, slug)
        result = FixResult(rounds=(FixRound(number=1),), proposal=own)
        thread = moved(thread, ended(thread, result=result, plan=push))
        assert plan(thread).branch == push.branch
        return moved(thread, pressed(MergeRequestPressed, thread, sha=head))

    def heads(self) -> dict[str, str]:
        """Return the branches of the remote."""
        lines = git(self.remote, "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads").splitlines()
        return dict(line.split(" ") for line in lines)
