"""Commands through real sockets: given as a person gives them, answered so that only they see it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import aiohttp
import pytest

from tests.fakes import HeldEngine
from tests.forks import triage
from tests.line.conftest import TriageTime
from tests.line.human import cards, replies, shows, until
from tests.line.test_straight_line import QUESTION, calls, records

if TYPE_CHECKING:
    from tests.line.conftest import Line
    from tests.line.human import Human

ADMINS = "admins: [U0ADMIN]"


def ada(line: Line) -> Human:
    """Who commands."""
    return type(line.olu)(line.workspace.url, "U0ADMIN")


def link(line: Line, ts: str, root: str | None = None) -> str:
    """The address of a message, as Slack copies it."""
    where = f"{line.workspace.url}/archives/C0HELP/p{ts.replace('.', '')}"
    return f"{where}?thread_ts={root}&cid=C0HELP" if root else where


async def test_why_says_in_a_sentence_why_a_message_was_classified_as_it_was(line: Line) -> None:
    """The class, how sure, the reasons, and what came of it; for an operator, as the answer of the command."""
    async with line.bot(more=ADMINS):
        thanked = await line.ana.say("thanks!")
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        said = await line.olu.command(f"why {link(line, asked)}")
        assert said.startswith("Actionable at ")
        assert "since it" in said
        assert said.endswith("Its thread is waiting for a decision.")
        assert (await line.olu.command(f"why <{link(line, thanked)}>")).startswith("Ack at ")
    (command, _) = [record for record in records(line.home / "events.ndjson") if record["kind"] == "command"]
    assert (command["user_id"], command["text"]) == ("U0OPS", f"why {link(line, asked)}")
    assert not {"token", "response_url", "trigger_id"} & command["raw"].keys()
    lines = [record for record in records(line.home / "audit.ndjson") if record["kind"] == "command"]
    assert [(x["action"], x["user_id"], x["tier"], x["outcome"]) for x in lines] == [
        ("why", "U0OPS", "read", "done")
    ] * 2


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("https://other.slack.com/archives/C0HELP/p1700000000000100", "another workspace"),
        ("{url}/archives/C0OTHER/p1700000000000100", "is not watched"),
        ("{url}/archives/C0HELP/p1700000000000100", "never classified"),
    ],
)
async def test_why_knows_what_it_does_not_know(line: Line, where: str, words: str) -> None:
    """Another workspace's link, a channel that nobody watches, a message from before."""
    async with line.bot():
        assert words in await line.olu.command(f"why {where.format(url=line.workspace.url)}")


async def test_a_command_in_a_thread_is_answered_there_and_is_no_question(line: Line) -> None:
    """Slack offers no slash commands in threads; the answer is seen by nobody else, and no card comes of it."""
    async with line.bot():
        root = await line.ana.say("deployed v3 to staging")
        await line.ana.say(QUESTION)
        await line.olu.card("Approve")  # so that the message before it is classified too
        asking = line.olu.say(f"!triage why {link(line, root)}", thread_ts=root)
        whisper = await line.olu.whispered(asking, "Ambient at")
        assert whisper["user"] == "U0TRIAGE"
        await line.ana.whispered(line.ana.say("!triage why is this so?", thread_ts=root), "Only operators")
        said = [reply["text"] for reply in replies(await line.ana.now(), root)]
        assert not any("Ambient at" in text for text in said)
    judged = [record["content"] for record in records(line.home / "events-classified.ndjson")]
    assert judged == ["deployed v3 to staging", QUESTION]
    assert len(await calls(line, "chat.postMessage")) == 1


async def fault(line: Line, **said: object) -> None:
    """Make the next calls fail."""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{line.workspace.url}/faults", json={"times": 1, **said}) as answer:
            assert (await answer.json())["ok"]


async def test_pause_lets_investigations_wait_over_a_restart(line: Line) -> None:
    """The question is classified and stands in the App Home; its investigation begins at resume, in another process."""
    engine = HeldEngine()
    engine.answer(QUESTION, "Three times.")
    async with line.bot(more=ADMINS, engine=engine) as bot:
        assert (await ada(line).command("pause")).startswith("Paused.")
        await line.olu.sees(lambda view: [m for m in cards(view) if "paused" in m["text"]])
        await line.ana.say(QUESTION)
        await until(lambda: bot.core.orchestrator.waiting)
        assert shows(await line.olu.home(), "*Waits:* Triage is paused")
        assert "1 question is held until then" in await ada(line).command("pause")
    async with line.bot(more=ADMINS, engine=engine):
        status = await line.olu.command("status")
        assert status.startswith("*Paused* since ")
        assert "1 held" in status
        assert engine.asked == []
        assert "1 question had waited" in await ada(line).command("resume")
        await line.olu.card("Three times.", "Approve")
        assert (await line.olu.command("status")).startswith("*Running*, connected to Slack; 1 question for a decision")
        assert "was not paused" in await ada(line).command("resume")


