"""What an asker sees of their own question, through the whole line."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from tests.fakes import HeldEngine
from tests.line.conftest import TriageTime
from tests.line.dying_bot import dying
from tests.line.human import View, newest_whisper, until
from tests.line.test_reactions import fault, shows
from tests.line.test_straight_line import QUESTION, calls
from tests.line.test_tasks import routed

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_mine_says_where_a_question_stands(line: Line) -> None:
    """While it is looked up, as it waits, and once it is answered; the draft is in none of it."""
    engine = HeldEngine()
    async with line.bot(engine=engine, more="admins: [U0ADMIN]"):
        asked = await line.ana.say(QUESTION)
        await engine.arrived.wait()
        assert "is being looked up" in await line.ana.command("mine")
        engine.answer(QUESTION, "Three times.")
        card = await line.olu.card("Three times.", '"approve"')
        said = await line.ana.command("mine")
        assert "(number 1 of 1)" in said
        assert QUESTION in said
        assert "Three times" not in said
        assert "No question of yours is open" in await line.ada.command("mine")
        asking = line.ana.say("<@U0TRIAGE> how is my question?")
        told = await line.ana.whispered(asking, "1 question of yours is open", "(number 1 of 1)")
        assert "Three times" not in told["text"]
        for words in ("any news on the payment question?", "???", "any luck?"):
            await line.ana.whispered(line.ana.say(f"<@U0TRIAGE> {words}"), "1 question of yours is open")
        asking = line.ana.say("<@U0TRIAGE> ist da schon was?", thread_ts=asked)
        await line.ana.whispered(asking, "1 question of yours is open")
        await line.olu.whispered(line.olu.say("<@U0TRIAGE> approve the payment question"), "1 question waits")
        late = line.ada.say("<@U0TRIAGE> pause shop until tomorrow")
        await line.ada.whispered(late, "Nothing was done", "until tomorrow")
        await line.olu.press("approve", card)
        await line.ana.replies(asked)
        await line.olu.card("The reply is posted")
        assert "answered in its thread" in await line.ana.command("mine")
        await line.ana.say("why is a refund slow?")
        await until(lambda: any("refund slow" in asked.question for asked in engine.asked))
        asking = line.ana.say("<@U0TRIAGE> how is my question?", thread_ts=asked)
        told = (await line.ana.whispered(asking, "The question of this thread has ended"))["text"]
        assert told.index("answered in its thread") < told.index("why is a refund slow?")
        assert told.count("answered in its thread") == 1
        greeted = await line.ana.say("<@U0TRIAGE> hi")
        await line.ana.does("edit", ts=greeted, text=f"<@U0TRIAGE> {ANOTHER}")
        await until(lambda: any(ANOTHER in asked.question for asked in engine.asked))


def status(view: View, ts: str) -> str:
    """The assistant status that somebody sees in a thread of a channel."""
    threads = [thread for channel in view["channels"] for thread in channel["threads"] if thread["thread_ts"] == ts]
    return threads[0]["status"] if threads else ""


async def test_the_asker_sees_which_role_and_project_took_it(line: Line) -> None:
    """In its thread, while it is looked up and no longer; mine says the same."""
    engine = HeldEngine()
    async with line.bot(engine=engine, more=routed(line)):
        asked = await line.ana.say(QUESTION)
        taken = await line.ana.sees(lambda view: status(view, asked))
        assert taken.startswith("is looking this up as ")
        assert taken.endswith(" in shop")
        role = taken.removeprefix("is looking this up as ").removesuffix(" in shop")
        assert f"is being looked up by *{role}* (shop)" in await line.ana.command("mine")
        engine.answer(QUESTION, "Three times.")
        await line.olu.card("Three times.", '"approve"')
        await line.ana.sees(lambda view: not status(view, asked))


ANOTHER = "how long does a refund take?"
FAILED = "could not be answered automatically"
SLOW = "investigator: {hard_cap_runtime_min: 0.01}"


async def test_a_failed_run_tells_its_asker_once(line: Line) -> None:
    """In the channel, since the thread has no replies yet; a restart says nothing again, and a new failure neither."""
    async with line.bot(engine=HeldEngine(), more=SLOW):
        said = await line.ana.whispered(line.ana.say(QUESTION), FAILED, "it took too long")
        assert "/triage mine" in said["text"]
        await line.olu.press("redraft", await line.olu.card("longer than"))
        await line.olu.card("longer than", "Redraft")
    async with line.bot(engine=HeldEngine(), more=SLOW):
        await line.olu.card("longer than")
    (told,) = await calls(line, "chat.postEphemeral")
    assert (told["channel"], told["user"], told.get("thread_ts")) == ("C0HELP", "U0ANA", None)


async def test_a_stop_is_told_to_whoever_asks_and_shows_no_work(line: Line) -> None:
    """Once, by a line or by the answer to a mention; `mine` says so, and at resume the work begins."""
    engine = HeldEngine()
    async with line.bot(engine=engine, more="admins: [U0ADMIN]"):
        first = await line.ana.say("how is an order cancelled?")
        await shows(line.ana, first, "hammer")
        assert "Stopped" in await line.ada.command("stop")
        await shows(line.ana, first, "eyes")
        asking = line.ana.say(QUESTION)
        await line.ana.whispered(asking, "An admin has stopped Triage", "is kept, and is looked up when Triage resumes")
        await line.ana.whispered(line.ana.say(f"<@U0TRIAGE> {ANOTHER}"), "Your question is saved and waits")
        assert "since an admin has stopped the bot" in await line.ana.command("mine")
        await line.ana.whispered(line.ana.say("<@U0TRIAGE> nvm, found it"), "Your question is closed")
        assert "has resumed" in await line.ada.command("resume")
        await shows(line.ana, first, "hammer")
    told = [call["text"] for call in await calls(line, "chat.postEphemeral") if call["user"] == "U0ANA"]
    assert len([text for text in told if "has stopped" in text]) == 2


async def test_an_expired_question_tells_its_asker_in_its_thread(line: Line) -> None:
    """Where the thread has replies; one call that had no effect is made again."""
    clock = TriageTime()
    async with line.bot(clock=clock, more="approval: {expire_hours: 1}"):
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ada.say("I wonder, too", thread_ts=asked)
        await line.olu.card("Look again")
        await fault(line, "chat.postEphemeral", "429")
        said = await line.ana.whispered(_passed(clock, 2), "Nobody decided", "write in its thread")
        assert QUESTION in said["text"]
    told = [call for call in await calls(line, "chat.postEphemeral") if call["user"] == "U0ANA"]
    assert {call["thread_ts"] for call in told} == {asked}


async def test_a_kill_before_the_line_says_it_after_the_start(line: Line) -> None:
    """Killed as the failure was saved: nothing was said yet, and the next start says it, once."""
    line.configure(more="investigator: {hard_cap_runtime_min: 0.00002}")
    async with dying(line, "after", "pending-user") as bot:
        await line.ana.say(QUESTION)
        assert await bot.wait() == -signal.SIGKILL
    assert await calls(line, "chat.postEphemeral") == []
    seen = asyncio.Event()
    restarted = asyncio.create_task(_lives(line, seen))
    await line.ana.sees(lambda view: newest_whisper(view, (FAILED,)))
    seen.set()
    await restarted
    async with dying(line, "never", "any"):
        assert "could not be looked up" in await line.ana.command("mine")
    (told,) = await calls(line, "chat.postEphemeral")
    assert told["user"] == "U0ANA"


async def _lives(line: Line, until: asyncio.Event) -> None:
    """A bot in a separate process, as long as somebody looks."""
    async with dying(line, "never", "any"):
        await until.wait()


async def _passed(clock: TriageTime, hours: float) -> None:
    """Let the bot take it for later."""
    clock.move(hours)
