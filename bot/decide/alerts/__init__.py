"""Alerts: messages in which another program says that something is wrong, or right again. Pure.

Recognised by their shape, as Alertmanager, Grafana, Datadog, Sentry and PagerDuty post to Slack, and by state words of
other templates in several languages. Ordinary notices (deploys, builds, tickets) are no alerts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.alerts.fingerprint import digest, is_same_alert, normalise_name, split_values, values_of
from bot.decide.alerts.labels import (
    find_names,
    find_services,
    find_words,
    identity_values,
    read_labels,
)
from bot.decide.alerts.listed import combine, split_message
from bot.decide.alerts.notification import LONGEST_HEADLINE, read_notification, strip_markup
from bot.decide.alerts.sources import find_origin
from bot.decide.alerts.states import Headline, read_colors, read_headline, read_sentence, read_short_end, read_words
from bot.models.alert import Alert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.alerts.notification import Notification
    from bot.decide.alerts.sources import Origin
    from bot.models.alert import AlertState

_CHATTER = re2.compile(
    r"(?i)\b(?:commented|left a (?:comment|note)|deploy(?:ed|ment)?|release[ds]?|weekly|report|digest|unassigned"
    r"|invited|joined|on call|on-call|scheduled|maintenance|snapshot)\b"
)
"""Words of notices that the programs of alerts send, too."""
_ISSUE_STATE = re2.compile(r"(?i)^state: ?(new|ongoing|escalating|regressed|resolved|archived|ignored)\b")
_ISSUE_STATES: dict[str, AlertState] = {
    "resolved": "resolved",
    "archived": "acknowledged",
    "ignored": "acknowledged",
}
_TAGS = re2.compile(r"^(.*?)\s+(?:on|for)\s+\{([^{}]*)\}\s*(.*)$")
_TRAILING_TAGS = re2.compile(r"^(.*?\S)\s+on\s+((?:[a-z][\w.-]*:[^\s,]+)(?:,\s?[a-z@][\w.-]*:[^\s,]+)*)$")
_PROJECT = re2.compile(r"^\[([\w-]+)\] (\S.*)$")
_STATUS = re2.compile(r"(?i)^[\s>\x{2022}-]*(?:status|state)\s*[:=]\s*(\S.*)$")
_MOST_HEADLINES = 6


@dataclass(frozen=True, slots=True)
class _Reading:
    """Notification with its program and its headline."""

    notification: Notification
    origin: Origin
    head: Headline
    labels: Mapping[str, str]


def read_alert(event: dict[str, Any]) -> Alert | None:
    """Return the alert that a program's message in Slack's own shape states, with the others of a list; `None` for any
    other message."""
    return _read_list(event) or _read_single(event)


def _read_list(event: dict[str, Any]) -> Alert | None:
    """Return the alerts of a message that states several, the first one that fires before the others."""
    listed: list[Alert] = []
    for part in split_message(event):
        if (alert := _read_single(part)) and alert.group:
            listed = [known for known in listed if not is_same_alert(known, alert)]  # the last line on it counts
            listed.append(alert)
    return combine(listed) if len(listed) > 1 else None


def _read_single(event: dict[str, Any]) -> Alert | None:
    """Return the alert of a message that states one."""
    notification = read_notification(event)
    if not notification.headlines:
        return None
    origin = find_origin(notification)
    head = _choose_headline(notification)
    reading = _Reading(notification, origin, head, read_labels(notification))
    state = _decide_state(reading)
    if state is None:
        return None
    alert = _build(reading, state)
    if not alert.is_exact and _is_unnamed(reading):
        alert = alert.evolve(fingerprint="", group="", values=())  # it is about the thread that it is in
    if alert.fingerprint or not _is_weak(reading, state):
        return alert.evolve(is_weak=_is_weak(reading, state))
    return None


def _choose_headline(notification: Notification) -> Headline:
    """Return the headline with the clearest state; the first one if none has any.

    A title goes before the words of a text below it, and so does the colour.
    """
    heads = [(text in notification.texts, read_headline(text)) for text in notification.headlines[:_MOST_HEADLINES]]
    own, texts = ([head for is_text, head in heads if is_text is wanted] for wanted in (False, True))
    color = read_colors(notification.colors)
    if own:
        texts = [agreed for head in texts if (agreed := _agree(head, color))]
    named = next((head for head in texts if head.is_bracketed and head.rest in notification.headlines), None)
    found = named or _find_clearest(own)
    if found is None or not (found.is_strong or found.rest):
        found = _find_clearest([*own, *texts]) or found
    if found is None:
        return heads[0][1]
    if color == "resolved" and found.state == "firing" and not found.is_strong:
        found = _end(found)
    return found if found.rest else replace(found, rest=_other_rest([head for _, head in heads]))


def _find_clearest(heads: list[Headline]) -> Headline | None:
    strong = next((head for head in heads if head.is_strong), None)
    return strong or next((head for head in heads if head.state != "unknown"), None)


def _agree(head: Headline, color: AlertState) -> Headline | None:
    """Return a text's headline as the colour allows it; `None` for an end below a red title."""
    if color == "firing" and head.state == "resolved":
        return None
    return _end(head) if color == "resolved" and head.state == "firing" else head


