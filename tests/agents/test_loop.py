"""The loop of every agent against a model server on loopback: it ends within its limits, whatever the model does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from bot.adapters.claude import ClaudeModel, Server
from bot.agents.answers import Prose
from bot.agents.ledger import Ledger
from bot.agents.loop import Loop
from bot.agents.run import Run, Task
from bot.agents.run_state import ANSWER_NOW, LAST_TURN
from bot.decide.limits import RunLimits
from bot.errors import NoKey, OverCap, Refused, Stalled, Stopped, ToolError, TriageError, Unreachable
from bot.models.model_parameters import ModelParameters
from bot.models.turn import Call, Turn, Usage
from bot.tools.tool import Tool
from tests import model_stream as sse
from tests.fakes import HandClock, LeapingClock, MemoryKept, MemorySessions, RoundPrices
from tests.model_server import (
    Answer,
    Body,
    ModelServer,
    Script,
    calls,
    cut_body,
    empty,
    hang,
    raw,
    refuses,
    reset,
    says,
    status,
)
from tests.model_stream import cut_stream, slow_stream

GOOD = says('{"limit": 3}')


class Found(BaseModel):
    """The form of the answer."""

    model_config = ConfigDict(extra="forbid")
    limit: int = Field(ge=0, le=9)


class Path(BaseModel):
    """The input of the tools."""

    path: str


def tool(name: str, run: Callable[[Any], Awaitable[str]], *, read_only: bool = True) -> Tool:
    """A tool that takes a path."""
    return Tool(name=name, description="Reads.", input=Path, run=run, is_read_only=read_only)


async def read_file(given: Path) -> str:
    """Says what it was asked for; some paths fail."""
    if given.path == "missing":
        raise ToolError("there is no file missing")
    if given.path == "broken":
        raise RuntimeError("secret-detail")
    return f"{given.path}: limit = 3" if given.path != "long" else "line\n" * 10_000


READ = tool("read_file", read_file)


class Bench:
    """All that a run needs; the figures of what happened stay here."""

    def __init__(self, server: ModelServer, *, cap: float = 10.0, name: str = "scripted", clock: HandClock) -> None:
        self.there = Server(key=None, base_url=server.url, timeout=30)
        self.sessions = MemorySessions()
        self.told: list[str] = []
        self.clock = clock
        self.ledger = Ledger(
            sessions=self.sessions,
            allowance_file=MemoryKept(),
            prices=RoundPrices(),
            clock=clock,
            usd_per_day=cap,
            tell=self.told.append,
        )
        model = ClaudeModel(self.there, name, ModelParameters(max_tokens=1_000))
        self.loop = Loop(model=model, ledger=self.ledger, clock=clock)

    async def run(self, *tools: Tool, question: str = "What is the limit?", **limits: Any) -> Run[Found]:
        """One run."""
        task = Task(
            agent="investigator",
            prompt="You find limits.",
            question=question,
            tools=tools or (READ,),
            form=Found,
            limits=RunLimits(**limits),
        )
        return await self.loop.run(task)


class AtOnce:
    """A model that calls immediately, on a busy machine too, so that all time of a run is its tool's."""

    name, max_output = "scripted", 1_000

    async def reply(self, *_: Any, **__: Any) -> Turn:
        """A call."""
        call = Call(call_id="1", tool="read_file", input={"path": "a"})
        return Turn(text="", calls=(call,), stop="calls", usage=Usage(), content=())


async def ran(
    script: Script, *tools: Tool, clock: HandClock | None = None, **limits: Any
) -> tuple[Run[Found], list[Body]]:
    """A run, and what the server was asked."""
    async with ModelServer(script) as server:
        bench = Bench(server, clock=clock or LeapingClock())
        try:
            return await bench.run(*tools, **limits), server.requests
        finally:
            await bench.there.close()


def read(*paths: Any) -> Body:
    """A turn that reads these."""
    return calls(*(("read_file", {"path": path}) for path in paths))


def results(body: Body) -> list[tuple[str, bool]]:
    """The results in the newest entries of a request: what was said, and whether it failed."""
    blocks = [block for message in body["messages"][-2:] for block in message["content"]]
    return [(block["content"], block["is_error"]) for block in blocks if block["type"] == "tool_result"]


def said(body: Body) -> str:
    """The last thing that code told the model."""
    texts = [block for message in body["messages"] for block in message["content"] if block["type"] == "text"]
    return str(texts[-1]["text"])


