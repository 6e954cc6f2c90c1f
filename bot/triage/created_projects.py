"""Projects created by commands: validation, and loading from `projects.json`.

The rules are those of `projects` in `triage.yml`, but stricter, since commands are typed in Slack: environment
variables and folders that overlap Triage's own state are not allowed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from pydantic import ValidationError

from bot.config.complaints import describe_problem
from bot.config.projects import CURRENT, denial_reason, is_kernel_folder, projects_of
from bot.config.sections.projects import ProjectSection
from bot.config.settings import CHECKOUTS
from bot.decide.repository_address import host_of
from bot.errors import Misconfigured, Unreadable
from bot.models.project import ProjectRecords
from bot.models.visible import clean
from bot.tools.roots import keep_home
from bot.triage.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config.settings import Settings
    from bot.decide.project_reach import ProjectReach
    from bot.models.project import Project, Repository
    from bot.ports.outbound import JsonFile

log = logging.getLogger(__name__)

KEYS = ("root", "repository", "branch", "web_url", "description", "name", "weight", "max_agents")
"""Keys of a project that a command may set."""

CREATED_FOLDER = ".made"
"""Folder of created projects among the checkouts; no project in the settings can have this name."""

WORKSPACES = ".work"
"""Folder of the clones that Triage works on, there as well."""

FILE = "projects.json"
"""File of created projects, pauses and channel links, passed as `kept`."""


async def load_projects(settings: Settings, home: Path, file: JsonFile) -> tuple[Projects, str | None]:
    """Load the projects of the settings and of `file`, and the reason why `file` cannot be read, if there is one."""
    path = home / FILE
    problem = None
    try:
        stored = ProjectRecords.model_validate(await file.read_whole())
    except (Unreadable, ValidationError) as broken:
        stored = ProjectRecords()
        first = broken.errors(include_input=False)[0] if isinstance(broken, ValidationError) else None
        problem = (
            f"{path}: {describe_problem(ProjectRecords, first)} at {_format_location(first['loc'])}"
            if first
            else str(broken)
        )
    projects = Projects(
        file=file,
        settings=_with_notes(settings.project_list, home),
        settings_channels=settings.channel_projects,
        router=settings.routes.router if settings.routes else None,
        locate=partial(locate_project, home=home, reach=settings.project_reach),
        settings_by_command=stored,
    )
    return projects, problem


async def owned_projects(settings: Settings, home: Path, file: JsonFile) -> Projects:
    """Load the projects for the process that owns the home: set an unreadable file aside, remove orphaned checkouts."""
    keep_home(home)
    projects, problem = await load_projects(settings, home, file)
    if problem:
        try:
            backup = await file.set_aside()
        except OSError as broken:
            raise Misconfigured(f"{problem}; and it cannot be moved away: {broken.strerror}") from None
        lost = f"The projects, pauses and channel links set by commands could not be read ({problem})."
        projects.lost = f"{lost} The file was moved to {backup}; Triage continues with triage.yml alone."
        log.error(projects.lost)
    for name, why in projects.problems.items():
        log.warning("the project %s, created by a command, is not available: %s", name, why)
    needed = {project.root.parent for name in projects.names for project in projects.roots_of(name)}
    _remove_orphans(home, needed)
    return projects


def _remove_orphans(home: Path, needed: set[Path]) -> None:
    created = home.absolute() / CHECKOUTS / CREATED_FOLDER
    for folder in created.iterdir() if created.is_dir() else ():
        if folder not in needed:
            shutil.rmtree(folder, ignore_errors=True)


def locate_project(name: str, keys: Mapping[str, str], *, home: Path, reach: ProjectReach) -> tuple[Project, ...]:
    """Resolve and validate a created project within `reach`. Raises `Misconfigured`."""
    strange = [key for key in keys if key not in KEYS]
    if strange:
        raise Misconfigured(f"expected no {strange[0]}: triage.yml can have it, a command cannot")
    try:
        section = ProjectSection.model_validate(dict(keys))
    except ValidationError as problem:
        first = problem.errors(include_input=False)[0]
        key = f"{_format_location(first['loc'])}: " if first["loc"] else ""
        reason = describe_problem(ProjectSection, first).replace("root, repository and roots", "root and repository")
        raise Misconfigured(f"{key}{reason}") from None
    if section.root is not None:
        placed = section.model_copy(update={"root": _check_folder("root", str(section.root), home, reach)})
    else:
        address = _address(section.repository, home, reach)
        which = hashlib.sha256(f"{address} {section.branch}".encode()).hexdigest()[:12]
        folder = (
            home.absolute() / CHECKOUTS / CREATED_FOLDER / f"{name}-{which}"
        )  # each repository and branch has its own
        placed = section.model_copy(update={"root": folder / CURRENT, "repository": address})
    return tuple(_add_allowed_folders(project, reach) for project in _with_notes(projects_of({name: placed}), home))


def locate_repository(address: str, branch: str, *, home: Path, reach: ProjectReach) -> Repository:
    """Validate a repository that a command adds, by the rules of created projects. Raises `Misconfigured`."""
    keys = {"repository": address} | ({"branch": branch} if branch else {})
    (project,) = locate_project("added", keys, home=home, reach=reach)
    assert project.repository is not None  # noqa: S101  # of its keys
    return project.repository


def _add_allowed_folders(project: Project, reach: ProjectReach) -> Project:
    """Add the allowed parent folders to a project whose repository is on this machine."""
    source = project.repository
    if source is None or source.protocol != "file":
        return project
    return project.evolve(repository=source.evolve(below=reach.below))


def _with_notes(projects: tuple[Project, ...], home: Path) -> tuple[Project, ...]:
    """Add the notes folder to each project."""
    return tuple(project.evolve(notes=home.absolute() / "notes" / project.belongs_to) for project in projects)


def _address(address: str, home: Path, reach: ProjectReach) -> str:
    """Validate and return a repository's address; one on this machine is checked like a folder."""
    if "://" not in address:
        return str(_check_folder("repository", address, home, reach))
    parts = urlsplit(address)
    if parts.scheme == "file":
        return f"file://{quote(str(_check_folder('repository', unquote(parts.path), home, reach)))}"
    if problem := reach.host_problem(*host_of(address)):
        raise Misconfigured(f"repository: {problem}")
    return address


