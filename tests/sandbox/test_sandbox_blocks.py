"""The limits of Block Kit: each one at its figure, and one over."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from sandbox.blockkit import checked_blocks, checked_view
from sandbox.models import Refused
from tests.sandbox.limits_of_slack import (
    LIMITS,
    Limit,
    actions,
    button,
    confirm,
    entry,
    line,
    mrkdwn,
    option,
    plain,
    rich,
    section,
    select,
)
from tests.tables import each_row

Json = dict[str, Any]


def _complaints(check: Callable[[], Any], error: str) -> tuple[str, ...]:
    with pytest.raises(Refused) as refused:
        check()
    assert refused.value.error == error
    return refused.value.messages


@each_row("limit", LIMITS, ids=lambda limit: limit.name)
def test_a_limit_is_allowed_and_one_over_it_is_not(limit: Limit) -> None:
    """Slack takes a block at its limit, and points at what is one over."""
    assert checked_blocks([limit.block(limit.most)])
    messages = _complaints(lambda: checked_blocks([{"type": "divider"}, limit.block(limit.most + 1)]), "invalid_blocks")
    assert [message.rpartition("[json-pointer:")[2] for message in messages] == [f"/blocks/1/{limit.pointer}]"]


def test_a_complaint_reads_like_slacks() -> None:
    """An app that shows Slack's complaint to its developer shows the same here."""
    messages = _complaints(lambda: checked_blocks([actions(button("a" * 76))]), "invalid_blocks")
    assert messages == ("[ERROR] must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",)


@each_row(
    ("block", "pointer"),
    [
        ("text", "/blocks/0"),
        ({}, "/blocks/0"),
        ({"type": "sektion"}, "/blocks/0/type"),
        ({"type": "image_element", "alt_text": "a", "image_url": "u"}, "/blocks/0/type"),
        ({"type": "divider", "colour": "red"}, "/blocks/0"),
        ({"type": "section"}, "/blocks/0"),
        (section(""), "/blocks/0/text/text"),
        ({"type": "section", "text": "bare"}, "/blocks/0/text"),
        ({"type": "section", "text": {**mrkdwn("a"), "emoji": True}}, "/blocks/0/text"),
        ({"type": "section", "text": {"type": "plain_text", "text": 7}}, "/blocks/0/text/text"),
        ({"type": "section", "fields": "bare"}, "/blocks/0/fields"),
        ({"type": "header", "text": mrkdwn("a")}, "/blocks/0/text/type"),
        (section("a", accessory={"type": "plain_text_input"}), "/blocks/0/accessory/type"),
        (actions(), "/blocks/0/elements"),
        (actions("button"), "/blocks/0/elements/0"),
        (actions({"action_id": "go"}), "/blocks/0/elements/0"),
        (actions({"type": "knob"}), "/blocks/0/elements/0/type"),
        (actions(button(action_id="a"), button(action_id="a")), "/blocks/0/elements/1/action_id"),
        (actions(button(style="blue")), "/blocks/0/elements/0/style"),
        (actions(button(value=7)), "/blocks/0/elements/0/value"),
        (actions({"type": "button"}), "/blocks/0/elements/0"),
        (actions({"type": "static_select"}), "/blocks/0/elements/0"),
        (actions(select(option_groups=[{"label": plain("a"), "options": [option()]}])), "/blocks/0/elements/0"),
        (actions({"type": "overflow", "options": []}), "/blocks/0/elements/0/options"),
        (actions(select(focus_on_load="yes")), "/blocks/0/elements/0/focus_on_load"),
        ({"type": "context", "elements": [button()]}, "/blocks/0/elements/0/type"),
        ({"type": "input", "label": plain("a")}, "/blocks/0"),
        (entry({"type": "button", "text": plain("a")}), "/blocks/0/element/type"),
        ({"type": "alert", "text": plain("a")}, "/blocks/0/type"),
        ({"type": "image", "alt_text": "a"}, "/blocks/0"),
        (rich({"type": "text", "text": "a"}), "/blocks/0/elements/0/type"),
        (rich(line({"type": "button", "text": plain("a")})), "/blocks/0/elements/0/elements/0/type"),
        (rich(line({"type": "text", "text": ""})), "/blocks/0/elements/0/elements/0/text"),
        (rich(line({"type": "text", "text": "a", "style": {"loud": True}})), "/blocks/0/elements/0/elements/0/style"),
        (rich(line({"type": "link"})), "/blocks/0/elements/0/elements/0"),
        (
            rich({"type": "rich_text_list", "style": "bullet", "elements": [{"type": "text"}]}),
            "/blocks/0/elements/0/elements/0/type",
        ),
        (entry({"type": "plain_text_input", "max_length": True}), "/blocks/0/element/max_length"),
        (entry({"type": "plain_text_input", "min_length": -1}), "/blocks/0/element/min_length"),
    ],
)
def test_a_faulty_block_is_pointed_at(block: Any, pointer: str) -> None:
    """The complaint names the exact place."""
    messages = _complaints(lambda: checked_blocks([block]), "invalid_blocks")
    assert any(f"[json-pointer:{pointer}]" in message for message in messages), messages