async def test_an_answer_after_calls_is_read_into_its_form() -> None:
    """Question, call, result, answer; the session has the figures."""
    run, asked = await ran([read("a.py"), GOOD])
    assert run.answer == Found(limit=3)
    assert results(asked[1]) == [("a.py: limit = 3", False)]
    session = run.session
    assert (session.outcome, session.num_turns, session.tool_calls, session.agent) == ("answered", 2, 1, "investigator")
    assert session.cost_usd == pytest.approx(session.usage.total / 1_000_000)
    assert session.held_usd == 0


async def test_the_history_only_grows_and_the_prefix_never_changes() -> None:
    """Each request begins with the whole of the one before, but for where the moving marker stands."""
    _, asked = await ran([read("a"), read("b"), says("prose"), GOOD])

    def plain(messages: Sequence[Body]) -> list[str]:
        return [json.dumps(m).replace(', "cache_control": {"type": "ephemeral"}', "") for m in messages]

    for before, after in pairwise(asked):
        assert plain(after["messages"])[: len(before["messages"])] == plain(before["messages"])
    assert len({json.dumps([body["tools"], body["system"], body["output_config"]]) for body in asked}) == 1
    assert all("cache_control" in body["tools"][-1] and "cache_control" in body["system"][-1] for body in asked)


async def test_what_an_agent_says_beside_its_calls_goes_back_but_for_a_talk() -> None:
    """Whoever works towards a form keeps its own reasoning; in a talk it would be one more line of it."""
    for form, kept in ((Found, ["text", "tool_use"]), (Prose, ["tool_use"])):
        async with ModelServer([calls(("read_file", {"path": "a"}), said="I look."), GOOD]) as server:
            bench = Bench(server, clock=HandClock())
            task: Task[Any] = Task(agent="a", prompt="p", question="q", tools=(READ,), form=form, limits=RunLimits())
            run = await bench.loop.run(task)
            await bench.there.close()
        assert [block["type"] for block in server.requests[1]["messages"][1]["content"]] == kept
        assert run.answer in (Found(limit=3), Prose(text='{"limit": 3}'))


async def test_calls_of_one_turn_run_side_by_side_where_they_only_read() -> None:
    """Each of three calls waits for the others; with a tool that writes they come one after the other."""
    together = asyncio.Barrier(3)

    async def meet(given: Path) -> str:
        await together.wait()
        return given.path

    run, asked = await ran([read("a", "b", "c"), GOOD], tool("read_file", meet))
    assert run.answer
    assert results(asked[1]) == [("a", False), ("b", False), ("c", False)]

    running, most = 0, 0

    async def alone(given: Path) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return given.path

    await ran([read("a", "b", "c"), GOOD], tool("read_file", alone, read_only=False))
    assert most == 1


@pytest.mark.parametrize(
    ("turn", "observed"),
    [
        (read("missing"), "there is no file missing"),
        (read("broken"), "the tool failed; try another way"),
        (read(5), "the input does not fit: path: Input should be a valid string"),
        (calls(("read_file", "prose")), "the input does not fit"),
        (calls(("read_file", {})), "the input does not fit: path: Field required"),
        (calls(("rm", {"path": "/"})), "there is no tool 'rm'; the tools are: read_file"),
    ],
)
async def test_a_tools_failure_is_an_observation(turn: Body, observed: str) -> None:
    """The model is told in plain words, never with an exception's own, and goes on."""
    run, asked = await ran([turn, GOOD])
    assert run.answer
    ((content, is_error),) = results(asked[1])
    assert observed in content
    assert "secret-detail" not in content
    assert is_error


async def test_the_record_counts_failures_by_tool() -> None:
    """Of tools that are there and were run: neither a made-up name nor a call too many gets into the record."""
    first = calls(("read_file", {"path": "missing"}), ("read_file", {"path": "a"}), ("rm", {"path": "/"}))
    run, _ = await ran([first, read("broken", "b", "c", "missing"), GOOD], calls_per_turn=3)
    assert run.session.failed_tools == {"read_file": 2}
    assert run.session.tool_calls == 5
    clean, _ = await ran([read("a"), GOOD])
    assert clean.session.failed_tools == {}


async def test_a_long_result_is_cut_at_a_line_and_says_how_to_see_more() -> None:
    """At most so many bytes of one result."""
    _, asked = await ran([read("long"), GOOD], result_bytes=1_002)
    ((content, _),) = results(asked[1])
    assert content.startswith("line\n" * 200 + "\n[cut: 1,000 of 50,000 bytes are shown;")
    assert "a range of lines" in content


