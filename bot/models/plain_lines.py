"""Plain text of Slack's mrkdwn: lines without markup, emphasis, emoji of the bot, and control characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.markup import DATE, moment_of, named_time, plain_text
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

_FENCE = "```"
_PART = re.compile(r"(?P<code>`[^`\n]+`)|(?P<link><[^<>\n]*>)")
_EDGE = r"[\w*~`]"
_MARKS = tuple(
    re.compile(rf"(?<!{_EDGE}){re.escape(sign)}(?=\S)([^{re.escape(sign)}\n]+?)(?<=\S){re.escape(sign)}(?!{_EDGE})")
    for sign in "*_~"
)
_EMOJI = {
    "information_source": "i",
    "red_circle": "●",
    "warning": "!",
    "white_check_mark": "✓",
    "white_circle": "○",
}
"""Signs of the emoji in the bot's own texts."""
_EMOJI_NAME = re.compile(rf":({'|'.join(_EMOJI)}):")
_PLACE = "\ufffc"
"""Character in place of code and links while emphasis is removed."""


@dataclass(frozen=True)
class PlainLine:
    """Line of text; code is to be shown as it is."""

    text: str
    is_code: bool = False


def to_plain_text(mrkdwn: str, zone: tzinfo) -> str:
    """Convert mrkdwn to plain text; times are in `zone`."""
    return "\n".join(line.text for line in to_lines(mrkdwn, zone))


def to_lines(mrkdwn: str, zone: tzinfo) -> Iterator[PlainLine]:
    """Yield the lines of a text; what a code block holds is kept as it is."""
    start = 0
    while (opening := mrkdwn.find(_FENCE, start)) >= 0 and (closing := mrkdwn.find(_FENCE, opening + 3)) >= 0:
        if before := mrkdwn[start:opening].removesuffix("\n"):
            yield from _read_lines(before, zone)
        code = mrkdwn[opening + 3 : closing].removeprefix("\n").removesuffix("\n")
        yield from (PlainLine(line, is_code=True) for line in _decode(code).split("\n"))
        start = closing + 3 + mrkdwn.startswith("\n", closing + 3)
    if start == 0 or start < len(mrkdwn):
        yield from _read_lines(mrkdwn[start:], zone)


def _read_lines(mrkdwn: str, zone: tzinfo) -> Iterator[PlainLine]:
    return (PlainLine(_read_line(line, zone)) for line in mrkdwn.split("\n"))


def _read_line(line: str, zone: tzinfo) -> str:
    """Convert a line: emphasis goes, what is in inline code or in a link is not looked at for it."""
    parts: list[str] = []
    literals: list[str] = []
    start = 0
    for match in _PART.finditer(line):
        parts.append(line[start : match.start()])
        literals.append(_decode(match["code"][1:-1]) if match["code"] else _read_link(match["link"], zone))
        start = match.end()
    parts.append(line[start:])
    text = _PLACE.join(part.replace(_PLACE, "") for part in parts)
    for pattern in _MARKS:
        text = pattern.sub(r"\1", text)
    text = _EMOJI_NAME.sub(lambda match: _EMOJI[match[1]], text)
    words = iter(literals)
    return "".join(next(words) if part == _PLACE else _decode(part) for part in re.split(f"({_PLACE})", text))


def _read_link(markup: str, zone: tzinfo) -> str:
    """Convert a link, a mention or a time."""
    if match := DATE.fullmatch(markup):
        at = moment_of(match["seconds"], zone)
        return named_time(at, zone) if at else _decode(match["fallback"] or "")
    target, bar, label = markup[1:-1].partition("|")
    if target.startswith(("http://", "https://")):
        return f"{_decode(label)} ({_decode(target)})" if bar else _decode(target)
    return _decode(plain_text(markup))


def _decode(text: str) -> str:
    """Decode entities, and remove control characters, which a terminal would obey."""
    return clean(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).replace("\r", "")
