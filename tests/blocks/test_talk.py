"""What the chat agent says, as blocks: no mention, no broadcast, no link but into Slack's own workspace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.talk import answers

URL = "https://x.slack.com/"


def answer(text: str, *, url: str, footer: str = "") -> dict[str, Any]:
    """The one message of a short answer."""
    (made,) = answers(text, url=url, footer=footer)
    return made


def spans(text: str) -> list[dict[str, Any]]:
    """The runs of text of an answer's blocks."""
    blocks = answer(text, url=URL)["blocks"]
    return [span for block in blocks for element in block["elements"] for span in element["elements"]]


@pytest.mark.parametrize("text", ["<!channel> now", "<@U0ANA> look", "<!subteam^S0ONCALL>", "<#C0HELP>", "@here"])
def test_nothing_that_slack_would_act_on_can_be_expressed(text: str) -> None:
    """It stands there as it was written, and is nothing but text."""
    made = answer(text, url=URL)
    assert "<" not in made["text"]
    assert {span["type"] for span in spans(text)} == {"text"}


@pytest.mark.parametrize(
    "text",
    [
        "see https://evil.example/a?b=c.",
        "see <https://evil.example/a?b=c>.",
        "see <https://evil.example/a?b=c|the page>.",
        "see [the page](https://evil.example/a?b=c).",
        "see `https://evil.example/a?b=c`.",
        f"see https://x.slack.com.evil.example/ and {URL[:-1]}@evil.example/",
    ],
)
def test_an_address_elsewhere_is_code(text: str) -> None:
    """A person sees where it would lead, and can press nothing."""
    assert "link" not in {span["type"] for span in spans(text)}
    assert any(span.get("style") == {"code": True} and "evil.example" in span["text"] for span in spans(text))


def test_an_address_in_the_workspace_is_a_link() -> None:
    """To a message, for instance."""
    where = f"{URL}archives/C0HELP/p1"
    links = [span for span in spans(f"It stands at {where}, there.") if span["type"] == "link"]
    assert links == [{"type": "link", "url": where, "text": where}]


def test_slacks_own_bold_is_bold() -> None:
    """What models write for Slack; a product and a list stay what they are."""
    assert {"type": "text", "text": "Paused", "style": {"bold": True}} in spans("*Paused* until 2 * 3 * 4 pm")
    assert not [span for span in spans("`a *b* c`") if (span.get("style") or {}).get("bold")]


def test_the_footer_stands_below_in_grey_and_is_escaped() -> None:
    """A long answer is several messages; it stands below the last one."""
    made = answers("a" * 9_000, url=URL, footer="Taken as <said>.")
    assert made[-1]["blocks"][-1] == {
        "type": "context",
        "elements": [{"type": "mrkdwn", "text": "Taken as &lt;said&gt;."}],
    }
    assert [len(message["text"]) for message in made] == [3_000] * 3
    assert "context" not in json.dumps(made[:-1])


def test_a_notification_shows_no_more_stars_than_were_written() -> None:
    """Its text is in Slack's own form, as the model writes it."""
    assert answer("*Paused*: nothing runs", url=URL)["text"] == "*Paused*: nothing runs"
