"""What Slack lets the bot reach: hints are looked into, each admin is told once, and what is over is over."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from bot.errors import Refused, RetryLater, TriageError, Uncertain
from bot.models.loss import AppRemoved, ChannelChanged, Loss, PersonChanged
from bot.surfaces.channel_clearing import ChannelClearing
from bot.triage.access import Access
from bot.triage.admin_notices import AdminNotices
from bot.triage.losses import Losses
from bot.triage.lost_people import LostPeople
from tests.fakes import HandClock, MemoryKept, Stops, Town, operators, settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

BOT = "U0BOT"


class Workspace:
    """Slack as `Access` knows it; what a test sets is refused, and notices are counted."""

    def __init__(self) -> None:
        self.channels: dict[str, dict[str, Any]] = {"C0HELP": {"name": "help", "is_member": True}}
        self.refused: dict[str, str] = {}
        self.token = ""
        self.granted = frozenset({"chat:write"})
        self.posts: list[tuple[str, str, str]] = []
        self.updates: list[str] = []
        self.fails: list[TriageError] = []
        self.closed: set[str] = set()
        self.tried: list[str] = []
        self.shown = [f"2.{number}" for number in range(12)]

    async def identity(self) -> object:
        """Who the token belongs to."""
        if self.token:
            raise Refused(f"auth.test: {self.token}", code=self.token)
        return object()

    async def scopes(self) -> frozenset[str]:
        """Those that the token has."""
        return self.granted

    async def channel(self, channel: str) -> dict[str, Any]:
        """A channel, if it is there."""
        if channel not in self.channels:
            raise Refused("conversations.info: channel_not_found", code="channel_not_found")
        return self.channels[channel]

    async def open_dm(self, user: str, *, refresh: bool = False) -> str:
        """A direct message."""
        if user in self.refused:
            raise Refused(f"conversations.open: {self.refused[user]}", code=self.refused[user])
        return f"D{user}"

    async def post(self, *, channel: str, text: str, metadata: dict[str, Any], **_: Any) -> str:
        """A notice."""
        self.tried.append(channel)
        if channel in self.closed:
            raise Refused("chat.postMessage: cannot_dm_bot", code="cannot_dm_bot")
        if self.fails and not isinstance(self.fails[-1], Uncertain):
            raise self.fails.pop()
        self.posts.append((channel, text, metadata["event_payload"]["nonce"]))
        if self.fails:
            raise self.fails.pop()
        return f"1.{len(self.posts)}"

    async def update(self, *, text: str, **_: Any) -> None:
        """A notice that is over."""
        self.updates.append(text)

    async def own_messages(self, **_: Any) -> list[str]:
        """The cards that stand in the channel of cards."""
        return [*self.shown]

    async def delete(self, *, ts: str, **_: Any) -> None:
        """Take one away."""
        self.shown.remove(ts)
        if ts == "2.3":
            raise Refused("chat.delete: message_not_found", code="message_not_found")

    async def find_in_channel(self, *, channel: str, nonce: str, **_: Any) -> str | None:
        """A notice that stands already."""
        found = [number for number, post in enumerate(self.posts, 1) if (post[0], post[2]) == (channel, nonce)]
        return f"1.{found[0]}" if found else None


class Gaps:
    """Remembers what was lost and what the bot is back in."""

    def __init__(self) -> None:
        self.changes: list[str] = []

    def note_lost(self, channel: str) -> None:
        """It cannot be read."""
        self.changes.append(f"lost {channel}")

    def schedule_back(self, channels: Iterable[str]) -> None:
        """They can be."""
        self.changes += [f"back {channel}" for channel in channels]


class Questions:
    """Remembers which losses and which channels without other companies it was told of."""

    def __init__(self) -> None:
        self.losses: list[Loss] = []
        self.cut: list[str] = []

    async def note_change(self, loss: Loss) -> None:
        """A loss, or its end."""
        self.losses.append(loss)

    async def readers_gone(self, channel: str) -> None:
        """A channel."""
        self.cut.append(channel)


class House:
    """An `Access` over a workspace that outlives it, as its file does."""

    def __init__(self) -> None:
        self.slack, self.kept, self.clock, self.town = Workspace(), MemoryKept(), HandClock(), Town()
        self.gaps = Gaps()
        self.channel_names = {"C0HELP": "help"}
        self.stop, self.questions = Stops(), Questions()
        self.card_channel = ""
        self.others: tuple[str, ...] = ("U0OPS", "U0BEN")

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[Access]:
        """One process."""
        deciding = operators("U0OPS", "U0BEN", town=self.town, clock=self.clock)
        slack: Any = self.slack
        questions: Any = self.questions
        losses = Losses(
            file=self.kept,
            clock=self.clock,
            notices=AdminNotices(chat=slack, members=deciding.members, admins=("U0ADMIN",), others=self.others),
            operators=deciding,
            channels={"C0HELP": "help", **dict.fromkeys(filter(None, [self.card_channel]), "")},
            keys={"C0HELP": ["watched_chats"]},
            channel_names=self.channel_names,
            observers=[questions],
            card_channel=self.card_channel,
        )
        access = Access(
            slack=slack,
            losses=losses,
            people=LostPeople(slack=slack, losses=losses, operators=deciding, clock=self.clock),
            clearing=ChannelClearing(slack=slack),
            bot_user_id=BOT,
            gaps=self.gaps,
            stop=self.stop,
            questions=questions,
        )
        await deciding.refresh()
        await losses.load()
        task = asyncio.create_task(access.run())
        await settle()
        yield access
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def pass_time(self, seconds: float = 3.0) -> None:
        """Let what was begun come to its end."""
        for _ in range(4):
            await self.clock.move(seconds / 4)

    @property
    def told(self) -> list[str]:
        """To whom notices were posted."""
        return [channel for channel, *_ in self.slack.posts]


def left(user: str = BOT) -> ChannelChanged:
    """Somebody has left."""
    return ChannelChanged(chat_id="C0HELP", change="left", user_id=user)


async def test_a_loss_is_told_once_however_often_it_is_heard_of() -> None:
    """By two events, by refused calls, by a look in between and by a restart; its end changes the notice."""
    house = House()
    async with house.begun() as access:
        house.slack.channels["C0HELP"] = {"name": "help", "is_member": False}
        access.handle_change(left())
        access.handle_change(left(""))
        await house.pass_time()
        access.note_refusal("C0HELP", Refused("chat.postMessage: not_in_channel", code="not_in_channel"))
        await house.pass_time(60)
        assert house.told == ["DU0ADMIN"]
        assert "/invite @Triage" in access.losses.lines()[0]
    async with house.begun() as access:
        await house.pass_time(70)
        assert house.told == ["DU0ADMIN"]
        house.slack.channels["C0HELP"] = {"name": "help", "is_member": True}
        access.handle_change(ChannelChanged(chat_id="C0HELP", change="joined", user_id=BOT))
        await house.pass_time()
        assert access.losses.lines() == ()
    assert house.told == ["DU0ADMIN"]
    assert [update.startswith("*Over* since") for update in house.slack.updates] == [True]
    assert {*house.gaps.changes[:-1]} == {"lost C0HELP"}
    assert house.gaps.changes[-1] == "back C0HELP"


CARDS = {"name": "cards", "is_member": True, "is_private": True}


@pytest.mark.parametrize("others", [{"is_ext_shared": True}, {"is_private": False}])
async def test_a_channel_of_cards_that_others_come_to_read_is_cleared(others: dict[str, Any]) -> None:
    """All that stands there goes, an admin is told once, and whoever is about to show something there learns it
    without an event; over a restart, too, until only its members read it."""
    house = House()
    house.card_channel = "C0CARDS"
    house.slack.channels["C0CARDS"] = CARDS
    async with house.begun() as access:
        await house.pass_time(30)
        house.slack.channels["C0CARDS"] = CARDS | others
        await access.look("C0CARDS")
        assert access.losses.loss_of("C0CARDS") is not None
        await house.pass_time()
        assert (house.told, house.slack.shown) == (["DU0ADMIN"], [])
    house.slack.shown = ["2.99"]  # one that was on its way when the process ended
    async with house.begun() as access:
        await house.pass_time()
        assert (house.told, house.slack.shown) == (["DU0ADMIN"], [])
        house.slack.channels["C0CARDS"] = CARDS
        access.handle_change(ChannelChanged(chat_id="C0CARDS", change="unshared"))
        await house.pass_time()
        assert access.losses.lines() == ()
        house.slack.shown = ["2.100"]
        await house.pass_time(70)
    assert house.slack.shown == ["2.100"]
    assert len(house.questions.losses) == 2


async def test_others_who_leave_and_other_channels_are_nothing() -> None:
    """So is an event that is no longer so when it comes."""
    house = House()
    async with house.begun() as access:
        access.handle_change(left("U0ANA"))
        access.handle_change(ChannelChanged(chat_id="C0OTHER", change="deleted"))
        access.handle_change(left())
        await house.pass_time()
    assert house.told == []
    assert house.questions.losses == []
    assert house.gaps.changes == ["lost C0HELP", "back C0HELP"]


@pytest.mark.parametrize(
    ("failure", "posts"), [(RetryLater("rate limited"), 1), (Uncertain("no answer"), 1), (None, 1)]
)
async def test_a_notice_that_fails_comes_once_all_the_same(failure: TriageError | None, posts: int) -> None:
    """One whose post is in doubt is looked for before it is posted again, by the next process too."""
    house = House()
    house.slack.channels.clear()
    house.slack.fails = [failure] if failure else []
    async with house.begun():
        pass
    async with house.begun():
        await house.pass_time(10)
    assert house.told == ["DU0ADMIN"] * posts


async def test_a_renamed_channel_has_its_new_name_everywhere_until_it_has_its_old_one_again() -> None:
    """Over a restart too."""
    house = House()
    renamed = ChannelChanged(chat_id="C0HELP", change="renamed")
    async with house.begun() as access:
        house.slack.channels["C0HELP"]["name"] = "infra"
        access.handle_change(renamed)
        await house.pass_time()
        assert house.channel_names == {"C0HELP": "infra"}
    house.channel_names["C0HELP"] = "help"
    async with house.begun() as access:
        assert house.channel_names == {"C0HELP": "infra"}
        house.slack.channels["C0HELP"]["name"] = "help"
        access.handle_change(renamed)
        await house.pass_time()
        assert house.channel_names == {"C0HELP": "help"}


async def test_whoever_can_be_told_is_told_where_no_admin_can() -> None:
    """The first operator, and only they."""
    house = House()
    house.slack.refused["U0ADMIN"] = "user_disabled"
    house.slack.channels.clear()
    async with house.begun() as access:
        await house.pass_time()
        assert access.losses.unannounced == []
    assert house.told == ["DU0OPS"]


async def test_a_connection_that_is_cut_is_told_once_nobody_else_reads_along() -> None:
    """Of one of two companies it says nothing; of the last one immediately, even if the channel is frozen with it."""
    house = House()
    async with house.begun() as access:
        for flags in ({"is_ext_shared": True}, {"is_ext_shared": False}, {"is_archived": True, "is_frozen": True}):
            house.slack.channels["C0HELP"] = {"name": "help", "is_member": True, **flags}
            access.handle_change(ChannelChanged(chat_id="C0HELP", change="unshared"))
            await house.pass_time()
        assert [loss.kind for loss in house.questions.losses] == ["frozen"]
    assert house.questions.cut == ["C0HELP", "C0HELP"]


async def test_an_admin_who_is_none_of_us_is_told_nothing() -> None:
    """Whatever the settings say, nor is such an operator; the first member is, until the admin is one again."""
    house = House()
    house.others = ("U0GUEST", "U0OPS")
    house.town.guests |= {"U0ADMIN", "U0GUEST"}
    house.slack.channels.clear()
    async with house.begun() as access:
        await house.pass_time()
        assert access.losses.unannounced == []
        assert house.told == ["DU0OPS"]
        house.town.guests.clear()
        access.note_refusal("", Refused("reactions.add: missing_scope", code="missing_scope", needed="reactions:write"))
        await house.pass_time()
    assert house.told == ["DU0OPS", "DU0ADMIN"]


async def test_an_operator_whose_account_changed_is_looked_at_at_once() -> None:
    """Deactivated they are lost, and back when they are one of us again; of other people nobody asks."""
    house = House()
    async with house.begun() as access:
        house.town.guests |= {"U0OPS", "U0ANA"}
        house.town.failure = RetryLater("Slack is away")
        for user in ("U0ANA", "U0OPS"):
            access.handle_change(PersonChanged(user_id=user))
        await house.pass_time()
        house.town.failure = None
        await house.pass_time(8)
        assert access.people.operators.unreachable == {"U0OPS"}
        house.town.guests.clear()
        access.handle_change(PersonChanged(user_id="U0OPS"))
        await house.pass_time()
        assert access.people.operators.unreachable == frozenset()
    assert [loss.subject for loss in house.questions.losses] == ["U0OPS", "U0OPS"]


async def test_an_operator_whom_cards_do_not_reach_passes_on_until_they_are_back() -> None:
    """Nothing passes to them meanwhile."""
    house = House()
    async with house.begun() as access:
        house.slack.refused["U0OPS"] = "user_disabled"
        access.unreachable("U0OPS", "user_disabled")
        await house.pass_time()
        assert access.people.operators.unreachable == {"U0OPS"}
        assert house.told == ["DU0ADMIN"]
        assert "<@U0BEN>" in access.losses.lines()[0]
        del house.slack.refused["U0OPS"]
        await house.pass_time(70)
        assert access.people.operators.unreachable == frozenset()
    assert [loss.kind for loss in house.questions.losses] == ["person", "person"]


async def test_an_operator_to_whom_posts_alone_are_refused_is_told_of_once() -> None:
    """Slack describes them as well and opens the direct message: a message there that it takes says that it is over."""
    house = House()
    house.slack.closed = {"DU0OPS"}
    async with house.begun() as access:
        access.unreachable("U0OPS", "cannot_dm_bot")
        for _ in range(30):
            await house.pass_time(60)
        assert access.people.operators.unreachable == {"U0OPS"}
        assert (house.told, house.slack.updates) == (["DU0ADMIN"], [])
        assert 2 <= house.slack.tried.count("DU0OPS") <= 4
    async with house.begun() as access:
        await house.pass_time(60)
        assert house.told == ["DU0ADMIN"]
        house.slack.closed = set()
        for _ in range(11):
            await house.pass_time(60)
        assert access.people.operators.unreachable == frozenset()
    assert house.told == ["DU0ADMIN", "DU0OPS"]
    assert len(house.slack.updates) == 1


async def test_an_operator_who_is_gone_at_the_start_is_lost() -> None:
    """As Slack knows them then."""
    house = House()
    house.town.guests.add("U0OPS")
    async with house.begun() as access:
        await house.pass_time()
        assert access.people.operators.unreachable == {"U0OPS"}
    assert house.told == ["DU0ADMIN"]


async def test_a_channel_that_is_left_and_then_deleted_has_one_notice() -> None:
    """It is changed to say what is so now; who could not be told before still cannot, and nobody is told twice."""
    house = House()
    async with house.begun() as access:
        house.slack.channels["C0HELP"] = {"name": "help", "is_member": False}
        access.handle_change(left())
        await house.pass_time()
        house.slack.channels.clear()
        access.handle_change(ChannelChanged(chat_id="C0HELP", change="deleted"))
        await house.pass_time(70)
        assert house.told == ["DU0ADMIN"]
        assert [("*Over*" in said, "was deleted" in said) for said in house.slack.updates] == [(False, True)]
        assert "was deleted" in access.losses.lines()[0]


async def test_a_scope_that_a_call_missed_is_told_until_it_is_granted() -> None:
    """Whatever number of calls miss it."""
    house = House()
    async with house.begun() as access:
        missing = Refused("reactions.add: missing_scope", code="missing_scope", needed="reactions:write")
        access.note_refusal("C0HELP", missing)
        access.note_refusal("C0HELP", missing)
        await house.pass_time()
        assert "`reactions:write`" in access.losses.lines()[0]
        house.slack.granted |= {"reactions:write"}
        await house.pass_time(70)
        assert access.losses.lines() == ()
    assert house.told == ["DU0ADMIN"]


@pytest.mark.parametrize("code", ["invalid_auth", "token_revoked", "account_inactive"])
async def test_a_token_that_opens_nothing_ends_the_bot_with_what_to_do(code: str) -> None:
    """A refused call or an event gives reason to ask; Slack is asked twice."""
    house = House()
    async with house.begun() as access:
        house.slack.token = code
        access.note_refusal("", Refused(f"chat.postMessage: {code}", code=code))
        await house.pass_time()
    [end] = house.stop.problems
    assert "SLACK_BOT_TOKEN" in str(end)
    assert code in str(end)
    assert "Install the app again" in access.losses.problems[0]


@pytest.mark.parametrize("removed", [AppRemoved(), AppRemoved(user_ids=(BOT,)), AppRemoved(user_ids=("U0OTHER",))])
async def test_an_event_of_a_token_that_still_opens_everything_ends_nothing(removed: AppRemoved) -> None:
    """As one that comes after the app was installed again."""
    house = House()
    async with house.begun() as access:
        access.handle_change(removed)
        await house.pass_time()
    assert house.stop.problems == []