async def test_a_flood_of_calls_in_one_turn_is_not_run() -> None:
    """What is over the limit of a turn comes back as not run."""
    ran_for: list[str] = []

    async def keep(given: Path) -> str:
        ran_for.append(given.path)
        return "x"

    run, asked = await ran([read(*map(str, range(500))), GOOD], tool("read_file", keep), calls_per_turn=4)
    assert run.answer
    assert ran_for == ["0", "1", "2", "3"]
    assert results(asked[1])[4] == ("not run: at most 4 calls are taken in one turn", False)
    assert len(results(asked[1])) == 500


async def test_calls_that_were_not_run_are_no_errors() -> None:
    """The same ones over the limit, turn after turn, end no run, and count neither as failures nor as repeats."""
    turns = [read(f"a{turn}", f"b{turn}", *["over"] * 6) for turn in range(4)]
    run, asked = await ran([*turns, read("over"), GOOD], calls_per_turn=2)
    assert run.answer
    assert run.session.failed_tools == {}
    assert not any(is_error for request in asked for _, is_error in results(request))
    assert "going in a circle" not in str(asked)


async def test_sixteen_calls_run_side_by_side() -> None:
    """All of a turn wait for each other, and one more is not run."""
    together = asyncio.Barrier(16)

    async def meet(given: Path) -> str:
        await together.wait()
        return given.path

    run, asked = await ran([read(*map(str, range(17))), GOOD], tool("read_file", meet))
    assert run.answer
    texts = [text for text, _ in results(asked[1])]
    assert texts[:16] == [str(number) for number in range(16)]
    assert texts[16] == "not run: at most 16 calls are taken in one turn"


@pytest.mark.parametrize(
    ("script", "outcome", "reason"),
    [
        ([refuses()], "refused", "refused to answer"),
        ([says("", stop="model_context_window_exceeded")], "limit", "model's context window"),
        ([says("It is three.")] * 3, "unusable", "has no JSON object (attempt 3)"),
        ([empty()] * 3, "unusable", "is empty (attempt 3)"),
        ([says('{"limit": 300}')] * 3, "unusable", "limit: Input should be less than or equal to 9"),
        ([says('{"limit": 300, "evil": 1}')] * 3, "unusable", "limit: Input should be less than or equal to 9"),
        ([says('{"limit": ', stop="max_tokens")] * 3, "unusable", "cut at the length limit (attempt 3)"),
        ([read("a")] * 6, "loop", "the same call 5 times in a row"),
        ([read("a"), read("b")] * 5, "loop", "the same two calls in turn, 8 in a row"),
        ([read("missing"), read("b"), read("missing"), read("c")], "loop", "the same error twice"),
        ([calls(("rm", {}))] * 3, "loop", "the same error twice"),
    ],
)
async def test_a_run_without_an_answer_says_why(script: Script, outcome: str, reason: str) -> None:
    """In the session's outcome and reason; nothing more is asked of the model."""
    run, _ = await ran(script)
    assert (run.answer, run.session.outcome) == (None, outcome)
    assert reason in run.session.reason


@pytest.mark.parametrize(
    "bad",
    [
        says("It is three."),
        empty(),
        says('{"limit": 300}'),
        says('{"lim', stop="max_tokens"),
        says("", stop="pause_turn"),
    ],
)
async def test_an_answer_that_does_not_fit_may_be_mended(bad: Answer) -> None:
    """The model is told what is wrong; a paused turn is sent back to go on."""
    run, _ = await ran([bad, GOOD])
    assert run.answer == Found(limit=3)


@pytest.mark.parametrize("said", ['```json\n{"limit": 3}\n```', 'Here it is: {"limit": 3} as asked.'])
async def test_json_between_prose_is_found(said: str) -> None:
    """Servers that ignore the form wrap it; what is inside is validated all the same."""
    run, _ = await ran([says(said)])
    assert run.answer == Found(limit=3)


@pytest.mark.parametrize(
    ("answers", "limit"),
    [
        ([says('{"limit": 3} or {"limit": 4}'), says('{"limit": 4}')], 4),
        ([says('{"limit": 3} or {"limit": 4}')] * 3, 3),
        ([says('{"limit": 3} or {"limit": 4}'), refuses()], 3),
        ([says('{"limit": 3} or {"limit": 4}'), status(529)], 3),
    ],
)
async def test_of_two_answers_the_model_names_the_one_that_counts(answers: list[Answer], limit: int) -> None:
    """The first one counts where it names none, refuses or is gone."""
    run, _ = await ran(answers, retries=0)
    assert run.answer == Found(limit=limit)
    assert run.session.outcome == "answered"