def _end(head: Headline) -> Headline:
    return replace(head, state="resolved", is_strong=False, is_shaped=False)


def _other_rest(heads: list[Headline]) -> str:
    return next((head.rest for head in heads if head.rest and head.state == "unknown"), "")


def _decide_state(reading: _Reading) -> AlertState | None:
    """Return the state of an alert; `None` for a message that is no alert."""
    notification, origin, head = reading.notification, reading.origin, reading.head
    if said := _said_in_thread(reading):
        return said
    if origin.source == "other":
        return _decide_unknown_program(reading)
    if " issue " in origin.exact_id:
        return _decide_issue(reading)
    if not head.is_strong and _states_end(notification):
        return "resolved"
    if head.state != "unknown":
        return head.state
    if not _CHATTER.search(head.rest) and origin.link:
        colored = read_colors(notification.colors)
        return colored if colored != "unknown" else None
    return None


def _said_in_thread(reading: _Reading) -> AlertState | None:
    """Return the state that a sentence reports: of any known program, or in the thread of an alert.

    Only the message's own text and emphasised lines count: a title, or a text in code, may be anybody's words.
    """
    notification = reading.notification
    if not (notification.is_reply or reading.origin.exact_id):
        return None
    lines = [line for line in notification.own_lines if line.startswith("*")]
    said = [notification.said] if not notification.said.startswith("[") else []
    states = (*(read_sentence(line) for line in (*said, *lines)), _said_shortly(reading))
    return next((state for state in states if state != "unknown"), None)


def _is_unnamed(reading: _Reading) -> bool:
    """Return whether a reply reports a state without the name of an alert."""
    is_sentence = reading.head.state == "unknown" and reading.notification.is_reply and _said_in_thread(reading)
    return bool(is_sentence) or _said_shortly(reading) != "unknown"


def _said_shortly(reading: _Reading) -> AlertState:
    """Return the state that a reply reports without a name: "Resolved", "Recovered after 5m", a check mark."""
    notification = reading.notification
    if not notification.is_reply or not notification.headlines:
        return "unknown"
    head = notification.said or notification.headlines[0]
    return read_short_end(head, is_all=len(notification.headlines) == 1 and len(notification.lines) <= 1)


def _decide_unknown_program(reading: _Reading) -> AlertState | None:
    """Return the state by the form alone, also a weak one."""
    head = reading.head
    is_chatter = not head.is_bracketed and _CHATTER.search(head.rest)
    if head.state == "unknown" or reading.origin.is_foreign or is_chatter:
        return None
    return "resolved" if not head.is_strong and _states_end(reading.notification) else head.state


