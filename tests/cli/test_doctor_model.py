"""`triage doctor --model`: what a server can do, what it cannot, and the next step for each failure."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from bot.adapters.home import Home
from bot.agents.model_probe import NUMBER, ProbeResult
from bot.cli.doctor_check import DoctorCheck
from bot.cli.doctor_model import check_models, measure_speed, next_step, report
from bot.config.environment import Environment
from bot.config.settings import Settings, load
from bot.errors import Stalled, Stopped, TriageError, Unreachable
from bot.models.turn import ReplyFigures, Turn, Usage
from tests.forks import PATIENCE, begun, terminal, triage
from tests.model_dialects import CALL_TEXT
from tests.model_server import Answer, Body, ModelServer, Script, calls, hang, raw, says, status
from tests.model_stream import plain

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-ant" + "-test-0002"
FORM = '{"limit": 12, "file": "app.py", "is_default": true}'


def able(body: Body) -> Answer:
    """The answers of an able model."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    if any(NUMBER in str(block.get("content")) for block in blocks):
        return says(f"It is {NUMBER}.")
    if "tools" in body:
        return calls(("read_limit", {"name": "uploads"}))
    return says(FORM if "app.py" in json.dumps(blocks) else " ".join(map(str, range(1, 61))))


def instead(word: str, given: Answer) -> Script:
    """An able model that answers requests with this word otherwise."""
    return lambda body: given if word in json.dumps(body) else able(body)


def settings(tmp_path: Path, url: str, model: str = "m") -> Settings:
    """Settings with this server."""
    path = tmp_path / "triage.yml"
    path.write_text(f"model: {{base_url: '{url}', max_retries: 0}}\ninvestigator: {{model: {model}}}\n")
    return load(path, tmp_path / "home")


async def checked(tmp_path: Path, script: Script, *, path: str = "") -> dict[str, DoctorCheck]:
    """The rows of a check, by name."""
    async with ModelServer(script) as server:
        env = Environment(anthropic_api_key=SecretStr(KEY))
        coming = check_models(settings(tmp_path, server.url + path), env, tmp_path / "home")
        return {check.name.removeprefix("model "): check async for check in coming}


async def test_the_command_asks_four_questions_and_books_their_cost(tmp_path: Path) -> None:
    """Each row is fine, and the exit code 0; the key is not printed; no setting but the model's is needed."""
    async with ModelServer(able) as server:
        settings(tmp_path, server.url, "claude-haiku-4-5")
        command = (
            "doctor",
            "--model",
            "--json",
            "--config",
            str(tmp_path / "triage.yml"),
            "--home",
            str(tmp_path / "h"),
        )
        done = await asyncio.to_thread(lambda: triage(*command, variables={"ANTHROPIC_API_KEY": KEY}))
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert (done.returncode, {check["ok"] for check in checks.values()}) == (0, {True}), done.stdout
    assert list(checks) == [
        "model",
        *("model question", "model stream", "model tool call", "model form", "model speed", "model cost"),
    ]
    assert checks["model"]["detail"] == f"claude-haiku-4-5 at {server.url}, with a key"
    assert "as scripted" in checks["model question"]["detail"]
    assert checks["model cost"]["detail"].startswith("$0.0")
    assert "for 5 calls, counted in the budget of today" in checks["model cost"]["detail"]
    assert KEY not in done.stdout + done.stderr
    sessions = [json.loads(path.read_text()) for path in (tmp_path / "h" / "sessions").rglob("*.json")]
    assert [(session["agent"], session["outcome"]) for session in sessions] == [("doctor", "answered")] * 4


async def test_the_command_names_a_failure_with_its_next_step(tmp_path: Path) -> None:
    """One row and the exit code 1; nothing more is asked."""
    async with ModelServer([]) as server:
        pass
    settings(tmp_path, server.url)
    command = ("doctor", "--model", "--config", str(tmp_path / "triage.yml"), "--home", str(tmp_path / "home"))
    done = await asyncio.to_thread(lambda: triage(*command))
    wrong = [line for line in done.stdout.splitlines() if line.startswith("WRONG")]
    assert (done.returncode, done.stderr) == (1, "")
    assert wrong == [
        f"WRONG  model question: the model's server cannot be reached; start the server, or correct model.base_url "
        f"({server.url})"
    ]