async def test_a_whole_answer_before_a_cut_text_counts() -> None:
    """Only what followed it is lost."""
    run, asked = await ran([says('{"limit": 3} And so on, for', stop="max_tokens")])
    assert (run.answer, len(asked)) == (Found(limit=3), 1)


WORDS = says('{"limit": 300, "note": "It is three hundred."}')


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ([WORDS] * 3, "unusable"),
        ([empty()] * 2, "unusable"),
        ([says('{"lim', stop="max_tokens")] * 2, "unusable"),
        ([refuses()], "refused"),
        ([says("", stop="model_context_window_exceeded")], "limit"),
        ([read(str(number)) for number in range(24)], "limit"),
        ([read("a")] * 6, "loop"),
        ([read("a"), read("b")] * 5, "loop"),
        ([read("missing"), read("b"), read("missing"), read("c")], "loop"),
        ([read("hangs")], "stalled"),
        ([hang], "stalled"),
        ([status(529)], "unreachable"),
        ([reset], "unreachable"),
        ([status(401)], "no_key"),
        ([status(402)], "over_cap"),
        ([status(400)] * 9, "failed"),
    ],
)
async def test_every_end_has_the_best_text_of_the_run(ends: list[Answer], outcome: str) -> None:
    """The answer that did not fit, in lines that people read; beside the outcome, and never as the answer."""

    async def read_or_hang(given: Path) -> str:
        if given.path == "hangs":
            await asyncio.Event().wait()
        return await read_file(given)

    async with ModelServer([WORDS, *ends]) as server:
        bench = Bench(server, clock=HandClock())
        try:
            run = await bench.run(tool("read_file", read_or_hang), turns=24, corrections=2, idle_seconds=0.5, retries=0)
            with pytest.raises(TriageError) as raised:
                run.get_answer()
            assert (run.answer, run.unchecked_notes) == (None, raised.value.unchecked_notes)
            notes = run.unchecked_notes
        except TriageError as problem:
            notes = problem.unchecked_notes
        await bench.there.close()
    assert bench.sessions.saves[-1].outcome == outcome
    assert notes == "limit: 300\nnote: It is three hundred."


async def test_the_text_of_a_broken_stream_is_kept_as_notes() -> None:
    """It was paid for, as far as it came; a longer answer before it is the better one."""
    words = ("It is three, as far as I can see. " * 20).strip()
    longer = f"I do not know. {words}"
    broken = sse.cut_stream(says(words), "content_block_stop")
    for before, notes in (([], words), ([says(longer)], longer)):
        async with ModelServer([*before, broken, status(529), reset]) as server:
            bench = Bench(server, clock=LeapingClock())
            with pytest.raises(Unreachable) as raised:
                await bench.run(retries=2)
            await bench.there.close()
        assert raised.value.unchecked_notes == notes


async def test_words_beside_calls_are_notes_where_there_was_no_answer() -> None:
    """The newest first."""
    looks = [calls(("read_file", {"path": name}), said=f"I look at {name}.") for name in ("a", "b")]
    run, _ = await ran([*looks, refuses()])
    assert run.unchecked_notes == "I look at b.\n\nI look at a."
    answered, _ = await ran([*looks, GOOD])
    assert answered.unchecked_notes == ""


async def test_an_answer_is_checked_once_and_the_second_one_is_taken_as_it_is() -> None:
    """The faults go back in the same conversation; where no other answer comes, the first one counts."""
    asked_for: list[Found] = []

    async def check(answer: Found, _: Any) -> str:
        asked_for.append(answer)
        return "Line 3 has another limit."

    for second, limit in ((says('{"limit": 4}'), 4), (refuses(), 3), (status(529), 3), (read("a"), 3)):
        async with ModelServer([GOOD, *([second] * (5 if second == read("a") else 1))]) as server:
            bench = Bench(server, clock=HandClock())
            task = Task(
                agent="investigator",
                prompt="p",
                question="q",
                tools=(READ,),
                form=Found,
                limits=RunLimits(turns=2, retries=0),
                check=check,
            )
            run = await bench.loop.run(task)
            await bench.there.close()
        assert (run.answer, run.session.outcome) == (Found(limit=limit), "answered")
        assert len(server.requests) == 2
        assert "Line 3 has another limit." in json.dumps(server.requests[1]["messages"][-1])
    assert asked_for == [Found(limit=3)] * 4


