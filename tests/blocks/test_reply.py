"""A draft as a message: what it can express, and what it never can."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.reply import LISTED, reply

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


def elements(text: str, **links: Any) -> list[dict[str, Any]]:
    """The elements of a draft's only block."""
    made: list[dict[str, Any]] = reply(text, **links)["blocks"][0]["elements"]
    return made


def listed(text: str) -> list[tuple[Any, ...]]:
    """Style, depth, offset and items of each element that is a list; the kind of each other one."""
    return [
        (each["style"], each.get("indent", 0), each.get("offset", 0), *map(said, each["elements"]))
        if each["type"] == "rich_text_list"
        else (each["type"],)
        for each in elements(text)
    ]


def said(part: dict[str, Any]) -> str:
    """The text of a section."""
    return "".join(each["text"] for each in part["elements"])


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("- a\n- b", [("bullet", 0, 0, "a", "b")]),
        (
            "1. a\n   - in\n     - deeper\n   - in again\n2. b",
            [
                ("ordered", 0, 0, "a"),
                ("bullet", 1, 0, "in"),
                ("bullet", 2, 0, "deeper"),
                ("bullet", 1, 0, "in again"),
                ("ordered", 0, 1, "b"),
            ],
        ),
        ("1. a\n1. b\n1. c", [("ordered", 0, 0, "a", "b", "c")]),
        ("3. a\n4. b\n7. c", [("ordered", 0, 2, "a", "b"), ("ordered", 0, 6, "c")]),
        ("- a\n  more of a\n- b", [("bullet", 0, 0, "a\nmore of a", "b")]),
        (
            "1. a\n   ```\n   x\n   ```\n2. b",
            [("ordered", 0, 0, "a"), ("rich_text_preformatted",), ("ordered", 0, 1, "b")],
        ),
        ("- a\n1. b", [("bullet", 0, 0, "a"), ("ordered", 0, 0, "b")]),
        ("\n".join(f"{'  ' * n}- {n}" for n in range(12)), [("bullet", n, 0, str(n)) for n in range(8)]),
    ],
)
def test_lists_keep_their_depth_and_their_numbers(text: str, lists: list[tuple[Any, ...]]) -> None:
    """What is written is what is counted; Slack knows no list in a list, and no more than nine depths."""
    assert listed(text)[: len(lists)] == lists
    assert all(len(each) == 1 or each[1] <= 8 for each in listed(text))


@pytest.mark.parametrize("heading", ["### Cause", "# Cause #", "###### **Cause**", "  ## Cause"])
def test_a_heading_becomes_bold(heading: str) -> None:
    """Slack has none in a message."""
    made = elements(f"{heading}\nThe clock.")
    assert made[0]["elements"][0] == {"type": "text", "text": "Cause", "style": {"bold": True}}
    assert said(made[1]) == "The clock.\n"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("set [in the throttle](a.py#L3).", "set <in the throttle>.\n"),
        ("[`a.py`](a.py:3), **[b](a.py:3)**", "<a.py>, <b>\n"),
        ("- [here](a.py:3)", "<here>"),
        ("[there](b.py:3) and [docs](https://x.test/y_(z))", "there (b.py:3) and docs (https://x.test/y_(z))\n"),
        (
            "handlers[i](x.y), `[x](a.py:3)`, [x](y), ![i](c.png)",
            "handlers[i](x.y), [x](<a.py:3>), [x](y), ![i](c.png)\n",
        ),
    ],
)
def test_words_that_stand_for_a_reference_are_its_link(text: str, seen: str) -> None:
    """Nothing else is one: the words stand there with the place behind them."""

    def read(part: Any) -> str:
        if part["type"] == "link":
            return f"<{part['text']}>"
        return str(part["text"]) if part["type"] == "text" else "".join(map(read, part["elements"]))

    links = {"a.py#L3": "https://code.test/a#L3", "a.py:3": "https://code.test/a#L3"}
    assert "".join(map(read, reply(text, links)["blocks"])) == seen


