"""A team's own program in place of the investigator: its task, its environment, its answer, and its end."""

from __future__ import annotations

import json
import os
import select
from typing import Any

import pytest

from bot.agents.evidence import EvidenceChecker
from bot.decide.redaction.redactor import Redactor
from bot.escalation.program_answer import read_answer
from bot.models.project import Project
from tests.escalation.bench import KEY, Bench, answer, unfinished
from tests.escalation.builders import FIRST, handoff

TOKEN = "-".join(("tok", "9f8e7d" * 5))
SECONDS = 20
"""Seconds for an end that comes at once, on a busy machine."""


def program(bench: Bench, script: str, *words: str, tier: str = "", **changes: Any) -> None:
    """Begin a task whose tier 2 is this shell script with these words."""
    path = bench.path / "program.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    command = json.dumps([str(path), *words])
    bench.begin(f"tiers: {{2: {{command: {command}{tier}}}}}", **changes)


def printed(content: Any) -> str:
    """A line of a script that prints this JSON."""
    return f"cat <<'END'\n{json.dumps(content)}\nEND"


def written(content: Any) -> str:
    """A line of a script that writes this JSON into the file of its first argument."""
    return f"cat > \"$1\" <<'END'\n{json.dumps(content)}\nEND"


def claude(**changes: Any) -> dict[str, Any]:
    """The output of `claude --print --output-format json`."""
    result = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 4000, "num_turns": 7}
    return result | {"result": json.dumps(answer()), "session_id": "5f2c", "total_cost_usd": 0.25} | changes


