"""The line of code's own that closes a chat turn: the commands' own lines, by what came of each (spec 2, 3). Pure.

Only what a command called done is named as done: a press that is waited for, or a refusal, is said as such. Texts are
mrkdwn, since the lines of commands are.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.decide.silence import RESPOND

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Sequence

    from bot.assistant.commands.command import Answer
    from bot.models.session import Outcome

_STOPPED: dict[Outcome, str] = {
    "refused": "The model would not answer this.",
    "loop": "I went in circles and stopped.",
    "stalled": "Something did not come back, and I stopped.",
    "unusable": "My answer became too long, and I stopped.",
}
_NAME = re.compile(r"`([^`]*)`")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TOO_MUCH = "This took more than I may use for one answer."
_NOTHING = "Nothing was done."

BEGUN = "begun"
REPEATED = "repeated"
"""`outcome` of a write that was called again with the same input, and was not run again."""


@dataclass
class Called:
    """A tool that was called. `outcome` is as `Answer.outcome` has it once it is known."""

    name: str
    outcome: str = BEGUN
    line: str = ""
    """The command's own line, as mrkdwn."""
    rows: tuple[str, ...] = ()
    writes: bool = False
    """Whether it may change something."""
    repeats_others: bool = False
    """Whether its line may repeat text of others."""
    key: str = ""
    """Its input in one form, so that equal calls are equal."""
    work: asyncio.Task[Answer] | None = None
    """The command under way, which nothing calls off."""

    @property
    def has_changed(self) -> bool:
        """Whether it changed something, or may be changing it now."""
        return self.writes and self.outcome in ("done", BEGUN)


def made_before(call: Called, calls: Sequence[Called]) -> Called | None:
    """The same write from before, with the same input, that did something or waits for a press."""
    if not call.writes:
        return None
    counts = ("done", "asked", BEGUN)
    return next((one for one in calls if one.outcome in counts and (one.name, one.key) == (call.name, call.key)), None)


def stopped(outcome: Outcome) -> str:
    """Why code ended a run, in a sentence; empty for a run that ended by itself."""
    return "" if outcome == "answered" else _STOPPED.get(outcome, _TOO_MUCH)


def closing(outcome: Outcome, called: Sequence[Called]) -> str:
    """The text for a run that ended like this, after these calls."""
    why, done = stopped(outcome), report(called)
    if not why:
        return done or "Done."
    return f"{why} {done or _NOTHING}"


def in_public(called: Sequence[Called], words: str) -> list[Called]:
    """The calls as a channel may read of them: what was changed, all else by its name.

    A name that the model has chosen is none of `words`, which its asker said there, and does not stand there.
    """
    kept = (one for one in called if one.has_changed or one.outcome in ("asked", BEGUN))
    return [one if one.writes and not one.repeats_others and _is_said(one, words) else _by_name(one) for one in kept]


def _is_said(one: Called, words: str) -> bool:
    """Whether all names in a command's line stand in the words of whoever asked, the project's aside."""
    known = {*_words(words), *_words(_project(one))}
    names = [name.removesuffix(".md") for name in _NAME.findall(one.line)]
    names += [value for value in _given(one).values() if isinstance(value, str) and value.lower() in one.line.lower()]
    return all(word in known for name in names for word in _words(name))


def _by_name(one: Called) -> Called:
    """The call without what its input and its line say."""
    project = _project(one)
    line = f"`{one.name}`{f' in `{project}`' if project else ''}." if one.writes else ""
    return replace(one, line=line, rows=())


def _project(one: Called) -> str:
    """The project in the input of a command that was done, so that there is one of this name."""
    project = _given(one).get("project") if one.outcome == "done" else None
    return project if isinstance(project, str) and _SLUG.fullmatch(project) else ""


def _given(one: Called) -> dict[str, Any]:
    given = json.loads(one.key) if one.key else {}
    return given if isinstance(given, dict) else {}


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def unkept(called: Sequence[Called], *, where: str = "") -> str:
    """What was asked for and did not happen, whatever the model says of it; empty where nothing is left of that.

    `where` says where the buttons stand, if not below.
    """
    changed = {one.name for one in called if one.has_changed}
    left = [
        replace(one, line=one.line.removeprefix("*Not done yet:* ").removesuffix(f" {_NOTHING}"))
        for one in called
        if one.name not in changed and (one.writes or one.outcome == "refused")
    ]
    failed = {"refused", "failed", "invalid", "unknown"}
    parts = (
        _listed(f"Waits for your press{where}", left, lambda one: one.outcome == "asked"),
        _listed("Not done" if changed else "Nothing was changed", left, lambda one: one.outcome in failed),
    )
    return "\n".join(part for part in parts if part)


def report(called: Sequence[Called]) -> str:
    """What the calls came to; empty where there was none."""
    writes = [one for one in called if one.writes]
    parts = [
        _listed("Done", writes, lambda one: one.outcome == "done"),
        _listed("Begun, and not known to be done", writes, lambda one: one.outcome == BEGUN),
        _named("Waiting for your press", called, lambda one: one.outcome == "asked"),
        _listed("Not done", called, lambda one: one.outcome not in ("done", "asked", BEGUN, REPEATED)),
    ]
    said = [part for part in parts if part]
    if any(one.outcome == "done" for one in writes):
        return "\n".join(said)
    return "\n".join([*said, *_looked_up(called)])


def _looked_up(called: Sequence[Called]) -> list[str]:
    """What the commands showed that change nothing, each once."""
    shown = {one.key + one.name: one for one in called if not one.writes and one.name != RESPOND}
    texts = ["\n".join((one.line or f"Looked up: `{one.name}`.", *one.rows)) for one in shown.values() if _is_done(one)]
    begun = [f"`{one.name}` did not come back." for one in shown.values() if one.outcome == BEGUN]
    return [*texts, *begun]


def _is_done(one: Called) -> bool:
    return one.outcome == "done"


def _listed(title: str, called: Iterable[Called], belongs: Callable[[Called], bool]) -> str:
    lines = dict.fromkeys(one.line or f"`{one.name}`" for one in called if belongs(one) and one.name != RESPOND)
    match [*lines]:
        case []:
            return ""
        case [line]:
            return f"{title}: {_within(line)}"
        case many:
            return "\n".join((f"{title}:", *(f"• {line}" for line in many)))


def _named(title: str, called: Iterable[Called], belongs: Callable[[Called], bool]) -> str:
    names = dict.fromkeys(f"`{one.name}`" for one in called if belongs(one))
    return f"{title}: {', '.join(names)}." if names else ""


def _within(line: str) -> str:
    """A sentence as it stands behind a colon; the bot's own name keeps its capital."""
    is_word = line[1:2].islower() and not line.startswith("Triage")
    return f"{line[0].lower()}{line[1:]}" if is_word else line
