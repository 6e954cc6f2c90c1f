"""The line of a direct word: orders in people's own words, thanks and the bot's name alone, as anybody, anywhere."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from bot.chat.canned_replies import TOO_MANY_MESSAGES
from bot.commands.catalogue import CATALOGUE
from tests.decide.test_orders import FURTHER, ORDERS
from tests.line.agents import agents
from tests.line.human import Human, cards, until
from tests.line.test_straight_line import calls as made
from tests.line.test_straight_line import records
from tests.model_server import calls, says

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from tests.line.conftest import Line
    from tests.model_server import Answer, Body

MORE = "admins: [U0ADMIN]\nfloods: {per_user: {per_minute: 600, burst: 10000}}"
RANK = {"member": 0, "operator": 1, "admin": 2}
PEOPLE = {"member": "U0ANA", "operator": "U0OPS", "admin": "U0ADMIN"}
ROLES = {user: role for role, user in PEOPLE.items()}


@dataclass
class Crowd:
    """Everybody, in every place, and what became of what they said."""

    line: Line
    elsewhere: str
    """A channel that is not watched."""
    private: str = ""
    """A private one, which is not watched, either."""
    said: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Text, role and place by `interaction_id`."""
    _met: dict[str, dict[str, Any]] = field(default_factory=dict)
    _offset: int = 0

    def human(self, role: str) -> Human:
        """One of them."""
        return {"member": self.line.ana, "operator": self.line.olu, "admin": self.line.ada}[role]

    async def says(self, text: str, role: str, place: str) -> str:
        """Say it to the bot, and return once it is known what became of it; the answer is that, from the audit."""
        named = {"watched": "C0HELP", "unwatched": self.elsewhere, "private": self.private}
        channel = {**named, "direct": f"D{PEOPLE[role][1:]}"}[place]
        words = text if place == "direct" else f"<@U0TRIAGE> {text}"
        ts = await self.human(role).say(words, channel=channel)
        self.said[name := f"{channel}-{ts}"] = (text, role, place)
        await until(lambda: self._read(name))
        return _what(self._met[name])

    def _read(self, name: str) -> bool:
        """Read on in the audit; says whether it has this one by now."""
        journal = self.line.home / "audit.ndjson"
        if not journal.exists():
            return False
        with journal.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if line.endswith(b"\n"):
                    self._offset += len(line)
                    record = json.loads(line)
                    self._met[str(record.get("interaction_id"))] = record
        return name in self._met

    async def lines(self, expected: int) -> tuple[Counter[str], list[dict[str, Any]]]:
        """How many lines each person got in each place, and what was posted in channels."""
        for _ in range(400):
            shown = await made(self.line, "chat.postEphemeral")
            posted = await made(self.line, "chat.postMessage")
            direct = [said for said in posted if _is_direct(said)]
            if len(shown) + len(direct) >= expected:
                break
            await asyncio.sleep(0.05)
        counted = Counter(f"{said['user']} {said['channel']}" for said in shown)
        counted += Counter(f"U{said['channel'][1:]} {said['channel']}" for said in direct)
        return counted, [said for said in posted if said["channel"].startswith("C")]

    def expected(self) -> Counter[str]:
        """One line for each thing said."""
        return Counter(f"{PEOPLE[role]} {name.partition('-')[0]}" for name, (_, role, _) in self.said.items())


def _is_direct(said: dict[str, Any]) -> bool:
    """Return whether a post answers somebody in their direct message: in a thread, or with the buttons of a
    confirmation."""
    is_answer = bool(said.get("thread_ts")) or "command_confirm" in json.dumps(said["blocks"])
    return str(said["channel"]).startswith("D") and is_answer


def _what(record: dict[str, Any]) -> str:
    """The command and its outcome, or how it was met otherwise."""
    if record["kind"] == "command":
        return f"{record['action']} {record['outcome']}"
    return f"{record['kind']} {record['result']}"


@asynccontextmanager
async def crowd(line: Line, *, model: bool) -> AsyncIterator[tuple[Crowd, list[Body]]]:
    """A bot with or without a model, in two watched channels and another one; the list has what the model was asked."""
    asked: list[Body] = []
    everybody = ("U0OPS", "U0ADMIN", "U0TRIAGE")
    elsewhere = await line.ana.makes_channel("random", *everybody, is_private=False)
    club = await line.ana.makes_channel("club", *everybody, is_private=True)

    def play(body: Body) -> Answer:
        asked.append(body)
        is_new = "tool_result" not in json.dumps(body["messages"][-1]["content"])
        return calls(("respond", {"text": "The model speaks."})) if is_new else says("Done.")

    if model:
        async with agents(line, play, more=MORE):  # type: ignore[arg-type]  # it is asked as a play is
            yield Crowd(line, elsewhere, club), asked
    else:
        async with line.bot(more=MORE):
            yield Crowd(line, elsewhere, club), asked


