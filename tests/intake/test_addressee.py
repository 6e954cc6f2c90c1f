"""The addressee of what is said to the bot: each message is met once, and leaves no trace with anybody else."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.commands.catalogue import CATALOGUE
from bot.decide.addressing.words import AddressingWords
from bot.decide.classify.classifier import compile_rules
from bot.decide.orders import OrderParser
from bot.intake.addressee import AddresseeRouter
from bot.intake.debounce import Debouncer
from bot.models.message import Message
from bot.models.named_question import OwnQuestion
from tests.builders import message
from tests.fakes import HandClock, MemoryJournal, team

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.models.status import Mode

BOT = "U0TRIAGE"
RULES = compile_rules(bot_id=BOT)
WORDS = AddressingWords(["en"])
PARSER = OrderParser(["en"])


@dataclass(frozen=True)
class Names:
    """One project, one channel and all commands."""

    projects: tuple[str, ...] = ("shop",)
    channels: tuple[str, ...] = ("help",)
    commands: Collection[str] = field(default_factory=CATALOGUE.keys)


@dataclass
class Parts:
    """Threads, mutes and the chat agent, keeping what they were handed."""

    open: set[str] = field(default_factory=set)
    concerned: set[str] = field(default_factory=set)
    muted: bool = False
    hushed: bool = False
    heard: list[tuple[str, str]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    asked: list[tuple[Message, str]] = field(default_factory=list)
    members: bool = True
    questions: list[OwnQuestion] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)
    """The threads that take notes."""
    is_stopped: bool = False
    met: list[tuple[Any, ...]] = field(default_factory=list)
    """What needed no model, and how it was met."""

    async def run_order(self, _: Message, order: Any, *, was_started: bool) -> None:
        """Keep the command."""
        self.met.append((order.command, order.arguments, was_started))

    def find_incomplete_message(self, _: Message) -> None:
        """No order lacks a field."""

    def drop_incomplete_order(self, _: Message) -> None:
        """There is none."""

    def find_incomplete_order(self, _: Message) -> None:
        """Nobody was asked for a name."""

    def can_talk(self) -> bool:
        """There is no model."""
        return False

    def find_confirmed(self, _: Message) -> None:
        """Nobody was asked back."""

    async def ask_if_code_question(self, _: Message, *, is_in_others_thread: bool) -> None:
        """Keep where it stood."""
        self.met.append(("asked back", is_in_others_thread))

    async def report_not_understood(self, _: Message, parts: Any) -> None:
        """Keep what was not understood."""
        self.met.append(("not done", *parts))

    async def answer_thanks(self, _: Message) -> None:
        """Keep it."""
        self.met.append(("thanks",))

    async def explain_usage(self, _: Message, place: str) -> None:
        """Keep where."""
        self.met.append(("pointer", place))

    async def refuse_guest(self, _: Message) -> None:
        """Keep it."""
        self.met.append(("refused",))

    async def confirm_assignment(self, _: Message, *, practice: bool) -> None:
        """Keep it."""
        self.met.append(("taken", practice))

    async def report_settlement(self, _: Message, *, closed: Any, candidates: Any, questions: Any) -> None:
        """Keep it."""
        self.met.append(("settled", closed, candidates, questions))

    def takes_notes(self, message: Message) -> bool:
        """Those of the threads that the test names."""
        return message.home in self.noted

    async def list_open(self, _: str) -> list[OwnQuestion]:
        """Return those that the test names."""
        return self.questions

    async def report_stopped(self, _: Message, *, is_question: bool) -> None:
        """Keep it."""
        self.met.append(("stopped", is_question))

    def is_open(self, thread_id: str) -> bool:
        """As the test says."""
        return thread_id in self.open

    def find_thread(self, _: str, __: str) -> None:
        """No message is assigned by its ts."""

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Whoever opened it asked."""
        return thread_id in self.concerned

    async def handle_mute_request(self, _: Message) -> bool:
        """Return whether a mute word was said."""
        return self.hushed

    async def allows(self, _: str, *, mentioned: bool, at: Any) -> bool:
        """A mention ends a mute."""
        return mentioned or not self.muted

    def is_active_in(self, _: str) -> bool:
        """No conversation yet."""
        return False

    def has_just_answered(self, _: Message) -> bool:
        """Nobody has."""
        return False

    def has_accepted(self, said: Message) -> bool:
        """What was heard."""
        return any(text == said.content for text, _ in self.heard)

    async def cancel(self, _: Message) -> bool:
        """No turn runs."""
        return False

    async def explain_not_cancelled(self, _: Message) -> bool:
        """No turn of others runs, either."""
        return False

    async def accept(self, said: Message, reason: str) -> bool:
        """Keep it."""
        self.heard.append((said.content, reason))
        return True

    def confirm_question(self, said: Message) -> None:
        """Keep it."""
        self.told.append(said.content)

    def role_of(self, user: str) -> str:
        """By the settings."""
        return {"U0ADMIN": "admin", "U0OPS": "operator"}.get(user, "member")

    async def is_member(self, _: Message) -> bool:
        """As the test says."""
        return self.members

    async def take(
        self, message: Message, mode: Mode, *, replayed: bool = False, record: dict[str, Any] | None = None
    ) -> bool:
        """A question of its own."""
        self.asked.append((message, mode))
        self.open.add(message.home)
        return True


