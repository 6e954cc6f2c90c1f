"""`triage doctor --model`: what a server can do, what it cannot, and the next step for each failure."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from bot.adapters.home import Home
from bot.agents.model_probe import NUMBER, probe
from bot.cli.doctor_check import DoctorCheck
from bot.cli.doctor_model import check_models
from bot.config.environment import Environment
from bot.config.settings import Settings, load
from bot.wiring.engines import build_llm_runtime
from bot.wiring.file_storage import FileStorage
from tests.fakes import LeapingClock
from tests.forks import PATIENCE, begun, terminal, triage
from tests.model_dialects import CALL_TEXT
from tests.model_server import Answer, Body, ModelServer, Script, calls, hang, raw, says, status
from tests.model_stream import cut_stream, plain

if TYPE_CHECKING:
    from pathlib import Path

ASKED = ["question", "stream", "tool call", "form"]
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
        "program",
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
    """One wrong row and the exit code 1; nothing more is asked, and that is said."""
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
        (instead("pong", says("pong", usage={})), "", "usage", None, "does not report the use of all calls"),
        (
            lambda body: status(400, said="no") if "output_config" in body else able(body),
            *("", "parameters", None, "refuses the form of the answer; all calls go without (some also without cache"),
        ),
        (
            lambda body: status(400, said="no") if "cache_control" in json.dumps(body) else able(body),
            *("", "parameters", None, "refuses cache markers, the form of the answer; all calls go without"),
        ),
        (
            lambda body: status(405) if body.get("stream") else able(body),
            *("", "parameters", None, "refuses streams; all calls go without"),
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
        assert list(checks) == ["model", *ASKED]
        assert {checks[name].ok for name in ASKED[1:]} == {None}
        assert checks["form"].detail == "not asked: correct the failure above first"


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


async def test_without_a_key_a_server_that_wants_one_asks_for_it(tmp_path: Path) -> None:
    """The key is not wrong: there is none."""
    async with ModelServer(lambda _: status(401)) as server:
        given = settings(tmp_path, server.url)
        rows = [check async for check in check_models(given, Environment(), tmp_path / "home")]
    assert rows[1].detail == "the model's server wants a key (401), and there is none; set ANTHROPIC_API_KEY"


async def test_a_failed_stream_prevents_no_other_question(tmp_path: Path) -> None:
    """The cut call counts in the cost, as a maximum."""
    long = says(" ".join(map(str, range(1, 61))))
    async with ModelServer(instead("Count from", cut_stream(long, 5))) as server:
        given = settings(tmp_path, server.url, "claude-haiku-4-5")
        checks = {check.name: check async for check in check_models(given, Environment(), tmp_path / "home")}
    assert [checks[f"model {name}"].ok for name in ASKED] == [True, False, True, True]
    assert checks["model cost"].ok is None
    assert re.match(r"\$0\.\d+ at most, of which \$0\.\d+ known, for 5 calls, ", checks["model cost"].detail)
    assert "model speed" not in checks


@pytest.mark.parametrize(
    ("slow", "all_seconds", "done"),
    [
        (["Count from"], 60.0, [True, False, True, True]),
        (["Count from", "read_limit"], 60.0, [True, False, False, None]),
        (["pong", "app.py"], 60.0, [False, True, True, False]),
        (["pong", "Count from"], 60.0, [False, False, None, None]),
        (["Count from"], 8.0, [True, False, None, None]),
    ],
)
async def test_each_question_has_its_time(
    tmp_path: Path, slow: list[str], all_seconds: float, done: list[bool | None]
) -> None:
    """A silent one ends alone, two in a row end the check, and none is begun without time."""

    def script(body: Body) -> Answer:
        return hang if any(word in json.dumps(body) for word in slow) else able(body)

    async with ModelServer(script) as server:
        clock = LeapingClock()
        runtime = build_llm_runtime(
            settings(tmp_path, server.url),
            Environment(),
            FileStorage(tmp_path / "home"),
            clock=clock,
            tell=lambda _: None,
        )
        coming = probe(runtime.loop("m"), seconds=1.0, usd=1.0, all_seconds=all_seconds)
        results = []
        async for result in coming:
            results.append(None if result.not_done else result.problem is None)
            await clock.move(2)
        await runtime.close()
    assert results == done


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
    ((usd, known),) = re.findall(r"\$(0\.\d+) at most, of which \$(0\.\d+) known, for 2 calls,", report)
    assert float(usd) > 0.01 > float(known)
    assert "model stream: interrupted" in report
    assert "model form: not asked: interrupted" in report
