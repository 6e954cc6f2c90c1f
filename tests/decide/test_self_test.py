"""Rows of `triage selftest` by what was seen of a trial run."""

from __future__ import annotations

from dataclasses import replace

from bot.decide.self_test import DOCTOR, TrialRun, judge_trial
from tests.tables import each_row

WELL = TrialRun(
    outcome="answered",
    is_done=True,
    in_tmux=True,
    watch_command="tmux attach",
    is_shown=True,
    killed=7,
    outlived=True,
    starts=1,
    has_result=True,
    run_seconds=4.006,
)
DETACHED = replace(WELL, in_tmux=False, watch_command="tail -f transcript.log")
UNBEGUN = TrialRun(fault="a bot did not start: no room")


@each_row(
    ("run", "criterion", "ok", "detail", "advice"),
    [
        (WELL, "AC-07", True, "return.json says answered, and .done", ""),
        (WELL, "AC-08", True, "`tmux attach` showed its terminal", ""),
        (WELL, "AC-09", True, "(process 7) was killed during the run; the next one took it up", ""),
        (replace(WELL, is_done=False), "AC-07", False, "return.json says answered", DOCTOR),
        (replace(WELL, is_done=False, outcome="failed: exit code 3"), "AC-07", False, "failed: exit code 3", DOCTOR),
        (replace(WELL, is_done=False, outcome=""), "AC-07", False, "the run ended without return.json", DOCTOR),
        (replace(DETACHED, has_tmux=False), "AC-08", True, "its transcript; tmux is not in PATH, so the run", ""),
        (DETACHED, "AC-08", True, "its transcript; tmux could not start it, so the run is a detached process", ""),
        (replace(DETACHED, is_shown=False), "AC-08", False, "`tail -f transcript.log` did not show", "try tail by"),
        (
            replace(WELL, is_shown=False),
            "AC-08",
            False,
            "`tmux attach` did not show",
            "try tmux by hand; `triage attach",
        ),
        (replace(WELL, is_shown=False, watch_command=""), "AC-08", False, "the thread names no command", DOCTOR),
        (
            replace(WELL, outlived=False),
            "AC-09",
            False,
            "and the run ended with it",
            "what started this command may end",
        ),
        (replace(WELL, starts=2), "AC-09", False, "program was started 2 times", DOCTOR),
        (replace(WELL, has_result=False), "AC-09", False, "its thread did not go on with the result", DOCTOR),
        (replace(UNBEGUN, killed=7), "AC-09", False, "was killed during the run; a bot did not start: no room", DOCTOR),
        (UNBEGUN, "AC-07", False, "a bot did not start: no room", DOCTOR),
        (UNBEGUN, "AC-08", False, "not reached: a bot did not start: no room", DOCTOR),
        (replace(UNBEGUN, advice="make room"), "AC-09", False, "not reached: a bot did not", "make room"),
    ],
)
def test_each_criterion_says_what_was_seen(run: TrialRun, criterion: str, ok: bool, detail: str, advice: str) -> None:
    """And what to do next, where it is not ok."""
    (row,) = [row for row in judge_trial(run) if row.id == criterion]
    assert (row.ok, detail in row.detail, row.advice[: len(advice)], bool(row.advice)) == (ok, True, advice, not ok)


def test_times_are_rounded() -> None:
    """To hundredths of a second."""
    assert [row.seconds for row in judge_trial(WELL)] == [4.01, 0.0, 0.0]
