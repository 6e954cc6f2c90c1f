"""A report reaches each of those it is for once, whatever Slack does in between."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from blocks.announcement import Announcement
from bot.errors import Refused, RetryLater, Uncertain
from bot.reports.posting import Posting
from tests.fakes import HandClock

DAY, SAID = date(2026, 1, 5), Announcement(line="*Morning brief*")


class Rooms:
    """A `Chat` of direct messages and channels; what goes wrong next is set by the test."""

    def __init__(self, *shared: str) -> None:
        self.shared = shared
        self.posted: list[tuple[str, str]] = []
        self.failures: list[tuple[str, Exception, bool]] = []

    async def channel(self, channel: str) -> dict[str, Any]:
        """Of one company, but for those that are shared."""
        return {"id": channel, "is_ext_shared": channel in self.shared}

    async def open_dm(self, user: str) -> str:
        """Not of somebody who is gone."""
        if user == "U0GONE":
            raise Refused("conversations.open: user_not_found", code="user_not_found")
        return f"D{user}"

    async def find_in_channel(self, *, channel: str, oldest: str, event_type: str, nonce: str) -> str | None:
        """By its nonce."""
        return "1.1" if (channel, nonce) in self.posted else None

    async def post(self, *, channel: str, metadata: dict[str, Any], **_: Any) -> str:
        """Stands there, or fails, with or without effect."""
        assert metadata["event_payload"]["kind"] == "notice"
        nonce = metadata["event_payload"]["nonce"]
        for failure in [failure for failure in self.failures if failure[0] == channel]:
            self.failures.remove(failure)
            if failure[2]:
                self.posted.append((channel, nonce))
            raise failure[1]
        self.posted.append((channel, nonce))
        return "1.1"


class Members:
    """Everyone but a guest is a member."""

    async def is_barred(self, user: str) -> bool:
        """Bar the guest."""
        return user == "U0GUEST"


def posting(rooms: Rooms, channel: str | None = None) -> Posting:
    """Into direct messages, unless a channel is named."""
    return Posting(chat=rooms, channels=rooms, members=Members(), clock=HandClock(), channel=channel)  # type: ignore[arg-type]  # it makes these calls only


async def test_everybody_gets_it_once() -> None:
    """Somebody unknown, or none of us, keeps nobody else from it; again on the same day nothing is posted."""
    rooms = Rooms()
    for _ in range(2):
        await posting(rooms).post(SAID, "brief", DAY, people=("U0GONE", "U0GUEST", "U0OPS", "U0ADMIN"))
    assert rooms.posted == [("DU0OPS", "brief-2026-01-05"), ("DU0ADMIN", "brief-2026-01-05")]


@pytest.mark.parametrize(("shared", "place"), [((), "C0TEAM"), (("C0TEAM",), "DU0OPS")])
async def test_no_report_stands_where_another_company_reads_it(shared: Any, place: str) -> None:
    """It names other channels and quotes their questions; the direct messages get it then."""
    rooms = Rooms(*shared)
    await posting(rooms, "C0TEAM").post(SAID, "brief", DAY, people=("U0OPS",))
    assert rooms.posted == [(place, "brief-2026-01-05")]


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(("DU0ADMIN", RetryLater("not now"), False), id="Slack was away"),
        pytest.param(("DU0ADMIN", Uncertain("no answer"), True), id="posted, and nobody heard"),
        pytest.param(("DU0ADMIN", Uncertain("no answer"), False), id="not posted, and nobody knows"),
    ],
)
async def test_what_is_tried_again_is_looked_for_first(failure: Any) -> None:
    """As after a crash between the post and the note of it."""
    rooms = Rooms()
    rooms.failures.append(failure)
    with pytest.raises((RetryLater, Uncertain)):
        await posting(rooms).post(SAID, "brief", DAY, people=("U0OPS", "U0ADMIN"))
    await posting(rooms).post(SAID, "brief", DAY, people=("U0OPS", "U0ADMIN"))
    assert sorted(channel for channel, _ in rooms.posted) == ["DU0ADMIN", "DU0OPS"]


async def test_a_channel_takes_the_place_of_direct_messages() -> None:
    """Once, whoever is named."""
    rooms = Rooms()
    await posting(rooms, "C0TEAM").post(SAID, "weekly", DAY, people=("U0OPS", "U0ADMIN"))
    assert rooms.posted == [("C0TEAM", "weekly-2026-01-05")]
