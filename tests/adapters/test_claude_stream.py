"""Streamed answers of the model's server: whole ones, silent ones, and every way in which a stream goes wrong."""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest

from bot.adapters.claude import ClaudeModel, Server
from bot.adapters.claude.form import build_body
from bot.errors import NoKey, Stalled, TriageError, Unreachable
from bot.models.model_parameters import ModelParameters
from bot.models.model_request import ModelRequest
from bot.models.turn import CodeMessage, Prompt, Turn, Usage
from tests import model_server as api
from tests import model_stream as sse
from tests.model_server import Answer, ModelServer

REQUEST = ModelRequest(history=(Prompt("You look things up."), CodeMessage("Where is the limit?")), seconds=20)
USAGE = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 11, "cache_creation_input_tokens": 13}
READ = {"input_tokens": 5, "cache_read_tokens": 11, "cache_write_tokens": 13}
MAX_OUTPUT = 100
PARAMETERS = ModelParameters(max_tokens=MAX_OUTPUT)

WHOLE = api.answer(
    api.thought("Für 'limit' look at a.py: " + "hm " * 40),
    api.text("I look it up: größer als 3 € 🙂." * 4),
    {"type": "redacted_thinking", "data": "abcd"},
    {
        "type": "tool_use",
        "id": "toolu_a",
        "name": "read_file",
        "input": {"path": "a.py", "all": [None, 1, "ß"]},
    },
    {"type": "tool_use", "id": "toolu_b", "name": "list_files", "input": {}},
    stop="tool_use",
    usage=USAGE,
)


async def asked(*script: Answer, deadline: float = 20, idle: float = 20, silence: float = 20) -> Turn:
    """The turn that comes of one question."""
    async with ModelServer(script) as server:
        there = Server(key=None, base_url=server.url, timeout=silence)
        try:
            return await ClaudeModel(there, "m", PARAMETERS).reply(
                replace(REQUEST, seconds=deadline, idle_seconds=idle)
            )
        finally:
            await there.close()


async def test_a_streamed_turn_is_the_turn_of_the_plain_answer() -> None:
    """Block for block: thoughts, signatures, texts, arguments, usage; a server that does not stream is as good."""
    streamed, plain = await asked(WHOLE), await asked(sse.plain(WHOLE))
    assert streamed == plain
    assert streamed.content == tuple(WHOLE["content"])
    assert [call.input for call in streamed.calls] == [{"path": "a.py", "all": [None, 1, "ß"]}, {}]
    assert streamed.usage == Usage(**READ, output_tokens=7)


async def test_a_stream_without_its_last_event_is_whole_with_its_stop_reason() -> None:
    """Other servers leave the last event out."""
    assert (await asked(sse.ended_stream(WHOLE, "message_delta"))).content == tuple(WHOLE["content"])


async def test_two_halves_of_a_character_in_two_events_are_that_character() -> None:
    """A half alone is a question mark, as in a plain answer."""
    deltas = [{"type": "text_delta", "text": half} for half in ("a\ud83d", "\ude42b", "\ud83d")]
    events = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
    end = sse.stream_events(api.says("x"))[-2:]
    lines = b"".join(f"event: x\ndata: {json.dumps(event)}\n\n".encode() for event in (*events, *end))
    assert (await asked(sse.spoiled_stream(api.says("x"), "content_block_start", lines))).text == "a🙂b?"


@pytest.mark.parametrize("event", range(len(sse.stream_events(WHOLE)) - 2))
async def test_a_stream_cut_at_any_event_is_a_broken_connection(event: int) -> None:
    """Billed: what the server read is known from its first event on, what it wrote is at most the limit of a turn."""
    with pytest.raises(Unreachable, match="connection to the model's server broke") as raised:
        await asked(sse.cut_stream(WHOLE, event))
    at_most = Usage(**READ, output_tokens=MAX_OUTPUT) if event else None
    assert (raised.value.billed, raised.value.temporary, raised.value.at_most) == (True, True, at_most)


BAD_CALL = api.answer(
    {"type": "tool_use", "id": "t", "name": "x", "input": {"path": "a"}}, stop="tool_use", usage=USAGE
)
BAD_ARGUMENTS = b'event: x\ndata: {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", '
BAD_ARGUMENTS += b'"partial_json": "}"}}\n\n' + b"".join(map(sse.encode_event, sse.stream_events(BAD_CALL)[-3:]))
EVENTS = [*map(sse.encode_event, sse.stream_events(WHOLE))]
ERROR = {"type": "error", "error": {"type": "overloaded_error"}, "content": []}
AT_MOST = Usage(**READ, output_tokens=MAX_OUTPUT)
BILLED = Usage(**READ, output_tokens=7)