async def test_a_check_that_breaks_loses_no_answer() -> None:
    """The answer counts; the log has the cause."""

    async def check(answer: Found, _: Any) -> str:
        raise OSError("disk")

    async with ModelServer([GOOD]) as server:
        bench = Bench(server, clock=HandClock())
        task = Task(agent="a", prompt="p", question="q", tools=(READ,), form=Found, limits=RunLimits(), check=check)
        run = await bench.loop.run(task)
        await bench.there.close()
    assert (run.answer, run.session.outcome, run.session.held_usd) == (Found(limit=3), "answered", 0)
    assert bench.ledger.spent == pytest.approx(run.session.cost_usd)


async def test_no_turn_is_begun_for_a_check_where_none_fits() -> None:
    """The answer counts as it is."""

    async def check(answer: Found, _: Any) -> str:
        return "Line 3 has another limit."

    async with ModelServer([GOOD]) as server:
        bench = Bench(server, clock=HandClock())
        limits = RunLimits(turns=1)
        task = Task(agent="a", prompt="p", question="q", tools=(READ,), form=Found, limits=limits, check=check)
        run = await bench.loop.run(task)
        await bench.there.close()
    assert (run.answer, len(server.requests)) == (Found(limit=3), 1)


async def test_calls_in_a_cut_turn_are_not_run() -> None:
    """Their input may be half of it; each still gets its result, since the API wants one."""
    run, asked = await ran([calls(("read_file", {"path": "a"}), stop="max_tokens"), GOOD])
    assert run.answer
    assert results(asked[1]) == [("not run: the turn was cut at the length limit", False)]


async def test_a_warning_is_put_into_the_conversation() -> None:
    """At the third equal call, and the run goes on."""
    run, asked = await ran([read("a"), read("a"), read("a"), GOOD])
    assert run.answer
    assert "circle" not in said(asked[2])
    assert said(asked[3]).startswith("You are going in a circle: the same call 3 times in a row")


async def test_the_last_turn_is_told_that_it_is_the_last() -> None:
    """Calls that it makes all the same are not run, and it is asked once more."""
    endless = (read(str(n)) for n in count())
    run, asked = await ran(lambda _: next(endless), turns=4)
    assert [said(body) == LAST_TURN for body in asked] == [False, False, False, True, True]
    assert results(asked[4]) == [(f"not run: {ANSWER_NOW}", False)]
    assert (run.session.outcome, run.session.num_turns, run.session.tool_calls) == ("limit", 5, 3)
    assert run.session.reason == "it gave no answer in the last turn within its limits (4 turns)"
    assert run.session.failed_tools == {}


@pytest.mark.parametrize("bad", [read("a"), says("It is three."), says('{"lim', stop="max_tokens"), empty()])
async def test_the_last_turn_may_be_mended_once(bad: Answer) -> None:
    """Whether it called a tool, or gave an answer that does not fit."""
    run, asked = await ran([bad, GOOD], turns=1)
    assert run.answer == Found(limit=3)
    assert said(asked[0]) == LAST_TURN


async def test_a_call_that_closes_the_task_is_run_in_the_last_turn() -> None:
    """It is the answer; another call beside it is not run."""
    ran_for: list[str] = []

    async def keep(given: Path) -> str:
        ran_for.append(given.path)
        return "x"

    closing = replace(tool("respond", keep), is_closing=True)
    async with ModelServer([calls(("read_file", {"path": "a"}), ("respond", {"path": "b"}))]) as server:
        bench = Bench(server, clock=HandClock())
        task: Task[Any] = Task(
            agent="a",
            prompt="p",
            question="q",
            tools=(tool("read_file", keep), closing),
            form=Prose,
            limits=RunLimits(turns=1),
            is_closed=lambda: bool(ran_for),
        )
        run = await bench.loop.run(task)
        await bench.there.close()
    assert (run.session.outcome, ran_for) == ("answered", ["b"])


@pytest.mark.parametrize("limits", [{"tokens": 30_000}, {"tool_bytes": 60, "result_bytes": 20}, {"usd": 0.03}])
async def test_no_limit_is_passed_by_a_model_that_uses_all_it_can(limits: dict[str, Any]) -> None:
    """Tokens, money and bytes of results: the last turn that surely fits is told so, and none is begun after it."""
    endless = count()

    def greedy(body: Body) -> Answer:
        usage = {"input_tokens": len(json.dumps(body)), "output_tokens": body["max_tokens"]}
        return read(str(next(endless))) | {"usage": usage}

    run, asked = await ran(greedy, **limits)
    assert run.session.outcome == "limit"
    assert said(asked[-1]) == LAST_TURN
    assert 2 < run.session.num_turns < 24
    if "tool_bytes" not in limits:
        assert 15_000 < run.session.usage.total <= 30_000


