"""Projects of the settings, found on the disk: each folder, repository and root as the engines take them.

A repository's code lies in the home, in `checkouts/`, where `adapters/checkouts` brings it up to date; the settings
only know the place.
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
from bot.tools.roots import moved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bot.config.sections.projects import CodeSection, ProjectSection
    from bot.config.yaml_file import KeyLines

_KERNELS = (Path("/proc"), Path("/sys"), Path("/dev"))
"""The kernel's own: processes with their environments, devices that never end."""

CURRENT = "current"
"""The link, in the folder of a checkout, to the tree of the newest commit."""

_MOST_LINKS = 40
"""As many links as Linux follows on one way."""
DEMO = "demo"
"""The folder of the home that the demo keeps code in, and no state."""


def located(
    path: Path, given: Mapping[str, ProjectSection], lines: KeyLines, checkouts: Path
) -> tuple[dict[str, ProjectSection], list[str]]:
    """The projects with absolute paths, and what is wrong with them. `path` is the settings file."""
    found = {}
    disk = _Disk(path, lines, checkouts.parent)
    for name, project in given.items():
        key = ("projects", name)
        roots = tuple(
            root.model_copy(update=_placed(disk, (*key, "roots", number), root, checkouts / f"{name}-{root.name}"))
            for number, root in enumerate(project.roots)
        )
        placed = {} if roots else _placed(disk, key, project, checkouts / name)
        knowledge = tuple(disk.folder_of((*key, "knowledge"), folder) for folder in project.knowledge)
        found[name] = project.model_copy(update={**placed, "roots": roots, "knowledge": knowledge})
    folders = [str(code.root) for project in found.values() for code in (*project.roots, project) if code.repository]
    if len({*folders}) != len(folders):
        line = lines.of(("projects",))
        disk.wrong.append(f"{path}:{line}: projects: two repositories would lie in one folder; give one another name")
    return found, disk.wrong


def projects_of(given: Mapping[str, ProjectSection]) -> tuple[Project, ...]:
    """The same as plain values; a project with several roots is one for each, called `project/root`."""
    return tuple(
        Project(
            name=part,
            root=code.root,
            repository=code.source,
            description=project.description,
            web_url=code.web_url or project.web_url,
            knowledge=project.knowledge,
            ignore=(*project.ignore, *(code.ignore if project.roots else ())),
            languages=code.languages or project.languages,
            external=project.external,
        )
        for name, project in given.items()
        for part, code in _parts(name, project)
        if code.root is not None  # else it is a repository in settings that were not read from a file
    )


def _parts(name: str, project: ProjectSection) -> list[tuple[str, CodeSection]]:
    """Each root by its name; a project with one root goes by its own."""
    return [(f"{name}/{root.name}", root) for root in project.roots] or [(name, project)]


def _placed(disk: _Disk, key: tuple[int | str, ...], code: CodeSection, checkout: Path) -> dict[str, object]:
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
        disk.look_at((*key, "repository"), folder, _led_out(disk.path.absolute().parent, folder))
        _remember_git(folder, remember_source)
        if (real := existing(folder, folder)) not in (None, folder):
            address = f"file://{quote(str(real))}"
    return {"root": checkout / CURRENT, "repository": address}


