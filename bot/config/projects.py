"""Projects of the settings, located on disk: folders, repositories and roots.

The code of a repository is in the home, in `checkouts/`, where `adapters/checkouts` updates it; the settings only know
its path.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from bot.isolation.repository import remember, remember_source
from bot.models.project import Project
from bot.tools.denied_paths import denied_part
from bot.tools.roots import describe_move

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bot.config.sections.projects import CodeSection, ProjectSection
    from bot.config.yaml_file import KeyLines

_KERNELS = (Path("/proc"), Path("/sys"), Path("/dev"))
"""Folders of the kernel: processes with their environments, devices that never end."""

CURRENT = "current"
"""Name of the link, in the folder of a checkout, to the tree of the newest commit."""

_MOST_LINKS = 40
"""Maximum number of links that Linux follows on one path."""
DEMO = "demo"
"""Folder of the home in which the demo keeps code, and no state."""


def locate_projects(
    path: Path, sections: Mapping[str, ProjectSection], lines: KeyLines, checkouts: Path
) -> tuple[dict[str, ProjectSection], list[str]]:
    """Resolve the projects' paths; return the projects and the problems. `path` is the settings file."""
    projects = {}
    disk = _Disk(path, lines, checkouts.parent)
    for name, project in sections.items():
        key = ("projects", name)
        roots = tuple(
            root.model_copy(update=_locate_code(disk, (*key, "roots", number), root, checkouts / f"{name}-{root.name}"))
            for number, root in enumerate(project.roots)
        )
        placed = {} if roots else _locate_code(disk, key, project, checkouts / name)
        knowledge = tuple(disk.folder_of((*key, "knowledge"), folder) for folder in project.knowledge)
        projects[name] = project.model_copy(update={**placed, "roots": roots, "knowledge": knowledge})
    folders = [str(code.root) for project in projects.values() for code in (*project.roots, project) if code.repository]
    if len({*folders}) != len(folders):
        line = lines.line_of(("projects",))
        disk.wrong.append(f"{path}:{line}: projects: two repositories would share one folder; rename one of them")
    return projects, disk.wrong


def projects_of(sections: Mapping[str, ProjectSection]) -> tuple[Project, ...]:
    """Convert the sections to `Project` values; a project with several roots gives one for each, named
    `project/root`."""
    return tuple(
        Project(
            name=part,
            root=code.root,
            repository=code.source,
            display_name=project.name,
            description=project.description,
            web_url=code.web_url or project.web_url,
            knowledge=project.knowledge,
            ignore=(*project.ignore, *(code.ignore if project.roots else ())),
            languages=code.languages or project.languages,
            external=project.external,
            weight=project.weight,
            max_agents=project.max_agents,
            check=project.check.as_check() if project.check else None,
        )
        for name, project in sections.items()
        for part, code in _parts(name, project)
        if code.root is not None  # `None` for a repository in settings that were not read from a file
    )


def _parts(name: str, project: ProjectSection) -> list[tuple[str, CodeSection]]:
    """Return each root with its name; a single root has the project's name."""
    return [(f"{name}/{root.name}", root) for root in project.roots] or [(name, project)]


def _locate_code(disk: _Disk, key: tuple[int | str, ...], code: CodeSection, checkout: Path) -> dict[str, object]:
    if code.root is not None:
        root = disk.folder_of((*key, "root"), code.root)
        _remember_git(root)
        return {"root": root}
    address = code.repository
    if "://" not in address:
        address = str(disk.folder_of((*key, "repository"), Path(address)))
        _remember_git(Path(address), remember_source)
    elif address.startswith("file://"):
        folder = Path(unquote(address.removeprefix("file://")))
        disk.look_at((*key, "repository"), folder, _find_escaping_link(disk.path.absolute().parent, folder))
        _remember_git(folder, remember_source)
        if (real := resolve_folder(folder, folder)) not in (None, folder):
            address = f"file://{quote(str(real))}"
    return {"root": checkout / CURRENT, "repository": address}