async def test_money_for_no_turn_at_all_is_over_the_cap() -> None:
    """The caller is told apart from a run that ended, since another engine can answer."""
    async with ModelServer([]) as server:
        bench = Bench(server, clock=HandClock())
        with pytest.raises(OverCap, match=r"a run may cost \$0\.00"):
            await bench.run(usd=0.001)
    assert bench.ledger.spent == 0


async def test_time_that_is_nearly_over_makes_the_last_turn() -> None:
    """A tool that took three quarters of the time."""
    clock = HandClock()

    async def slow(given: Path) -> str:
        await clock.move(80)
        return "x"

    run, asked = await ran([read("a"), GOOD], tool("read_file", slow), clock=clock, seconds=100)
    assert run.answer
    assert said(asked[1]) == LAST_TURN
    assert run.session.duration_ms == 80_000


async def test_a_tool_that_never_ends_is_ended_with_the_run() -> None:
    """The wall clock is a limit of its own."""

    async def forever(given: Path) -> str:
        await asyncio.Event().wait()
        return ""

    async with ModelServer([]) as server:
        bench = Bench(server, clock=HandClock())
        bench.loop = replace(bench.loop, model=AtOnce())
        run = await bench.run(tool("read_file", forever), seconds=0.1)
    assert run.session.outcome == "limit"
    assert "longer than 0.1 s" in run.session.reason


@pytest.mark.parametrize(
    ("fault", "error", "outcome"),
    [
        (status(429), Unreachable, "unreachable"),
        (status(500), Unreachable, "unreachable"),
        (status(529), Unreachable, "unreachable"),
        (status(401), NoKey, "no_key"),
        (status(402), OverCap, "over_cap"),
        (status(413), Refused, "failed"),
        (raw("{broken"), Unreachable, "unreachable"),
        (cut_body, Unreachable, "unreachable"),
        (reset, Unreachable, "unreachable"),
        (hang, Stalled, "stalled"),
    ],
)
async def test_a_fault_ends_the_run_and_the_next_question_is_served(
    fault: Answer, error: type[TriageError], outcome: str
) -> None:
    """In the middle of a run; its session is closed with the reason, and what may be billed counts as spent."""
    async with ModelServer([read("a"), fault, GOOD]) as server:
        bench = Bench(server, clock=HandClock())
        with pytest.raises(error) as raised:
            await bench.run(seconds=1.0 if fault is hang else 30, retries=0)
        first = bench.sessions.saves[-1]
        assert (first.outcome, first.reason, first.num_turns) == (outcome, str(raised.value), 1)
        billed = getattr(raised.value, "billed", False)
        assert (first.unsure_usd > 0) is billed
        assert first.cost_usd == pytest.approx(first.usage.total / 1_000_000)
        assert bench.ledger.spent == pytest.approx(first.spent_usd)
        assert (await bench.run()).answer == Found(limit=3)
        await bench.there.close()


async def test_a_run_that_is_called_off_leaves_its_record() -> None:
    """What its call may have cost counts."""
    async with ModelServer([hang]) as server:
        bench = Bench(server, clock=HandClock())
        task = asyncio.create_task(bench.run())
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await bench.there.close()
    (session,) = bench.sessions.kept.values()
    assert session.outcome == "cancelled"
    assert session.unsure_usd
    assert bench.ledger.spent == session.spent_usd


async def test_a_model_without_a_price_is_held_by_tokens() -> None:
    """The cost is unknown, and the record says so."""
    endless = (read(str(n)) for n in count())
    async with ModelServer(lambda _: next(endless)) as server:
        bench = Bench(server, clock=HandClock(), name="free-and-local")
        run = await bench.run(tokens=9_000, usd=0.000_001)
        await bench.there.close()
    assert (run.session.outcome, run.session.cost_usd) == ("limit", None)
    assert run.session.usage.total <= 9_000


async def test_many_runs_at_once_never_spend_more_than_the_day_allows() -> None:
    """Fifty at the same time on money for a few: what is spent stays below the cap, the others are over it."""

    def plays(body: Body) -> Answer:
        return GOOD if len(body["messages"]) > 3 else read("a")

    async with ModelServer(plays) as server:
        bench = Bench(server, cap=0.05, clock=HandClock())
        ends = await asyncio.gather(*(bench.run() for _ in range(50)), return_exceptions=True)
        await bench.there.close()
    answered = [end for end in ends if isinstance(end, Run)]
    assert all(end.session.outcome == "answered" for end in answered)
    assert all(isinstance(end, OverCap) for end in ends if not isinstance(end, Run))
    assert 0 < len(answered) < 50
    total = sum(session.cost_usd or 0 for session in bench.sessions.kept.values())
    assert total == pytest.approx(bench.ledger.spent)
    assert total <= 0.05
    assert any("used up" in line for line in bench.told)


