"""Routing of a question to a role and a project (spec 5, step 2). Pure.

The role is that of the first rule whose pattern matches the text and whose channel is this one, else the default. A
question may consist of several messages, a line each, that begin with mentions: `^` matches at the beginning of each
line, with or without its mentions. The project is named in the text as `project:name`, else it is the channel's, else
that of the rule's folder, else that of the role's, else the only one. Without rules, only the first two count
(`unruled`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import re2

from bot.errors import Misconfigured
from bot.models.route import Route

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_NAMED = re2.compile(r"(?i)(?:^|[^\pL\pN_./:-])project:([a-z0-9][a-z0-9._-]{0,63})")
_ADDRESSED = re2.compile(r"(?m)^[ \t]*(?:@[UW][A-Z0-9]+\b[ \t,:]*)+")
"""Mentions at the beginning of a line, as the normaliser writes them."""
_UNRULED = "investigator"
"""Role where no rule names one, as in `workflow/dispatches`."""
_BY_NAME, BY_CHANNEL = "its name in the message", "the channel"


@dataclass(frozen=True, kw_only=True)
class ProjectFolder:
    """Project, with a folder relative to its root as a POSIX path."""

    project: str
    """Name of the project: `shop`; `shop/api` for one of several roots."""
    folder: str = "."


@dataclass(frozen=True, kw_only=True)
class RoutingRule:
    """Entry of `routing.rules`."""

    pattern: str
    role: str
    place: ProjectFolder | None = None
    channel: str | None = None


@dataclass(frozen=True, kw_only=True)
class Routed:
    """Role, as routes name it."""

    display_name: str
    place: ProjectFolder | None = None


@dataclass(frozen=True, kw_only=True)
class Router:
    """Matcher for all rules together; `roles` has every role that a rule or the default names.

    `projects` and `channels` are those of the settings; current ones may be given for each question.
    """

    default: str
    rules: Sequence[RoutingRule]
    roles: Mapping[str, Routed]
    projects: Sequence[str]
    """Names of the projects."""
    channels: Mapping[str, str] = field(default_factory=dict)
    """Projects of channels, by channel id."""
    _set: re2.Set = field(init=False)

    def __post_init__(self) -> None:
        """Compile the rules. Raises `Misconfigured` with a line for each of the `faults`."""
        if wrong := faults(self.default, self.rules, self.roles, self.projects):
            raise Misconfigured("\n".join(wrong))
        object.__setattr__(self, "_set", _compile_rules(self.rules))

    def route(
        self,
        text: str,
        channel: str,
        *,
        projects: Sequence[str] | None = None,
        channels: Mapping[str, str] | None = None,
    ) -> Route:
        """Return the route of a question; `projects` and `channels` replace those of the settings."""
        text = text.encode(errors="replace").decode()
        rule_index = self._rule(text, channel)
        rule = self.rules[rule_index] if rule_index is not None else None
        name = rule.role if rule else self.default
        role = self.roles[name]
        by = f"rule {rule_index + 1}, {rule.pattern}" if rule and rule_index is not None else "the default role"
        own = (rule.place if rule else None) or role.place
        named = find_chosen_project(
            text,
            channel,
            self.projects if projects is None else projects,
            self.channels if channels is None else channels,
        )
        place, where = (_folder_in_project(named[0], own), named[1]) if named else self._choose_folder(rule, role)
        return Route(
            role=name,
            role_name=role.display_name,
            project=place.project,
            folder=place.folder,
            rule=None if rule_index is None else rule_index + 1,
            why=f"{by}; project by {where}",
        )

    def _rule(self, text: str, channel: str) -> int | None:
        """Return the index of the first rule that matches the text."""
        if not self.rules:
            return None
        bare = _ADDRESSED.sub("", text)
        matches = {*(self._set.Match(text) or ()), *((self._set.Match(bare) or ()) if bare != text else ())}
        fits = (number for number in matches if self.rules[number].channel in (None, channel))
        return min(fits, default=None)

    def _choose_folder(self, rule: RoutingRule | None, role: Routed) -> tuple[ProjectFolder, str]:
        """Return the place of a question that has no project by name or channel, and the source of the choice."""
        if rule and rule.place:
            return rule.place, "the rule's cwd"
        if role.place:
            return role.place, "the role's cwd"
        return ProjectFolder(project=self.projects[0]), "the settings have no other"


def faults(
    default: str, rules: Sequence[RoutingRule], roles: Mapping[str, Routed], projects: Sequence[str]
) -> list[str]:
    """Return the rules without a project and the patterns that re2 refuses, each with its key.

    Unknown roles are not reported.
    """
    options = _options()
    used: list[tuple[str, str, ProjectFolder | None]] = [("routing.default", default, None)]
    used += [(f"routing.rules.{number}", rule.role, rule.place) for number, rule in enumerate(rules)]
    wrong = [
        f"{key}: no cwd: neither the rule nor the role {role} names a folder"
        for key, role, place in used
        if len(projects) != 1 and place is None and role in roles and roles[role].place is None
    ]
    for number, rule in enumerate(rules):
        if why := _misfit(rule.pattern, options):
            wrong.append(f"routing.rules.{number}.pattern: {rule.pattern!r} {why}")
    return wrong


def _misfit(pattern: str, options: re2.Options) -> str | None:
    """Return why re2 refuses a pattern; `None` for a valid one."""
    try:
        re2.Set.SearchSet(options).Add(f"(?m){pattern}")
    except re2.error:
        return "is not a re2 pattern"
    try:
        re2.compile(pattern, options)  # a set would accept a too large pattern, and fail as a whole
    except re2.error:
        return "is too large for re2"
    return None


def find_chosen_project(
    text: str, channel: str, projects: Sequence[str], channels: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return the project chosen in the message or for its channel, with the source of the choice."""
    by_name = {name.lower(): name for name in projects} | {name: name for name in projects}
    for named in _NAMED.finditer(text):
        for name in (named[1], named[1].rstrip(".-_")):  # without the punctuation of the sentence
            if project := by_name.get(name) or by_name.get(name.lower()):
                return project, _BY_NAME
    return (channels[channel], BY_CHANNEL) if channel in channels else None


