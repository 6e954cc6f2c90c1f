"""`triage classify` as people use it: real processes, lines in and lines out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.cli.classify import MAX_LINE, LineClassifier
from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.stream_classifier import StreamClassifier
from bot.models.message import Message, normalise
from tests.builders import T0, message
from tests.forks import triage
from tests.tables import each_row

ROOT = Path(__file__).resolve().parents[2]
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("SLACK_", "TRIAGE_"))} | {"PYTHONPATH": str(ROOT)}
COMMAND = (sys.executable, "-m", "bot", "classify")


def run(given: bytes, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """The command, to its end, in a folder without settings unless the test puts some there."""
    return subprocess.run(
        [*COMMAND, *arguments], input=given, env=ENV, cwd=cwd, capture_output=True, timeout=60, check=False
    )


def lines(*given: object, explain: bool = False) -> tuple[list[dict[str, Any]], str, int]:
    """What the command makes of lines: the answers, the complaints, and how many lines were none."""
    taker = LineClassifier(StreamClassifier(compile_rules(bot_id="U0TRIAGE")), explain=explain)
    block = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in given]
    written, complaints = taker.take(block, at=T0)
    return [json.loads(line) for line in written.splitlines()], complaints.decode(), taker.broken


def test_lines_come_out_in_order_with_all_that_they_held(tmp_path: Path) -> None:
    """Unknown fields are copied as they stood, whatever they hold."""
    given = [
        b'{"text": "where is the limit set?", "n": 1.0000000000000000001, "x": {"a": [1e400, "\\ud800"]}}',
        json.dumps({**message("thanks!").model_dump(mode="json"), "mode": "live", "raw": {"a": 1}}).encode(),
        b'{"type": "message", "channel": "C1", "user": "U1", "text": "deployed", "ts": "5.1", "blocks": []}',
    ]
    done = run(b"\n".join(given), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    out = done.stdout.splitlines()
    for line, answer in zip(given, out, strict=True):
        assert answer.startswith(line[:-1])
    assert [json.loads(line)["classification"] for line in out] == ["actionable", "ack", "ambient"]


def test_a_line_that_is_none_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    """With its number, on stderr; the exit code says it at the end."""
    given = b'\xef\xbb\xbf{"text": "why?"}\r\n\r\nnot json\r\n[1]\n{"text": 5}\n{"a": NaN}\n\xff\n{"text": "ok"}'
    done = run(given, cwd=tmp_path)
    assert done.returncode == 1
    assert [json.loads(line)["classification"] for line in done.stdout.splitlines()] == ["actionable", "ack"]
    said = done.stderr.decode().splitlines()
    assert [line.split(":")[0] for line in said] == ["line 3", "line 4", "line 5", "line 6", "line 7"]
    assert all("expected" in line for line in said)


def test_an_answer_is_there_before_the_next_line(tmp_path: Path) -> None:
    """Whoever asks line by line is answered line by line."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV, cwd=tmp_path) as process:
        assert process.stdin
        assert process.stdout
        for text, expected in (("why?", "actionable"), ("thanks", "ack")):
            process.stdin.write(json.dumps({"text": text}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["classification"] == expected
        process.stdin.close()
        assert process.wait(20) == 0


def test_a_reader_that_goes_ends_it_quietly(tmp_path: Path) -> None:
    """As `| head` does."""
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, cwd=tmp_path
    ) as process:
        assert process.stdout
        process.stdout.close()
        process.stdout = None
        assert process.communicate(b'{"text": "why?"}\n', timeout=20)[1] == b""


def test_the_settings_say_who_the_bot_is(tmp_path: Path) -> None:
    """`triage.yml` beside it is read, or the file that is named; one that is not there is said."""
    (tmp_path / "triage.yml").write_text("classifier: {bot_id: U0TRIAGE}\n")
    line = json.dumps({"text": "<@U0TRIAGE> the deploy is stuck"})
    assert json.loads(triage("classify", stdin=line, cwd=tmp_path).stdout)["is_bot_mention"]
    (tmp_path / "other.yml").write_text("classifier: {bot_id: U0OTHER}\n")
    other = triage("classify", "--config", "other.yml", stdin=line, cwd=tmp_path)
    assert not json.loads(other.stdout)["is_bot_mention"]
    missing = triage("classify", "--config", "none.yml", stdin=line, cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "none.yml" in missing.stderr


def test_a_classified_line_is_classified_anew() -> None:
    """No key stands there twice, and nothing else is lost."""
    line = {"text": "why?", "classification": "ambient", "reasons": [], "mode": "live"}
    (answer,), _, _ = lines(line)
    assert (answer["classification"], answer["mode"]) == ("actionable", "live")
    assert "reasons" not in answer


def test_explain_says_why() -> None:
    """The reasons with their weights, and one sentence."""
    (answer,), _, _ = lines({"text": "why?"}, explain=True)
    assert all({"feature", "weight"} == set(reason) for reason in answer["reasons"])
    assert answer["reasons"]
    assert answer["explanation"].endswith(".")


def test_the_asker_of_a_thread_is_known_again() -> None:
    """Thread, author and order count: what he adds is actionable, what others add is not."""
    asked = {"type": "message", "channel": "C1", "user": "U1", "ts": "5.1", "text": "why does it fail?"}
    same = {**asked, "ts": "6.1", "thread_ts": "5.1", "text": "still the same on Linux"}
    found, _, _ = lines({**same, "user": "U1"}, asked, same, {**same, "user": "U2"})
    assert [record["classification"] for record in found] == ["ambient", "actionable", "actionable", "ambient"]


def test_what_is_no_message_is_copied() -> None:
    """One line for each, whatever kind of event it is."""
    press = {"kind": "press", "user_id": "U1"}
    assert lines(press) == ([press], "", 0)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"text": "' + b"x" * MAX_LINE + b'"}',
        b"{}",
        b'"text"',
        b"\x00",
    ],
    ids=["deep", "digits", "long", "empty", "string", "nul"],
)
def test_a_hostile_line_is_a_complaint(line: bytes) -> None:
    """One line of it, and the next line is answered."""
    found, complaints, broken = lines(line, {"text": "why?"})
    assert [record["classification"] for record in found] == ["actionable"]
    assert broken == 1
    assert len(complaints.splitlines()) == 1
    assert complaints.startswith("line 1: ")


