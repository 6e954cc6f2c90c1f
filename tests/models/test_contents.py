"""What is read of a message beside its text: blocks, attachments, files; and what is told not to have been read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.models.contents import MAX_EXTRA_CHARS, read_contents, unread_line
from bot.models.line_message import parse_line_message as line_of
from bot.models.message import Edit, Message, normalise
from tests.models.slack_messages import (
    ALERTMANAGER,
    BLOCKS,
    EMAIL,
    GRAFANA,
    PAGERDUTY,
    PREVIEW,
    SCREENSHOT,
    SHARED,
    SNIPPET,
    Json,
)
from tests.tables import each_row


def read(shape: Json, **changes: Any) -> Message:
    """The message of an event of this shape."""
    event = {"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": "100.000001", **shape, **changes}
    made = normalise({"team_id": "T0SANDBOX", "event": event}, chat_names={})
    assert isinstance(made, Message)
    return made


@pytest.mark.parametrize(
    ("shape", "lines"),
    [
        pytest.param(
            GRAFANA,
            [
                "[FIRING:1] PaymentRetries (shop)",
                "**Firing**",
                "",
                "Value: A=17",
                "Labels:",
                " - name = Retries",
                "RETRY_LIMIT was reached for 17 orders",
                "Severity: critical",
            ],
            id="Grafana",
        ),
        pytest.param(
            ALERTMANAGER,
            ["[FIRING:2] OrderCancelled prod", "*Description:* RETRY_LIMIT reached, payments are not tried again"],
            id="Alertmanager",
        ),
        pytest.param(
            PAGERDUTY,
            [
                "*Triggered #4211 (https://x.pagerduty.example/incidents/Q1)*: refund fails",
                "*Service:* shop",
                "*Urgency:* high",
            ],
            id="PagerDuty",
        ),
        pytest.param(
            BLOCKS,
            [
                "Deployment report",
                "*RETRY_LIMIT* was raised & payments fail",
                "red by @U0OPS",
                "order | tries",
                "A-17 | 5",
                "• first",
                "• second",
                "```",
                "a < b",
                "```",
            ],
            id="blocks",
        ),
        pytest.param(SHARED, ["how often is a payment tried again?"], id="a shared message"),
        pytest.param({"text": "see", "attachments": [PREVIEW]}, ["see"], id="the preview of a page is nobody's words"),
        pytest.param(
            {"text": "why?", "files": [SNIPPET]},
            [
                "why?",
                "[file: orders.log, Plain Text]",
                "What I see",
                "```",
                "RETRY_LIMIT reached",
                "KeyError: 'order' <main>",
                "```",
            ],
            id="a snippet",
        ),
        pytest.param(
            {"text": "", "files": [SCREENSHOT]},
            ["[file: screenshot.png, PNG]", "The checkout says payment failed"],
            id="a picture",
        ),
        pytest.param(
            {"text": "", "files": [EMAIL]},
            ["[file: Refund_missing, Email]", "Refund missing", "```", "The refund of order 17 did not come.", "```"],
            id="a mail",
        ),
        pytest.param(
            {"text": "", "attachments": [{"fallback": "Build 17 failed"}]}, ["Build 17 failed"], id="only a fallback"
        ),
        pytest.param(
            {"text": "", "files": [{"id": "F9", "mode": "tombstone"}, {"id": "F8", "file_access": "check_file_info"}]},
            ["[file: a file]"],
            id="files that are gone or unknown",
        ),
    ],
)  # fmt: skip
def test_all_of_a_message_is_read(shape: Json, lines: list[str]) -> None:
    """Each thing once, in the order in which it stands; what can be pressed is no word."""
    assert read(shape, bot_id="B1").content.split("\n") == lines


@pytest.mark.parametrize(
    ("shape", "unread"),
    [
        ({"text": "?", "files": [SNIPPET]}, ("orders.log, but for its beginning",)),
        ({"text": "?", "files": [SCREENSHOT, SCREENSHOT]}, ("screenshot.png",)),
        ({"text": "", "files": [EMAIL]}, ()),
        (GRAFANA, ("picture [FIRING:1] PaymentRetries (shop)",)),
        ({"text": "", "attachments": [{"text": "a " * MAX_EXTRA_CHARS}]}, ("the end of a long attachment",)),
        (
            {"text": "?", "attachments": [{"text": f"{n} same" * 900} for n in range(20)]},
            ("the end of a long attachment",),
        ),
        ({"text": "a " * 10_000}, ("the middle of a long message",)),
    ],
)
def test_what_was_not_read_is_told(shape: Json, unread: tuple[str, ...]) -> None:
    """By name; a picture of an alert as well."""
    assert read(shape).unread == unread


def test_a_line_counts_what_was_not_read() -> None:
    """As it stands on the card."""
    assert unread_line(("a.png",)) == "1 file not read: a.png"
    assert unread_line(("a.png", "b.pdf", "a.png")) == "2 files not read: a.png, b.pdf"
    assert unread_line(()) == ""


def test_a_persons_text_is_not_said_twice() -> None:
    """Slack makes rich text of it, with lists, links, mentions, channels and emoji in another form."""
    text = "<@U0BEN> see <https://x.org|this>:\n1. first\n2. second\nin <#C0HELP|help> :wave: `code`"
    section = [
        {"type": "user", "user_id": "U0BEN"},
        {"type": "text", "text": " see "},
        {"type": "link", "url": "https://x.org", "text": "this"},
        {"type": "text", "text": ":\n"},
    ]
    items = [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": word}]} for word in ("first", "second")
    ]
    rest = [
        {"type": "text", "text": "in "},
        {"type": "channel", "channel_id": "C0HELP"},
        {"type": "text", "text": " "},
        {"type": "emoji", "name": "wave"},
        {"type": "text", "text": "code", "style": {"code": True}},
    ]
    elements = [
        {"type": "rich_text_section", "elements": section},
        {"type": "rich_text_list", "style": "ordered", "elements": items},
        {"type": "rich_text_section", "elements": rest},
    ]
    blocks = [{"type": "rich_text", "elements": elements}]
    for by in ({}, {"bot_id": "B1"}):
        assert read_contents({"text": text, "blocks": blocks, **by}).text == text
    assert read({"text": "", "blocks": blocks}).mentions == ("U0BEN",)
    assert read({"text": "why:wave:", "blocks": blocks}).asks == "why"


def test_nobody_is_mentioned_by_what_is_shared() -> None:
    """A mention of the bot in somebody else's words calls nobody."""
    shared = {**SHARED["attachments"][0], "text": "<@U0TRIAGE> where is it?"}
    message = read({"text": "see", "attachments": [shared]})
    assert message.mentions == ()
    assert message.shared == ("Ben Okri",)
    assert message.asks == "see\nwhere is it?\nhow often is a payment tried again?"


