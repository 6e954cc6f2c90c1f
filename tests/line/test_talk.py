"""The line of a talk: what is said to the bot itself, in a channel or directly, against a model server on loopback."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import aiohttp

from bot.chat.canned_replies import FOR_TRIAGE
from tests.line.agents import agents
from tests.line.human import PATIENCE, View, shows
from tests.model_server import calls, hang, says

if TYPE_CHECKING:
    from bot.wiring.lifecycle import Bot
    from tests.line.conftest import Line
    from tests.line.human import Human
    from tests.model_server import Answer, Body

DM = "D0ADMIN"
ADMIN = "admins: [U0ADMIN]"


def tools(body: Body) -> set[str]:
    """The names of the tools that the agent was given."""
    return {tool["name"] for tool in body["tools"]}


def turn(body: Body) -> int:
    """How often the model has called tools since the person spoke."""
    return sum("tool_result" in json.dumps(message["content"]) for message in body["messages"])


def run_state(bot: Bot) -> str:
    """Read the state anew: a comparison would narrow the attribute's type for the rest of the test."""
    return bot.core.controls.state


async def answered(human: Human, ts: str, *words: str) -> View:
    """The bot's reply under this message that shows these words, in a channel or a direct message."""

    def found(view: View) -> Any:
        places = [*view["channels"], *view["dms"]]
        roots = [message for place in places for message in place["messages"] if message["ts"] == ts]
        replies = [reply for root in roots for reply in root.get("replies", ())]
        return next((reply for reply in replies if all(shows(reply, word) for word in words)), None)

    seen: View = await human.sees(found)
    return seen


async def made(line: Line, method: str) -> list[dict[str, Any]]:
    """The Web API calls of one method."""
    async with aiohttp.ClientSession() as session, session.get(f"{line.workspace.url}/calls") as answer:
        calls = (await answer.json())["calls"]
    return [call for call in calls if call["method"] == method]


async def test_an_admin_talks_in_a_direct_message_and_a_members_order_is_refused(line: Line) -> None:
    """Status, answer and footer; the member's agent is not even offered what it calls."""

    def play(body: Body) -> Answer:
        match turn(body):
            case 0:
                return calls(("pause", {}))
            case 1:
                paused = "refused" not in json.dumps(body["messages"][-1]) and "pause" in tools(body)
                said = "*Paused*, see https://evil.example/x" if paused else "Not allowed."
                return calls(("respond", {"text": said}))
            case _:
                return says("Done.")

    async with agents(line, play, more=ADMIN) as bot:  # type: ignore[arg-type]  # it is asked as a play is
        said = line.ana.say("<@U0TRIAGE> pause everything until Monday")
        told = await line.ana.whispered(said, "Not allowed.")
        assert shows(told, "Taken as addressed to Triage itself: an order")
        assert run_state(bot) == "running"
        ts = await line.ada.say("pause everything until Monday, please", channel=DM)
        reply = await answered(line.ada, ts, "Paused", "an order about the bot's own work")
        assert run_state(bot) == "paused"
        assert '"url"' not in json.dumps(reply["blocks"])
        assert not list((line.home / "state").glob("*.json"))
        statuses = [call["arguments"]["status"] for call in await made(line, "assistant.threads.setStatus")]
        assert "is thinking" in statuses


