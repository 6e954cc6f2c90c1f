"""Inserts in a model's text: elements built by code, and words in place of ids.

People and channels that code named to the model become mentions, times use the reader's clock, addresses become links
into Slack's workspace or code. Text in code is left as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from blocks.text import Block, escape
from bot.models.bare_ids import bare_ids, format_id
from bot.models.markup import DATE, SOME_GROUP, SOMEBODY, SOMEWHERE, day_and_time, moment_of
from bot.models.text_times import find_times

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.models.bare_ids import BareId
    from bot.models.text_times import TextTime

CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
"""Splits a text: every second part is code."""
_ADDRESSES = re.compile(
    r"<(?P<slack>https?://[^\s<>|]+)\|(?P<slack_label>[^<>]*)>"
    r"|\[(?P<label>[^\[\]\n]+)\]\((?P<target>https?://[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)"
    r"|<?(?P<bare>https?://(?:[.,;:!?]*+[^\s<>`|\"')\].,;:!?])+)>?"
)
_SLACKS_OWN = re.compile(r"<(?P<sigil>[@#!])(?P<target>[^<>|]*)(?:\|(?P<shown>[^<>]*))?>")
_BOLD = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])")
_DAY_AND_TIME, _TIME = "{date_short_pretty} {time}", "{time}"


@dataclass(frozen=True, kw_only=True)
class Readers:
    """Context for rendering a model's text: the workspace's address, the people named to the model, the reader's
    clock."""

    url: str
    now: datetime
    mentions: Mapping[str, str] = field(default_factory=dict)
    """The ids of people and channels by `@name` and `#name`, as code named them to the model."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Known names by id, for ids that may occur in the text."""
    zone: tzinfo = UTC


class Inserts:
    """The elements built for a text, and the replacement of each in a notification."""

    def __init__(self, readers: Readers) -> None:
        self.elements: dict[str, Block] = {}
        self.texts: dict[str, str] = {}
        self._readers = readers
        names = sorted(readers.mentions, key=len, reverse=True)
        self._names = re.compile(rf"(?<![\w@#])(?:{'|'.join(map(re.escape, names))})(?![\w-])") if names else None

    def mark_elements(self, part: str, *, is_code: bool) -> str:
        """Put placeholders for elements into `part`, and convert it to the Markdown that `reply` reads."""
        if is_code:
            return part
        parts = CODE.split(_ADDRESSES.sub(self._address, part))  # addresses outside the workspace are code by now
        return "".join(text if at % 2 else self._replace_ids(text) for at, text in enumerate(parts))

    def _replace_ids(self, text: str) -> str:
        """Replace ids and times in text outside of code."""
        plain = DATE.sub(self._date, text)
        plain = _SLACKS_OWN.sub(self._slacks_own, plain)
        for bare_id in reversed([*bare_ids(plain, self._readers.names)]):
            plain = f"{plain[: bare_id.start]}{self._convert_bare_id(bare_id)}{plain[bare_id.end :]}"
        for time in reversed([*find_times(plain, self._readers.now)]):
            plain = f"{plain[: time.start]}{self._time(time)}{plain[time.end :]}"
        if self._names:
            plain = self._names.sub(lambda match: self._mention(self._readers.mentions[match[0]]), plain)
        return _BOLD.sub(r"**\1**", plain)

    def _address(self, match: re.Match[str]) -> str:
        """Convert an address: a link into the workspace, or code, which a person can see but not press."""
        url = match["slack"] or match["target"] or match["bare"]
        label = (match["slack_label"] or match["label"] or "").strip() or url
        if not url.startswith(self._readers.url):
            return f"`{url}`" if label == url else f"{label} (`{url}`)"
        return self._link(url, label)

    def _link(self, url: str, label: str) -> str:
        link_text = f"<{escape(url)}>" if label == url else f"<{escape(url)}|{escape(label).replace('|', ' ')}>"
        return self._insert({"type": "link", "url": url, "text": label}, link_text)

    def _slacks_own(self, match: re.Match[str]) -> str:
        """Convert Slack's own markup: a mention if code named its target to the model, else words."""
        sigil, target = match["sigil"], match["target"]
        if sigil != "!" and target in self._readers.mentions.values():
            return self._mention(target)
        if name := (self._readers.names.get(target) or match["shown"] or "").lstrip("@#"):
            return f"{sigil.replace('!', '@')}{name}"
        if sigil == "!":
            return f"@{SOME_GROUP if target.startswith('subteam') else target.partition('^')[0]}"
        return f"@{SOMEBODY}" if sigil == "@" else f"#{SOMEWHERE}"

    def _convert_bare_id(self, bare_id: BareId) -> str:
        """Convert an id written by the model: a link to a thread, a mention, or words."""
        where = format_id(bare_id.target, self._readers.names)
        if bare_id.ts and bare_id.target.startswith("C"):
            url = f"{self._readers.url}archives/{bare_id.target}/p{bare_id.ts.replace('.', '')}"
            return self._link(url, f"a thread in {where}")
        if bare_id.ts:
            return f"a thread of {where}"
        return self._mention(bare_id.target) if bare_id.target in self._readers.mentions.values() else where

    def _date(self, match: re.Match[str]) -> str:
        at = moment_of(match["seconds"], self._readers.zone)
        return match["fallback"] or "" if at is None else self._moment(at, _DAY_AND_TIME, day_and_time(at))

    def _time(self, time: TextTime) -> str:
        """Convert a time to the reader's zone, and say so if it falls on another day there."""
        at = time.at.astimezone(self._readers.zone)
        if time.has_day:
            return self._moment(at, _DAY_AND_TIME, day_and_time(at))
        days = (at.date() - time.at.date()).days
        return f"{self._moment(at, _TIME, f'{at:%H:%M}')}{('', ' (the next day)', ' (the day before)')[days]}"

    def _moment(self, at: datetime, form: str, words: str) -> str:
        element: Block = {"type": "date", "timestamp": int(at.timestamp()), "format": form, "fallback": words}
        return self._insert(element, words)

    def _mention(self, target: str) -> str:
        if target.startswith("C"):
            return self._insert({"type": "channel", "channel_id": target}, f"<#{target}>")
        return self._insert({"type": "user", "user_id": target}, f"<@{target}>")

    def _insert(self, element: Block, text: str) -> str:
        mark = f"\ue000{len(self.elements)}\ue001"
        self.elements[mark], self.texts[mark] = element, text
        return mark
