"""Judgement on the trial run of `triage selftest`: AC-07 to AC-09 by what was seen of it (spec 1, section 7). Pure."""

from __future__ import annotations

from dataclasses import dataclass

DOCTOR = "`triage doctor` checks settings, folders and programs of this machine"
_DETACHED = "so the run is a detached process, whose transcript `triage attach TASK` follows"
_KEEP = "what started this command may end the children of its processes, as a container or a service may"


@dataclass(frozen=True, kw_only=True)
class TrialRun:
    """Record of one run of tier 2; each field keeps its default where the trial did not come so far."""

    fault: str = ""
    """The reason why the trial did not go on; empty if it came to its end."""
    advice: str = DOCTOR
    """The next step after the fault."""
    outcome: str = ""
    """Outcome in `return.json`, with the reason why there is no report; empty without that file."""
    is_done: bool = False
    """True with a report and `.done`."""
    has_tmux: bool = True
    in_tmux: bool = False
    """True if the run was in a tmux session."""
    watch_command: str = ""
    """The command in the thread's document, as the message of the run prints it; empty without one."""
    is_shown: bool = False
    """True if that command showed the line that the run's program had printed."""
    killed: int = 0
    """Process id of the bot that was killed; 0 if none was."""
    outlived: bool = False
    """True if the run's process was still the same when the next bot was ready."""
    starts: int = 0
    """Number of starts of the run's program."""
    has_result: bool = False
    """True if the thread went on with the result."""
    run_seconds: float = 0.0
    """From the question to the end of the run."""
    watch_seconds: float = 0.0
    restart_seconds: float = 0.0
    """From the end of the first bot until its thread had the result."""


@dataclass(frozen=True)
class SelfTestRow:
    """Row of the report. `advice` is the next step, empty if all is well; `seconds` is the time that it took."""

    id: str
    name: str
    seconds: float
    ok: bool
    detail: str
    advice: str = ""


def judge_trial(run: TrialRun) -> tuple[SelfTestRow, ...]:
    """Return the rows of AC-07, AC-08 and AC-09."""
    return (
        SelfTestRow("AC-07", "a long run writes its result", round(run.run_seconds, 2), *_judge_result(run)),
        SelfTestRow("AC-08", "people can watch it", round(run.watch_seconds, 2), *_judge_watching(run)),
        SelfTestRow("AC-09", "it survives a restart of its bot", round(run.restart_seconds, 2), *_judge_survival(run)),
    )


def _judge_result(run: TrialRun) -> tuple[bool, str, str]:
    if run.is_done:
        return True, f"return.json says {run.outcome}, and .done was written after it", ""
    if run.outcome:
        return False, f"return.json says {run.outcome}", run.advice
    return False, run.fault or "the run ended without return.json", run.advice


def _judge_watching(run: TrialRun) -> tuple[bool, str, str]:
    if run.is_shown and run.in_tmux:
        return True, f"`{run.watch_command}` showed its terminal", ""
    if run.is_shown:
        reason = "tmux could not start it" if run.has_tmux else "tmux is not in PATH"
        return True, f"`{run.watch_command}` showed its transcript; {reason}, {_DETACHED}", ""
    if run.watch_command:
        advice = f"try {'tmux' if run.in_tmux else 'tail'} by hand; `triage attach TASK --transcript` needs neither"
        return False, f"`{run.watch_command}` did not show what the run had printed", advice
    return False, f"not reached: {run.fault or 'the thread names no command'}", run.advice


def _judge_survival(run: TrialRun) -> tuple[bool, str, str]:
    if not run.killed:
        return False, f"not reached: {run.fault}", run.advice
    killed = f"the bot (process {run.killed}) was killed during the run"
    if run.fault:
        return False, f"{killed}; {run.fault}", run.advice
    if not run.outlived:
        return False, f"{killed}, and the run ended with it", _KEEP
    if run.starts != 1:
        return False, f"{killed}, and the run's program was started {run.starts} times", run.advice
    if not run.has_result:
        return False, f"{killed}, and its thread did not go on with the result", run.advice
    return True, f"{killed}; the next one took it up, its thread has the result, and nothing was started twice", ""
