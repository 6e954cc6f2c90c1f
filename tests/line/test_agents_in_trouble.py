"""The line when the model misbehaves: each run ends with a reason on the card, and the next question is served."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests import model_server as api
from tests import model_stream as sse
from tests.line.agents import QUESTION, agents, document, papers, sessions
from tests.line.human import Human, cards, replies, shows
from tests.line.play import GOOD, PASSES, READ, Play, Turns, role, said
from tests.model_server import Answer, Body

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp import web

    from tests.line.conftest import Line

SECOND = "where is the limit of tries set?"


class FirstIsBad(Play):
    """What is wrong with the model is wrong for the first question only."""

    bad: Turns = ()
    whose: str = "investigator"

    def __call__(self, body: Body) -> Answer:
        if QUESTION in said(body) and role(body) == self.whose:
            turn = sum(message["role"] == "assistant" for message in body["messages"])
            return self._at((self.bad,), 0, turn)
        return super().__call__(body)


def bad_first(whose: str, turns: Turns) -> FirstIsBad:
    """A play whose agent of this role goes wrong on the first question."""
    play = FirstIsBad()
    play.whose, play.bad = whose, turns
    return play


def other_file(turn: int) -> Answer:
    """A call that never repeats."""
    return api.calls(("glob", {"pattern": f"*{turn}.py"}))


def always(one: Answer) -> tuple[Answer, ...]:
    """The same at each turn."""
    return (one,)


async def on_record(line: Line, card: dict[str, Any], whose: str) -> None:
    """The run that went wrong is a session, a paper in its folder, a line of the document, and behind the card."""
    (session,) = [one for one in sessions(line) if one["agent"] == whose]
    assert session["outcome"] not in ("running", "answered")
    assert session["reason"]
    (paper,) = [one for one in papers(line) if one["session_id"] == session["session_id"]]
    assert (paper["outcome"], paper["reason"]) == (session["outcome"], session["reason"])
    assert paper["steps"][0]["code"]
    thread = document(line)
    (ran,) = [one for one in thread["runs"] if one["session_id"] == session["session_id"]]
    assert ran["cost_usd"] == pytest.approx(session["cost_usd"] + session["unsure_usd"])
    assert thread[f"{whose}_task_id"] == session["session_id"]
    cost = f"${ran['cost_usd']:.4f}{' at most' if session['unsure_usd'] else ''}"
    await line.olu.evidence(card, f"{whose} ({session['outcome'].replace('_', ' ')}) {cost}")


UNREACHABLE: dict[str, tuple[Answer, str]] = {
    "429": (api.status(429), "allows no more calls now (429)"),
    "500": (api.status(500), "is broken (500)"),
    "529": (api.status(529), "is overloaded (529)"),
    "401": (api.status(401), "wants a key (401)"),
    "402": (api.status(402), "has no credit left"),
    "cut": (api.cut_body, "broke"),
    "reset": (api.reset, "broke"),
    "broken JSON": (api.raw("{broken"), "not JSON"),
    "a web page": (api.raw("<html>", content_type="text/html"), "not JSON"),
    "a cut stream": (sse.cut_stream(api.says("{}"), 3), "the connection to the model's server broke"),
    "an ended stream": (sse.ended_stream(api.says("{}"), 3), "a stream that ends in its middle"),
    "an error in a stream": (sse.error_in_stream(api.says("{}"), 3), "is overloaded (529)"),
    "pings": (sse.pinging_stream(api.says("{}"), 3), "no progress for 2 seconds: the model stopped in the middle"),
    "silence": (api.hang, "no progress for 2 seconds: the model did not answer"),
    "no known stop": (api.answer(api.text("x"), stop="bored"), "stops for no known reason"),
}
ENDED: dict[str, tuple[Turns, str]] = {
    "refusal": (always(api.refuses()), "the model refused to answer"),
    "empty": (always(api.empty()), "it is empty (attempt 2)"),
    "prose": (always(api.says("I think it is three.")), "it has no JSON object (attempt 2)"),
    "half a JSON": (always(api.says('{"draft_reply": "x y z"')), "it has no JSON object (attempt 2)"),
    "unknown tool": (always(api.calls(("rm", {"path": "/"}))), "the model went in a circle: the same error twice"),
    "the same call": (always(READ), "the model went in a circle: the same call 5 times"),
    "endless calls": (other_file, "it gave no answer in the last turn"),
    "always cut": (always(api.says("{", stop="max_tokens")), "was cut at the length limit (attempt 2)"),
    "a full window": (always(api.says("", stop="model_context_window_exceeded")), "no longer fits"),
    "400": (always(api.status(400, said="tool schema")), "refuses the request (400): tool schema"),
}


NOTES = {"prose": "I think it is three.", "half a JSON": "x y z"}
"""Text of those that paid for one."""

SHORT_FORM = ("401", "silence", "prose", "the same call")
"""The rows that every run of the suite has; each of the others takes half a second of a processor."""


def rows(names: Iterable[str]) -> list[Any]:
    """The names of a table as parameters."""
    return [pytest.param(name, marks=() if name in SHORT_FORM else pytest.mark.long) for name in names]


def patience(name: str) -> str:
    """A short one where silence is awaited; else a busy machine would look like silence."""
    return "timeout_s: 2" if name in ("silence", "pings") else ""


@pytest.mark.parametrize("name", rows(UNREACHABLE))
async def test_without_the_model_the_keyword_engine_answers_and_the_card_says_why(line: Line, name: str) -> None:
    """Then the next question is served by the model again."""
    fault, why = UNREACHABLE[name]
    async with agents(line, bad_first("investigator", always(fault)), model=patience(name)):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Without the model", why, '"approve"')
        assert not shows(card, "✓ validated")
        await line.olu.evidence(card, "Drafted by the keyword engine", "Not checked: spot-check")
        assert replies(await line.ana.now(), asked) == []
        await on_record(line, card, "investigator")
        await line.ana.say(SECOND)
        await line.olu.card(SECOND, "✓ validated", '"approve"')


@pytest.mark.parametrize("name", rows(ENDED))
async def test_a_run_without_findings_leaves_its_reason_and_its_text(line: Line, name: str) -> None:
    """The keyword engine drafts; the model's text is behind Show Evidence alone; the next question is served."""
    turns, why = ENDED[name]
    async with agents(line, bad_first("investigator", turns), model=patience(name)):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Without the model", why, '"approve"', '"redraft"')
        if text := NOTES.get(name):
            assert not shows(card, text)
            await line.olu.evidence(card, "Unchecked notes", text)
        assert replies(await line.ana.now(), asked) == []
        await on_record(line, card, "investigator")
        await line.ana.say(SECOND)
        await line.olu.card(SECOND, "✓ validated", '"approve"')
    assert all(session["outcome"] != "running" for session in sessions(line))


