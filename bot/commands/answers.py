"""Text about one task: its progress, its result and its errors, as mrkdwn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blocks.cost import format_cost
from blocks.question import describe_source, own_words
from blocks.queue import message_link, question_link
from blocks.text import clip, escape, moment, name_channel
from bot.commands.state import count
from bot.decide.hold_words import describe_holds, describe_wait
from bot.models.cost import sum_figures
from bot.models.status_words import state_words
from bot.models.task_status import find_stopper

if TYPE_CHECKING:
    from bot.models.run_figures import RunFigures
    from bot.models.status import Status
    from bot.models.task import Dispatch
    from bot.models.thread import Thread
    from bot.triage.task_states import TaskState

_DEPENDENCIES = 5
"""Number of dependencies named in a row."""
_FILES = 20
"""Number of files listed."""
_LINES = re.compile(r":\d[\d,-]*$")
"""Lines at the end of a reference to a file."""
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


def describe_progress(thread: Thread) -> str:
    """Say in a sentence how far the question has come."""
    about = f"<@{thread.original_sender_id}>"
    if thread.is_about_incident and thread.incident:
        about = escape(clip(", ".join(thread.incident.services), 200))
    noun = "incident" if thread.is_about_incident else "task" if thread.is_about_order else "question"
    phrase = _STATUS_PHRASES[thread.status]
    if thread.is_about_order and thread.status == "collecting":
        phrase = "waits for its start"
    subject = f"The {noun} of {about} {phrase}"
    ending = f" ({state_words(thread)})" if thread.outcome else ""
    return f"{subject}{ending}, since {moment(thread.status_history[-1].at)}."


def list_details(thread: Thread, url: str, state: TaskState, *, reader: str = "") -> list[str]:
    """List all else that is known of a task, as rows; `reader` is the user who asked."""
    question = escape(clip(own_words(thread), 300))
    verb = "Reported" if thread.is_about_incident else "Created" if thread.is_about_order else "Asked"
    rows = [
        f"<{question_link(thread, url)}|{verb}> in {name_channel(thread.chat_id)}: {question}",
        _describe_state(thread, state),
    ]
    if thread.status == "pending-user":
        rows.append(_where_to_decide(thread, url, reader))
    if thread.project:
        rows.append(
            f"Round {thread.investigator_round}, engine {escape(thread.engine or 'none')}, project "
            f"{escape(thread.project)}."
        )
    rows.append(_task(thread))
    rows += [describe_run(dispatch) for dispatch in thread.dispatches[-_RUNS:]] if len(thread.dispatches) > 1 else []
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


def format_row(thread: Thread, url: str, state: TaskState) -> str:
    """Describe a task in one row; a created one with its title, priority and dependencies."""
    since = moment(thread.status_history[-1].at)
    project = f", {escape(project_of(thread))}" if project_of(thread) else ""
    where = f"{describe_source(thread)}{project}"
    link = f"(<{question_link(thread, url)}|thread>)"
    if order := thread.order:
        title = escape(clip(order.title, 60))
        about = f"{title}, priority {order.priority}{_name_blockers(state)}{_describe_wait_briefly(thread, state)}"
        return f"`{thread.task}` *{state.status}* {where}, {since}: {about} {link}"
    word = "failed" if thread.failure and thread.status == "pending-user" else state_words(thread)
    return f"`{thread.task}` *{word}* {where}, {since}: {escape(clip(own_words(thread), 60))} {link}"


def _describe_state(thread: Thread, state: TaskState) -> str:
    """Name the status of a task with its reason, and the order of a created one."""
    order, stop = thread.order, describe_stop(thread)
    reason = f" It was {stop}." if stop else ""
    if state.holds:
        reason = f" {escape(describe_holds(state.holds, thread.task))}"
    if order is None:
        return f"Status {state.status}.{reason}"
    after = f" It depends on {_name_dependencies(state)}." if state.dependencies else ""
    agent = f", agent `{escape(order.agent)}`" if order.agent else ""
    return f"Status {state.status}, priority {order.priority}{agent}.{after}{reason}"


def describe_stop(thread: Thread) -> str:
    """Say who stopped a task, when, and what starts it again; empty unless that is why it is blocked."""
    if not (stopper := find_stopper(thread)):
        return ""
    at = moment(thread.status_history[-1].at)
    return f"stopped by <@{stopper}> {at}; `restart_task {thread.task}` starts it again"


def _describe_wait_briefly(thread: Thread, state: TaskState) -> str:
    """Say why a created task does not run, without the dependencies, which the row names."""
    if stopper := find_stopper(thread):
        return f"; stopped by <@{stopper}>"
    holds = [hold for hold in state.holds if hold.reason != "dependencies"]
    return f"; {escape(describe_wait(holds))}" if holds else ""


def _name_dependencies(state: TaskState) -> str:
    """Name the tasks that a task depends on, each with its status."""
    names = [
        f"`{_escape_code(each.task)}` ({each.status})" if each.task else "a deleted task" for each in state.dependencies
    ]
    return (
        f"{', '.join(names[:_DEPENDENCIES])}{f' and {len(names) - _DEPENDENCIES} more' * (len(names) > _DEPENDENCIES)}"
    )


def _name_blockers(state: TaskState) -> str:
    """Say in a clause what a task waits for: the others, that are not completed, with their own status in words."""
    names = [
        f"`{_escape_code(each.task)}`, which is {each.status}" if each.task else "a deleted task"
        for each in state.blockers
    ]
    more = f", and {len(names) - _DEPENDENCIES} more" if len(names) > _DEPENDENCIES else ""
    return f", waits for {', for '.join(names[:_DEPENDENCIES])}{more}" if names else ""


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
    if before := find_result_before(thread):
        rows += ["Result so far, before it was restarted:", quote_text(clip(before, 800))]
    if files := list_files(thread):
        rows.append(
            f"Files: {', '.join(f'`{_escape_code(name)}`' for name in files[:_FILES])}{'…' * (len(files) > _FILES)}"
        )
    for reference in thread.references:
        rows.append(
            f"• `{_escape_code(reference.ref)}` {checked.get(reference.ref, 'not checked')}: "
            f"{escape(clip(reference.supports_claim, 120))}"
        )
    rows += [f"Error: {escape(clip(error, 300))}" for error in (thread.failure, thread.note_problem) if error]
    rows.append(_format_cost(thread.runs))
    return rows


def list_files(thread: Thread) -> tuple[str, ...]:
    """Return the files that the references of a task name, each once."""
    refs = (reference.ref for reference in thread.references if reference.kind == "file")
    return tuple(dict.fromkeys(_LINES.sub("", ref) for ref in refs))


def find_result_before(thread: Thread) -> str | None:
    """Return the reply of a created task before it was restarted; `None` without one."""
    order = thread.order
    return order.result if order and order.result and order.outcome is None else None


def _task(thread: Thread) -> str:
    """Describe the task's folder, its number of runs, and the state and journal of the last one."""
    if not thread.dispatches:
        return f"Task `{thread.task}`, not investigated yet."
    last = thread.dispatches[-1]
    runs = count(len(thread.dispatches), "run")
    return f"Task `{thread.task}`, {runs}; the last one, as {last.role}: {last.status} (`{last.journal_file}`)."


def describe_run(dispatch: Dispatch) -> str:
    """Describe a run of a role."""
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
