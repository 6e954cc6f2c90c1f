"""Runbooks, run by real processes: once for a press, as the settings say now, and with an end in plain words."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.errors import RetryLater
from bot.health.runbooks import RemedyOrder
from bot.runtime import failpoints
from bot.runtime.program_runner import PROCESS
from tests.fakes import MemoryJournal
from tests.health.bench import RUN, SECONDS, SECRET, Runbooks, is_gone, pipe, read


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Runbooks]:
    """A home."""
    made = Runbooks(tmp_path)
    yield made
    made.reap()


async def test_an_approved_remedy_is_run_once(bench: Runbooks) -> None:
    """AC-06 of spec 3: its output, both kinds in order, and its end are known; asked again, the same end is given."""
    bench.script('echo "out $1"; echo "problem" >&2; echo "last"', timeout_s=30)
    remedy = bench.press()
    end = await bench.runner.run(remedy)
    assert (end.outcome, end.exit_code, end.problem) == ("succeeded", 0, "")
    assert end.output == "out shop-api\nproblem\nlast"
    assert await bench.runner.run(remedy) == end
    assert await bench.restart().run(remedy) == end
    assert bench.starts == 1


async def test_start_and_end_are_in_the_audit_log(bench: Runbooks) -> None:
    """Each once, with program, operator, exit code and the last lines of the output; also after a restart."""
    section = bench.script("echo no such service; exit 3")
    remedy = bench.press()
    await bench.runner.run(remedy)
    bench.clock.ahead = 60.0
    await bench.restart().run(remedy)
    (start,), (end,) = bench.lines("start"), bench.lines("end")
    own = {"kind": "runbook", "run_id": RUN, "runbook": section.name, "argv": [*section.argv], "user_id": "U0OPS"}
    assert own.items() <= start.items()
    assert {**own, "outcome": "failed", "exit_code": 3, "output": "no such service"}.items() <= end.items()


async def test_it_gets_four_variables_no_input_and_the_folder_of_the_settings(tmp_path: Path) -> None:
    """No token and no key reach it, whatever the bot has."""
    known = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "LANG": "C.UTF-8", "TZ": "UTC"}
    secrets = {"SLACK_BOT_TOKEN": SECRET, "ANTHROPIC_API_KEY": SECRET}
    bench = Runbooks(tmp_path, environment=known | secrets)
    words = "import os, sys; print(sorted(os.environ.items()), os.getcwd(), sys.stdin.read() == '')"
    bench.add(argv=(sys.executable, "-c", words))
    end = await bench.runner.run(bench.press())
    named = dict(eval(end.output.split("] ")[0] + "]"))  # noqa: S307  # as printed above
    assert {name: value for name, value in named.items() if name != "LC_CTYPE"} == known
    assert end.output.endswith(f"] {tmp_path} True")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("/nowhere/remedy",), "/nowhere/remedy cannot be started: No such file or directory."),
        (("{home}/plain",), "{home}/plain cannot be started: Permission denied."),
        (("{home}/empty",), "{home}/empty cannot be started: Exec format error."),
        ((f"/nowhere/{SECRET}",), "/nowhere/[redacted] cannot be started: No such file or directory."),
    ],
)
async def test_a_program_that_cannot_be_started_was_not_started(
    bench: Runbooks, argv: tuple[str, ...], words: str
) -> None:
    """The words name it; its cooldown does not begin."""
    (bench.home / "plain").write_text("#!/bin/sh\n")
    (bench.home / "empty").write_text("\x01\x02")
    (bench.home / "empty").chmod(0o700)
    bench.add(argv=tuple(word.format(home=bench.home) for word in argv))
    end = await bench.runner.run(bench.press())
    assert (end.outcome, end.problem) == ("not-started", words.format(home=bench.home))
    assert [each.name for each in bench.runner.list_proposals(["shop-api"], 1)] == ["restart-shop"]
    assert [each.name for each in bench.restart().list_proposals(["shop-api"], 1)] == ["restart-shop"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"argv": ("/bin/rm", "-r", "/")}, "The settings were changed after the proposal"),
        ({"runbook": "other"}, "The settings no longer have the runbook `other`."),
        ({"timeout_s": 20}, "the time limit of `restart-shop` is 60 s, not 20 s."),
        ({"tier": 3}, "The settings no longer let tier 3 propose `restart-shop`."),
        ({"run_id": "../state"}, "It has no press that could start it."),
        ({"run_id": None}, "It has no press that could start it."),
    ],
)
async def test_only_the_program_of_the_settings_is_run(bench: Runbooks, changes: dict[str, Any], words: str) -> None:
    """Whatever a document says."""
    bench.script("true")
    end = await bench.runner.run(bench.press(**changes))
    assert (end.outcome, words in end.problem) == ("not-started", True)
    assert (bench.starts, bench.lines("start")) == (0, [])
    assert len(bench.lines("end")) == ("run_id" not in changes)


async def test_changed_settings_do_not_stop_a_run_that_was_started(bench: Runbooks) -> None:
    """Its end is read all the same."""
    bench.script("true")
    remedy = bench.press()
    await bench.runner.run(remedy)
    bench.sections = ()
    assert (await bench.restart().run(remedy)).outcome == "succeeded"


async def test_nothing_runs_for_services_that_are_not_failing(bench: Runbooks) -> None:
    """It is neither proposed nor started, while another service of it that fails is reason enough."""
    bench.script("true")
    bench.healthy = {"shop-api"}
    assert bench.runner.list_proposals(["shop-api"], 1) == ()
    end = await bench.runner.run(bench.press())
    assert (end.outcome, bench.starts, bench.lines("start")) == ("not-started", 0, [])
    assert end.problem == "By their last checks, shop-api is not failing at the moment."
    program = bench.sections[-1].argv
    bench.sections = ()
    bench.add(services=("shop-api", "shop-db"), argv=program)
    assert bench.runner.list_proposals(["shop-api"], 1) == ()
    assert len(bench.runner.list_proposals(["shop-db"], 1)) == 1
    assert (await bench.runner.run(bench.press(run_id="run2"))).outcome == "succeeded"


async def test_a_press_of_long_ago_starts_nothing(bench: Runbooks) -> None:
    """A bot that was away for an hour does not surprise anybody."""
    bench.script("true")
    remedy = bench.press()
    bench.clock.ahead = 3_600.0
    end = await bench.restart().run(remedy)
    assert (end.outcome, bench.starts) == ("not-started", 0)
    assert end.problem == "It was approved 60 minutes ago, and could not start since: that is too long ago."


@pytest.mark.parametrize("is_late", [True, False])
async def test_a_task_that_no_process_has_taken_is_looked_at_again(bench: Runbooks, is_late: bool) -> None:
    """The bot was killed right before the start: the next one starts it while the press is young."""
    bench.script("true")
    remedy = bench.press()
    begun = pipe(bench.home / "begun")
    bench.process = ("/bin/sh", "-c", f"echo $$ > {begun}; exec sleep 300")
    killed = asyncio.create_task(bench.restart().run(remedy))
    process = int(await read(begun))
    killed.cancel()
    os.kill(process, signal.SIGKILL)
    bench.clock.ahead = 3_600.0 if is_late else 1.0
    bench.process = PROCESS
    end = await bench.restart().run(remedy)
    assert (end.outcome, bench.starts) == (("not-started", 0) if is_late else ("succeeded", 1))
    assert (bench.folder().read_state(), len(bench.lines("start"))) == ("died" if is_late else "ended", 1)


async def test_a_process_that_begins_while_its_start_is_refused_is_waited_for(bench: Runbooks) -> None:
    """The bot was killed after the start of a process, which comes to the program only now, an hour later."""
    bench.script("exit 4")
    remedy = bench.press()
    started = RemedyOrder(bench.runner, remedy).build_task(bench.clock.now())
    bench.folder().save_task(started)

    @contextmanager
    def watch(point: str, _: str) -> Iterator[None]:
        if point == "programs.mark":
            failpoints.arm(None)
            subprocess.run((*PROCESS, bench.folder().path), check=True)
        yield

    failpoints.arm(watch)
    bench.clock.ahead = 3_600.0
    end = await bench.restart().run(remedy)
    assert (end.outcome, end.exit_code, bench.starts) == ("failed", 4, 1)


async def test_old_folders_are_removed(bench: Runbooks) -> None:
    """Neither one under way, nor one that its runbook still rests after."""
    bench.script("true", cooldown_min=60 * 48)
    await bench.runner.run(bench.press("old"))
    bench.folder("busy").path.mkdir()
    handle = bench.folder("busy").take_lock()
    assert handle is not None
    for name in ("old", "busy"):
        os.utime(bench.folder(name).path, (0, bench.clock.now().timestamp() - 36 * 3_600))
    await bench.runner.prune(timedelta(days=1))
    assert bench.folder("old").path.exists()
    bench.sections = tuple(each.model_copy(update={"cooldown_min": 5.0}) for each in bench.sections)
    await bench.restart().prune(timedelta(days=1))
    assert [path.name for path in (bench.home / "runbooks").iterdir()] == ["busy"]
    os.close(handle)


async def test_a_runbook_that_may_not_be_proposed_is_named_with_the_reason(bench: Runbooks) -> None:
    """For these services alone; one that recovers needs none."""
    bench.script("exit 1", cooldown_min=30, tiers=(2,))
    assert bench.runner.list_withheld(["shop-db"], 1) == ()
    assert [why for _, why in bench.runner.list_withheld(["shop-api"], 1)] == [
        "the settings do not let tier 1 propose it"
    ]
    assert bench.runner.list_withheld(["shop-api"], 2) == ()
    bench.healthy.add("shop-api")
    assert [why for _, why in bench.runner.list_withheld(["shop-api"], 2)] == ["shop-api is not failing at the moment"]
    bench.healthy.clear()
    await bench.runner.run(bench.press("first"))
    (_, why) = bench.runner.list_withheld(["shop-api"], 2)[0]
    assert why.startswith("it was started at 2")
    assert why.endswith("let it rest for 30 minutes after a start")


async def test_a_runbook_rests_after_a_start(bench: Runbooks) -> None:
    """It is neither proposed nor started again within its cooldown, also by the next bot."""
    bench.script("exit 1", cooldown_min=30, tiers=(2,))
    assert bench.runner.list_proposals(["shop-api"], 1) == ()
    assert bench.runner.list_proposals(["shop-db"], 2) == ()
    assert len(bench.runner.list_proposals(["shop-db", "shop-api"], 2)) == 1
    await bench.runner.run(bench.press("first"))
    for runner in (bench.runner, bench.restart()):
        assert runner.list_proposals(["shop-api"], 2) == ()
        end = await runner.run(bench.press("second"))
        assert (end.outcome, "let it rest for 30 minutes after a start" in end.problem) == ("not-started", True)
    bench.clock.ahead = 31 * 60.0
    assert len(bench.runner.list_proposals(["shop-api"], 2)) == 1
    assert (await bench.runner.run(bench.press("third"))).outcome == "failed"
    assert bench.starts == 2


async def test_its_output_is_redacted_and_printable(bench: Runbooks) -> None:
    """Secrets, colours and orders to a terminal do not reach a card; of much output the last lines do."""
    cut = f"{SECRET[:5]}\\033[31m{SECRET[5:]}"
    bench.script(
        f"i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done\n"
        f"printf 'a {cut} \\033]0;title\\007b\\n10%%\\r20%%\\n\\377\\n'; echo {SECRET} >&2"
    )
    output = (await bench.runner.run(bench.press())).output
    lines = output.splitlines()
    assert (len(lines), lines[0], lines[-6:]) == (
        30,
        "line 75",
        ["line 99", "a [redacted] b", "10%", "20%", "�", "[redacted]"],
    )
    assert SECRET not in json.dumps(bench.audit.kept)


async def test_a_password_that_is_printed_alone_is_redacted(bench: Runbooks) -> None:
    """In the end that the card and the state have, and in the audit log."""
    value = "Zk83hf" + "LqPw92x"
    name = "SHOP_DB_PASSWORD"
    bench.script(f"printf '{value}\\n{name}=%s\\n' {value}")
    end = await bench.runner.run(bench.press())
    assert end.output.splitlines() == ["[redacted]", f"{name}=[redacted]"]
    assert value not in json.dumps(bench.lines("end"))


async def test_endless_output_stays_small_and_ends_at_the_limit(bench: Runbooks) -> None:
    """The end of it is kept, at most 1 MB."""
    bench.script("exec yes more of it", timeout_s=1)
    end = await bench.runner.run(bench.press())
    assert (end.outcome, end.exit_code, end.problem) == ("timed-out", None, "It took longer than 1 s, and was ended.")
    assert set(end.output.splitlines()) == {"more of it"}
    assert 400_000 < bench.folder().output.stat().st_size <= 1_000_000


async def test_a_bot_that_is_killed_meanwhile_reads_the_end_afterwards(bench: Runbooks) -> None:
    """The run goes on without it, and its end comes to the next bot."""
    begun, go_on = pipe(bench.home / "begun"), pipe(bench.home / "go-on")
    bench.script(f"echo $$ > {begun}; read -r word < {go_on}; echo $word; exit 4")
    remedy = bench.press()
    effect = asyncio.create_task(bench.runner.run(remedy))
    await read(begun)
    effect.cancel()
    with suppress(asyncio.CancelledError):
        await effect
    bench.clock.ahead = 3_000.0
    next_bot = asyncio.create_task(bench.restart().run(remedy))
    await asyncio.to_thread(go_on.write_text, "healed\n")
    end = await asyncio.wait_for(next_bot, SECONDS)
    assert (end.outcome, end.exit_code, end.output, bench.starts) == ("failed", 4, "healed", 1)
    assert len(bench.lines("end")) == 1


async def test_a_killed_process_leaves_an_unknown_end_and_no_program(bench: Runbooks) -> None:
    """It is not started again, neither by this bot nor by the next one."""
    begun = pipe(bench.home / "begun")
    bench.script(f"echo $$ > {begun}; sleep 300 & wait")
    remedy = bench.press()
    effect = asyncio.create_task(bench.runner.run(remedy))
    program = int(await read(begun))
    process = bench.folder().find_process()
    assert process
    os.kill(process, signal.SIGKILL)
    end = await asyncio.wait_for(effect, SECONDS)
    assert (end.outcome, "It is not started again." in end.problem) == ("unknown", True)
    assert await asyncio.to_thread(is_gone, program)
    assert await bench.restart().run(remedy) == end
    assert bench.starts == 1


async def test_a_process_that_is_told_to_end_says_so(bench: Runbooks) -> None:
    """With the program, and with an end."""
    begun = pipe(bench.home / "begun")
    bench.script(f"echo $$ > {begun}; sleep 300 & wait")
    effect = asyncio.create_task(bench.runner.run(bench.press()))
    program = int(await read(begun))
    process = bench.folder().find_process()
    assert process
    os.kill(process, signal.SIGTERM)
    end = await asyncio.wait_for(effect, SECONDS)
    assert (end.outcome, end.problem) == ("failed", "It was ended from outside before its own end.")
    assert await asyncio.to_thread(is_gone, program)


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_a_removed_folder_starts_nothing_again(bench: Runbooks, is_restarted: bool) -> None:
    """The audit log knows of its start."""
    bench.script("true")
    remedy = bench.press()
    await bench.runner.run(remedy)
    shutil.rmtree(bench.home / "runbooks")
    bench.clock.ahead = 60.0
    end = await (bench.restart() if is_restarted else bench.runner).run(remedy)
    assert (end.outcome, end.problem) == (
        "unknown",
        "Its folder was removed. It is not started again.",
    )
    assert bench.starts == 1


async def test_a_folder_that_is_removed_meanwhile_is_an_unknown_end(bench: Runbooks) -> None:
    """The program goes on to its own end."""
    begun, go_on = pipe(bench.home / "begun"), pipe(bench.home / "go-on")
    bench.script(f"echo $$ > {begun}; read -r word < {go_on}")
    effect = asyncio.create_task(bench.runner.run(bench.press()))
    program = int(await read(begun))
    shutil.rmtree(bench.folder().path)
    assert (await asyncio.wait_for(effect, SECONDS)).outcome == "unknown"
    await asyncio.to_thread(go_on.write_text, "\n")
    assert await asyncio.to_thread(is_gone, program)


async def test_a_folder_that_cannot_be_written_starts_nothing(bench: Runbooks) -> None:
    """The words name the reason."""
    bench.script("true")
    (bench.home / "runbooks").write_text("in the way")
    end = await bench.runner.run(bench.press())
    assert (end.outcome, bench.starts) == ("not-started", 0)
    assert end.problem == "It could not be recorded: File exists."


class FullJournal(MemoryJournal):
    """A journal on a full disk."""

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Refuse the record."""
        raise RetryLater("audit.ndjson: cannot be written: No space left on device")


