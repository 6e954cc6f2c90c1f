"""Memory of the redactor, which stays bounded, and the forms of secrets, by table."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from bot.commands.answer_limits import limit_answer
from bot.commands.command import CommandAnswer
from bot.decide.redaction.outbound_filter import OutboundFilter
from bot.decide.redaction.pattern_language import beginnings, pattern
from bot.decide.redaction.redactor import MOST_HARMLESS, MOST_NOTICED, Redactor
from bot.decide.redaction.spans import replace_spans
from bot.decide.redaction.value_shape import is_random
from bot.models.interaction import Asker

ASKER = Asker(interaction_id="i1", team_id="T1", user_id="U1", channel_id="D1", via="slash")
NAMED = "db-pass" + "word"
SECRET = "val" + "ue-of-a-loaded-" + "secret-4711"


def test_what_was_searched_is_forgotten_when_it_is_too_much() -> None:
    """What is known stays known."""
    redactor = Redactor([SECRET])
    for number in range(MOST_HARMLESS + 2):
        assert redactor.redact(f"line {number}") == f"line {number}"
    assert len(redactor._harmless) <= MOST_HARMLESS
    for number in range(MOST_NOTICED + 2):
        redactor.notice(f"{number}")
    assert len(redactor._noticed) <= MOST_NOTICED
    redactor.notice("1")
    redactor.notice("1")
    assert SECRET not in redactor.redact(SECRET)


@pytest.mark.parametrize("form", ["{nothing:3}", "{hex}", "a}b"])
def test_a_form_that_cannot_be_read_is_refused(form: str) -> None:
    """The message names the part."""
    with pytest.raises(ValueError, match="expected"):
        pattern(form)


def test_a_form_needs_a_fixed_text() -> None:
    """It is what is searched for first."""
    with pytest.raises(ValueError, match="expected a text in it"):
        beginnings("{alnum:20}")


@pytest.mark.parametrize(("value", "random"), [("aaaa1111aaaa1111", False), ("k3Jf9sQ2xW7p", True)])
def test_few_different_signs_are_no_chance(value: str, random: bool) -> None:
    """A value that repeats itself is a placeholder."""
    assert is_random(value) is random


def test_an_empty_span_takes_nothing_out() -> None:
    """The text stays as it is."""
    assert replace_spans("abc", [(1, 1, "loaded")], "[redacted]") == "abc"


def test_what_slack_is_given_has_no_secret_at_any_depth() -> None:
    """Keys and numbers stay."""
    shown = OutboundFilter(Redactor([SECRET]), ZoneInfo("UTC"))
    assert shown.apply({"a": [f"it is {SECRET}", 3]}) == {"a": ["it is [redacted]", 3]}


@pytest.mark.parametrize(
    "line",
    [
        "The notes of `beta`: `deploy`, `etc-passwd`, `limity`, `note-245d084a`.",
        "`deploy`, `reset-password`, `retry-limits`, `release-2024q3`",
        "Choose `reset-password` or `release-2024q3`.",
        "Moved `reset-password` to `release-2024q3`.",
        "`reset-password` (`release-2024q3`)",
        "`api-token`, `rotate-4711-keys`",
    ],
)
def test_a_name_of_a_list_is_no_value_of_the_name_before_it(line: str) -> None:
    """Notes, projects and tasks may be named after secrets."""
    redactor = Redactor()
    assert redactor.redact(line) == line
    assert redactor.kinds("release-2024q3 and note-245d084a") == ()


@pytest.mark.parametrize(
    "line", [f"`{NAMED}`, `Tr0ub4dor&3x`", f"`{NAMED}`: `note-245d084a`", f"`{NAMED}`, `k3Jf9sQ2xW7pLm4Rt8Vb`"]
)
def test_a_value_beside_a_name_in_code_marks_stays_secret(line: str) -> None:
    """A sign assigns it, or it is no name."""
    assert Redactor().redact(line).endswith("`[redacted]`")


def test_a_composed_text_teaches_no_value() -> None:
    """It is redacted; a text of others teaches."""
    redactor = Redactor()
    composed = {"line": f"{NAMED} = hunter{2}-release", NAMED: f"hunter{3}-release"}
    answer = CommandAnswer(line=composed["line"])
    assert OutboundFilter(redactor, ZoneInfo("UTC")).apply(composed)["line"] == f"{NAMED} = [redacted]"
    assert limit_answer(answer, ASKER, redactor).line == f"{NAMED} = [redacted]"
    assert redactor.kinds("hunter2-release and hunter3-release") == ()
    redactor.redact(composed["line"])
    assert redactor.kinds("hunter2-release")


def test_a_published_example_is_no_secret() -> None:
    """One with `EXAMPLE` in it; another key of the same form is."""
    key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY"
    assert Redactor().kinds(f"AWS_{NAMED[3:].upper()}={key}EXAMPLEKEY") == ()
    assert Redactor().kinds(f"AWS_{NAMED[3:].upper()}={key}4bQ9zTn2Lw") != ()
