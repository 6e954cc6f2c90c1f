"""State of a remedy in words, for cards, messages and briefs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.session_chain import format_duration
from blocks.text import clip, escape, moment, with_moments

if TYPE_CHECKING:
    from bot.models.incident import Remedy


def describe_remedy(remedy: Remedy, *, needs_person: bool = False) -> str:
    """Return the state of a remedy in one sentence or two, as mrkdwn.

    `needs_person` is true if it did not help, and nothing goes on without a person.
    """
    name = show_runbook(remedy)
    by = f", approved by {people}" if (people := name_approvers(remedy)) else ""
    when = moment(remedy.decided_at) if remedy.decided_at else ""
    match remedy.state:
        case "proposed":
            return f"*Proposed runbook:* {name}."
        case "approved":
            return f"*Running* {name} · {when}{by}."
        case "ended":
            word = "Did not run" if remedy.outcome == "not-started" else "Ran"
            health = _describe_health(remedy, needs_person=needs_person)
            return f"*{word}* {name} · {when}{by}: {_describe_end(remedy)} {health}"
        case "refused" | "expired":
            why = with_moments(escape(clip(remedy.why, 300)).rstrip("."))
            return f"*Not run:* {name}, since {why}."


def name_approvers(remedy: Remedy) -> str:
    """Return the people who approved a runbook, as mentions; empty without any."""
    people = dict.fromkeys(user for user in (remedy.first_by, remedy.decided_by) if user)
    return " and ".join(f"<@{user}>" for user in people) if remedy.run_id else ""


def show_runbook(remedy: Remedy) -> str:
    """Return the name of its runbook as code."""
    return f"`{escape(remedy.runbook).replace('`', ' ')}`"  # a refused one has the agent's word


def _describe_end(remedy: Remedy) -> str:
    match remedy.outcome:
        case "succeeded" | "failed" if remedy.exit_code is not None:
            return f"it ended with exit code {remedy.exit_code} after {format_duration(remedy.duration_ms)}."
        case "succeeded" | "failed":
            return f"it ended after {format_duration(remedy.duration_ms)}. {_state_problem(remedy.problem)}".rstrip()
        case "timed-out":
            words = remedy.problem or f"It took longer than {remedy.timeout_s:g} s, and was ended."
            return f"it reached its time limit. {_state_problem(words)}"
        case "not-started":
            return f"it did not start. {with_moments(_state_problem(remedy.problem))}".rstrip()
        case _:
            return f"its end is not known. {_state_problem(remedy.problem)}".rstrip()


def _state_problem(problem: str) -> str:
    """Return a problem as a sentence, also one that was recorded as a clause."""
    words = escape(clip(problem.strip(), 300))
    if not words:
        return ""
    return f"{words[0].upper()}{words[1:]}" + ("" if words.endswith((".", "!", "?", "…")) else ".")


def _describe_health(remedy: Remedy, *, needs_person: bool) -> str:
    after = "made then" if remedy.outcome == "not-started" else "after it"
    match remedy.is_healthy_after:
        case True:
            return f"The checks {after} were healthy."
        case False if needs_person:
            return "*Still not healthy:* a person has to look."
        case False:
            return f"The checks {after} were not healthy."
        case _:
            return (
                "The checks after it could not be made."
                if after == "after it"
                else "The checks could not be made then."
            )
