"""Runs on servers that deviate from the documented Messages API: they end with the answer, or with a plain reason."""

from __future__ import annotations

import pytest

from bot.adapters.claude import ClaudeModel, Server
from bot.agents.answer_text import has_call, strip_thoughts
from bot.agents.answers import InvalidAnswer, Prose, parse_answer
from bot.errors import TriageError, Unreachable
from bot.models.model_parameters import ModelParameters
from bot.models.model_request import ModelRequest
from bot.models.turn import CodeMessage, Prompt
from tests.agents.test_loop import Found, Path, ran, read, results, tool
from tests.model_dialects import ANSWER, BROKEN, CALL_TEXT, DIALECTS
from tests.model_server import Body, ModelServer, raw, says, status


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_run_ends_with_its_answer_in_every_dialect(name: str) -> None:
    """The call is run with its arguments, its result goes back to it, and the answer is read into its form."""
    run, asked = await ran(DIALECTS[name])
    assert (run.answer, run.session.outcome) == (Found(limit=3), "answered")
    assert set(results(asked[-1])) == {("a.py: limit = 3", False)}
    made = [block for entry in asked[-1]["messages"] for block in entry["content"] if block["type"] == "tool_use"]
    assert all(block["input"] == {"path": "a.py"} for block in made)
    assert len({block["id"] for block in made}) == len(made)


@pytest.mark.parametrize("name", BROKEN)
async def test_an_answer_that_is_none_ends_the_run_with_its_reason(name: str) -> None:
    """It goes back once; a call that stands in a text is never run."""
    given, reason = BROKEN[name]
    ran_tools: list[str] = []

    async def note(path: Path) -> str:
        ran_tools.append(path.path)
        return "read"

    run, asked = await ran(lambda _: given, tool("read_file", note), corrections=1)
    assert (run.answer, run.session.outcome, len(asked)) == (None, "unusable", 2)
    assert reason in run.session.reason
    assert ran_tools == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (raw("<!doctype html><p>hello", content_type="text/html"), "a web page, so model.base_url may be wrong"),
        (raw("<html>sign in", content_type="text/html", number=403), "wants a key (403), and there is none"),
        (raw("<html>bad", content_type="text/html", number=400), "refuses the request (400): with a web page"),
        (raw("404 page not found", content_type="text/plain", number=404), "(404): 404 page not found"),
        (raw('{"error": "model \\"m\\" not found"}', number=404), '(404): model "m" not found'),
        (raw('{"error": "no memory"}', number=500), "is broken (500): no memory"),
        (raw('{"error": "no memory"}'), "is broken (500): no memory"),
        (raw('{"choices": [{"message": {"content": "hi"}}]}'), "something that is not a message"),
    ],
)
async def test_an_error_names_what_the_server_says(fault: object, said: str) -> None:
    """In the documented form, in another one, or as a web page."""
    with pytest.raises(TriageError) as raised:
        await ran(lambda _: fault)  # type: ignore[arg-type,return-value]  # a table of faults
    assert said in str(raised.value)


async def reply(server: ModelServer, parameters: ModelParameters) -> Body:
    """The last request of a question with a form."""
    there = Server(key=None, base_url=server.url, timeout=20)
    try:
        model = ClaudeModel(there, "m", parameters)
        history = (Prompt("Find it."), Prompt("Today."), CodeMessage("Where?"))
        await model.reply(ModelRequest(history=history, form=Found, seconds=20))
    finally:
        await there.close()
    return server.requests[-1]


async def test_the_form_is_stated_in_the_prompt_for_servers_that_may_ignore_it() -> None:
    """After the fixed prompt, so that it is cached with it; a plain request has it there alone."""
    async with ModelServer(lambda _: says(ANSWER)) as server:
        body = await reply(server, ModelParameters(max_tokens=500, states_form=True))
        assert [block["text"].partition("\n")[0] for block in body["system"]] == ["Find it.", "Today."]
        assert '"limit"' in body["system"][0]["text"]
        assert "output_config" in body
        plain = await reply(server, ModelParameters(max_tokens=500, plain=True))
    assert plain["system"].startswith("Find it.\n\nWhen you call no tool")
    assert plain["system"].endswith("\n\nToday.")
    assert plain.keys() == {"model", "max_tokens", "messages", "system", "stream"}


async def test_a_request_that_is_too_large_is_sent_once() -> None:
    """Fewer parameters make it no shorter."""
    too_large = status(400, kind="exceed_context_size_error", said="exceeds the context size (4096 tokens)")
    async with ModelServer([too_large]) as server:
        with pytest.raises(TriageError, match="exceeds the context size"):
            await reply(server, ModelParameters(max_tokens=500, strict=True))


async def test_a_stream_that_was_begun_is_not_asked_for_again() -> None:
    """An error in its middle may have been billed."""
    from tests.model_stream import error_in_stream

    broken = error_in_stream(says("{}"), 4, kind="not_found_error")
    async with ModelServer([broken]) as server:
        with pytest.raises(Unreachable, match="404"):
            await reply(server, ModelParameters(max_tokens=500))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CALL_TEXT, True),
        ('Let me look.\n<tool_call>{"name": "x"}</tool_call>', True),
        ('[TOOL_CALLS][{"name": "x"}]', True),
        ('{"name": "x", "arguments": {}}', True),
        ("Models write <tool_call> before a call.", False),
        ("It is written so:\n```\n<tool_call>\n```", False),
        ('{"name": "Ana"}', False),
        ("[" * 100_000, False),
    ],
)
def test_a_call_in_a_text_is_told_from_a_text_about_calls(text: str, expected: bool) -> None:
    """A chat answer may speak of them; it may not be one."""
    assert has_call(text) is expected
    if expected:
        with pytest.raises(InvalidAnswer, match="written as text"):
            parse_answer(Prose, text)
    else:
        assert parse_answer(Prose, text).answer.text == text


def test_thoughts_are_left_out_of_a_text() -> None:
    """The asker reads the answer alone; a text about thoughts stays whole."""
    assert parse_answer(Prose, "<think>Who asks?</think>\n\nTwo wait.").answer.text == "Two wait."
    for whole in ("Write <think>x</think> so.", '{"quote": "a </think> b"}', "Split at `</think>`."):
        assert strip_thoughts(whole) == whole
    assert strip_thoughts('<think>hm</think>{"quote": "</think>"}') == '{"quote": "</think>"}'
    assert strip_thoughts("Hm.\n</think>\nTwo wait.") == "Two wait."


async def test_one_refused_stream_ends_no_later_one() -> None:
    """A server that has streamed is asked for one answer without, and then for streams again."""
    _, asked = await ran([read("a"), status(405), read("b"), says('{"limit": 3}')])
    assert [body["stream"] for body in asked] == [True, True, False, True]