PLACES = ("watched", "unwatched", "direct")
PLACES_ELSE = ("unwatched", "private")


async def _give(people: Crowd, orders: Sequence[tuple[str, str]], roles: Sequence[str]) -> None:
    """Give each order as each role in each place, and see it done, waiting for a press, refused or met by a line."""
    for text, command in orders:
        for role in roles:
            for place in PLACES:
                what = await people.says(text, role, place)
                name, _, outcome = what.partition(" ")
                if name in ("direct", "conversation"):
                    assert role == "member", (text, role, place, what)  # small talk, to which a refusal is no answer
                    continue
                if name == "mine":
                    assert role == "member", (text, what)
                    continue
                assert name == command, (text, role, place, what)
                is_refused = RANK[role] < RANK[CATALOGUE[command].role]
                assert (outcome == "refused") is is_refused, (text, role, place, what)
                needs_press = CATALOGUE[command].tier == "irreversible" and not is_refused
                assert outcome in (("asked", "invalid") if needs_press else ("done", "invalid", "refused", "failed")), (
                    what
                )


async def _held(people: Crowd, asked: list[Body]) -> None:
    """No question came of it, each got one line, and the public saw nothing but what code made."""
    counted, public = await people.lines(len(people.said))
    assert counted == people.expected(), people.expected() - counted
    assert [said for said in public if "The model speaks" not in json.dumps(said)] == []
    assert not list((people.line.home / "state").glob("*.json"))


SHORT = [ORDERS[12], ORDERS[31], ORDERS[35], ORDERS[52], ORDERS[58], ORDERS[60]]


@pytest.mark.parametrize("model", [False, True])
async def test_orders_in_peoples_own_words_are_done_refused_or_met_by_one_line(line: Line, *, model: bool) -> None:
    """As each role, in a watched channel, another one and a direct message, with a model and without."""
    async with crowd(line, model=model) as (people, asked):
        roles = ("member", "admin") if model else tuple(PEOPLE)
        await _give(people, SHORT[:3] if model else SHORT, roles)
        await _held(people, asked)
        assert not asked


@pytest.mark.long
@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("model", [False, True])
async def test_all_orders_as_everybody_everywhere(line: Line, part: int, *, model: bool) -> None:
    """The whole table, in two parts: the workspace remembers the last 2,000 calls."""
    async with crowd(line, model=model) as (people, asked):
        every = [*ORDERS, *FURTHER][part::2]
        orders = [(text.replace("parcels", "shop"), name) for text, name in every if name != "help" or not model]
        await _give(people, orders, tuple(PEOPLE))
        if not model:
            await _held(people, asked)


@pytest.mark.parametrize("model", [False, True])
async def test_thanks_get_an_emoji_and_the_bots_name_alone_one_line(line: Line, *, model: bool) -> None:
    """In no place silence, two lines, a question or a word about keys; the model is asked for nothing."""
    async with crowd(line, model=model) as (people, asked):
        await line.ana.say("nobody says this to the bot", channel=people.private)
        for place in (*PLACES, "private"):
            for thanks in ("thanks!", "vielen dank für die Hilfe", "ありがとうございます", ":pray:"):
                assert await people.says(thanks, "member", place) == "direct done"
        thanked = people.said.copy()
        for text, place in (("", "watched"), *((t, p) for t in ("", "where is RETRY_LIMIT set?") for p in PLACES_ELSE)):
            await people.says(text, "member", place)
        counted, public = await people.lines(5)
        assert (sum(counted.values()), public, asked) == (5, [], [])
        lines = [said["text"] for said in await made(line, "chat.postEphemeral")]
        assert ["not watched" in text for text in lines] == [False, True, True, True, True]
        assert not [text for text in lines if "KEY" in text or "triage.yml" in text or "docs/" in text]
        marked = {f"{said['channel']}-{said['timestamp']}" for said in await made(line, "reactions.add")}
        assert marked == {name for name, (_, _, place) in thanked.items() if place not in PLACES_ELSE}
        assert not list((line.home / "state").glob("*.json"))
        assert "nobody says this" not in (line.home / "events.ndjson").read_text()


