"""`run_command`: what is shown is what runs, once for a press, for those who may; real programs, isolated or not."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.isolation import Boundary, in_force
from bot.models.declared_command import DeclaredCommand
from bot.tools import roots
from tests.chat.crew import ADMIN, GUEST, MEMBER, OPERATOR, command
from tests.health.bench import SECRET, is_gone
from tests.isolation.outside import refused
from tests.programs.bench import NAME, Bench, declare

inside_bwrap = pytest.mark.skipif(bool(refused()), reason=f"no boundary here: {refused()}")
PATH: dict[str, Any] = {"path": {"type": "path"}}
TEXT: dict[str, Any] = {"text": {"type": "string", "pattern": ".+"}}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A home."""
    made = Bench(tmp_path)
    yield made
    made.reap()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without bubblewrap."""
    monkeypatch.setattr(
        in_force, "_boundary", Boundary(problem="bubblewrap is not installed: `apt install bubblewrap`")
    )


def shell(name: str, script: str, **fields: Any) -> DeclaredCommand:
    """A command that is a script."""
    return declare(name, "sh", "-c", script, **fields)


def python(bench: Bench, name: str, script: str, **fields: Any) -> DeclaredCommand:
    """A command that is a script of this Python, in the project."""
    (bench.root / "src" / f"{name}.py").write_text(script)
    return declare(name, sys.executable, f"src/{name}.py", **fields)


@inside_bwrap
async def test_what_was_shown_runs_once(bench: Bench) -> None:
    """Its words, folder, limits and boundary are above the buttons; then its exit code, output and two lines of the
    audit are there, and a second press does nothing."""
    bench.declare(declare("count", "wc", "-l", "--", "{path}", parameters=PATH))
    answer = await bench.ask("count", values="path=src//app.py")
    (shown,) = bench.chat.posted
    assert answer.outcome == "asked"
    assert "```wc -l -- ./src/app.py```" in shown["text"]
    assert f"*Folder:* `{bench.root.resolve()}`, the code of `shop`." in shown["text"]
    assert "*Limits:* 20 s; of its output the last 30 lines are shown." in shown["text"]
    assert "*Isolated:* yes. It reads its folder, and has no network" in shown["text"]
    await bench.press(answer)
    assert bench.chat.said[-1].startswith("`count` in `shop` ended with exit code 0 after ")
    assert bench.chat.said[-1].endswith("```\n1 ./src/app.py\n```")
    await bench.press(answer)
    assert (len(bench.lines("start")), len(bench.lines("end"))) == (1, 1)
    (end,) = bench.lines("end")
    assert (end["argv"], end["user_id"], end["exit_code"]) == (["wc", "-l", "--", "./src/app.py"], OPERATOR, 0)


async def test_it_is_said_plainly_that_a_program_is_not_isolated(bench: Bench, bare: None) -> None:
    """With what that means, and the next step; it runs all the same."""
    bench.declare(shell("write", "echo here; touch mark"))
    answer = await bench.ask("write")
    shown = bench.chat.posted[-1]["text"]
    assert "*Isolated:* *no*. It has all rights of the bot's user on this machine, the network included" in shown
    assert "bubblewrap is not installed: `apt install bubblewrap`." in shown
    await bench.press(answer)
    assert "exit code 0" in bench.chat.said[-1]
    assert (bench.root / "mark").exists()


@pytest.mark.parametrize(
    ("user", "name", "outcome", "words"),
    [
        (MEMBER, "look", "refused", "Only operators and admins may do this."),
        (GUEST, "look", "refused", "not for guests"),
        (OPERATOR, "secret", "refused", "Only admins may run `secret`."),
        (ADMIN, "secret", "asked", ""),
        (OPERATOR, "look", "asked", ""),
    ],
)
async def test_who_may(bench: Bench, user: str, name: str, outcome: str, words: str) -> None:
    """The settings say for each command if operators may run it."""
    bench.declare(declare("look", "ls"), declare("secret", "ls", role="admin"))
    answer = await bench.ask(name, user=user)
    assert answer.outcome == outcome
    assert words in answer.line
    assert bench.lines("start") == []


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"text": "nope"}, "No command `nope` is declared."),
        ({"text": "cuont"}, "The nearest is `count`."),
        ({"text": "count"}, "count needs a value of path."),
        ({"text": "count", "values": "src src"}, "These are more values than it takes."),
        ({"text": "count", "values": "path=src path=src"}, "`path` is given twice."),
        ({"text": "count", "values": "pth=src"}, "count has no parameter 'pth'"),
        ({"text": "count", "values": "path=../x"}, "expected a path within the folder"),
        ({"text": "count", "values": "path=nope"}, "./nope does not exist"),
        ({"text": "count", "values": "path=.env"}, "./.env may hold secrets"),
        ({"text": "count", "values": "path=out/passwd"}, "lies outside the project's folder"),
        ({"text": "count", "values": "path=src", "project": "toys"}, "There is no project `toys`."),
        ({"text": "echo", "values": "text=-n"}, "it would be an option"),
        ({"text": "echo", "values": f"text={SECRET}"}, "looks like a secret"),
        ({"text": "echo", "values": {"text": "a\nb"}}, "expected printable characters in one line"),
        ({"text": "echo", "values": {"text": "a\0b"}}, "expected printable characters in one line"),
        ({"text": "echo", "values": {"text": "x" * 301}}, "expected at most 300 characters"),
        ({"text": "echo", "values": ["x"]}, "`values`"),
        ({"text": "gone"}, "there is no such program"),
        ({"text": "reader"}, "/nowhere/data, which it may read, does not exist"),
        ({"text": "other"}, "other is declared for other projects: toys."),
        ({"text": "writer"}, "`shop` has no branch"),
        ({"text": "look", "branch": "triage/nope"}, "`shop` has no branch `triage/nope` here."),
        ({"text": "look", "branch": "x" * 131}, "`branch`"),
    ],
)
async def test_bad_input_is_refused_before_anybody_is_asked(
    bench: Bench, words: dict[str, Any], complaint: str
) -> None:
    """With the next step; nothing of it runs."""
    (bench.root / ".env").write_text("KEY=1")
    (bench.root / "out").symlink_to("/etc")
    bench.declare(
        declare("count", "wc", "-l", "{path}", parameters=PATH),
        declare("echo", "echo", "{text}", parameters=TEXT),
        declare("gone", "/nowhere/program"),
        declare("reader", "ls", reads=("/nowhere/data",)),
        declare("other", "ls", projects=("toys",)),
        declare("writer", "touch", "x", writes=True),
        declare("look", "ls"),
    )
    words = {"project": "shop", **words}
    answer = await bench.ask(words.pop("text"), **words)
    assert answer.outcome == "invalid"
    assert complaint in answer.text
    assert (bench.chat.posted, bench.lines("start")) == ([], [])


async def test_an_unknown_name_lists_those_that_this_person_may_run(bench: Bench) -> None:
    """Each with what it takes and what it runs."""
    bench.declare(
        declare("count", "wc", "{path}", parameters=PATH), declare("secret", "ls", role="admin"), declare("look", "ls")
    )
    answer = await bench.ask("what")
    assert answer.rows == (
        "• `count &lt;path&gt;` (path: a path within the folder, such as src/app.py): `wc '{path}'`",
        "• `look`: `ls`",
    )
    bench.declare()
    assert (await bench.ask("what")).line == "No command is declared: `commands` in `triage.yml` names them."


async def test_a_typed_line_gives_project_and_values_in_any_order(bench: Bench) -> None:
    """Quoted values are one word; without names they go in the order of the settings."""
    two = {"a": {"type": "string", "pattern": ".+"}, "b": {"type": "integer", "min": 1, "max": 9}}
    bench.declare(declare("say", "echo", "{a}", "{b}", parameters=two))
    for values in ('"two words" 3', 'b=3 "two words"', 'a="two words" b=3 project=shop', {"b": 3, "a": "two words"}):
        await bench.ask("say", values=values)
        assert "```echo 'two words' 3```" in bench.chat.posted[-1]["text"]


@inside_bwrap
async def test_a_program_that_hangs_is_ended_with_all_that_it_started(bench: Bench, tmp_path: Path) -> None:
    """Also what has left its group: the boundary ends with it."""
    bench.declare(shell("hang", "setsid sleep 300 & sleep 300 & sleep 300", timeout_s=0.5))
    said = await bench.run("hang")
    assert said.startswith("`hang` in `shop` did not end in time. It took longer than 0.5 s, and was ended.")


async def test_a_program_that_hangs_is_ended_without_a_boundary_too(bench: Bench, bare: None) -> None:
    """It and its children, as far as they are in its group."""
    bench.declare(shell("hang", "sleep 300 & echo $! > pid; sleep 300", timeout_s=1))
    assert "did not end in time" in await bench.run("hang")
    assert is_gone(int((bench.root / "pid").read_text()))


@inside_bwrap
async def test_nothing_outside_is_written_read_or_reached(bench: Bench, tmp_path: Path) -> None:
    """No file of this machine, not even in its own folder if it may only read; no variable of the bot."""
    (tmp_path / "canary").write_text("canary")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        tries = f"""