async def test_stop_ends_runs_and_resume_begins_them_again(line: Line) -> None:
    """What an investigation brings after stop is not heard; the same question is investigated after resume."""
    engine = HeldEngine()
    async with line.bot(more=ADMINS, engine=engine) as bot:
        await line.ana.say(QUESTION)
        await engine.arrived.wait()
        said = await ada(line).command("stop")
        assert said.startswith("Stopped: 1 run ended, 0 approved replies held back")
        assert bot.core.orchestrator.running == 0
        assert "Only admins" in await line.olu.command("resume")
        engine.answer(QUESTION, "Three times.")
        assert (await line.olu.command("status")).startswith("*Stopped*")
        await ada(line).command("resume")
        await line.olu.card("Three times.", "Approve")
        assert len(engine.asked) == 2


async def test_stop_holds_back_what_is_approved_and_not_posted(line: Line) -> None:
    """It comes back to the operator, over a restart too; nothing is posted until they decide again after resume."""
    clock = TriageTime()
    async with line.bot(more=ADMINS, clock=clock):
        asked = await line.ana.say(QUESTION)
        drafted = await line.olu.card("Approve")
        await fault(line, method="chat.postMessage", kind="429", seconds=60)
        await line.olu.press("approve", drafted)
        await line.olu.card("Posting…")
        assert "1 approved reply held back" in await ada(line).command("stop")
    async with line.bot(more=ADMINS, clock=clock):
        clock.move(0.01)
        again = await line.olu.card("Look again", "Triage was stopped before this reply was posted", "Post Anyway")
        await line.olu.whispered(line.olu.press("post_anyway", again), "nothing is posted until")
        assert replies(await line.ana.now(), asked) == []
        await ada(line).command("resume")
        await line.olu.press("post_anyway", again)
        assert len(await line.ana.replies(asked)) == 1


async def test_a_mode_stands_in_front_of_the_settings_and_outlives_the_process(line: Line) -> None:
    """From the next question on; config and status show it."""
    async with line.bot(more=ADMINS):
        assert "is preview now, not live" in await ada(line).command("mode <#C0HELP|help-platform> preview")
        await line.ana.say(QUESTION)
        await line.olu.card("Practice", "Approve")
        assert "nearest is preview" in await ada(line).command("mode #help-platform prevew")
        assert "nearest is `help-platform`" in await ada(line).command("mode help-platfrom live")
        assert "Only admins" in await line.olu.command("mode C0HELP live")
    async with line.bot(more=ADMINS):
        assert "Set by `mode`: <#C0HELP> preview." in await ada(line).command("config")
        assert "<#C0HELP> preview" in await line.olu.command("status")
        assert "is silent now" in await ada(line).command("mode help-platform silent")
        await line.ana.say("how is an order cancelled?")
        await ada(line).command("mode C0HELP live")
        await line.ana.say("how often is a payment tried again, and where?")
        live = await line.olu.card("and where?", "Approve")
        assert not shows(live, "Practice")
        assert not [card for card in cards(await line.olu.now()) if shows(card, "how is an order cancelled")]


async def test_a_muted_thread_is_silent_until_somebody_mentions_triage(line: Line) -> None:
    """What went on ends; the asker's next question there opens nothing, also after a restart; a mention does."""
    async with line.bot(more=ADMINS):
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        await line.olu.whispered(
            line.olu.say("!triage mute", thread_ts=asked), "Muted. The work in this thread has ended."
        )
        await line.olu.card("*Muted*")
    async with line.bot(more=ADMINS):
        await line.ana.say("and how is an order cancelled?", thread_ts=asked)
        assert "muted" in await line.olu.command(f"thread {link(line, asked)}")
        await line.ana.say("<@U0TRIAGE> how is an order cancelled?", thread_ts=asked)
        await line.olu.card("@Triage how is an order cancelled?", "Approve")
        assert "was not muted" in await line.olu.command(f"unmute {link(line, asked)}")
        assert "in the thread, or give the link" in await line.olu.command("mute")
        elsewhere = "https://x.slack.com/archives/C0HELP/p1700000000000100"
        assert "another workspace" in await line.olu.command(f"mute {elsewhere}")
    assert len(cards(await line.olu.now())) == 2


async def test_queue_and_thread_say_what_waits_and_how_far_it_is(line: Line) -> None:
    """Each question with its link, its text escaped."""
    async with line.bot(more=ADMINS):
        asked = await line.ana.say("how often is a payment tried again &lt;!channel&gt;?")
        await line.olu.card("Take Over")
        queue = await line.olu.command("queue")
        assert queue.startswith("1 question waits for a decision.")
        assert f"<{link(line, asked)}|Ana> in <#C0HELP>" in queue
        assert "<!channel>" not in queue
        thread = await line.olu.command(f"thread {link(line, asked)}")
        assert thread.startswith("The question of <@U0ANA> waits for a decision, since ")
        assert "project shop" in thread
        unknown = f"{line.workspace.url}/archives/C0HELP/p1700000000000100"
        assert "No question is known" in await line.olu.command(f"thread {unknown}")