def doors(parts: Parts) -> tuple[AddresseeRouter, MemoryJournal]:
    """With the rules of English."""
    some: Any = parts
    classified = MemoryJournal()

    made = AddresseeRouter(
        words=WORDS,
        orders=PARSER,
        names=Names(),
        replies=some,
        own_questions=parts,
        windows=Debouncer(timedelta(), timedelta()),
        team=team(RULES),
        threads=some,
        conversations=some,
        mutes=some,
        classified=classified,
        clock=HandClock(),
        people=some,
        notes=parts,
    )
    return made, classified


async def passed(parts: Parts, said: Message, mode: str | None = "live", **how: Any) -> list[dict[str, Any]]:
    """Hand one on; the answer is what stands in the journal of judgements."""
    made, classified = doors(parts)
    mode_now: Any = mode
    await made.pass_on(said, mode_now, parts.take, **how)
    return classified.kept


def mention(text: str, **changes: Any) -> Message:
    """By Ana, in the help channel."""
    return message(f"@{BOT} {text}", mentions=(BOT,), **changes)


def direct(text: str, **changes: Any) -> Message:
    """By Ana, to the bot."""
    return message(text, chat_id="D0ANA", **changes)


async def test_an_order_by_a_mention_is_done_and_no_question() -> None:
    """No thread, no notice, no model; the journal says what it was, and why."""
    parts = Parts()
    (record,) = await passed(parts, mention("pause project shop"))
    assert parts.met == [("pause_project", {"project": "shop"}, False)]
    assert (parts.asked, parts.told, parts.heard) == ([], [], [])
    assert (record["classification"], record["door"]) == ("ambient", "command")


async def test_an_order_that_no_rule_knows_is_the_chat_agents() -> None:
    """It opens no question either."""
    parts = Parts()
    (record,) = await passed(parts, mention("prioritise my question"))
    assert parts.heard == [("@U0TRIAGE prioritise my question", "an order about the bot's own work")]
    assert (parts.asked, parts.met, record["door"]) == ([], [], "chat")


async def test_a_mention_about_the_code_is_triages_and_its_asker_is_told() -> None:
    """Once, for a question that begins by it and is answered for real."""
    parts = Parts()
    said = mention("where is the limit set?")
    assert await passed(parts, said) == []
    assert parts.told == [said.content]
    await passed(parts, mention("and the other limit?", ts="101.0", root="100.000001"))
    assert len(parts.asked) == 2
    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("preview", {}),
        ("live", {"replayed": True, "earlier_record": {}}),
    )
    for mode, how in cases:
        other = Parts()
        await passed(other, said, mode, **how)
        assert (len(other.asked), other.told) == (1, [])


@pytest.mark.parametrize("mode", [None, "silent"])
@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("where is the limit set?", ("pointer", None)),
        ("", ("pointer", None)),
        ("thanks!", ("thanks",)),
        ("stop", ("stop", {}, False)),
    ],
)
async def test_where_nothing_is_watched_or_all_is_silent_a_direct_word_is_met(
    said: str, met: tuple[Any, ...], mode: str | None
) -> None:
    """By one line, an emoji or the command; a silent channel has its messages judged as ever, and no question."""
    parts = Parts()
    assert await passed(parts, mention(said), mode) == []
    met = ("pointer", mode or "unwatched") if met[0] == "pointer" else met
    assert (parts.met, parts.heard) == ([met], [])
    assert {how for _, how in parts.asked} <= {"silent"}
    assert all(BOT not in asked.mentions for asked, _ in parts.asked)


