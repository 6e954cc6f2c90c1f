"""The reply of a turn: what was done is said, once, whatever the model calls and whatever fails on the way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.chat.call_log import CallLog
from bot.chat.call_summary import describe_undone
from bot.chat.canned_replies import CANCELLED, MESSAGE_DELETED
from bot.chat.thread_history import UNDELIVERED
from bot.commands.catalogue import CATALOGUE
from bot.commands.command import CommandAnswer
from bot.decide.redaction.redactor import Redactor
from bot.errors import Refused, RetryLater, ToolError, TriageError, Uncertain
from bot.models.turn import Call
from bot.tools.guard import Guard
from tests.builders import fresh
from tests.chat.talks import Agent, Gate, Room, echo, rest, said

ADDED = "Added to `deploy.md` of `shop`."


async def execute(name: str, given: Any, asker: Any, *, tainted: bool = False) -> CommandAnswer:
    """Every command is done."""
    return CommandAnswer(line=ADDED)


async def hears(room: Room, text: str = "add a note", channel: str = "D0ADMIN", **more: Any) -> None:
    """The bot hears it, and has time."""
    bot = await room.bot()
    await bot.accept(said(text, channel=channel), "an order")
    await rest(room.clock, 8)


@pytest.mark.parametrize(
    ("channel", "words", "told"),
    [
        ("D0ADMIN", "", f"Done: added to {ADDED[9:]}"),
        ("D0ADMIN", "I have added it.", f"I have added it.\nDone: added to {ADDED[9:]}"),
        ("C0HELP", "", "Done: `append_note`."),
        ("C0HELP", "I have added it.", "Done: `append_note`."),
        ("C0HELP in deploy, project shop", "", f"Done: added to {ADDED[9:]}"),
    ],
)
async def test_what_was_done_is_said_where_the_model_does_not_respond(channel: str, words: str, told: str) -> None:
    """By code's own line; in a direct message the model's plain text is its answer. Nobody is reminded or alarmed.

    In a channel names that the model has chosen are read by whoever asked alone.
    """

    async def play(agent: Agent, _: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        return words

    room = Room(play=play, execute=execute)
    channel, _, more = channel.partition(" ")
    await hears(room, text=f"add a note {more}", channel=channel)
    assert room.slack.texts == [told]
    own = [f"Done: added to {ADDED[9:]}"] if told.endswith("`append_note`.") else []
    assert (room.slack.notices, len(room.asked), room.results) == (own, 1, ["answered"])


async def test_plain_text_in_a_channel_is_shown_to_the_asker_alone() -> None:
    """After one reminder; nothing stands in the channel, and nobody is alarmed."""

    async def play(agent: Agent, _: str) -> str:
        return "Three tasks wait."

    room = Room(play=play)
    await hears(room, channel="C0HELP")
    assert (room.slack.posts, room.slack.notices) == ([], ["Three tasks wait."])
    assert (len(room.asked), room.results) == (2, ["answered"])


async def test_plain_text_that_may_not_be_posted_is_no_answer() -> None:
    """It passes what `respond` looks at: in a member's direct message what rests on code becomes a question."""

    async def play(agent: Agent, _: str) -> str:
        agent.taint.add_read("code")
        return "The limit is 3."

    room = Room(play=play)
    bot = await room.bot()
    await bot.accept(said("where?", sender="U0ANA", channel="D0ANA"), "")
    await rest(room.clock, 6)
    assert len(room.questions) == 1
    assert "The limit is 3." not in room.slack.texts


async def test_one_answer_is_posted_and_says_what_was_done_after_it() -> None:
    """A second `respond` and plain words are not posted; the command is added to the answer that stands there."""

    async def play(agent: Agent, _: str) -> str:
        await agent.says("I am at it.")
        await agent.gives("append_note", {"title": "Deploy"})
        with pytest.raises(ToolError):
            await agent.says("It is added.")
        return "All done."

    room = Room(play=play, execute=execute)
    await hears(room)
    assert room.slack.texts == [f"I am at it.\nDone: added to {ADDED[9:]}"]
    kinds = [block["type"] for block in room.slack.posts[0]["blocks"]]
    assert kinds == ["rich_text", "section", "context"]


