"""Commands that wait for a press: kept, done once by whoever asked, dropped, expired, and found again after a crash."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from bot.commands.command import CommandAnswer, NotDone, Run
from bot.commands.confirmation_buttons import ConfirmationButtons
from bot.commands.confirmations import MAX_PER_PERSON, MAX_TOTAL, Confirmations
from bot.errors import Refused, RetryLater
from bot.models.interaction import Asker
from bot.models.pending_command import (
    ConfirmationDialog,
    ConfirmationPress,
    read_confirmation_dialog,
    read_confirmation_press,
)
from tests.builders import CHANNEL, TEAM
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR, SMALL, About, Booth, Crew, command, handler
from tests.fakes import HandClock, MemoryKept, settle

FIRST = "00000001"
URL = "https://hooks.slack.com/actions/1"


def press(action: str = "command_confirm", user: str = ADMIN, number: int = 1, **changes: Any) -> ConfirmationPress:
    """A press of one of the buttons, as Slack delivers it."""
    body = {
        "team": {"id": TEAM},
        "user": {"id": user},
        "channel": {"id": CHANNEL},
        "trigger_id": "1.2",
        "actions": [{"action_id": action, "action_ts": f"5.{number}", "value": FIRST}],
    }
    made = read_confirmation_press(body | changes)
    assert made
    return made


def dialog(typed: str, user: str = ADMIN) -> ConfirmationDialog:
    """The name that was typed, as Slack delivers it."""
    body = {
        "team": {"id": TEAM},
        "user": {"id": user},
        "view": {
            "id": "V1",
            "callback_id": "command_confirm",
            "private_metadata": FIRST,
            "state": {"values": {"typed": {"typed": {"value": typed}}}},
        },
    }
    made = read_confirmation_dialog(body)
    assert made
    return made


class Office:
    """A handler with its desk, and what was done."""

    def __init__(self, kept: MemoryKept | None = None, runs: Mapping[str, Run] = MappingProxyType({})) -> None:
        self.done: list[str] = []
        self.clock, self.chat, self.people, self.kept = HandClock(), Booth(), Crew(), kept or MemoryKept()
        named = {"drop": self.run, "turn": self.run, **runs}
        self.handler = handler(
            catalogue=SMALL, clock=self.clock, kept=self.kept, chat=self.chat, people=self.people, runs=named
        )
        self.desk = ConfirmationButtons(
            handler=self.handler,
            confirmations=self.handler.confirmations,
            chat=self.chat,  # type: ignore[arg-type]  # of a chat, what shows and opens
        )

    async def run(self, asked: Any, asker: Asker) -> CommandAnswer:
        """Do it."""
        self.done.append(f"{asked.name} by {asker.user_id}")
        return CommandAnswer(line=f"{asked.name} is done.")

    async def ask(self, name: str, *, user: str = ADMIN, via: str = "chat", tainted: bool = False) -> CommandAnswer:
        """The command with the name `shop`."""
        return await self.handler.execute(name, {"name": "shop"}, command(user_id=user, via=via), tainted=tainted)

    @property
    def audit(self) -> list[tuple[Any, ...]]:
        """What was recorded."""
        kept: list[dict[str, Any]] = self.handler.audit.kept  # type: ignore[attr-defined]  # a journal in memory
        return [(x["action"], x["outcome"], x.get("confirmation"), x.get("settled")) for x in kept]

    @property
    def shown(self) -> list[str]:
        """What whoever pressed read, in a notice or in place of the buttons."""
        return self.chat.said


@pytest.mark.parametrize(
    ("effects", "done"),
    [
        (("Its 2 notes go.", "Its 2 notes go."), ["shop by U0ADMIN"]),
        (("Its 2 notes go.", "Its 3 notes go."), []),
        (("Its 2 notes go.", NotDone("There is no project `shop`.").answer), []),
    ],
)
async def test_a_press_does_what_its_asker_was_shown_or_nothing(
    effects: tuple[CommandAnswer | str, CommandAnswer | str], done: list[str]
) -> None:
    """The effect is looked at again at the press; where it has changed, the confirmation is settled all the same."""
    office, left = Office(), iter(effects)

    async def preview(*_: Any) -> CommandAnswer | str:
        return next(left)

    commands = office.handler.commands
    watched = {**commands, "drop": replace(commands["drop"], preview=preview)}
    office.desk = replace(office.desk, handler=replace(office.handler, commands=watched))
    await office.desk.handler.execute("drop", {"name": "shop"}, command())
    for _ in range(2):
        await office.desk.handle_dialog(dialog("shop"))
        await asyncio.gather(*office.desk._running)
    assert office.done == done


@pytest.mark.parametrize(
    ("name", "tainted", "outcome"),
    [
        ("look", False, "done"),
        ("look", True, "done"),
        ("turn", False, "done"),
        ("turn", True, "asked"),
        ("drop", False, "asked"),
        ("drop", True, "asked"),
        ("drop_it", False, "asked"),
        ("burn", False, "asked"),
    ],
)
async def test_what_nothing_takes_back_or_a_tainted_conversation_chose_waits(
    name: str, tainted: bool, outcome: str
) -> None:
    """Everything else is done immediately."""
    office = Office()
    assert (await office.ask(name, tainted=tainted)).outcome == outcome
    assert bool(office.done) == (outcome == "done" and name != "look")


@pytest.mark.parametrize("via", ["slash", "thread", "home", "chat"])
async def test_a_command_that_always_asks_waits_for_a_press_from_everywhere(via: str) -> None:
    """It is undone by another command, so no name is typed."""
    office = Office()
    asked = await office.ask("swap", via=via)
    assert (asked.outcome, asked.confirmation, asked.typed_again) == ("asked", FIRST, None)
    await office.desk.handle_press(press())
    assert office.audit[-1] == ("swap", "done", FIRST, "confirmed")


@pytest.mark.parametrize(("typed", "outcome"), [(None, "asked"), ("shop", "refused"), ("swap", "done")])
async def test_a_command_that_always_asks_takes_its_typed_name_in_a_terminal(typed: str | None, outcome: str) -> None:
    """A terminal shows no buttons."""
    asker = command(via="cli")
    assert (await Office().handler.execute("swap", {"name": "shop"}, asker, typed=typed)).outcome == outcome


async def test_what_waits_is_on_record_before_its_button_is_seen() -> None:
    """Else a crash in between leaves a button that no record tells of."""

    class Crashing(Booth):
        async def post(self, **said: Any) -> str:
            assert office.audit == [("drop", "asked", FIRST, None)]
            return await super().post(**said)

    office = Office()
    office.handler = replace(office.handler, chat=Crashing())  # type: ignore[arg-type]  # of a chat, what shows and opens
    assert (await office.ask("drop")).outcome == "asked"
    assert office.audit == [("drop", "asked", FIRST, None)]


async def test_who_may_not_and_what_does_not_fit_is_not_asked_about() -> None:
    """A button that could do nothing is not shown."""
    office = Office()
    assert (await office.ask("drop", user=OPERATOR)).outcome == "refused"
    assert (await office.handler.execute("drop", {}, command())).outcome == "invalid"
    assert office.chat.posted == []
    assert office.kept.said == {}


@pytest.mark.parametrize(
    ("via", "channel", "where"),
    [
        ("slash", CHANNEL, [(f"D{ADMIN}", None)]),
        ("slash", "D0ADA", [("D0ADA", "5.000001")]),
        ("thread", CHANNEL, [(f"D{ADMIN}", None)]),
        ("chat", CHANNEL, [(f"D{ADMIN}", None)]),
        ("chat", "D0ADA", [("D0ADA", "5.000001")]),
        ("home", ADMIN, [(f"D{ADMIN}", None)]),
    ],
)
async def test_the_buttons_stand_in_a_direct_message(
    via: str, channel: str, where: list[tuple[str, str | None]]
) -> None:
    """There they can be taken away again; the answer says where they are."""
    office = Office()
    asker = command(via=via, channel_id=channel, thread_id=f"{TEAM}-{channel}-5.000001" if channel[0] != "U" else None)
    answer = await office.handler.execute("drop", {"name": "shop"}, asker)
    assert office.chat.notices == []
    assert [(said["channel"], said["thread_ts"]) for said in office.chat.posted] == where
    (said,) = office.chat.posted
    assert said["metadata"]["event_payload"] == {"kind": "notice", "nonce": FIRST}
    assert "command_confirm" in json.dumps(said["blocks"])
    assert ("the buttons are here" in answer.text) is (channel == where[0][0])
    assert f"<@{ADMIN}>" in answer.text
    assert "Nothing takes it back" in answer.text


async def test_a_question_shows_no_secret_and_mints_no_mention() -> None:
    """The input may come from anywhere."""
    secret = "xoxb-" + "1234567890" * 2 + "-" + "a1B2c3D4" * 3
    office = Office()
    given = {"name": f"<!channel> `{secret}` " + "x" * 500}
    answer = await office.handler.execute("drop", given, command(via="chat"))
    said = json.dumps([answer.text, answer.blocks, office.chat.posted])
    assert secret not in said
    assert "<!channel>" not in said
    assert len(answer.text) < 600


async def test_a_press_does_a_reversible_one_once() -> None:
    """The buttons give way to what came of it; another press does nothing."""
    office = Office()
    await office.ask("turn", user=OPERATOR, tainted=True)
    office.desk.store_response_url(press(user=OPERATOR), URL)
    await office.desk.handle_press(press(user=OPERATOR))
    await office.desk.handle_press(press(user=OPERATOR, number=2))
    assert office.done == ["shop by U0OPS"]
    assert [(said["ts"], said["text"]) for said in office.chat.replaced] == [("900.000001", "shop is done.")]
    assert "confirmed already" in office.shown[-1]
    assert office.audit == [
        ("turn", "asked", FIRST, None),
        ("turn", "done", FIRST, "confirmed"),
        ("turn", "refused", FIRST, None),
    ]


async def test_what_was_done_meanwhile_is_not_done_again_by_its_button() -> None:
    """Said again where no press is needed: the button of before does nothing; another person's stays."""
    office = Office()
    await office.ask("turn", user=OPERATOR, tainted=True)
    await office.ask("turn", user=ADMIN)
    assert (await office.ask("turn", user=OPERATOR)).outcome == "done"
    await office.desk.handle_press(press(user=OPERATOR))
    assert office.done == ["shop by U0ADMIN", "shop by U0OPS"]
    await office.ask("turn", user=OPERATOR, tainted=True)
    await office.ask("turn", user=OPERATOR, tainted=True)
    assert [one["state"] for one in office.kept.said.values()] == ["replaced", "replaced", "open"]
    assert (office.shown[-1], "again since" in office.shown[-1]) == (office.shown[0], True)


