"""Small pieces of Block Kit, and the one place where text is escaped or cut for Slack."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bot.models.visible import clean

if TYPE_CHECKING:
    from datetime import datetime

Block = dict[str, Any]

SECTION = 3_000
"""Characters that a section's text may have."""

CONTEXT = 2_000
"""Characters that one text of a context block may have."""

LABEL = 75
"""Characters that a button's label for screen readers may have."""


_NO_MARKUP = str.maketrans("<>", "  ")
_NO_EMPHASIS = str.maketrans("*~`|", "    ")


def escape(text: str) -> str:
    """`text` for a mrkdwn field, so that it can mint no mention, broadcast or link."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, the last one an ellipsis where something was cut."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def spoken(text: str, limit: int = LABEL) -> str:
    """`text` in one line of at most `limit` characters, cut between words; it can mint no mention, as in `escape`."""
    line = " ".join(clean(text).translate(_NO_MARKUP).split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    whole = cut if line[limit - 1] == " " else cut.rpartition(" ")[0]
    return f"{whole if len(whole) * 2 > limit else cut}".rstrip() + "…"


def person(name: str, limit: int = 80) -> str:
    """What somebody calls themselves, for a mrkdwn field: one line that can neither end what it stands in nor mint
    anything."""
    return escape(spoken(name.translate(_NO_EMPHASIS), limit))


def counted(number: int, one: str, many: str = "") -> str:
    """`1 run`, `2,000 runs`; `many` where it is no mere s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def size(blocks: list[Block]) -> int:
    """Characters that blocks take as JSON, which is what Slack bounds."""
    return len(json.dumps(blocks, ensure_ascii=False))


def section(mrkdwn: str) -> Block:
    """A paragraph of mrkdwn whose variable parts are already escaped."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": clip(mrkdwn, SECTION)}}


def header(text: str) -> Block:
    """A large bold line of plain text."""
    return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}


def rule() -> Block:
    """A thin line; every card begins with one, so that those one below the other are told apart."""
    return {"type": "divider"}


def context(mrkdwn: str) -> Block:
    """A small grey line."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": clip(mrkdwn, CONTEXT)}]}


def button(
    text: str, action_id: str, value: str, *, about: str, style: str | None = None, confirm: Block | None = None
) -> Block:
    """A button; `style` is `primary` for the one that acts, `confirm` what it asks before it does.

    `about` goes on after `text` in what a screen reader says of it: on what the button acts. Slack has no such label
    for menus (https://docs.slack.dev/reference/block-kit/block-elements/button-element).
    """
    made: Block = {
        "type": "button",
        "text": {"type": "plain_text", "text": text, "emoji": False},
        "action_id": action_id,
        "value": value,
        "accessibility_label": spoken(f"{text} {about}"),
    }
    return made | ({"style": style} if style else {}) | ({"confirm": confirm} if confirm else {})


def menu(action_id: str, options: dict[str, str]) -> Block:
    """A menu of up to five rarer actions: what each carries, and its label."""
    made = [
        {"text": {"type": "plain_text", "text": label, "emoji": False}, "value": value}
        for value, label in options.items()
    ]
    return {"type": "overflow", "action_id": action_id, "options": made}


def rich(*elements: Block) -> Block:
    """A rich_text block; its text elements need no escaping, since nothing in them is markup."""
    return {"type": "rich_text", "elements": list(elements)}


def quote(text: str) -> Block:
    """Somebody's words, word for word."""
    return rich({"type": "rich_text_quote", "elements": [span(text)]})


def preformatted(text: str) -> Block:
    """Lines of code, word for word."""
    return {"type": "rich_text_preformatted", "elements": [span(text)]}


def span(text: str, **style: bool) -> Block:
    """A run of text; Slack refuses an empty one."""
    made: Block = {"type": "text", "text": clean(text) or " "}
    return made | {"style": style} if style else made


def moment(at: datetime) -> str:
    """A time that Slack shows in the reader's own zone."""
    return f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{at:%Y-%m-%d %H:%M} UTC>"


def mention(who: str) -> str:
    """A user or a user group, so that they are told."""
    return f"<!subteam^{who}>" if who.startswith("S") else f"<@{who}>"


def place(channel: str) -> str:
    """Where something was said. Nobody else can open a direct message with the bot, so it is not named."""
    return "a direct message" if channel.startswith("D") else f"<#{channel}>"


def titled(channel: str, name: str) -> str:
    """The same as plain words, by what people call the channel."""
    return "a direct message" if channel.startswith("D") else f"#{escape(name)}"


def ago(since: datetime) -> str:
    """How long ago a time was; Slack keeps it right without another message."""
    return f"<!date^{int(since.timestamp())}^{{ago}}|{since:%Y-%m-%d %H:%M} UTC>"
