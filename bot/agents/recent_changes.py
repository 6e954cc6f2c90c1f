"""Recent changes: the last commits to the code that an alert names, by its paths, names and services."""

from __future__ import annotations

import asyncio
import builtins
import logging
import posixpath
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.alerts.words import ACKNOWLEDGED, FIRING, RESOLVED, SEVERITIES
from bot.decide.retrieval.path_patterns import fits, is_below
from bot.decide.retrieval.stopwords import STOP
from bot.errors import ToolError
from bot.tools import commits, git
from bot.tools.denied_paths import is_denied
from bot.tools.names import is_legible, make_legible
from bot.tools.shown_lines import cut_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from bot.models.alert import Alert, AlertRecord
    from bot.models.project import Project
    from bot.tools.guard import Guard

log = logging.getLogger(__name__)

SINCE = timedelta(days=14)
"""Age of the oldest commit that is shown, before the alert's last message."""
MOST_COMMITS = 10
MOST_FILES = 150
"""Files whose commits are listed; a folder or modules with more of them are too common to tell anything."""
MOST_RENAMED = 8
"""New files whose earlier names are looked for."""
MOST_NAMES = 6
"""Names that are searched for."""
COMMON = 15
"""Number of files from which on a name is too common to tell anything."""
_LINE = re.compile(r":\d{1,9}$")
_NAME = re.compile(r"[A-Za-z_]\w{2,80}")
_WORD = re.compile(r"[\w.-]+")
_DATA = (".yml", ".yaml", ".json", ".toml", ".md", ".rst", ".txt", ".rules")
"""Endings of files that are no code, such as the alert's own rule."""
_COMMON_PARTS = {
    *("alert", "alerts", "app", "apps", "check", "checks", "code", "core", "dev", "error", "errors", "index", "lib"),
    *("libs", "main", "monitor", "prod", "production", "service", "services", "shared", "src", "staging", "test"),
    *("tests", "uptime", "utils"),
}
_GENERAL = SEVERITIES | FIRING | RESOLVED | ACKNOWLEDGED | STOP | _COMMON_PARTS
"""Words of any alert, or any project, that name no part of it."""


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """Files that an alert names, and their last commits, newest first."""

    files: tuple[str, ...]
    commits: tuple[commits.Commit, ...]


async def find_recent_changes(record: AlertRecord, project: Project, folder: str = ".") -> RecentChanges:
    """Return the last commits to the code that an alert names; empty without a repository, or where nothing fits."""
    try:
        return await _find(record, project, folder)
    except ToolError as problem:
        log.info("the history of %s was not read for an alert: %s", project.name, problem)
        return RecentChanges((), ())


async def _find(record: AlertRecord, project: Project, folder: str) -> RecentChanges:
    out, _ = await git.run(project.root, "ls-tree", "-r", "--name-only", "-z", "HEAD", ".")
    listed = await asyncio.to_thread(_usable, out.decode("utf-8", "replace").split("\0"), project, folder)
    alert = record.alert
    known, (named, unknown) = frozenset(listed), await asyncio.to_thread(_find_written, listed, alert.names)
    for name in unknown[:MOST_NAMES]:
        named += [path for path in await _files_with(project, name) if path in known]
    if all(path.endswith(_DATA) for path in named):
        named += await asyncio.to_thread(_find_parts, listed, alert)
    files = tuple(dict.fromkeys(named))[:MOST_FILES]
    if not files:
        return RecentChanges((), ())
    since = record.last_fired_at - SINCE
    before = await _names_before(project, files, since)
    usable = await asyncio.to_thread(_usable, (name for name in before if name not in known), project, folder)
    paths = (*files, *usable)
    return RecentChanges(files, await commits.log_files(project.root, paths, since=since, count=MOST_COMMITS))


async def _names_before(project: Project, files: Sequence[str], since: datetime) -> list[str]:
    """Return earlier names of the files that were added since; none of a history that takes too long to read."""
    names: list[str] = []
    try:
        for path in (await commits.added_files(project.root, files, since=since))[:MOST_RENAMED]:
            names += await commits.earlier_names(project.root, path, since=since)
    except ToolError as problem:
        log.info("renames in %s were not followed for an alert: %s", project.name, problem)
    return names