@each_row("broken", [5, "x", [5], [[]], {"a": 1}, [{"type": 4, "elements": 7, "blocks": "x"}]])
@each_row("key", ["blocks", "attachments", "files"])
def test_a_shape_that_slack_never_sends_says_nothing(key: str, broken: Any) -> None:
    """And breaks nothing."""
    assert read({"text": "why?", key: broken}).content.startswith("why?")


def test_what_is_deep_is_left() -> None:
    """Blocks in blocks without end are read to a bound."""
    block: Json = {"type": "section", "text": {"type": "mrkdwn", "text": "deep"}}
    for _ in range(2_000):
        block = {"type": "container", "elements": [block]}
    assert read({"text": "why?", "blocks": [block]}).content == "why?"


def test_only_a_change_of_what_is_said_is_an_edit() -> None:
    """A preview or a reply changes nothing; a shared message that is shown below its link does."""

    def changed(before: Json, after: Json) -> Any:
        own = {"type": "message", "user": "U0ANA", "ts": "100.000001"}
        event = {"type": "message", "subtype": "message_changed", "channel": "C0HELP", "message": {**own, **after}}
        body = {"team_id": "T0SANDBOX", "event": event | {"previous_message": {**own, **before}}}
        return normalise(body, chat_names={})

    link = {"text": "what of this? <https://sandbox.example/archives/C0SHOP/p1767500000000100>"}
    assert changed(link, {**link, "attachments": [PREVIEW], "reply_count": 1}) is None
    edit = changed(link, {**link, "attachments": SHARED["attachments"]})
    assert isinstance(edit, Edit)
    assert edit.message.content.endswith("how often is a payment tried again?")
    assert changed({**link, "files": [SNIPPET]}, link) is not None


@pytest.mark.parametrize("shape", [GRAFANA, PAGERDUTY, BLOCKS, SHARED])
def test_a_line_of_a_history_says_the_same(shape: Json) -> None:
    """`triage replay` and `triage classify` read as much as the bot."""
    found = line_of({"type": "message", "user": "U0ANA", "channel": "C0HELP", "ts": "100.000001", **shape})
    assert found is not None
    assert found.text == read(shape).content