@pytest.mark.parametrize("rule", ["---", "***", "___", "- - -", " ----- "])
@pytest.mark.parametrize("around", ["\n", "\n\n"])
def test_a_lone_rule_becomes_a_blank_line(rule: str, around: str) -> None:
    """One, however many stood around it; code keeps its dashes."""
    assert "".join(said(each) for each in elements(f"a{around}{rule}{around}b")) == "a\n\nb\n"
    assert [each["type"][10:] for each in elements(f"- a{around}{rule}{around}- b")] == ["list", "section", "list"]
    assert len(elements(f"{rule}{around}a{around}{rule}")) == 1
    assert said(elements(f"```\n{rule}\n```")[0]) == rule


def test_a_hash_or_a_dash_inside_a_line_is_a_word() -> None:
    """Only marks at the beginning count."""
    text = "see #help -- or issue #12\n#hashtag"
    assert shown(text) == f"{text}\n"


def test_a_fence_that_nobody_closed_is_code_to_the_end() -> None:
    """A draft that was cut is still readable."""
    assert elements("so:\n```py\nx = 1")[1] == {
        "type": "rich_text_preformatted",
        "elements": [{"type": "text", "text": "x = 1"}],
    }


def test_references_become_links_where_the_draft_names_them() -> None:
    """The whole reference only, as code or in a line; the address is the one that code built."""
    links = {"bot/a.py:1": "https://code.example/a#L1", "bot/a.py:1-3": "https://code.example/a#L1-L3"}
    made = elements(
        "`bot/a.py:1` and bot/a.py:1-3, (bot/a.py:1). Not bot/a.py:12, my/bot/a.py:1 or bot/a.py:1-9", links=links
    )
    found = [(each["text"], each["url"], each.get("style")) for each in made[0]["elements"] if each["type"] == "link"]
    assert found == [
        ("bot/a.py:1", links["bot/a.py:1"], {"code": True}),
        ("bot/a.py:1-3", links["bot/a.py:1-3"], None),
        ("bot/a.py:1", links["bot/a.py:1"], None),
    ]


def test_each_line_of_a_list_is_a_link_of_its_own() -> None:
    """In words, at the end of a path and in code; a line that has no page stays text."""
    words, path = "lines 3, 7 and 9", "a.py:3,7"
    links = {
        f"{words}{LISTED}3": "u3",
        f"{words}{LISTED}9": "u9",
        f"{path}{LISTED}a.py:3": "u3",
        f"{path}{LISTED}7": "u7",
    }
    made = reply(f"See {words} of `a.py`, or `{path}`.", links)["blocks"][0]["elements"][0]["elements"]
    shown = [(one["text"], one.get("url", "")) for one in made]
    assert shown[:6] == [("See ", ""), ("lines ", ""), ("3", "u3"), (", 7 and ", ""), ("9", "u9"), (" of ", "")]
    assert shown[8:] == [("a.py:3", "u3"), (",", ""), ("7", "u7"), (".", ""), ("\n", "")]


def test_a_draft_of_too_many_pieces_keeps_its_lists_and_its_code() -> None:
    """What is inside lines goes first, so that the message stays one that Slack takes."""
    pieces = "`a` " * 600
    kept = [each["type"] for each in elements(f"- one\n- two\n```\ncode\n```\n{pieces}")]
    assert kept == ["rich_text_list", "rich_text_preformatted", "rich_text_section"]
    assert [each["type"] for each in elements("- a\n" * 700)] == ["rich_text_section"]


@pytest.mark.parametrize(
    ("text", "shown_as"),
    [
        ("a\n\nb", "a\n\nb\n"),
        ("a\n\n\n \n\nb", "a\n\nb\n"),
        ("a\n\n### H\nb", "a\n\nH\nb\n"),
        ("a\n### H\n\nb", "a\nH\n\nb\n"),
        ("- a\n\nb", "a\nb\n"),
        ("\n\na\n\n", "a\n"),
        ("```\nx\n```\n\nb", "x\nb\n"),
        ("```\nx\n```\nb", "xb\n"),
        ("a\n\n- b\n\n- c", "a\nbc"),
    ],
)
def test_blank_lines_stand_where_they_were_written(text: str, shown_as: str) -> None:
    """Before words and headings, one at most; an item or a piece of code needs none."""
    assert shown(text) == shown_as