@dataclass
class _Disk:
    """The folders that a settings file names; `wrong` collects those that are not there, or are not read."""

    path: Path
    lines: KeyLines
    home: Path
    wrong: list[str] = field(default_factory=list)

    def folder_of(self, key: tuple[int | str, ...], given: Path) -> Path:
        """A folder that the settings name, absolute."""
        start = self.path.absolute().parent
        folder = existing(start, given)
        if folder is None:
            said, looked = ".".join(map(str, key)), start / given
            made = f"`mkdir -p {looked}`" if key[-1] == "knowledge" else "put the code there"
            mend = f"found none at {looked}: {made}, or name another"
            self.wrong.append(f"{self.path}:{self.lines.of(key)}: {said}: expected a folder that exists, {mend}")
        else:
            self.look_at(key, folder, _led_out(start, start / given.expanduser()))
        return folder or given

    def look_at(self, key: tuple[int | str, ...], folder: Path, link: Path | None = None) -> None:
        """Note that a folder is never read, where that is so."""
        real, home = Path(os.path.realpath(folder)), Path(os.path.realpath(self.home))
        why = kept_from(real)
        if real.is_relative_to(home) and not real.is_relative_to(home / DEMO):
            why = f"expected a folder outside of Triage's own state, got {real}: name one that lies elsewhere"
        elif link and not why:
            why = f"{link} leads out of the repository that it lies in: name the folder itself where that is meant"
        if why:
            self.wrong.append(f"{self.path}:{self.lines.of(key)}: {'.'.join(map(str, key))}: {why}")


def below_of(path: Path, given: Sequence[Path], lines: KeyLines) -> tuple[tuple[Path, ...], list[str]]:
    """The folders of `projects_below`, absolute, and what is wrong with them. One that is not there yet may come."""
    found, wrong = [], []
    for number, folder in enumerate(given):
        try:
            real = (path.absolute().parent / folder.expanduser()).resolve()
            real = Path("/", *real.parts[1:])  # two slashes at the beginning are one
            is_other = real.exists() and not real.is_dir()
        except (OSError, RuntimeError, ValueError):  # as in `existing`
            real, is_other = folder, True
        why = f"expected a folder, got {folder}" if is_other else kept_from(real)
        if is_of_the_kernel(real):
            why = f"expected a folder of files, got {folder}"
        if why:
            wrong.append(f"{path}:{lines.of(('projects_below', number))}: projects_below.{number}: {why}")
        found.append(real)
    return tuple(found), wrong


def is_of_the_kernel(folder: Path) -> bool:
    """Return whether a folder holds no files but what the kernel shows of itself and of this process."""
    return any(folder.is_relative_to(other) for other in _KERNELS)


def kept_from(folder: Path) -> str | None:
    """Why a folder is never read, with the next step; `None` where it may be. `folder` is resolved."""
    part = denied_part(folder.as_posix())
    if not part:
        return None
    said = f"expected a folder that may be read, got {folder}"
    if part.casefold() == ".git":
        return f"{said}: that is what git keeps; name the folder around it"
    return f"{said}: {part} holds secrets by its name; name a folder that lies in none such"


def existing(start: Path, given: Path) -> Path | None:
    """The folder `given`, absolute; a relative path begins at `start`. `None` where there is none."""
    try:
        folder = (start / given.expanduser()).resolve()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # a name too long, the home of nobody, a NUL
        return None


def _led_out(start: Path, folder: Path) -> Path | None:
    """The link on a folder's way that a repository of others holds and that leads out of it, if there is one."""
    own = start.resolve()
    for link in _links(folder):
        top = next((each for each in link.parents if os.path.lexists(each / ".git")), None)
        if top and not own.is_relative_to(top) and not link.resolve().is_relative_to(top):
            return link
    return None


def _links(folder: Path) -> Iterator[Path]:
    """Each link on the way to an absolute path, where it really lies, and each that a link leads to."""
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
    """Keep the folders of git as the settings find them now: what a repository names later is not read."""
    with suppress(OSError, RuntimeError, ValueError):  # a folder that cannot be read, which others say
        keep(root)


def unreadable(folder: Path) -> str | None:
    """Why this user cannot read what is in a folder, with the next step; `None` where it can be read."""
    if why := moved(folder):
        return why
    try:
        with os.scandir(folder) as entries:
            next(entries, None)
        os.stat(f"{folder}/.")  # noqa: PTH116  # Path drops the dot; names without the right to open them are not enough
    except PermissionError:
        return f"{folder} may not be read by the user of the bot; give that user the right to (`chmod`, a group)"
    except OSError as problem:
        return f"{folder} cannot be read: {problem.strerror}"
    return None
