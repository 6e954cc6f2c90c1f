"""Code owners: the owners of a file by CODEOWNERS, and their Slack users. Pure.

GitHub's rules: the last matching line counts, and a line without owners means no owner. Each of GitLab's sections
(`[Docs][2] @team`, `^[Optional]`) counts by itself, and a line without owners has those of its section. Unreadable
lines, and patterns longer than any path, are skipped.
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
"""Possible places of the file, in order of precedence."""
MOST_LINES = 20_000
LONGEST = 4_096
"""Maximum length of a pattern, in characters."""

_SECTION = re.compile(r"\^?\[(?P<name>[^\]]+)\](?:\[\d+\])?(?P<rest>(?:\s.*)?)")
_WORD = re.compile(r"(?:\\.|[^\s\\])+")
_OWNER = re.compile(r"@[\w.-]+(?:/[\w./-]+)?|@@[\w-]+|[^@\s]+@[^@\s.]+\.[^@\s]+")


@dataclass(frozen=True, slots=True)
class OwnerRule:
    """Line with a pattern and its owners. `section` is GitLab's, empty outside of one."""

    pattern: str
    owners: tuple[str, ...]
    section: str = ""


def parse(lines: Sequence[str]) -> tuple[OwnerRule, ...]:
    """Parse the rules of a CODEOWNERS file, in order."""
    rules, section, default = [], "", ()  # type: tuple[list[OwnerRule], str, tuple[str, ...]]
    for line in lines[:MOST_LINES]:
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        if head := _SECTION.fullmatch(content):
            section, default = head["name"].strip().lower(), _owners(head["rest"])
            continue
        word = _WORD.match(content)
        if (
            word is None or word[0].startswith("!") or len(word[0]) > LONGEST
        ):  # neither GitHub nor GitLab supports exceptions
            continue
        rules.append(OwnerRule(word[0], _owners(content[word.end() :]) or default, section))
    return tuple(rules)


def find_people_to_ask(
    paths: Iterable[str], rules: Sequence[OwnerRule], slack_ids: Mapping[str, str], on_call: Sequence[str]
) -> tuple[str, ...]:
    """Return the Slack users to ask about these files: the mapped owners in order, else the people on call.

    Each person is returned once. Names are compared without regard to case.
    """
    people = {name.lower(): who for name, who in slack_ids.items()}
    named = (people.get(owner.lower()) for owners in _match_owners(paths, rules).values() for owner in owners)
    return tuple(dict.fromkeys(who for who in named if who)) or tuple(dict.fromkeys(on_call))


def _match_owners(paths: Iterable[str], rules: Sequence[OwnerRule]) -> dict[str, tuple[str, ...]]:
    """Return the owners of each path; each rule's pattern is compiled once for all paths."""
    by_path: dict[str, dict[str, tuple[str, ...]]] = {path: {} for path in paths}
    for rule in rules:
        for path, sections in by_path.items():
            if fits(rule.pattern, path, star_is_shallow=True):
                sections[rule.section] = rule.owners
    return {path: tuple(dict.fromkeys(chain.from_iterable(each.values()))) for path, each in by_path.items()}


def _owners(text: str) -> tuple[str, ...]:
    """Return the owners before a comment."""
    words = text.partition(" #")[0].split()
    return tuple(word for word in words if _OWNER.fullmatch(word))
