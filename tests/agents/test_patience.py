"""Temporary failures of the model's server in the middle of a run: the run waits, and its draft comes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.agents.journal import RunJournal
from bot.agents.patience import find_pause
from bot.agents.run import Task
from bot.decide.limits import RunLimits
from bot.decide.redaction.redactor import Redactor
from bot.errors import NoKey, OverCap, Refused, TriageError, Unreachable
from bot.models.turn import Results, Turn
from tests.agents.test_loop import GOOD, READ, Bench, Found, read
from tests.builders import T0
from tests.fakes import LeapingClock
from tests.model_server import Answer, Body, ModelServer, calls, cut_body, raw, reset, says, status
from tests.model_stream import cut_stream, error_in_stream, spoiled_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.agents.run import Run


def troubled(clock: LeapingClock, fault: Answer, seconds: float) -> Callable[[Body], Answer]:
    """A server that fails for some seconds after its first turn."""

    def script(body: Body) -> Answer:
        if len(body["messages"]) == 1:
            return read("a.py")
        return fault if clock.now() < T0 + timedelta(seconds=seconds) else GOOD

    return script


async def ran(script: Any, clock: LeapingClock, **limits: Any) -> tuple[Run[Found], Bench, list[Body]]:
    """A run, with all that it touched."""
    async with ModelServer(script) as server:
        bench = Bench(server, clock=clock)
        try:
            return await bench.run(**limits), bench, server.requests
        finally:
            await bench.there.close()


@pytest.mark.parametrize("seconds", [5, 30, 120])
@pytest.mark.parametrize("number", [429, 500, 529])
async def test_the_answer_comes_after_a_time_of_overload(number: int, seconds: float) -> None:
    """With the turns from before it, none of which is paid twice."""
    clock = LeapingClock()
    run, bench, asked = await ran(troubled(clock, status(number), seconds), clock)
    assert run.answer == Found(limit=3)
    assert (run.session.num_turns, run.session.tool_calls) == (2, 1)
    assert clock.waits[:4] == [2, 4, 8, 15][: len(clock.waits)]
    assert set(clock.waits[4:]) <= {15}
    assert len(asked) == 2 + len(clock.waits)
    assert run.session.unsure_usd == 0
    assert bench.ledger.spent == pytest.approx(run.session.cost_usd)


@pytest.mark.parametrize("fault", [reset, cut_body, cut_stream(GOOD, 5), error_in_stream(GOOD, 5)])
async def test_a_call_that_may_have_been_billed_is_tried_again_at_its_most(fault: Answer) -> None:
    """What it may have cost is no known cost, and counts against the caps."""
    clock = LeapingClock()
    run, bench, _ = await ran([read("a.py"), fault, GOOD], clock)
    assert run.answer == Found(limit=3)
    assert clock.waits == [2]
    assert run.session.cost_usd == pytest.approx(run.session.usage.total / 1_000_000)
    assert run.session.unsure_usd > 0
    assert bench.ledger.spent == pytest.approx(run.session.spent_usd)


async def test_the_text_of_a_broken_answer_stays_in_the_record() -> None:
    """The next try brings another answer, and the team has paid for both."""
    clock = LeapingClock()
    run, _, _ = await ran([cut_stream(says("At first I saw it otherwise."), 4), GOOD], clock)
    assert run.answer
    assert run.broken_texts == ("At first I saw it otherw",)


async def test_a_pause_that_the_server_names_is_kept() -> None:
    """Even a short one is not shorter than a second."""
    clock = LeapingClock()
    script = [status(429, retry_after=37), status(529, retry_after=0.2), status(529), GOOD]
    run, _, _ = await ran(script, clock)
    assert run.answer
    assert clock.waits == [37, 1, 8]


@pytest.mark.parametrize(
    ("tries", "after", "pause"),
    [
        (1, None, 2),
        (4, None, 15),
        (99, None, 15),
        (1, 7.5, 7.5),
        (1, -3, 1),
        (2, float("nan"), 4),
        (3, float("inf"), 8),
    ],
)
def test_the_pause_before_a_try(tries: int, after: float | None, pause: float) -> None:
    """The server's word counts where it is a number of seconds."""
    assert find_pause(tries, after) == pause