def is_gone(pid: int) -> bool:
    """Wait for the end of a process."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], SECONDS)[0])
    finally:
        os.close(handle)


@pytest.mark.parametrize(
    "script",
    [
        printed(answer()),
        f"echo I begin.\n{printed(answer())}",
        printed(claude()),
        printed(claude(result="", structured_output=answer())),
        f"{printed({'type': 'assistant', 'message': {'content': '…'}})}\n{printed(claude())}",
        f"{written(answer())}\necho done",
        f"{written(answer())}\n{printed(claude(result='It is in the file.'))}",
    ],
)
async def test_its_answer_is_read_from_its_output_or_its_file(bench: Bench, script: str) -> None:
    """In the form of any long run; its quotes are compared by the same code as all others."""
    program(bench, script, "{return_file}")
    assert await bench.run() == 0
    report = bench.returned.report
    assert report is not None
    assert (report.engine, report.project, report.unopened) == ("program", "shop", ())
    (reference,) = report.findings.evidence_refs
    checker = EvidenceChecker(bench.root, Redactor(), Project(name="shop", root=bench.root))
    assert (await checker.check(reference)).result == "ok"
    assert "ended with exit code 0" in bench.transcript


async def test_its_reported_cost_counts_up_to_its_cap(bench: Bench) -> None:
    """Where it reports none, all that was held for it counts."""
    program(bench, printed(claude(total_cost_usd=0.25)), usd=1.0)
    assert await bench.run() == 0
    session = bench.folder.read_session()
    assert session is not None
    assert (session.spent_usd, session.cost_usd, session.num_turns, session.outcome) == (0.25, 0.25, 7, "answered")
    assert bench.returned.cost_usd == 0.25


@pytest.mark.parametrize("cost", [5.0, None, "much", -1, True])
async def test_a_cost_that_is_no_cost_counts_as_all_that_was_held(bench: Bench, cost: Any) -> None:
    """A program cannot make its run cheaper by words that are no number, nor dearer than its cap."""
    program(bench, printed(claude(total_cost_usd=cost)), usd=1.0)
    assert await bench.run() == 0
    session = bench.folder.read_session()
    assert session is not None
    assert session.spent_usd == 1.0


async def test_it_gets_its_task_as_a_file_and_only_the_variables_that_are_named(bench: Bench) -> None:
    """No variable of Slack, no key of the model; it starts in the project, with an empty input."""
    script = f'env > "$2/env"; pwd > "$2/pwd"; cat > "$2/input"; cp "$1" "$2/task"\n{printed(answer())}'
    out = bench.path / "out"
    out.mkdir()
    program(
        bench, script, "{task_file}", str(out), tier=", env: [AGENT_TOKEN, GONE]", handoff=handoff(recommended_tier=2)
    )
    variables = {"PATH": os.environ["PATH"], "HOME": "/home/me", "TZ": "UTC", "AGENT_TOKEN": TOKEN}
    secrets = {
        "SLACK_BOT_TOKEN": "-".join(("xoxb", "1", "2", "abc")),
        "SLACK_WEBHOOK": "https://x",
        "ANTHROPIC_API_KEY": KEY,
    }
    assert await bench.run(KEY, **variables, **secrets) == 0
    names = {line.partition("=")[0] for line in (out / "env").read_text().splitlines()}
    assert names - {"PWD", "_", "SHLVL", "OLDPWD"} == set(variables)
    assert (out / "pwd").read_text().strip() == str(bench.root)
    assert (out / "input").read_text() == ""
    text = (out / "task").read_text()
    assert "What is the retry limit?" in text
    assert "## Escalation Context" in text
    assert str(bench.folder.program / "answer.json") in text
    assert '"escalation_requested"' in text
    assert "the variable GONE of tiers.2.env is not set" in bench.transcript


@pytest.mark.parametrize(
    ("script", "outcome", "reason"),
    [
        ("echo hello", "unusable", "the program's answer cannot be used: it has no JSON object"),
        ("true", "unusable", "it is empty"),
        (printed({"draft_reply": "5"}), "unusable", "confidence: Field required"),
        (f"{printed(answer())}\necho it broke >&2; exit 3", "failed", "the program ended with exit code 3: "),
        ("kill -KILL $$", "failed", "the program ended by signal 9"),
        (printed(claude(is_error=True, subtype="error_max_turns", result="")), "limit", "reports error_max_turns"),
        (
            printed(claude(is_error=True, result="Credit is low")),
            "failed",
            "the program reports success: Credit is low",
        ),
        ('ln -s /etc/hostname "$1"', "unusable", "it is empty"),
        ('mkfifo "$1"', "unusable", "it is empty"),
    ],
)
async def test_what_is_no_answer_is_a_failure_with_its_reason(
    bench: Bench, script: str, outcome: str, reason: str
) -> None:
    """And nothing is handed over, whatever it wrote beside its answer."""
    program(bench, f'echo "{{}}" > "$(dirname "$1")/../handoff.json"\n{script}', "{return_file}")
    assert await bench.run() == 1
    assert (bench.returned.outcome, reason in bench.returned.reason) == (outcome, True), bench.returned.reason
    assert bench.handoff is None
    assert not bench.folder.handoff.exists()


async def test_it_hands_over_by_its_answer(bench: Bench) -> None:
    """As an agent does."""
    program(bench, printed(unfinished()))
    assert await bench.run() == 0
    assert bench.handoff is not None
    assert bench.handoff.missing == "The change of May."


async def test_a_program_without_end_is_ended_at_its_limit(bench: Bench) -> None:
    """With what it started, although its output never ends; the transcript stays short."""
    program(bench, f'sleep 300 & echo $! > "$1"\necho "a secret {KEY}"\nexec yes more of it', "{task_dir}/pid")
    found = bench.folder.read_task()
    assert found is not None
    bench.folder.task.write_text(found.evolve(seconds=1.0).model_dump_json())
    assert await bench.run(KEY) == 1
    assert (bench.returned.outcome, bench.returned.reason) == ("limit", "it took longer than 1 s")
    assert is_gone(int((bench.folder.program / "pid").read_text()))
    assert bench.folder.transcript.stat().st_size < 2_000_000
    assert "The rest of its output is left out." in bench.transcript
    assert KEY not in bench.transcript + bench.folder.returned.read_text()


async def test_a_child_that_outlives_it_is_ended(bench: Bench) -> None:
    """It holds the output open, which delays nothing."""
    program(bench, f'sleep 300 & echo $! > "$1"\n{printed(answer())}', "{task_dir}/pid")
    assert await bench.run() == 0
    assert is_gone(int((bench.folder.program / "pid").read_text()))


async def test_a_program_that_is_not_there_costs_nothing(bench: Bench) -> None:
    """The reason names it."""
    bench.begin("tiers: {2: {command: [/nowhere/agent]}}")
    assert await bench.run() == 1
    assert bench.returned.reason == "the program /nowhere/agent cannot be started: No such file or directory"
    session = bench.folder.read_session()
    assert session is not None
    assert (session.session_id, session.spent_usd) == (FIRST, 0.0)


async def test_messages_of_the_thread_are_left_for_another_run(bench: Bench) -> None:
    """A program cannot be told of them."""
    program(bench, printed(answer()))
    bench.folder.append_message("100.000001", "Ana", "And the night build?")
    assert await bench.run() == 0
    assert bench.returned.read_messages == ()


def test_the_last_result_of_a_stream_counts() -> None:
    """Lines before it are its messages."""
    lines = [{"type": "system"}, claude(result="first"), claude(result="last", total_cost_usd=0.5)]
    found = read_answer("\n".join(map(json.dumps, lines)), "")
    assert (found.text, found.cost_usd) == ("last", 0.5)
