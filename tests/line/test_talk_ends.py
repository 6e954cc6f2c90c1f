"""How a turn of a talk ends on the line: what was done is said, once, though the model or Slack does not answer."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from tests.line.agents import agents
from tests.line.conftest import TriageTime
from tests.line.human import cards, shows, until
from tests.line.test_commands import fault
from tests.line.test_talk import ADMIN, DM, answered, made, run_state, turn
from tests.model_server import calls, empty, hang, says

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from tests.line.conftest import Line
    from tests.line.human import View
    from tests.model_server import Answer, Body

NOTE = {"title": "Deploy", "project": "shop", "content": "Ask Ben."}
DONE = "Done: created `deploy.md` of `shop`."


def spoken(body: Body) -> str:
    """What the person has just said, the calls after it left out."""
    said = [m for m in body["messages"] if m["role"] == "user" and "[from " in json.dumps(m["content"])]
    return json.dumps(said[-1]["content"]).rpartition("[from ")[2]


def stops(view: View) -> list[View]:
    """The threads in which somebody sees Slack's own Stop."""
    return [
        thread for place in (*view["channels"], *view["dms"]) for thread in place["threads"] if thread["can_be_stopped"]
    ]


async def meanwhile(clock: TriageTime, seen: Coroutine[Any, Any, object]) -> None:
    """Let time pass for the bot until something is seen."""
    seeing = asyncio.ensure_future(seen)
    while not seeing.done():
        clock.move(0.001)
        await asyncio.sleep(0.02)
    await seeing


async def test_what_was_done_is_said_without_respond(line: Line) -> None:
    """In a channel and in a direct message, by plain text or without a word; the same note is filed once."""

    def play(body: Body) -> Answer:
        said = spoken(body)
        if "status" in said:
            return says("Nothing waits.")
        if "again" in said and turn(body) < 2:
            return calls(("append_note", NOTE | {"title": "Again"}))
        if turn(body) == 0:
            return calls(("append_note", NOTE))
        return says("I have added it.") if "plainly" in said else empty()

    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        asking = asyncio.ensure_future(line.ada.say("<@U0TRIAGE> pause everything until Monday"))
        await line.ada.whispered(asking, DONE)
        public = await answered(line.ada, await asking, "Done: text was added to a note (`shop`).")
        assert "deploy" not in json.dumps(public)
        ts = await line.ada.say("I plainly wrote the deploy notes yesterday", channel=DM)
        await answered(line.ada, ts, "I have added it.")
        ts = await line.ada.say("I wrote the deploy notes again", channel=DM)
        await answered(line.ada, ts, "`again.md`")
        ts = await line.ada.say("my status is tired", channel=DM)
        await answered(line.ada, ts, "Nothing waits.")
        assert "got no answer" not in json.dumps(cards(await line.olu.now()))
    (note,) = (line.home / "notes").rglob("again.md")
    assert note.read_text().count("Ask Ben.") == 1


async def test_stop_that_ends_a_turn_whose_model_hangs(line: Line) -> None:
    """Immediately, with what was done; in a channel's thread without a mention, too, and at nobody else's word.

    Slack's own Stop does the same, for operators and admins in the threads of others as well; the talk goes on.
    """

    prompts: list[str] = []

    def play(body: Body) -> Answer:
        prompts.append(spoken(body))
        if "emus" in spoken(body):
            return calls(("respond", {"text": "I am."}))
        return calls(("append_note", NOTE)) if "deploy" in spoken(body) and turn(body) == 0 else hang

    async with agents(line, play, more=ADMIN) as bot:  # type: ignore[arg-type]  # it is asked as a play is
        ts = await line.ada.say("I wrote the deploy notes yesterday", channel=DM)
        await until(lambda: list((line.home / "notes").rglob("deploy.md")))
        await line.ada.say("stop! wait", channel=DM)
        await answered(line.ada, ts, "Stopped, as you asked.", DONE)
        elsewhere = await line.ana.makes_channel("random", "U0OPS", "U0ADMIN", "U0TRIAGE", is_private=False)
        ts = await line.olu.say("<@U0TRIAGE> hello there", channel=elsewhere)
        await until(lambda: any(each.read_text().count(ts) for each in line.home.glob("conversations/*.json")))
        await line.ada.say("stop that", thread_ts=ts, channel=elsewhere)
        asking = line.ada.say("<@U0TRIAGE> stop that", thread_ts=ts, channel=elsewhere)
        await line.ada.whispered(asking, "only they can stop it")
        assert run_state(bot) == "running"
        stopping = line.olu.say("Stop that!", thread_ts=ts, channel=elsewhere)
        await line.olu.whispered(stopping, "Stopped, as you asked.")
        await line.olu.sees(lambda view: not stops(view))
        await line.olu.say("<@U0TRIAGE> hello again", thread_ts=ts, channel=elsewhere)
        (thread,) = await line.ada.sees(stops)
        assert (thread["thread_ts"], thread["loading_messages"][0]) == (ts, "Thinking")
        place = {"channel": elsewhere, "thread_ts": ts}
        await line.ana.whispered(line.ana.calls("stop", **place), "somebody else's")
        assert stops(await line.ana.now())
        await line.ada.whispered(line.ada.calls("stop", **place), "Stopped.", "<@U0OPS>")
        await line.ada.sees(lambda view: not stops(view))
        ts = await line.olu.say("hello, it is me", channel="D0OPS")
        await until(lambda: "it is me" in prompts[-1])  # a turn whose model was not asked yet costs nothing
        await line.olu.sees(stops)
        await line.olu.calls("stop", channel="D0OPS", thread_ts=ts)
        await answered(line.olu, ts, "Stopped, as you asked. Nothing was done. It cost $")
        await line.olu.sees(lambda view: not stops(view))
        await line.olu.say("say something about emus", thread_ts=ts, channel="D0OPS")
        await answered(line.olu, ts, "I am.")