@pytest.mark.parametrize("name", rows([*UNREACHABLE, *ENDED]))
async def test_a_validator_in_trouble_leaves_its_checks_unmade(line: Line, name: str) -> None:
    """The draft goes to the operator with the reason, its checks named as not made; the next one is validated."""
    turns, why = (always(UNREACHABLE[name][0]), UNREACHABLE[name][1]) if name in UNREACHABLE else ENDED[name]
    if name == "endless calls":
        turns, why = (
            lambda turn: api.calls(("read_file", {"path": "orders.py", "first": turn + 1})),
            "within its limits",
        )
    async with agents(line, bad_first("validator", turns), model=patience(name)):
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("No validator", why, "Evidence checked", '"approve"')
        await line.olu.evidence(card, "Not checked: spot-check")
        assert not shows(card, "✓ validated")
        assert replies(await line.ana.now(), asked) == []
        await on_record(line, card, "validator")
        await line.ana.say(SECOND)
        await line.olu.card(SECOND, "✓ validated", '"approve"')


async def test_redraft_after_a_missing_verdict_does_not_pay_the_investigation_again(line: Line) -> None:
    """The same draft is validated, with a verdict on its card and a run of the validator alone."""
    play = Play(validator=(always(api.status(401)), PASSES))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        card = await line.olu.card("No validator", "wants a key (401)", '"redraft"')
        paid = len(play.of("investigator"))
        await line.olu.press("redraft", card)
        card = await line.olu.card(QUESTION, "✓ validated", '"approve"')
        assert not shows(card, "No validator")
        assert len(play.of("investigator")) == paid
    assert [session["agent"] for session in sessions(line)].count("investigator") == 1


@pytest.mark.parametrize(("whose", "minutes"), [("investigator", 0.03), ("validator", 0.06)])
async def test_a_model_that_is_slow_at_every_turn_ends_with_its_deadline(
    line: Line, whose: str, minutes: float
) -> None:
    """The whole run has its time, however many calls still come in theirs; a good one before it needs a part of it."""
    more = f"investigator: {{hard_cap_runtime_min: {minutes}}}"
    async with agents(line, bad_first(whose, always(api.hang)), more=more):
        await line.ana.say(QUESTION)
        where = "Without the model" if whose == "investigator" else "No validator"
        card = await line.olu.card(where, "the model did not answer", '"approve"')
        await on_record(line, card, whose)


