"""Ask an Owner at the press: who is asked, what a crash in between leaves, and what the operator is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.approval.ask_owner import OwnerRequests
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater
from bot.models.thread import Thread
from bot.triage.membership import Membership
from tests.approval.test_actions import BEN, Office
from tests.builders import ASKER, OPERATOR, TEAM, found, validated
from tests.fakes import RememberingChat


class Rooms(RememberingChat):
    """Direct messages and links, too."""

    async def open_dm(self, user: str) -> str:
        """A room that is called after its one member."""
        return f"D-{user}"

    async def permalink(self, **_: Any) -> str:
        """An address."""
        return "https://slack.test/1"

    async def find_in_channel(self, *, nonce: str, **_: Any) -> str | None:
        """As in a thread."""
        return await self.find_in_thread(nonce=nonce)


def office() -> Office:
    made = Office()
    made.chat = Rooms()
    asking = OwnerRequests(
        orchestrator=made.orchestrator,
        chat=made.chat,  # type: ignore[arg-type]  # the fake has what asking calls
        groups=made.town,
        members=Membership(team_id=TEAM, people=made.town, clock=made.clock),
        clock=made.clock,
        redactor=Redactor(),
    )
    made.approval = replace(made.approval, owner_requests=asking, chat=made.chat)  # type: ignore[arg-type]  # as above
    return made


async def pending(made: Office, *owners: str) -> Thread:
    """A draft whose cited files are theirs."""
    thread_id = await made.open("1.1")
    await made.orchestrator.submit(thread_id, replace(found(made.store.saved[thread_id]), owners=owners))
    await made.orchestrator.submit(thread_id, validated(made.store.saved[thread_id]))
    return made.store.saved[thread_id]


@pytest.mark.parametrize(
    ("owners", "asked"),
    [
        ((BEN, ASKER), [f"D-{BEN}"]),
        ((OPERATOR, BEN), [f"D-{BEN}"]),
        (("S0TEAM",), ["D-U0EVE"]),
        (("U0GUEST", "S0GONE", BEN), [f"D-{BEN}"]),
        ((OPERATOR,), []),
        (("U0GUEST",), []),
    ],
)
async def test_the_first_owner_who_may_know_is_asked(owners: tuple[str, ...], asked: list[str]) -> None:
    """Not whoever presses, no guest, of a group its first other member; where that is nobody, it is said."""
    made = office()
    made.town.groups = {"S0TEAM": (OPERATOR, "U0EVE")}
    made.town.guests = {"U0GUEST"}
    thread = await pending(made, *owners)
    await made.approval.handle_press(made.press(thread, "ask_owner"))
    assert [sent["channel"] for sent in made.chat.sent] == asked
    assert ("Nobody was asked" in made.chat.notices[0]) == (not asked)
    await made.orchestrator.stop()


async def test_an_owner_is_asked_once_whoever_presses() -> None:
    """The second press is told who asked whom."""
    made = office()
    thread = await pending(made, ASKER)
    for user in (OPERATOR, BEN):
        await made.approval.handle_press(made.press(thread, "ask_owner", user_id=user))
    assert len(made.chat.sent) == 1
    assert made.chat.notices[1] == f"<@{ASKER}> was asked already, by <@{OPERATOR}>."
    await made.orchestrator.stop()


@pytest.mark.parametrize("had_landed", [True, False])
async def test_an_owner_who_could_not_be_told_is_not_said_to_be_asked(had_landed: bool) -> None:
    """The next press asks them; where the message stands after all, it is not posted again."""
    made = office()
    thread = await pending(made, BEN)
    made.chat.fail = RetryLater("no answer")
    await made.approval.handle_press(made.press(thread, "ask_owner"))
    assert "could not be reached" in made.chat.notices[0]
    untold = made.store.saved[thread.thread_id]
    assert untold.asked_owner is None
    if had_landed:
        made.chat.land(made.press(untold, "ask_owner").nonce)
    await made.approval.handle_press(made.press(untold, "ask_owner"))
    assert "was asked" in made.chat.notices[1]
    assert len(made.chat.posted) == 1
    asked = made.store.saved[thread.thread_id].asked_owner
    assert asked is not None
    assert asked.owner == BEN
    await made.orchestrator.stop()


@pytest.mark.parametrize("had_landed", [True, False])
async def test_a_press_that_a_crash_cut_off_asks_once(had_landed: bool) -> None:
    """It was saved that they are asked; the message is looked for before it is posted."""
    made = office()
    thread = await pending(made, BEN)
    press = made.press(thread, "ask_owner")
    made.chat.fail = Refused("the process died here", code="killed")
    await made.approval.handle_press(press)
    assert "could not be reached" in made.chat.notices[0]
    if had_landed:
        made.chat.land(press.nonce)
    await made.approval.handle_press(press, replayed=True)
    assert len(made.chat.posted) == 1
    assert len(made.chat.sent) == (0 if had_landed else 1)
    await made.orchestrator.stop()
