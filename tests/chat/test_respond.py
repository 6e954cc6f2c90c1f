"""`respond`: its call closes the loop whatever stands around it, and nothing is posted that should not be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.agents.tool_runner import ToolRunner
from bot.chat.respond import MAX_ANSWER_CHARS, RespondCalls, build_respond_tool
from bot.commands.command import Untrusted
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.decide.silent_exit import LoopClosed, RetryPrompt, TurnEnd, decide_follow_up
from bot.errors import Refused, RetryLater, ToolError, TriageError, Uncertain
from bot.models.fact import Fact
from bot.models.turn import Call
from bot.tools.tool import Tool

SECRET = "a-loaded" + "-secret-0815"


class Talk:
    """A conversation: what was posted, and what was handed on to triage. `fail` is what the next call meets."""

    def __init__(self, *, in_public: bool = False) -> None:
        self.posted: list[str] = []
        self.asked: list[str] = []
        self.fail: BaseException | None = None
        self.shown: list[str] = []
        self.rests_on: Untrusted | None = None
        self.calls = RespondCalls()
        self.tool = build_respond_tool(
            self._put(self.posted),
            calls=self.calls,
            rests_on=lambda: self.rests_on,
            in_public=in_public,
            show=self._put(self.shown),
            ask_triage=self._put(self.asked),
            redactor=Redactor([SECRET]),
        )

    def _put(self, where: list[str]) -> Any:
        async def put(text: str) -> None:
            if self.fail:
                failure, self.fail = self.fail, None
                raise failure
            where.append(text)

        return put

    async def say(self, text: str) -> str:
        """What the model reads."""
        said: str = await self.tool.run(self.tool.input(text=text))
        return said

    @property
    def ended(self) -> TurnEnd:
        """As the turn's leader sees it."""
        return TurnEnd(responded=self.calls.closed, in_doubt=self.calls.in_doubt, failure=self.calls.refused)


class NoInput(Fact):
    """No input."""


def chaos() -> dict[str, Tool]:
    """Tools that work, fail and break."""

    async def works(_: Any) -> str:
        return "### done\n---"

    async def fails(_: Any) -> str:
        raise ToolError("no such note")

    async def breaks(_: Any) -> str:
        raise ZeroDivisionError

    return {
        name: Tool(name=name, description="", input=NoInput, run=run, is_read_only=False)
        for name, run in (("works", works), ("fails", fails), ("breaks", breaks))
    }


@pytest.mark.parametrize(
    "names",
    [
        ("respond",),
        ("works", "respond"),
        ("respond", "works", "fails"),
        ("fails", "respond", "breaks", "works"),
        ("breaks", "nobody", "respond", "nobody"),
    ],
)
async def test_respond_closes_the_loop_with_chaos_around_it(names: tuple[str, ...]) -> None:
    """What comes before and after does not count, be it that it fails or breaks."""
    talk = Talk()
    bench = ToolRunner(tools={**chaos(), "respond": talk.tool}, limits=RunLimits())
    given = {"respond": {"text": "Paused."}}
    calls = [Call(call_id=str(n), tool=name, input=given.get(name, {})) for n, name in enumerate(names)]
    await bench.run(calls, room=1_000_000)
    assert talk.posted == ["Paused."]
    assert isinstance(decide_follow_up(talk.ended), LoopClosed)
    assert isinstance(decide_follow_up(TurnEnd(actions=names)), RetryPrompt), "the same trace without the call"


async def test_it_is_repaired_and_remarked_on() -> None:
    """Headings and rules are put right; what is taste is posted as written, and the model is told."""
    talk = Talk()
    said = await talk.say("Sure! Here it is.\n### Tasks\n---\nNOTE: three.")
    assert talk.posted == ["Sure! Here it is.\n*Tasks*\n\nNOTE: three."]
    assert said.startswith("Posted.")
    assert "Headings and rules" in said
    assert "it opens with “Sure”; label in capitals: “NOTE”" in said
    assert await Talk().say("Three tasks wait.") == "Posted. The asker has it; the loop is closed."


async def test_a_turn_posts_one_answer() -> None:
    """The same again is no second message, and another one is refused in words."""
    talk = Talk()
    for text in ("One.", "One."):
        await talk.say(text)
    with pytest.raises(ToolError, match="a turn posts one"):
        await talk.say("Two.")
    assert talk.posted == ["One."]


@pytest.mark.parametrize("text", ["", " \n\t", "---", "##  **", "\u200b\u2060 ", "\u3164", "```\n\u2800\n```"])
async def test_nothing_is_no_answer(text: str) -> None:
    """The loop stays open, and the model is told what is missing."""
    talk = Talk()
    with pytest.raises(ToolError, match="nothing to post"):
        await talk.say(text)
    assert not talk.calls.called
    assert not talk.posted