import os, socket
def attempt(what):
    try:
        return repr(what())
    except OSError as problem:
        return type(problem).__name__
print(attempt(lambda: open({str(tmp_path / "canary")!r}).read()))
print(attempt(lambda: open("/usr/new", "w")))
print(attempt(lambda: open("new", "w")))
print(attempt(lambda: os.remove("src/app.py")))
print(attempt(lambda: socket.create_connection(("127.0.0.1", {port}), 1)))
print(open("src/app.py").read().strip(), sorted(os.environ))
"""
        bench.declare(python(bench, "attempt", tries))
        said = await bench.run("attempt")
    *failed, last = said.split("```")[1].strip().splitlines()
    assert all(each.endswith(("Error", "OSError")) for each in failed), failed
    assert (len(failed), "print(1)" in last, "SLACK" in last) == (5, True, False)
    assert sorted(path.name for path in bench.root.iterdir()) == ["src"]
    assert (bench.root / "src" / "app.py").exists()


async def test_only_the_end_of_a_long_output_is_kept(bench: Bench) -> None:
    """Of 100 MB, in lines or in one, a megabyte is on disk; what is shown has no control characters and no secret."""
    noise = f"""
import sys
for number in range(1_000):
    sys.stdout.write("x" * 99_999 + chr(10))
