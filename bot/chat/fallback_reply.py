"""Fallback reply of a chat turn: the lines of the executed commands, grouped by outcome. Pure.

Only the commands' own outcomes count as done: pending confirmations and refusals are named as such. Texts are mrkdwn,
as the commands' lines are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat.call_log import BEGUN
from bot.commands.catalogue import CATALOGUE
from bot.decide.silent_exit import RESPOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.chat.call_log import Called
    from bot.models.session import Outcome

_STOPPED: dict[Outcome, str] = {
    "refused": "The model would not answer this.",
    "loop": "I repeated myself and stopped.",
    "stalled": "A call did not return, and I stopped.",
    "unusable": "My answer became too long, so I stopped.",
}
_NAME = re.compile(r"`([^`]*)`")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TOO_MUCH = "This took more than I may use for one answer."
_NOTHING = "Nothing was done."


def stopped(outcome: Outcome) -> str:
    """Return the reason why code ended a run, in a sentence; empty for a run that ended by itself."""
    return "" if outcome == "answered" else _STOPPED.get(outcome, _TOO_MUCH)


def closing(outcome: Outcome, called: Sequence[Called]) -> str:
    """Build the reply to a run with this outcome and these calls."""
    why, done = stopped(outcome), report(called)
    if not why:
        return done or "Done."
    return f"{why} {done or _NOTHING}"


def in_public(called: Sequence[Called], words: str) -> list[Called]:
    """Return the calls as a channel may read them: changes only, without names unless the asker wrote them.

    `words` is the asker's message; a name that only the model chose is left out.
    """
    kept = (one for one in called if one.has_changed or one.outcome in ("asked", BEGUN))
    return [one if one.writes and not one.repeats_others and _is_said(one, words) else _unnamed(one) for one in kept]


def _is_said(one: Called, words: str) -> bool:
    """Return whether the asker's words contain all names in a command's line, apart from the project and commands."""
    known = {*_words(words), *_words(_project(one))}
    names = [name.removesuffix(".md") for name in _NAME.findall(one.line) if name not in CATALOGUE]
    names += [value for value in one.given.values() if isinstance(value, str) and value.lower() in one.line.lower()]
    return all(word in known for name in names for word in _words(name))


def _unnamed(one: Called) -> Called:
    """Return the call without the content of its input and line."""
    return replace(one, line=deed(one.deed or f"`{one.name}`", _project(one)) if one.writes else "", rows=())


def deed(words: str, project: str) -> str:
    """Format a past-tense summary for a channel: `A note was written (`shop`).`"""
    return f"{words[0].upper()}{words[1:]}{f' (`{project}`)' if _SLUG.fullmatch(project) else ''}."


def _project(one: Called) -> str:
    """Return the project in the input of a finished command, so that one of this name exists."""
    project = one.given.get("project") if one.outcome == "done" else None
    return project if isinstance(project, str) and _SLUG.fullmatch(project) else ""


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def unkept(called: Sequence[Called], *, where: str = "") -> str:
    """List the calls that had no effect or wait for a confirmation, whatever the model claims; empty if there are none.

    `where` is the place of the buttons, if they are not below.
    """
    waiting = [_bare(one) for one in called if one.outcome == "asked"]
    left = [_bare(one) for one in _left_undone(called)]
    nothing = "Nothing was changed" if any(one.writes for one in left) else "Not looked up"
    title = "Not done" if any(one.has_changed for one in called) else nothing
    parts = (_listed(f"Waits for you to confirm{where}", waiting), _listed(title, left))
    return "\n".join(part for part in parts if part)


def _left_undone(called: Sequence[Called]) -> list[Called]:
    """Return the calls without effect that no later call has replaced."""
    by_name: dict[str, list[Called]] = defaultdict(list)
    for one in called:
        by_name[one.name].append(one)
    return [one for one in called if one.has_done_nothing and not any(map(one.is_made_good_by, by_name[one.name]))]


def _bare(one: Called) -> Called:
    return replace(one, line=one.line.removeprefix("*Not done yet:* ").removesuffix(f" {_NOTHING}"))


def report(called: Sequence[Called]) -> str:
    """Summarise the calls by outcome; empty if there were none."""
    writes = [one for one in called if one.writes]
    parts = [
        done(called),
        _listed("Started, with an unknown outcome", [one for one in writes if one.outcome == BEGUN]),
        _named("Waiting for you to confirm", [one for one in called if one.outcome == "asked"]),
        _listed("Not done", _left_undone(called)),
    ]
    said = [part for part in parts if part]
    if any(one.outcome == "done" for one in writes):
        return "\n".join(said)
    return "\n".join([*said, *_looked_up(called)])


def _looked_up(called: Sequence[Called]) -> list[str]:
    """List the answers of read commands, each once."""
    looks = (one for one in called if not (one.writes or one.has_done_nothing) and one.name != RESPOND)
    shown = {one.key + one.name: one for one in looks}
    texts = ["\n".join((one.line or f"Looked up: `{one.name}`.", *one.rows)) for one in shown.values() if _is_done(one)]
    begun = [f"`{one.name}` did not return." for one in shown.values() if one.outcome == BEGUN]
    return [*texts, *begun]


def _is_done(one: Called) -> bool:
    return one.outcome == "done"


def done(called: Iterable[Called]) -> str:
    """List what was certainly changed; empty if nothing was."""
    return _listed("Done", [one for one in called if one.writes and _is_done(one)])


def repeats(text: str, called: Sequence[Called]) -> bool:
    """Return whether a text consists only of the lines of what was changed; names alone might belong to a denial."""
    said, own = _words(text), _words(done(called))
    return own in (said, ["done", *said])


def _listed(title: str, called: Iterable[Called]) -> str:
    return listed(title, (one.line or f"`{one.name}`" for one in called if one.name != RESPOND))


def listed(title: str, lines: Iterable[str]) -> str:
    """Format lines below a title, each once; a single one follows the title; empty if there is none."""
    match [*dict.fromkeys(lines)]:
        case []:
            return ""
        case [line]:
            return f"{title}: {_within(line)}"
        case many:
            return "\n".join((f"{title}:", *(f"• {line}" for line in many)))


def _named(title: str, called: Iterable[Called]) -> str:
    names = dict.fromkeys(f"`{one.name}`" for one in called)
    return f"{title}: {', '.join(names)}." if names else ""


def _within(line: str) -> str:
    """Lower the first letter of a sentence for use after a colon; the bot's name keeps its capital."""
    is_word = (line[1:2].islower() or line[:2] == "A ") and not line.startswith("Triage")
    return f"{line[0].lower()}{line[1:]}" if is_word else line