@pytest.mark.parametrize("fault", [GOOD, says("prose"), status(529), status(400), read("a"), hang])
async def test_every_run_is_written_down_once_however_it_ends(fault: Answer) -> None:
    """An answer, none, a server in trouble, a tool that breaks the loop, and a run that is called off."""
    kept: list[Run[Found]] = []

    async def keep(run: Run[Found]) -> None:
        kept.append(run)

    async def called_off(given: Path) -> str:
        raise asyncio.CancelledError

    async with ModelServer(lambda _: fault) as server:
        bench = Bench(server, clock=HandClock())
        task = Task(
            agent="investigator",
            prompt="You find limits.",
            question="What is the limit?",
            tools=(tool("read_file", called_off),),
            form=Found,
            limits=RunLimits(retries=0),
            keep=keep,
        )
        running = asyncio.create_task(bench.loop.run(task))
        await server.arrived.wait()
        if fault is hang:
            running.cancel()
        await asyncio.gather(running, return_exceptions=True)  # a task whose error nobody reads is printed
        await bench.there.close()
    (run,) = kept
    assert run.session == bench.sessions.saves[-1]
    assert run.session.outcome != "running"
    assert (run.answer is None) is (fault is not GOOD)
    assert run.history[1:2]


async def test_no_call_is_run_whose_result_would_not_fit() -> None:
    """What is opened and then not shown would count as seen; the model is told, and that turn was the last."""
    ran_for: list[str] = []

    async def keep(given: Path) -> str:
        ran_for.append(given.path)
        return "x" * 90

    run, asked = await ran([read("a", "b", "c"), GOOD], tool("read_file", keep), tool_bytes=250, result_bytes=100)
    assert run.answer
    assert ran_for == ["a", "b"]
    assert results(asked[1])[2] == ("not run: there is no room for more results in this run", False)
    assert said(asked[1]) == LAST_TURN


async def test_half_a_surrogate_pair_breaks_nothing() -> None:
    """In a call, in the name of a tool and in the answer."""
    half = '{"path": ".env\\ud800"}'
    block = '{"type": "tool_use", "id": "t1", "name": "NAME", "input": ' + half + "}"
    turn = '{"content": [BLOCK], "stop_reason": "tool_use", "usage": {}, "model": "m"}'
    answers = [raw(turn.replace("BLOCK", block.replace("NAME", name))) for name in ("read_file", "rm\\udfff")]
    run, asked = await ran([*answers, GOOD])
    assert run.answer
    assert results(asked[1]) == [(".env?: limit = 3", False)]
    assert "there is no tool 'rm?'" in results(asked[2])[0][0]


async def test_a_tool_that_does_not_come_back_is_a_stall() -> None:
    """The run does not wait for its whole time; the sentence says how long nothing moved, and at what."""

    async def never(_: Path) -> str:
        await asyncio.Event().wait()
        return ""

    run, _ = await ran([read("a"), GOOD], tool("read_file", never), idle_seconds=0.05, seconds=60)
    assert (run.session.outcome, run.why) == ("stalled", "stalled")
    assert run.session.reason == "there was no progress for 0.05 seconds: read_file did not come back"
    with pytest.raises(Stopped, match="no progress"):
        run.get_answer()


async def test_a_silent_model_is_a_stall_by_its_inactivity_time() -> None:
    """Though the run has more time left."""
    async with ModelServer([hang]) as server:
        bench = Bench(server, clock=HandClock())
        with pytest.raises(Stalled, match=r"^there was no progress for 0\.2 seconds: the model did not answer"):
            await bench.run(idle_seconds=0.2, seconds=60, retries=0)
        await bench.there.close()


async def test_a_turn_that_broke_off_costs_what_it_can_have_used() -> None:
    """What the server had read is known, and no turn writes more than its size: all that was held is not booked."""
    usage = {"input_tokens": 3_000, "output_tokens": 20}
    async with ModelServer([cut_stream(GOOD | {"usage": usage}, "content_block_start")]) as server:
        bench = Bench(server, clock=HandClock())
        with pytest.raises(Unreachable, match="broke"):
            await bench.run(question="What is the limit? " * 1_000, retries=0)
        await bench.there.close()
    (session,) = bench.sessions.kept.values()
    most = Usage(input_tokens=3_000, output_tokens=1_000)
    assert session.unsure_usd == pytest.approx(RoundPrices().cost("scripted", most))
    assert session.held_usd == 0


