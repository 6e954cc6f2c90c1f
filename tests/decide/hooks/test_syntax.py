"""Words of triggers, steps, conditions and prompts, by table."""

from __future__ import annotations

import pytest

from bot.decide.hooks.patterns import contains_words, matches
from bot.decide.hooks.syntax import (
    MessageWords,
    format_condition,
    format_steps,
    format_trigger,
    parse_condition,
    parse_steps,
    parse_trigger,
)
from bot.decide.hooks.template import fill_template, find_template_fault
from tests.tables import each_row


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * MON-FRI", "0 9 * * MON-FRI"),
        ("  */5   *  * * * ", "*/5 * * * *"),
        ("message <#C0HELP|help> deploy  failed", "message C1 deploy failed"),
        ("Message #help /dep.*fail/", "message C1 /dep.*fail/"),
        ("message #help /", "message C1 /"),
        ("task failed", "task failed"),
        ("Service unhealthy", "service unhealthy"),
        ("service unhealthy checkout", "service unhealthy checkout"),
        ("file changed docs/**", "file changed docs/**"),
        ("pull request opened", "pull request opened"),
        ("Merge request opened team/shop", "pull request opened team/shop"),
        ("PR opened group/team/shop", "pull request opened group/team/shop"),
    ],
)
def test_triggers(text: str, expected: str) -> None:
    """Are read, and written again in words that lead to the same."""
    trigger = parse_trigger(text)
    complete = trigger.in_channel("C1") if isinstance(trigger, MessageWords) else trigger
    assert format_trigger(complete) == expected
    second = parse_trigger(expected)
    assert (second.in_channel("C1") if isinstance(second, MessageWords) else second) == complete


@each_row(
    "text",
    [
        *("", "daily", "0 9 * *", "0 9 * * * *", "0 9 ; * *", "message", "message #help", "message #help /(/"),
        *(
            "task done",
            "task failed now",
            "service unhealthy a b",
            "file changed",
            "file changed a b",
            "pull request",
            "pr opened x",
            "pr opened a/b c",
        ),
        f"message #help {'x' * 301}",
    ],
)
def test_other_words_are_no_trigger(text: str) -> None:
    """The error names the forms."""
    with pytest.raises(ValueError, match=r"expected|pattern"):
        parse_trigger(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("log", "log"),
        (" LOG src ; read docs/a b.md;;", "log src; read docs/a b.md"),
        ("search a=b\nfetch status", "search a=b; fetch status"),
    ],
)
def test_steps(text: str, expected: str) -> None:
    """Are separated by semicolons or lines."""
    steps = parse_steps(text)
    assert format_steps(steps) == expected
    assert parse_steps(expected) == steps


@pytest.mark.parametrize("text", ["read", "search ", "fetch", "run", "exec tests", "log; " * 6, f"read {'x' * 301}"])
def test_other_words_are_no_steps(text: str) -> None:
    """At most five, each with its argument."""
    with pytest.raises(ValueError, match="expected"):
        parse_steps(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Unchanged", "unchanged"),
        ("empty", "empty"),
        ("matches /^0$/", "matches ^0$"),
        ("lacks up", "lacks up"),
    ],
)
def test_conditions(text: str, expected: str) -> None:
    """Slashes around a pattern may be left out."""
    condition = parse_condition(text)
    assert format_condition(condition) == expected
    assert parse_condition(expected) == condition


@pytest.mark.parametrize("text", ["matches", "unchanged x", "never", "lacks (", "matches a{1,2000}"])
def test_other_words_are_no_condition(text: str) -> None:
    """Neither is a pattern that re2 does not take."""
    with pytest.raises(ValueError, match=r"expected|pattern"):
        parse_condition(text)


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        ("deploy failed", "The Deploy of shop has FAILED again", True),
        ("deploy failed", "the deploy went well", False),
        ("straße", "STRASSE gesperrt", True),
    ],
)
def test_words(words: str, text: str, expected: bool) -> None:
    """Each must be there, in any case and order."""
    assert contains_words(words, text) is expected


def test_patterns_ignore_case_and_broken_text() -> None:
    """Half of a surrogate pair stops no search."""
    assert matches("err.*\\d", "an ERROR 7 \ud800")
    assert not matches("^err", "an error")


@pytest.mark.parametrize(
    ("prompt", "has_steps", "is_schedule", "fault"),
    [
        ("Look at {{ output }} of {{date}}.", True, True, ""),
        ("Plain text with {braces} and {{event}}", False, False, ""),
        ("{{outptu}}", True, True, "no variable {{outptu}}; known are {{hook}}"),
        ("{{}}", True, True, "needs a name"),
        ("{{output}} {{ output }}", True, True, "found {{output}} twice"),
        ("{{output}}", False, True, "there are none"),
        ("{{event}}", False, True, "is a schedule"),
    ],
)
def test_faults_of_prompts(prompt: str, has_steps: bool, is_schedule: bool, fault: str) -> None:
    """Variables are a closed list, and each must have a value."""
    result = find_template_fault(prompt, has_steps=has_steps, is_schedule=is_schedule)
    assert fault in result
    assert bool(result) == bool(fault)


def test_values_are_not_searched_for_variables() -> None:
    """A message that looks like a template stays a message."""
    values = {"hook": "h", "date": "d", "time": "t", "event": "{{output}} {{hook}}", "output": "o"}
    assert fill_template("{{event}}: {{ output }}", values) == "{{output}} {{hook}}: o"
