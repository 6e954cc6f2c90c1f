"""State of an alert, from the words and colours of its message, in several languages. Pure, on re2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import re2

from bot.decide.alerts.words import (
    ACKNOWLEDGED,
    FIRING,
    IGNORED,
    LEVELS,
    NOUNS,
    RESOLVED,
    SEVERITIES,
    WEAK,
    split_compound,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.alert import AlertState

_EMOJI = re2.compile(
    r"^(?:\s|:[a-z0-9_+'-]+:|[\x{2190}-\x{27bf}\x{2b00}-\x{2bff}\x{1f000}-\x{1faff}\x{fe0f}\x{200d}\x{20e3}]|\|)+"
)
_BRACKET = re2.compile(r"^(?:\[([^\[\]]+)\]|\x{3010}([^\x{3010}\x{3011}]+)\x{3011}|\(([^()]+)\)\s*:)")
_WORDS = re2.compile(r"[\pL]+(?:-[\pL]+)*")
_PREFIX = re2.compile(r"^([^\d:|#\[\](){}<>=/]*?)\s*(?:[:|\x{ff1a}]|\s[-\x{2013}\x{2014}]\s|\s(?:\[)?#|$)")
_SCOPE = re2.compile(r"^(.*?)\s+(?:on|for)\s+\{([^{}]*)\}$")
_OK = re2.compile(r"^(OK|ALERT|PROBLEM|RECOVERY|RESOLVED|FIRING|DOWN|UP)\s+(\S.*)$")
_BY = re2.compile(r"(?i)^(?:(?:the |this )?(?:incident|issue|alert) )?(?:was |has been )?([\pL-]+) by\s+\S")
_MARKED = re2.compile(r"(?i)\bmarked\b.*\bas (resolved|ignored|archived|ongoing|escalating|a regression)\b")
_ENDS = re2.compile(
    r"(?i)^(.*\S)\s+(?:is|are|was|has(?: been)?|ist|wurde|est|\x{e9}t\x{e9}|ha sido|foi|est\x{e1})"
    r"\s+(?:now\s+)?([\pL-]+)[.!]?$"
)
_REASON = re2.compile(r"(?i)^(.*?\S)(?:(?:\s+-\s|\s*\(\s*(?:https?:|\))|\.\s+(?:reason:|it was down\b)).*)?$")
_LAST = re2.compile(r"^(.*\S)\s+(\pL[\pL-]*)[.!]?$")
_NAMED = re2.compile(r"^\[([^\[\]]+)\]\s*\[([^\[\]]+)\]")
"""Name and state in brackets: "[shop] [Down] HTTP 500"."""
_NUMBER = re2.compile(r"^#\d+:?\s+(\S.*)$")
_AFTER = re2.compile(r"(?i)^([\pL]+) (?:in|after) (?:\d+\s?[a-z]+\s?)+:\s*(\S.*)$")
_SHORT_END = re2.compile(
    r"(?i)^(?:(?:the|this|der|die|das|dieser|diese|el|la|le) )?"
    r"(?:(?:incident|issue|alert|alarm|problem|monitor|incidente|alerta|alerte|vorfall) )?"
    r"(?:(?:is|was|has|been|now|automatically|ist|wurde|est|été|foi|ha|sido|está) )*"
    r"(?:auto-)?([\pL-]+(?: [\pL-]+){0,2}?)(?: automatically)?"
    r"( (?:after|in|within|at|nach|um|après|tras|em) [^,;:]*\d\S*(?: \pL+)?)?[.!]?$"
)
"""The end of the alert above, in a reply: "This alert has been resolved.", "Recovered after 5m"."""
_CHANGE = re2.compile(r"(?i)^(?:status|state)(?: changed)?\b.*?(?:\x{2192}|->|=>|: ?| to )\s*(\pL[\pL -]*?)[.!]?$")
_CHECK = re2.compile(
    r"[\x{2705}\x{2714}\x{2611}\x{1f7e2}]|:(?:white_check_mark|heavy_check_mark|ballot_box_with_check|large_green_circle):"
)
_HEX = re2.compile(r"^#?([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})$")
_MOST_PARTS = 6


@dataclass(frozen=True, slots=True)
class Headline:
    """Headline, read as a state and the rest."""

    rest: str
    """The headline without state and severity."""
    state: AlertState = "unknown"
    is_strong: bool = False
    """True if the form alone tells an alert: a state word of alerts in brackets, or in capitals."""
    is_shaped: bool = False
    """True for a word of problems in brackets, in capitals or behind an emoji, as alerts have it."""
    is_marked: bool = False
    """True for any state word there, also one that says how bad something is."""
    scope: str = ""
    """Tags in braces behind the state."""
    is_bracketed: bool = False
    """True for a state in brackets."""
    is_default: bool = False
    """True for a state in brackets with a number, as Alertmanager and Grafana write it."""


def read_headline(text: str) -> Headline:
    """Read the state at the beginning of a headline, or at its end."""
    if match := _NUMBER.match(text):
        numbered = read_headline(match.group(1))
        return numbered if numbered.state != "unknown" else Headline(rest=text)
    if match := _AFTER.match(text):  # "Resolved in 5m: …"
        text = f"{match.group(1)}: {match.group(2)}"
    head = _read_named(text)
    if head.state != "unknown":
        return head
    for _ in range(_MOST_PARTS):
        following = _take_part(head)
        if following is None:
            break
        head = following
    if head.state == "unknown":
        head = _read_prefix(head, has_emoji=bool(_EMOJI.match(text)))
    if head.state == "unknown" and (match := _ENDS.match(head.rest)):
        state, _ = _state_of(match.group(2))
        head = replace(head, rest=match.group(1), state=state) if state != "unknown" else head
    elif head.state == "unknown" and _EMOJI.match(text) and (match := _LAST.match(head.rest)):
        state, _ = _state_of(match.group(2))  # a red dot, "search-api down"
        head = replace(head, rest=match.group(1), state=state) if state != "unknown" else head
    elif head.is_shaped and (match := _ENDS.match(head.rest)) and _state_of(match.group(2))[0] == head.state:
        head = replace(head, rest=match.group(1))  # "PROBLEM: web-1 is CRITICAL"
    return replace(head, rest=head.rest.strip(" :-|\u2013\u2014\uff1a"))


def _read_named(text: str) -> Headline:
    """Read a name and a state in brackets, where a reason follows; other headlines are only taken over."""
    if match := _NAMED.match(text):
        name, words = match.group(1), match.group(2)
        state, is_strong = _state_of(words)
        if state != "unknown" and words.lower().strip() not in SEVERITIES and _is_name(name):
            return Headline(
                name.strip(), state, is_strong, is_shaped=_is_problem(words), is_marked=True, is_bracketed=True
            )
    return Headline(rest=text)


def _is_name(text: str) -> bool:
    return _state_of(text)[0] == "unknown" and text.lower().strip() not in SEVERITIES


def _is_problem(words: str) -> bool:
    """Return whether state words say that something has failed, not only how bad it is."""
    return any(word not in LEVELS for word in _WORDS.findall(words.lower()))


def read_sentence(text: str) -> AlertState:
    """Return the state that a sentence in an alert's thread reports: "Resolved by Ana"."""
    plain = _EMOJI.sub("", text.replace("*", ""))
    if match := _MARKED.search(plain):
        return {"resolved": "resolved", "ignored": "acknowledged", "archived": "acknowledged"}.get(  # type: ignore[return-value]  # literals
            match.group(1).lower(), "firing"
        )
    if match := _BY.search(plain):
        return _state_of(match.group(1))[0]
    return "unknown"