@each_row(
    "element",
    [
        select(action_id="a", placeholder=plain("a"), initial_option=option(), confirm=confirm(), focus_on_load=True),
        {"type": "multi_static_select", "options": [option()], "initial_options": [option()], "max_selected_items": 2},
        {"type": "users_select", "initial_user": "U0ANA"},
        {"type": "multi_users_select", "initial_users": ["U0ANA"]},
        {"type": "channels_select", "initial_channel": "C0HELP", "response_url_enabled": True},
        {"type": "multi_channels_select", "initial_channels": ["C0HELP"]},
        {"type": "conversations_select", "filter": {"include": ["im"]}, "default_to_current_conversation": True},
        {"type": "multi_conversations_select", "initial_conversations": ["C0HELP"]},
        {"type": "external_select", "min_query_length": 3},
        {"type": "datepicker", "initial_date": "2026-01-31"},
        {"type": "timepicker", "initial_time": "23:59", "timezone": "Etc/UTC"},
        {"type": "radio_buttons", "options": [option(description=mrkdwn("a"))]},
        {"type": "checkboxes", "options": [option()], "initial_options": [option()]},
        {
            "type": "plain_text_input",
            "multiline": True,
            "dispatch_action_config": {"trigger_actions_on": ["on_enter_pressed"]},
        },
        {"type": "number_input", "is_decimal_allowed": False, "min_value": "1"},
        {"type": "email_text_input"},
        {"type": "url_text_input"},
        {"type": "rich_text_input", "initial_value": rich(line({"type": "text", "text": "a"}))},
        {"type": "datetimepicker", "initial_date_time": 1_700_000_000},
    ],
    ids=lambda element: element["type"],
)
def test_every_input_is_known(element: Json) -> None:
    """What Slack documents is let through, with all its own keys."""
    assert checked_blocks([entry(element)])


def test_the_whole_of_rich_text_is_known() -> None:
    """All inline elements, lists, quotes and preformatted text."""
    inline: list[Json] = [
        {"type": "text", "text": "a", "style": {"bold": True, "code": True}},
        {"type": "link", "url": "https://a.example", "text": "a", "unsafe": False},
        {"type": "user", "user_id": "U0ANA"},
        {"type": "channel", "channel_id": "C0HELP"},
        {"type": "usergroup", "usergroup_id": "S0ONCALL"},
        {"type": "emoji", "name": "wave", "skin_tone": 2},
        {"type": "broadcast", "range": "here"},
        {"type": "date", "timestamp": 1_700_000_000, "format": "{date}"},
        {"type": "color", "value": "#ff0000"},
    ]
    outer = [
        line(*inline),
        {"type": "rich_text_quote", "elements": inline},
        {"type": "rich_text_preformatted", "elements": [inline[0]], "border": 1},
        {"type": "rich_text_list", "style": "ordered", "elements": [line(inline[0])], "indent": 1, "offset": 2},
    ]
    assert checked_blocks([rich(*outer)])


def _long() -> Iterator[tuple[str, list[Json]]]:
    text = {"type": "text", "text": "a" * 100_000}
    yield "one rich_text", [rich(line(text))]
    yield "many sections", [section("a" * 3000)] * 5
    yield "markdown together", [{"type": "markdown", "text": "a" * 6_001}] * 2
    yield "fields", [{"type": "section", "fields": [plain("a" * 2000)] * 10}]


