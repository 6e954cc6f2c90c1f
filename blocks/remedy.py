"""Remedy: the proposed runbook on a card, word for word, with its button; later its run and its end."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from blocks.controls import decision, press_value
from blocks.session_chain import format_duration
from blocks.text import Block, clip, context, escape, moment, preformatted, rich_text, section, text_object

if TYPE_CHECKING:
    from bot.models.incident import Remedy
    from bot.models.thread import Thread

RUN = "run_runbook"
_CONFIRM_TEXT = 280
_LONGEST_ARGV = 3_000
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
            waits = f" It waits: {escape(held_reason)}." if held_reason else ""
            return [*lines, section(f"{describe_remedy(last)}{waits}"), _show_program(last)]
        case "ended":
            output = [rich_text(preformatted(_clip_start(last.output, 4 * limit)))] if last.output.strip() else []
            return [*lines, section(describe_remedy(last)), _show_program(last), *output]
        case _:
            return [*lines, context(describe_remedy(last))]


def describe_remedy(remedy: Remedy) -> str:
    """Return the state of a remedy in one sentence or two, as mrkdwn."""
    name = f"`{escape(remedy.runbook).replace('`', ' ')}`"  # a refused one has the agent's word
    by = f", approved by <@{remedy.decided_by}>" if remedy.decided_by else ""
    when = moment(remedy.decided_at) if remedy.decided_at else ""
    match remedy.state:
        case "proposed":
            return f"*Proposed runbook:* {name}."
        case "approved":
            return f"*Running* {name} since {when}{by}."
        case "ended":
            return f"*Ran* {name} · {when}{by}: {_describe_end(remedy)} {_describe_health(remedy)}"
        case "refused" | "expired":
            return f"*Not run:* {name}, since {escape(clip(remedy.why, 300)).rstrip('.')}."


def _build_proposal(thread: Thread, remedy: Remedy, limit: int) -> list[Block]:
    """Show the program exactly as it will be run, the reason, and the button."""
    why = escape(clip(" ".join(remedy.reason.split()), 2 * limit)).rstrip(".")
    head = f"*Proposed runbook:* `{escape(remedy.runbook)}`, by tier {remedy.tier}: {why}."
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
    return [section(head), _show_program(remedy), context(note), *first, row]


def _show_program(remedy: Remedy) -> Block:
    return rich_text(preformatted(clip(shlex.join(remedy.argv), _LONGEST_ARGV)))


def _describe_end(remedy: Remedy) -> str:
    match remedy.outcome:
        case "succeeded" | "failed":
            return f"it ended with exit code {remedy.exit_code} after {format_duration(remedy.duration_ms)}."
        case "timed-out":
            return f"it was ended after {format_duration(remedy.duration_ms)}, its time limit."
        case "not-started":
            return f"it did not start. {escape(clip(remedy.problem, 300))}"
        case _:
            return f"its end is not known. {escape(clip(remedy.problem, 300))}"


def _describe_health(remedy: Remedy) -> str:
    match remedy.is_healthy_after:
        case True:
            return "The checks after it are healthy."
        case False:
            return "*Still not healthy:* a person has to look."
        case _:
            return "The checks after it could not be made."


def _clip_start(text: str, limit: int) -> str:
    """Return the end of an output."""
    text = text.strip()
    return text if len(text) <= limit else f"…{text[1 - limit :]}"
