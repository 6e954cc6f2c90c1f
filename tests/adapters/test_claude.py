"""The edge to the model, against a server on loopback: what is sent, what comes back, and every way to fail."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest
from pydantic import BaseModel, Field

from bot.adapters.claude import ClaudeModel, Server
from bot.errors import NoKey, OverCap, Refused, TriageError, Unreachable
from bot.models.model_parameters import ModelParameters
from bot.models.model_request import ModelRequest
from bot.models.turn import CodeMessage, Entry, Prompt, Recalled, Result, Results, ToolForm, Turn, Usage
from tests import model_server as api
from tests.model_server import Answer, ModelServer, Script

PLAIN = ModelParameters(max_tokens=8_192)
KEY = "sk-ant" + "-test-0001"
TOOLS = (
    ToolForm(name="list_files", description="List files.", schema={"type": "object", "properties": {}}),
    ToolForm(name="read_file", description="Read a file.", schema={"type": "object", "properties": {}}),
)
QUESTION: tuple[Entry, ...] = (Prompt("You look things up."), CodeMessage("Where is the limit?"))


class Found(BaseModel):
    """A form of an answer."""

    places: list[str] = Field(max_length=3)


def build(
    history: tuple[Entry, ...], tools: tuple[ToolForm, ...] = (), form: type[BaseModel] | None = None, **limits: Any
) -> ModelRequest:
    """A request of a turn within twenty seconds."""
    return ModelRequest(history=history, tools=tools, form=form, **{"seconds": 20, **limits})


@asynccontextmanager
async def model(
    server: ModelServer, *, key: str | None = KEY, parameters: ModelParameters = PLAIN
) -> AsyncIterator[ClaudeModel]:
    """A model at this server."""
    there = Server(key=key, base_url=server.url, timeout=20)
    try:
        yield ClaudeModel(there, "claude-opus-5-5", parameters)
    finally:
        await there.close()


async def asked(script: Script, *, history: tuple[Entry, ...] = QUESTION, deadline: float = 20, **how: Any) -> Turn:
    """The turn that comes of one question."""
    async with ModelServer(script) as server, model(server, **how) as claude:
        return await claude.reply(build(history, TOOLS, seconds=deadline))


async def test_an_answer_is_text_usage_and_the_blocks_as_they_came() -> None:
    """Text is picked by the type of its block, never by its place."""
    usage = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 11, "cache_creation_input_tokens": 13}
    turn = await asked([api.answer(api.thought("hm"), api.text("here"), stop="end_turn", usage=usage)])
    assert (turn.text, turn.calls, turn.stop) == ("here", (), "answered")
    assert turn.content == (api.thought("hm"), api.text("here"))
    assert turn.usage == Usage(input_tokens=5, output_tokens=7, cache_read_tokens=11, cache_write_tokens=13)
    assert (turn.usage.read, turn.usage.total) == (29, 36)


async def test_calls_come_with_their_input_unjudged() -> None:
    """Whatever stands there is handed on; the loop judges it."""
    turn = await asked([api.calls(("read_file", {"path": "a"}), ("nonsense", "not an object"))])
    assert turn.stop == "calls"
    assert [(call.tool, call.input) for call in turn.calls] == [
        ("read_file", {"path": "a"}),
        ("nonsense", "not an object"),
    ]


async def test_thinking_goes_back_unchanged() -> None:
    """The next request repeats the whole turn, signature included, and then the results."""
    async with ModelServer([api.calls(("read_file", {"path": "a"})) | {}, api.says("done")]) as server:
        server.script[0]["content"].insert(0, api.thought("hm"))  # type: ignore[index]  # the script is a list here
        async with model(server) as claude:
            first = await claude.reply(build(QUESTION, TOOLS))
            results = Results((Result(call_id=first.calls[0].call_id, text="limit = 3"),))
            await claude.reply(build((*QUESTION, first, results, CodeMessage("Two turns left.")), TOOLS))
    sent = server.requests[1]["messages"]
    assert sent[1] == {"role": "assistant", "content": list(first.content)}
    assert first.content[0] == api.thought("hm")
    assert [block["type"] for message in sent[2:] for block in message["content"]] == ["tool_result", "text"]


async def test_the_fixed_prefix_is_marked_and_the_same_byte_for_byte() -> None:
    """The last tool and the prompt carry a marker in every request, so that the server can cache them."""
    async with ModelServer(lambda _: api.says("yes")) as server, model(server) as claude:
        turns = [await claude.reply(build((QUESTION[0], CodeMessage(said)), TOOLS, Found)) for said in ("one?", "two?")]
    prefixes = {json.dumps([body["tools"], body["system"], body["output_config"]]) for body in server.requests}
    assert len(prefixes) == 1
    body = server.requests[0]
    assert [("cache_control" in tool) for tool in body["tools"]] == [False, True]
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert turns[0].usage.cache_write_tokens > turns[1].usage.cache_read_tokens > 0


@pytest.mark.parametrize("number", [1, 5, 12])
async def test_each_turn_reads_from_the_cache_all_that_was_sent_before(number: int) -> None:
    """However many calls it has: only what is new is written, and nothing is read uncached."""
    wanted = [("read_file", {"path": f"{n}.py"}) for n in range(number)]
    history, usages = QUESTION, []
    async with ModelServer(lambda _: api.calls(*wanted)) as server, model(server) as claude:
        for _ in range(4):
            turn = await claude.reply(build(history, TOOLS, Found))
            results = tuple(Result(call_id=call.call_id, text="limit = 3") for call in turn.calls)
            history = (*history, turn, Results(results))
            usages.append(turn.usage)
    assert [usage.input_tokens for usage in usages] == [0] * 4
    assert [usage.cache_read_tokens for usage in usages[1:]] == [usage.read for usage in usages[:-1]]
    assert [json.dumps(body).count('"cache_control"') for body in server.requests] == [3, 4, 4, 4]


async def test_the_request_carries_key_model_and_form() -> None:
    """The key goes as a bearer; the form of the answer is a JSON schema; nothing asks for what newer models refuse."""
    async with ModelServer([api.says("yes")]) as server, model(server) as claude:
        await claude.reply(build(QUESTION, TOOLS, Found))
    body, headers = server.requests[0], {name.lower(): value for name, value in server.headers[0].items()}
    assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", ""))
    assert body["model"] == "claude-opus-5-5"
    assert body["output_config"]["format"]["schema"]["properties"]["places"]["type"] == "array"
    assert body["stream"] is True
    assert not {"temperature", "tool_choice", "thinking", "top_p"} & body.keys()


FULL = ModelParameters(max_tokens=9_000, effort="low", thinks=True, strict=True)


async def test_each_parameter_is_sent_where_it_is_set() -> None:
    """Thoughts come with their summary, so that the stream shows progress; the form of the answer stays."""
    async with ModelServer([api.says("yes")]) as server, model(server, parameters=FULL) as claude:
        await claude.reply(build(QUESTION, TOOLS, Found))
    (body,) = server.requests
    assert body["max_tokens"] == 9_000
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert (body["output_config"]["effort"], body["output_config"]["format"]["type"]) == ("low", "json_schema")
    assert [tool["strict"] for tool in body["tools"]] == [True, True]
    assert [tool["input_schema"]["additionalProperties"] for tool in body["tools"]] == [False, False]


def parameters_of(body: dict[str, Any]) -> tuple[bool, bool, bool]:
    """Whether tools are strict, and effort and thoughts are asked for."""
    return "strict" in body["tools"][0], "effort" in body.get("output_config", {}), "thinking" in body


@pytest.mark.parametrize(
    ("refused", "last"),
    [("strict", (False, True, True)), ("output_config", (False, False, False)), ("thinking", (False, False, False))],
)
async def test_a_server_that_refuses_a_parameter_is_asked_without_it(
    refused: str, last: tuple[bool, bool, bool]
) -> None:
    """Strict tools first, then all but the size; the next turn with the same tools begins with what was accepted."""

    def answer(body: dict[str, Any]) -> Answer:
        return api.status(400, said=f"unknown {refused}") if f'"{refused}"' in json.dumps(body) else api.says("yes")

    async with ModelServer(answer) as server, model(server, parameters=FULL) as claude:
        assert (await claude.reply(build(QUESTION, TOOLS))).text == "yes"
        asked_once = len(server.requests)
        assert (await claude.reply(build(QUESTION, TOOLS))).text == "yes"
    assert parameters_of(server.requests[0]) == (True, True, True)
    assert parameters_of(server.requests[-1]) == last
    assert len(server.requests) == asked_once + 1


async def start_run(claude: ClaudeModel, *, turns: int = 3) -> None:
    """A run of some turns: each has the history of the one before it."""
    history: tuple[Entry, ...] = (Prompt("You find limits."), CodeMessage("Where is it?"))
    for _ in range(turns):
        turn = await claude.reply(build(history, TOOLS))
        history = (*history, turn, CodeMessage("Go on."))


@pytest.mark.parametrize("refused", ["strict", "output_config", "thinking", "cache_control", "stream"])
async def test_a_server_that_always_refuses_is_asked_once_more_a_run(refused: str) -> None:
    """Not once more a turn, whatever it refuses."""

    def answer(body: dict[str, Any]) -> Answer:
        if refused == "stream":
            return api.status(405) if body["stream"] else api.says("yes")
        return api.status(400, said=f"unknown {refused}") if f'"{refused}"' in json.dumps(body) else api.says("yes")

    async with ModelServer(answer) as server, model(server, parameters=FULL) as claude:
        await start_run(claude)
        first = len(server.requests)
        for number in range(1, 6):
            await start_run(claude)
            assert len(server.requests) <= first + number * 4


@pytest.mark.parametrize("faults", [[400], [400, 400], [400, 400, 400], [405], [400, 400, 400, 405]])
@pytest.mark.parametrize("begun", [0, 1])
async def test_after_a_passing_refusal_the_next_run_has_all_parameters(faults: list[int], begun: int) -> None:
    """Strict tools, the form, thoughts and the stream, in each of its turns."""
    script: list[Answer] = [*[api.says("begun")] * begun, *map(api.status, faults), *[api.says("yes")] * 9]
    async with ModelServer(script) as server, model(server, parameters=FULL) as claude:
        await start_run(claude)
        before = len(server.requests)
        await start_run(claude)
    after = server.requests[before:]
    assert [(parameters_of(body), body["stream"]) for body in after] == [((True, True, True), True)] * 3


async def test_the_best_that_a_server_accepts_is_found_again() -> None:
    """It never takes strict tools, and once refused more than them."""
    turn = count()

    def answer(body: dict[str, Any]) -> Answer:
        refuses = '"strict"' in json.dumps(body) or (next(turn) == 0 and "output_config" in body)
        return api.status(400) if refuses else api.says("yes")

    async with ModelServer(answer) as server, model(server, parameters=FULL) as claude:
        for _ in range(4):
            await start_run(claude)
    assert parameters_of(server.requests[-1]) == (False, True, True)


async def test_a_try_of_more_parameters_is_not_repeated_with_its_call() -> None:
    """A server that is overloaded is not asked twice for each try."""
    history: tuple[Entry, ...] = (Prompt("You find limits."), CodeMessage("Where is it?"))
    script: list[Answer] = [api.status(400), api.says("yes"), api.status(400), *[api.status(529)] * 3, api.says("yes")]
    async with ModelServer(script) as server, model(server, parameters=FULL) as claude:
        await start_run(claude, turns=1)
        for _ in range(3):
            with pytest.raises(Unreachable):
                await claude.reply(build(history, TOOLS))
        await claude.reply(build(history, TOOLS))
    assert [parameters_of(body)[0] for body in server.requests] == [True, False, True, *[False] * 4]


@pytest.mark.parametrize("kind", ["request_too_large", "not_recorded_error"])
async def test_what_fewer_parameters_cannot_mend_is_asked_once(kind: str) -> None:
    """A request that does not fit, and one to which a server of recordings has no answer; that in its own words."""
    refusal = api.status(400, kind=kind, said="no such recording")
    async with ModelServer([refusal]) as server, model(server, parameters=FULL) as claude:
        with pytest.raises(Refused, match=r"no such recording$") as raised:
            await claude.reply(build(QUESTION, TOOLS))
    assert ("refuses the request" in str(raised.value)) == (kind == "request_too_large")


async def test_a_request_that_is_refused_with_every_choice_is_refused() -> None:
    """And the next one begins with all parameters again."""
    refusal = api.status(400, said="too long")
    async with ModelServer([refusal] * 4 + [api.says("yes")]) as server, model(server, parameters=FULL) as claude:
        with pytest.raises(Refused, match="too long"):
            await claude.reply(build(QUESTION, TOOLS))
        await claude.reply(build(QUESTION, TOOLS))
    assert [parameters_of(body)[0] for body in server.requests] == [True, False, False, False, True]


@pytest.mark.parametrize(
    ("given", "stop"),
    [
        (api.says("done"), "answered"),
        (api.says("done", stop="stop_sequence"), "answered"),
        (api.says("done", stop="max_tokens"), "cut"),
        (api.says("", stop="pause_turn"), "paused"),
        (api.refuses(), "refused"),
        (api.says("", stop="model_context_window_exceeded"), "full"),
        (api.empty(), "answered"),
        (api.calls(("read_file", {}), stop="end_turn"), "calls"),
        (api.says("no call after all", stop="tool_use"), "answered"),
    ],
)
async def test_every_stop_reason_has_an_outcome(given: Answer, stop: str) -> None:
    """Those that are documented, and how careless servers use them."""
    assert (await asked([given])).stop == stop


@pytest.mark.parametrize(
    ("fault", "error", "said", "billed"),
    [
        (api.status(429), Unreachable, "allows no more calls now", False),
        (api.status(500), Unreachable, "is broken (500)", False),
        (api.status(529), Unreachable, "overloaded", False),
        (api.status(408), Unreachable, "could not answer", False),
        (api.status(404), Unreachable, "knows no model claude-opus-5-5", False),
        (api.status(401), NoKey, "ANTHROPIC_API_KEY", False),
        (api.status(403), NoKey, "ANTHROPIC_API_KEY", False),
        (api.status(403, kind="permission_error", said="not yours"), Unreachable, "claude-opus-5-5 (403): not", False),
        (api.status(402), OverCap, "no credit", False),
        (api.status(400, kind="invalid_request_error", said="messages: too odd"), Refused, "too odd", False),
        (api.status(413, kind="request_too_large"), Refused, "413", False),
        (api.raw("", number=307, location="http://example.org/"), Unreachable, "model.base_url", False),
        (api.raw("{broken"), Unreachable, "not JSON", True),
        (api.raw("<html>hello</html>", content_type="text/html"), Unreachable, "not JSON", False),
        (api.raw("[" * 100_000), Unreachable, "not JSON", True),
        (api.raw("[1, 2]"), Unreachable, "not a message", True),
        (api.raw('{"content": "text"}'), Unreachable, "not a message", True),
        (api.raw('{"content": [{"type": "tool_use"}], "stop_reason": "tool_use"}'), Unreachable, "not a message", True),
        (
            api.answer({"type": "tool_use", "id": "t", "name": ["x"]}, stop="tool_use"),
            Unreachable,
            "not a message",
            True,
        ),
        (api.says("x" * 4_000_000), Unreachable, "more than a turn can hold", True),
        (api.answer(api.text("half"), stop="bored"), Unreachable, "bored", True),
        (api.reset, Unreachable, "broke", True),
        (api.cut_body, Unreachable, "broke", True),
    ],
)
async def test_every_fault_is_one_of_the_projects_errors(
    fault: Answer, error: type[TriageError], said: str, billed: bool
) -> None:
    """With a plain sentence, and whether the call may have cost money."""
    with pytest.raises(error) as raised:
        await asked(lambda _: fault)
    assert said in str(raised.value)
    assert getattr(raised.value, "billed", False) == billed
    assert KEY not in str(raised.value)


async def test_a_server_that_never_answers_is_given_up_at_the_deadline() -> None:
    """The bot's own deadline ends the call."""
    with pytest.raises(Unreachable, match="for a second: the model did not answer") as raised:
        await asked([api.hang], deadline=1.0)
    assert raised.value.billed