async def test_after_a_success_the_pauses_begin_anew() -> None:
    """A second time of overload is not the first one's continuation."""
    clock = LeapingClock()
    await ran([status(529), status(529), read("a"), status(529), GOOD], clock)
    assert clock.waits == [2, 4, 2]


async def test_at_its_deadline_the_run_ends_with_the_cause_and_what_it_had() -> None:
    """The record keeps its turns; the error has the tries and the turns before them."""
    clock, kept = LeapingClock(), []
    async with ModelServer(troubled(clock, status(529), 9_999)) as server:
        bench = Bench(server, clock=clock)

        async def keep(run: Run[Found]) -> None:
            kept.append(run)

        task = Task(
            agent="investigator",
            prompt="p",
            question="q",
            tools=(READ,),
            form=Found,
            limits=RunLimits(seconds=60),
            keep=keep,
        )
        with pytest.raises(Unreachable) as raised:
            await bench.loop.run(task)
        await bench.there.close()
    (run,) = kept
    assert str(raised.value) == (
        "the model's server is overloaded (529), 7 times in a row; 1 turn with 1 call came before"
    )
    assert (run.session.outcome, run.session.reason) == ("unreachable", str(raised.value))
    assert run.session.num_turns == 1
    assert len([entry for entry in run.history if isinstance(entry, Turn | Results)]) == 2
    assert 40 <= sum(clock.waits) <= 60


async def test_a_pause_beyond_the_deadline_is_not_waited_for() -> None:
    """Another engine answers sooner."""
    clock = LeapingClock()
    with pytest.raises(
        Unreachable, match=r"^the model's server allows no more calls now \(429\); it asks to wait 3,600 s, and"
    ):
        await ran([status(429, retry_after=3600)], clock)
    assert clock.waits == []


@pytest.mark.parametrize("after", [float("inf"), float("nan"), -3, 1e30, None])
async def test_a_pause_that_is_none_is_not_named(after: float | None) -> None:
    """Neither one of years nor one that is no number."""
    clock = LeapingClock()
    with pytest.raises(Unreachable) as raised:
        await ran(lambda _: status(529, retry_after=after), clock, seconds=20)
    assert "it asks to wait" not in str(raised.value)
    assert "overloaded (529)" in str(raised.value)


REFUSALS: list[tuple[Answer, type[TriageError], str]] = [
    (status(400, said="odd"), Refused, "refuses the request (400): odd"),
    (status(401), NoKey, "wants a key (401), and there is none; set ANTHROPIC_API_KEY"),
    (status(402), OverCap, "has no credit left (402); add credit there"),
    (
        status(403, kind="permission_error", said="not this one"),
        Unreachable,
        "permit the model scripted (403): not this",
    ),
    (status(404), Unreachable, "knows no model scripted, or speaks no Messages API (404): no; name another"),
    (status(413), Refused, "as too large (413)"),
]


@pytest.mark.parametrize(("fault", "error", "text"), REFUSALS, ids=[text for *_, text in REFUSALS])
async def test_every_failure_after_paid_turns_names_them(fault: Answer, error: type[TriageError], text: str) -> None:
    """On the card, and in the run's record; before the first turn there is nothing to name."""
    ending = "; 2 turns with 3 calls came before"
    with pytest.raises(error) as raised:
        await ran([read("a"), read("b", "c"), *[fault] * 3], LeapingClock())
    assert text in str(raised.value)
    assert str(raised.value).endswith(ending)
    with pytest.raises(error) as raised:
        await ran([fault] * 3, LeapingClock())
    assert "came before" not in str(raised.value)