@pytest.mark.parametrize(
    ("script", "path", "row", "ok", "said"),
    [
        (lambda _: status(401), "", "question", False, "does not accept the key (401)"),
        (lambda _: status(401), "", "question", False, "no longer valid: replace it"),
        (lambda _: status(501), "", "question", False, "there is no Messages API: correct model.base_url"),
        (
            lambda _: status(404, said="no model m"),
            "",
            "question",
            False,
            "use a name that the server lists",
        ),
        (lambda _: status(404), "/v1", "question", False, "model.base_url ends before /v1"),
        (lambda _: status(402), "", "question", False, "no credit left"),
        (lambda _: status(529), "", "question", False, "overloaded (529); try again later"),
        (lambda _: raw("<html>", content_type="text/html"), "", "question", False, "a web page"),
        (instead("read_limit", status(400, said="no tools")), "", "tool call", False, "no tools; the model may lack"),
        (instead("read_limit", says("It is 5.")), "", "tool call", False, "did not call the tool; use a larger model"),
        (instead("read_limit", says(CALL_TEXT)), "", "tool call", False, "written as text"),
        (instead("app.py", says("twelve")), "", "form", False, "it has no JSON object (attempt 2); use a larger"),
        (lambda body: plain(able(body)), "", "stream", None, "is not streamed"),  # type: ignore[arg-type]  # a message
        (instead("pong", says("pong", usage={})), "", "usage", None, "reports no tokens"),
        (
            lambda body: status(400, said="no") if "output_config" in body else able(body),
            *("", "parameters", None, "refuses the form of the answer and cache markers"),
        ),
        (able, "", "cost", None, "the price is not known"),
    ],
)
async def test_each_row_says_what_the_server_lacks(
    tmp_path: Path, script: Script, path: str, row: str, ok: bool | None, said: str
) -> None:
    """With the next step where there is one."""
    checks = await checked(tmp_path, script, path=path)
    assert checks[row].ok is ok
    assert said in checks[row].detail
    assert all(KEY not in check.detail for check in checks.values())
    if checks["question"].ok is False:
        assert list(checks) == ["model", "question"]


@pytest.mark.long  # a home that is in use is waited for
async def test_beside_a_running_bot_the_cost_is_recorded_for_its_next_start(tmp_path: Path) -> None:
    """The bot alone keeps the day's account; its runs are left as they are."""
    home = Home(tmp_path / "home")
    await home.lock()
    try:
        async with ModelServer(able) as server:
            given = settings(tmp_path, server.url, "claude-haiku-4-5")
            rows = [check async for check in check_models(given, Environment(), tmp_path / "home")]
    finally:
        home.unlock()
    assert "from its next start on" in rows[-1].detail
    assert rows[0].detail.endswith("without a key")


def turn(*, seconds: float, first: float, tokens: int) -> Turn:
    """A streamed turn of so many tokens."""
    figures = ReplyFigures(first_seconds=first, seconds=seconds, is_streamed=True, is_counted=True)
    usage = Usage(output_tokens=tokens)
    return Turn(text="1 2", calls=(), stop="answered", usage=usage, content=(), figures=figures)


def test_a_slow_model_is_told_with_the_time_of_an_investigation(tmp_path: Path) -> None:
    """The speed counts from the first words on."""
    results = [ProbeResult(name="stream", turns=(turn(seconds=32, first=2, tokens=150),), usd=0.0)]
    assert measure_speed(results) == 5
    (_, speed) = report(results, settings(tmp_path, "http://127.0.0.1:1"), "http://127.0.0.1:1")
    assert speed.ok is None
    assert speed.detail.startswith("5 tokens a second: the 5,000 tokens of an investigation take about 17 minutes")
    assert "investigator.hard_cap_runtime_min (5)" in speed.detail


def test_a_form_that_fits_at_the_second_try_is_a_note(tmp_path: Path) -> None:
    """Some runs will end so."""
    again = turn(seconds=1, first=1, tokens=1)
    (row,) = report([ProbeResult(name="form", turns=(again, again), usd=0.0)], settings(tmp_path, "http://[::1]:1"), "")
    assert (row.ok, "only after a correction" in row.detail) == (None, True)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Stalled("the model did not answer", seconds=120), "use a faster model, or raise model.timeout_s (120)"),
        (Stopped("it took longer", why="limit"), "use a faster model"),
        (Unreachable("odd"), ""),
    ],
)
def test_a_failure_has_its_next_step(tmp_path: Path, problem: TriageError, said: str) -> None:
    """Where the sentence of the failure does not say it."""
    step = next_step(problem, settings(tmp_path, "http://127.0.0.1:1"), "http://127.0.0.1:1")
    assert step.startswith(said)
    assert bool(step) == bool(said)


async def test_ctrl_c_keeps_the_report_so_far(tmp_path: Path) -> None:
    """The call under way counts in the cost; exit code 130."""
    is_asked = asyncio.Event()

    def script(body: Body) -> Answer:
        if "pong" in json.dumps(body["messages"]):
            return says("pong")
        is_asked.set()
        return hang

    async with ModelServer(script) as server:
        settings(tmp_path, server.url, "claude-haiku-4-5")
        options = ("--config", str(tmp_path / "triage.yml"), "--home", str(tmp_path / "h"))
        with terminal() as tty, begun("doctor", "--model", *options, at=tty) as command:
            await is_asked.wait()
            tty.type("\x03")
            await asyncio.to_thread(command.process.join, PATIENCE)
            report = command.out.read_text()
            assert command.process.exitcode == 130
    assert "model question: answered" in report
    assert "interrupted; the report is not complete" in report
    (usd,) = re.findall(r"\$(0\.\d+) for 1 call,", report)
    assert float(usd) > 0.01