async def test_metrics_are_the_same_in_slack_and_on_the_command_line(line: Line) -> None:
    """Of a question that was edited, approved and answered."""
    async with line.bot(more=ADMINS):
        asked = await line.ana.say(QUESTION)
        await line.ana.say("thanks!")
        await line.olu.press("edit", await line.olu.card("Approve"))
        await line.olu.submit(await line.olu.dialog(), text="Three times.")
        await line.olu.press("approve", await line.olu.card("Three times.", '"approve"'))
        await line.ana.replies(asked)
        await line.olu.card("The reply is posted.")
        said = await line.olu.command("metrics 1")
    assert said.startswith("In the last day: 2 messages (1 actionable, 0 ambient, 1 ack), 1 card, 1 reply.")
    assert "1 approval, 1 edit, 0 bounces" in said
    shown = await asyncio.to_thread(triage, "metrics", "--days", "1", "--home", str(line.home))
    assert shown.stdout.splitlines() == said.splitlines()
    figures = json.loads((await asyncio.to_thread(triage, "metrics", "--json", "--home", str(line.home))).stdout)
    assert (figures["days"], figures["approvals"], figures["messages"]["actionable"]) == (7, 1, 1)


async def test_a_command_of_another_team_or_of_ten_thousand_characters_changes_nothing(line: Line) -> None:
    """Each gets an answer, and a line in the audit that is not long."""
    async with line.bot(more=ADMINS) as bot:
        body = {"command": "/triage", "channel_id": "C0HELP", "user_id": "U0ADMIN", "text": "stop"}
        payloads = bot.dispatcher
        for changes in (
            {"trigger_id": "1.2", "team_id": "T0OTHER"},
            {"trigger_id": "1.3", "team_id": "T0SANDBOX", "text": "stop " + "x" * 10_000},
        ):
            said = (await payloads.handle(await payloads.record({**body, **changes})))["text"]
            assert said.startswith(("Commands and chat are for members of this workspace", "These are more words"))
        refused = await payloads.handle(await payloads.record({"command": "/triage"}))
        assert "does not know this command" in refused["text"]
        assert bot.core.controls.state == "running"
    refused, invalid, malformed = [x for x in records(line.home / "audit.ndjson") if x["kind"] == "command"]
    assert (malformed["outcome"], malformed["via"], malformed["rejected"]) == ("invalid", "slash", "yes")
    assert (refused["outcome"], invalid["outcome"]) == ("refused", "invalid")
    assert len(json.dumps(invalid)) < 2_000


async def test_a_command_that_a_kill_interrupted_is_recorded_and_told_once(line: Line) -> None:
    """It stands in the journal, was acknowledged and is not done; a command that has ended is no such one."""
    body = {"command": "/triage", "channel_id": "C0HELP", "user_id": "U0ADMIN", "team_id": "T0SANDBOX"}
    async with line.bot(more=ADMINS) as bot:
        await bot.dispatcher.handle(
            await bot.dispatcher.record({**body, "text": "mode help-platform silent", "trigger_id": "1.2"})
        )
        await bot.dispatcher.record({**body, "text": "stop", "trigger_id": "1.3"})
    for _ in range(2):
        async with line.bot(more=ADMINS) as bot:
            assert bot.core.controls.state == "running"
            await bot.commands.settle()
    lines = [(x["action"], x["outcome"]) for x in records(line.home / "audit.ndjson") if x["kind"] == "command"]
    assert lines == [("mode", "done"), ("stop", "failed")]
    assert [shows(message, "while doing your `/triage stop`") for message in cards(await line.ada.now())] == [True]


async def test_an_edit_into_a_command_and_an_old_one_are_not_done(line: Line) -> None:
    """Only what is said as a command, now."""
    async with line.bot(more=ADMINS) as bot:
        said = await ada(line).say("deployed v3 to staging")
        await until(lambda: records(line.home / "events-classified.ndjson"))  # else a catch-up reads the edited text
        await ada(line).does("edit", ts=said, text="!triage stop")
        late = {"type": "message", "channel": "C0HELP", "user": "U0ADMIN", "ts": "1700000000.000100"}
        event = {**late, "text": "!triage stop"}
        body = {"type": "event_callback", "team_id": "T0SANDBOX", "event_id": "Ev1", "event": event}
        await bot.dispatcher.handle(await bot.dispatcher.record(body))
        await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        assert bot.core.controls.state == "running"


async def test_a_card_from_before_a_silence_learns_what_is_said_since(line: Line) -> None:
    """It keeps its buttons, and approves no draft that its thread has overtaken; nothing new is investigated."""
    async with line.bot(more=ADMINS) as bot:
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Approve")
        await ada(line).command("mode help-platform silent")
        await line.ana.say("and how is an order cancelled?", thread_ts=asked)
        await line.olu.card("Somebody wrote in the thread", "how is an order cancelled", "Post Anyway")
        assert bot.core.orchestrator.running == 0