def _check_folder(setting: str, path: str, home: Path, reach: ProjectReach) -> Path:
    """Validate and return a folder: allowed, readable, and apart from Triage's own state."""
    folder, own = _resolve_path(setting, path), home.resolve()
    if problem := reach.folder_problem(folder, path):  # first, so that no error reveals what is there
        raise Misconfigured(f"{setting}: {problem}")
    if not _is_readable(folder):
        raise _missing_folder(setting, path)
    if is_kernel_folder(folder):
        raise Misconfigured(f"{setting}: expected a folder of files, got {path}")
    if why := denial_reason(folder):
        raise Misconfigured(f"{setting}: {why}")
    if folder.is_relative_to(own) or own.is_relative_to(folder):
        raise Misconfigured(f"{setting}: expected a folder with none of Triage's own state in or around it, got {path}")
    if setting == "root" and _is_bare(folder):
        mend = f"give it as repository={path}, and its code is fetched"
        raise Misconfigured(f"root: expected a folder of files, got a repository without any: {mend}")
    return folder


def _resolve_path(setting: str, text: str) -> Path:
    """Resolve a path, existing or not; `~user` is not expanded, so that no error reveals other users."""
    if (
        clean(text) != text or not text.replace("\u200c", "").isprintable()
    ):  # the zero-width non-joiner is a valid letter
        raise Misconfigured(f"{setting}: expected a path without control characters or other invisible ones")
    is_home = text == "~" or text.startswith("~/")
    try:
        path = Path(text).expanduser() if is_home else Path(text)
        if not path.is_absolute():
            raise Misconfigured(f"{setting}: expected the whole path of a folder, such as /srv/shop, got {text}")
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        raise _missing_folder(setting, text) from None


def _missing_folder(setting: str, path: str) -> Misconfigured:
    return Misconfigured(f"{setting}: expected an existing folder that Triage can read, got {path}")


def _is_bare(folder: Path) -> bool:
    """Return whether a folder is a bare git repository."""
    return (folder / "HEAD").is_file() and all((folder / name).is_dir() for name in ("objects", "refs"))


def _is_readable(folder: Path) -> bool:
    try:
        return folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)
    except (OSError, ValueError):
        return False


def _format_location(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location))