async def test_a_failed_turn_shows_in_a_channel_nothing_that_was_read() -> None:
    """Nor that it failed: rows on what was changed alone."""

    async def play(agent: Agent, _: str) -> str:
        await agent.gives("append_note", {})
        await agent.gives("list_tasks", {})
        agent.tool_calls[-1].may_change, agent.tool_calls[-1].rows = False, ("Ana asked something private",)
        raise TriageError("broken")

    room = Room(play=play, execute=execute)
    await hears(room, channel="C0HELP")
    assert room.slack.texts == ["Done: `append_note`."]
    (text,) = room.slack.notices
    assert text.startswith(
        f"This did not work. Commands work without a model: `/triage help` lists them.\nDone: {ADDED[0].lower()}"
    )


async def test_a_long_answer_is_several_messages_with_its_footer_at_the_end() -> None:
    """In order, each once."""

    async def play(agent: Agent, _: str) -> str:
        await agent.says("\n\n".join(f"{number} {'word ' * 100}" for number in range(14)))
        return ""

    room = Room(play=play)
    room.slack.failures = [Uncertain("timeout")]
    await hears(room)
    assert [text.split()[0] for text in room.slack.texts] == ["0", "5", "10"]
    assert "context" in str(room.slack.posts[-1]["blocks"])
    assert room.results == ["answered"]


@pytest.mark.parametrize("failure", [Uncertain("500"), RetryLater("down", after=1.0)])
@pytest.mark.parametrize("landed", [True, False])
@pytest.mark.parametrize("restart", [True, False])
async def test_an_answer_that_slack_does_not_take_is_posted_later_once(
    failure: TriageError, landed: bool, restart: bool
) -> None:
    """It is kept on disk over a restart, and looked for before it is posted."""
    room = Room()
    room.slack.failures = [failure] * (2 if isinstance(failure, Uncertain) else 5)
    room.slack.lands_all_the_same = landed and isinstance(failure, Uncertain)
    room.slack.slow_to_find = 1
    bot = await room.bot()
    await bot.accept(said("hello"), "an order")
    await rest(room.clock, 6)
    if restart:
        await bot.stop()
        bot = await room.bot()
    await rest(room.clock, 60)
    assert set(room.slack.texts) == {"You said hello"}
    assert len(room.slack.posts) <= 2  # of a Slack that hides what it has taken, the second 500 may have landed too
    assert landed or len(room.slack.posts) == 1
    assert room.results in (["answered"], ["restarted"])
    assert "You said" not in str(room.talks.saved)
    assert bot.is_active_in(said("x").home)