@pytest.mark.parametrize(
    ("fault", "error", "said", "billed", "temporary", "at_most"),
    [
        (sse.ended_stream(WHOLE, 0), Unreachable, "ends in its middle", True, True, None),
        (sse.ended_stream(WHOLE, "message_start"), Unreachable, "ends in its middle", True, True, AT_MOST),
        (sse.ended_stream(WHOLE, "content_block_stop"), Unreachable, "ends in its middle", True, True, AT_MOST),
        (api.answer(stop="bored", usage=USAGE), Unreachable, "no known reason", True, False, BILLED),
        (sse.spoiled_stream(WHOLE, 0), Unreachable, "not JSON", True, False, None),
        (sse.spoiled_stream(WHOLE, 6), Unreachable, "not JSON", True, True, AT_MOST),
        (sse.spoiled_stream(WHOLE, 6, b"data: [1]\n\n"), Unreachable, "not a message", True, True, AT_MOST),
        (sse.spoiled_stream(WHOLE, 3, EVENTS[0]), Unreachable, "not a message", True, True, AT_MOST),
        (sse.spoiled_stream(WHOLE, 0, EVENTS[2]), Unreachable, "not a message", True, False, None),
        (sse.spoiled_stream(WHOLE, 2, EVENTS[3]), Unreachable, "not a message", True, True, AT_MOST),
        (sse.spoiled_stream(BAD_CALL, 6, BAD_ARGUMENTS), Unreachable, "arguments are not JSON", True, True, BILLED),
        (sse.error_in_stream(WHOLE, 0), Unreachable, "overloaded (529)", False, True, None),
        (sse.error_in_stream(WHOLE, 5), Unreachable, "overloaded (529)", True, True, AT_MOST),
        (sse.error_in_stream(WHOLE, 5, kind="api_error"), Unreachable, "broken (500)", True, True, AT_MOST),
        (sse.error_in_stream(WHOLE, 0, kind="rate_limit_error"), Unreachable, "no more calls", False, True, None),
        (sse.error_in_stream(WHOLE, 0, kind="authentication_error"), NoKey, "ANTHROPIC_API_KEY", False, False, None),
        (sse.error_in_stream(WHOLE, 5, kind="billing_error"), Unreachable, "no credit", True, False, AT_MOST),
        (sse.error_in_stream(WHOLE, 5, kind="request_too_large"), Unreachable, "(413)", True, False, AT_MOST),
        (sse.plain(ERROR), Unreachable, "overloaded (529)", False, True, None),
        (sse.spoiled_stream(WHOLE, 3, b"data: " + b"x" * 4_100_000), Unreachable, "broke", True, True, AT_MOST),
        (api.says("x" * 4_000_000, usage=USAGE), Unreachable, "more than a turn can hold", True, True, AT_MOST),
    ],
)
async def test_every_fault_of_a_stream_is_one_of_the_projects_errors(
    fault: Answer, error: type[TriageError], said: str, billed: bool, temporary: bool, at_most: Usage | None
) -> None:
    """With a plain sentence, whether it was billed and how much at most, and whether the same call may succeed."""
    with pytest.raises(error) as raised:
        await asked(fault)
    problem: Any = raised.value
    assert said in str(problem)
    carried = (getattr(problem, name, None) or False for name in ("billed", "temporary"))
    assert (*carried, getattr(problem, "at_most", None)) == (billed, temporary, at_most)


async def test_arguments_that_were_cut_at_the_length_limit_are_left_out() -> None:
    """The turn is a cut one, not a fault."""
    cut = {**BAD_CALL, "stop_reason": "max_tokens"}
    end = b"".join(map(sse.encode_event, sse.stream_events(cut)[-3:]))
    turn = await asked(sse.spoiled_stream(cut, 5, BAD_ARGUMENTS.split(b"event: content_block_stop")[0] + end))
    assert (turn.stop, turn.content[0]["input"]) == ("cut", {})


EMPTY = sse.encode_event(
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": ""}}
)


SILENT: tuple[Answer, ...] = (api.hang, sse.pinging_stream(WHOLE, 0), sse.dripping_stream(WHOLE, 0))
BROKEN_OFF: tuple[Answer, ...] = (
    sse.pinging_stream(WHOLE, 5),
    sse.dripping_stream(WHOLE, 5),
    sse.pinging_stream(WHOLE, 5, bytes_=b": keep-alive\n\n"),
    sse.pinging_stream(WHOLE, 5, bytes_=EMPTY),
)


async def test_a_stream_without_content_ends_by_the_time_of_inactivity() -> None:
    """Pings, single bytes, comments and empty deltas are no progress; there was time left, and all wait together."""
    faults = (*SILENT, *BROKEN_OFF)
    ends = await asyncio.gather(*(asked(fault, idle=0.9) for fault in faults), return_exceptions=True)
    for number, end in enumerate(ends):
        assert isinstance(end, Stalled), (number, end)
        is_silent = number < len(SILENT)
        what = "the model did not answer" if is_silent else "the model stopped in the middle of its answer"
        assert str(end) == f"there was no progress for 0.9 seconds: {what}", number
        assert (end.billed, end.temporary) == (True, True), number
        assert end.at_most == (None if is_silent else AT_MOST), number