async def test_an_irreversible_one_is_done_when_its_name_is_typed() -> None:
    """Confirm opens a dialog; another word keeps it open, and a second submission does nothing."""
    office = Office()
    await office.ask("drop")
    await office.desk.handle_press(press())
    assert office.done == []
    (view,) = office.chat.views
    assert ("shop" in json.dumps(view), view["private_metadata"]) == (True, FIRST)
    assert "typed" in await office.desk.handle_dialog(dialog("Shop"))
    assert "typed" in await office.desk.handle_dialog(dialog(""))
    assert office.done == []
    assert await office.desk.handle_dialog(dialog(" shop ")) == {}
    await settle()
    assert office.done == ["shop by U0ADMIN"]
    assert "confirmed already" in (await office.desk.handle_dialog(dialog("shop")))["typed"]
    await settle()
    assert office.done == ["shop by U0ADMIN"]
    assert office.shown[-1] == "shop is done."


@pytest.mark.parametrize(("name", "again"), [("turn", press), ("drop", lambda **_: dialog("shop"))])
async def test_what_comes_thrice_at_once_is_said_once(name: str, again: Any) -> None:
    """A double click, or one dialog that is sent three times: the first one says what came of it."""
    gate = asyncio.Event()

    async def slowly(asked: Any, _: Asker) -> CommandAnswer:
        await gate.wait()
        return CommandAnswer(line=f"{asked.name} is done.")

    office = Office(runs={name: slowly})
    await office.ask(name, tainted=True)
    act: Any = office.desk.handle_press if name == "turn" else office.desk.handle_dialog
    acts = [asyncio.create_task(act(again(number=number))) for number in range(3)]
    await settle()
    gate.set()
    await asyncio.gather(*acts)
    await settle()
    assert office.shown == ["shop is done."]
    others = ["refused"] * 2 if name == "turn" else []
    assert sorted(outcome for _, outcome, *_ in office.audit) == ["asked", "done", *others]