async def test_while_triage_is_stopped_a_writer_is_told_and_a_question_is_kept() -> None:
    """One line each; an order is done, since one of them ends the stop."""
    parts = Parts(is_stopped=True)
    await passed(parts, mention("where is the limit set?"))
    await passed(parts, direct("I wrote the notes down yesterday"), None)
    await passed(parts, mention("resume", ts="104.0"))
    assert parts.met == [("stopped", True), ("stopped", False), ("resume", {}, False)]
    assert (len(parts.asked), parts.heard, parts.told) == (1, [], [])


async def test_thanks_under_an_open_question_count_there_without_the_mention() -> None:
    """They get their emoji, and begin no further round."""
    parts = Parts(open={"T0SANDBOX-C0HELP-100.000001"})
    await passed(parts, mention("thanks, that works", ts="101.0", thread_id="T0SANDBOX-C0HELP-100.000001"))
    ((asked, mode),) = parts.asked
    assert (parts.met, asked.mentions, mode) == ([("thanks",)], (), "live")


async def test_a_members_direct_question_becomes_one_for_triage() -> None:
    """It counts as said to the bot, and its answer is posted for real."""
    parts = Parts()
    await passed(parts, direct("where is the limit set?"), None)
    ((asked, mode),) = parts.asked
    assert (asked.mentions, mode) == ((BOT,), "live")
    assert parts.told == ["where is the limit set?"]
    await passed(parts, direct("it also happens with 5", ts="101.0", thread_id=asked.home), None)
    assert parts.asked[1][0].mentions == ()
    assert len(parts.told) == 1


async def test_a_direct_question_that_was_answered_goes_on_in_its_thread() -> None:
    """What its asker adds there is triage's, be it asked like a question or not."""
    parts = Parts(concerned={"T0SANDBOX-D0ANA-100.000001"})
    await passed(parts, direct("and the other one", ts="101.0", thread_id="T0SANDBOX-D0ANA-100.000001"), None)
    assert (len(parts.asked), parts.heard) == (1, [])


@pytest.mark.parametrize("said", ["where is the limit set?", "status", "hi", "thanks", "nvm", ""])
async def test_a_guest_is_told_that_it_is_for_members_whatever_they_say(said: str) -> None:
    """Everywhere, in one line; nothing of it becomes part of a colleague's question. An edit is not told again."""
    ours = "T0SANDBOX-C0HELP-1.0"
    parts = Parts(members=False, open={ours})
    await passed(parts, direct(said), None)
    for mode in ("live", "silent", None):
        await passed(parts, mention(said), mode)
    await passed(parts, mention(said, thread_id=ours))
    await passed(parts, mention(said), edited=True)
    assert (parts.met, parts.heard, parts.asked) == ([("refused",)] * 5, [], [])


async def test_what_a_guest_says_below_their_own_question_counts_without_the_mention() -> None:
    """They are told as everywhere."""
    theirs = "T0SANDBOX-C0HELP-1.0"
    parts = Parts(members=False, open={theirs}, concerned={theirs})
    await passed(parts, mention("it fails with 5, too", thread_id=theirs))
    [(said, mode)] = parts.asked
    assert (said.mentions, mode, parts.met) == ((), "live", [("refused",)])


@pytest.mark.parametrize("who", ["U0ADMIN", "U0OPS"])
async def test_operators_and_admins_ask_about_code_in_a_direct_message_as_members_do(who: str) -> None:
    """What is no question and no order stays the chat agent's."""
    parts = Parts()
    await passed(parts, message("where is the limit set?", chat_id="D0ADMIN", sender=who), None)
    assert (len(parts.asked), parts.heard) == (1, [])
    await passed(parts, message("I wrote the notes down yesterday", ts="102.0", chat_id="D0ADMIN", sender=who), None)
    assert len(parts.heard) == 1


