"""A channel or a member, as people name them."""

from __future__ import annotations

import pytest

from bot.decide.directory_search import project_key, search_channels, search_members
from bot.models.directory import ListedChannel, ListedMember

CHANNELS = [
    ListedChannel(channel_id="C0HELP", name="help-platform"),
    ListedChannel(channel_id="C0GENERAL", name="general"),
    ListedChannel(channel_id="G0OLD", name="hilfe"),
]
MEMBERS = [
    ListedMember(user_id="U0OPS", names=("Olu", "Olu Adeyemi", "olu.a")),
    ListedMember(user_id="U0ANA", names=("ana", "Ana Silva")),
    ListedMember(user_id="W0ANNA", names=("Anna", "Ana Costa")),
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("help-platform", ["C0HELP"]),
        (" #Help-Platform ", ["C0HELP"]),
        ("C0HELP", ["C0HELP"]),
        ("<#C0HELP|help-platform>", ["C0HELP"]),
        ("https://team.slack.com/archives/C0GENERAL/p1735689600000100", ["C0GENERAL"]),
        ("https://app.slack.com/client/T0TEAM/G0OLD", ["G0OLD"]),
        ("https://team.slack.com/archives/C0OTHER", []),
        ("help", []),
        ("", []),
    ],
)
def test_a_channel_is_named_by_its_name_link_or_id(text: str, ids: list[str]) -> None:
    """A part of a name names none."""
    assert [channel.channel_id for channel in search_channels(text, CHANNELS)] == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("U0OPS", ["U0OPS"]),
        ("<@U0OPS>", ["U0OPS"]),
        ("https://team.slack.com/team/W0ANNA", ["W0ANNA"]),
        ("@olu.a", ["U0OPS"]),
        ("olu adeyemi", ["U0OPS"]),
        ("ana", ["U0ANA"]),
        ("Costa", ["W0ANNA"]),
        ("ANNA", ["W0ANNA"]),
        ("ol", []),
        ("@", []),
    ],
)
def test_a_member_is_named_by_a_name_link_or_id(text: str, ids: list[str]) -> None:
    """A whole name goes before a word of one."""
    assert [member.user_id for member in search_members(text, MEMBERS)] == ids


@pytest.mark.parametrize(
    ("place", "key"),
    [
        ("/srv/platform", "platform"),
        ("https://github.com/example/My Portal.git", "my-portal"),
        ("/srv/ü/", "project"),
        ("/", "project"),
        (f"/srv/{'a' * 80}", "a" * 64),
    ],
)
def test_a_project_is_named_after_its_folder(place: str, key: str) -> None:
    """A key has letters, digits, dots, dashes and underscores only."""
    assert project_key(place) == key
