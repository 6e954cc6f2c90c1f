"""Text about one task: its progress, its result and its errors, as mrkdwn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.question import describe_source, own_words
from blocks.queue import message_link, question_link
from blocks.text import clip, escape, moment, name_channel
from bot.commands.state import count
from bot.decide.turn_plan import RUN_CAP
from bot.models.cost import sum_figures
from bot.models.status_words import state_words
from bot.models.task import COMPLETED, RUNNING

if TYPE_CHECKING:
    from bot.models.run_figures import RunFigures
    from bot.models.status import Status
    from bot.models.task import Dispatch
    from bot.models.thread import Thread

_RUNS = 5
"""Number of runs listed, the newest ones."""
_STATUS_PHRASES: dict[Status, str] = {
    "collecting": "waits for more of the question, or for its turn",
    "investigating": "is investigated",
    "escalated": "is investigated at length, in a separate process",
    "awaiting-validation": "has a draft that is checked",
    "bounced-round-1": "is investigated again",
    "pending-user": "waits for a decision",
    "approved": "is approved, and its reply on its way",
    "in-doubt": "has a reply that Slack did not confirm",
    "closed": "is closed",
}
_HELP = {
    "no-key": "The server's key is missing or not accepted: see `triage doctor` and docs/models.md.",
    "unreachable": "The model's server did not answer: see `triage doctor`, then `restart_task`.",
    "stalled": "Nothing came from the model or a tool for too long: `restart_task` tries again.",
    "time": "It took too long: ask for less, or raise `investigator.hard_cap_runtime_min`.",
    "limit": "It used up its turns or tokens: ask for less, or give its role's category more `turns`.",
    "repeats": "It repeated itself: Bounce with a hint on where to look helps more than `restart_task` alone.",
    "stopped": "Somebody stopped it: `restart_task` starts it again.",
}
_CAPS = {
    RUN_CAP: "`model.max_usd_per_run` caps each run: ask for less, or raise it.",
    "no credit": "The account at the model's server needs credit; then `restart_task`.",
}
_DAY = "`allow` lets the agents cost more today, `model.max_usd_per_day` every day; then `restart_task`."
"""Advice for a cap, by words of the error that identify it; the daily cap's advice is the default."""
_HELP["ping-pong"] = _HELP["same-error"] = _HELP["repeats"]
_DEFAULT_HELP = "`restart_task` tries again; the journal in `tasks/` shows how far it got."


def describe_progress(thread: Thread) -> str:
    """Say in a sentence how far the question has come."""
    about = f"<@{thread.original_sender_id}>"
    if thread.is_about_incident and thread.incident:
        about = escape(clip(", ".join(thread.incident.services), 200))
    subject = (
        f"The {'incident' if thread.is_about_incident else 'question'} of {about} {_STATUS_PHRASES[thread.status]}"
    )
    ending = f" ({state_words(thread)})" if thread.outcome else ""
    return f"{subject}{ending}, since {moment(thread.status_history[-1].at)}."


def list_details(thread: Thread, url: str, *, reader: str = "") -> list[str]:
    """List all else that is known of a task, as rows; `reader` is the user who asked."""
    question = escape(clip(own_words(thread), 300))
    verb = "Reported" if thread.is_about_incident else "Asked"
    rows = [f"<{question_link(thread, url)}|{verb}> in {name_channel(thread.chat_id)}: {question}"]
    if thread.status == "pending-user":
        rows.append(_where_to_decide(thread, url, reader))
    if thread.project:
        rows.append(
            f"Round {thread.investigator_round}, engine {escape(thread.engine or 'none')}, project "
            f"{escape(thread.project)}."
        )
    rows.append(_task(thread))
    rows += [_run(dispatch) for dispatch in thread.dispatches[-_RUNS:]] if len(thread.dispatches) > 1 else []
    if thread.verdict:
        why = escape(clip(" ".join(thread.verdict.reasons), 300))
        rows.append(f"Verdict: {thread.verdict.verdict}{f', {why}' if why else ''}.")
    for name, reason in (("Look again", thread.stale), ("No draft", thread.failure), ("Engine", thread.fallback)):
        if reason:
            rows.append(f"{name}: {escape(clip(reason, 300))}")
    if thread.decision:
        done = thread.decision.action.replace("_", " ").capitalize()
        rows.append(f"{done} by <@{thread.decision.by}> {moment(thread.decision.at)}.")
    return rows