def describe_changes(changes: RecentChanges, guard: Guard) -> str:
    """Return the commits in rows for a model, redacted and wrapped; a sentence if there are none."""
    if not changes.files:
        return "No file of the project fits the names in the alert."
    shown = ", ".join(f"`{path}`" for path in changes.files[:8])
    if not changes.commits:
        return guard.redact_words(f"No commit of the last {SINCE.days} days touches the files that it names: {shown}.")
    rows = [cut_line(describe_commit(commit)) for commit in changes.commits]
    about = guard.redact_words(f"Commits of the last {SINCE.days} days to the files that it names ({shown}):")
    return f"{about}\n\n{guard.wrap(chr(10).join(rows), source='git_log')}"


def describe_commit(commit: commits.Commit) -> str:
    """Return a commit in one line: short hash, day, author, subject."""
    subject = make_legible(commit.message.partition("\n")[0])
    return f"{commit.sha[:12]}  {commit.day}  {make_legible(commit.author)}  {subject}"


def _usable(paths: Iterable[str], project: Project, folder: str) -> list[str]:
    """Return the files that agents may read."""
    return [
        path
        for path in paths
        if path
        and is_legible(path)
        and not is_denied(path)
        and is_below(folder, path)
        and not any(fits(pattern, path) for pattern in project.ignore)
    ]


def _find_written(listed: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files that written paths and modules name, and the plain names to search for instead of the others."""
    named: list[str] = []
    unknown: list[str] = []
    for name in names:
        path = _LINE.sub("", name).strip("/")
        files = _files_of(listed, path) if "/" in path or "." in path else []
        plain = path.rpartition(".")[2]
        if not files and "/" not in path and _NAME.fullmatch(plain) and not hasattr(builtins, plain):
            unknown.append(plain)
        named += files
    return named, list(dict.fromkeys(unknown))


def _find_parts(listed: Sequence[str], alert: Alert) -> list[str]:
    """Return the files of the folders and modules that the alert's services, else the words of its headline, name."""
    files_by_part: dict[str, list[str]] = {}
    for path in listed:
        *folders, name = path.split("/")
        for part in {_plain(each) for each in (*folders, posixpath.splitext(name)[0])}:
            files_by_part.setdefault(part, []).append(path)
    if named := _files_by_words(files_by_part, alert.services):
        return named
    parts = (part.strip(".-") for part in _WORD.findall(f"{alert.title} {' '.join(alert.values)}"))
    words = (word for word in parts if len(word) > 2)
    return _files_by_words(files_by_part, (word for word in words if word.lower() not in _GENERAL))


def _files_by_words(files_by_part: Mapping[str, Sequence[str]], words: Iterable[str]) -> list[str]:
    """Return the files of the parts of a project that words name as a whole, else by what is between their signs."""
    named: list[str] = []
    for word in words:
        pieces = [piece for piece in re.split(r"[\W_]+", word) if len(piece) > 2 and piece.lower() not in _GENERAL]
        for name in (word, *pieces):
            files = files_by_part.get(_plain(name), []) if _plain(name) else []
            if files:
                named += files if len(files) <= MOST_FILES else []
                break
    return named


def _files_of(listed: Sequence[str], path: str) -> list[str]:
    """Return the files of a written path, which may begin outside of the project, or of a module."""
    module = path.replace(".", "/")
    for ending in (*_shorter(path), module, module.rpartition("/")[0]):
        fitting = [each for each in listed if ending and _ends_with(each, ending)]
        if fitting:
            return fitting if len(fitting) <= COMMON else []
    return []


def _shorter(path: str) -> Iterator[str]:
    """Yield a path, then without its first folders, one after another."""
    while path:
        yield path
        path = path.partition("/")[2]


def _ends_with(path: str, ending: str) -> bool:
    """Return whether a file has this path, or a module's path without its ending, from some folder on."""
    stem = posixpath.splitext(path)[0]
    return any(f"/{whole}".endswith(f"/{ending}") for whole in (path, stem))


async def _files_with(project: Project, name: str) -> list[str]:
    """Return the files with a name as a whole word; none if it is too common, or nowhere."""
    options = ("grep", "-l", "-z", "-I", "-F", "-w", "--no-color", "-e", name, "HEAD", "--", ".")
    try:
        out, _ = await git.run(project.root, *options)
    except ToolError:  # git's way to say that nothing matched
        return []
    paths = [row.partition(":")[2] for row in out.decode("utf-8", "replace").split("\0") if row]
    return paths if len(paths) <= COMMON else []


def _plain(word: str) -> str:
    """Return a word without case and signs."""
    return re.sub(r"[\W_]", "", word.casefold())