def unruled(
    text: str, channel: str, projects: Sequence[str], channels: Mapping[str, str], paused: Collection[str] = ()
) -> Route | None:
    """Return the route without rules; `None` where the best matching project is to be searched for.

    A question that names only a paused project waits for it, and is not answered from another project.
    """
    named = find_chosen_project(text.encode(errors="replace").decode(), channel, projects, channels)
    if named is None and paused:
        spoken = [name for name in projects if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)]
        named = (spoken[0], _BY_NAME) if len(spoken) == 1 and spoken[0] in paused else None
    if named is None:
        return None
    return unrouted(*named)


def unrouted(project: str, by: str) -> Route:
    """Return the route to a project without rules, with the source of the choice."""
    return Route(role=_UNRULED, role_name=_UNRULED.capitalize(), project=project, why=f"project by {by}")


def _folder_in_project(project: str, own: ProjectFolder | None) -> ProjectFolder:
    """Return the folder of the rule or role where it belongs to the project, else the project's root."""
    return own if own and own.project.partition("/")[0] == project else ProjectFolder(project=project)


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


def _compile_rules(rules: Sequence[RoutingRule]) -> re2.Set:
    """Compile all patterns into one set. Raises `Misconfigured`."""
    patterns = re2.Set.SearchSet(_options())
    for rule in rules:
        patterns.Add(f"(?m){rule.pattern}")
    try:
        if rules:
            patterns.Compile()
    except re2.error as problem:
        raise Misconfigured("routing.rules: all patterns together are too large for re2; shorten some") from problem
    return patterns