async def test_one_that_names_no_object_has_its_own_name_typed() -> None:
    """Nothing irreversible goes without a word."""
    office = Office()
    assert (await office.ask("burn")).typed_again == "burn"


@pytest.mark.parametrize(("given", "project"), [({}, "shop"), ({"project": ""}, "shop"), ({"project": "tea"}, "tea")])
async def test_it_is_done_to_the_project_of_the_moment_it_was_asked_for(given: dict[str, str], project: str) -> None:
    """The conversation may be about another one when somebody presses."""
    sold: list[str] = []

    async def sell(asked: Any, _: Asker) -> CommandAnswer:
        sold.append(asked.project)
        return CommandAnswer(line="sold")

    about: Any = About("shop")
    office = Office(runs={"sell": sell})
    office.desk.handler = replace(office.handler, overview=about)
    answer = await office.desk.handler.execute("sell", {"name": "shop"} | given, command(via="chat"))
    assert f"project: `{project}`" in answer.text
    about.project = "other"
    await office.desk.handle_dialog(dialog("shop"))
    await settle()
    assert sold == [project]


@pytest.mark.parametrize("user", [OPERATOR, MEMBER, GUEST, "U0NOBODY"])
async def test_nobody_presses_for_another(user: str) -> None:
    """Neither button, nor the dialog; and nobody else's press takes the buttons away."""
    office = Office()
    await office.ask("drop")
    for action in ("command_confirm", "command_cancel"):
        office.desk.store_response_url(press(action, user), URL)
        await office.desk.handle_press(press(action, user))
    assert "Only the person who asked" in (await office.desk.handle_dialog(dialog("shop", user)))["typed"]
    await office.desk.handle_press(press(team={"id": "T0OTHER"}))
    await settle()
    assert (office.done, office.chat.views, office.chat.replaced) == ([], [], [])
    assert {outcome for _, outcome, *_ in office.audit[1:]} == {"refused"}
    await office.desk.handle_dialog(dialog("shop"))
    await settle()
    assert office.done == ["shop by U0ADMIN"]


