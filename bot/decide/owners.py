"""Owners: whom CODEOWNERS names for a file, and who of them is known in Slack. Pure; called by `approval/ask_owner`.

GitHub's rules: the last line that fits a path counts, and one without owners means that nobody owns it. GitLab's
sections (`[Docs][2] @team`, `^[Optional]`) count each for itself, and a line without owners has those of its section.
Lines that cannot be read are left out, as both do, and so are patterns longer than any path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from bot.decide.retrieval.path_patterns import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file may lie, in the order in which it is looked for."""
MOST_LINES = 20_000
LONGEST = 4_096
"""Characters of a pattern."""

_SECTION = re.compile(r"\^?\[(?P<name>[^\]]+)\](?:\[\d+\])?(?P<rest>(?:\s.*)?)")
_WORD = re.compile(r"(?:\\.|[^\s\\])+")
_OWNER = re.compile(r"@[\w.-]+(?:/[\w./-]+)?|@@[\w-]+|[^@\s]+@[^@\s.]+\.[^@\s]+")


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """A line: who owns what fits the pattern. `section` is GitLab's, empty outside of one."""

    pattern: str
    owners: tuple[str, ...]
    section: str = ""


def parse(lines: Sequence[str]) -> tuple[OwnerRule, ...]:
    """The rules of a CODEOWNERS file, in order."""
    rules, section, default = [], "", ()  # type: tuple[list[OwnerRule], str, tuple[str, ...]]
    for line in lines[:MOST_LINES]:
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        if head := _SECTION.fullmatch(said):
            section, default = head["name"].strip().lower(), _owners(head["rest"])
            continue
        word = _WORD.match(said)
        if word is None or word[0].startswith("!") or len(word[0]) > LONGEST:  # neither of the two knows exceptions
            continue
        rules.append(OwnerRule(word[0], _owners(said[word.end() :]) or default, section))
    return tuple(rules)


def owners_of(path: str, rules: Sequence[OwnerRule]) -> tuple[str, ...]:
    """Who owns a file, as the file names them: of each section what its last fitting line says."""
    return _owned((path,), rules)[path]


def to_ask(
    paths: Iterable[str], rules: Sequence[OwnerRule], known: Mapping[str, str], on_call: Sequence[str]
) -> tuple[str, ...]:
    """The Slack ids to ask about these files: their owners as `known` maps them, in order, else who is on call.

    A person who is both comes once. Names count without regard to upper and lower case.
    """
    people = {name.lower(): who for name, who in known.items()}
    named = (people.get(owner.lower()) for owners in _owned(paths, rules).values() for owner in owners)
    return tuple(dict.fromkeys(who for who in named if who)) or tuple(dict.fromkeys(on_call))


def _owned(paths: Iterable[str], rules: Sequence[OwnerRule]) -> dict[str, tuple[str, ...]]:
    """The owners of each path; rule by rule, so that each pattern is compiled once however many there are."""
    found: dict[str, dict[str, tuple[str, ...]]] = {path: {} for path in paths}
    for rule in rules:
        for path, sections in found.items():
            if fits(rule.pattern, path, star_is_shallow=True):
                sections[rule.section] = rule.owners
    return {path: tuple(dict.fromkeys(chain.from_iterable(each.values()))) for path, each in found.items()}


def _owners(text: str) -> tuple[str, ...]:
    """The owners before a comment."""
    said = text.partition(" #")[0].split()
    return tuple(word for word in said if _OWNER.fullmatch(word))
