"""Who may decide, by table: users, groups, channels, projects; guests and strangers never."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Misconfigured, Refused, RetryLater
from bot.triage.operators import NOT_NAMED, NOT_OF_US, UNKNOWN
from tests.builders import CHANNEL, TEAM
from tests.decide.test_workflow import pending
from tests.fakes import HandClock, Town, operators

BEN, CAT, DOT = "U0BEN", "U0CAT", "U0DOT"
HERE = {"chats": {CHANNEL: (BEN, "S0CATS")}}
OF_PROJECT = {"projects": {"triage": ("S0CATS",), "other": (DOT,)}}


@pytest.mark.parametrize(
    ("user", "named", "refusal"),
    [
        ("U0OPS", {}, None),
        (BEN, {}, NOT_NAMED),
        (BEN, HERE, None),
        (CAT, HERE, None),
        ("U0OPS", HERE, NOT_NAMED),
        (CAT, OF_PROJECT, None),
        ("U0OPS", OF_PROJECT, None),
        (DOT, OF_PROJECT, NOT_NAMED),
        (BEN, {"chats": {"C0OTHER": (BEN,)}}, NOT_NAMED),
    ],
)
async def test_a_channel_names_its_own_and_a_project_adds_to_them(user: str, named: Any, refusal: str | None) -> None:
    """By user id, or as a member of a user group; the operators of the file count where a channel names nobody."""
    made = operators("U0OPS", town=Town(S0CATS=(CAT,)), **named)
    assert await made.refusal(user, TEAM, pending()) == refusal


async def test_guests_and_people_of_other_teams_never_may() -> None:
    """Named or not."""
    town = Town()
    town.guests.add("U0OPS")
    made = operators("U0OPS", BEN, town=town)
    assert await made.refusal("U0OPS", TEAM, pending()) == NOT_OF_US
    assert await made.refusal(BEN, "T0OTHER", pending()) == NOT_OF_US
    assert await made.refusal(BEN, TEAM, pending()) is None


async def test_when_slack_does_not_answer_nobody_unknown_decides() -> None:
    """But a press from before a crash is not lost by it."""
    town = Town()
    town.failure = RetryLater("Slack cannot be reached")
    made = operators("U0OPS", town=town)
    assert await made.refusal("U0OPS", TEAM, pending()) == UNKNOWN
    assert await made.refusal("U0OPS", TEAM, pending(), replayed=True) is None


async def test_a_group_that_cannot_be_read_refuses_with_its_name() -> None:
    """Those who are named by their id may all the same."""
    made = operators("U0OPS", chats={CHANNEL: (BEN, "S0GONE")})
    assert "S0GONE cannot be read" in str(await made.refusal(CAT, TEAM, pending()))
    assert await made.refusal(BEN, TEAM, pending()) is None


async def test_a_press_reads_a_group_again_that_was_read_a_while_ago() -> None:
    """Who has left it may no longer; while Slack does not answer, who was in it may."""
    town, clock = Town(S0CATS=(CAT,)), HandClock()
    made = operators("U0OPS", town=town, clock=clock, chats={CHANNEL: ("S0CATS",)})
    await made.refresh()
    town.groups = {"S0CATS": (DOT,)}
    assert await made.refusal(CAT, TEAM, pending()) is None
    await clock.move(601)
    town.failure = RetryLater("Slack cannot be reached")
    assert await made.refusal(CAT, TEAM, pending()) is None
    town.failure = None
    assert await made.refusal(CAT, TEAM, pending()) == NOT_NAMED
    assert await made.refusal(DOT, TEAM, pending()) is None


async def test_what_posts_asks_slack_anew() -> None:
    """Who was made a guest or left the group a moment ago may not; while Slack does not answer, who was known may."""
    town, clock = Town(S0CATS=(CAT,)), HandClock()
    made = operators("U0OPS", town=town, clock=clock, chats={CHANNEL: ("S0CATS", BEN)})
    for user in (CAT, BEN):
        assert await made.refusal(user, TEAM, pending(), refresh=True) is None
    town.groups, town.guests = {"S0CATS": ()}, {BEN}
    assert await made.refusal(CAT, TEAM, pending()) is None
    assert await made.refusal(CAT, TEAM, pending(), refresh=True) == NOT_NAMED
    assert await made.refusal(BEN, TEAM, pending()) is None
    town.failure = RetryLater("Slack cannot be reached")
    assert await made.refusal(BEN, TEAM, pending(), refresh=True) is None
    town.failure = None
    assert await made.refusal(BEN, TEAM, pending(), refresh=True) == NOT_OF_US
    town.failure = Refused("users.info: user_not_found", code="user_not_found")
    assert await made.refusal(BEN, TEAM, pending()) == NOT_OF_US


async def test_delegate_offers_those_who_may_approve() -> None:
    """Neither whoever has it, nor who has approved it already, nor the asker where they may not."""
    named = ("U0OPS", "U0ANA", BEN)
    assert operators(*named).other_operators(pending()) == ("U0ANA", BEN)
    assert operators(*named, asker_may=False).other_operators(pending()) == (BEN,)


async def test_the_first_one_named_gets_the_cards() -> None:
    """Of a group, its first member; of all, where a channel names nobody that is known."""
    made = operators("U0OPS", town=Town(S0CATS=(CAT, BEN)), chats={CHANNEL: ("S0CATS",), "C0GONE": ("S0GONE",)})
    await made.refresh()
    assert [made.first_operator(channel, "U0ANA") for channel in (CHANNEL, "C0GONE", "C0ANY")] == [
        CAT,
        "U0OPS",
        "U0OPS",
    ]
    assert made.operators_of(pending()) == (CAT, BEN)
    assert made.everyone() == {"U0OPS", CAT, BEN}


@pytest.mark.parametrize(
    ("named", "needed", "is_refused"),
    [
        ({CHANNEL: ()}, 1, False),
        ({CHANNEL: ("S0CATS",)}, 1, False),
        ({CHANNEL: ("S0CATS",)}, 2, True),
        ({CHANNEL: ("S0CATS", BEN)}, 2, False),
        ({CHANNEL: ("S0EMPTY",)}, 1, True),
        ({CHANNEL: ("S0GONE",)}, 1, True),
    ],
)
async def test_a_channel_where_nobody_could_ever_approve_is_refused_at_the_start(
    named: dict[str, tuple[str, ...]], needed: int, is_refused: bool
) -> None:
    """By its name."""
    made = operators("U0OPS", town=Town(S0CATS=(CAT,), S0EMPTY=()), chats=named)
    if is_refused:
        with pytest.raises(Misconfigured, match=CHANNEL):
            await made.begin(needed=needed)
    else:
        await made.begin(needed=needed)


async def test_a_group_that_slack_does_not_give_for_a_moment_keeps_no_bot_from_starting() -> None:
    """It is read again at a press."""
    town = Town(S0CATS=(CAT,))
    made = operators("U0OPS", town=town, chats={CHANNEL: ("S0CATS",)})
    town.failure = RetryLater("Slack cannot be reached")
    await made.begin(needed=1)
    town.failure = None
    assert await made.refusal(CAT, TEAM, pending()) is None


async def test_a_question_goes_to_somebody_who_may_approve_it() -> None:
    """Not to its asker where they may not, unless there is nobody else."""
    strict = operators("U0OPS", CAT, asker_may=False)
    asked = [strict.first_operator(CHANNEL, asker) for asker in ("U0ANA", "U0OPS", CAT)]
    assert asked == ["U0OPS", CAT, "U0OPS"]
    assert operators("U0OPS", asker_may=False).first_operator(CHANNEL, "U0OPS") == "U0OPS"
    assert operators("U0OPS", CAT).first_operator(CHANNEL, "U0OPS") == "U0OPS"


async def test_no_question_passes_to_somebody_who_has_left() -> None:
    """Nor to one who became a guest; while Slack does not say, what was known of them counts."""
    town = Town(S0CATS=(CAT, DOT))
    town.guests |= {BEN, CAT}
    made = operators("U0OPS", town=town, clock=(clock := HandClock()), chats={CHANNEL: (BEN, "S0CATS")})
    assert made.first_operator(CHANNEL, "U0ANA") == BEN
    await made.begin(needed=1)
    assert (made.first_operator(CHANNEL, "U0ANA"), made.operators_of(pending())) == (DOT, (DOT,))
    await clock.move(3_600)
    town.failure = RetryLater("Slack cannot be reached")
    await made.refresh()
    assert made.operators_of(pending()) == (DOT,)


async def test_where_all_have_left_the_first_one_named_gets_the_cards() -> None:
    """A thread always has an operator, and the queue shows its card to others."""
    town = Town()
    town.guests |= {"U0OPS", BEN}
    made = operators("U0OPS", town=town, chats={CHANNEL: (BEN,)})
    await made.begin(needed=1)
    assert made.first_operator(CHANNEL, "U0ANA") == BEN