async def test_role_and_membership_are_looked_at_again() -> None:
    """Somebody may have left since; while Slack does not say, the press can be made again."""
    office = Office()
    await office.ask("turn", tainted=True)
    office.handler.permission.members._people.clear()
    office.people.failure = RetryLater("users.info: Slack cannot be reached")
    office.desk.store_response_url(press(), URL)
    await office.desk.handle_press(press())
    assert (office.done, office.chat.replaced) == ([], [])
    assert "try again" in office.shown[-1]
    office.people.failure = None
    await office.desk.handle_press(press(number=2))
    assert office.done == ["shop by U0ADMIN"]


async def test_cancel_drops_it() -> None:
    """For good."""
    office = Office()
    await office.ask("turn", tainted=True)
    await office.desk.handle_press(press("command_cancel"))
    await office.desk.handle_press(press(number=2))
    assert office.done == []
    assert ["Cancelled" in office.shown[-2], "cancelled already" in office.shown[-1]] == [True, True]
    assert [outcome for _, outcome, *_ in office.audit] == ["asked", "cancelled", "refused"]
    assert [each["input"] for each in office.handler.audit.kept[:2]] == 2 * [{"name": "shop"}]  # type: ignore[attr-defined]  # a journal in memory


@pytest.mark.parametrize(("minutes", "outcome"), [(14.9, "done"), (15, "expired"), (60 * 30, "expired")])
async def test_a_press_counts_for_a_quarter_of_an_hour(minutes: float, outcome: str) -> None:
    """Later it says so, and does nothing."""
    office = Office()
    await office.ask("turn", tainted=True)
    await office.clock.move(minutes * 60)
    await office.desk.handle_press(press())
    assert office.audit[-1][1] == outcome
    assert bool(office.done) == (outcome == "done")


