"""Controls: the last part of a card, with the buttons and the state of the decision.

The row has at most a handful of buttons, one of them primary; rarer actions are in the menu beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.asker import build_settled_hint
from blocks.edit_diff import build_edit_diff
from blocks.faults import build_confirmation
from blocks.outcome import handed_over_line
from blocks.question import question_title
from blocks.repeated_question import serves_again
from blocks.text import Block, button, clip, context, escape, format_count, mention, menu, moment, section
from bot.models.faults import confirmation_digest, describe_staleness, find_faults, has_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.models.card import AskedOwner
    from bot.models.thread import Thread

DIG_DEEPER = "dig_deeper"
_BUTTONS = {
    "approve": "Approve",
    "approve_and_save": "Approve and Save Note",
    "post_anyway": "Post Anyway",
    "edit": "Edit",
    "bounce": "Bounce",
    "answer": "Answer",
    "take_over": "Take Over",
    "redraft": "Redraft",
    DIG_DEEPER: "Dig Deeper",
    "run_runbook": "Run Runbook",
    "stop": "Stop",
    "dismiss": "Dismiss",
    "was_posted": "It Was Posted",
    "post_again": "Post Again",
}
_ACTS_ON = {
    "approve": "the reply to",
    "approve_and_save": "for",
    "post_anyway": "the reply to",
    "edit": "the reply to",
    "bounce": "the draft for",
    "answer": "for",
    "take_over": "from Triage, for",
    "redraft": "for",
    DIG_DEEPER: "for",
    "run_runbook": "for",
    "stop": "the draft for",
    "dismiss": "the question of",
    "was_posted": "to",
    "post_again": "to",
}
"""Labels for screen readers, between a button's text and the name of the asker."""
_DECISION = "controls-"
"""Begin of the `block_id` of the row that decides on the reply."""
_MOST_IN_ROW = 5
"""Number of buttons in a row up to which a further action is a button; else it is in the menu."""
NO_SECOND = "nobody else may approve this here: press Take Over and reply yourself, or have another operator named."
_APPROVING = ("approve", "approve_and_save", "post_anyway")
_MENU = {"take_over": "Take Over", "delegate": "Delegate", "show_note": "Show Note", "ask_owner": "Ask an Owner"}
_MENU_LESS = ("was_posted", "post_again")
"""Actions that hide the menu: the reply may be in the thread, so there is nothing to take over or delegate."""


def press_value(thread: Thread) -> str:
    """Return the value of the card's buttons: the draft's id and its nonce, nothing else."""
    draft = thread.draft_pending
    return f"{draft.draft_id} {draft.nonce}" if draft else f"{thread.thread_id}/0 {thread.card.nonce}"


def build_decision_part(thread: Thread, link: str) -> list[Block]:
    """Build the state of the decision and the buttons."""
    if thread.status == "pending-user":
        return [*_earlier_steps(thread), *build_settled_hint(thread), *_decision_buttons(thread)]
    doubt = f"Slack did not confirm the reply, and it was not found. Please look in <{link}|the thread>."
    doubt_section = section(f"*In doubt:* {doubt}")
    return [*build_settled_hint(thread), doubt_section, controls(thread, "was_posted", "post_again")]


def _earlier_steps(thread: Thread) -> list[Block]:
    """List the earlier steps of others: a hand-over, a request to an owner, a first approval."""
    lines = []
    last = thread.hand_overs[-1] if thread.hand_overs else None
    if last and not last.for_second and last.to == thread.operator and last.at >= thread.asked_at:
        lines.append(context(handed_over_line(last, thread)))
    if request := current_owner_request(thread):
        lines.append(context(f"{mention(request.owner)} is asked by <@{request.by}> · {moment(request.at)}."))
    if first := thread.approved_first:
        lines.append(context(f"*Approved* by <@{first.by}> · {moment(first.at)}; it waits for a second person."))
    return [*build_edit_diff(thread), *lines]


def _decision_buttons(thread: Thread) -> list[Block]:
    draft = thread.draft_pending
    if draft is None:
        return [controls(thread, "redraft", "dismiss")]
    stale = [section(f"*Look again:* {escape(clip(describe_staleness(thread), 1_000))}")] if thread.stale else []
    if draft.withheld:
        reason = f"the draft contained what looks like {escape(draft.withheld)}. It is removed above."
        held_section = section(f"*Held back:* {reason} Nothing is posted until the draft is edited or redrafted.")
        return [held_section, *stale, controls(thread, "edit", "redraft", "bounce", "dismiss")]
    if thread.opening:
        return [*stale, context("Opening what the new text cites…"), controls(thread, "edit", "bounce", "dismiss")]
    lacks_remedy = thread.is_about_incident and thread.incident is not None and thread.incident.lacks_remedy
    wants_another = thread.stale or lacks_remedy or _lacks_the_model(thread) or serves_again(thread)
    redraft = ["redraft"] if wants_another else []
    if not has_answer(thread):
        return [*stale, controls(thread, "answer", "take_over", *redraft, "edit", "bounce", "dismiss")]
    if find_faults(thread):
        asks = ["post_anyway"] if thread.stale else _approve(thread)
        row = ["answer", "take_over", *asks, "edit", "bounce", *redraft, "dismiss"]
        return [*stale, *([] if thread.stale else _note(thread)), controls(thread, *row)]
    if thread.stale:
        return [*stale, controls(thread, "post_anyway", *redraft, "edit", "bounce", "dismiss")]
    is_asked = thread.investigator_return and thread.investigator_return.open_questions and not draft.is_edited
    answer = ["answer"] if is_asked else []
    return [*_note(thread), controls(thread, *_approve(thread), "edit", *answer, "bounce", *redraft, "dismiss")]


