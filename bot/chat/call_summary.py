"""Summary of the calls of a chat turn: the lines of the executed commands, grouped by outcome. Pure.

Only the commands' own outcomes count as done: pending confirmations and refusals are named as such. Texts are mrkdwn,
as the commands' lines are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.chat.call_log import STARTED
from bot.commands.catalogue import CATALOGUE
from bot.decide.silent_exit import RESPOND

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.chat.call_log import LoggedCall

_NAME = re.compile(r"`([^`]*)`")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def filter_public(called: Sequence[LoggedCall], words: str) -> list[LoggedCall]:
    """Return the calls as a channel may read them: changes only, without names unless the asker wrote them.

    `words` is the asker's message; a name that only the model chose is left out.
    """
    public_calls = (call for call in called if call.has_changed or call.outcome in ("asked", STARTED))
    return [
        call if call.may_change and not call.repeats_others and _names_were_said(call, words) else _without_names(call)
        for call in public_calls
    ]


def _names_were_said(call: LoggedCall, words: str) -> bool:
    """Return whether the asker's words contain all names in a command's line, apart from the project and commands."""
    said_words = {*_split_words(words), *_split_words(_find_project(call))}
    names = [name.removesuffix(".md") for name in _NAME.findall(call.line) if name not in CATALOGUE]
    names += [
        value for value in call.arguments.values() if isinstance(value, str) and value.lower() in call.line.lower()
    ]
    return all(word in said_words for name in names for word in _split_words(name))


def _without_names(call: LoggedCall) -> LoggedCall:
    """Return the call without the content of its input and line."""
    return replace(
        call,
        line=format_past_summary(call.past_summary or f"`{call.name}`", _find_project(call)) if call.may_change else "",
        rows=(),
    )


def format_past_summary(words: str, project: str) -> str:
    """Format a past-tense summary for a channel: `A note was written (`shop`).`"""
    return f"{words[0].upper()}{words[1:]}{f' (`{project}`)' if _SLUG.fullmatch(project) else ''}."


def _find_project(call: LoggedCall) -> str:
    """Return the project in the input of a finished command, so that one of this name exists."""
    project = call.arguments.get("project") if call.outcome == "done" else None
    return project if isinstance(project, str) and _SLUG.fullmatch(project) else ""


def _split_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def describe_undone(called: Sequence[LoggedCall], *, where: str = "") -> str:
    """List the calls that had no effect or wait for a confirmation, whatever the model claims; empty if there are none.

    `where` is the place of the buttons, if they are not below.
    """
    waiting = [_strip_prefix(call) for call in called if call.outcome == "asked"]
    left = [_strip_prefix(call) for call in _find_undone(called)]
    nothing = "Nothing was changed" if any(call.may_change for call in left) else "Not looked up"
    title = "Not done" if any(call.has_changed for call in called) else nothing
    parts = (_format_calls(f"Waits for you to confirm{where}", waiting), _format_calls(title, left))
    return "\n".join(part for part in parts if part)


def _find_undone(called: Sequence[LoggedCall]) -> list[LoggedCall]:
    """Return the calls without effect that no later call has replaced."""
    by_name: dict[str, list[LoggedCall]] = defaultdict(list)
    for call in called:
        by_name[call.name].append(call)
    return [call for call in called if call.has_done_nothing and not any(map(call.is_redone_by, by_name[call.name]))]


def _strip_prefix(call: LoggedCall) -> LoggedCall:
    return replace(call, line=call.line.removeprefix("*Not done yet:* ").removesuffix(" Nothing was done."))


def summarize_calls(called: Sequence[LoggedCall]) -> str:
    """Summarise the calls by outcome; empty if there were none."""
    writes = [call for call in called if call.may_change]
    parts = [
        describe_done(called),
        _format_calls("Started, with an unknown outcome", [call for call in writes if call.outcome == STARTED]),
        _format_names("Waiting for you to confirm", [call for call in called if call.outcome == "asked"]),
        _format_calls("Not done", _find_undone(called)),
    ]
    texts = [part for part in parts if part]
    if any(call.outcome == "done" for call in writes):
        return "\n".join(texts)
    return "\n".join([*texts, *_list_lookups(called)])


def _list_lookups(called: Sequence[LoggedCall]) -> list[str]:
    """List the answers of read commands, each once."""
    looks = (call for call in called if not (call.may_change or call.has_done_nothing) and call.name != RESPOND)
    lookups = {call.key + call.name: call for call in looks}
    texts = [
        "\n".join((call.line or f"Looked up: `{call.name}`.", *call.rows))
        for call in lookups.values()
        if _is_done(call)
    ]
    unfinished = [f"`{call.name}` did not return." for call in lookups.values() if call.outcome == STARTED]
    return [*texts, *unfinished]


def _is_done(call: LoggedCall) -> bool:
    return call.outcome == "done"


def describe_done(called: Iterable[LoggedCall]) -> str:
    """List what was certainly changed; empty if nothing was."""
    return _format_calls("Done", [call for call in called if call.may_change and _is_done(call)])


def is_repetition(text: str, called: Sequence[LoggedCall]) -> bool:
    """Return whether a text consists only of the lines of what was changed; names alone might belong to a denial."""
    text_words, own = _split_words(text), _split_words(describe_done(called))
    return own in (text_words, ["done", *text_words])


def _format_calls(title: str, called: Iterable[LoggedCall]) -> str:
    return format_list(title, (call.line or f"`{call.name}`" for call in called if call.name != RESPOND))


def format_list(title: str, lines: Iterable[str]) -> str:
    """Format lines below a title, each once; a single one follows the title; empty if there is none."""
    match [*dict.fromkeys(lines)]:
        case []:
            return ""
        case [line]:
            return f"{title}: {_lower_first(line)}"
        case many:
            return "\n".join((f"{title}:", *(f"• {line}" for line in many)))


def _format_names(title: str, called: Iterable[LoggedCall]) -> str:
    names = dict.fromkeys(f"`{call.name}`" for call in called)
    return f"{title}: {', '.join(names)}." if names else ""


def _lower_first(line: str) -> str:
    """Lower the first letter of a sentence for use after a colon; the bot's name keeps its capital."""
    is_word = (line[1:2].islower() or line[:2] == "A ") and not line.startswith("Triage")
    return f"{line[0].lower()}{line[1:]}" if is_word else line