def _where_to_decide(thread: Thread, url: str, reader: str) -> str:
    """Link the card whose buttons decide on the draft: no typed text decides."""
    card = thread.card
    if card.channel and card.ts and (thread.operator == reader or card.channel.startswith("C")):
        return (
            f"To approve, change or dismiss it press a button on <{message_link(url, card.channel, card.ts)}|its card>."
        )
    return f"<@{thread.operator}> decides on it, by the buttons of its card; `/triage queue` shows it to you too."


def format_row(thread: Thread, url: str) -> str:
    """Describe a task in one row."""
    question = escape(clip(own_words(thread), 60))
    since = moment(thread.status_history[-1].at)
    state = "failed" if thread.failure and thread.status == "pending-user" else state_words(thread)
    project = f", {escape(project_of(thread))}" if project_of(thread) else ""
    where = f"{describe_source(thread)}{project}"
    return f"`{thread.task}` *{state}* {where}, {since}: {question} (<{question_link(thread, url)}|thread>)"


def project_of(thread: Thread) -> str:
    """Return the project that the task is, or will be, answered from; empty while it is not known."""
    return thread.project or (thread.route.project if thread.route else "")


def list_result(thread: Thread, url: str) -> list[str]:
    """List a task's result: summary, draft or reply, references, errors, tokens and cost."""
    findings, draft = thread.investigator_return, thread.draft_pending
    checked = {check.ref: check.result for check in thread.evidence_checks}
    rows = []
    if findings:
        rows.append(f"Summary: {escape(findings.summary_for_orchestrator)} Confidence {findings.confidence}.")
    if thread.posted_message_id:
        rows.append(f"<{message_link(url, thread.chat_id, thread.posted_message_id)}|Replied>:")
    elif draft:
        rows.append(f"Draft{', edited by a person' if draft.edited_by else ''}:")
    if draft:
        rows.append(quote_text(clip(draft.text, 1_500)))
    for reference in thread.references:
        rows.append(
            f"• `{_escape_code(reference.ref)}` {checked.get(reference.ref, 'not checked')}: "
            f"{escape(clip(reference.supports_claim, 120))}"
        )
    rows += [f"Error: {escape(clip(error, 300))}" for error in (thread.failure, thread.note_problem) if error]
    rows.append(_format_cost(thread.runs))
    return rows


def describe_failure(thread: Thread) -> tuple[str, list[str]]:
    """Describe the last error in a sentence, with rows of advice; the sentence is empty if there was none."""
    last = find_failed_run(thread)
    reason = thread.failure or thread.fallback or thread.unvalidated
    if reason is None and last is None:
        return "", []
    rows = [_run(last)] if last else []
    why = last.status.removeprefix("aborted: ") if last else ""
    lost = thread.unvalidated if thread.unvalidated and thread.unvalidated != reason else None
    rows += [f"Validation: {escape(clip(lost, 300))}"] if lost else []
    return escape(clip(reason or f"The last run ended without findings: {why}.", 600)), [*rows, _help(why, reason)]


def find_failed_run(thread: Thread) -> Dispatch | None:
    """Return the last run that ended without findings."""
    return next((run for run in reversed(thread.dispatches) if run.status not in (RUNNING, COMPLETED)), None)


def _help(why: str, reason: str | None) -> str:
    """Return advice for the reason that a run ended for."""
    if why == "over-cap":
        return next((help_ for words, help_ in _CAPS.items() if words in (reason or "")), _DAY)
    return _HELP.get(why, _DEFAULT_HELP)


def _task(thread: Thread) -> str:
    """Describe the task's folder, its number of runs, and the state and journal of the last one."""
    if not thread.dispatches:
        return f"Task `{thread.task}`, not investigated yet."
    last = thread.dispatches[-1]
    runs = count(len(thread.dispatches), "run")
    return f"Task `{thread.task}`, {runs}; the last one, as {last.role}: {last.status} (`{last.journal_file}`)."


def _run(dispatch: Dispatch) -> str:
    about = f"{escape(dispatch.role)} on {escape(dispatch.model)}, {moment(dispatch.started_at)}"
    return f"• {about}: {dispatch.status} (`{_escape_code(dispatch.journal_file)}`)"


def _format_cost(runs: tuple[RunFigures, ...]) -> str:
    if not runs:
        return "No agent on a model worked on this question: it cost nothing."
    cost = format_cost(sum_figures(runs), places=4)
    return f"{count(len(runs), 'run')}, {sum(run.tokens for run in runs):,} tokens, {cost}."


def quote_text(text: str) -> str:
    """Quote a text, escaped."""
    return "\n".join(f"> {escape(line)}" for line in text.splitlines())


def _escape_code(text: str) -> str:
    """Escape text for inline code."""
    return escape(text).replace("`", "'")