async def test_what_waits_outlives_the_process() -> None:
    """A press after a restart finds it; one replayed from the journal does too, and only once."""
    before = Office()
    await before.ask("turn", tainted=True)
    after = Office(MemoryKept(**json.loads(json.dumps(before.kept.said))))
    await after.desk.handle_press(press(), replayed=True)
    await after.desk.handle_press(press(), replayed=True)
    assert after.done == ["shop by U0ADMIN"]


async def test_a_replayed_press_opens_no_dialog_and_a_replayed_dialog_counts() -> None:
    """Slack opens dialogs within three seconds; a name that was typed was typed, and its outcome stands."""
    office = Office()
    await office.ask("drop")
    await office.desk.handle_press(press(), replayed=True)
    assert office.chat.views == []
    assert await office.desk.handle_dialog(dialog("shop"), replayed=True) == {}
    assert office.done == ["shop by U0ADMIN"]
    said = [*office.shown]
    await office.desk.handle_press(press(), replayed=True)
    assert await office.desk.handle_dialog(dialog("shpo"), replayed=True) == {}  # a slip before the right name
    assert (office.shown, office.audit[-1][1]) == (said, "done")


async def test_what_a_crash_cut_off_is_said_and_not_done_again() -> None:
    """It was marked as taken on disk before it was done."""
    seen: list[Any] = []

    async def dies(*_: Any) -> CommandAnswer:
        seen.append(json.loads(json.dumps(before.kept.said)))
        return CommandAnswer(line="never heard")

    before = Office(runs={"turn": dies})
    await before.ask("turn", tainted=True)
    await before.desk.handle_press(press())
    after = Office(MemoryKept(**seen[0]))
    await after.desk.handle_press(press(), replayed=True)
    assert after.done == []
    assert "restarted while doing it. Please check how far it got: `/triage status` shows it." in after.shown[-1]
    assert after.audit[-1][1] == "failed"


async def test_a_disk_that_takes_nothing_has_nothing_done() -> None:
    """Neither kept nor taken, so neither asked nor done."""
    office = Office()
    await office.ask("turn", tainted=True)

    async def fails(content: dict[str, Any]) -> None:
        raise RetryLater("the disk is full")

    works, office.kept.write = office.kept.write, fails  # type: ignore[method-assign]  # the disk of this test
    await office.desk.handle_press(press())
    assert office.done == []
    assert (await office.ask("turn", tainted=True)).outcome == "failed"
    office.kept.write = works  # type: ignore[method-assign]  # as above
    await office.desk.handle_press(press(number=2))
    assert office.done == ["shop by U0ADMIN"]


async def test_a_dialog_that_does_not_open_leaves_the_button_good() -> None:
    """The person is told to press again."""
    office = Office()
    await office.ask("drop")
    office.chat.fail = RetryLater("views.open: Slack cannot be reached")
    await office.desk.handle_press(press())
    assert "press the button again" in office.shown[-1]
    office.chat.fail = None
    await office.desk.handle_press(press(number=2))
    assert len(office.chat.views) == 1