@each_row(
    "event",
    [
        {"user": "U7BOT", "bot_id": "B7BOT", "app_id": "A7BOT"},
        {"bot_id": "B7BOT"},
        {"app_id": "A7BOT"},
        {"user": "USLACKBOT"},
        {"subtype": "bot_message", "username": "alerts"},
    ],
)
@each_row("alert_bot", ["B7BOT", "A7BOT", "U7BOT"])
def test_a_bots_event_is_judged_as_the_bot_judges_it(event: dict[str, Any], alert_bot: str) -> None:
    """By whichever mark it is known as a bot, and by whichever of its ids it is one that may ask."""
    rules = compile_rules(bot_id="U0TRIAGE", alert_bots=[alert_bot])
    slack = {"type": "message", "channel": "C0HELP", "ts": "5.000001", "text": "where is the limit set?", **event}
    sent = normalise({"type": "event_callback", "team_id": "T0SANDBOX", "event": slack}, chat_names={})
    assert isinstance(sent, Message)
    live = rules.classify(sent, thread_is_open=False, at=T0)
    (answer,) = (
        json.loads(line)
        for line in LineClassifier(StreamClassifier(rules), explain=True)
        .take([json.dumps(slack).encode()], at=T0)[0]
        .splitlines()
    )
    assert (answer["classification"], answer["reasons"]) == (
        live.classification,
        live.record()["reasons"],
    )
