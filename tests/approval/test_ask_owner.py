"""Ask an Owner at the press: who is asked, what a crash in between leaves, and what the operator is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from blocks.owner_request import build_owner_request
from bot.approval.ask_owner import OwnerRequests
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater
from bot.models.presses import AskOwner
from bot.models.thread import Thread
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.card_search import OWNER_REQUEST
from bot.triage.membership import Membership
from tests.approval.test_actions import BEN, Office
from tests.builders import ASKER, OPERATOR, TEAM, at, found, validated
from tests.fakes import RememberingChat

SECRET = "a-loaded" + "-secret-0815"


class Rooms(RememberingChat):
    """Direct messages and links, too; `sought` has the arguments of each search for a message."""

    def __init__(self) -> None:
        super().__init__()
        self.sought: list[dict[str, Any]] = []

    async def open_dm(self, user: str) -> str:
        """A room that is called after its one member."""
        return f"D-{user}"

    async def permalink(self, *, channel: str, ts: str) -> str:
        """An address."""
        return f"https://slack.test/{channel}/{ts}"

    async def find_in_thread(self, *, nonce: str, **where: Any) -> str | None:
        """Keep the place, and find the first post with this nonce."""
        self.sought.append({"nonce": nonce, **where})
        return await super().find_in_thread(nonce=nonce)

    async def find_in_channel(self, *, nonce: str, **where: Any) -> str | None:
        """As in a thread."""
        return await self.find_in_thread(nonce=nonce, **where)


def office(shared: CardChannel | None = None) -> Office:
    made = Office()
    made.chat = Rooms()
    asking = OwnerRequests(
        orchestrator=made.orchestrator,
        chat=made.chat,  # type: ignore[arg-type]  # the fake has what asking calls
        groups=made.town,
        members=Membership(team_id=TEAM, people=made.town, clock=made.clock),
        clock=made.clock,
        redactor=Redactor([SECRET]),
        shared=shared or CardChannel(),
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


QUEUE = "G0CARDS"


@pytest.mark.parametrize(
    ("channel", "card", "place", "answer"),
    [
        (
            None,
            ("D0OPS", "9.9"),
            {"channel": f"D-{BEN}", "oldest": "1.1"},
            f"<@{BEN}> was asked in a direct message from Triage; they will answer you.",
        ),
        (
            QUEUE,
            (QUEUE, "9.9"),
            {"channel": QUEUE, "thread_ts": "9.9"},
            f"<@{BEN}> was asked in <#{QUEUE}>; invite them if they are not a member.",
        ),
        (
            QUEUE,
            ("D0OPS", "9.9"),
            {"channel": QUEUE, "oldest": "1.1"},
            f"<@{BEN}> was asked in <#{QUEUE}>; invite them if they are not a member.",
        ),
    ],
)
async def test_the_request_goes_where_only_its_readers_are(
    channel: str | None, card: tuple[str, str], place: dict[str, str], answer: str
) -> None:
    """Below the shared card, else in the operators' channel, else to the owner alone; it is sought there first."""
    made = office(CardChannel(channel=channel))
    thread = await pending(made, BEN)
    thread = thread.evolve(card=thread.card.evolve(channel=card[0], ts=card[1]))
    made.store.saved[thread.thread_id] = thread
    press = made.press(thread, "ask_owner")
    await made.approval.handle_press(press)
    chat: Any = made.chat
    assert chat.sought == [{"nonce": press.nonce, "event_type": OWNER_REQUEST, **place}]
    link = f"https://slack.test/{thread.chat_id}/1.1"
    assert chat.sent == [
        {
            "channel": place["channel"],
            "thread_ts": place.get("thread_ts"),
            "metadata": {"event_type": OWNER_REQUEST, "event_payload": {"nonce": press.nonce, "kind": "notice"}},
            **build_owner_request(thread, by=OPERATOR, owner=BEN, link=link),
        }
    ]
    assert chat.notices == [answer]
    await made.orchestrator.stop()


async def test_a_group_is_asked_as_a_whole_in_the_operators_channel() -> None:
    """Its members see the request there; in direct messages one of them is asked."""
    made = office(CardChannel(channel=QUEUE))
    thread = await pending(made, "S0TEAM")
    await made.approval.handle_press(made.press(thread, "ask_owner"))
    assert made.chat.notices == [f"<!subteam^S0TEAM> was asked in <#{QUEUE}>; invite them if they are not a member."]
    await made.orchestrator.stop()


async def test_the_request_holds_no_secret() -> None:
    """Though the question does."""
    made = office()
    thread = await pending(made, BEN)
    asked = thread.messages[0].evolve(content=f"is it {SECRET}?")
    made.store.saved[thread.thread_id] = thread.evolve(messages=(asked,))
    await made.approval.handle_press(made.press(thread, "ask_owner"))
    assert SECRET not in str(made.chat.sent)
    assert "[redacted]" in str(made.chat.sent)
    await made.orchestrator.stop()


@pytest.mark.parametrize(
    ("user", "replayed", "asks"), [(OPERATOR, True, True), (OPERATOR, False, False), (BEN, True, False)]
)
async def test_a_saved_request_is_posted_only_by_the_press_that_saved_it(user: str, replayed: bool, asks: bool) -> None:
    """A crash came between; another press, or that of a colleague, posts it no second time."""
    made = office()
    thread = await pending(made, ASKER)
    press = made.press(thread, "ask_owner", user_id=user)
    saved = AskOwner(at=at(20), fresh="n", by=OPERATOR, draft_id=press.draft_id, nonce=press.nonce, owner=ASKER)
    assert (await made.orchestrator.submit(thread.thread_id, saved)).accepted
    answer = await made.approval.act(press, replayed=replayed)
    assert answer
    assert (len(made.chat.sent), "already" in answer) == (int(asks), not asks)
    await made.orchestrator.stop()


@pytest.mark.parametrize("is_asked", [True, False])
async def test_a_press_on_an_older_draft_asks_nobody(is_asked: bool) -> None:
    """It is told that the card has changed, whether somebody was asked about the newer draft or not."""
    made = office()
    thread = await pending(made, ASKER)
    if is_asked:
        await made.approval.handle_press(made.press(thread, "ask_owner"))
    answer = await made.approval.act(made.press(thread, "ask_owner", draft_id=f"{thread.thread_id}/0", nonce="older"))
    assert answer
    assert answer.startswith("The card has changed since.")
    assert len(made.chat.sent) == is_asked
    await made.orchestrator.stop()


async def test_an_owner_who_cannot_be_reached_is_named_with_the_reason() -> None:
    """The operator asks them in person."""
    made = office()
    thread = await pending(made, BEN)
    made.chat.fail = RetryLater("no answer")
    await made.approval.handle_press(made.press(thread, "ask_owner"))
    assert made.chat.notices == [f"<@{BEN}> could not be reached: no answer. Please ask them yourself."]
    await made.orchestrator.stop()