async def test_a_small_model_answers_a_direct_message_with_its_text(line: Line) -> None:
    """It has no tool for that, and is not asked again; in a channel it has one, as any model."""
    offered: list[bool] = []

    def play(body: Body) -> Answer:
        offered.append("respond" in tools(body))
        return says("Nothing waits.") if not offered[-1] else calls(("respond", {"text": "Not allowed."}))

    async with agents(line, play, model="small: true", more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        ts = await line.ada.say("I wrote the release notes yesterday", channel=DM)
        await answered(line.ada, ts, "Nothing waits.")
        said = line.ana.say("<@U0TRIAGE> pause everything until Monday")
        await line.ana.whispered(said, "Not allowed.")
    assert offered == [False, True]


async def test_a_mention_about_the_code_and_a_members_direct_question_are_triages(line: Line) -> None:
    """A card each, the notice that says so, and the approved reply where it was asked; no model is there to talk."""
    async with line.bot(more=ADMIN):
        mention = line.ana.say("<@U0TRIAGE> how often is a payment tried again before the order is cancelled?")
        await line.ana.whispered(mention, FOR_TRIAGE)
        await line.olu.card("payment tried again", "<#C0HELP>", '"approve"')
        asked = await line.ana.say("where is the RETRY_LIMIT of the payment set?", channel="D0ANA")
        await answered(line.ana, asked, FOR_TRIAGE)
        card = await line.olu.card("where is the RETRY_LIMIT", "in a direct message", '"approve"')
        await line.olu.press("approve", card)
        await answered(line.ana, asked, "RETRY_LIMIT = 3")
        for said in ("what can you do for me?", "hey you, shall we put the emu story into a note?"):
            greeted = await line.ana.say(said, channel="D0ANA")
            await answered(line.ana, greeted, "I look up answers", "/triage help")


async def test_a_turn_that_a_restart_cut_off_is_said_and_not_run_again(line: Line) -> None:
    """What it did stands there once; the next turn is answered."""
    hung = asyncio.Event()

    def play(body: Body) -> Answer:
        said = json.dumps(body["messages"])
        if "pause" in said and turn(body) == 0:
            return calls(("pause", {}))
        if "pause" in said and "restarted" not in said:
            hung.set()
            return hang
        return calls(("respond", {"text": "Still here."})) if turn(body) == 0 else says("Done.")

    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        ts = await line.ada.say("pause everything until Monday, please", channel=DM)
        async with asyncio.timeout(PATIENCE):
            await hung.wait()
    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # as above
        await answered(line.ada, ts, "I was restarted", "Paused.", "Ask again only for what is missing")
        again = await line.ada.say("I wrote the release notes yesterday", channel=DM)
        await answered(line.ada, again, "Still here.")
    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # as above
        third = await line.ada.say("I wrote the release notes yesterday", channel=DM)
        await answered(line.ada, third, "Still here.")
    posts = [call["arguments"] for call in await made(line, "chat.postMessage")]
    assert sum("I was restarted" in post["text"] for post in posts) == 1


async def test_a_thread_that_takes_notes_is_opened_by_its_first_message(line: Line) -> None:
    """What is typed in it is filed, whatever it is about; the bot says under which title."""

    def play(body: Body) -> Answer:
        takes = "NOTES MODE: this thread takes notes for the project `shop`" in json.dumps(body)
        if turn(body):
            return says("Done.")
        if not takes or "Ask Ben" not in json.dumps(body["messages"]):
            return calls(("respond", {"text": "Notes for shop go here." if takes else "No notes."}))
        note = {"title": "Deploy", "project": "shop", "content": "Why does `retry()` fail? Ask Ben."}
        return calls(("append_note", note), ("respond", {"text": "Added to Deploy."}))

    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        opening = asyncio.ensure_future(line.ada.say("<@U0TRIAGE> notes for shop"))
        await line.ada.whispered(opening, "Notes for shop go here.")
        opened = await opening
        await line.ada.say("<@U0TRIAGE> Why does `retry()` fail? Ask Ben.", thread_ts=opened)
        await answered(line.ada, opened, "Done:", "deploy.md")
        elsewhere = await line.ada.say("I wrote the release notes yesterday", channel=DM)
        await answered(line.ada, elsewhere, "No notes.")
    (note,) = (line.home / "notes").rglob("deploy.md")
    assert "Ask Ben" in note.read_text()


async def test_a_model_speaks_in_a_channel_to_its_asker_alone_and_knows_what_it_said(line: Line) -> None:
    """The next turn of the thread, or beside it, has it in its history, another person's has not; nobody is alarmed.

    So it is with what the rules answered there: no thread holds that either.
    """
    heard: list[str] = []

    def play(body: Body) -> Answer:
        heard.append(json.dumps(body["messages"]))
        if "I wonder" in heard[-1]:
            asked = [("get_my_questions", {}), ("respond", {"text": "None of yours is open."})]
            return calls(asked[turn(body)])
        return says("Done.") if turn(body) else calls(("respond", {"text": "Retries: 7, as Olu approved."}))

    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        saying = asyncio.ensure_future(line.ana.say("<@U0TRIAGE> hello there"))
        assert shows(await line.ana.whispered(saying, "Retries: 7"), "Shown to you alone")
        root = await saying
        for human in (line.ana, line.ada):
            await human.whispered(human.say("<@U0TRIAGE> hello again", thread_ts=root), "Retries: 7")
            await human.whispered(human.say("<@U0TRIAGE> say it again, slowly"), "Retries: 7")
        await line.ada.whispered(line.ada.say("<@U0TRIAGE> pause everything", thread_ts=root), "Paused")
        await line.ada.whispered(line.ada.say("<@U0TRIAGE> hello there, you", thread_ts=root), "Retries: 7")
        own = await line.ana.say("I wonder at the things of my own", channel="D0ANA")
        await answered(line.ana, own, "None of yours is open.")  # a message that stays: nobody else reads along
    posts = [call["arguments"] for call in await made(line, "chat.postMessage")]
    assert not [post for post in posts if "Retries" in json.dumps(post) or "got no answer" in json.dumps(post)]
    again = [said for said in heard if "hello again" in said and "tool_result" not in said]
    assert ["Retries: 7" in said for said in again[:2]] == [True, False]
    beside = [said for said in heard if "say it again, slowly" in said and "tool_result" not in said]
    assert [["hello there" in said, "Retries: 7" in said] for said in beside] == [[True, True], [False, False]]
    assert "[`pause`, by rule: done] Paused" in again[-1]