async def test_too_long_a_text_is_refused_at_the_door() -> None:
    """In words that name the bound."""
    bench = ToolRunner(tools={"respond": Talk().tool}, limits=RunLimits())
    long = Call(call_id="1", tool="respond", input={"text": "x" * (MAX_ANSWER_CHARS + 1)})
    (result,) = await bench.run([long], room=1_000_000)
    assert result.failed
    assert f"at most {MAX_ANSWER_CHARS} characters" in result.text


@pytest.mark.parametrize("text", [f"It is {SECRET}.", f"It is {SECRET[:8]}**{SECRET[8:]}**."])
async def test_a_secret_is_not_posted(text: str) -> None:
    """Nor one that bold would put together; said without it, it is."""
    talk = Talk()
    with pytest.raises(ToolError, match="a loaded secret"):
        await talk.say(text)
    assert not talk.posted
    await talk.say("It stands in the vault.")
    assert talk.calls.closed


async def test_what_rests_on_code_becomes_a_question_in_public() -> None:
    """It is not posted there; that closes the loop, and nothing follows it."""
    talk = Talk(in_public=True)
    talk.rests_on = "code"
    said = await talk.say("The limit is 3.")
    assert (talk.posted, talk.asked) == ([], ["The limit is 3."])
    assert "question for triage" in said
    assert isinstance(decide_follow_up(talk.ended), LoopClosed)
    with pytest.raises(ToolError, match="handed on"):
        await talk.say("The limit is 4.")
    assert len(talk.asked) == 1


async def test_words_of_people_are_shown_to_whoever_asked_alone() -> None:
    """That closes the loop too; in a direct message they are simply posted."""
    public, direct = Talk(in_public=True), Talk()
    public.rests_on = direct.rests_on = "people"
    assert "alone" in await public.say("Ana waits: where is the limit?")
    await direct.say("Ana waits: where is the limit?")
    assert (public.posted, len(public.shown), public.asked) == ([], 1, [])
    assert (len(direct.posted), direct.shown) == (1, [])
    assert public.calls.closed


async def test_what_was_read_counts_when_the_tool_is_called() -> None:
    """Not when it was made; in a direct message it does not count."""
    public, direct = Talk(in_public=True), Talk()
    public.rests_on = direct.rests_on = "code"
    await public.say("The limit is 3.")
    await direct.say("The limit is 3.")
    assert (public.posted, public.asked) == ([], ["The limit is 3."])
    assert direct.posted == ["The limit is 3."]


@pytest.mark.parametrize(
    ("failure", "match", "state"),
    [
        (RetryLater("chat.postMessage: rate limited"), "Call it again", (False, False, "")),
        (Uncertain("chat.postMessage: no answer"), "do not respond again", (False, True, "")),
        (Refused("chat.postMessage: is_archived", code="is_archived"), "is_archived", (False, False, "is_archived")),
    ],
)
async def test_a_failing_post_closes_nothing(failure: TriageError, match: str, state: tuple[bool, bool, str]) -> None:
    """Each failure is told apart: again, looked for, never."""
    talk = Talk()
    talk.fail = failure
    with pytest.raises(ToolError, match=match):
        await talk.say("Paused.")
    closed, in_doubt, refused = state
    assert (talk.calls.called, talk.calls.closed, talk.calls.in_doubt) == (True, closed, in_doubt)
    assert refused in talk.calls.refused


async def test_what_slack_took_later_counts() -> None:
    """After a pause or a refusal the next call closes the loop as ever."""
    talk = Talk()
    for failure in (RetryLater("later"), Refused("no", code="no")):
        talk.fail = failure
        with pytest.raises(ToolError):
            await talk.say("Paused.")
    await talk.say("Paused.")
    assert talk.posted == ["Paused."]
    assert talk.ended == TurnEnd(responded=True)


@pytest.mark.parametrize("failure", [Uncertain("no answer"), asyncio.CancelledError()])
async def test_nothing_follows_a_doubt(failure: BaseException) -> None:
    """A post that was cut off may stand there, so none is made until the thread was read."""
    talk = Talk()
    talk.fail = failure
    with pytest.raises((ToolError, asyncio.CancelledError)):
        await talk.say("Paused.")
    with pytest.raises(ToolError, match="Nobody knows yet"):
        await talk.say("Paused.")
    talk.calls.clear_doubt()
    await talk.say("Paused.")
    assert talk.posted == ["Paused."]
    with pytest.raises(ToolError, match="a turn posts one"):
        await talk.say("And resumed.")
