"""Block Kit as the page draws it: everything that an app may send is drawn, and every control has a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from tests.sandbox.browser.window import Window

    Opening = Callable[..., Awaitable[Window]]

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMELESS = """() => [...document.querySelectorAll("button, a, input, select, textarea")]
    .filter((node) => node.checkVisibility() && !node.textContent.trim() && !node.labels?.length)
    .filter((node) => !node.ariaLabel && !node.hasAttribute("aria-labelledby")).map((node) => node.outerHTML)"""
"""Controls that a screen reader has no name for."""


def plain(text: str) -> dict[str, Any]:
    """Plain text."""
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, Any]:
    """Text with marks."""
    return {"type": "mrkdwn", "text": text}


def line(*elements: dict[str, Any]) -> dict[str, Any]:
    """A section of rich text."""
    return {"type": "rich_text_section", "elements": list(elements)}


def said(text: str, **style: bool) -> dict[str, Any]:
    """Rich text, in a style."""
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def items(style: str, indent: int, *texts: str) -> dict[str, Any]:
    """A rich list."""
    elements = [line(said(text)) for text in texts]
    return {"type": "rich_text_list", "style": style, "indent": indent, "elements": elements}


RICH = {
    "type": "rich_text",
    "elements": [
        line(
            said("bold", bold=True),
            said("slanted", italic=True),
            said("struck", strike=True),
            said("x = 1", code=True),
            {"type": "emoji", "name": "made_up", "unicode": "1f98a"},
            {"type": "user", "user_id": "U0OPS"},
            {"type": "channel", "channel_id": "C0GENERAL"},
            {"type": "broadcast", "range": "here"},
            {"type": "color", "value": "#336699"},
            {"type": "link", "url": "https://example.com/", "text": "elsewhere"},
        ),
        items("bullet", 0, "first"),
        items("ordered", 1, "under the first", "and another"),
        items("bullet", 0, "second"),
        {"type": "rich_text_quote", "elements": [said("quoted")]},
        {"type": "rich_text_preformatted", "elements": [said("def f():\n    pass")]},
    ],
}
MARKDOWN = (
    "## A heading\n\nSome **bold**, *slanted* and `code`.\n\n- one\n  - deeper\n\n| a | b |\n|---|---|\n| 1 | 2 |"
)


MARKS = {
    "*bold*: and more": ("bold: and more", "strong"),
    "a*b*c, 2 * 3 * 4": ("a*b*c, 2 * 3 * 4", ""),
    "snake_case_name": ("snake_case_name", ""),
    "*bold _and slanted_*": ("bold and slanted", "strong em"),
    "(~gone~), _slanted_.": ("(gone), slanted.", "s em"),
    "`*code* &lt;b&gt;`": ("*code* <b>", "code"),
    "```\n*raw*\n```": ("*raw*", "pre"),
    "_<https://example.com/a_b_c|a_b>_": ("a_b", "em a"),
    "<mailto:ana@example.com|write>": ("write", "a"),
    "&lt;b&gt; &amp;lt; &amp;amp;": ("<b> &lt; &amp;", ""),
    "<!here> <@U0OPS> <#C0GENERAL>": ("@here @Olu #general", "span span span"),
    ":tada: :made_up: 10:30:45": ("🎉 :made_up: 10:30:45", ""),
    "&gt; one\n&gt; two\nthree": ("one\ntwothree", "blockquote"),
    "before\n&gt;&gt;&gt; all\nthe rest": ("beforeall\nthe rest", "blockquote"),
}
"""Marked text, what is read, and the elements it is made of."""


async def test_marks_are_read_as_slack_reads_them(window: Opening, slack: AsyncWebClient) -> None:
    """Emphasis stands at the edges of words only, code holds no marks, and escapes are undone once."""
    blocks = [{"type": "section", "text": mrkdwn(text)} for text in MARKS]
    await slack.chat_postMessage(channel="C0HELP", text="x", blocks=blocks)
    ana = await window("U0ANA")
    words = ana.page.locator("#messages .section .words")
    await ana.counts(words, len(MARKS))
    read = "nodes => nodes.map((n) => [n.textContent, [...n.querySelectorAll('*')].map((e) => e.localName).join(' ')])"
    shown = [tuple(each) for each in await words.evaluate_all(read)]
    assert dict(zip(MARKS, shown, strict=True)) == MARKS


async def test_every_block_of_a_message_is_drawn(window: Opening, slack: AsyncWebClient) -> None:
    """Each kind in its own way, none as something unknown."""
    option = {"text": plain("One"), "value": "1"}
    press = {"type": "button", "text": plain("Press"), "style": "primary", "value": "1"}
    trash = {"type": "icon_button", "icon": "trash", "text": plain("Throw away")}
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": plain("A title")},
        {
            "type": "section",
            "text": mrkdwn("*Post this* to <@U0ANA>? ~No~ `yes` <https://example.com/|there>\n&gt; as said"),
            "accessory": {"type": "overflow", "options": [option, {"text": plain("Two"), "value": "2"}]},
        },
        {"type": "section", "fields": [mrkdwn("*Where*\nhere"), mrkdwn("*When*\nnow")]},
        {"type": "context", "elements": [mrkdwn("Drafted by *somebody*")]},
        {"type": "divider"},
        {"type": "actions", "elements": [press, {"type": "datepicker", "placeholder": plain("A day")}]},
        {"type": "context_actions", "elements": [trash]},
        RICH,
        {"type": "markdown", "text": MARKDOWN},
        {"type": "image", "image_url": "https://example.com/x.png", "alt_text": "a fox"},
    ]
    await slack.chat_postMessage(channel="C0HELP", text="x", blocks=blocks)
    ana = await window("U0ANA")
    message = await ana.sees(ana.message("A title"))
    drawn = {
        "role=heading[name='A title']": 1,
        "role=heading[name='A heading']": 1,
        ".section strong:text-is('Post this')": 1,
        ".section blockquote:text-is('as said')": 1,
        ".mention:text-is('@Ana')": 1,
        ".fields > div": 2,
        "hr.divider": 1,
        ".rich_text strong, .rich_text em, .rich_text s": 3,
        ".rich_text ul > li": 2,
        ".rich_text ul > li > ol > li": 2,
        ".rich_text pre": 1,
        ".rich_text .line:has-text('🦊@Olu#general@here')": 1,
        ".rich_text a[target=_blank]": 1,
        ".markdown ul ul li:text-is('deeper')": 1,
        ".markdown td": 2,
        "role=img[name='a fox']": 1,
        "img, .unknown": 0,
    }
    for selector, number in drawn.items():
        await ana.counts(message.locator(selector), number)
    assert await ana.page.evaluate(NAMELESS) == []


async def test_every_input_has_its_label(window: Opening, slack: AsyncWebClient) -> None:
    """On a Home, where the same inputs stand as in a dialog."""
    options = [{"text": plain("Short"), "value": "short"}, {"text": plain("Long"), "value": "long"}]
    elements: list[dict[str, Any]] = [
        {"type": "plain_text_input", "multiline": True, "initial_value": "as it was"},
        {"type": "plain_text_input", "placeholder": plain("a word")},
        {"type": "static_select", "options": options, "initial_option": options[1]},
        {"type": "users_select"},
        {"type": "radio_buttons", "options": options},
        {"type": "checkboxes", "options": options, "initial_options": options[:1]},
        {"type": "datepicker", "initial_date": "2026-02-03"},
        {"type": "multi_users_select", "initial_users": ["U0OPS"]},
    ]
    blocks = [
        {"type": "input", "label": plain(f"Question {number}"), "element": {**element, "action_id": f"a{number}"}}
        for number, element in enumerate(elements)
    ]
    await slack.views_publish(user_id="U0ANA", view={"type": "home", "blocks": blocks})
    ana = await window("U0ANA", channel="D0ANA", more="&tab=home")
    home = ana.page.get_by_role("region", name="App Home")
    await ana.sees(home.get_by_role("textbox", name="Question 0"))
    values = [await home.get_by_label(f"Question {number}").input_value() for number in (0, 1, 2, 3, 6)]
    assert values == ["as it was", "", "long", "", "2026-02-03"]
    await ana.sees(home.get_by_role("radiogroup", name="Question 4"))
    await ana.sees(home.get_by_role("group", name="Question 5").get_by_role("checkbox", name="Short", checked=True))
    await ana.sees(home.get_by_role("group", name="Question 7").get_by_role("checkbox", name="Olu", checked=True))
    assert await ana.page.evaluate(NAMELESS) == []
