"""Lookup of the task or project that a command names, and paging of long texts.

A slug ends in the minute of its first message and a tag of its thread's id, so a task is found by the file names of all
threads; no document is opened.
"""

from __future__ import annotations

import asyncio
import difflib
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.channel_refs import check_workspace
from bot.commands.command import NotDone
from bot.commands.nearest_name import LONGEST_WORD, suggest_sentence
from bot.decide.slug import tag
from bot.models.conversation_record import is_direct
from bot.models.message import thread_id
from bot.models.thread_id import THREAD_ID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bot.commands.inputs import MessagePlace
    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.models.project import Project
    from bot.models.thread import Thread
    from bot.ports.outbound import Store, TaskNames
    from bot.triage.orchestrator import Orchestrator
    from bot.triage.projects import Projects

ASK_WHICH_TASK = "Which task? Give its name or the link of a message of its thread; `list_tasks` names them."
MAX_CHARS = 2_900
"""Characters of a long text that one answer shows."""
LONGEST_LINE = 400
"""Characters of one line."""
_END = re.compile(r"-(\d\d)(\d\d)-(\d\d)(\d\d)-([a-z2-7]{6})$")
_MAX_LATE = 10
"""Number of threads of a person that are read to find the last one."""
_MAX_COMPARED = 50
"""Number of names that are compared letter by letter."""


@dataclass(frozen=True, kw_only=True)
class TaskFinder:
    """Lookup of tasks, by name or by a message of their thread."""

    store: Store
    tasks: TaskNames
    orchestrator: Orchestrator
    team_id: str
    url: str

    async def find(
        self, task: MessagePlace | str | None, asker: Asker, *, hints: bool = True, may_be_last: bool = False
    ) -> Thread:
        """Return the thread of a task; without one that of the command. With `may_be_last` a command in a direct
        message is else about the last task or question of its asker there.

        Raises `Unreadable`, and `NotDone`, which with `hints` suggests the nearest name, made of people's words.
        """
        if isinstance(task, str):
            return await self._find_by_name(task, hints=hints)
        if task is None:
            thread = await self.store.load(asker.thread_id) if asker.thread_id else None
            if thread is None and may_be_last and is_direct(asker.channel_id):
                thread = await self._find_last(asker)
            return _require(thread, ASK_WHICH_TASK)
        check_workspace(task, self.url)
        home = self.orchestrator.find_thread(task.channel_id, task.ts) or thread_id(
            self.team_id, task.channel_id, task.root_ts
        )
        none = "No question is known in this thread. `why` says how a message was classified."
        return _require(await self.store.load(home), none)

    async def _find_last(self, asker: Asker) -> Thread | None:
        """Return the newest thread of a person that they created by a command, or opened in this direct message."""
        known = self.orchestrator.open_threads
        homes = [*known.asked_by(asker.user_id), *known.closed_of(asker.user_id, _MAX_LATE)]
        newest = sorted(homes, key=lambda home: float(home.rpartition("-")[2]), reverse=True)
        for home in newest[:_MAX_LATE]:
            thread = await self.store.load(home)
            if thread and (thread.order or thread.chat_id == asker.channel_id):
                return thread
        return None

    async def _find_by_name(self, slug: str, *, hints: bool) -> Thread:
        if re.fullmatch(THREAD_ID, slug) and (thread := await self.store.load(slug)):
            return thread
        end = _END.search(slug.lower())
        ids = await self.store.thread_ids() if end else []
        for home in await asyncio.to_thread(_find_by_tag, end, ids) if end else ():
            thread = await self.store.load(home)
            if thread and thread.task == slug.lower():
                return thread
        shown_name = escape(clip(slug, 100))
        near = await asyncio.to_thread(_find_nearest, slug.lower(), await self.tasks.names()) if hints else None
        hint = f" The nearest is `{escape(near)}`." if near else ""
        raise NotDone(f"There is no task `{shown_name}`.{hint} `list_tasks` names the newest.")


def _require(thread: Thread | None, refusal: str) -> Thread:
    if thread is None:
        raise NotDone(refusal)
    return thread


def _find_by_tag(match: re.Match[str], ids: Sequence[str]) -> list[str]:
    """Return the threads whose slugs end like this: nearly always at most one."""
    *when, end = match.groups()
    minutes = {*_minutes(*map(int, when))}
    candidates = (
        thread_id for thread_id in ids if int(thread_id.rpartition("-")[2].partition(".")[0]) // 60 in minutes
    )
    return [thread_id for thread_id in candidates if tag(thread_id) == end]


def _minutes(month: int, day: int, hour: int, minute: int) -> Iterator[int]:
    """Yield this minute in each year as minutes since 1970: a slug has no year."""
    for year in range(1970, 2100):
        with suppress(ValueError):  # 29 February
            yield int(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()) // 60


def _find_nearest(slug: str, known: Iterable[str]) -> str | None:
    """Return the name with most words in common and, of several, the one spelt most like it."""
    wanted = {*slug.split("-")}
    counted = [(len(wanted.intersection(name.split("-"))), name) for name in known]
    best = sorted(counted, key=lambda item: (-item[0], item[1]))[:_MAX_COMPARED]
    most_shared = max((shared for shared, _ in best), default=0)
    candidates = (
        [name for shared, name in best if shared == most_shared]
        if most_shared
        else [name for _, name in counted[:1_000]]
    )
    matches = difflib.get_close_matches(slug, candidates, n=1, cutoff=0.0 if most_shared else 0.5)
    return matches[0] if matches else None


@dataclass(frozen=True, kw_only=True)
class ProjectFinder:
    """Lookup of projects: by name, else that of the conversation."""

    projects: Projects
    overview: ProjectOverview

    def find(self, name: str, asker: Asker) -> tuple[Project, ...]:
        """Return the roots of a project, at least one; for `shop/api`, that root only. Raises `NotDone`."""
        projects = self.projects.configured()
        names = sorted({project.belongs_to for project in projects})
        if not names:
            raise NotDone("There is no project: `projects` in the settings names them.")
        meant = (
            name.strip(" `") or self.overview.find_conversation_project(asker) or (names[0] if len(names) == 1 else "")
        )
        for spelt in (str, str.lower):  # exact case first: triage.yml may have two names that differ in case only
            spelling = spelt(meant)
            matches = tuple(
                project
                for project in projects
                if spelling in map(spelt, (project.name, project.belongs_to, project.display_name))
            )
            if meant and matches:
                return matches
        listed = ", ".join(f"`{escape(project)}`" for project in names[:20])
        if not meant:
            how = f"Which project: {listed}?" if asker.via == "thread" else f"Which project? Say `project=…`: {listed}."
            raise NotDone(how, missing="project")
        near = suggest_sentence(meant, [*names, *(project.name for project in projects)])
        spelling = escape(clip(meant, LONGEST_WORD)).replace("`", "'")
        raise NotDone(f"There is no project `{spelling}`.{near} All: {listed}.")


def escape_line(line: str) -> str:
    """Shorten and escape a line, so that no markup in it takes effect."""
    return escape(clip(line, LONGEST_LINE))


def fit_lines(
    lines: Sequence[str], first: int, last: int | None = None, format_line: Callable[[str], str] = escape_line
) -> tuple[list[str], int]:
    """Return the lines from `first` (counted from 1) to `last` that fit one answer, formatted by `format_line`, and
    the number of the last one."""
    excerpt: list[str] = []
    room = MAX_CHARS
    for line in lines[first - 1 : last]:
        text = format_line(line)
        room -= len(text) + 1
        if room < 0 and excerpt:
            break
        excerpt.append(text)
    return excerpt, first + len(excerpt) - 1
