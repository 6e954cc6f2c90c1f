"""What a person pasted, quoted or forwarded is not their own word."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.pasted import is_pasted, read_typed_text
from tests.models.test_contents import read
from tests.tables import each_row


def rich(*kinds: str) -> list[dict[str, Any]]:
    """Rich text with elements of these kinds."""
    return [{"type": "rich_text", "elements": [{"type": kind, "elements": []} for kind in kinds]}]


@pytest.mark.parametrize(
    ("event", "pasted"),
    [
        ({"text": "pause the shop project, please"}, False),
        ({"text": "use `debounce_ms`\nand go on", "blocks": rich("rich_text_section", "rich_text_list")}, False),
        ({"text": "a <https://example.com|link>, 3 > 2"}, False),
        ({"text": "this says\n&gt; allow 500"}, True),
        ({"text": "> allow 500"}, True),
        ({"text": "do this ```allow 500```"}, True),
        ({"text": "so", "blocks": rich("rich_text_section", "rich_text_quote")}, True),
        ({"text": "so", "blocks": rich("rich_text_preformatted")}, True),
        ({"text": "look", "attachments": [{"is_share": True, "text": "allow 500"}]}, True),
        ({"text": "look", "files": [{"name": "a.txt"}]}, True),
        ({"text": "word " * 200}, True),
        ({"text": "line\n" * 9}, True),
        ({"text": None, "blocks": "no list"}, False),
    ],
)
def test_text_of_others_is_known_by_its_form(event: dict[str, Any], pasted: bool) -> None:
    """Attached, quoted, in a code block, or more than a person types."""
    assert is_pasted(event) is pasted


def test_what_is_nested_deeper_than_slack_nests_counts_as_a_quote() -> None:
    """And costs no deep recursion."""
    block: dict[str, Any] = {"type": "rich_text_section"}
    for _ in range(5_000):
        block = {"type": "rich_text_section", "elements": [block]}
    assert is_pasted({"text": "so", "blocks": [block]})


ORDER = "pause project shop"
PLAIN, MRKDWN, RAW = ({"type": kind, "text": ORDER} for kind in ("plain_text", "mrkdwn", "raw_text"))
SAID = [{"type": "text", "text": ORDER}]
SECTION = {"type": "rich_text_section", "elements": SAID}
RICH = {"type": "rich_text", "elements": [SECTION]}
IMAGE = {"type": "image", "image_url": "https://example.com/a.png", "alt_text": ORDER, "title": PLAIN}
TABLE = {"type": "table", "rows": [[RAW, RAW], [RICH]]}
FOREIGN: dict[str, dict[str, Any]] = {
    "section": {"type": "section", "text": MRKDWN},
    "fields": {"type": "section", "fields": [MRKDWN, PLAIN]},
    "accessory": {"type": "section", "text": {"type": "mrkdwn", "text": "so"}, "accessory": IMAGE},
    "header": {"type": "header", "text": PLAIN},
    "context": {"type": "context", "elements": [MRKDWN, IMAGE]},
    "markdown": {"type": "markdown", "text": ORDER},
    "image": IMAGE,
    "video": {"type": "video", "title": PLAIN, "alt_text": ORDER, "description": PLAIN, "video_url": "https://e.com"},
    "table": TABLE,
    "data_table": {**TABLE, "type": "data_table", "caption": ORDER},
    "actions": {"type": "actions", "elements": [{"type": "button", "text": PLAIN, "value": ORDER, "action_id": "a"}]},
    "context_actions": {"type": "context_actions", "elements": [{"type": "icon_button", "text": PLAIN}]},
    "input": {"type": "input", "label": PLAIN, "hint": PLAIN, "element": {"type": "plain_text_input"}},
    "file": {"type": "file", "external_id": ORDER, "source": "remote"},
    "call": {"type": "call", "call_id": "R1", "call": {"v1": {"name": ORDER}}},
    "divider": {"type": "divider"},
    "alert": {"type": "alert", "text": PLAIN},
    "card": {"type": "card", "title": PLAIN, "subtitle": PLAIN, "body": MRKDWN, "hero_image": IMAGE},
    "carousel": {"type": "carousel", "elements": [{"type": "card", "title": PLAIN}]},
    "container": {"type": "container", "title": PLAIN, "children": [RICH, TABLE]},
    "plan": {"type": "plan", "title": ORDER, "tasks": [{"type": "task_card", "title": ORDER, "details": RICH}]},
    "task_card": {"type": "task_card", "task_id": "1", "title": ORDER, "output": RICH},
    "unknown": {"type": "of_next_year", "text": ORDER, "elements": [RICH], "blocks": [RICH]},
    "quote": {"type": "rich_text", "elements": [{"type": "rich_text_quote", "elements": SAID}]},
    "code": {"type": "rich_text", "elements": [{"type": "rich_text_preformatted", "elements": SAID}]},
    "fence": {
        "type": "rich_text",
        "elements": [
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": f"```\n{ORDER}\n```"}]},
        ],
    },
    "quoted list": {"type": "rich_text", "elements": [{"type": "rich_text_list", "border": 1, "elements": [SECTION]}]},
    "quote in a list": {
        "type": "rich_text",
        "elements": [{"type": "rich_text_list", "elements": [{"type": "rich_text_quote", "elements": SAID}]}],
    },
    "text in rich text": {"type": "rich_text", "elements": [{"type": "of_next_year", "elements": SAID}]},
    "table in rich text": {"type": "rich_text", "elements": [TABLE, RICH]},
    "date in a line": {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "date", "timestamp": 1, "fallback": ORDER}]}],
    },
    "link in a line": {
        "type": "rich_text",
        "elements": [
            {"type": "rich_text_section", "elements": [{"type": "link", "url": "https://e.com", "text": ORDER}]}
        ],
    },
    "words in a line": {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "of_next_year", "text": ORDER}]}],
    },
}


def typed_line(more: dict[str, Any]) -> dict[str, Any]:
    """Rich text of one line, in which something follows the order."""
    line = {"type": "rich_text_section", "elements": [{"type": "text", "text": f"{ORDER} "}, more]}
    return {"type": "rich_text", "elements": [line]}


def own_lines(text: str) -> list[str]:
    """What of a text is neither quoted nor code."""
    outside = "\n".join(text.split("```")[::2])
    return [line for line in outside.splitlines() if line.strip() and not line.startswith(">")]


@each_row("kind", FOREIGN)
@each_row("text", ["", "look at this", ORDER])
def test_what_a_block_says_that_nobody_types_is_no_word_of_the_authors(kind: str, text: str) -> None:
    """Alone, below their words, or repeated by the plain text that Slack shows where it shows no blocks."""
    words = {"type": "rich_text_section", "elements": [{"type": "text", "text": "look at this"}]}
    block = FOREIGN[kind]
    shapes = [[block], [{"type": "rich_text", "elements": [words]}, block], [block, {**RICH, "elements": [words]}]]
    if block["type"] == "rich_text":
        shapes.append([{"type": "rich_text", "elements": [words, *block["elements"]]}])
    for blocks in shapes:
        event = {"text": text, "blocks": blocks}
        assert is_pasted(event)
        if blocks == [block] and kind in ("actions", "context_actions", "input", "file", "call", "divider"):
            continue  # these say nothing that is read, so a text beside them is the author's
        assert ORDER not in own_lines(read({"text": text, "blocks": blocks}).own_content), blocks


@pytest.mark.parametrize("kind", sorted({"table", "markdown", "section", "image", "context"}))
def test_what_nobody_typed_stays_part_of_what_is_asked(kind: str) -> None:
    """A question is answered about what stands in a table, too."""
    message = read({"text": "what is wrong here?", "blocks": [FOREIGN[kind]]})
    assert ORDER in message.content
    assert message.pasted


@pytest.mark.parametrize(
    ("shape", "own"),
    [
        ({"text": ORDER}, ORDER),
        ({"text": ORDER, "blocks": [RICH]}, ORDER),
        ({"text": "", "blocks": [RICH]}, ORDER),
        (
            {
                "text": "",
                "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": [SECTION]}]}],
            },
            f"• {ORDER}",
        ),
        ({"text": ORDER, "blocks": [RICH, {"type": "markdown", "text": "stop Triage"}]}, ORDER),
        ({"text": ORDER, "blocks": [{"type": "markdown", "text": "the logs"}]}, ORDER),
        ({"text": ORDER, "blocks": ["no block"], "files": [{"name": "a.txt"}]}, ORDER),
        ({"text": "", "blocks": [FOREIGN["quote"]]}, f"&gt; {ORDER}"),
        ({"text": "", "blocks": [{**FOREIGN["table"]}]}, ""),
        ({"text": ORDER, "blocks": [typed_line({"type": "link", "url": "http://e.com/a", "text": "e.com/a"})]}, ORDER),
        (
            {"text": "x", "blocks": [typed_line({"type": "link", "url": "https://e.com", "text": "stop Triage"})]},
            f"{ORDER} <https://e.com>",
        ),
        ({"text": ORDER, "blocks": [{"type": "markdown", "text": "the logs " * 3_000}]}, ""),  # too much to compare
    ],
)
def test_what_is_typed_counts_whatever_stands_beside_it(shape: dict[str, Any], own: str) -> None:
    """An order is still one with a table or a file below it."""
    assert read_typed_text(shape) == own


def test_a_mention_in_a_table_calls_nobody() -> None:
    """Nobody is called by what somebody else has written."""
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "<@U0TRIAGE> stop"}]]}
    assert read({"text": "", "blocks": [table]}).mentions == ()
    assert read({"text": "", "blocks": [RICH, {"type": "markdown", "text": "<@U0TRIAGE>"}]}).mentions == ()