async def test_a_start_that_cannot_be_recorded_is_none(tmp_path: Path) -> None:
    """Nothing runs that the audit log does not know; the end is told all the same."""
    bench = Runbooks(tmp_path, audit=FullJournal())
    bench.script("true")
    end = await bench.runner.run(bench.press())
    assert (end.outcome, bench.starts, bench.folder().read_state()) == ("not-started", 0, "empty")
    assert "No space left on device" in end.problem


async def test_a_process_that_never_comes_to_the_program_was_not_started(bench: Runbooks) -> None:
    """After three tries it is barred: a late one starts nothing either."""
    bench.script("true")
    late = bench.process
    bench.process = ("/bin/sh", "-c", f"echo try >> {bench.home}/tries", "sh")
    remedy = bench.press()
    end = await bench.restart().run(remedy)
    assert (end.outcome, (bench.home / "tries").read_text()) == ("not-started", "try\n" * 3)
    child = await asyncio.create_subprocess_exec(*late, str(bench.folder().path))
    assert (await child.wait(), bench.starts) == (0, 0)


async def test_two_processes_start_one_program(bench: Runbooks) -> None:
    """A doubtful start may be repeated: the second process finds the mark of the first, or its lock."""
    bench.script("true")
    remedy = bench.press()
    bench.process = (sys.executable, "-c", _TWICE)
    end = await bench.restart().run(remedy)
    assert (end.outcome, bench.starts) == ("succeeded", 1)


_TWICE = """
import subprocess, sys
command = [sys.executable, "-P", "-m", "bot.runtime.program_process", sys.argv[1]]
for each in [subprocess.Popen(command) for _ in range(3)]:
    each.wait()
"""