async def test_whoever_is_asked_which_project_says_its_name(line: Line) -> None:
    """The order is done then; a name that is said to nobody's question is none."""
    async with line.bot(code="root: ./shop}\n  parcels: {root: ./shop"):
        people = Crowd(line, "C0GENERAL")
        assert await people.says("shop", "operator", "direct") == "conversation no model"
        assert await people.says("what notes are there?", "operator", "direct") == "list_notes invalid"
        assert await people.says("in shop", "operator", "direct") == "list_notes done"
        assert await people.says("shop", "operator", "direct") == "conversation no model"


async def test_a_direct_message_is_no_channel_until_one_is_named_or_viewed(line: Line) -> None:
    """Whoever may list a channel's questions is asked for it once, and a member reads their own; guests give no
    order."""
    async with crowd(line, model=False) as (people, _):
        asked = await line.ana.say("how often is a payment tried again?")
        await line.olu.card("payment tried again", '"approve"')
        for text in ("what is open here?", "which questions are open in this channel?", "was ist hier noch offen?"):
            assert await people.says(text, "member", "direct") == "mine done"
            assert await people.says(text, "member", "watched") == "mine done"
            for role in ("operator", "admin"):
                assert await people.says(text, role, "watched") == "list_tasks done"
                assert await people.says(text, role, "direct") == "list_tasks invalid"
                assert await people.says("in #help-platform", role, "direct") == "list_tasks done"
        assert await people.says("make this channel silent", "admin", "direct") == "mode invalid"
        assert await people.says("what is open?", "admin", "direct") == "queue done"
        assert await people.says("the general channel", "admin", "direct") == "conversation no model"
        assert "Which channel? Name it" in await line.ada.command("mode here preview", channel="D0ADMIN")
        assert "<#C0HELP> was live already" in await line.ada.command("mode here live")
        await line.olu.whispered(
            line.olu.say("<@U0TRIAGE> open tasks here", thread_ts=asked), "1 open task in <#C0HELP>"
        )
        await line.olu.calls("context", channel="C0GENERAL")
        assert await people.says("what is open here?", "operator", "direct") == "list_tasks done"
        await line.olu.sees(lambda view: "0 open tasks in <#C0GENERAL>" in json.dumps(view["dms"]))
        told = [said["text"] for said in await made(line, "chat.postMessage")]
        assert len([text for text in told if text == "Which channel? Name it: `#channel`."]) == 7
        gus = Human(line.workspace.url, "U0GUEST")
        await gus.say("what is open here?", channel="D0GUEST")
        await until(lambda: records(line.home / "audit.ndjson")[-1].get("result") == "refused")


async def test_a_silent_channel_is_not_said_to_be_unwatched_and_help_is_of_its_reader(line: Line) -> None:
    """A member reads that it is silent, and which orders they may give themselves."""
    async with crowd(line, model=False) as (people, _):
        assert await people.says("switch #help-platform to silent please", "admin", "direct") == "mode done"
        await people.says("", "member", "watched")
        await people.says("help me", "member", "watched")
        await people.lines(3)
        silent, own = [said["text"] for said in await made(line, "chat.postEphemeral")]
        assert ("set to silent" in silent, "not watched" in silent) == (True, False)
        assert ("`mine`" in own, "`delete_project" in own, "Operators and admins have more commands" in own) == (
            True,
            False,
            True,
        )


async def test_a_mention_in_a_questions_thread_or_in_practice_is_not_met_by_silence(line: Line) -> None:
    """What joins the question says so, and what asks how it stands or decides on it is answered."""
    async with crowd(line, model=False) as (people, _):
        asked = await line.ana.say("how often is a payment tried again?")
        await line.olu.card("payment tried again", '"approve"')

        async def hears(text: str, *words: str) -> None:
            await line.ana.whispered(line.ana.say(f"<@U0TRIAGE> {text}", thread_ts=asked), *words)

        await hears("are you still working on it?", "waits for an operator")
        await hears("approve", "waits for an operator")
        said = "<@U0TRIAGE> approve"
        await line.olu.whispered(line.olu.say(said, thread_ts=asked), "press a button on <", "|its card>")
        await hears("and is `RETRY_LIMIT` the same for refunds?", "Added to the question of this thread")
        await line.olu.card("the same for refunds", "Look again")
        before = len(cards(await line.olu.now()))
        for text in ("stop bothering people", "räum die Liste auf", "bad bot, that answer was rubbish"):
            await people.says(text, "member", "watched")
        assert len(cards(await line.olu.now())) == before
        assert await people.says("switch #help-platform to preview", "admin", "direct") == "mode done"
        await line.ana.whispered(line.ana.say("<@U0TRIAGE> how long does a refund take?"), "I practise in this channel")