@pytest.mark.parametrize("failure", [Uncertain("500"), RetryLater("down", after=1.0), None])
@pytest.mark.parametrize("landed", [True, False])
@pytest.mark.parametrize("restart", [True, False])
async def test_an_answer_for_its_asker_alone_that_is_in_doubt_goes_to_their_direct_message(
    failure: TriageError | None, landed: bool, restart: bool
) -> None:
    """Once, whatever dies in between: it is on record before Slack is asked. Nobody is alarmed, nothing is run again.

    Without a failure the process dies while Slack is asked.
    """

    async def play(agent: Agent, text: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        return await echo(agent, text)

    room = Room(play=play, execute=execute, done=(ADDED,))
    room.slack.untold, room.slack.lands_all_the_same = [failure] * 5 if failure else [], landed
    room.slack.hangs = failure is None
    bot = await room.bot()
    await bot.accept(said("hello", channel="C0HELP"), "an order")
    await rest(room.clock, 20)
    room.slack.untold, room.slack.hangs = [], False
    if restart or failure is None:
        for _ in range(2):
            await bot.stop()
            bot = await room.bot()
            await rest(room.clock, 20)
    await rest(room.clock, 60)
    alone = f"You said hello\nDone: added to {ADDED[9:]}"
    seen = [(post["channel"], post["text"]) for post in room.slack.posts]
    assert seen.count(("D0ADMIN", alone)) == len([text for channel, text in seen if channel == "D0ADMIN"]) == 1
    assert {channel for channel, _ in seen} == {"D0ADMIN", "C0HELP"}
    assert (len(room.asked), room.results) == (1, ["answered"])
    assert "You said hello" in str(room.talks.saved)
    assert '"unsent":[]' in str(room.talks.saved)


@pytest.mark.parametrize("is_called_off", [True, False])
async def test_an_answer_for_its_asker_alone_that_slack_leaves_hanging(is_called_off: bool) -> None:
    """The record says that there is one: nobody is reminded or alarmed; who has called it off reads none."""

    async def play(agent: Agent, text: str) -> str:
        try:
            async with asyncio.timeout(None if is_called_off else 0):
                await agent.says(f"You said {text}")
        except TimeoutError:
            room.slack.hangs = False
        return ""

    room = Room(play=play)
    room.slack.hangs = True
    bot = await room.bot()
    await bot.accept(said("hello", channel="C0HELP"), "an order")
    if is_called_off:
        await rest(room.clock)
        room.slack.hangs = False
        assert await bot.cancel(said("stop that", "101.0", channel="C0HELP"))
    await rest(room.clock, 30)
    told = ["Stopped, as you asked. Nothing was done."] if is_called_off else []
    assert (room.slack.notices, len(room.asked)) == (told, 1)
    posts = [(post["channel"], post["text"]) for post in room.slack.posts]
    assert posts == ([] if is_called_off else [("D0ADMIN", "You said hello")])
    assert ("You said" in str(room.talks.saved), '"unsent":[]' in str(room.talks.saved)) == (not is_called_off, True)


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("ends", ["words", "silence", "a fault", "a restart"])
async def test_nothing_stands_in_a_channel_that_practises_or_is_shared(ends: str, is_shared: bool) -> None:
    """Whoever asked reads all of it alone, also what a channel reads elsewhere; so where another company reads it."""

    async def play(agent: Agent, text: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        match ends:
            case "words":
                await agent.says("I did.")
            case "a fault":
                raise TriageError("broken")
            case "a restart":
                await Gate()(agent, text)
        return ""

    room = Room(play=play, execute=execute, done=(ADDED,), preview=set() if is_shared else {"C0HELP"})
    bot = await room.bot()
    await bot.accept(said("add a note", channel="C0HELP").evolve(in_shared_channel=is_shared), "an order")
    await rest(room.clock, 8)
    await bot.stop()
    await room.bot()
    await rest(room.clock, 8)
    assert room.slack.posts == []
    (told,) = room.slack.notices
    assert ADDED[9:] in told


async def test_nothing_is_called_done_before_its_answer_stands_there() -> None:
    """No check mark stands above an answer that is posted later, and the next turn knows that nobody has read it."""

    async def play(agent: Agent, text: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        await agent.says(f"You said {text}")
        return ""

    room = Room(play=play, execute=execute)
    room.slack.failures = [Uncertain("500")] * 2
    bot = await room.bot()
    await bot.accept(said("hello"), "an order")
    await rest(room.clock, 6)
    assert (room.slack.texts, room.results) == ([], ["answered"])
    assert "+ok" not in room.slack.marks
    await bot.accept(said("again", "300.0", root="100.000001"), "an order")
    await rest(room.clock, 3)
    contents = "\n".join(line.content for line in room.heads[-1].agents[-1].history)
    assert f"{UNDELIVERED} You said hello" in contents
    await rest(room.clock, 60)
    own = f"Done: added to {ADDED[9:]}"
    assert set(room.slack.texts) == {f"You said hello\n{own}", f"You said again\n{own}"}


@pytest.mark.parametrize("channel", ["D0ADMIN", "C0HELP"])
async def test_a_command_that_waits_is_said_without_the_models_words(channel: str) -> None:
    """In a channel its asker alone reads where the button is; the history says that it waits; nothing calls it done."""

    async def asked(*_: Any, **__: Any) -> CommandAnswer:
        return CommandAnswer(outcome="asked", line="*Not done yet:* `delete_note` Birds.")

    async def play(agent: Agent, _: str) -> str:
        if not room.results:
            await agent.gives("delete_note", {})
        return ""

    room = Room(play=play, execute=asked)
    await hears(room, channel=channel)
    told = ["Waits for you to confirm in our direct message: `delete_note` Birds."]
    assert (room.slack.posts, room.slack.notices) == ([], told if channel == "C0HELP" else [])
    assert not {"+ok", "+x"} & {*room.slack.marks}
    again = await room.bot()
    await again.accept(said("and now?", "300.0", channel=channel, root="100.000001"), "")
    await rest(room.clock)
    contents = "\n".join(line.content for line in room.heads[-1].agents[-1].history)
    assert "[`delete_note`, waits for a press] *Not done yet:* `delete_note` Birds." in contents


async def test_a_turn_that_hangs_is_called_off_at_once() -> None:
    """What was begun ends and is named; what they have waiting there is not begun; another's word ends nothing."""

    async def play(agent: Agent, text: str) -> str:
        if text == "add a note":
            await agent.gives("append_note", {"title": "Deploy"})
            return await gate(agent, text)
        return await echo(agent, text)

    gate = Gate()
    room = Room(play=play, execute=execute)
    bot = await room.bot()
    assert not await bot.cancel(said("stop that", "99.0"))
    await bot.accept(said("add a note"), "an order")
    await bot.accept(said("next", "200.0"), "an order")
    await rest(room.clock)
    assert not await bot.cancel(said("stop that", "201.0", sender="U0OPS"))
    assert await bot.cancel(said("stop that", "201.0"))
    assert bot.has_accepted(said("stop that", "201.0"))
    await rest(room.clock)
    assert sorted(room.slack.texts) == [CANCELLED, f"Stopped, as you asked.\nDone: added to {ADDED[9:]}"]
    assert room.results == ["called off", "called off"]


async def test_a_turn_that_waits_for_anothers_is_called_off() -> None:
    """Nothing of it is begun."""
    gate = Gate()
    room = Room(play=gate)
    bot = await room.bot()
    await bot.accept(said("one", channel="C0HELP", sender="U0OPS"), "")
    await bot.accept(said("two", "101.0", channel="C0HELP", root="100.000001"), "")
    await rest(room.clock)
    assert await bot.cancel(said("never mind", "102.0", channel="C0HELP", root="100.000001"))
    await rest(room.clock)
    assert (room.slack.texts, room.slack.notices) == ([], [CANCELLED])
    gate.let("one")
    await rest(room.clock)
    assert room.asked == ["one"]


async def test_what_came_of_a_press_stands_in_the_history() -> None:
    """In the conversation that had asked, also after a restart."""
    room = Room()
    bot = await room.bot()
    await bot.accept(said("delete it"), "an order")
    await rest(room.clock)
    await bot.record_outcome(said("x").home, "[`delete_note`, after a press: done] Deleted `a.md`.")
    await bot.record_outcome("T1-C0ELSE-1.0", "of no conversation")
    again = await room.bot()
    await again.accept(said("is it gone?", "300.0", root="100.000001"), "")
    await rest(room.clock)
    contents = "\n".join(line.content for line in room.heads[-1].agents[-1].history)
    assert "Deleted `a.md`." in contents
    assert "of no conversation" not in contents


@pytest.mark.parametrize("channel", ["D0ADMIN", "C0HELP"])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("outcome", "line", "told"),
    [
        (
            "refused",
            "Only admins may pause a project. Nothing was done.",
            "Nothing was changed: only admins may pause a project.",
        ),
        ("failed", "There is no project `x`.", "Nothing was changed: there is no project `x`."),
        ("asked", "*Not done yet:* `delete_note` Birds.", "Waits for you to confirm: `delete_note` Birds."),
        ("done", ADDED, ""),
    ],
)
async def test_code_says_before_the_models_words_what_was_not_done(
    channel: str, late: bool, outcome: Any, line: str, told: str
) -> None:
    """Also of calls after the answer; only what was done has a check mark."""

    async def answer(*_: Any, **__: Any) -> CommandAnswer:
        return CommandAnswer(outcome=outcome, line=line)

    async def play(agent: Agent, _: str) -> str:
        if late:
            await agent.says("All done!")
        await agent.gives("pause", {})
        if not late:
            await agent.says("All done!")
        return ""

    room = Room(play=play, execute=answer)
    await hears(room, channel=channel)
    if channel == "C0HELP":
        told = told.replace("you to confirm", "you to confirm in our direct message")
    seen = [*room.slack.texts, *room.slack.notices]
    if told:
        (wanted,) = (
            [f"All done!\n{told}" if late else f"{told}\nAll done!"] if channel == "D0ADMIN" or not late else [told]
        )
        assert wanted in seen
    assert ("+ok" in room.slack.marks) is (not told)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ("append_note delete_note say", f"Done: added to {ADDED[9:]}\nNot done: no.\nNothing happened."),
        ("delete_note append_note say", f"Done: added to {ADDED[9:]}\nNot done: no.\nNothing happened."),
        (
            "append_note mode say",
            f"Done: added to {ADDED[9:]}\nWaits for you to confirm: `mode` live.\nNothing happened.",
        ),
        ("delete_note say append_note", f"Nothing was changed: no.\nNothing happened.\nDone: added to {ADDED[9:]}"),
        ("append_note say delete_note", f"Nothing happened.\nDone: added to {ADDED[9:]}\nNot done: no."),
        ("append_note say", f"Nothing happened.\nDone: added to {ADDED[9:]}"),
    ],
)
async def test_what_was_done_beside_what_was_not_is_named(calls: str, told: str) -> None:
    """In a direct message too, once, whatever the model says and whichever came first."""

    async def answer(name: str, *_: Any, **__: Any) -> CommandAnswer:
        answers = {
            "append_note": CommandAnswer(line=ADDED),
            "mode": CommandAnswer(outcome="asked", line="*Not done yet:* `mode` live."),
        }
        return answers.get(name, CommandAnswer(outcome="refused", line="No. Nothing was done."))

    async def play(agent: Agent, _: str) -> str:
        for call in calls.split():
            await (agent.says("Nothing happened.") if call == "say" else agent.gives(call, {"title": "Deploy"}))
        return ""

    room = Room(play=play, execute=answer)
    await hears(room)
    assert told in room.slack.texts[-1]
    assert room.slack.texts[-1].count("Done: added") == 1