async def test_buttons_that_cannot_give_way_stay_beside_a_notice() -> None:
    """An address is good for half an hour, and a process may forget it."""
    office = Office()
    await office.ask("turn", tainted=True)
    office.desk.store_response_url(press(), URL)
    office.chat.fail = RetryLater("response_url: the answer did not arrive")
    await office.desk.handle_press(press())
    assert office.shown[-1] == "shop is done."


async def asked(confirmations: Confirmations, user: str) -> str:
    """One more that waits."""
    waiting = await confirmations.add("turn", {"name": "shop"}, command(user_id=user), preview="", typed_again=None)
    return waiting.confirmation_id


async def test_so_many_wait_and_so_many_of_one_person() -> None:
    """Nobody's flood pushes out what another one waits for, until all are too many; the oldest goes first."""
    office = Office()
    confirmations = office.handler.confirmations
    first = await asked(confirmations, ADMIN)
    theirs = [await asked(confirmations, OPERATOR) for _ in range(MAX_PER_PERSON + 1)]
    assert await confirmations.find(first)
    assert [name for name in theirs if await confirmations.find(name) is None] == theirs[:1]
    for number in range(MAX_TOTAL):
        await asked(confirmations, f"U0{number}")
    assert await confirmations.find(first) is None
    assert len(office.kept.said) == MAX_TOTAL


async def test_what_is_settled_or_over_loses_its_input_and_is_forgotten_in_the_end() -> None:
    """It may hold a whole note."""
    office = Office()
    await office.ask("turn", tainted=True)
    await office.desk.handle_press(press("command_cancel"))
    await asked(office.handler.confirmations, ADMIN)
    await office.clock.move(16 * 60)
    await asked(office.handler.confirmations, ADMIN)
    assert [bool(said["given"]) for said in office.kept.said.values()] == [False, False, True]
    await office.clock.move(25 * 3600)
    await asked(office.handler.confirmations, ADMIN)
    assert len(office.kept.said) == 1


async def test_what_nobody_pressed_is_on_record_as_expired_once() -> None:
    """Its input leaves the disk then, be there other commands or none; a press that comes later still is told."""
    office = Office()
    await office.ask("turn", tainted=True)
    await office.clock.move(14 * 60)
    await office.desk.expire()
    assert [one[1] for one in office.audit] == ["asked"]
    await office.clock.move(2 * 60)
    for _ in range(2):
        await office.desk.expire()
    assert [one[1] for one in office.audit] == ["asked", "expired"]
    assert "shop" not in json.dumps(office.kept.said)
    await Office(office.kept).desk.expire()
    await office.desk.handle_press(press())
    assert (office.done, [one[1] for one in office.audit]) == ([], ["asked", "expired", "expired"])


@pytest.mark.parametrize("is_placed", [True, False])
async def test_buttons_disappear_when_their_time_is_over(is_placed: bool) -> None:
    """Once, after a restart too, and where a crash came before their place was kept; Slack may be away first."""
    before = Office()
    await before.ask("turn", tainted=True)
    kept = json.loads(json.dumps(before.kept.said))
    if not is_placed:
        kept[FIRST]["buttons"]["ts"] = None
    after = Office(MemoryKept(**kept))
    after.chat.posted = before.chat.posted
    await after.clock.move(14 * 60)
    await after.desk.expire()
    assert after.shown == []
    await after.clock.move(60)
    after.chat.fail = RetryLater("chat.update: Slack cannot be reached")
    await after.desk.expire()
    assert after.shown == []
    after.chat.fail = None
    for _ in range(2):
        await after.desk.expire()
    (gone,) = after.chat.replaced
    assert (gone["channel"], gone["ts"]) == (f"D{ADMIN}", "900.000001")
    assert gone["text"].startswith("`turn`: This has expired after 15 minutes; nothing was done.")
    assert "command_confirm" not in json.dumps(gone["blocks"])