def _approve(thread: Thread) -> list[str]:
    return ["approve", "approve_and_save"] if thread.proposed_note else ["approve"]


def _lacks_the_model(thread: Thread) -> bool:
    """Return whether a model was missing for drafting or validating: another draft may have it."""
    return bool(thread.fallback or thread.unvalidated)


def _note(thread: Thread) -> list[Block]:
    """Preview the note that Approve and Save Note would keep; the menu shows it in full."""
    note = thread.proposed_note
    if note is None:
        return []
    begins = escape(clip(" ".join(note.content.split()), 200))
    return [context(f"*Note to keep* ({format_count(len(note.content), 'character')}): {begins}")]


def current_owner_request(thread: Thread) -> AskedOwner | None:
    """Return the request to an owner about the current draft."""
    request, draft = thread.asked_owner, thread.draft_pending
    return request if request and draft and request.draft_id == draft.draft_id else None


def controls(thread: Thread, *actions: str) -> Block:
    """Build the row of buttons, and the menu. If the draft has faults, posting needs a confirmation and is not
    primary."""
    value, named = press_value(thread), confirmation_digest(thread)
    first = "" if find_faults(thread) else "approve"
    if thread.settled_word and "dismiss" in actions:  # the asker says that the question is settled
        first, actions = "dismiss", tuple(sorted(actions, key=lambda action: action != "dismiss"))
    elements = []
    for action in actions:
        asks = build_confirmation(thread) if action in _APPROVING else None
        carried = f"{value} {named}" if asks else value
        style = "primary" if action == first else None
        elements.append(decision(thread, action, carried, style=style, confirm=asks))
    if not set(actions) & set(_MENU_LESS):
        rest = {name: label for name, label in _MENU.items() if name not in actions and _is_offered(thread, name)}
        if rest:
            elements.append(menu("more", {f"{name} {value}": label for name, label in rest.items()}))
    return {"type": "actions", "block_id": f"{_DECISION}{thread.revision}-{thread.card.nonce}", "elements": elements}


def build_ending_buttons(thread: Thread) -> Block:
    """Build the buttons for a question that is being worked on, in a list."""
    value = press_value(thread)
    buttons = [decision(thread, name, value) for name in ("stop", "dismiss", "take_over")]
    return {"type": "actions", "elements": buttons}


def decision(thread: Thread, name: str, value: str, *, style: str | None = None, confirm: Block | None = None) -> Block:
    """Build a button that decides on a question; `value` begins with `press_value`."""
    about = f"{_ACTS_ON[name]} {question_title(thread)}"
    return button(_BUTTONS[name], name, value, about=about, style=style, confirm=confirm)


def without_approve(blocks: list[Block], *, lacks_second: bool) -> list[Block]:
    """Remove the approving buttons for a reader who approved already; a line says so if nobody else may approve."""
    kept_blocks: list[Block] = []
    for block in blocks:
        if block["type"] == "actions":
            left = [element for element in block["elements"] if element.get("action_id") not in _APPROVING]
            kept_blocks += [context(f"*No second person:* {NO_SECOND}")] if lacks_second else []
            kept_blocks.append(block | {"elements": left})
        else:
            kept_blocks.append(block)
    return kept_blocks


def remove_from_menu(name: str, blocks: list[Block]) -> list[Block]:
    """Remove one entry from the menu beside the buttons, and the menu if it is empty then."""
    return [
        block | {"elements": [*_shorten_menu(name, block["elements"])]} if block["type"] == "actions" else block
        for block in blocks
    ]


def _shorten_menu(name: str, elements: list[Block]) -> Iterator[Block]:
    for element in elements:
        if element["type"] != "overflow":
            yield element
        elif options := [each for each in element["options"] if not each["value"].startswith(f"{name} ")]:
            yield element | {"options": options}


def offer_deeper(thread: Thread, blocks: list[Block]) -> list[Block]:
    """Add *Dig Deeper* to the buttons of a decision: before the last one, or in the menu where the row is long."""
    if thread.status != "pending-user" or thread.opening:
        return blocks
    return [
        block | {"elements": _with_deeper(thread, block["elements"])}
        if block.get("block_id", "").startswith(_DECISION)
        else block
        for block in blocks
    ]


def _with_deeper(thread: Thread, elements: list[Block]) -> list[Block]:
    value = press_value(thread)
    buttons = [element for element in elements if element["type"] != "overflow"]
    if len(buttons) < _MOST_IN_ROW:
        rest = elements[len(buttons) :]
        return [*buttons[:-1], decision(thread, DIG_DEEPER, value), *buttons[-1:], *rest]
    options = {f"{DIG_DEEPER} {value}": _BUTTONS[DIG_DEEPER]}
    menus = [element for element in elements if element["type"] == "overflow"]
    added = menu("more", options)
    return [*buttons, menus[0] | {"options": [*menus[0]["options"], *added["options"]]} if menus else added]


def _is_offered(thread: Thread, name: str) -> bool:
    is_pending = thread.status == "pending-user"
    if name == "ask_owner":
        return (
            is_pending
            and thread.draft_pending is not None
            and bool(thread.owners)
            and not current_owner_request(thread)
        )
    return name != "show_note" or (is_pending and thread.proposed_note is not None)
