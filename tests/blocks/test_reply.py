"""A draft as a message: what it can express, and what it never can."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.reply import reply

KINDS = {"rich_text", "rich_text_section", "rich_text_preformatted", "rich_text_list", "rich_text_quote", "text"}


def kinds(value: Any) -> set[str]:
    """Every `type` in a piece of Block Kit."""
    if isinstance(value, dict):
        own = {value["type"]} if "type" in value else set()
        return own.union(*(kinds(inner) for inner in value.values())) if value else own
    return set().union(*(kinds(inner) for inner in value)) if isinstance(value, list) else set()


def shown(text: str) -> str:
    """All text that the blocks of a draft show."""

    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [value["text"]] if value.get("type") == "text" else [t for v in value.values() for t in texts(v)]
        return [t for v in value for t in texts(v)] if isinstance(value, list) else []

    return "".join(texts(reply(text)["blocks"]))


def test_a_draft_becomes_paragraphs_code_lists_and_quotes() -> None:
    """The usual shapes of an answer come out as Slack's own elements."""
    text = "See `a.py:1`:\n```python\ndef x():\n    pass\n```\n- one\n- **two**\n1. first\n> said\nend of _it_"
    elements = reply(text)["blocks"][0]["elements"]
    assert [element["type"] for element in elements] == [
        "rich_text_section",
        "rich_text_preformatted",
        "rich_text_list",
        "rich_text_list",
        "rich_text_quote",
        "rich_text_section",
    ]
    assert elements[1]["elements"][0]["text"] == "def x():\n    pass"
    assert elements[0]["elements"][1] == {"type": "text", "text": "a.py:1", "style": {"code": True}}


def test_a_quoted_fence_does_not_end_the_code() -> None:
    """A longer fence may hold a shorter one."""
    elements = reply("````\n```\ninner\n```\n````")["blocks"][0]["elements"]
    assert [e["elements"][0]["text"] for e in elements] == ["```\ninner\n```"]


@pytest.mark.parametrize(
    "text",
    [
        "<!channel> <!here> <!everyone> <!subteam^S123> @channel",
        "<@U0OPS> and <#C0HELP>",
        "[click](https://evil.example/?q=secret) <https://evil.example|click>",
        "![x](https://evil.example/x.png)",
        "```\n<!channel>\n```",
    ],
)
def test_a_draft_can_mint_no_mention_and_no_link(text: str) -> None:
    """Whatever a draft says, only text and code are built, and the fallback text is escaped."""
    made = reply(text)
    assert kinds(made["blocks"]) <= KINDS
    assert "<" not in made["text"]


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "```\n```", "`", "- ", "\x00\x1b[31m", "\ud800", "\u202egnp.exe", "a\r\nb"]
)
def test_odd_drafts_make_a_message_that_slack_takes(text: str) -> None:
    """Never an empty element, never a control, bidi or invisible character."""
    made = reply(text)
    assert json.dumps(made)
    assert all(made_text for made_text in [shown(text)])
    assert not set(shown(text)) & {"\x00", "\x1b", "\u202e", "\ud800", "\r"}


def test_names_with_underscores_are_not_italic() -> None:
    """Code words in prose stay as they are."""
    assert shown("call __init__ of my_own_thing") == "call __init__ of my_own_thing\n"
