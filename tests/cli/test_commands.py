"""The command line as a person types it: real processes, their output and their exit codes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bot.__main__ import main
from bot.cli import command as command_line
from tests.decide.answered import threads
from tests.forks import CLEAN, ROOT, begun, triage
from tests.line.human import until

if TYPE_CHECKING:
    from tests.line.conftest import Line


def test_help_names_every_command() -> None:
    """Each command has a line, and a page of its own."""
    shown = triage("--help").stdout
    for command in (
        "demo",
        "run",
        "command",
        "doctor",
        "classify",
        "replay",
        "retrain",
        "purge",
        "drill",
        "eval",
        "metrics",
        "report",
        "selftest",
        "check-evidence",
    ):
        assert command in shown
        assert triage(command, "--help").returncode == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("read_note --json Deploy", ["Deploy"]),
        ("read_note Deploy --json shop --as U0A 2", ["Deploy", "shop", "2"]),
        ("--json read_note Deploy", ["Deploy"]),
        ("write_note Deploy --json -- -x --json", ["Deploy", "-x", "--json"]),
        ("write_note --json Deploy -- -x", ["Deploy", "-x"]),
        ("write_note --json Deploy - x", ["Deploy", "-", "x"]),
    ],
)
def test_an_option_may_stand_between_words(line: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In any place; what follows -- is words."""
    parsed: list[Any] = []

    def keep(options: Any) -> int:
        parsed.append(options)
        return 0

    monkeypatch.setattr(command_line, "main", keep)
    assert main(["command", *line.split()]) == 0
    (options,) = parsed
    assert (options.words, options.json) == (words, True)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("command note --jsn Deploy", "unrecognized arguments: --jsn Deploy; words that begin with - come after --"),
        ("command note Deploy --json -x", "unrecognized arguments: -x; words that begin with - come after --"),
        ("doctor extra", "unrecognized arguments: extra\n"),
        ("classify why?", 'why?; it reads stdin, such as:\n  echo \'{"text": "where is the limit set?"}\' | triage'),
        ("check-evidence --root . a.py:1", 'a.py:1; it reads stdin, such as:\n  echo \'{"ref": "README.md:1"'),
        ("classify --explian why?", "did you mean --explain?"),
    ],
)
def test_an_unknown_option_is_named(line: str, advice: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With what to write for a word that looks like one."""
    with pytest.raises(SystemExit) as exit_info:
        main(line.split())
    assert (exit_info.value.code, advice in capsys.readouterr().err) == (2, True)


def test_check_evidence_answers_line_by_line(tmp_path: Path) -> None:
    """One result for each reference, in order; a line that is none gets an error and costs the exit code."""
    (tmp_path / "a.py").write_text("limit = 3\n")
    lines = [
        json.dumps({"ref": "a.py:1", "quote": "limit = 3"}),
        json.dumps({"ref": "a.py:1", "quote": "limit = 4"}),
        json.dumps({"ref": "a.py:1", "quote": "limit = 3", "note": "unknown fields are no harm"}),
        json.dumps({"ref": "rate(x)", "kind": "log_query"}),
    ]
    done = triage("check-evidence", "--root", str(tmp_path), stdin="\n".join(lines))
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [True, False, True, False]
    assert done.returncode == 0
    broken = triage("check-evidence", "--root", str(tmp_path), stdin='{"quote": 1}\nnot json\n[]\n' + lines[0])
    results = [json.loads(line) for line in broken.stdout.splitlines()]
    assert [result["ok"] for result in results] == [False, False, False, True]
    assert "line 2" in results[1]["reason"]
    assert broken.returncode == 1


def test_check_evidence_takes_any_input(tmp_path: Path) -> None:
    """Whatever stands in a line, there is one result for it, and no trace."""
    lines = [
        '{"ref": "a\\ud800:1", "quote": "x"}',
        "[" * 100_000,
        '{"ref": "a.py:1", "quote": 5}',
        "",
        '{"ref": "\u00e9.py:1", "quote": "x"}',
    ]
    done = triage(
        "check-evidence", "--root", str(tmp_path), stdin="\n".join(lines), variables={"PYTHONUTF8": "0", "LC_ALL": "C"}
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["ok"] for result in results] == [False] * 5
    assert results[2]["ref"] == "a.py:1"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("home", ["/proc", "/dev/null/x"])
async def test_a_home_that_cannot_be_used_is_one_clear_line(line: Line, home: str) -> None:
    """As every other mistake of the command line."""
    done = await asyncio.to_thread(
        lambda: triage("run", "--config", str(line.config), "--home", home, variables=line.variables)
    )
    assert done.returncode == 2
    assert done.stderr.startswith(home)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("port", ["70000", "-1", "soon"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    """By the command line itself."""
    done = triage("demo", f"--port={port}")
    assert done.returncode == 2
    assert "expected a port" in done.stderr


def test_check_evidence_wants_a_folder() -> None:
    """A root that is not there is one clear line."""
    done = triage("check-evidence", "--root", "/nowhere/at/all")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--root" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [("engine: gpt\n", "engine: expected 'claude' or 'keyword'"), ("operators: [x]\n", "operators.0")],
)
def test_a_mistake_in_the_file_comes_before_missing_tokens(tmp_path: Path, text: str, said: str) -> None:
    """The file is complained of first, in a line or two, and nothing is started."""
    path = tmp_path / "triage.yml"
    path.write_text(text)
    done = triage("run", "--config", str(path), "--home", str(tmp_path / "home"))
    assert done.returncode == 2
    assert said in done.stderr
    assert "TOKEN" not in done.stderr
    assert len(done.stderr.splitlines()) <= 4
    assert not (tmp_path / "home").exists()


async def test_missing_tokens_are_said_and_nothing_is_started(line: Line) -> None:
    """With a sound file the tokens come next."""
    done = await asyncio.to_thread(triage, "run", "--config", str(line.config), "--home", str(line.home))
    assert done.returncode == 2
    assert "SLACK_BOT_TOKEN" in done.stderr
    assert not line.home.exists()


async def test_a_token_that_slack_does_not_know_is_said(line: Line) -> None:
    """The variable is named, the value never."""
    wrong = "xoxb" + "-nobody"
    variables = {**line.variables, "SLACK_BOT_TOKEN": wrong}
    done = await asyncio.to_thread(
        lambda: triage("run", "--config", str(line.config), "--home", str(line.home), variables=variables)
    )
    assert done.returncode == 2
    assert "SLACK_BOT_TOKEN: Slack does not accept it (invalid_auth)" in done.stderr
    assert wrong not in done.stderr + done.stdout


async def test_an_app_token_that_slack_does_not_know_is_said(line: Line) -> None:
    """It is not tried for ever."""
    variables = {**line.variables, "SLACK_APP_TOKEN": "xapp" + "-nobody"}
    done = await asyncio.to_thread(
        lambda: triage("run", "--config", str(line.config), "--home", str(line.home), variables=variables)
    )
    assert done.returncode == 2
    assert "SLACK_APP_TOKEN: Slack does not accept it (invalid_auth); generate an app-level token" in done.stderr


@pytest.mark.parametrize(
    ("user", "code"),
    [("U0ALERTS", "cannot_dm_bot"), pytest.param("U0NOBODY", "user_not_found", marks=pytest.mark.long)],
)
async def test_an_operator_who_gets_no_message_is_said(line: Line, user: str, code: str) -> None:
    """Cards that nobody sees would be questions that nobody answers. File, line, key and the next step are named."""
    line.config.write_text(line.config.read_text().replace("U0OPS", user))
    number = next(n for n, text in enumerate(line.config.read_text().split("\n"), 1) if user in text)
    done = await asyncio.to_thread(
        lambda: triage("run", "--config", str(line.config), "--home", str(line.home), variables=line.variables)
    )
    assert done.returncode == 2
    assert f"{line.config}:{number}: operators: no operator can receive cards" in done.stderr
    assert "name a member of the workspace" in done.stderr
    assert f"{user}: " in done.stderr
    assert code in done.stderr


async def test_it_can_be_stopped_while_slack_is_away(line: Line) -> None:
    """SIGTERM ends a bot that waits for Slack."""
    variables = {**line.variables, "SLACK_API_URL": "http://127.0.0.1:1/api/"}
    with begun("run", "--config", str(line.config), "--home", str(line.home), variables=variables) as bot:
        await until(lambda: "cannot be reached" in bot.err.read_text())
        assert await asyncio.to_thread(bot.stopped) == 0


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(line: Line) -> None:
    """The local workspace is reached whatever the proxy."""
    proxies = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    done = await asyncio.to_thread(
        lambda: triage("doctor", "--config", str(line.config), "--json", variables=line.variables | proxies)
    )
    assert json.loads(done.stdout)["ok"], done.stdout


async def test_the_settings_file_may_be_named_by_a_variable(line: Line) -> None:
    """`TRIAGE_CONFIG` serves as well as `--config`."""
    done = await asyncio.to_thread(
        lambda: triage("run", cwd=line.folder.parent, variables={"TRIAGE_CONFIG": str(line.config)})
    )
    assert "SLACK_BOT_TOKEN" in done.stderr


async def test_doctor_finds_nothing_wrong_with_a_bot_that_runs(line: Line) -> None:
    """Every check of a sound installation is fine, and the test message arrives."""
    async with line.bot():
        done = await asyncio.to_thread(
            lambda: triage(
                *("doctor", "--json", "--config", str(line.config), "--home", str(line.home), "--post", "C0HELP"),
                variables=line.variables,
            )
        )
        report = json.loads(done.stdout)
        assert (report["ok"], done.returncode) == (True, 0), done.stdout
        names = {check["name"] for check in report["checks"]}
        assert {
            "settings",
            "engine",
            "chat",
            "slack",
            "socket mode",
            "channel help-platform",
            "watcher",
            "weights",
        } <= names
        seen = await line.ana.now()
        assert any("test message" in message["text"] for message in seen["channels"][0]["messages"])


async def test_doctor_says_what_is_wrong(line: Line) -> None:
    """Each thing that is missing is a line of its own, and the exit code is 1."""
    text = line.config.read_text().replace("C0HELP", "C0NOWHERE")
    line.config.write_text(text)
    variables = {"SLACK_BOT_TOKEN": line.variables["SLACK_BOT_TOKEN"], "SLACK_API_URL": line.workspace.api_url}
    done = await asyncio.to_thread(lambda: triage("doctor", "--config", str(line.config), variables=variables))
    assert done.returncode == 1
    wrong = [line for line in done.stdout.splitlines() if line.startswith("WRONG")]
    assert len(wrong) == 2
    assert "SLACK_APP_TOKEN" in wrong[0]
    assert "channel_not_found" in wrong[1]


def test_doctor_names_each_wrong_value(tmp_path: Path) -> None:
    """A line for each, however many there are."""
    path = tmp_path / "triage.yml"
    path.write_text("\n".join(f"key{n}: 1" for n in range(7)))
    done = triage("doctor", "--config", str(path), "--home", str(tmp_path / "home"))
    told = [line for line in done.stdout.splitlines() if line.startswith("WRONG  settings:")]
    assert [f":{n + 1}: key{n}:" in line for n, line in enumerate(told)] == [True] * 7


async def test_doctor_names_who_answers_here(line: Line) -> None:
    """From what was classified, as a note and not as a fault."""
    line.home.mkdir(mode=0o700)
    (line.home / "events-classified.ndjson").write_text("".join(f"{json.dumps(r)}\n" for r in threads(40)))
    done = await asyncio.to_thread(
        lambda: triage("doctor", "--config", str(line.config), "--home", str(line.home), variables=line.variables)
    )
    assert done.returncode == 0, done.stdout
    (note,) = (said for said in done.stdout.splitlines() if " team: " in said)
    assert note.startswith("note")
    assert "U0OLU in #help-platform (answered in 40 threads, asked 0)" in note
    assert "classifier.team_members" in note


async def test_a_taken_port_is_one_clear_line(line: Line, tmp_path: Path) -> None:
    """The demo does not start on a port that is in use."""
    port = str(line.workspace.port)
    done = await asyncio.to_thread(triage, "demo", "--port", port, "--home", str(tmp_path / "demo"))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"port {port} is taken; stop what listens there, or choose another with --port"]


def test_a_demo_puts_nothing_into_a_folder_of_something_else(tmp_path: Path) -> None:
    """Not even the messages of its workspace."""
    (tmp_path / "README.md").touch()
    done = triage("demo", "--port", "0", "--home", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.endswith("and it holds README.md; name an empty or a new one with --home\n")
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize("encoding", ["ascii", pytest.param("latin-1", marks=pytest.mark.long)])
def test_a_terminal_of_few_letters_ends_no_command(tmp_path: Path, encoding: str) -> None:
    """What it does not have shows as a question mark."""
    path = tmp_path / "home…れ.yml"
    done = triage(
        "doctor",
        "--config",
        str(path),
        "--home",
        str(tmp_path),
        variables={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "1"},
    )
    assert "Traceback" not in done.stderr
    assert "home??" in done.stdout.replace("\n", "")


def run_into(out: str, *arguments: str) -> tuple[int, str]:
    """A command whose output goes where the shell says; its exit code and what it said beside the output."""
    script = f'set -o pipefail; "{sys.executable}" -m bot "$@" {out}'
    done = subprocess.run(
        ["/bin/bash", "-c", script, "triage", *arguments],
        env={**CLEAN, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("out", "code", "said"),
    [("| true", {1, 141}, ""), ("> /dev/full", {1}, "the output could not be written: No space left on device\n")],
)
def test_output_that_nobody_takes_leaves_no_trace(tmp_path: Path, out: str, code: set[int], said: str) -> None:
    """A pipe that is closed, a disk that is full."""
    returned, stderr = run_into(out, "doctor", "--config", str(tmp_path / "none.yml"), "--home", str(tmp_path))
    assert (returned in code, stderr) == (True, said)


@pytest.mark.parametrize(("out", "said"), [("| true", ""), ("> /dev/full", "the answer could not be written")])
async def test_a_command_that_was_done_is_done_whoever_reads(line: Line, out: str, said: str) -> None:
    """Its exit code is the command's own, or a script would do it again."""
    async with line.bot(more="admins: [U0ADMIN]"):
        code, stderr = await asyncio.to_thread(run_into, out, "command", "status", "--home", str(line.home))
    assert (code, stderr.startswith(said), "Traceback" in stderr) == (0, True, False)