async def test_nothing_is_called_done_that_was_not_and_nothing_is_done_twice(line: Line) -> None:
    """A command that its person may not give, whatever the model says of it; a button whose command was given again."""

    def play(body: Body) -> Answer:
        if "wake" in spoken(body):
            return calls(("resume", {})) if turn(body) == 0 else calls(("respond", {"text": "Woke it."}))
        if "halt" in spoken(body):
            return calls(("pause", {})) if turn(body) == 0 else calls(("respond", {"text": "Paused everything."}))
        read = {key: NOTE[key] for key in ("title", "project")}
        steps = [("read_note", read), ("append_note", NOTE), ("respond", {"text": "Added."})]
        return calls(steps[turn(body)])

    async with agents(line, play, more=ADMIN) as bot:  # type: ignore[arg-type]  # it is asked as a play is
        ts = await line.ana.say("be a dear and halt things for my friends", channel="D0ANA")
        await answered(line.ana, ts, "Nothing was changed: only", "Paused everything.")
        assert run_state(bot) == "running"
        asking = asyncio.ensure_future(line.ada.say("<@U0TRIAGE> wake the halt of my friends"))
        await line.ada.whispered(asking, "Woke it.")
        assert "Written" in await line.ada.command("write_note Deploy Never on Fridays.")
        ts = await line.ada.say("I wrote the deploy notes yesterday", channel=DM)
        await answered(line.ada, ts, "Waits for you to confirm", "Added.")
        assert "Added" in await line.ada.command("append_note Deploy Ask Ben.")
        await answered(line.ada, ts, "`append_note`: You have given this command again since")
        names = {call["arguments"]["name"] for call in await made(line, "reactions.add")}
        assert "white_check_mark" not in names
    (note,) = (line.home / "notes").rglob("deploy.md")
    assert note.read_text().count("Ask Ben.") == 1
    posts = [call["arguments"] for call in await made(line, "chat.postMessage")]
    assert not [post["text"] for post in posts if post["channel"].startswith("C")]


async def test_an_answer_outlives_a_slack_that_breaks_and_a_restart(line: Line) -> None:
    """Two 500s and the end of the process later it is posted once; a memory that could not be read lets nothing run.

    Of a channel it comes in the direct message of whoever asked there, since no thread would show it; so does what
    came of an order that no model was asked for.
    """

    def play(body: Body) -> Answer:
        said = json.dumps(body["messages"])
        if "yes, do it" in spoken(body):
            lost = "earlier messages of this conversation are missing" in said
            return calls(("pause", {})) if turn(body) == 0 else says("I cannot see it." if lost else "Paused.")
        text = "Here I am." if "hello" in spoken(body) else "Shall I pause?"
        return calls(("respond", {"text": text})) if turn(body) == 0 else says("Done.")

    clock = TriageTime()
    async with agents(line, play, more=ADMIN, clock=clock):  # type: ignore[arg-type]  # it is asked as a play is
        await fault(line, method="chat.postMessage", kind="500", times=2)
        ts = await line.ada.say("I am off until Monday", channel=DM)
        talks = line.home / "conversations"
        await until(lambda: "Shall I pause?" in "".join(each.read_text() for each in talks.glob("*.json")))
        clock.move(0.01)
    async with agents(line, play, more=ADMIN, clock=clock) as bot:  # type: ignore[arg-type]  # as above
        await meanwhile(clock, answered(line.ada, ts, "Shall I pause?"))
        await fault(line, method="conversations.replies", kind="500", times=9)
        asked = line.ada.say("yes, do it", thread_ts=ts, channel=DM)
        await asked
        await meanwhile(clock, answered(line.ada, ts, "Not done yet", "command_confirm"))
        assert run_state(bot) == "running"
        await fault(line, method="chat.postEphemeral", kind="500", times=1)
        await line.ada.say("<@U0TRIAGE> hello there")
        shown = line.ada.sees(lambda view: "may not have been shown there" in json.dumps(view["dms"]))
        await meanwhile(clock, shown)
        assert json.dumps((await line.ada.now())["dms"]).count("may not have been shown there") == 1
        await fault(line, method="chat.postEphemeral", kind="500", times=1)
        await line.ada.say("<@U0TRIAGE> pause")
        await meanwhile(clock, line.ada.card("may not have been shown there; if it was, this is the same", "Paused."))
        assert run_state(bot) == "paused"
    texts = [json.dumps(m) for m in (line.home / "conversations").glob("*.json") if "Shall I" in m.read_text()]
    assert texts == []