async def test_a_message_with_buttons_that_is_gone_is_left_alone() -> None:
    """Whoever deleted it wants no more of it."""
    office = Office()
    await office.ask("turn", tainted=True)
    await office.clock.move(16 * 60)
    office.chat.fail = Refused("chat.update: message_not_found", code="message_not_found")
    await office.desk.expire()
    assert await office.handler.confirmations.find_leftover_buttons() == ()


async def test_a_record_that_does_not_parse_is_forgotten_alone() -> None:
    """The others still wait."""
    before = Office()
    await before.ask("turn", tainted=True)
    after = Office(MemoryKept(**before.kept.said, broken={"confirmation_id": 1}, odd=7))
    await after.desk.handle_press(press())
    assert after.done == ["shop by U0ADMIN"]


@pytest.mark.parametrize(
    ("typed", "outcome"), [(None, "asked"), ("Shop", "refused"), ("", "refused"), ("shop", "done")]
)
async def test_at_a_terminal_the_name_is_typed_there(typed: str | None, outcome: str) -> None:
    """No button is shown, and nothing waits."""
    office = Office()
    answer = await office.handler.execute("drop", {"name": "shop"}, command(via="cli"), typed=typed)
    assert (answer.outcome, office.kept.said, office.chat.posted) == (outcome, {}, [])
    assert answer.typed_again == ("shop" if typed is None else None)
    assert bool(office.done) == (outcome == "done")


@pytest.mark.parametrize(
    ("effects", "outcome"),
    [
        (("Its 2 notes go.", "Its 2 notes go."), "done"),
        (("Its 2 notes go.", "Its 3 notes go."), "refused"),
        (("Its 2 notes\ngo.", NotDone("There is no project `shop`.").answer), "invalid"),
    ],
)
async def test_a_name_typed_at_a_terminal_confirms_what_was_shown_or_nothing(
    effects: tuple[str, CommandAnswer | str], outcome: str
) -> None:
    """The name ends in a seal of the effect; the first line of the question is its line."""
    office, left = Office(), iter(effects)

    async def preview(*_: Any) -> CommandAnswer | str:
        return next(left)

    commands = {**office.handler.commands, "drop": replace(office.handler.commands["drop"], preview=preview)}
    terminal = replace(office.handler, commands=commands)
    asked = await terminal.execute("drop", {"name": "shop"}, command(via="cli"))
    assert asked.typed_again
    assert (asked.outcome, asked.typed_again[:5], "\n" in asked.line) == ("asked", "shop#", False)
    assert asked.text.endswith("go. Nothing takes it back.")
    answer = await terminal.execute("drop", {"name": "shop"}, command(via="cli"), typed=asked.typed_again)
    assert (answer.outcome, bool(office.done)) == (outcome, outcome == "done")
    assert ("changes with what it confirms" in answer.line) == (outcome == "refused")


@pytest.mark.parametrize("via", ["slash", "thread", "chat", "home", "emoji"])
async def test_a_typed_name_counts_from_a_terminal_only(via: str) -> None:
    """Whatever else hands one in may have it from a model."""
    office = Office()
    answer = await office.handler.execute("drop", {"name": "shop"}, command(via=via), typed="shop")
    assert (answer.outcome, office.done) == ("asked", [])


@pytest.mark.parametrize(
    "changes",
    [
        {"actions": [{"action_id": "approve", "action_ts": "5.1", "value": FIRST}]},
        {"actions": [{"action_id": "command_confirm", "action_ts": "5.1", "value": "T0-C0-1.1/1 abc"}]},
        {"actions": []},
        {"channel": None},
        {"user": {"id": "nobody"}},
    ],
)
def test_another_button_is_no_confirmation(changes: dict[str, Any]) -> None:
    """Nor is anything malformed."""
    body = {
        "team": {"id": TEAM},
        "user": {"id": ADMIN},
        "channel": {"id": CHANNEL},
        "trigger_id": "1.2",
        "actions": [{"action_id": "command_confirm", "action_ts": "5.1", "value": FIRST}],
    }
    assert read_confirmation_press(body)
    assert read_confirmation_press(body | changes) is None
