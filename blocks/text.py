"""Basic Block Kit elements, and the only place where text is escaped or cut for Slack."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from bot.models.visible import clean

Block = dict[str, Any]

SECTION = 3_000
"""Characters of a section's text."""

CONTEXT = 2_000
"""Characters of one text of a context block."""

LABEL = 75
"""Characters of a button's label for screen readers."""


_UTC_TIME = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC\b")
_NO_MARKUP = str.maketrans("<>", "  ")
_LOOK_ALIKE = str.maketrans("*~", "\u2217\u223c")
_CALL = re.compile(r"@(?=channel|here|everyone)")
"""A call of everybody, which Slack may read in mrkdwn without any markup."""
_NO_EMPHASIS = str.maketrans("*~`|", "    ")


def escape(text: str) -> str:
    """Escape `text` for a mrkdwn field, so that it cannot form a mention, broadcast or link."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_plainly(text: str) -> str:
    """Escape `text` for a mrkdwn field, so that it is shown without emphasis, and calls nobody by a plain name."""
    return _CALL.sub("@ ", escape(text).translate(_LOOK_ALIKE))


def text_object(text: str) -> Block:
    """Build a text object without markup."""
    return {"type": "plain_text", "text": text, "emoji": False}


def clip(text: str, limit: int) -> str:
    """Cut a text to `limit` characters, the last one an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def fit(text: str, limit: int) -> str:
    """Cut a text so that it takes at most `limit` characters of JSON once it is escaped, the last one an ellipsis."""
    cut = clip(text, limit)
    while len(json.dumps(escape(cut), ensure_ascii=False)) - 2 > limit:
        cut = clip(text, len(cut) - max(1, len(cut) // 12))
    return cut


def end_sentence(text: str) -> str:
    """Return a text on one line with a full stop, unless it ends as a sentence does."""
    line = " ".join(text.split())
    return line if not line or line.endswith((".", "!", "?", "…")) else f"{line}."


def shorten_line(text: str, limit: int = LABEL) -> str:
    """Put `text` on one line of at most `limit` characters, cut between words; it cannot form a mention, as in
    `escape`."""
    line = " ".join(clean(text).translate(_NO_MARKUP).split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    whole = cut if line[limit - 1] == " " else cut.rpartition(" ")[0]
    return f"{whole if len(whole) * 2 > limit else cut}".rstrip() + "…"


def person(name: str, limit: int = 80) -> str:
    """Escape a display name for a mrkdwn field: one line that cannot form or end any markup."""
    return escape(shorten_line(name.translate(_NO_EMPHASIS), limit))


def format_count(number: int, singular: str, many: str = "") -> str:
    """Format a count: `1 run`, `2,000 runs`; `many` is an irregular plural."""
    return f"{number:,} {singular if number == 1 else many or f'{singular}s'}"


def size(blocks: list[Block]) -> int:
    """Return the characters of blocks as JSON, which Slack limits."""
    return len(json.dumps(blocks, ensure_ascii=False))


def section(mrkdwn: str) -> Block:
    """Build a paragraph of mrkdwn whose variable parts are escaped already."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": clip(mrkdwn, SECTION)}}


def header(text: str) -> Block:
    """Build a large bold line of plain text."""
    return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}


def rule() -> Block:
    """Build a divider; every card begins with one, to separate it from the previous card."""
    return {"type": "divider"}


def context(mrkdwn: str) -> Block:
    """Build a small grey line."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": clip(mrkdwn, CONTEXT)}]}


def button(
    text: str, action_id: str, value: str, *, about: str, style: str | None = None, confirm: Block | None = None
) -> Block:
    """Build a button; `style` is `primary` for the main action, `confirm` the confirmation before it.

    `about` follows `text` in the label for screen readers: the object of the action. Slack has no such label for menus
    (https://docs.slack.dev/reference/block-kit/block-elements/button-element).
    """
    element: Block = {
        "type": "button",
        "text": {"type": "plain_text", "text": text, "emoji": False},
        "action_id": action_id,
        "value": value,
        "accessibility_label": shorten_line(f"{text} {about}"),
    }
    return element | ({"style": style} if style else {}) | ({"confirm": confirm} if confirm else {})


def menu(action_id: str, options: dict[str, str]) -> Block:
    """Build a menu of up to five rarer actions: their values and labels."""
    menu_options = [
        {"text": {"type": "plain_text", "text": label, "emoji": False}, "value": value}
        for value, label in options.items()
    ]
    return {"type": "overflow", "action_id": action_id, "options": menu_options}


def rich_text(*elements: Block) -> Block:
    """Build a rich_text block; its text elements need no escaping, since they contain no markup."""
    return {"type": "rich_text", "elements": list(elements)}


def quote(text: str) -> Block:
    """Quote a text word for word."""
    return rich_text({"type": "rich_text_quote", "elements": [span(text)]})


def preformatted(text: str) -> Block:
    """Build lines of code, word for word."""
    return {"type": "rich_text_preformatted", "elements": [span(text)]}


def span(text: str, **style: bool) -> Block:
    """Build a run of text; Slack refuses an empty one."""
    element: Block = {"type": "text", "text": clean(text) or " "}
    return element | {"style": style} if style else element


def moment(at: datetime) -> str:
    """Format a time that Slack shows in the reader's own zone."""
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{at:%Y-%m-%d %H:%M} UTC>"


def with_moments(text: str) -> str:
    """Return escaped text with its times in UTC, `2026-01-05 09:00 UTC`, as Slack shows them in the reader's zone."""
    return _UTC_TIME.sub(lambda match: _format_time(match.group()), text)


def _format_time(written: str) -> str:
    try:
        return moment(datetime.strptime(written, "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC))
    except ValueError:
        return written


def mention(who: str) -> str:
    """Mention a user or a user group, which notifies them."""
    return f"<!subteam^{who}>" if who.startswith("S") else f"<@{who}>"


def name_channel(channel: str) -> str:
    """Name a channel by a mention. Direct messages with the bot are not named, since nobody else can open them."""
    return "a direct message" if channel.startswith("D") else f"<#{channel}>"


def name_channel_plainly(channel: str, name: str) -> str:
    """Name a channel in plain words."""
    return "a direct message" if channel.startswith("D") else f"#{escape(name)}"


def format_age(since: datetime) -> str:
    """Format the age of a time; Slack keeps it up to date."""
    return f"<!date^{int(since.timestamp())}^{{ago}}|{since:%Y-%m-%d %H:%M} UTC>"