@pytest.mark.parametrize(
    ("words", "is_named"),
    [
        ("I have added it.", True),
        ("Nothing of `deploy.md` of `shop` was touched.", True),
        (f"This is not true: {ADDED}", True),
        (f"{ADDED} Sorry, no.", True),
        ("TABW", True),
        (ADDED, False),
        (f"Done: {ADDED}", False),
        ("*Added* to deploy.md of shop", False),
    ],
)
async def test_no_model_hides_what_it_changed_in_a_direct_message(words: str, is_named: bool) -> None:
    """Code names it below the model's words, unless they are nothing but the command's own line."""

    async def play(agent: Agent, _: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        await agent.says(words)
        return ""

    room = Room(play=play, execute=execute)
    await hears(room)
    (text,) = room.slack.texts
    assert text.endswith(f"\nDone: added to {ADDED[9:]}") is is_named


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("in deploy, project shop", "", f"{MESSAGE_DELETED}\nDone: added to {ADDED[9:]}"),
        ("in deploy, project shop", "a fault", f"\nDone: added to {ADDED[9:]}\nAsk again only for what is missing."),
        ("add it", "", f"Done: added to {ADDED[9:]}"),
        ("add it", "I did.", f"I did.\nDone: added to {ADDED[9:]}"),
    ],
)
async def test_what_was_done_for_a_message_that_is_deleted_in_a_channel_is_told_to_its_asker(
    text: str, words: str, told: str
) -> None:
    """Once, though its row can stand in no thread any more."""

    async def play(agent: Agent, _: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        if words == "a fault":
            raise TriageError("broken")
        if words:
            await agent.says(words)
        return ""

    room = Room(play=play, execute=execute)
    room.slack.failures = [Refused("gone", code="thread_not_found")]
    await hears(room, text=text, channel="C0HELP")
    (notice,) = room.slack.notices
    assert notice.endswith(told)
    assert room.slack.texts == []


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ("mine", "get_my_questions", ""),
        ("status", "get_status", ""),
        ("mine", "", "Not looked up: `get_my_questions` was not run."),
        ("pause_project", "", "Nothing was changed: `pause_project` was not run."),
        ("rm_rf", "", "Nothing was changed: something was tried that no command does."),
        ("<!channel>`x`", "help", "Nothing was changed: something was tried that no command does."),
    ],
)
def test_nobody_reads_of_the_names_that_a_model_makes_up(wrong: str, right: str, told: str) -> None:
    """A command that was called by its other name is made good when it is called by its right one."""
    log = CallLog(
        specs={spec.tool_name: spec for spec in CATALOGUE.values()}, guard=Guard(redactor=Redactor(), new_nonce=fresh)
    )
    log.add_calls(
        [Call(call_id="1", tool=wrong, input={}), *([Call(call_id="2", tool=right, input={})] if right else ())]
    )
    if right:
        log.begin(right, {}, key="{}")[0].outcome = "done"
    assert describe_undone(log.calls) == told