async def test_a_run_lasts_as_long_as_its_model_makes_progress() -> None:
    """A turn that comes on for longer than the time of inactivity is no stall."""
    run, _ = await ran([slow_stream(GOOD, every=0.03)], idle_seconds=0.25, seconds=60)
    assert run.answer


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        ([read("a")] * 6, "repeats"),
        ([read("a"), read("b")] * 5, "ping-pong"),
        ([read("missing"), read("b"), read("missing"), read("c")], "same-error"),
        ([read(f"{n}") for n in range(4)], "limit"),
    ],
)
async def test_a_run_that_a_guard_stopped_says_which(turns: list[Answer], why: str) -> None:
    """As the status of its task will have it."""
    run, _ = await ran([*turns, GOOD], turns=3 if why == "limit" else 20)
    assert (run.answer, run.why) == (None, why)


@pytest.mark.parametrize(
    "after",
    [
        [says("See my answer above.")],
        [read("b"), read("c"), read("d")],
        [read("missing"), read("missing")],
        [read("b")] * 5,
    ],
)
async def test_an_answer_beside_calls_counts_if_no_later_one_comes(after: list[Answer]) -> None:
    """However the run ends: by a text without the form, its limits, or a circle."""
    whole = calls(("read_file", {"path": "a"}), said='I have it: {"limit": 3}')
    run, _ = await ran([whole, *after, *[says("Above.")] * 2], turns=4 if len(after) == 3 else 20, corrections=1)
    assert run.answer == Found(limit=3)


CIRCLES = {
    "repeats": [read("a")] * 5,
    "alternation": [read("a"), read("b")] * 4,
    "an unknown tool": [read("a"), *[calls(("rm", {"path": "/"}))] * 2],
    "an error beside a good call": [read("missing"), read("b", "missing")],
}


@pytest.mark.parametrize("name", CIRCLES)
async def test_after_a_circle_the_model_may_still_answer(name: str) -> None:
    """In one last turn, so that the paid reading is not lost."""
    run, asked = await ran([*CIRCLES[name], GOOD], turns=24)
    assert run.answer == Found(limit=3)
    assert said(asked[-1]).startswith("You are going in a circle: the same ")
    assert said(asked[-1]).endswith(LAST_TURN)
    assert len(asked) == len(CIRCLES[name]) + 1


@pytest.mark.parametrize("name", CIRCLES)
async def test_a_circle_that_goes_on_costs_one_further_turn(name: str) -> None:
    """Whatever is called in the last turn, none of it is run."""
    run, asked = await ran([*CIRCLES[name], read("other", "more"), GOOD], turns=24)
    assert (run.answer, run.session.outcome) == (None, "loop")
    assert run.session.reason.startswith("the model went in a circle: the same ")
    assert len(asked) == len(CIRCLES[name]) + 1


async def test_a_tool_that_answers_is_run_after_a_circle() -> None:
    """The last turn of a conversation is a call."""
    told: list[str] = []

    async def respond(given: Path) -> str:
        told.append(given.path)
        return "posted"

    closing = replace(tool("respond", respond), is_closing=True)
    async with ModelServer([*[read("a")] * 5, calls(("respond", {"path": "it is three"}))]) as server:
        bench = Bench(server, clock=HandClock())
        task: Task[Any] = Task(
            agent="a",
            prompt="p",
            question="q",
            tools=(READ, closing),
            form=Prose,
            limits=RunLimits(),
            is_closed=lambda: bool(told),
        )
        run = await bench.loop.run(task)
        await bench.there.close()
    assert (told, run.session.outcome) == (["it is three"], "answered")


async def test_calls_made_twice_in_one_turn_are_no_circle() -> None:
    """The model has not read the first answer yet."""
    twice = [read(*["missing"] * 2), read(*["a"] * 6), GOOD]
    run, asked = await ran(twice)
    assert run.answer == Found(limit=3)
    assert len(asked) == 3


async def test_of_answers_that_differ_the_first_counts_and_that_is_recorded() -> None:
    """After the model was asked once for the one that counts."""
    both = says('{"limit": 3} or {"limit": 4}')
    run, _ = await ran([both, both], corrections=1)
    assert run.answer == Found(limit=3)
    assert [change.text for change in run.changes] == ["2 answers that differ; the first one counts"]
