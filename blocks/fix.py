"""Fix on the card of its question: the button that proposes one, and its state in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.controls import press_value
from blocks.question import question_title
from blocks.text import Block, button, clip, context, end_sentence, escape, escape_plainly, fit, moment, section

if TYPE_CHECKING:
    from bot.models.fix import Fix
    from bot.models.thread import Thread

PROPOSE = "propose_fix"
OPEN = "open_merge_request"
EDIT = "edit_request"
DISCARD = "discard"
_LONGEST_PROBLEM = 300
_ENDED = "*The draft of a fix was ended* by the stop of Triage; its end is recorded after `/triage resume`."


def fix_value(thread_id: str, fix: Fix) -> str:
    """Return the value of the buttons of a fix: its number within its thread, and the nonce of what is shown."""
    return f"{thread_id}/{fix.number} {fix.nonce}"


def build_fix_part(
    thread: Thread, limit: int, *, may_propose: bool, refusal: str, held_reason: str | None, is_ended: bool, link: str
) -> list[Block]:
    """Build the part of a card about a fix; empty without any. `limit` is for each sentence of an agent.

    With `may_propose` a fix of the defect that the findings name may begin now, unless there is a `refusal`.
    `held_reason` is the reason why its draft has not begun; `is_ended` is true if a stop of Triage ended the draft.
    `link` is the address of the fix's message, empty until it is known.
    """
    fix = thread.fix if thread.fix and thread.fix.question_round == thread.question_round else None
    blocks = [] if fix is None else _build_state(thread, fix, held_reason, is_ended=is_ended, link=link)
    defect = thread.investigator_return.defect if thread.investigator_return and may_propose else None
    if defect is None:
        return blocks
    named = f"*Defect:* {escape_plainly(clip(' '.join(defect.summary.split()), 2 * limit))} {format_ref(defect.ref)}"
    if refusal:
        return [*blocks, context(f"{named} No fix can be drafted: {escape(clip(refusal, _LONGEST_PROBLEM))}")]
    row = button("Propose a Fix", PROPOSE, press_value(thread), about=f"for {question_title(thread)}")
    return [*blocks, context(named), _build_row(thread, "defect", row)]


def describe_fix(fix: Fix, link: str = "") -> str:
    """Return the state of a fix in a sentence or two, as mrkdwn; `link` is the address of its message, if known."""
    decided = f"by <@{fix.decided_by}> · {moment(fix.decided_at)}" if fix.decided_by and fix.decided_at else ""
    match fix.state:
        case "drafting":
            return f"*A fix is being drafted* for <@{fix.order.asked_by}> · {moment(fix.order.asked_at)}."
        case "proposed" if fix.problem:
            again = "" if fix.is_outdated else " Press Open Merge Request to try again."
            return f"*The merge request was not opened:* {show_problem(fix)}{again}"
        case "proposed":
            message = f"<{escape(link)}|its message>" if link else "its message"
            return f"*A fix is proposed:* {message} has the diff and the buttons. Nothing was pushed."
        case "failed":
            return f"*No fix:* {show_problem(fix)} Nothing was pushed."
        case "opening":
            return f"*Opening the merge request,* as approved {decided}."
        case "opened" if fix.request:
            return f"*Opened* {decided}: <{escape(fix.request.url)}|{escape(fix.request.name)}>, a draft."
        case _:
            return f"*Fix discarded* {decided}. {_describe_push(fix)}"


def _describe_push(fix: Fix) -> str:
    """Say what of a discarded fix is at the remote, in a sentence."""
    if fix.pushed == "no" or fix.plan is None:
        return "Nothing was pushed."
    where = f"`{escape(fix.plan.branch)}` at {escape(fix.plan.remote)}"
    if fix.pushed == "yes":
        return f"Its branch {where} stays there, as it was pushed; it has no merge request of Triage."
    return f"Its branch may be pushed: look for {where}."


def show_problem(fix: Fix) -> str:
    """Return why it came to nothing, as a sentence."""
    words = " ".join(fix.problem.split()) or "Its process ended without a result"
    return end_sentence(escape_plainly(fit(words, _LONGEST_PROBLEM)))


def format_ref(ref: str) -> str:
    """Return a reference as code."""
    return f"`{escape(' '.join(ref.split())).replace('`', ' ')}`"


def _build_state(thread: Thread, fix: Fix, held_reason: str | None, *, is_ended: bool, link: str) -> list[Block]:
    if fix.state != "drafting":
        return [context(describe_fix(fix, link))]
    state = f"{describe_fix(fix)} It waits: {escape(held_reason)}." if held_reason else describe_fix(fix)
    state = _ENDED if is_ended else state
    stop = button("Stop the Fix", DISCARD, fix_value(thread.thread_id, fix), about=f"for {question_title(thread)}")
    return [section(state), _build_row(thread, "fix", stop)]


def _build_row(thread: Thread, name: str, *buttons: Block) -> Block:
    return {"type": "actions", "block_id": f"{name}-{thread.revision}-{thread.card.nonce}", "elements": [*buttons]}