@pytest.mark.parametrize(("name", "blocks"), list(_long()), ids=lambda value: value if isinstance(value, str) else "")
def test_all_blocks_together_have_a_limit(name: str, blocks: list[Json]) -> None:
    """Blocks that are each allowed can be too much together."""
    assert _complaints(lambda: checked_blocks(blocks), "msg_blocks_too_long") == ()


def test_the_limit_of_all_blocks_is_where_apps_measured_it() -> None:
    """Text of about 13,200 characters passes, as in Slack; one character more does not."""
    sections = [section("a" * 3000)] * 4
    rest = 13_200 - 5 * 50 - 12_000
    assert checked_blocks([*sections, section("a" * rest)])
    _complaints(lambda: checked_blocks([*sections, section("a" * (rest + 1))]), "msg_blocks_too_long")


def test_tables_share_ten_thousand_characters() -> None:
    """All tables of a message together have a limit of their own."""
    wide = {"type": "table", "rows": [[{"type": "raw_text", "text": "a" * 5_001}]]}
    assert checked_blocks([wide])
    assert _complaints(lambda: checked_blocks([wide, wide]), "invalid_blocks")


def test_fifty_blocks_and_no_more() -> None:
    """A message holds fifty blocks, a view a hundred, and no two share a block_id."""
    assert len(checked_blocks([{"type": "divider"}] * 50)) == 50
    for blocks in ([{"type": "divider"}] * 51, [{"type": "divider", "block_id": "same"}] * 2):
        _complaints(partial(checked_blocks, blocks), "invalid_blocks")
    assert len(checked_view({**MODAL, "blocks": [{"type": "divider"}] * 100})["blocks"]) == 100


MODAL = {"type": "modal", "title": plain("T"), "blocks": []}


@pytest.mark.parametrize(
    ("key", "most", "make"),
    [
        ("title", 24, plain),
        ("submit", 24, plain),
        ("close", 24, plain),
        ("private_metadata", 3000, str),
        ("callback_id", 255, str),
        ("external_id", 255, str),
    ],
)
def test_the_frame_of_a_view_has_limits(key: str, most: int, make: Callable[[str], Any]) -> None:
    """Each at its figure, and one over."""
    assert checked_view({**MODAL, key: make("a" * most)})
    messages = _complaints(lambda: checked_view({**MODAL, key: make("a" * (most + 1))}), "invalid_arguments")
    assert len(messages) == 1
    assert f"[json-pointer:/view/{key}" in messages[0]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"type": "home"}, "/view/type"),
        ({"title": None}, "/view"),
        ({"title": mrkdwn("a")}, "/view/title/type"),
        ({"blocks": None}, "/view"),
        ({"blocks": "none"}, "/view/blocks"),
        ({"blocks": [{"type": "divider"}] * 101}, "/view/blocks"),
        ({"blocks": [section("")]}, "/view/blocks/0/text/text"),
        ({"blocks": [actions(button("a" * 76))]}, "/view/blocks/0/elements/0/text/text"),
        ({"blocks": [{"type": "markdown", "text": "a"}]}, "/view/blocks/0/type"),
        ({"blocks": [{"type": "alert", "text": plain("a" * 201)}]}, "/view/blocks/0/text/text"),
        ({"blocks": [entry()]}, "/view"),
        ({"notify_on_close": "yes"}, "/view/notify_on_close"),
        ({"id": "V0"}, "/view"),
    ],
)
def test_a_faulty_view_is_pointed_at(change: Json, pointer: str) -> None:
    """Views are refused as invalid arguments; one with an input needs something to submit it with."""
    messages = _complaints(lambda: checked_view({**MODAL, **change}), "invalid_arguments")
    assert any(f"[json-pointer:{pointer}]" in message for message in messages), messages


def test_a_home_is_no_dialog() -> None:
    """It has neither title nor buttons, takes inputs without a submit, and no alert."""
    assert checked_view({"type": "home", "blocks": [section("a"), entry()]}, kind="home")
    for faulty in ({"title": plain("T")}, {"blocks": [{"type": "alert", "text": plain("a")}]}, {"type": "modal"}):
        view = {"type": "home", "blocks": [], **faulty}
        _complaints(partial(checked_view, view, kind="home"), "invalid_arguments")