async def test_at_the_days_cap_the_keyword_engine_answers_and_the_admin_is_told(line: Line) -> None:
    """In the admin's direct message; the card says why; what was spent stays below the cap."""
    dear = {"input_tokens": 20_000, "output_tokens": 1_000}
    turns = tuple(one | {"usage": dear} if isinstance(one, dict) else one for one in GOOD)
    ada = Human(line.workspace.url, "U0ADMIN")
    play = Play(investigator=(turns,))
    async with agents(line, play, model="max_usd_per_day: 0.42", more="admins: [U0ADMIN]"):
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        await line.ana.say(SECOND)
        card = await line.olu.card(SECOND, "Without the model", "may cost $0.42 today", '"redraft"')
        assert shows(card, "/triage allow &lt;usd&gt;")
        await ada.card("money for today is used up", "/triage allow")
        assert sum(session["cost_usd"] for session in sessions(line)) <= 0.42
        assert "today's limit is $0.42." in await line.olu.command("status")
        said = await ada.command("allow 0.4")
        assert said.startswith("The agents may cost $0.82 today now, not $0.42; $0.")
        await line.olu.press("redraft", card)
        card = await line.olu.card(SECOND, "✓ validated", "/2 ")
        assert not shows(card, "Without the model")
        await line.olu.evidence(card, "Drafted by the claude engine", "investigator (over cap) $")
    async with agents(line, play, model="max_usd_per_day: 0.42", more="admins: [U0ADMIN]"):
        assert "today's limit is $0.82." in await line.olu.command("status")
        assert "Set by `allow`: $0.40 more until <!date^" in await ada.command("config")
    commands = [json.loads(row) for row in (line.home / "audit.ndjson").read_text().splitlines()]
    (allowed,) = [one for one in commands if one.get("action") == "allow"]
    assert (allowed["user_id"], allowed["input"], allowed["outcome"]) == ("U0ADMIN", {"usd": "0.4"}, "done")


@dataclass
class Locked(Play):
    """A play for the holders of one key; any other gets 401."""

    key: str = ""

    def __call__(self, body: Body) -> Answer:
        turn = super().__call__(body)

        async def answer_or_refuse(request: web.Request) -> web.StreamResponse:
            if self.key not in (request.headers.get("x-api-key"), request.headers.get("authorization", "")[7:]):
                return await api.status(401, said="invalid x-api-key")(request)
            assert not callable(turn)
            return await sse.send_message(request, request[sse.COMPLETE](turn))

        return answer_or_refuse


async def test_a_refused_key_is_told_to_the_admin_once_until_it_is_mended(line: Line) -> None:
    """However many questions it fails; with the next key each of them is answered by the model."""
    ada, key = Human(line.workspace.url, "U0ADMIN"), "key-of-the-" + "team"
    async with agents(line, Locked(key=key), more="admins: [U0ADMIN]", model_key="key-of-last-" + "year"):
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, "Without the model", "does not accept the key (401)", '"approve"')
        await ada.card("The agents have no usable key", "correct `ANTHROPIC_API_KEY`")
        asked = await line.ana.say(SECOND)
        second = await line.olu.card(SECOND, "Without the model", "does not accept the key (401)", '"redraft"')
        assert replies(await line.ana.now(), asked) == []
    async with agents(line, Locked(key=key), more="admins: [U0ADMIN]", model_key=key):
        await line.olu.press("redraft", second)
        await line.olu.card(SECOND, "✓ validated", "/2 ")
        await line.ana.say("what is done when an order is cancelled?")
        await line.olu.card("when an order is cancelled", "✓ validated")
    told = [card for card in cards(await ada.now()) if shows(card, "no usable key")]
    assert len(told) == 1


async def test_a_server_that_comes_back_is_asked_again_by_a_bounce(line: Line) -> None:
    """The fallback is for one draft; the next round asks the model."""
    play = Play(investigator=(always(api.status(529)), GOOD))
    async with agents(line, play):
        await line.ana.say(QUESTION)
        await line.olu.press("bounce", await line.olu.card("Without the model", '"approve"'))
        await line.olu.submit(await line.olu.dialog(), feedback="Ask the model.")
        card = await line.olu.card("✓ validated", "/2 ")
        await line.olu.evidence(card, "Drafted by the claude engine", "round 2")
        assert not shows(card, "Without the model")
    assert document(line)["fallback"] is None
    assert len(PASSES) == len(play.of("validator"))
