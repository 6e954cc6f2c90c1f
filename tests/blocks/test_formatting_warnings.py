"""What gives a machine away is named; a person's words and code are left in peace."""

from __future__ import annotations

import pytest

from blocks.card import build_card
from blocks.formatting_warnings import find_style_warnings
from tests.blocks.test_card import LINK, shown
from tests.builders import draft_for
from tests.decide import test_workflow as story


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sure! It is three.", ("it opens with “Sure”",)),
        ("Great question, it is three.", ("it opens with “Great question”",)),
        ("**Certainly!** It is three.", ("it opens with “Certainly”",)),
        ("I\u2019d be happy to: it is three.", ("it opens with “I'd be happy to”",)),
        ("ROOT CAUSE: the clock.", ("label in capitals: “ROOT CAUSE”",)),
        ("It is three.\n**NOTE:** it was four.", ("label in capitals: “NOTE”",)),
        ("- SUMMARY: a\n- DETAILS: b", ("labels in capitals: “SUMMARY”, “DETAILS”",)),
        (
            "SUMMARY: a\nCAUSE: b\nRESULT: c\nIMPACT: d",
            ("labels in capitals: “SUMMARY”, “CAUSE”, “RESULT” and 1 more",),
        ),
        ("Of course.\nIMPACT: none", ("it opens with “Of course”", "label in capitals: “IMPACT”")),
    ],
)
def test_a_machines_manner_is_named(text: str, found: tuple[str, ...]) -> None:
    """Openings that say nothing, and labels in capitals."""
    assert find_style_warnings(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It is three.",
        "Sure enough, the limit is three.",
        "Great work went into a.py: see there.",
        "MAX_RETRIES: 3",
        "HTTP: use port 80. URL: none. API: v2",
        "`WARNING: x` is what it logs.",
        "```\nERROR: it broke\n```",
        "See README and CONTRIBUTING.",
        "Surely: no.",
    ],
)
def test_what_a_person_would_write_is_left_in_peace(text: str) -> None:
    """Code, names in capitals, and sentences that happen to begin so."""
    assert find_style_warnings(text) == ()


def test_the_card_names_it_and_posts_what_was_written() -> None:
    """A flag, never another text."""
    thread = story.pending()
    odd = thread.evolve(draft_pending=draft_for(thread, "Sure! It is set in `bot/a.py:1`."))
    assert "*Style:* it opens with “Sure”." in shown(odd)
    assert odd.draft_pending is not None
    assert odd.draft_pending.text.startswith("Sure!")
    assert "*Style:*" not in shown(thread)
    assert build_card(odd, link=LINK)["text"] == build_card(thread, link=LINK)["text"]
