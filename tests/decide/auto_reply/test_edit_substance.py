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


PROSE = "The nightly importer clears the whole cache before it reads the parcels of the previous day from the archive."


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(
            PROSE.replace("The nightly importer clears", "Our nightly importer clears"), False, id="function words"
        ),
        pytest.param(PROSE.replace("parcels", "parcel"), False, id="endings"),
        pytest.param(f"Hi Ana, {PROSE[0].lower()}{PROSE[1:]}", False, id="a greeting"),
        pytest.param(PROSE.replace("cache", "table"), True, id="another word"),
        pytest.param(PROSE.replace("before", "after"), True, id="another order"),
        pytest.param(PROSE.replace("the whole cache", "a cache"), True, id="a word less"),
        pytest.param(f"{PROSE} Cards follow an hour later.", True, id="more than a little added"),
        pytest.param("Each evening a job of the platform team refreshes that table.", True, id="another text"),
    ],
)
def test_texts_without_values_are_compared_by_their_words(after: str, expected: bool) -> None:
    """What was said must stay."""
    assert changes_substance(PROSE, after) is expected


def test_other_spellings_of_a_denial_are_the_same() -> None:
    """Neither adds one."""
    assert not changes_substance(
        "It is not retried after the third attempt.", "It isn’t retried after the third attempt."
    )