async def test_no_call_is_repeated_here() -> None:
    """The run waits and tries again, since it knows its time and money."""
    async with ModelServer(lambda _: api.status(529, retry_after=0.01)) as server, model(server) as claude:
        with pytest.raises(Unreachable) as raised:
            await claude.reply(build(QUESTION))
        assert (raised.value.temporary, raised.value.after) == (True, 0.01)
        assert len(server.requests) == 1


async def test_a_turn_may_be_limited_further_than_its_model() -> None:
    """By what its run can still pay; never beyond the size of the model's turns."""
    async with ModelServer(lambda _: api.says("yes")) as server, model(server) as claude:
        for most in (None, 500, 1_000_000):
            await claude.reply(build(QUESTION, max_output=most))
        assert [body["max_tokens"] for body in server.requests] == [claude.max_output, 500, claude.max_output]


async def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    """Nothing was sent, so nothing was billed."""
    async with ModelServer([]) as server:
        pass
    async with model(server) as claude:
        with pytest.raises(Unreachable, match="cannot be reached") as raised:
            await claude.reply(build(QUESTION, TOOLS))
    assert not raised.value.billed


async def test_a_refusal_of_the_request_never_repeats_the_key() -> None:
    """Even when the server does."""
    with pytest.raises(Refused) as raised:
        await asked(lambda _: api.status(400, said=f"bad header {KEY}\x1b[31m"))
    assert KEY not in str(raised.value)
    assert "\x1b" not in str(raised.value)