async def test_what_nobody_can_tell_is_asked_back_and_looked_up_at_a_yes(line: Line) -> None:
    """No card comes of it; below somebody else's question it changes nothing of that, and a fact is added."""
    async with crowd(line, model=False) as (people, _):
        assert await people.says("how long does this usually take?", "member", "watched") == "direct done"
        assert await people.says("wer hat heute Dienst?", "operator", "direct") == "direct done"
        assert (
            await people.says("put shop on ice until Monday, Ana is ill", "admin", "unwatched")
            == "conversation no model"
        )
        assert not list((line.home / "state").glob("*.json"))
        await line.ana.say("<@U0TRIAGE> yes, it is")
        await line.olu.card("how long does this usually take?")
        asked = await line.ana.say("how often is a payment tried again?")
        await line.olu.card("payment tried again", '"approve"')
        said = "<@U0TRIAGE> put shop on ice until Monday"
        await line.ada.whispered(line.ada.say(said, thread_ts=asked), "not added to the question above")
        said = "<@U0TRIAGE> we see it on staging only"
        await line.ada.whispered(line.ada.say(said, thread_ts=asked), "Added to the question of this thread")
        await line.olu.card("payment tried again", "staging only")
        documents = [path.read_text() for path in (line.home / "state").glob("*.json")]
        assert not [text for text in documents if "on ice until" in text]


async def test_of_several_things_none_is_lost(line: Line) -> None:
    """Orders are done and the question is taken, or one line names what was not done; a bot's name asks nothing."""
    async with crowd(line, model=False) as (people, _):
        both = "how is my question? and how often is a payment tried again?"
        assert await people.says(both, "member", "watched") == "mine done"
        await line.olu.card("payment tried again", '"approve"')
        assert await people.says("<@U0OPS> status and queue please", "operator", "watched") in (
            "status done",
            "queue done",
        )
        half = "status and frobnicate <@U0OPS> in <#C0GENERAL> for <!subteam^S0ONCALL>"
        assert await people.says(half, "admin", "watched") == "direct not done"
        assert await people.says("config", "admin", "direct") == "config done"
        await line.ada.sees(lambda view: "settings as they" in json.dumps(view["dms"]))
        told = json.dumps([said["text"] for said in await made(line, "chat.postEphemeral")])
        assert "frobnicate @Olu in #general for @a-group" in told
        await line.ada.sees(lambda view: "settings as they" in json.dumps(view["dms"]))
        shown = [said["text"] for said in await made(line, "chat.postMessage") if "settings as they" in said["text"]]
        assert "- U0OPS  # Olu" in shown[0]
        named = line.olu.say("<@U0ANA> did <@U0TRIAGE> answer you?")
        await line.olu.whispered(named, "I look up answers")
        assert await people.says("close my question", "member", "direct") == "direct done"
        (document,) = (line.home / "state").glob("*.json")
        assert '"outcome": "settled"' in json.dumps(json.loads(document.read_text()))
        done = [record["action"] for record in records(line.home / "audit.ndjson") if record["kind"] == "command"]
        assert done == ["mine", "status", "queue", "config"]


async def test_a_stop_is_told_to_whoever_writes_and_counted_for_the_admin(line: Line) -> None:
    """Over a restart; questions are kept and begin at resume, by the admin's own word."""
    async with crowd(line, model=False) as (people, _):
        assert await people.says("stop everything", "admin", "direct") == "stop done"
        assert await people.says("how often is a payment tried again?", "member", "direct") == "direct done"
        assert await people.says("hello", "operator", "watched") == "direct done"
        assert await people.says("status", "operator", "watched") == "status done"
        told = [said["text"] for said in await made(line, "chat.postMessage") if "An admin has stopped" in said["text"]]
        assert len(told) == 1
        assert "Your question is saved" in told[0]
    async with line.bot(more=MORE) as bot:
        assert bot.core.controls.unheard == {"U0ANA": 1, "U0OPS": 1}
        assert await people.says("please go on", "admin", "direct") == "resume done"
        resumed = next(r for r in records(line.home / "audit.ndjson") if r.get("action") == "resume")
        assert "While it was stopped it received 2 messages of 2 people" in resumed["result"]
        assert bot.core.controls.unheard == {}
        await line.olu.card("payment tried again", '"approve"')


