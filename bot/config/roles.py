"""Roles and routes: `roles/*.md` beside the settings, combined with `routing` when the settings are read.

A role file is YAML between two lines of `---` (`name`, `displayName`, `category`, `cwd`), then the prompt, in which
`{journal_path}` is replaced by the task's journal. Every mistake is reported with file, line and key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.config.projects import resolve_folder
from bot.config.yaml_file import KeyLines, mapping, read_text
from bot.decide.router import ProjectFolder, Routed, Router, RoutingRule
from bot.errors import Misconfigured
from bot.models.role import Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.config.sections.routing import CategorySection, RoutingSection
    from bot.models.project import Project

FOLDER = "roles"
MAX_BYTES = 100_000
_KEYS = {"name": "name", "displayName": "display_name", "category": "category", "cwd": "cwd"}
_FENCE = "---"
_NOWHERE = ProjectFolder(project="")
"""Placeholder for an invalid folder, which is reported separately."""
_NAMED = "project:"
"""Prefix of a `cwd` that names its project, as in project:platform/deploy."""


@dataclass(frozen=True, kw_only=True)
class Routes:
    """Router and roles built from `routing`. `roles` are those that a rule or the default names, by name."""

    router: Router
    roles: Mapping[str, Role]


def build_routes(
    section: RoutingSection,
    categories: Mapping[str, CategorySection],
    projects: Sequence[Project],
    channels: Mapping[str, str],
    path: Path,
    lines: KeyLines,
) -> tuple[Routes | None, list[str]]:
    """Build the router and the roles of the rules; return them, or the mistakes with their places.

    `path` is the settings file, `lines` the lines of its keys.
    """
    reading = _Reading(categories=categories, projects=projects, path=path, lines=lines)
    roles = reading.roles(section)
    routed = {
        name: Routed(display_name=role.display_name, place=reading.role_place(role)) for name, role in roles.items()
    }
    rules = [
        RoutingRule(
            pattern=rule.pattern, role=rule.role, place=reading.rule_place(number, rule.cwd), channel=rule.channel
        )
        for number, rule in enumerate(section.rules)
    ]
    names = list(dict.fromkeys(project.belongs_to for project in projects))
    try:
        router = Router(default=section.default, rules=rules, roles=routed, projects=names, channels=channels)
    except Misconfigured as problem:
        reading.at_lines(str(problem).splitlines())
    else:
        if not reading.wrong:
            return Routes(router=router, roles=roles), []
    return None, reading.wrong


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """Reader of the roles and folders that the settings name; `wrong` collects the mistakes."""

    categories: Mapping[str, CategorySection]
    projects: Sequence[Project]
    path: Path
    lines: KeyLines
    wrong: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Folder at which relative paths begin."""
        return self.path.absolute().parent

    def roles(self, section: RoutingSection) -> dict[str, Role]:
        """Read the roles that a rule or the default names; leave out those with a mistake."""
        needed = {section.default: ["routing.default"]}
        for number, rule in enumerate(section.rules):
            needed.setdefault(rule.role, []).append(f"routing.rules.{number}")
        roles = {}
        for name, keys in needed.items():
            try:
                roles[name] = read_role(self._file(name), keys, self.categories)
            except Misconfigured as problem:
                self.wrong.extend(str(problem).splitlines())
        return roles

    def role_place(self, role: Role) -> ProjectFolder | None:
        """Return the project folder that a role's `cwd` names."""
        return self._place(role.cwd, f"{self._file(role.name)}: cwd")

    def rule_place(self, number: int, cwd: Path | None) -> ProjectFolder | None:
        """Return the project folder that a rule's `cwd` names."""
        key = f"routing.rules.{number}.cwd"
        return self._place(cwd, f"{self.path}:{self.lines.line_of(_key(key))}: {key}")

    def at_lines(self, complaints: Sequence[str]) -> None:
        """Collect complaints that begin with a key of the settings, prefixed with file and line."""
        self.wrong.extend(f"{self.path}:{self.lines.line_of(_key(each))}: {each}" for each in complaints)

    def _file(self, name: str) -> Path:
        return self.folder / FOLDER / f"{name}.md"

    def _place(self, cwd: Path | None, where: str) -> ProjectFolder | None:
        try:
            return _place(cwd, self.folder, self.projects, where)
        except Misconfigured as problem:
            self.wrong.append(str(problem))
            return _NOWHERE


