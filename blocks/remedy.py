"""Remedy: the proposed runbook on a card, word for word, with its button; later its run and its end."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from blocks.controls import decision, press_value
from blocks.remedy_state import describe_remedy, name_approvers, show_runbook
from blocks.text import Block, clip, context, escape, moment, preformatted, quote, rich_text, section, text_object

if TYPE_CHECKING:
    from bot.models.incident import Remedy
    from bot.models.thread import Thread

RUN = "run_runbook"
_CONFIRM_TEXT = 280
_LONGEST_ARGV = 3_000
_SOON = "Its end is shown here after the checks that follow it, which take up to 40 s."
_AGAIN = "*Redraft* asks for a runbook again."
_EARLIER = 2
"""Earlier runbooks that are named, each on a line."""


def build_remedy(thread: Thread, limit: int, held_reason: str | None = None) -> list[Block]:
    """Build the part of a card about runbooks; empty without any. `limit` is for each sentence of an agent."""
    incident = thread.incident
    if incident is None or not thread.is_about_incident or not incident.remedies:
        return []
    *earlier, last = incident.remedies
    own = [remedy for remedy in earlier if remedy.proposed_at >= incident.since]
    if last.state in ("refused", "expired") and last.proposed_at < incident.since:  # of an earlier outage
        return []
    lines = [context(describe_remedy(remedy)) for remedy in own[-_EARLIER:]]
    is_open = thread.status == "pending-user" and not incident.is_over
    match last.state:
        case "proposed":
            return [*lines, *_build_proposal(thread, last, limit)]
        case "approved":
            line = (
                f"{_describe_held(last)} {escape(held_reason)}." if held_reason else f"{describe_remedy(last)} {_SOON}"
            )
            return [*lines, section(line), _show_program(last)]
        case "ended":
            output = [rich_text(preformatted(_clip_start(last.output, 4 * limit)))] if last.output.strip() else []
            line = describe_remedy(last, needs_person=is_open)
            if is_open:
                line = f"{line} {_AGAIN}"
            return [*lines, section(line), _show_program(last), *output]
        case _:
            return [*lines, context(f"{describe_remedy(last)} {_AGAIN}" if is_open else describe_remedy(last))]


def _describe_held(remedy: Remedy) -> str:
    """Return the beginning of the sentences about an approved runbook that was not started."""
    when = moment(remedy.decided_at) if remedy.decided_at else ""
    return f"*Approved, not started:* {show_runbook(remedy)} · {when}, by {name_approvers(remedy)}. It waits:"


def _build_proposal(thread: Thread, remedy: Remedy, limit: int) -> list[Block]:
    """Show the program exactly as it will be run, the reason, and the button."""
    why = clip(" ".join(remedy.reason.split()), 2 * limit)
    head = f"*Proposed runbook:* {show_runbook(remedy)}, by tier {remedy.tier}. Its reason, word for word:"
    seconds = f"{remedy.timeout_s:g} s"
    note = (
        f"It runs on the machine of the bot, without a shell, for at most {seconds}, and only if you press the button."
    )
    first = (
        [context(f"*Approved* by <@{remedy.first_by}> · {moment(remedy.first_at)}; it waits for a second person.")]
        if remedy.first_by and remedy.first_at
        else []
    )
    confirm = {
        "title": text_object("Run this program now?"),
        "text": text_object(clip(shlex.join(remedy.argv), _CONFIRM_TEXT)),
        "confirm": text_object("Run It"),
        "deny": text_object("Go Back"),
    }
    row: Block = {
        "type": "actions",
        "block_id": f"runbook-{thread.revision}-{thread.card.nonce}",
        "elements": [decision(thread, RUN, press_value(thread), confirm=confirm)],
    }
    return [section(head), quote(why), _show_program(remedy), context(note), *first, row]


def _show_program(remedy: Remedy) -> Block:
    return rich_text(preformatted(clip(shlex.join(remedy.argv), _LONGEST_ARGV)))


def _clip_start(text: str, limit: int) -> str:
    """Return the last whole lines of an output that fit."""
    text = text.strip()
    if len(text) <= limit:
        return text
    end = text[2 - limit :]
    is_whole = text[1 - limit] == "\n" or "\n" not in end
    return f"…\n{end if is_whole else end.partition(chr(10))[2]}"
