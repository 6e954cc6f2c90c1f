"""Money and early ends of `triage eval`: real processes, at a pseudo-terminal where a person would type."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.forks import PATIENCE, Begun, Terminal, begun, terminal, triage
from tests.line.play import Play
from tests.model_server import Answer, Body, ModelServer, hang, says, status

ORDERS = '"""Orders."""\n\nRETRY_LIMIT = 3\n"""How often a payment is tried again before the order is cancelled."""\n'
FIRST = {"question": "how often is a payment tried again?", "places": ["orders.py:3-4"], "values": ["3"]}
SECOND = {"question": "what is the colour of a refund?", "refuse": True}
MODEL = "claude-opus-5-5"


@pytest.fixture
def shop(tmp_path: Path) -> list[str]:
    """Arguments for a project, two questions and a home."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "orders.py").write_text(ORDERS)
    (tmp_path / "q.jsonl").write_text(f"{json.dumps(FIRST)}\n{json.dumps(SECOND)}\n")
    return [str(tmp_path / "q.jsonl"), "--config", str(tmp_path / "triage.yml"), "--home", str(tmp_path / "home")]


def write_settings(folder: Path, url: str, more: str = "") -> None:
    """Settings with this model server."""
    (folder / "triage.yml").write_text(
        f"projects: {{shop: {{root: code}}}}\nmodel: {{base_url: '{url}', max_retries: 0{more}}}\n"
    )


class Hanging:
    """An able model that never answers the second question, and tells when it is asked it."""

    def __init__(self) -> None:
        self.play, self.is_asked = Play(), asyncio.Event()

    def __call__(self, body: Body) -> Answer:
        """The answer to a request."""
        if "tools" not in body:
            return says("pong")
        if "refund" in json.dumps(body["messages"]):
            self.is_asked.set()
            return hang
        return self.play(body)


def kept(folder: Path) -> dict[str, Any]:
    """The newest results in the home."""
    path = max((folder / "home" / "evaluations").glob("*.json"))
    result: dict[str, Any] = json.loads(path.read_text())
    return result


def runs(folder: Path) -> list[dict[str, Any]]:
    """The records of all runs."""
    return [json.loads(path.read_text()) for path in (folder / "home" / "sessions").rglob("*.json")]


@contextmanager
def asked(shop: list[str], *more: str) -> Iterator[tuple[Begun, Terminal]]:
    """An evaluation of a model at a terminal, which has shown its question."""
    with terminal() as tty, begun("eval", *shop, "--engine", MODEL, *more, at=tty) as command:
        yield command, tty


async def ended(command: Begun) -> int | None:
    """Its exit code."""
    await asyncio.to_thread(command.process.join, PATIENCE)
    return command.process.exitcode


@pytest.mark.parametrize(("keys", "code"), [("y\n", 0), ("n\n", 2), ("\x04", 2), ("\x03", 130)])
async def test_a_model_is_asked_after_a_typed_yes_only(shop: list[str], tmp_path: Path, keys: str, code: int) -> None:
    """Not after `n`, the end of the input or Ctrl-C."""
    play = Play()
    async with ModelServer(lambda body: play(body) if "tools" in body else says("pong")) as server:
        write_settings(tmp_path, server.url)
        with asked(shop) as (command, tty):
            shown = await asyncio.to_thread(tty.read_until, "[y/N] ")
            tty.type(keys)
            assert await ended(command) == code
    assert "3 runs of claude-opus-5-5. At most $3.00" in shown
    assert bool(server.requests) == (code == 0)


async def test_ctrl_c_keeps_the_answers_and_the_cost(shop: list[str], tmp_path: Path) -> None:
    """In the middle of an answer, whose reserved money counts as spent."""
    model = Hanging()
    async with ModelServer(model) as server:
        write_settings(tmp_path, server.url)
        with asked(shop, "--yes", "--json") as (command, tty):
            await model.is_asked.wait()
            tty.type("\x03")
            assert await ended(command) == 130
            (engine,) = json.loads(command.out.read_text())["engines"]
    assert [answer["first"] for answer in engine["answers"]] == [True]
    assert engine["cost_usd"] == pytest.approx(
        sum((run["cost_usd"] or 0) + run["unsure_usd"] for run in runs(tmp_path))
    )
    assert engine["cost_usd"] > engine["answers"][0]["usd"]
    assert kept(tmp_path)["ended_early"] == f"{MODEL}: interrupted"
    assert {run["outcome"] for run in runs(tmp_path)} == {"answered", "cancelled"}