async def test_what_was_done_for_a_message_that_is_deleted_meanwhile_is_said_outside_of_its_thread() -> None:
    """Once; the thread is gone, and no model is needed for it."""

    async def play(agent: Agent, _: str) -> str:
        await agent.gives("append_note", {"title": "Deploy"})
        assert "deleted. The loop is closed" in await agent.says("Added.")
        return ""

    room = Room(play=play, execute=execute)
    room.slack.failures = [Refused("gone", code="thread_not_found")]
    await hears(room)
    assert room.slack.texts == [f"{MESSAGE_DELETED}\nDone: added to {ADDED[9:]}"]
    assert room.slack.posts[0]["thread_ts"] is None


async def test_an_answer_that_no_call_backs_has_no_check_mark() -> None:
    """Whatever the model says that it did."""

    async def play(agent: Agent, _: str) -> str:
        return "I deleted everything."

    room = Room(play=play)
    await hears(room)
    assert room.slack.texts == ["I deleted everything."]
    assert not {"+ok", "+x"} & {*room.slack.marks}


@pytest.mark.parametrize("channel", ["D0ADMIN", "C0HELP"])
async def test_what_was_done_after_an_answer_is_said_though_a_restart_comes_between(channel: str) -> None:
    """From the audit, once; the model's words stand as they are."""

    async def play(agent: Agent, text: str) -> str:
        await agent.says("Added to Foxes.")
        return await Gate()(agent, text)

    room = Room(play=play, done=(ADDED,))
    bot = await room.bot()
    await bot.accept(said("note the foxes", channel=channel), "an order")
    await rest(room.clock, 2)
    for _ in range(2):
        await bot.stop()
        bot = await room.bot()
        await rest(room.clock, 8)
    assert (*room.slack.notices, *room.slack.texts) == ("Added to Foxes.", f"Done: added to {ADDED[9:]}")
    assert room.results == ["answered"]
