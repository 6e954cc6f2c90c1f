"""What `triage init` writes."""

from __future__ import annotations

import pytest
import yaml

from bot.decide.setup_file import SetupAnswers, put_variables, settings_text
from bot.models.directory import ListedChannel, ListedMember


@pytest.mark.parametrize(
    ("channel", "operator", "place"),
    [
        ("help", "Olu", "/srv/platform"),
        ("no", "off", "https://github.com/example/portal"),
        ("hilfe-für-alle", "Olu\noperators: [U0EVIL]", '/srv/a "b": c # d'),
        ("123", "}{", "/srv/on"),
    ],
)
def test_names_of_slack_stay_text(channel: str, operator: str, place: str) -> None:
    """A name with a line break or a quotation mark adds no key."""
    answers = SetupAnswers(
        channel=ListedChannel(channel_id="C0HELP", name=channel),
        operator=ListedMember(user_id="U0OPS", names=(operator,)),
        place=place,
        project="on",
    )
    assert yaml.safe_load(settings_text(answers)) == {
        "watched_chats": [{"chat_id": "C0HELP", "name": channel, "mode": "preview"}],
        "operators": ["U0OPS"],
        "admins": ["U0OPS"],
        "projects": {"on": {"repository" if "://" in place else "root": place}},
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "A=1\n"),
        ("# mine\nB=2\n", "# mine\nB=2\nA=1\n"),
        ("export A=0\nB=2", "A=1\nB=2\n"),
        ("A=0\nA=00\nAA=3\n", "A=0\nA=1\nAA=3\n"),
    ],
)
def test_other_variables_stay(before: str, after: str) -> None:
    """The last line of a name counts for whoever reads the file."""
    assert put_variables(before, {"A": "1"}) == after