async def test_a_cost_that_no_server_reported_is_a_maximum(shop: list[str], tmp_path: Path) -> None:
    """The table names the known part; the answers name their own parts."""
    play, silent = Play(), iter([hang])
    silence = ", timeout_s: 0.3"

    def script(body: Body) -> Answer:
        if "tools" in body and "refund" in json.dumps(body["messages"]):
            return next(silent, None) or play(body)
        return play(body) if "tools" in body else says("pong")

    async with ModelServer(script) as server:
        write_settings(tmp_path, server.url, silence)
        done = await asyncio.to_thread(lambda: triage("eval", *shop, "--engine", MODEL, "--yes"))
    (engine,) = kept(tmp_path)["engines"]
    known = sum(run["cost_usd"] or 0 for run in runs(tmp_path))
    unsure = sum(run["unsure_usd"] for run in runs(tmp_path))
    assert min(known, unsure) > 0
    assert f"cost                     ${known + unsure:.4f} at most, of which ${known:.4f} known" in done.stdout
    assert [answer["unsure_usd"] for answer in engine["answers"]] == [0, pytest.approx(unsure)]
    assert engine["unsure_usd"] == pytest.approx(unsure)


async def test_a_model_without_a_price_has_an_unknown_cost(shop: list[str], tmp_path: Path) -> None:
    """Also as the validator of a model with one: its runs are counted beside the sum."""
    play = Play()
    async with ModelServer(lambda body: play(body) if "tools" in body else says("pong")) as server:
        write_settings(tmp_path, server.url)
        with (tmp_path / "triage.yml").open("a") as settings:
            settings.write("validator: {model: nobody}\n")
        engines = ("--engine", MODEL, "--engine", "nobody", "--validate", "--yes")
        done = await asyncio.to_thread(lambda: triage("eval", *shop, *engines))
    priced, unknown = kept(tmp_path)["engines"]
    assert (unknown["usd"], unknown["answers"][0]["usd"]) == (None, None)
    assert priced["usd"] == pytest.approx(sum(run["cost_usd"] or 0 for run in runs(tmp_path)))
    assert priced["unknown_runs"] == 3
    assert re.search(r"cost +\$0\.\d{4}, and 3 runs of unknown cost +unknown", done.stdout)


async def test_a_kill_loses_no_paid_answer(shop: list[str], tmp_path: Path) -> None:
    """The next start counts the money, also what the call under way may have cost, and compares with what is kept."""
    model = Hanging()
    async with ModelServer(model) as server:
        write_settings(tmp_path, server.url)
        with asked(shop, "--yes") as (command, _):
            await model.is_asked.wait()
            command.process.kill()
            await ended(command)
        held = sum(run["held_usd"] for run in runs(tmp_path))
        assert held > 0
        (engine,) = kept(tmp_path)["engines"]
        assert [answer["first"] for answer in engine["answers"]] == [True]
        assert kept(tmp_path)["ended_early"] == "it did not reach its end"
        done = await asyncio.to_thread(lambda: triage("eval", *shop, "--engine", MODEL))
    spent = sum((run["cost_usd"] or 0) + run["unsure_usd"] for run in runs(tmp_path))
    assert spent > held
    assert f"${20 - spent:.2f} are left of today's $20.00" in done.stderr
    assert {run["outcome"] for run in runs(tmp_path)} == {"answered", "died"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(404, kind="not_found_error", said="model: nobody"), "use a name that the server lists"),
        (status(401, kind="authentication_error"), "set ANTHROPIC_API_KEY"),
        (None, "start the server"),
    ],
)
async def test_a_model_that_cannot_be_asked_ends_with_the_next_step(
    shop: list[str], tmp_path: Path, answer: Answer | None, reason: str
) -> None:
    """The results of the other engines are kept."""
    async with ModelServer(lambda _: answer or hang) as server:
        write_settings(tmp_path, server.url if answer else "http://127.0.0.1:9")
        engines = ("--engine", "nobody", "--engine", "keyword", "--yes")
        done = await asyncio.to_thread(lambda: triage("eval", *shop, *engines))
    assert done.returncode == 1
    assert reason in done.stderr
    assert "No price is known for nobody" in done.stderr
    assert [len(engine["answers"]) for engine in kept(tmp_path)["engines"]] == [0, 2]


async def test_a_day_without_money_asks_no_model(shop: list[str], tmp_path: Path) -> None:
    """The reason is told, and the keyword engine goes on."""
    async with ModelServer([]) as server:
        write_settings(tmp_path, server.url, more=", max_usd_per_day: 0.01")
        engines = ("--engine", MODEL, "--engine", "keyword", "--yes")
        done = await asyncio.to_thread(lambda: triage("eval", *shop, *engines))
    assert (done.returncode, server.requests) == (1, [])
    assert "At most $0.01" in done.stderr
    assert "the agents may cost $0.01 today" in done.stderr
    assert [len(engine["answers"]) for engine in kept(tmp_path)["engines"]] == [0, 2]


async def test_a_server_that_falls_silent_ends_the_model(shop: list[str], tmp_path: Path) -> None:
    """After three questions in a row; they count as wrong."""
    questions = [FIRST | {"id": f"{number}"} for number in range(5)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    async with ModelServer(lambda body: status(529) if "tools" in body else says("pong")) as server:
        write_settings(tmp_path, server.url)
        done = await asyncio.to_thread(lambda: triage("eval", *shop, "--engine", MODEL, "--yes"))
    assert done.returncode == 1
    assert f"It ended early: {MODEL}: 3 questions in a row have no answer: " in done.stderr
    assert [answer["first"] for answer in kept(tmp_path)["engines"][0]["answers"]] == [False] * 3