async def test_a_long_answer_that_comes_on_is_not_cut_off() -> None:
    """It lasts longer than the time of inactivity, and than the server's."""
    slow = sse.slow_stream(api.says("word " * 150), every=0.05)
    began = time.monotonic()
    assert (await asked(slow, idle=1.0, silence=1.2)).text
    assert time.monotonic() - began > 1.2


async def test_the_deadline_ends_an_answer_that_comes_on() -> None:
    """The sentence says so: that is no silence, and no fault that passes."""
    slow = sse.slow_stream(api.says("word " * 500, usage=USAGE), every=0.05)
    with pytest.raises(Unreachable, match=r"not complete after 1\.5 s") as raised:
        await asked(slow, deadline=1.5, idle=1.2)
    assert not isinstance(raised.value, Stalled)
    assert (raised.value.billed, raised.value.temporary, raised.value.at_most) == (True, False, AT_MOST)


async def test_the_servers_own_time_of_silence_holds_too() -> None:
    """The smaller one counts."""
    with pytest.raises(Stalled, match=r"no progress for 0\.2 seconds"):
        await asked(api.hang, silence=0.2)


@pytest.mark.parametrize(
    ("asked_for", "after"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("-3", None),
        ("nan", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
        ("", None),
    ],
)
async def test_a_pause_that_the_server_asks_for_is_carried(asked_for: str, after: float | None) -> None:
    """So that the run can wait for it."""
    with pytest.raises(Unreachable) as raised:
        await asked(api.raw("{}", number=429, **{"retry-after": asked_for}))
    assert (raised.value.temporary, raised.value.after, raised.value.billed) == (True, after, False)


async def test_a_pause_until_a_date_is_a_number_of_seconds() -> None:
    """As the standard allows; the run decides whether it has time for it."""
    with pytest.raises(Unreachable) as raised:
        await asked(api.raw("{}", number=529, **{"retry-after": formatdate(time.time() + 3_600, usegmt=True)}))
    assert raised.value.after == pytest.approx(3_600, abs=60)


@pytest.mark.parametrize("counts", [None, [], {"input_tokens": None}, "many"])
async def test_a_server_that_counts_nothing_is_understood(counts: Any) -> None:
    """Its tokens are zero; nothing breaks."""
    events = sse.stream_events(api.says("yes"))
    events[0]["message"]["usage"] = events[-2]["usage"] = counts
    lines = b"".join(map(sse.encode_event, events))
    turn = await asked(sse.spoiled_stream(WHOLE, 0, lines))
    assert (turn.text, turn.usage) == ("yes", Usage())


async def test_a_call_that_is_called_off_closes_its_stream() -> None:
    """The server sees the connection end; nothing is left behind."""
    async with ModelServer([sse.pinging_stream(WHOLE, 5)]) as server:
        there = Server(key=None, base_url=server.url, timeout=20)
        call = asyncio.create_task(ClaudeModel(there, "m", PARAMETERS).reply(REQUEST))
        await server.arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await there.close()


JUNK: tuple[Any, ...] = (None, [], {}, "x", -1, 10**30, True, 1.5, {"type": "text"}, ["a"], "\ud800")


def spoil(value: Any, dice: random.Random) -> Any:
    """The value, with a few of its parts replaced or left out."""
    if dice.random() < 0.004:
        return dice.choice(JUNK)
    match value:
        case dict():
            return {key: spoil(part, dice) for key, part in value.items() if dice.random() > 0.001}
        case list():
            return [spoil(part, dice) for part in value]
        case _:
            return value


async def test_whatever_a_server_streams_is_a_turn_or_an_error_of_the_project() -> None:
    """Events with wrong parts, out of order, and with bytes that are no text; a turn can be sent back."""
    dice = random.Random(7)

    def answer(_: api.Body) -> Answer:
        events = [spoil(event, dice) for event in sse.stream_events(WHOLE)]
        if dice.random() < 0.2:
            dice.shuffle(events)
        lines = b"".join(f"event: x\ndata: {json.dumps(event)}\n\n".encode() for event in events)
        at = dice.randrange(len(lines) * 4)
        return sse.spoiled_stream(WHOLE, 0, lines[:at] + b"\xff\x00" + lines[at + 2 :])

    ends = {"turn": 0, "error": 0}
    async with ModelServer(answer) as server:
        there = Server(key=None, base_url=server.url, timeout=20)
        claude = ClaudeModel(there, "m", PARAMETERS)
        for _ in range(200):
            try:
                turn = await claude.reply(REQUEST)
                json.dumps(
                    build_body(replace(REQUEST, history=(*REQUEST.history, turn)), PARAMETERS), ensure_ascii=False
                ).encode()
                ends["turn"] += 1
            except TriageError:
                ends["error"] += 1
        await there.close()
    assert min(ends.values()) > 10