def read_short_end(text: str, *, is_all: bool) -> AlertState:
    """Return the state that a whole line reports about the alert above it; `unknown` unless that is an end or a start
    of work.

    Words that are used elsewhere, too, such as "OK", count only if they are all of the message.
    """
    plain = _EMOJI.sub("", text.replace("*", "")).strip().removeprefix("[").removesuffix("]")
    if not plain:
        return "resolved" if is_all and _CHECK.search(text) else "unknown"
    match = _SHORT_END.match(plain)
    state, is_strong = _state_of(match.group(1)) if match else ("unknown", False)
    if match and state not in ("unknown", "firing") and (is_strong or (is_all and not match.group(2))):
        return state
    changed = _CHANGE.match(plain)
    state = _state_of(changed.group(1))[0] if changed else "unknown"
    return "unknown" if state == "firing" else state


def read_words(text: str) -> AlertState:
    """Return the state that words name, if they name nothing else."""
    return _state_of(_EMOJI.sub("", text))[0]


def read_colors(colors: Iterable[str]) -> AlertState:
    """Return the state of the colours of attachments: red is firing, green is resolved."""
    states = {_state_of_color(color) for color in colors} - {"unknown"}
    if "firing" in states:
        return "firing"
    return "resolved" if "resolved" in states else "unknown"