async def test_the_server_does_not_choose_the_code_of_a_refusal() -> None:
    """Codes of Slack say that a thread is gone, and others act on that."""
    for fault in (api.status(400, kind="thread_not_found"), api.status(422, kind="kept_back")):
        with pytest.raises(Refused) as raised:
            await asked([fault])
        assert raised.value.code.isdigit()


async def test_without_a_key_anthropics_server_is_not_asked() -> None:
    """The sentence says which variable to set; other servers are asked without one."""
    with pytest.raises(NoKey, match="ANTHROPIC_API_KEY"):
        await ClaudeModel(Server(key=None, base_url=None, timeout=5), "m", PLAIN).reply(build(QUESTION))
    assert (await asked([api.says("no key needed")], key=None)).text == "no key needed"


async def test_an_empty_turn_is_not_sent_back() -> None:
    """The API takes no message without content; what stood before and after it is one message, of one role."""
    async with ModelServer([api.empty(), api.says("now")]) as server, model(server) as claude:
        first = await claude.reply(build(QUESTION))
        await claude.reply(build((*QUESTION, first, CodeMessage("That was empty."))))
    (message,) = server.requests[1]["messages"]
    assert message["role"] == "user"
    assert [block["text"] for block in message["content"]] == ["Where is the limit?", "That was empty."]


