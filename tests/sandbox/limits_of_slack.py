"""Small blocks to build upon, and Slack's limits as its pages give them: figure, block, place of the complaint."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def section(text: str, **more: Any) -> Json:
    return {"type": "section", "text": mrkdwn(text), **more}


def actions(*elements: Any) -> Json:
    return {"type": "actions", "elements": list(elements)}


def button(text: str = "Go", **more: Any) -> Json:
    return {"type": "button", "text": plain(text), **more}


def entry(element: Json | None = None, **more: Any) -> Json:
    return {"type": "input", "label": plain("Text"), "element": element or {"type": "plain_text_input"}, **more}


def option(text: str = "One", value: str = "one", **more: Any) -> Json:
    return {"text": plain(text), "value": value, **more}


def select(**more: Any) -> Json:
    return {"type": "static_select", "options": [option()], **more}


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": list(elements)}


def line(*elements: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(elements)}


def image(**more: Any) -> Json:
    return {"type": "image", "alt_text": "a", "image_url": "https://a.example/a.png", **more}


def confirm(**more: Any) -> Json:
    return {"title": plain("t"), "text": plain("t"), **more}


def feedback(text: str = "Good", value: str = "v", **more: Any) -> Json:
    return {"text": plain(text), "value": value, **more}


def opinion(half: Json) -> Json:
    buttons = {"type": "feedback_buttons", "positive_button": half, "negative_button": feedback()}
    return {"type": "context_actions", "elements": [buttons]}


def table(rows: int = 1, columns: int = 1) -> Json:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}] * columns] * rows}


@dataclass(frozen=True)
class Limit:
    """A figure of Slack's, a block with n of what it limits, and where a complaint points."""

    name: str
    most: int
    block: Callable[[int], Json]
    pointer: str


LIMITS = [
    Limit("block_id", 255, lambda n: {"type": "divider", "block_id": "b" * n}, "block_id"),
    Limit("section text", 3000, lambda n: section("a" * n), "text/text"),
    Limit("section fields", 10, lambda n: {"type": "section", "fields": [plain("a")] * n}, "fields"),
    Limit("field text", 2000, lambda n: {"type": "section", "fields": [plain("a" * n)]}, "fields/0/text"),
    Limit("header", 150, lambda n: {"type": "header", "text": plain("a" * n)}, "text/text"),
    Limit("actions", 25, lambda n: actions(*[button()] * n), "elements"),
    Limit("context", 10, lambda n: {"type": "context", "elements": [plain("a")] * n}, "elements"),
    Limit(
        "context_actions",
        5,
        lambda n: {"type": "context_actions", "elements": opinion(feedback())["elements"] * n},
        "elements",
    ),
    Limit("button text in actions", 75, lambda n: actions(button("a" * n)), "elements/0/text/text"),
    Limit("button text in an accessory", 75, lambda n: section("a", accessory=button("a" * n)), "accessory/text/text"),
    Limit("button value", 2000, lambda n: actions(button(value="v" * n)), "elements/0/value"),
    Limit("button url", 3000, lambda n: actions(button(url="u" * n)), "elements/0/url"),
    Limit(
        "accessibility_label",
        75,
        lambda n: actions(button(accessibility_label="a" * n)),
        "elements/0/accessibility_label",
    ),
    Limit("agent_prompt", 4000, lambda n: actions(button(agent_prompt="a" * n)), "elements/0/agent_prompt"),
    Limit("action_id", 255, lambda n: actions(button(action_id="a" * n)), "elements/0/action_id"),
    Limit("feedback text", 75, lambda n: opinion(feedback("a" * n)), "elements/0/positive_button/text/text"),
    Limit("feedback value", 2000, lambda n: opinion(feedback(value="a" * n)), "elements/0/positive_button/value"),
    Limit("option text", 75, lambda n: actions(select(options=[option("a" * n)])), "elements/0/options/0/text/text"),
    Limit(
        "option value", 150, lambda n: actions(select(options=[option(value="a" * n)])), "elements/0/options/0/value"
    ),
    Limit("select options", 100, lambda n: actions(select(options=[option()] * n)), "elements/0/options"),
    Limit(
        "option groups",
        100,
        lambda n: actions(
            {"type": "static_select", "option_groups": [{"label": plain("a"), "options": [option("a")]}] * n}
        ),
        "elements/0/option_groups",
    ),
    Limit("overflow", 5, lambda n: actions({"type": "overflow", "options": [option()] * n}), "elements/0/options"),
    Limit(
        "radio buttons",
        10,
        lambda n: actions({"type": "radio_buttons", "options": [option()] * n}),
        "elements/0/options",
    ),
    Limit("checkboxes", 10, lambda n: actions({"type": "checkboxes", "options": [option()] * n}), "elements/0/options"),
    Limit("placeholder", 150, lambda n: actions(select(placeholder=plain("a" * n))), "elements/0/placeholder/text"),
    Limit(
        "confirm title",
        100,
        lambda n: actions(button(confirm=confirm(title=plain("a" * n)))),
        "elements/0/confirm/title/text",
    ),
    Limit(
        "confirm text",
        300,
        lambda n: actions(button(confirm=confirm(text=plain("a" * n)))),
        "elements/0/confirm/text/text",
    ),
    Limit(
        "confirm button",
        30,
        lambda n: actions(button(confirm=confirm(confirm=plain("a" * n)))),
        "elements/0/confirm/confirm/text",
    ),
    Limit(
        "deny button",
        30,
        lambda n: actions(button(confirm=confirm(deny=plain("a" * n)))),
        "elements/0/confirm/deny/text",
    ),
    Limit("input label", 2000, lambda n: entry(label=plain("a" * n)), "label/text"),
    Limit("input hint", 2000, lambda n: entry(hint=plain("a" * n)), "hint/text"),
    Limit(
        "initial value",
        3000,
        lambda n: entry({"type": "plain_text_input", "initial_value": "a" * n}),
        "element/initial_value",
    ),
    Limit("max_length", 3000, lambda n: entry({"type": "plain_text_input", "max_length": n}), "element/max_length"),
    Limit("image url", 3000, lambda n: image(image_url="u" * n), "image_url"),
    Limit("alt text", 2000, lambda n: image(alt_text="a" * n), "alt_text"),
    Limit("image title", 2000, lambda n: image(title=plain("a" * n)), "title/text"),
    Limit("markdown", 12_000, lambda n: {"type": "markdown", "text": "a" * n}, "text"),
    Limit(
        "list indent",
        8,
        lambda n: rich({"type": "rich_text_list", "style": "bullet", "elements": [], "indent": n}),
        "elements/0/indent",
    ),
    Limit("table rows", 100, lambda n: table(rows=n), "rows"),
    Limit("table columns", 20, lambda n: table(columns=n), "rows/0"),
    Limit("card body", 200, lambda n: {"type": "card", "body": plain("a" * n)}, "body/text"),
    Limit("card actions", 3, lambda n: {"type": "card", "actions": [button()] * n}, "actions"),
    Limit("carousel", 10, lambda n: {"type": "carousel", "elements": [{"type": "card"}] * n}, "elements"),
    Limit("container", 10, lambda n: {"type": "container", "child_blocks": [{"type": "divider"}] * n}, "child_blocks"),
    Limit("data table", 200, lambda n: {"type": "data_table", "rows": [[]] * n}, "rows"),
]
