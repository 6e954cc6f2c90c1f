"""The matrix of flows: from where to where a hint may go, every case of it."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from bot.decide.information_flow import may_flow, still_may_flow, visibility
from bot.models.hint import HintSource, Visibility
from tests.tables import each_row

ALL = get_args(Visibility)


def label(seen_by: str, *, channel: str = "C1", team: str = "T1") -> HintSource:
    """A place."""
    return HintSource(team_id=team, chat_id=channel, visibility=seen_by)


@each_row(("source", "target"), list(product(ALL, ALL)))
def test_nothing_crosses_teams(source: str, target: str) -> None:
    """Not even with the same channel id, as a channel shared by two workspaces has."""
    for channel in ("C1", "C2"):
        assert not may_flow(label(source), label(target, channel=channel, team="T2"))


@each_row("channel", ["C1", "C2"])
@each_row(("source", "target"), list(product(ALL, ALL)))
def test_hints_flow_from_public_channels_to_public_ones_only(source: str, target: str, channel: str) -> None:
    """Of sixteen pairs one is open, within one channel as between two."""
    assert may_flow(label(source), label(target, channel=channel)) is (source == target == "public")


@each_row(("written", "now", "target"), list(product(ALL, ALL, ALL)))
def test_what_has_changed_since_must_permit_it_before_and_after(written: str, now: str, target: str) -> None:
    """Public when it was said and public today, or it stays where it is."""
    flows = still_may_flow(label(written), label(now), label(target, channel="C2"))
    assert flows == (written == now == target == "public")


@pytest.mark.parametrize(
    ("about", "seen_by"),
    [
        ({"is_channel": True, "is_private": False}, "public"),
        ({"is_channel": True, "is_private": True}, "private"),
        ({"is_channel": True}, "private"),
        ({"is_group": True, "is_private": True}, "private"),
        ({"is_im": True}, "direct"),
        ({"is_mpim": True, "is_private": True}, "direct"),
        ({"is_channel": True, "is_private": False, "is_ext_shared": True}, "shared"),
        ({"is_channel": True, "is_private": False, "is_pending_ext_shared": True}, "shared"),
        ({"is_channel": True, "is_private": False, "is_org_shared": True}, "shared"),
        ({}, "private"),
    ],
)
def test_who_reads_a_channel(about: dict[str, Any], seen_by: str) -> None:
    """What Slack does not call public is not."""
    assert visibility(about) == seen_by