@dataclass
class _Disk:
    """Resolver of the folders that a settings file names; `wrong` collects missing and forbidden ones."""

    path: Path
    lines: KeyLines
    home: Path
    wrong: list[str] = field(default_factory=list)

    def folder_of(self, key: tuple[int | str, ...], path: Path) -> Path:
        """Return a folder of the settings as an absolute path."""
        start = self.path.absolute().parent
        folder = resolve_folder(start, path)
        if folder is None:
            key_text, looked = ".".join(map(str, key)), start / path
            remedy = f"`mkdir -p {looked}`" if key[-1] == "knowledge" else "put the code there"
            mend = f"found none at {looked}: {remedy}, or name another"
            self.wrong.append(
                f"{self.path}:{self.lines.line_of(key)}: {key_text}: expected a folder that exists, {mend}"
            )
        else:
            self.look_at(key, folder, _find_escaping_link(start, start / path.expanduser()))
        return folder or path

    def look_at(self, key: tuple[int | str, ...], folder: Path, link: Path | None = None) -> None:
        """Record a problem if a folder must never be read."""
        real, home = Path(os.path.realpath(folder)), Path(os.path.realpath(self.home))
        why = denial_reason(real)
        if real.is_relative_to(home) and not real.is_relative_to(home / DEMO):
            why = f"expected a folder outside of Triage's own state, got {real}: name one elsewhere"
        elif link and not why:
            why = f"{link} leads out of its repository: name the target folder itself if that is intended"
        if why:
            self.wrong.append(f"{self.path}:{self.lines.line_of(key)}: {'.'.join(map(str, key))}: {why}")


def resolve_allowed_folders(path: Path, folders: Sequence[Path], lines: KeyLines) -> tuple[tuple[Path, ...], list[str]]:
    """Return the folders of `projects_below` as absolute paths, and the problems. A missing folder may be created
    later."""
    resolved, wrong = [], []
    for number, folder in enumerate(folders):
        try:
            real = (path.absolute().parent / folder.expanduser()).resolve()
            real = Path("/", *real.parts[1:])  # two slashes at the beginning are one
            is_other = real.exists() and not real.is_dir()
        except (OSError, RuntimeError, ValueError):  # as in `resolve_folder`
            real, is_other = folder, True
        why = f"expected a folder, got {folder}" if is_other else denial_reason(real)
        if is_kernel_folder(real):
            why = f"expected a folder of files, got {folder}"
        if why:
            wrong.append(f"{path}:{lines.line_of(('projects_below', number))}: projects_below.{number}: {why}")
        resolved.append(real)
    return tuple(resolved), wrong


def is_kernel_folder(folder: Path) -> bool:
    """Return whether a folder belongs to the kernel, such as `/proc`, and holds no regular files."""
    return any(folder.is_relative_to(other) for other in _KERNELS)


def denial_reason(folder: Path) -> str | None:
    """Return the reason why a folder must never be read, with the next step, or `None`. `folder` is resolved."""
    part = denied_part(folder.as_posix())
    if not part:
        return None
    expectation = f"expected a folder that may be read, got {folder}"
    if part.casefold() == ".git":
        return f"{expectation}: it is git's own folder; name the folder around it"
    return f"{expectation}: {part} holds secrets by its name; name a folder outside of it"


def resolve_folder(start: Path, path: Path) -> Path | None:
    """Return the folder `path` as an absolute path, or `None` if it is missing; a relative path begins at `start`."""
    try:
        folder = (start / path.expanduser()).resolve()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # a name too long, the home of nobody, a NUL
        return None


def _find_escaping_link(start: Path, folder: Path) -> Path | None:
    """Return the link on a folder's path that is inside a foreign repository and leads out of it, or `None`."""
    own = start.resolve()
    for link in _links(folder):
        top = next((each for each in link.parents if os.path.lexists(each / ".git")), None)
        if top and not own.is_relative_to(top) and not link.resolve().is_relative_to(top):
            return link
    return None


def _links(folder: Path) -> Iterator[Path]:
    """Yield each link on an absolute path, at its real location, and each link that those lead to."""
    at, rest, followed = Path(folder.anchor), [*folder.parts[1:]], 0
    while rest and followed < _MOST_LINKS:
        part = rest.pop(0)
        here = at.parent if part == ".." else at / part
        if not here.is_symlink():
            at = here
            continue
        yield here
        followed += 1
        target = here.readlink()
        at, ahead = (Path(target.anchor), target.parts[1:]) if target.is_absolute() else (at, target.parts)
        rest = [*ahead, *rest]


def _remember_git(root: Path, keep: Callable[[Path], None] = remember) -> None:
    """Remember git's folders as found now, with the settings: folders that a repository names later are not read."""
    with suppress(OSError, RuntimeError, ValueError):  # an unreadable folder, reported elsewhere
        keep(root)


def unreadable_reason(folder: Path) -> str | None:
    """Return the reason why this user cannot read a folder, with the next step, or `None`."""
    if why := describe_move(folder):
        return why
    try:
        with os.scandir(folder) as entries:
            next(entries, None)
        os.stat(f"{folder}/.")  # noqa: PTH116  # Path drops the dot; a right to list names is not enough
    except PermissionError:
        return f"{folder} may not be read by the user of the bot; give that user the right to (`chmod`, a group)"
    except OSError as problem:
        return f"{folder} cannot be read: {problem.strerror}"
    return None
