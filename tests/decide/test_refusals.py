"""Slack's refusals in words: what was refused, and what to do."""

from __future__ import annotations

import pytest

from bot.decide.endings import why_of
from bot.decide.refusals import (
    EXPIRED_TRIGGER,
    OWN,
    administration_refusal,
    describe_unopened,
    refusal_in_words,
    why_not,
)
from bot.errors import NoKey, OverCap, Refused, RetryLater, Stalled, Stopped, TriageError, Unreachable
from bot.models.external import KEPT_BACK


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (RetryLater("Slack is busy"), "The dialog did not open in time. Please press the button again."),
        (
            Refused("views.open: view_too_large", code="view_too_large"),
            "The dialog did not open: it is larger than Slack allows in a dialog (Slack: view_too_large). "
            "Nothing was changed.",
        ),
    ],
)
def test_a_dialog_that_did_not_open_says_why(problem: TriageError, text: str) -> None:
    """A press that came too late is only to be repeated."""
    assert describe_unopened(problem) == text


@pytest.mark.parametrize("code", sorted(EXPIRED_TRIGGER))
def test_an_expired_press_is_to_be_repeated(code: str) -> None:
    """Nothing else helps."""
    problem = Refused(f"views.open: {code}", code=code)
    assert describe_unopened(problem) == "The dialog did not open in time. Please press the button again."


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Refused("chat.postMessage: new_code", code="new_code"), "Slack refused it: chat.postMessage: new_code"),
        (Refused("it is muted here", code=next(iter(sorted(OWN)))), "it is muted here"),
        (RetryLater("Slack is busy"), "Slack is busy"),
    ],
)
def test_a_code_that_is_not_known_is_given_as_slack_says_it(problem: TriageError, text: str) -> None:
    """The bot's own refusals have their own words."""
    assert why_not(problem) == text
    if isinstance(problem, Refused):
        assert refusal_in_words(problem) == text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "name_taken",
            "another channel has this name, perhaps an archived one: choose another name (Slack: name_taken)",
        ),
        ("invalid_name_specials", "Slack does not accept the name (Slack: invalid_name_specials)"),
        ("is_archived", refusal_in_words(Refused("x", code="is_archived"))),
    ],
)
def test_a_channel_that_is_not_created_or_archived_has_its_own_words(code: str, text: str) -> None:
    """Where the same code of a post means something else."""
    assert administration_refusal(Refused("x", code=code)) == text


@pytest.mark.parametrize(
    ("problem", "why"),
    [
        (Refused("x", code=KEPT_BACK), KEPT_BACK),
        (Refused("x", code="is_archived"), None),
        (Stopped("x", why="stopped"), "stopped"),
        (Stalled("x", seconds=9), "stalled"),
        (Unreachable("x"), "unreachable"),
        (OverCap("x"), "over-cap"),
        (NoKey("x"), "no-key"),
        (RetryLater("x"), None),
    ],
)
def test_the_guard_that_ended_a_run_is_named(problem: TriageError, why: str | None) -> None:
    """Any other failure has no name."""
    assert why_of(problem) == why