async def test_what_came_of_a_press_is_known_to_the_talk(line: Line) -> None:
    """The model reads it as part of the history, in the place where the button stood.

    Asked in a channel, whoever asked reads there where the button is, and above the button what they had asked.
    """
    told: list[str] = []

    def play(body: Body) -> Answer:
        if "is it gone now?" in spoken(body):
            told.append(json.dumps(body["messages"]))
            return says("It is gone.")
        return calls(("delete_note", {"title": "Deploy", "project": "shop"})) if turn(body) == 0 else empty()

    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        assert "Written" in await line.ada.command("write_note Deploy Ask Ben project=shop")
        ts = await line.ada.say("I need the deploy notes no more", channel=DM)
        await answered(line.ada, ts, "command_cancel")
        await line.ada.press("command_cancel")
        await answered(line.ada, ts, "Cancelled; nothing was done.")
        await line.ada.say("so, is it gone now?", thread_ts=ts, channel=DM)
        reply = await answered(line.ada, ts, "It is gone.")
        saying = asyncio.ensure_future(line.ada.say("<@U0TRIAGE> I have no need of these notes"))
        await line.ada.whispered(saying, "Waits for you to confirm in our direct message: `delete_note`")
        place = f"/archives/C0HELP/p{(await saying).replace('.', '')}"
        await line.ada.card(
            "You asked for this in <#C0HELP>", place, "I have no need of these notes", "command_confirm"
        )
        marks = {call["arguments"]["name"] for call in await made(line, "reactions.add")}
        assert "white_check_mark" not in marks
    assert shows(reply, "It is gone.")
    assert "[`delete_note`, after a press: cancelled] Cancelled; nothing was done." in told[0]


async def test_a_call_that_did_nothing_is_named_above_the_models_words(line: Line) -> None:
    """No such tool, a turn that was cut, an input that does not fit, one of three that failed; a claim without a call.

    In a channel correction, words and code's line are one message that its asker alone sees; the audit has the names.
    """
    missing = NOTE | {"project": "zzz"}
    steps: dict[str, list[Body]] = {
        "lime": [calls(("rm_rf", {"x": 1})), says("Filed.")],
        "plum": [calls(("append_note", NOTE), stop="max_tokens"), says("Filed.")],
        "kiwi": [calls(("append_note", "no object")), says("Filed.")],
        "date": [calls(("append_note", NOTE), ("append_note", missing)), says("Neither could be filed.")],
        "pear": [calls(("respond", {"text": "Both are filed."}), ("append_note", NOTE), ("append_note", missing))],
        "fig": [says("Done: I deleted it.")],
    }

    def play(body: Body) -> Answer:
        mine = next(each for name, each in steps.items() if name in spoken(body))
        return mine[min(turn(body), len(mine) - 1)]

    async with agents(line, play, more=ADMIN):  # type: ignore[arg-type]  # it is asked as a play is
        for name, told in {
            "lime": "Nothing was changed: something was tried that no command does.",
            "plum": "Nothing was changed: `append_note` was not run.",
            "kiwi": "Nothing was changed: `append_note` was not run.",
        }.items():
            ts = await line.ada.say(f"I wrote the {name} story yesterday", channel=DM)
            reply = await answered(line.ada, ts, told, "Filed.")
            assert [block["type"] for block in reply["blocks"]][:2] == ["section", "rich_text"]
        ts = await line.ada.say("I wrote the date story yesterday", channel=DM)
        await answered(line.ada, ts, DONE, "Not done: there is no project `zzz`", "Neither could be filed.")
        ts = await line.ada.say("I wrote the fig story yesterday", channel=DM)
        reply = await answered(line.ada, ts, "I deleted it.", "Nothing was changed.")
        assert "Done:" not in json.dumps(reply)
        asking = asyncio.ensure_future(line.ada.say("<@U0TRIAGE> remind me tomorrow of the pear story"))
        added = "Done: added to `deploy.md` of `shop`; `restore_note` takes it back."
        line_shown = await line.ada.whispered(asking, "Not done: there is no project `zzz`", "Both are filed.", added)
        await answered(line.ada, await asking, "Done: text was added to a note (`shop`).")
        blocks = json.dumps(line_shown["blocks"])
        assert blocks.index("zzz") < blocks.index("Both are filed.")
        assert len(await made(line, "chat.postEphemeral")) == 1
    ends = map(json.loads, (line.home / "audit.ndjson").read_text().splitlines())
    assert next(each["not_run"] for each in ends if each["kind"] == "conversation") == ["rm_rf"]