def read_role(path: Path, needed_by: Sequence[str], categories: Mapping[str, object]) -> Role:
    """Read the role in a file; `needed_by` are the keys of the settings that name it.

    Raises `Misconfigured` with a line for each mistake.
    """
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        raise Misconfigured(f"{path}: expected a role file; {_join_keys(needed_by)} it") from None
    front, prompt = _parts(text, path)
    data, lines = mapping(front, path)
    role, wrong = _validate_role(data, prompt)
    fine = {key: data[key] for key in data if key not in [key for key, _ in wrong]}
    if fine.get("name", path.stem) != path.stem:
        wrong.append(("name", f"expected {path.stem}, as the file is called"))
    if "category" in fine and fine["category"] not in categories:
        wrong.append(("category", f"expected one of `categories` in the settings: {', '.join(categories)}"))
    if wrong or role is None:
        raise Misconfigured("\n".join(_complaint(path, lines, key, text) for key, text in wrong))
    return role


def _validate_role(data: Mapping[str, Any], prompt: str) -> tuple[Role | None, list[tuple[str, str]]]:
    """Validate a role; return it, or the expected value for each invalid key."""
    wrong = [(key, f"expected one of {', '.join(_KEYS)}{_explain_key(key)}") for key in data if key not in _KEYS]
    try:
        return Role(**{ours: data[key] for key, ours in _KEYS.items() if key in data}, prompt=prompt), wrong
    except ValidationError as error:
        names = {ours: key for key, ours in _KEYS.items()}
        for each in error.errors():
            wrong.append((names.get(str(each["loc"][0]), "name"), f"expected {_describe_expected(each)}"))
        return None, wrong


def _parts(text: str, path: Path) -> tuple[str, str]:
    """Split a role file into front matter and prompt; an empty line replaces the first fence to keep line numbers."""
    lines = text.lstrip("\ufeff").split("\n")
    if lines[0].strip() != _FENCE or _FENCE not in (stripped := [line.strip() for line in lines[1:]]):
        raise Misconfigured(f"{path}:1: expected front matter between two lines of {_FENCE}")
    end = stripped.index(_FENCE) + 1
    prompt = "\n".join(lines[end + 1 :]).strip()
    if not prompt:
        raise Misconfigured(f"{path}:{end + 1}: expected a prompt beneath the front matter")
    return "\n".join(["", *lines[1:end]]), prompt


def _place(cwd: Path | None, folder: Path, projects: Sequence[Project], where: str) -> ProjectFolder | None:
    """Return the project that contains a folder; `where` is the place that names it. Raises `Misconfigured`."""
    if cwd is None:
        return None
    if str(cwd).startswith(_NAMED):
        return _named_place(str(cwd).removeprefix(_NAMED), projects, where)
    real = resolve_folder(folder, cwd)
    if real is None:
        raise Misconfigured(f"{where}: expected a folder that exists, got {cwd}")
    around = [project for project in projects if real.is_relative_to(project.root)]
    if len(around) != 1:
        names = " and ".join(project.name for project in around) or "none"
        raise Misconfigured(f"{where}: expected a folder inside the root of one project, {cwd} is in {names}")
    return ProjectFolder(project=around[0].name, folder=real.relative_to(around[0].root).as_posix())


def _named_place(project_path: str, projects: Sequence[Project], where: str) -> ProjectFolder:
    """Return a folder named by its project, since a repository's code has no path beside the settings."""
    inside = [project for project in projects if f"{project_path}/".startswith(f"{project.name}/")]
    if len(inside) != 1 or ".." in project_path.split("/"):
        names = ", ".join(project.name for project in projects)
        raise Misconfigured(
            f"{where}: expected project:name or project:name/folder with one of {names}, got {project_path}"
        )
    project, below = inside[0], project_path.removeprefix(inside[0].name).strip("/") or "."
    if project.repository is None and resolve_folder(project.root, Path(below)) is None:
        raise Misconfigured(f"{where}: expected a folder that exists in {project.name}, got {below}")
    return ProjectFolder(project=project.name, folder=below)


def _complaint(path: Path, lines: KeyLines, key: str, text: str) -> str:
    return f"{path}:{lines.line_of((key,))}: {key}: {text}"


def _explain_key(key: str) -> str:
    mechanics = ("model", "maxTurns", "maxBudgetUsd", "inactivityTimeout")
    return "; the limits of a run are set by its category" if key in mechanics else ""


def _describe_expected(problem: Any) -> str:
    match problem["type"]:
        case "missing":
            return "a value, found none"
        case "string_pattern_mismatch":
            return "a name of lower-case letters, digits and dashes"
        case "path_type":
            return "a path"
        case _:
            return str(problem["msg"]).removeprefix("Input should be ")


def _join_keys(keys: Sequence[str]) -> str:
    *before, last = keys
    return f"{', '.join(before)} and {last} need" if before else f"{last} needs"


def _key(text: str) -> tuple[int | str, ...]:
    return tuple(int(part) if part.isdecimal() else part for part in text.partition(":")[0].split("."))
