"""Remedy: the proposed runbook on a card, word for word, with its button; later its run and its end."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from blocks.controls import decision, press_value
from blocks.session_chain import format_duration
from blocks.text import Block, clip, context, escape, moment, preformatted, quote, rich_text, section, text_object

if TYPE_CHECKING:
    from bot.models.incident import Remedy
    from bot.models.thread import Thread

RUN = "run_runbook"
_CONFIRM_TEXT = 280
_LONGEST_ARGV = 3_000
_SOON = "Its end is shown here after the checks that follow it, which take up to 40 s."
_EARLIER = 2
"""Earlier runbooks that are named, each on a line."""


def build_remedy(thread: Thread, limit: int, held_reason: str | None = None) -> list[Block]:
    """Build the part of a card about runbooks; empty without any. `limit` is for each sentence of an agent."""
    incident = thread.incident
    if incident is None or not thread.is_about_incident or not incident.remedies:
        return []
    *earlier, last = incident.remedies
    lines = [context(describe_remedy(remedy)) for remedy in earlier[-_EARLIER:]]
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
            needs_person = thread.status == "pending-user" and not incident.is_over
            line = describe_remedy(last, needs_person=needs_person)
            return [*lines, section(line), _show_program(last), *output]
        case _:
            return [*lines, context(describe_remedy(last))]


def describe_remedy(remedy: Remedy, *, needs_person: bool = False) -> str:
    """Return the state of a remedy in one sentence or two, as mrkdwn.

    `needs_person` is true if it did not help, and nothing goes on without a person.
    """
    name = _show_name(remedy)
    by = f", approved by {people}" if (people := name_approvers(remedy)) else ""
    when = moment(remedy.decided_at) if remedy.decided_at else ""
    match remedy.state:
        case "proposed":
            return f"*Proposed runbook:* {name}."
        case "approved":
            return f"*Running* {name} since {when}{by}."
        case "ended":
            word = "Did not run" if remedy.outcome == "not-started" else "Ran"
            health = _describe_health(remedy, needs_person=needs_person)
            return f"*{word}* {name} · {when}{by}: {_describe_end(remedy)} {health}"
        case "refused" | "expired":
            return f"*Not run:* {name}, since {escape(clip(remedy.why, 300)).rstrip('.')}."


def name_approvers(remedy: Remedy) -> str:
    """Return the people who approved a runbook, as mentions; empty without any."""
    people = dict.fromkeys(user for user in (remedy.first_by, remedy.decided_by) if user)
    return " and ".join(f"<@{user}>" for user in people) if remedy.run_id else ""


def _show_name(remedy: Remedy) -> str:
    return f"`{escape(remedy.runbook).replace('`', ' ')}`"  # a refused one has the agent's word


def _describe_held(remedy: Remedy) -> str:
    """Return the beginning of the sentences about an approved runbook that was not started."""
    when = moment(remedy.decided_at) if remedy.decided_at else ""
    return f"*Approved, not started:* {_show_name(remedy)} · {when}, by {name_approvers(remedy)}. It waits:"


def _build_proposal(thread: Thread, remedy: Remedy, limit: int) -> list[Block]:
    """Show the program exactly as it will be run, the reason, and the button."""
    why = clip(" ".join(remedy.reason.split()), 2 * limit)
    head = f"*Proposed runbook:* {_show_name(remedy)}, by tier {remedy.tier}. Its reason, word for word:"
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


def _describe_end(remedy: Remedy) -> str:
    match remedy.outcome:
        case "succeeded" | "failed" if remedy.exit_code is not None:
            return f"it ended with exit code {remedy.exit_code} after {format_duration(remedy.duration_ms)}."
        case "succeeded" | "failed":
            return f"it ended after {format_duration(remedy.duration_ms)}. {escape(clip(remedy.problem, 300))}".rstrip()
        case "timed-out":
            words = remedy.problem or f"It took longer than {remedy.timeout_s:g} s, and was ended."
            return f"it reached its time limit. {escape(clip(words, 300))}"
        case "not-started":
            return f"it did not start. {escape(clip(remedy.problem, 300))}"
        case _:
            return f"its end is not known. {escape(clip(remedy.problem, 300))}"


def _describe_health(remedy: Remedy, *, needs_person: bool) -> str:
    match remedy.is_healthy_after:
        case True:
            return "The checks after it were healthy."
        case False if needs_person:
            return "*Still not healthy:* a person has to look."
        case False:
            return "The checks after it were not healthy."
        case _:
            return "The checks after it could not be made."


def _clip_start(text: str, limit: int) -> str:
    """Return the last whole lines of an output that fit."""
    text = text.strip()
    if len(text) <= limit:
        return text
    end = text[2 - limit :]
    is_whole = text[1 - limit] == "\n" or "\n" not in end
    return f"…\n{end if is_whole else end.partition(chr(10))[2]}"
