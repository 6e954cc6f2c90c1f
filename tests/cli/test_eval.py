"""`triage eval` as a person types it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from tests.forks import triage
from tests.line.play import Play
from tests.model_server import ModelServer, says

ORDERS = '"""Orders."""\n\nRETRY_LIMIT = 3\n"""How often a payment is tried again before the order is cancelled."""\n'


@pytest.fixture
def shop(tmp_path: Path) -> list[str]:
    """Arguments for a project with one question and a home."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "orders.py").write_text(ORDERS)
    (tmp_path / "triage.yml").write_text("projects:\n  shop:\n    root: code\n")
    question = {"question": "how often is a payment tried again?", "places": ["orders.py:3-4"], "values": ["3"]}
    (tmp_path / "q.jsonl").write_text(json.dumps(question))
    return [str(tmp_path / "q.jsonl"), "--config", str(tmp_path / "triage.yml"), "--home", str(tmp_path / "home")]


def test_the_keyword_engine_is_judged_and_compared(shop: list[str]) -> None:
    """The second run names the first one."""
    first = triage("eval", *shop, "--json")
    assert first.returncode == 0, first.stderr
    (engine,) = json.loads(first.stdout)["engines"]
    assert engine["shares"]["right place first"]["count"] == 1
    again = triage("eval", *shop)
    assert "1 same questions, 0 became right, 0 became wrong" in again.stdout


def test_a_model_waits_for_a_yes(shop: list[str]) -> None:
    """With the maximum of its cost."""
    done = triage("eval", *shop, "--engine", "claude-opus-5-5")
    assert done.returncode == 2
    assert "2 runs of claude-opus-5-5. At most $2.00" in done.stderr
    assert "--yes starts it" in done.stderr


async def test_a_model_is_judged_beside_the_keyword_engine(shop: list[str], tmp_path: Path) -> None:
    """Through the investigator, the evidence check and the validator; its cost is counted."""
    play = Play()
    async with ModelServer(lambda body: play(body) if "tools" in body else says("pong")) as server:
        with (tmp_path / "triage.yml").open("a") as settings:
            settings.write(f"model: {{base_url: '{server.url}'}}\n")
        engines = ("--engine", "keyword", "--engine", "claude-opus-5-5", "--validate", "--yes", "--json")
        done = await asyncio.to_thread(lambda: triage("eval", *shop, *engines))
    assert done.returncode == 0, done.stderr
    _, model = json.loads(done.stdout)["engines"]
    (answer,) = model["answers"]
    assert (answer["first"], answer["values"], answer["stopped"], answer["failure"]) == (True, True, False, "")
    assert model["cost_usd"] > 0


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "line 3: expected places"),
        ({"places": ["nowhere.py:1"]}, "line 3: no file of shop is nowhere.py; correct the place (nowhere.py:1)"),
        ({"places": ["orders.py:9"]}, "line 3: orders.py of shop ends at line 4"),
        ({"places": ["orders.py:2-5"]}, "line 3: orders.py of shop ends at line 4; correct the place (orders.py:2-5)"),
        ({"places": ["orders.py:4-3"]}, "line 3: places.0: the range is reversed: 'orders.py:4-3'; write its first"),
        ({"places": ["../orders.py:1"]}, "line 3: places.0: expected a path within the project"),
        ({"places": ["/etc/hostname"]}, "line 3: places.0: expected a path within the project"),
        ({"places": ["orders.py"], "project": "other"}, "line 3: expected a project of the settings (shop), got other"),
    ],
)
def test_an_invalid_line_is_an_error_with_its_number(shop: list[str], fields: dict[str, object], reason: str) -> None:
    """Nothing is asked; a byte order mark, blank lines and any ends of lines are no faults."""
    path = Path(shop[0])
    path.write_bytes(
        b"\xef\xbb\xbf" + path.read_bytes() + b"\r\n\r\n" + json.dumps({"question": "x", **fields}).encode()
    )
    done = triage("eval", *shop)
    assert (done.returncode, reason in done.stderr) == (2, True), done.stderr


async def test_all_faults_of_a_file_are_named_before_a_model_is_asked(shop: list[str], tmp_path: Path) -> None:
    """Each with its line, whatever it is, and none is left out."""
    faults = [*(["nope/none.py:3"] for _ in range(12)), ["orders.py:7-2"], ["orders.py:400"], []]
    lines = [json.dumps({"question": f"q{number}", "places": places}) for number, places in enumerate(faults)]
    Path(shop[0]).write_text("\n".join(lines))
    async with ModelServer([]) as server:
        with (tmp_path / "triage.yml").open("a") as settings:
            settings.write(f"model: {{base_url: '{server.url}'}}\n")
        done = await asyncio.to_thread(lambda: triage("eval", *shop, "--engine", "claude-opus-5-5", "--yes"))
    assert (done.returncode, server.requests) == (2, [])
    assert sorted(map(int, re.findall(r"q\.jsonl: line (\d+): ", done.stderr))) == [*range(1, 16)]
    assert "run" not in done.stderr


async def test_planted_faults_are_counted_by_kind(shop: list[str], tmp_path: Path) -> None:
    """Those that code finds, and the validator's, which are no rates of a model if it is a script."""
    constants = "\n".join(f"LIMIT_{letter} = {number}" for number, letter in enumerate("ABCDEFGHIJ", 3))
    (tmp_path / "code" / "limits.py").write_text(constants)
    play = Play()
    async with ModelServer(lambda body: play(body) if "tools" in body else says("pong")) as server:
        with (tmp_path / "triage.yml").open("a") as settings:
            settings.write(f"model: {{base_url: '{server.url}'}}\n")
        engines = ("--engine", "claude-opus-5-5", "--validate", "--yes")
        done = await asyncio.to_thread(lambda: triage("eval", *shop, *engines))
    assert done.returncode == 0, done.stderr
    assert "39 runs of claude-opus-5-5" in done.stderr
    for kind in ("wrong path", "wrong line", "changed quote"):
        assert re.search(rf"code found planted: {kind} +3 of 3 \(44% to 100%\)", done.stdout)
    assert re.search("validator stopped planted +n/a, scripted", done.stdout)


def test_the_starter_set_is_asked_in_the_default_home(tmp_path: Path) -> None:
    """With no argument at all: its projects lie within Triage's own home."""
    done = triage("eval", "--limit", "2", variables={"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "keyword" in done.stdout
    assert list((tmp_path / ".triage" / "evaluations").glob("*.json"))
