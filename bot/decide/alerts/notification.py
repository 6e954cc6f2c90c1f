"""Parts of another program's message that state an alert: headlines, links, fields and lines, without markup. Pure."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import re2

from bot.models.block_text import block_texts, list_objects, to_string
from bot.models.markup import SOMEBODY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_ATTACHMENTS = 10
MOST_CHARS = 8_000
"""Characters read of each text."""
LONGEST_HEADLINE = 300
_LINK = re2.compile(r"<(https?://[^<>|\s]+)(?:\|[^<>]*)?>")
_BARE = re2.compile(r"https?://[^\s<>|\"'`]+")
_MARKUP = re2.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
_URL = re2.compile(r"https?://\S+")
_NAMED = re2.compile(r"^\W{0,3}\[[^\[\]]+\]\s*\[[^\[\]]+\]")
"""Line such as "[shop] [Down] HTTP 500", which Uptime Kuma writes below the monitor's name."""
_NAMED_WITHIN = 12
"""Lines searched for it."""


@dataclass(frozen=True, slots=True)
class Notification:
    """Content of a program's message."""

    headlines: tuple[str, ...]
    """First lines that may name the alert, the best one first."""
    texts: frozenset[str]
    """Those headlines that are words of a text below the title, not the alert's title."""
    links: tuple[str, ...]
    """Addresses, that of the headline first."""
    fields: tuple[tuple[str, str], ...]
    """Titles and values of fields."""
    lines: tuple[str, ...]
    """All lines, without addresses."""
    colors: tuple[str, ...]
    sender: str
    """Name of the author and footers, in lower case."""
    is_reply: bool
    """True for a message in a thread."""
    said: str = ""
    """First line of the message's own text."""

    @property
    def own_lines(self) -> tuple[str, ...]:
        """Return the lines outside of code, which may be anybody's words."""
        own, is_code = [], False
        for line in self.lines:
            if not is_code and "```" not in line:
                own.append(line)
            is_code ^= line.count("```") % 2 == 1
        return tuple(own)


def read_notification(event: dict[str, Any]) -> Notification:
    """Read a message in Slack's own shape; malformed parts are skipped."""
    attachments = [each for each in list_objects(event.get("attachments")) if not is_preview(each)][:MOST_ATTACHMENTS]
    text = _text(event.get("text"))
    blocks = [*block_texts(event.get("blocks"))]
    heads, bodies, links, fields = [], [text, *blocks], [], []
    texts, titles = blocks[1:2], [text, *blocks[:1]]
    for attachment in attachments:
        inner = [*block_texts(attachment.get("blocks"))]
        link = to_string(attachment.get("title_link"))
        title = _text(attachment.get("title"))
        links += [link] if link.startswith("http") else []
        heads += [title, _text(attachment.get("pretext")), *inner[:1], _text(attachment.get("text"))]
        heads.append(_text(attachment.get("fallback")))
        texts += heads[-2:]
        titles += [title, _text(attachment.get("pretext")), *inner[:1]]
        bodies += [title, _text(attachment.get("pretext")), _text(attachment.get("text")), *inner]
        fields += [_field(each) for each in list_objects(attachment.get("fields"))]
        bodies += [f"{name}: {value}" for name, value in fields if name]
    heads = [*heads[:1], text, *blocks[:2], *heads[1:]]
    for part in (*heads, *bodies):
        links += _LINK.findall(part) or _BARE.findall(part)
    thread, lines = event.get("thread_ts"), tuple(_lines(bodies))
    named = [line.strip() for line in lines[:_NAMED_WITHIN] if _NAMED.match(line)]
    heads = [*heads[:1], *named[:1], *heads[1:]]
    return Notification(
        headlines=tuple(dict.fromkeys(head for part in heads if (head := read_first_line(part)))),
        texts=frozenset(map(read_first_line, (*texts, *named))) - frozenset(map(read_first_line, titles)),
        links=tuple(dict.fromkeys(html.unescape(link) for link in links)),
        fields=tuple(fields),
        lines=lines,
        colors=tuple(dict.fromkeys(color for each in attachments if (color := to_string(each.get("color"))))),
        sender=_sender(event, attachments),
        is_reply=bool(thread) and thread != event.get("ts"),
        said=read_first_line(text),
    )


def strip_markup(text: str) -> str:
    """Return the text with labels of links instead of addresses, and without emphasis."""

    plain = html.unescape(_MARKUP.sub(_label, text) if "<" in text else text)
    return plain.replace("*", "").replace("~", "").replace("`", "")


def is_preview(attachment: dict[str, Any]) -> bool:
    """Return whether an attachment shows a web page or another message."""
    return any(attachment.get(key) for key in ("from_url", "is_app_unfurl", "is_share", "is_msg_unfurl"))


def _text(value: Any) -> str:
    return to_string(value)[:MOST_CHARS]


def _field(field: dict[str, Any]) -> tuple[str, str]:
    return strip_markup(_text(field.get("title"))).strip(" :"), strip_markup(_text(field.get("value"))).strip()


def read_first_line(part: str) -> str:
    """Return the first line with a text, without markup."""
    lines = (" ".join(strip_markup(line).split()) for line in part.split("\n"))
    return next(filter(None, lines), "")[:LONGEST_HEADLINE]


def _lines(bodies: Iterable[str]) -> Iterator[str]:
    left, known = MOST_CHARS, set[str]()
    for line in (line for body in bodies for line in body.split("\n")):
        if line in known and "```" not in line:
            continue
        known.add(line)
        plain = _URL.sub(" ", html.unescape(_MARKUP.sub(_label, line) if "<" in line else line)).rstrip()
        left -= len(plain)
        if left < 0:
            return
        if plain.strip():
            yield plain


def _label(match: Any) -> str:
    target, label = match.group(1), match.group(2)
    if target[:1] == "@":
        return str(label or SOMEBODY)
    return str(label or " ") if target[:4] == "http" or target[:1] in ("#", "!") else str(match.group(0))


def _sender(event: dict[str, Any], attachments: list[dict[str, Any]]) -> str:
    profile = event.get("bot_profile")
    names = [to_string(event.get("username")), to_string(profile.get("name")) if isinstance(profile, dict) else ""]
    names += [to_string(each.get(key)) for each in attachments for key in ("footer", "author_name", "service_name")]
    return " ".join(" | ".join(filter(None, names)).lower().split())[:LONGEST_HEADLINE]
