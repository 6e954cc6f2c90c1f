"""What a person pasted, quoted or forwarded is not their own word."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.pasted import is_pasted


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
