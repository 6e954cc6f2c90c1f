"""Repositories that projects are fetched from: cloned at the start, then fetched periodically.

A repository that cannot be reached keeps its last commit; cards and `triage doctor` show its age. Repositories of
projects that commands create are added and removed at run time, and no start waits for them.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Protocol

from bot.adapters.checkouts import Checkout
from bot.adapters.checkouts.sealed_git import SealedGit
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from bot.adapters.checkouts import Source
    from bot.models.project import Fetched, Project, Repository
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)


class FetchObserver(Protocol):
    """Observer of the first fetches of projects."""

    async def report_fetch(self, name: str, state: Fetched) -> None:
        """Report the outcome of a project's fetch."""


@dataclass(kw_only=True)
class Repositories:
    """Checkouts by project name. `checkout` creates the checkout of one project.

    `observer` receives the result of each fetch of a project, until one has brought its code.
    """

    checkouts: dict[str, Checkout]
    clock: Clock
    checkout: Callable[[Project], Checkout]
    observer: FetchObserver | None = None
    forget_index: Callable[[str], None] = lambda _project: None
    """Removal of a project's search index."""
    _states: dict[str, Fetched] = field(default_factory=dict)
    _fetching: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    async def begin(self, tell: Callable[[str], None]) -> None:
        """Make each project readable, or raise `Misconfigured`; `tell` receives the progress of first clones."""
        for name, checkout in self.checkouts.items():
            state = await asyncio.to_thread(checkout.begin, self.clock.now())
            if state is None:
                tell(f"{name}: fetching {checkout.repository.url} for the first time")
                state = await checkout.fetch(self.clock.now(), partial(_tell, tell, name))
            if not state.commit:
                raise Misconfigured(f"projects: {name}: {checkout.repository.url} cannot be fetched: {state.problem}")
            self._states[name] = state

    async def add(self, project: Project) -> None:
        """Fetch this project too from now on; until then its existing state counts."""
        checkout = self.checkout(project)
        state = await asyncio.to_thread(checkout.begin, self.clock.now())
        self.drop(project.name)
        if state:
            self._states[project.name] = state
        self.checkouts[project.name] = checkout

    async def fetch_soon(self, name: str) -> None:
        """Start a fetch of one project, unless one is running already."""
        if name in self.checkouts:
            await self._begin_fetch(name)

    async def fetch_missing(self) -> None:
        """Start a fetch of the projects without code."""
        for name in self.checkouts:
            if self.missing_reason(name):
                await self._begin_fetch(name)

    def folder(self, name: str) -> Path | None:
        """Return the folder of a project's code; `None` if it is not fetched."""
        checkout = self.checkouts.get(name)
        return checkout.folder if checkout else None

    def drop(self, name: str) -> None:
        """Stop fetching a project, and remove its search index; current readers are not interrupted."""
        self.forget_index(name.partition("/")[0])
        if running := self._fetching.pop(name, None):
            running.cancel()
        self.checkouts.pop(name, None)
        self._states.pop(name, None)

    async def discard(self, name: str) -> None:
        """Stop fetching a project, and remove the folder of its code; what is left is removed at the next start."""
        folder = self.folder(name)
        self.drop(name)
        if folder:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def missing_reason(self, name: str) -> str | None:
        """Return the reason why a fetched project has no code yet; `None` if it has."""
        state = self._states.get(name)
        if name not in self.checkouts or (state and state.commit):
            return None
        return f"it cannot be fetched: {state.problem}" if state else "it is being fetched for the first time"

    @property
    def intervals(self) -> dict[str, timedelta]:
        """Return the time between two fetches, by project."""
        return {name: timedelta(minutes=checkout.repository.refresh_min) for name, checkout in self.checkouts.items()}

    def old_since(self, name: str) -> datetime | None:
        """Return the date of a project's code, if the last fetch failed."""
        state = self._states.get(name)
        return state.at if state and state.problem else None

    async def fetch(self, name: str) -> None:
        """Update one project now."""
        before, checkout = self._states.get(name), self.checkouts[name]
        state = await checkout.fetch(self.clock.now(), log.debug)
        if self.checkouts.get(name) is not checkout:
            return
        if state.problem:
            log.warning("%s cannot be fetched and stays at %s: %s", name, state.commit[:12] or "nothing", state.problem)
        elif before is None or state.commit != before.commit:
            log.info("%s is now at %s", name, state.commit[:12])
        self._states[name] = state
        if self.observer and (before is None or not before.commit):
            await self.observer.report_fetch(name, state)

    async def stop(self) -> None:
        """Cancel running fetches; the existing code stays."""
        running = [*self._fetching.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _begin_fetch(self, name: str) -> None:
        if name not in self._fetching:
            self._fetching[name] = asyncio.create_task(self._fetch_logged(name), name=f"fetch {name}")

    async def _fetch_logged(self, name: str) -> None:
        try:
            await self.fetch(name)
        except Exception:  # it must not stop the other fetches
            log.exception("fetching %s failed; it is tried again at the next interval", name)
        finally:
            if self._fetching.get(name) is asyncio.current_task():
                del self._fetching[name]


def repositories(
    projects: Sequence[Project],
    variables: Mapping[str, str],
    clock: Clock,
    *,
    longest_run: timedelta,
    source: Callable[[Repository], Source],
    forget_index: Callable[[str], None] = lambda _project: None,
) -> Repositories:
    """Create the checkouts of `projects`. `variables` is the environment; no run reads a tree for longer than
    `longest_run`.

    Raises `Misconfigured` if the variable of a token is not set.
    """

    def checkout(project: Project) -> Checkout:
        assert project.repository is not None  # noqa: S101  # only projects that are fetched come here
        return Checkout(
            folder=project.root.parent,
            repository=project.repository,
            git=SealedGit(protocol=project.repository.protocol, token=find_token(project.repository, variables)),
            keep=2 * longest_run,
            source=source,
        )

    checkouts = {project.name: checkout(project) for project in projects if project.repository}
    return Repositories(clock=clock, checkouts=checkouts, checkout=checkout, forget_index=forget_index)


def find_token(repository: Repository, variables: Mapping[str, str]) -> str:
    """Return the token of a repository, empty for none. Raises `Misconfigured` if its variable is not set."""
    if repository.token_env is None:
        return ""
    if token := variables.get(repository.token_env):
        return token
    raise Misconfigured(f"{repository.token_env}: expected the token for {repository.url} in the environment")


def _tell(tell: Callable[[str], None], name: str, progress: str) -> None:
    tell(f"{name}: {progress}")
