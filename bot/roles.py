"""Roles and routes: `roles/*.md` beside the settings, put together with `routing` when the settings are read.

A role file is YAML between two lines of `---` (`name`, `displayName`, `category`, `cwd`), then the prompt, in which
`{journal_path}` stands for the task's journal. Every mistake is a `Misconfigured` that names file, line and key.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from bot.codebases import existing
from bot.decide.router import Place, Routed, Router, Rule
from bot.errors import Misconfigured
from bot.models.role import Role
from bot.yaml_file import Lines, mapping, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.models.project import Project
    from bot.sections.routing import CategorySection, RoutingSection

FOLDER = "roles"
MAX_BYTES = 100_000
_KEYS = {"name": "name", "displayName": "display_name", "category": "category", "cwd": "cwd"}
_FENCE = "---"
_NAMED = "project:"
"""How a `cwd` starts that names its project: project:platform/deploy."""


@dataclass(frozen=True, kw_only=True)
class Routes:
    """What `routing` comes to. `roles` are those that a rule or the default names, by name."""

    router: Router
    roles: Mapping[str, Role]


def routes(
    section: RoutingSection,
    categories: Mapping[str, CategorySection],
    projects: Sequence[Project],
    channels: Mapping[str, str],
    path: Path,
    lines: Lines,
) -> Routes:
    """Everything that a rule needs, found and checked. `path` is the settings file, `lines` where its keys stand."""
    folder = path.absolute().parent
    needed = {section.default: ["routing.default"]}
    for number, rule in enumerate(section.rules):
        needed.setdefault(rule.role, []).append(f"routing.rules.{number}")
    roles, routed = {}, {}
    for name, keys in needed.items():
        file = folder / FOLDER / f"{name}.md"
        roles[name] = role = read_role(file, keys, categories)
        routed[name] = Routed(display_name=role.display_name, place=_place(role.cwd, folder, projects, f"{file}: cwd"))
    rules = []
    for number, rule in enumerate(section.rules):
        key = f"routing.rules.{number}.cwd"
        place = _place(rule.cwd, folder, projects, f"{path}:{lines.of(_key(key))}: {key}")
        rules.append(Rule(pattern=rule.pattern, role=rule.role, place=place, channel=rule.channel))
    names = list(dict.fromkeys(project.belongs_to for project in projects))
    try:
        router = Router(default=section.default, rules=rules, roles=routed, projects=names, channels=channels)
    except Misconfigured as problem:
        raise Misconfigured(f"{path}:{lines.of(_key(str(problem)))}: {problem}") from None
    return Routes(router=router, roles=roles)


def read_role(path: Path, needed_by: Sequence[str], categories: Mapping[str, object]) -> Role:
    """The role in a file; `needed_by` are the keys of the settings that name it. Raises `Misconfigured`."""
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        raise Misconfigured(f"{path}: expected a role file; {_listed(needed_by)} it") from None
    front, prompt = _parts(text, path)
    data, lines = mapping(front, path)
    strange = [key for key in data if key not in _KEYS]
    if strange:
        raise Misconfigured(_said(path, lines, strange[0], f"expected one of {', '.join(_KEYS)}{_why(strange[0])}"))
    try:
        role = Role(**{_KEYS[key]: value for key, value in data.items()}, prompt=prompt)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = next((given for given, ours in _KEYS.items() if ours == str(first["loc"][0])), "name")
        raise Misconfigured(_said(path, lines, key, f"expected {_expected(first)}")) from None
    if role.name != path.stem:
        raise Misconfigured(_said(path, lines, "name", f"expected {path.stem}, as the file is called"))
    if role.category not in categories:
        known = ", ".join(categories)
        raise Misconfigured(_said(path, lines, "category", f"expected one of `categories` in the settings: {known}"))
    return role


def _parts(text: str, path: Path) -> tuple[str, str]:
    """Front matter, an empty line in place of its first fence so that lines keep their numbers, and the prompt."""
    lines = text.lstrip("\ufeff").split("\n")
    if lines[0].strip() != _FENCE or _FENCE not in (stripped := [line.strip() for line in lines[1:]]):
        raise Misconfigured(f"{path}:1: expected front matter between two lines of {_FENCE}")
    end = stripped.index(_FENCE) + 1
    prompt = "\n".join(lines[end + 1 :]).strip()
    if not prompt:
        raise Misconfigured(f"{path}:{end + 1}: expected a prompt beneath the front matter")
    return "\n".join(["", *lines[1:end]]), prompt


def _place(cwd: Path | None, folder: Path, projects: Sequence[Project], where: str) -> Place | None:
    """The project that a folder lies in; `where` says who names it. Raises `Misconfigured`."""
    if cwd is None:
        return None
    if str(cwd).startswith(_NAMED):
        return _named_place(str(cwd).removeprefix(_NAMED), projects, where)
    real = existing(folder, cwd)
    if real is None:
        raise Misconfigured(f"{where}: expected a folder that exists, got {cwd}")
    around = [project for project in projects if real.is_relative_to(project.root)]
    if len(around) != 1:
        names = " and ".join(project.name for project in around) or "none"
        raise Misconfigured(f"{where}: expected a folder inside the root of one project, {cwd} lies in {names}")
    return Place(project=around[0].name, folder=real.relative_to(around[0].root).as_posix())


def _named_place(said: str, projects: Sequence[Project], where: str) -> Place:
    """A folder that is named by its project, since the code of a repository has no place beside the settings."""
    inside = [project for project in projects if f"{said}/".startswith(f"{project.name}/")]
    if len(inside) != 1 or ".." in said.split("/"):
        names = ", ".join(project.name for project in projects)
        raise Misconfigured(f"{where}: expected project:name or project:name/folder with one of {names}, got {said}")
    project, below = inside[0], said.removeprefix(inside[0].name).strip("/") or "."
    if project.repository is None and existing(project.root, Path(below)) is None:
        raise Misconfigured(f"{where}: expected a folder that exists in {project.name}, got {below}")
    return Place(project=project.name, folder=below)


def _said(path: Path, lines: Lines, key: str, text: str) -> str:
    return f"{path}:{lines.of((key,))}: {key}: {text}"


def _why(key: str) -> str:
    mechanics = ("model", "maxTurns", "maxBudgetUsd", "inactivityTimeout")
    return "; what a run may take is its category's" if key in mechanics else ""


def _expected(problem: Any) -> str:
    match problem["type"]:
        case "missing":
            return "a value, found none"
        case "string_pattern_mismatch":
            return "a name of lower-case letters, digits and dashes"
        case "path_type":
            return "a path"
        case _:
            return str(problem["msg"]).removeprefix("Input should be ")


def _listed(keys: Sequence[str]) -> str:
    *before, last = keys
    return f"{', '.join(before)} and {last} need" if before else f"{last} needs"


def _key(said: str) -> tuple[int | str, ...]:
    return tuple(int(part) if part.isdecimal() else part for part in said.partition(":")[0].split("."))