async def test_a_blank_text_beside_a_call_is_not_sent_back() -> None:
    """The API takes no text without a word."""
    turn = api.answer(
        api.text(" "), {"type": "tool_use", "id": "toolu_a", "name": "look", "input": {}}, stop="tool_use"
    )
    async with ModelServer([turn, api.says("now")]) as server, model(server) as claude:
        first = await claude.reply(build(QUESTION))
        await claude.reply(build((*QUESTION, first, Results((Result(call_id="toolu_a", text="nothing"),)))))
    assert [block["type"] for block in server.requests[1]["messages"][1]["content"]] == ["tool_use"]


async def test_a_thought_that_was_cut_before_its_signature_is_not_sent_back() -> None:
    """The API takes no thought without one; the request to be shorter joins the question."""
    cut = api.answer({"type": "thinking", "thinking": "hm", "signature": ""}, stop="max_tokens")
    async with ModelServer([cut, api.says("now")]) as server, model(server) as claude:
        first = await claude.reply(build(QUESTION))
        await claude.reply(build((*QUESTION, first, CodeMessage("Shorter."))))
    assert first.stop == "cut"
    assert [block["text"] for block in server.requests[1]["messages"][0]["content"]] == [
        "Where is the limit?",
        "Shorter.",
    ]


async def test_what_was_said_before_enters_with_its_roles_in_turn() -> None:
    """An earlier talk, calls and their results; the fixed prompt is marked for the cache, what follows it is not."""
    call = api.calls(("look", {}))
    async with ModelServer([call, api.says("now")]) as server, model(server) as claude:
        talk = (
            Prompt("Fixed."),
            Prompt("For now."),
            CodeMessage("Hello."),
            Recalled("Good day."),
            CodeMessage("What is new?"),
        )
        first = await claude.reply(build(talk))
        told = Results((Result(call_id=first.calls[0].call_id, text="nothing"),))
        await claude.reply(build((*talk, first, told, CodeMessage("Hurry."))))
    body = server.requests[1]
    roles = ["user", "assistant", "user", "assistant", "user"]
    assert [message["role"] for message in body["messages"]] == roles
    assert [block["type"] for block in body["messages"][-1]["content"]] == ["tool_result", "text"]
    assert ["cache_control" in block for block in body["system"]] == [True, False]


@pytest.mark.parametrize(
    "counts",
    [
        {"output_tokens": 10**18},
        {"input_tokens": -1},
        {"input_tokens": 12.5},
        {"input_tokens": "n/a"},
        [1, 2],
        "none",
        7,
    ],
)
async def test_counts_that_are_none_lose_no_answer(counts: object) -> None:
    """The answer is there and paid for; its use is unknown, as where a server leaves the counts out."""
    message = json.dumps(api.says("here", usage=counts))
    turn = await asked([api.raw(message)])
    assert (turn.text, turn.has_usage) == ("here", False)
