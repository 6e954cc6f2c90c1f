"""What Slack refuses in blocks and views, and how text is stored."""

from typing import Any

import pytest

from sandbox.blockkit import checked_blocks, checked_view
from sandbox.markup import cleaned, rich_text, typed
from sandbox.models import Refused


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def button(text: str = "Go", **more: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": "go", "text": plain(text), **more}


def entry(**more: Any) -> dict[str, Any]:
    element = {"type": "plain_text_input", "action_id": "a", **more}
    return {"type": "input", "label": plain("Text"), "element": element}


@pytest.mark.parametrize(
    "block",
    [
        section("a" * 3000),
        {"type": "section", "fields": [plain("a" * 2000)] * 10},
        {"type": "header", "text": plain("a" * 150)},
        actions(*[button("a" * 75, value="v" * 2000)] * 25),
        {"type": "context", "elements": [plain("a")] * 10},
        entry(initial_value="a" * 3000),
        {"type": "markdown", "text": "# hi"},
        {"type": "divider"},
    ],
)
def test_a_block_at_its_limit_is_accepted(block: dict[str, Any]) -> None:
    """The limits themselves are allowed."""
    assert checked_blocks([block])[0]["type"] == block["type"]


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ("text", "/blocks/0"),
        ({}, "/blocks/0/type"),
        ({"type": "sektion"}, "/blocks/0/type"),
        ({"type": "section"}, "/blocks/0"),
        (section(""), "/blocks/0/text/text"),
        (section("a" * 3001), "/blocks/0/text/text"),
        ({"type": "section", "text": "bare"}, "/blocks/0/text"),
        ({"type": "section", "fields": "bare"}, "/blocks/0/fields"),
        ({"type": "section", "fields": [plain("a")] * 11}, "/blocks/0/fields"),
        ({**section("a"), "accessory": button("a" * 76)}, "/blocks/0/accessory/text/text"),
        ({"type": "header", "text": plain("a" * 151)}, "/blocks/0/text/text"),
        (actions(), "/blocks/0"),
        (actions("button"), "/blocks/0/elements/0"),
        (actions({"action_id": "go"}), "/blocks/0/elements/0"),
        (actions(*[button()] * 26), "/blocks/0/elements"),
        (actions(button(), button("a" * 76)), "/blocks/0/elements/1/text/text"),
        (actions(button(value="v" * 2001)), "/blocks/0/elements/0/value"),
        (actions(button(style="blue")), "/blocks/0/elements/0/style"),
        ({"type": "context", "elements": [plain("a")] * 11}, "/blocks/0/elements"),
        ({"type": "input", "label": plain("a")}, "/blocks/0"),
        (entry(initial_value="a" * 3001), "/blocks/0/element/initial_value"),
        ({"type": "divider", "block_id": "b" * 256}, "/blocks/0/block_id"),
    ],
)
def test_a_faulty_block_is_pointed_at(block: Any, pointer: str) -> None:
    """The complaint names the exact place."""
    with pytest.raises(Refused) as refused:
        checked_blocks([block])
    assert refused.value.error == "invalid_blocks"
    assert any(f"[json-pointer:{pointer}]" in message for message in refused.value.messages)


def test_fifty_blocks_and_no_more() -> None:
    """A message holds fifty blocks, a view a hundred, and no two share a block_id."""
    assert len(checked_blocks([{"type": "divider"}] * 50)) == 50
    for blocks in ([{"type": "divider"}] * 51, [{"type": "divider", "block_id": "same"}] * 2):
        with pytest.raises(Refused, match="invalid_blocks"):
            checked_blocks(blocks)
    view = {"type": "modal", "title": plain("T"), "blocks": [{"type": "divider"}] * 100}
    assert len(checked_view(view)["blocks"]) == 100


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"type": "home"}, "/view/type"),
        ({"title": None}, "/view/title"),
        ({"title": plain("a" * 25)}, "/view/title/text"),
        ({"submit": plain("a" * 25)}, "/view/submit/text"),
        ({"close": plain("a" * 25)}, "/view/close/text"),
        ({"private_metadata": "a" * 3001}, "/view/private_metadata"),
        ({"callback_id": "a" * 256}, "/view/callback_id"),
        ({"blocks": None}, "/view"),
        ({"blocks": [{"type": "divider"}] * 101}, "/view/blocks"),
        ({"blocks": [section("")]}, "/view/blocks/0/text/text"),
        ({"blocks": [entry()]}, "/view"),
    ],
)
def test_a_faulty_view_is_pointed_at(change: dict[str, Any], pointer: str) -> None:
    """Views are refused as invalid arguments; one with an input needs something to submit it with."""
    with pytest.raises(Refused) as refused:
        checked_view({"type": "modal", "title": plain("T"), "blocks": [], **change})
    assert refused.value.error == "invalid_arguments"
    assert any(f"[json-pointer:{pointer}]" in message for message in refused.value.messages)


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("hey @Triage!", "hey <@U0TRIAGE>!"),
        ("hey @triage and <@U0TRIAGE>", "hey <@U0TRIAGE> and <@U0TRIAGE>"),
        ("mail me@work, <@U0NOBODY>", "mail me@work, &lt;@U0NOBODY&gt;"),
        ("<!channel> <http://x|y>", "&lt;!channel&gt; &lt;<http://x>|y&gt;"),
        ("@here look", "<!here> look"),
        ("in #general", "in <#C0GENERAL|general>"),
        ("see https://a.example/x?a=1&b=2.", "see <https://a.example/x?a=1&amp;b=2>."),
        ("&lt; stays as typed", "&amp;lt; stays as typed"),
    ],
)
def test_what_people_type_is_stored_escaped(said: str, stored: str) -> None:
    """People mint mentions by name; any other control syntax they type is text."""
    people = {"triage": "U0TRIAGE"}
    assert typed(said, people=people, rooms={"general": "C0GENERAL"}) == stored


@pytest.mark.parametrize(
    ("posted", "stored"),
    [
        ("a & b < c", "a &amp; b &lt; c"),
        ("a &amp; b &lt; c", "a &amp; b &lt; c"),
        ("<@U0ANA> <#C0HELP> <!here> <https://a.example|a>", "<@U0ANA> <#C0HELP> <!here> <https://a.example|a>"),
        ("see https://a.example?x=1&y=2", "see <https://a.example?x=1&amp;y=2>"),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
    ],
)
def test_what_apps_post_keeps_its_control_syntax(posted: str, stored: str) -> None:
    """Apps write control syntax themselves; only what is none is escaped, and never twice."""
    assert cleaned(posted) == stored


def test_rich_text_of_a_whole_message() -> None:
    """Quotes, fences, styles, mentions and links become the elements Slack makes of them."""
    block = rich_text("*b _i_* `c&lt;` <@U1>\n&gt; quoted\n```\nx = 1\n```\nsee <https://a.example|a>")
    assert [part["type"] for part in block["elements"]] == [
        "rich_text_section",
        "rich_text_quote",
        "rich_text_preformatted",
        "rich_text_section",
    ]
    first, quote, code, last = (part["elements"] for part in block["elements"])
    assert first[:2] == [
        {"type": "text", "text": "b ", "style": {"bold": True}},
        {"type": "text", "text": "i", "style": {"bold": True, "italic": True}},
    ]
    assert {"type": "text", "text": "c<", "style": {"code": True}} in first
    assert first[-1] == {"type": "user", "user_id": "U1"}
    assert quote == [{"type": "text", "text": "quoted"}]
    assert code == [{"type": "text", "text": "x = 1"}]
    assert last[-1] == {"type": "link", "url": "https://a.example", "text": "a"}
