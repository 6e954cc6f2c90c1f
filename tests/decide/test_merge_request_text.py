"""The text of a merge request: legible, with the person, and without anything that a forge would do."""

from __future__ import annotations

import pytest

from bot.decide.merge_request_text import word_merge_request
from bot.models.merge_request import MAX_BODY, MAX_TITLE

BY_ANA = "---\nRequested in Slack by Ana (`U1`); opened by Triage as a draft."


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("", ""),
        ("Closes it on blur.\r\nFixes #3.", "Closes it on blur.\nFixes #3.\n\n"),
        ("/merge\n  /assign @ana\na/b", "\\/merge\n  \\/assign \uff20ana\na/b\n\n"),
        ("Mail ops@example.com", "Mail ops\uff20example.com\n\n"),
        (
            '<img src="https://evil.example/x.png"></p><!-- a < b',
            '\\<img src="https://evil.example/x.png">\\</p>\\<!-- a < b\n\n',
        ),
        ("![x](https://evil.example/x.png)", "\\![x](https://evil.example/x.png)\n\n"),
    ],
)
def test_nothing_in_a_body_acts(body: str, written: str) -> None:
    """Commands, mentions and images stay legible."""
    text = word_merge_request("Mend  the\nflyout", body, person="Ana", user_id="U1")
    assert (text.title, text.body) == ("Mend the flyout", f"{written}{BY_ANA}")


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("@all: mend @team/all's flyout", "＠all: mend ＠team/all's flyout"),
        ("Meet @ noon", "Meet @ noon"),
    ],
)
def test_a_title_notifies_nobody(title: str, written: str) -> None:
    """A forge reads mentions in it, too."""
    assert word_merge_request(title, "", person="Ana", user_id="U1").title == written


@pytest.mark.parametrize(
    ("person", "task", "footer"),
    [
        ("Ana", "shop-x-k7", "Requested in Slack by Ana (`U1`) for the task `shop-x-k7`; opened"),
        ("U1", "", "Requested in Slack by `U1`; opened"),
        ("[A](https://evil.example) @team\n/merge", "", "by A https evil.example team merge (`U1`); opened"),
    ],
)
def test_the_person_and_the_task_are_named(person: str, task: str, footer: str) -> None:
    """Names come from Slack, and are plain."""
    assert footer in word_merge_request("Mend it", "", person=person, user_id="U1", task=task).body


def test_long_texts_are_cut() -> None:
    """To what both forges take, and the person stays."""
    text = word_merge_request("t" * 999, "b" * 99_999, person="Ana", user_id="U1")
    assert (len(text.title), len(text.body)) == (MAX_TITLE, MAX_BODY)
    assert text.body.endswith(f"b…\n\n{BY_ANA}")


def test_a_title_has_words() -> None:
    """The error says what is expected."""
    with pytest.raises(ValueError, match="expected a title of words"):
        word_merge_request("...", "", person="Ana", user_id="U1")