def _take_part(head: Headline) -> Headline | None:
    """Return the headline without its first part, if that is an emoji, a severity or a state in brackets."""
    rest = head.rest
    if (match := _EMOJI.match(rest)) and match.end() < len(rest):
        return replace(head, rest=rest[match.end() :])
    match = _BRACKET.match(rest)
    if match is None:
        return None
    content = match.group(1) or match.group(2) or match.group(3)
    after = rest[match.end() :].strip()
    scoped = _SCOPE.match(content)
    words, scope = (scoped.group(1), scoped.group(2)) if scoped else (content, "")
    if words.lower().strip() in SEVERITIES and head.state != "unknown":
        return replace(head, rest=after)
    state, is_strong = _state_of(words)
    if state == "unknown":
        return replace(head, rest=after) if words.lower().strip() in SEVERITIES else None
    if head.state != "unknown" and (head.is_strong or not is_strong):
        return None
    has_number = ":" in words and any(char.isdigit() for char in words)
    return replace(
        head,
        rest=after,
        state=state,
        is_strong=is_strong,
        is_shaped=_is_problem(words),
        is_marked=True,
        is_bracketed=True,
        scope=scope,
        is_default=has_number,
    )


def _read_prefix(head: Headline, *, has_emoji: bool) -> Headline:
    if match := _OK.match(head.rest):
        state, _ = _state_of(match.group(1))
        is_strong = match.group(1) in ("RESOLVED", "FIRING")
        return replace(head, rest=match.group(2), state=state, is_strong=is_strong, is_shaped=True)
    if sentence := _read_sentence_before_colon(head):
        return sentence
    match = _PREFIX.match(head.rest)
    if match is None:
        return head
    state, is_strong = _state_of(match.group(1))
    if state == "unknown":
        return head
    is_loud = match.group(1).isupper()
    is_marked = is_loud or has_emoji
    rest = head.rest[len(match.group(1)) :]
    is_shaped = is_marked and _is_problem(match.group(1))
    return replace(
        head, rest=rest, state=state, is_strong=is_strong and is_loud, is_shaped=is_shaped, is_marked=is_marked
    )


def _read_sentence_before_colon(head: Headline) -> Headline | None:
    """Read a headline such as "Monitor is DOWN: shop - Reason: HTTP 500"."""
    sentence, colon, rest = head.rest.partition(":")
    match, name = _ENDS.match(sentence), _REASON.match(rest.strip())
    if not (colon and match and name):
        return None
    state, _ = _state_of(match.group(2))
    if state == "unknown":
        return None
    is_shaped = match.group(2).isupper() and _is_problem(match.group(2))
    return replace(head, rest=f"{match.group(1)}: {name.group(1)}", state=state, is_shaped=is_shaped)


def _state_of(words: str) -> tuple[AlertState, bool]:
    """Return the state that these words name, if they name nothing else, and whether they are words of alerts only."""
    split = chain.from_iterable(map(split_compound, _WORDS.findall(words.lower())))
    found = [word for word in split if word not in IGNORED]
    whole = " ".join(found)
    if not found:
        return "unknown", False
    names = [whole] if whole in FIRING | RESOLVED | ACKNOWLEDGED else found
    if not all(name in FIRING or name in RESOLVED or name in ACKNOWLEDGED for name in names):
        return "unknown", False
    is_strong = any(name not in WEAK for name in names)
    is_over = any(name in RESOLVED for name in names)
    if any(name in FIRING and not (is_over and name in NOUNS) for name in names):
        return "firing", is_strong
    return ("resolved" if is_over else "acknowledged"), is_strong


def _state_of_color(color: str) -> AlertState:
    if color in ("danger", "warning"):
        return "firing"
    if color == "good":
        return "resolved"
    match = _HEX.match(color)
    if match is None:
        return "unknown"
    red, green, blue = (int(match.group(part), 16) for part in (1, 2, 3))
    if red > 150 and red > green + 40 and red > blue + 40:
        return "firing"
    return "resolved" if green > 90 and green > red + 40 and green > blue + 20 else "unknown"