def _states_end(notification: Notification) -> bool:
    """Return whether a line such as *Status:* resolved says that an alert is over, and no red colour denies it."""
    lines = [strip_markup(line) for line in notification.own_lines]
    values = [match.group(1) for line in lines if (match := _STATUS.match(line))]
    states = {read_words(value) for value in values} - {"unknown"}
    return states == {"resolved"} and read_colors(notification.colors) != "firing"


def _is_weak(reading: _Reading, state: AlertState) -> bool:
    """Return whether ordinary notices have this form, too: without a clear word, a clear shape or labels."""
    head = reading.head
    if reading.origin.source != "other" or _said_in_thread(reading):
        return False
    if state != "firing" and _CHATTER.search(head.rest):
        return True
    names = set(reading.labels)
    has_labels = bool(names & {"alertname", "severity", "instance"}) or len(names) > 1
    return not (head.is_strong or has_labels or (head.is_shaped and state == "firing"))


def _decide_issue(reading: _Reading) -> AlertState | None:
    """Return the state of a Sentry issue: its own, else firing unless the message is a note or a report about it.

    Its title is never read for a state, since it may hold the words of anybody who causes an error.
    """
    notification = reading.notification
    lines = (line.replace("*", "") for line in notification.own_lines if line.strip() != notification.headlines[0])
    words = [match.group(1).lower() for line in lines if (match := _ISSUE_STATE.match(line))]
    if words:
        return _ISSUE_STATES.get(words[-1], "firing")
    is_own = notification.said and not notification.said.startswith("[")
    return None if is_own and _CHATTER.search(notification.said) else "firing"


def _build(reading: _Reading, state: AlertState) -> Alert:
    notification, origin, labels = reading.notification, reading.origin, dict(reading.labels)
    title, tags = _split_tags(reading.head)
    if origin.source == "sentry" and (match := _PROJECT.match(title)):
        labels["project"], title = match.group(1), match.group(2)
    name, bracketed = split_values(title)
    is_default = reading.head.is_default or origin.source in ("alertmanager", "grafana")
    words = values_of(bracketed, is_default=is_default)
    key = normalise_name(name)
    if not key:
        key = labels.get("alertname", "").lower() or next(iter(bracketed.lower().split()), "")
    values = tuple(sorted(words | identity_values(labels) - {key}))
    labels |= {tag.partition(":")[0]: tag.partition(":")[2] for tag in (*origin.tags, *tags) if ":" in tag}
    exact = _exact_key(origin, tags)
    group = digest("exact", exact) if exact else digest("named", key) if key else ""
    return Alert(
        source=origin.source,
        state=state,
        title=(title or reading.head.rest)[:LONGEST_HEADLINE],
        fingerprint=group if exact else digest("named", key, *values) if group else "",
        group=group,
        values=() if exact else values,
        is_literal=is_default,
        is_exact=bool(exact),
        is_marked=reading.head.is_marked,
        host=origin.host,
        labels=labels,
        services=(services := find_services(labels)),
        names=find_names(notification, title, labels),
        words=find_words(notification, name, services),
        link=origin.link[:1_000],
    )


def _split_tags(head: Headline) -> tuple[str, tuple[str, ...]]:
    """Return a headline without its tags in braces, and these tags."""
    text, scope = head.rest, head.scope
    if match := _TAGS.match(text):
        text, scope = f"{match.group(1)} {match.group(3)}".strip(), scope or match.group(2)
    elif match := _TRAILING_TAGS.match(text):
        text, scope = match.group(1), scope or match.group(2)
    tags = (tag.strip() for tag in scope.split(","))
    return text, tuple(sorted(tag for tag in tags if tag and tag != "*"))


def _exact_key(origin: Origin, tags: tuple[str, ...]) -> str:
    """Return the explicit id; that of a Datadog monitor with the group that it is about."""
    if origin.source == "datadog" and origin.exact_id:
        return " ".join((origin.exact_id, *(origin.tags or tags)))
    if origin.source == "datadog" or not origin.exact_id:
        return ""
    return origin.exact_id
