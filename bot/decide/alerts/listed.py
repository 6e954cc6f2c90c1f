"""Several alerts in one message: one in each attachment, or one in each line that begins with a state. Pure, on re2.

Each becomes a message that states it alone, with the lines below it. The lines of a list have one form, that of its
first line; without a word of alerts or brackets, all lines must have it, since details below an alert look so, too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.alerts.labels import MOST_NAMES, MOST_WORDS
from bot.decide.alerts.notification import MOST_CHARS, is_preview, read_first_line, strip_markup
from bot.decide.alerts.states import read_headline
from bot.models.block_text import block_texts, list_objects, to_string

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.alerts.states import Headline
    from bot.models.alert import Alert

    Json = dict[str, Any]

MOST_LISTED = 50
"""Alerts read from one message."""
_BULLET = re2.compile(r"^(?:[\s>\x{2022}\x{25e6}\x{25aa}\x{2023}\x{2043}*\x{2013}-]+|\d{1,2}[.)]\s)+")
_STRUCK = re2.compile(r"^[\s>\x{2022}-]*~.*~\s*$")


def split_message(event: Json) -> list[Json]:
    """Return a message for each alert that a program's message lists; none if it states only one."""
    attachments = [each for each in list_objects(event.get("attachments")) if not is_preview(each)]
    if len(groups := _group_attachments(attachments)) > 1:
        return [event | {"text": "", "blocks": None, "attachments": group} for group in groups[:MOST_LISTED]]
    texts = [to_string(event.get("text")), "\n".join(block_texts(event.get("blocks")))]
    if len(attachments) == 1 and not _names_state(attachments[0], ("title", "pretext")):
        inner = "\n".join(block_texts(attachments[0].get("blocks")))
        texts += [to_string(attachments[0].get("text")), inner]
    for text in texts:
        if len(lists := _split_lines(text[:MOST_CHARS])) > 1:
            return [event | {"text": each, "blocks": None, "attachments": None} for each in lists[:MOST_LISTED]]
    return []


def combine(alerts: Sequence[Alert]) -> Alert:
    """Return the alerts of a message as one: the first one that fires, with the words of all and the others."""
    first = next((alert for alert in alerts if alert.state == "firing"), alerts[0])
    return first.evolve(
        words="\n".join(dict.fromkeys(alert.words for alert in alerts))[:MOST_WORDS],
        names=tuple(dict.fromkeys(name for alert in alerts for name in alert.names))[:MOST_NAMES],
        services=tuple(dict.fromkeys(service for alert in alerts for service in alert.services)),
        others=tuple(alert for alert in alerts if alert is not first),
    )


def _group_attachments(attachments: Sequence[Json]) -> list[list[Json]]:
    """Return the attachments that state an alert, each with those of its details."""
    groups: list[list[Json]] = []
    for attachment in attachments:
        if _names_state(attachment, ("title", "pretext", "blocks", "text", "fallback")):
            groups.append([attachment])
        elif groups:
            groups[-1].append(attachment)
    return groups


def _names_state(attachment: Json, keys: Sequence[str]) -> bool:
    """Return whether the first of these texts that an attachment has begins with a state and a name."""
    for key in keys:
        value = attachment.get(key)
        text = next(iter(block_texts(value)), "") if key == "blocks" else to_string(value)
        if line := read_first_line(text):
            return _states(read_headline(line))
    return False


def _split_lines(text: str) -> list[str]:
    """Return the parts of a text that each begin with the headline of an alert; none if it is no list."""
    lines = text.split("\n")
    heads: dict[int, Headline] = {}
    first = is_code = False
    for number, line in enumerate(lines):
        plain = " ".join(_BULLET.sub("", strip_markup(line)).split())
        head = read_headline(plain) if plain and not is_code and "```" not in line and not _STRUCK.match(line) else None
        if head and _states(head) and (not first or _form(head) == _form(next(iter(heads.values()), head))):
            heads[number] = head
        first = first or bool(plain)
        is_code ^= line.count("```") % 2 == 1
    starts = [*heads, len(lines)]
    if not heads or (any(line.strip() for line in lines[: starts[0]]) and not _is_clear(heads[starts[0]])):
        return []
    if not any(_form(heads[starts[0]])) and len(heads) < sum(1 for line in lines if line.strip()):
        return []
    parts = (lines[start:end] for start, end in pairwise(starts))
    return ["\n".join([_BULLET.sub("", part[0]), *part[1:]]) for part in parts]


def _states(head: Headline) -> bool:
    return head.state != "unknown" and bool(head.rest)


def _form(head: Headline) -> tuple[bool, bool]:
    return head.is_strong, head.is_bracketed


def _is_clear(head: Headline) -> bool:
    """Return whether a line states an alert also below another title: `[FIRING] api-a`."""
    return head.is_strong and head.is_bracketed
