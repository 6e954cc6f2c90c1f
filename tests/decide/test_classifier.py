"""Tier 0, by table, and what it does with text that nobody would write."""

from __future__ import annotations

import pytest

from bot.decide.classifier import compile_rules
from bot.errors import Misconfigured
from tests.builders import at, message

RULES = compile_rules(bot_id="U0TRIAGE")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where is the debounce window set?", "actionable"),
        ("how do I reset a token", "actionable"),
        ("is staging down?  ", "actionable"),
        ("does `foo?` work (or not?)", "actionable"),
        ("any idea why the deploy hangs", "actionable"),
        ("did anyone see this\uff1f", "actionable"),
        ("deployed v3 to staging", "ambient"),
        ("see https://example.com/search?q=", "ambient"),
        ("the query is `SELECT 1 WHERE ?`", "ambient"),
        ("ok", "ack"),
        ("Thanks!", "ack"),
        ("ok, thanks :pray:", "ack"),
        ("👍🎉", "ack"),
        (":white_check_mark:", "ack"),
        ("", "ack"),
        ("LGTM 🚀", "ack"),
        ("ok なぜ動かない", "ambient"),
        ("right?", "actionable"),
    ],
)
def test_a_message_is_classified(text: str, expected: str) -> None:
    """Questions are worth attention, acknowledgements and the rest are not."""
    assert RULES.classify(message(text), thread_is_open=False, at=at()).classification == expected


@pytest.mark.parametrize(
    ("text", "mention", "open_thread", "sender_type", "expected"),
    [
        ("@U0TRIAGE deploys are red", True, False, "user", "actionable"),
        ("@U0TRIAGE thanks", True, False, "user", "ack"),
        ("still red on my side", False, True, "user", "actionable"),
        ("ok thanks", False, True, "user", "ack"),
        ("is the build red?", False, False, "bot", "ambient"),
    ],
)
def test_mentions_open_threads_and_bots_count(
    text: str, mention: bool, open_thread: bool, sender_type: str, expected: str
) -> None:
    """A mention or an open thread makes a message worth attention, unless it is an acknowledgement or a bot's."""
    said = message(text, mentions=("U0TRIAGE",) if mention else (), sender_type=sender_type)
    made = RULES.classify(said, thread_is_open=open_thread, at=at())
    assert (made.classification, made.is_bot_mention, made.mentions_thread_with_inflight) == (
        expected,
        mention,
        open_thread,
    )


@pytest.mark.parametrize(
    "text", ["\x00" * 50, "\ud800 lone", "\u202e bidi?", "😀" * 10_000, "a" * 100_000, "?" * 5_000]
)
def test_odd_text_is_classified_like_any_other(text: str) -> None:
    """No text makes the rules raise."""
    assert RULES.classify(message(text), thread_is_open=False, at=at()).classification in (
        "actionable",
        "ambient",
        "ack",
    )


def test_a_teams_own_words_replace_the_built_in_ones() -> None:
    """Configured patterns and keywords are used, whatever their case."""
    rules = compile_rules(bot_id="U0TRIAGE", ack_patterns=["^(siap|noted)\\W*$"], question_keywords=["kenapa"])
    kinds = [
        rules.classify(message(t), thread_is_open=False, at=at()).classification
        for t in ("Siap!", "Kenapa gagal", "ok")
    ]
    assert kinds == ["ack", "actionable", "ambient"]


def test_the_version_changes_with_the_rules() -> None:
    """Two sets of rules never share a version."""
    assert compile_rules(bot_id="U1AA", ack_patterns=["x"]).version != RULES.version


def test_a_pattern_that_does_not_compile_is_named() -> None:
    """A look-ahead is no re2, and the message says which pattern it was."""
    with pytest.raises(Misconfigured, match=r"\(\?=a\)"):
        compile_rules(bot_id="U1AA", ack_patterns=["(?=a)"])
