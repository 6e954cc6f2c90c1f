"""Text about the last error of a task: its kind, the reason, the run, and the suggested fix, as mrkdwn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.commands.answers import describe_run
from bot.decide.turn_plan import RUN_CAP

if TYPE_CHECKING:
    from bot.models.task_error import ErrorKind, TaskError
    from bot.models.thread import Thread

_DAY_CAP = "`allow` lets the agents cost more today, `model.max_usd_per_day` every day; then `restart_task`."
_CAPS = {
    RUN_CAP: "`model.max_usd_per_run` caps each run: ask for less, or raise it; then `restart_task`.",
    "no credit": "The account at the model's server needs credit; then `restart_task`.",
}
"""Fixes for a cap, by words of the reason that identify it; that of the day's cap is the default."""
_FIXES: dict[ErrorKind, str] = {
    "no-key": "The key is missing or not accepted: see `triage doctor` and docs/models.md; then `restart_task`.",
    "unreachable": "The model's server did not answer: see `triage doctor`, then `restart_task`.",
    "stalled": "Nothing came from the model or a tool for too long: `restart_task` tries again.",
    "over-cap": _DAY_CAP,
    "time": "It took too long: ask for less, or raise `investigator.hard_cap_runtime_min`.",
    "limit": "It used up its turns or tokens: ask for less, or give its role's category more `turns`.",
    "repeats": "It repeated itself: Bounce with a hint on where to look helps more than `restart_task` alone.",
    "stopped": "`restart_task` starts it again; `skip_task` frees the tasks that depend on it.",
    "settings": "The settings do not let it run: see `triage doctor` and `/triage config`; then `restart_task`.",
    "refused-request": "The model's server rejects the request: see `model` in docs/models.md; then `restart_task`.",
    "unusable": "The model's answers had the wrong form: `restart_task` tries again, another model may help.",
    "refused-evidence": "Bounce on its card with a hint on where to look, or Edit; *Show Evidence* names each.",
    "crashed": "`restart_task` tries again; the journal in `tasks/` and the log show how far it got.",
}


def suggest_fix(error: TaskError) -> str:
    """Return the fix that the kind of an error suggests."""
    if error.kind == "over-cap":
        return next((fix for words, fix in _CAPS.items() if words in error.reason), _DAY_CAP)
    return _FIXES[error.kind]


def describe_error(error: TaskError, thread: Thread) -> tuple[str, list[str]]:
    """Describe an error of a task in a sentence, with rows: its run, a lost validation, the fix."""
    status = error.run.status.removeprefix("aborted: ") if error.run else ""
    sentence = escape(clip(error.reason or f"The last run ended without findings: {status}.", 600))
    lost = thread.unvalidated if thread.unvalidated and thread.unvalidated != error.reason else None
    rows = [describe_run(error.run)] if error.run else []
    rows += [f"Validation: {escape(clip(lost, 300))}"] if lost else []
    return f"*{error.kind}*: {sentence}", [*rows, suggest_fix(error)]