async def test_nothing_is_taken_twice_and_an_edit_gives_no_order() -> None:
    """A message of the agent's that is edited into a question is asked, even where the agent has answered it."""
    parts = Parts()
    await passed(parts, direct("what can you do?"), None)
    await passed(parts, direct("what can you do?"), None, edited=True)
    await passed(parts, mention("stop"), edited=True)
    assert (len(parts.heard), parts.asked, parts.met) == (1, [], [])
    await passed(parts, direct("where is the retry limit set?"), None, edited=True)
    assert [said.content for said, _ in parts.asked] == ["where is the retry limit set?"]


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("@U0TRIAGE where is IdleTimeout of the ferry consumers set?", "triage"),
        ("@U0TRIAGE where are IdleTimeout of ferry consumers set?", "triage"),
        ("where is the IdleTimeout of ferry consumers set? @U0TRIAGE", "triage"),
        ("hello @U0TRIAGE, where is IdleTimeout of ferry consumer set?", "triage"),
        ("@U0TRIAGE where is IdleTimeout of ferry consumers set? ```idle = 3```", "triage"),
        ("@U0TRIAGE pause", "command"),
        ("@U0TRIAGE status", "command"),
        ("@U0TRIAGE what about my questions?", "command"),
    ],
)
async def test_the_edit_of_an_open_question_is_judged_as_that_question(text: str, to: str) -> None:
    """Words of the question ask for no news about it, and only an order is one."""
    before = mention("where is IdleTimeout of ferry consumers set?")
    text_before = "where is IdleTimeout of ferry consumers set?"
    parts = Parts(
        open={before.home}, concerned={before.home}, questions=[OwnQuestion(home=before.home, text=text_before)]
    )
    made, _ = doors(parts)
    edit = message(text, mentions=(BOT,))
    assert (await made.find_addressee(edit, "live", edited=True)).to == to


async def test_a_muted_thread_is_left_alone_until_it_is_mentioned() -> None:
    """The word that mutes is nobody's question."""
    parts = Parts(muted=True)
    await passed(parts, direct("what can you do?", thread_id="T0SANDBOX-D0ANA-1.0"), None)
    assert parts.heard == []
    await passed(parts, mention("what can you do?"))
    assert len(parts.heard) == 1
    parts.hushed = True
    await passed(parts, mention("mute", ts="103.0"))
    assert (len(parts.heard), parts.asked) == (1, [])


async def test_what_was_a_question_before_a_restart_stays_one() -> None:
    """And what was the agent's stays the agent's."""
    parts = Parts()
    await passed(parts, mention("stop"), replayed=True, earlier_record={"classification": "actionable"})
    assert (len(parts.asked), parts.heard) == (1, [])
    await passed(parts, mention("prioritise my question", ts="102.0"), replayed=True, earlier_record={"door": "chat"})
    assert len(parts.heard) == 1
    await passed(parts, mention("pause", ts="103.0"), replayed=True, earlier_record={"door": "command"})
    assert parts.met == [("pause", {}, True)]


def test_bots_are_never_heard() -> None:
    """In a direct message or by a mention."""
    made, _ = doors(Parts())
    assert not made.is_addressed(direct("hi", sender_type="bot"))
    assert not made.is_addressed(mention("hi", sender_type="bot"))
    assert made.is_addressed(direct("hi"))
    assert not made.is_addressed(message("hi"))


async def test_a_programs_order_is_done_by_nobody_and_no_question() -> None:
    """Though it mentions the bot, and its alerts are looked up."""
    parts = Parts()
    said = mention("pause", sender="B0ALERTS", sender_type="bot")
    made, _ = doors(parts)
    assert made.is_addressed(said)
    assert not made.is_addressed(mention("Error: the queue is full", sender="B0ALERTS", sender_type="bot"))
    (record,) = await passed(parts, said)
    assert (parts.met, parts.asked, parts.heard) == ([], [], [])
    assert (record["classification"], record["door_why"]) == ("ambient", "a program gives no orders")


async def test_what_stands_in_a_thread_of_notes_is_the_chat_agents() -> None:
    """Also a question about the code, which is somebody's note there."""
    parts = Parts()
    said = mention("why does `retry()` fail? ask Ben", ts="2.0", thread_id="T0-C0HELP-1.0")
    parts.noted.add(said.home)
    await passed(parts, said)
    assert parts.heard == [(said.content, "it is for the notes of a project")]
    assert not parts.asked
