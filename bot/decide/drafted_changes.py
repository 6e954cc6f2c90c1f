"""Decisions about a drafted fix: the gate of its change, and the comparison of the files that were meant with those
that changed. The model's verdict alone passes nothing."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

from bot.decide.merge_request_text import MENTION, WIDE_AT
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.redaction.redactor import Redactor
    from bot.models.fix import DiffJudgement, FixRound
    from bot.models.workspace import FileChange

LONGEST_LINE = 900
"""Characters of a new line; longer ones are cut where people and agents read them."""
_MOST_NAMED = 5
_LISTED_CHARS = 60
"""Characters around a path in the list of files, its marks included."""
_CHECKS = (
    r"(?:ci|actions?|azure[ _-]?pipelines?|azpipelines|azp|travis(?:[ _-]ci)?|circle[ _-]?ci|app[ _-]?veyor|jenkins|"
    r"drone|netlify|vercel|cf[ _-]pages|buildkite|semaphore|pipelines?|builds?|checks?|tests?|deploy|release)"
)
_SKIPS_CHECKS = re.compile(
    rf"(?i)\[[ \t]*+(?:(?:skip|no)[ \t_-]++{_CHECKS}|{_CHECKS}[ \t_-]++skip)[ \t]*+\]"
    r"|(?<!\*)\*\*++[ \t]*+no[ _-]?ci[ \t]*+\*\*++"
)
"""Orders that GitHub, GitLab, Azure and other services of continuous integration take from a commit's message."""
_ISSUE_NUMBER, _WIDE_NUMBER = re.compile(r"#(?=\d)"), "\uff03"
_GITHUB_NUMBER = re.compile(r"\bGH-(?=\d)")
_CLOSES = re.compile(
    r"\b((?i:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?))[\s:]++"
    r"(?=(?:issues?\s++)?(?:https?://|[A-Z][A-Z0-9_]+-\d))"
)
_TRAILER = re.compile(r"(?i)^\s*(?:[a-z][a-z-]*-by|skip-checks)\s*:")
_LINK_ROW = re.compile(r"(?:(?:old|new|new file|deleted file) mode|index [0-9a-f.]+) 120000")
_NO_REASON = "It gives no reason."


def find_objections(judgement: DiffJudgement, *, passed_before: bool) -> tuple[str, ...]:
    """Return the reasons to send a change back; empty for one that may be proposed.

    A missing test is an objection only where the project's check passed before the change, too: then nothing shows that
    it mends anything, even where the validator says that no test is needed.
    """
    objections = [
        *(["It does not do what the finding says."] if not judgement.mends_defect else []),
        *(["It does more than the finding says."] if not judgement.does_only_that else []),
        *(
            ["The check passed before the change, too, and no test would fail without it: add one."]
            if passed_before and judgement.tests != "touched"
            else []
        ),
    ]
    if judgement.verdict == "pass" and not objections:
        return ()
    reasons = [reason for reason in judgement.reasons if reason.strip()]
    return (*objections, *(reasons or ([] if objections else [_NO_REASON])))


def correct_tests(judgement: DiffJudgement, *, has_tests: bool) -> DiffJudgement:
    """Return a judgement that calls no tests touched where no file of the change has any."""
    return judgement.evolve(tests="missing") if judgement.tests == "touched" and not has_tests else judgement


def measure_text(text: str) -> int:
    """Return the characters that a text takes in a message, where quotes and line breaks count twice."""
    return len(json.dumps(text, ensure_ascii=False)) - 2


def measure_change(paths: Iterable[str], diff: str) -> int:
    """Return the characters that a change takes in its message: the list of its files, and its diff."""
    listed = sum(measure_text(html.escape(path, quote=False)) + _LISTED_CHARS for path in paths)
    return listed + measure_text(diff)


def find_hidden(path: str, before: str, after: str, redactor: Redactor) -> str:
    """Return the reason why nobody could read all new lines of a file, as a clause; empty if everybody can."""
    known = {*before.split("\n")}
    added = [line.removesuffix("\r") for line in after.split("\n") if line not in known]
    if any(len(line) > LONGEST_LINE for line in added):
        return f"{path} gets a line of more than {LONGEST_LINE} characters"
    text = "\n".join(added)
    if clean(text) != text:
        return f"{path} gets characters that nobody sees"
    return f"{path} gets what looks like a secret" if redactor.redact(text) != text else ""


def clean_words(text: str) -> str:
    """Return a title or description of an agent without what acts in a commit's message or at a forge: names of other
    people who would have signed, written or reviewed it, orders to skip the checks of the repository, mentions, and
    words that close an issue. What only has to be read stays legible."""
    plain = clean(text)
    while (less := _SKIPS_CHECKS.sub("", plain)) != plain:  # what is left may be one again
        plain = less
    lines = [line.rstrip() for line in plain.split("\n") if not _TRAILER.match(line)]
    inert = _CLOSES.sub(r"\1 - ", MENTION.sub(WIDE_AT, "\n".join(lines)))
    return _GITHUB_NUMBER.sub("GH ", _ISSUE_NUMBER.sub(_WIDE_NUMBER, inert)).strip()


def find_unmeant(meant: Iterable[FileChange], changed: Sequence[FileChange]) -> str:
    """Return the reason why the changes of a workspace are not those that the agent made; empty if they are."""
    expected, actual = set(meant), set(changed)
    if others := sorted(change.path for change in actual - expected):
        return f"something else than the agent changed {_name(others)} in the workspace"
    if lost := sorted(change.path for change in expected - actual):
        return f"git takes no change of {_name(lost)}, which the repository may ignore"
    return ""


def has_link(patch: str) -> bool:
    """Return whether a patch of git changes, adds or deletes a symbolic link; content never begins a row so."""
    return any(map(_LINK_ROW.fullmatch, patch.split("\n")))


def describe_links(links: Sequence[str], rounds: Iterable[FixRound]) -> str:
    """Return a sentence on a repository's symbolic links for a draft whose check failed; empty for another."""
    if not links or all(each.check is None or each.check.has_passed for each in rounds):
        return ""
    return (
        f"The repository has symbolic links ({_name(links)}), which are plain files for the check: one that needs them "
        "cannot pass."
    )


def _name(paths: Sequence[str]) -> str:
    rest = f" and {len(paths) - _MOST_NAMED} more files" if len(paths) > _MOST_NAMED else ""
    return f"{', '.join(paths[:_MOST_NAMED])}{rest}"