sys.stdout.write("y" * 1_000_000 + chr(10))
print("\\x1b[31mred\\x1b[0m \\x07 {SECRET} <!channel> \\u202eback ```")
"""
    bench.declare(python(bench, "print", noise, timeout_s=60))
    said = await bench.run("print")
    assert said.splitlines()[-2] == "red  [redacted] &lt;!channel&gt; back '''"
    (folder,) = (bench.home / "command-runs").iterdir()
    assert (folder / "output.log").stat().st_size <= 1_000_000
    assert len(said) < 3_500


async def test_a_failure_has_its_exit_code(bench: Bench) -> None:
    """And is a failure for a terminal and a model."""
    bench.declare(shell("fail", "echo no >&2; exit 3"), shell("die", "kill -9 $$"))
    said = await bench.run("fail")
    assert "ended with exit code 3 after " in said
    assert "no" in said
    assert "exit code 137" in await bench.run("die")
    assert [each["outcome"] for each in bench.audit.kept if each.get("settled")] == ["failed", "failed"]


async def test_a_terminal_types_the_name_and_gets_figures(bench: Bench) -> None:
    """The name changes with what is shown; nothing is under way afterwards."""
    bench.declare(declare("count", "wc", "-l", "{path}", parameters=PATH))
    given = {"command": "count", "values": "path=src/app.py"}
    asked = await bench.handler.execute(NAME, given, command(user_id=OPERATOR, via="cli"))
    other = await bench.handler.execute(NAME, {**given, "values": "path=src"}, command(user_id=OPERATOR, via="cli"))
    assert asked.typed_again != other.typed_again
    wrong = await bench.handler.execute(NAME, given, command(user_id=OPERATOR, via="cli"), typed=other.typed_again)
    assert (wrong.outcome, bench.lines("start")) == ("refused", [])
    done = await bench.handler.execute(NAME, given, command(user_id=OPERATOR, via="cli"), typed=asked.typed_again)
    assert done.outcome == "done"
    assert done.data is not None
    data = json.loads(done.data.model_dump_json())
    assert (data["exit_code"], data["argv"], data["output"]) == (0, ["wc", "-l", "./src/app.py"], "1 ./src/app.py")
    assert await bench.handler.confirmations.find_under_way() == ()


@pytest.fixture
def tree(bench: Bench) -> Path:
    """The workspace of the branch `fix`, which has a file more than the project."""
    folder = bench.home / "checkouts" / "fix"
    folder.mkdir(parents=True)
    (folder / "new.py").write_text("x\n")
    bench.trees.folders["fix"] = folder.resolve()
    return folder


@inside_bwrap
async def test_a_command_that_writes_runs_in_a_workspace(bench: Bench, tree: Path) -> None:
    """Of the named branch, or of the current one; it writes there and nowhere else."""
    bench.declare(
        shell("write", f"echo y > new.py; touch {bench.root}/src/mark; rm {bench.root}/src/app.py", writes=True)
    )
    answer = await bench.ask("write")
    shown = bench.chat.posted[-1]["text"]
    assert f"*Folder:* `{tree.resolve()}`, the workspace of `triage/fix`." in shown
    assert "*Isolated:* yes. It reads and writes its folder, and has no network" in shown
    await bench.press(answer)
    assert (tree / "new.py").read_text() == "y\n"
    assert [path.name for path in (bench.root / "src").iterdir()] == ["app.py"]
    (end,) = bench.lines("end")
    assert (end["branch"], end["project"]) == ("fix", "shop")


async def test_a_command_that_reads_runs_in_the_workspace_of_a_named_branch(bench: Bench, tree: Path) -> None:
    """With or without its prefix, before or after the values; else in the folder of the project."""
    bench.declare(declare("count", "wc", "-l", "{path}", parameters=PATH))
    for words in ({"branch": "triage/fix", "values": "new.py"}, {"values": "path=new.py branch=fix project=shop"}):
        assert "1 ./new.py" in await bench.run("count", **words)
    assert "./new.py does not exist" in (await bench.ask("count", values="new.py")).line


async def test_a_workspace_that_is_gone_at_the_press_is_not_run_in(bench: Bench, tree: Path) -> None:
    """Nor is one that has become a link."""
    bench.declare(declare("look", "ls", writes=True))
    answer = await bench.ask("look")
    tree.rename(bench.home / "moved")
    await bench.press(answer)
    assert "was not started." in bench.chat.said[-1]
    answer_again = await bench.ask("look")
    assert "is not there" in answer_again.line
    (bench.home / "moved").rename(tree)
    answer = await bench.ask("look")
    tree.rename(bench.home / "moved")
    tree.symlink_to("/etc")
    await bench.press(answer)
    assert "was not started." in bench.chat.said[-1]
    assert bench.lines("start") == []


@pytest.mark.parametrize(
    "change",
    ["settings", "gone", "boundary", "stopped", "link", "project", "folder", "role"],
)
async def test_what_has_changed_since_it_was_shown_is_not_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """The press does what was shown, or nothing."""
    (bench.root / "notes").write_text("x\n")
    bench.declare(declare("count", "wc", "-l", "{path}", parameters=PATH))
    answer = await bench.ask("count", values="path=notes")
    match change:
        case "settings":
            bench.declare(declare("count", "wc", "-c", "{path}", parameters=PATH))
        case "gone":
            bench.declare()
        case "boundary":
            if refused():
                pytest.skip("no boundary here")
            monkeypatch.setattr(in_force, "_boundary", Boundary(problem="off"))
        case "stopped":
            bench.controls.state = "stopped"
        case "link":
            (bench.root / "notes").unlink()
            (bench.root / "notes").symlink_to("/etc/passwd")
        case "project":
            bench.projects = bench.projects[1:]
            bench.start()
        case "folder":
            bench.root.rename(bench.home / "moved")
        case "role":
            bench.declare(declare("count", "wc", "-l", "{path}", parameters=PATH, role="admin"))
    await bench.press(answer)
    assert "was not started." in bench.chat.said[-1]
    assert bench.lines("start") == []


async def test_while_triage_is_stopped_nobody_is_asked(bench: Bench) -> None:
    """The next step is named."""
    bench.declare(declare("look", "ls"))
    bench.controls.state = "stopped"
    answer = await bench.ask("look")
    assert (answer.outcome, "`resume`" in answer.line, bench.chat.posted) == ("refused", True, [])


async def test_a_late_press_starts_nothing(bench: Bench) -> None:
    """Fifteen minutes after it was shown."""
    bench.declare(declare("look", "ls"))
    answer = await bench.ask("look")
    bench.clock.ahead = 16 * 60
    await bench.press(answer)
    assert ("expired" in bench.chat.said[-1], bench.lines("start")) == (True, [])


async def test_the_bots_own_state_is_in_no_folder_of_a_command(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project around the home is read by agents without it; a program would have it whole."""
    monkeypatch.setattr(roots, "_home", (bench.root / "home",))
    bench.declare(declare("look", "ls"))
    answer = await bench.ask("look")
    assert "Triage's own state is in the folder of shop" in answer.line
    monkeypatch.setattr(roots, "_home", (bench.home / "checkouts",))
    bench.declare(declare("read", "ls", reads=(bench.home,)))
    assert "Triage's own state is in" in (await bench.ask("read")).line


async def test_a_model_gets_the_refusal_and_no_run(bench: Bench) -> None:
    """A chat agent's call waits for the press of its person, as every other."""
    bench.declare(declare("look", "ls"))
    answer = await bench.ask("look", via="chat")
    assert (answer.outcome, bench.lines("start")) == ("asked", [])
    await bench.press(answer, user=ADMIN)
    assert bench.lines("start") == []
    assert "Only the person who asked" in bench.chat.said[-1]