@pytest.mark.parametrize("retries", [0, 2])
async def test_the_settings_may_limit_the_tries(retries: int) -> None:
    """In a row, not in the whole run."""
    clock = LeapingClock()
    with pytest.raises(Unreachable):
        await ran([*[status(529)] * (retries + 1)], clock, retries=retries)
    assert len(clock.waits) == retries


@pytest.mark.parametrize("fault", [status(404), status(302)])
async def test_what_does_not_pass_is_not_waited_for(fault: Answer) -> None:
    """A wrong name or address stays wrong."""
    clock = LeapingClock()
    with pytest.raises(Unreachable):
        await ran(lambda _: fault, clock)
    assert clock.waits == []


async def test_tries_that_may_be_billed_end_within_the_money_of_the_run() -> None:
    """The error names the server's failure and the limit that ended the run."""
    clock = LeapingClock()
    with pytest.raises(Unreachable, match=r"broke, \d+ times in a row; a run may cost \$0\.01"):
        await ran(lambda _: reset, clock, usd=0.01)


async def test_a_wait_is_no_inactivity_of_the_run() -> None:
    """That limit is for a model and tools that do not move."""
    clock = LeapingClock()
    run, _, _ = await ran([read("a"), status(529, retry_after=90), GOOD], clock, idle_seconds=5)
    assert run.answer


async def test_a_person_who_watches_sees_that_the_run_waits() -> None:
    """A line of its journal, with the cause."""

    class Lines:
        def __init__(self) -> None:
            self.lines: list[str] = []

        async def append(self, task: str, name: str, line: str, **_: Any) -> None:
            self.lines.append(line)

    tasks: Any = Lines()
    clock = LeapingClock()
    journal = RunJournal(tasks=tasks, redactor=Redactor(), clock=clock, task="t", name="j.md")
    async with ModelServer([calls(("read_file", {"path": "a"})), status(529), says('{"limit": 3}')]) as server:
        bench = Bench(server, clock=clock)
        task = Task(agent="a", prompt="p", question="q", tools=(READ,), form=Found, limits=RunLimits(), journal=journal)
        await bench.loop.run(task)
        await bench.there.close()
    assert any(
        "waits 2 s for the model's server and tries again: the model's server is overloaded (529)" in line
        for line in tasks.lines
    )


PAGE = raw("<html>Bad gateway</html>", content_type="text/html")


@pytest.mark.parametrize(
    "fault",
    [
        PAGE,
        raw("<html>Bad gateway</html>", content_type="text/html", number=502),
        raw("upstream went away", content_type="text/plain"),
        raw(""),
        raw("[]"),
        spoiled_stream(GOOD, 0),
    ],
)
async def test_a_proxys_error_page_between_two_turns_is_tried_again(fault: Answer) -> None:
    """The server has answered before, so its address is right."""
    clock = LeapingClock()
    run, _, asked = await ran([read("a.py"), fault, fault, GOOD], clock)
    assert (run.answer, clock.waits, len(asked)) == (Found(limit=3), [2, 4], 4)


@pytest.mark.parametrize("fault", [PAGE, raw("upstream went away", content_type="text/plain"), raw("[]")])
async def test_a_server_that_never_answered_is_asked_once(fault: Answer) -> None:
    """Waiting would not mend a wrong address."""
    clock = LeapingClock()
    with pytest.raises(
        Unreachable, match="so model.base_url may be wrong" if fault is PAGE else "not JSON|not a message"
    ):
        await ran(lambda _: fault, clock)
    assert clock.waits == []


async def test_error_pages_to_the_end_of_the_run_are_its_reason_and_cost_nothing() -> None:
    """Without a hint at the address."""
    clock = LeapingClock()
    with pytest.raises(
        Unreachable, match=r"answers with a web page, \d+ times in a row; 1 turn with 1 call came before"
    ):
        await ran(troubled(clock, PAGE, 9_999), clock, seconds=60)
    assert 40 <= sum(clock.waits) <= 60