async def test_controls_that_cannot_be_read_stop_it_and_the_admin_is_told(line: Line) -> None:
    """Nothing is posted until somebody has looked."""
    line.home.mkdir(mode=0o700)
    (line.home / "controls.json").write_text("{")
    async with line.bot(more="admins: [U0ADMIN]"):
        ada = Human(line.workspace.url, "U0ADMIN")
        await ada.sees(lambda view: "check the modes" in json.dumps(view))
        assert "*Stopped*" in await ada.command("status")


async def test_over_the_rate_each_message_gets_an_emoji_and_a_minute_one_line(line: Line) -> None:
    """Orders as well as what the chat agent would hear."""
    slow = "admins: [U0ADMIN]\nfloods: {per_user: {per_minute: 2, burst: 20}}"
    async with line.bot(more=slow):
        people = Crowd(line, "")
        outcomes = [await people.says("queue", "operator", "watched") for _ in range(5)]
        assert outcomes == ["queue done"] * 2 + ["direct over the rate"] * 3
        shown = [said["text"] for said in await made(line, "chat.postEphemeral")]
        assert shown.count(TOO_MANY_MESSAGES) == 1
        marked = {said["timestamp"] for said in await made(line, "reactions.add")}
        assert marked == {name.partition("-")[2] for name in [*people.said][2:]}


async def test_a_guest_is_told_everywhere_that_it_is_for_members(line: Line) -> None:
    """The same line for a mention, a direct message and a command; a colleague's question stays as it was."""
    async with line.bot(more=MORE):
        gus = Human(line.workspace.url, "U0GUEST")
        asked = await line.ana.say("how often is a payment tried again?")
        await line.olu.card("payment tried again", '"approve"')
        only = "Commands and chat are for members of this workspace"
        assert only in await gus.command("mine")
        await gus.whispered(gus.say("<@U0TRIAGE> nvm", thread_ts=asked), only)
        await gus.whispered(gus.say("<@U0TRIAGE> where is RETRY_LIMIT set?"), only)
        direct = await gus.say("where is RETRY_LIMIT set?", channel="D0GUEST")
        await until(lambda: len(records(line.home / "audit.ndjson")) == 4)
        posted = [said for said in await made(line, "chat.postMessage") if said.get("thread_ts") == direct]
        assert [said["text"].startswith(only) for said in posted] == [True]
        (document,) = (line.home / "state").glob("*.json")
        assert "nvm" not in document.read_text()
        assert len(cards(await line.olu.now())) == 1


async def test_an_operator_asks_about_code_in_a_direct_message(line: Line) -> None:
    """The draft comes as a card, and its approved answer into the thread of the question."""
    async with line.bot(more=MORE):
        asked = await line.olu.say("how often is a payment tried again?", channel="D0OPS")
        card = await line.olu.card("payment tried again", '"approve"')
        await line.olu.press("approve", card)

        def answered(view: Any) -> Any:
            roots = [message for dm in view["dms"] for message in dm["messages"] if message["ts"] == asked]
            return [r for root in roots for r in root.get("replies", ()) if "RETRY_LIMIT" in json.dumps(r["blocks"])]

        assert await line.olu.sees(answered)


async def test_an_order_that_nothing_takes_back_waits_for_its_askers_press(line: Line) -> None:
    """In words as with `/triage`: one message with its buttons, in the direct message."""
    async with crowd(line, model=False) as (people, _):
        assert await people.says("write a note called Deploy: the key rotates", "admin", "direct") == "write_note done"
        assert await people.says("please throw away the note Deploy", "member", "watched") == "delete_note refused"
        assert await people.says("please throw away the note Deploy", "admin", "direct") == "delete_note asked"
        counted, public = await people.lines(3)
        assert (counted, public) == (people.expected(), [])
        await line.ada.press("command_confirm")
        await line.ada.submit(await line.ada.dialog(), typed="Deploy")
        await line.ada.sees(lambda view: "Deleted" in json.dumps(view["dms"]))
    assert not list((line.home / "notes").rglob("deploy.md"))
