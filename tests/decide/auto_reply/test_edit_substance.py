"""Substance of edits by table."""

from __future__ import annotations

import pytest

from bot.decide.auto_reply.edit_substance import changes_substance

DRAFT = "A payment is tried again 3 times, at most every 20 minutes: `MAX_RETRIES` in `payments/retry.py:12` says so."


@pytest.mark.parametrize(
    "after",
    [
        DRAFT,
        f"Hi Ana, {DRAFT}",
        f"{DRAFT} Thanks!",
        DRAFT.replace("A payment is", "Payments are").replace("  ", " "),
        DRAFT.replace("says so", "has it"),
        DRAFT.upper().replace("`MAX_RETRIES`", "`MAX_RETRIES`").replace("PAYMENTS/RETRY.PY", "payments/retry.py"),
        f"> {DRAFT}\n",
    ],
)
def test_another_wording_leaves_the_substance(after: str) -> None:
    """Greetings, thanks, and a word here and there."""
    assert not changes_substance(DRAFT, after)


@pytest.mark.parametrize(
    "after",
    [
        DRAFT.replace("3", "5"),
        DRAFT.replace("20 minutes", "20 hours"),
        DRAFT.replace("`MAX_RETRIES` in ", ""),
        DRAFT.replace("retry.py:12", "retry.py:14"),
        DRAFT.replace("is tried", "is not tried"),
        DRAFT.replace("is tried", "isn't tried"),
        DRAFT.replace("says so.", "says so, except for cards."),
        f"{DRAFT} Refunds go through `refunds.py` instead.",
        "A payment is tried again 3 times.",
        "That depends: ask the payments people about it, they changed everything last month.",
        "",
    ],
)
def test_a_correction_changes_it(after: str) -> None:
    """Values, names, denials, and texts that say something else; back again, too."""
    assert changes_substance(DRAFT, after)
    assert changes_substance(after, DRAFT) or not after


def test_other_spellings_of_a_denial_are_the_same() -> None:
    """Neither adds one."""
    assert not changes_substance(
        "It is not retried after the third attempt.", "It isn’t retried after the third attempt."
    )
