"""Longer runs on cards and in progress messages: the reason, the progress, how to watch, and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import clip, escape, format_count, mention, moment

if TYPE_CHECKING:
    from bot.models.escalation import Escalation
    from bot.models.thread import Thread

_REASON, _LATEST, _COMMAND = 300, 150, 500


def describe_running(escalation: Escalation) -> str:
    """Describe a run of tier 2 or 3 under way, as mrkdwn, with the command that shows its output."""
    lines = [f"*Longer run*, tier {escalation.tier}, since {_reason(escalation, _REASON)}."]
    if escalation.started_at is None:
        return f"{lines[0]} It is being started."
    turns = format_count(escalation.turns, "turn")
    lines.append(f"Begun {moment(escalation.started_at)} · {turns} · {_cost(escalation)}")
    if escalation.latest:
        lines.append(f"Last: {escape(clip(' '.join(escalation.latest.split()), _LATEST))}")
    if escalation.watch_command:
        lines.append(f"Watch it: `{escape(escalation.watch_command.replace('`', chr(39))[:_COMMAND])}`")
    return "\n".join(lines)


def describe_escalation(thread: Thread, limit: int) -> list[str]:
    """Return the lines on a card that waits for a decision: the longer run behind its draft, or why there is none."""
    escalation, lines = thread.escalation, []
    if escalation and (escalation.has_result or (escalation.started_at and not thread.escalation_problem)):
        turns = f" · {format_count(escalation.turns, 'turn')} · {_cost(escalation)}" if escalation.turns else ""
        sent_back = "" if escalation.has_result else " Its draft was sent back; this one is of tier 1."
        lines.append(f"*Longer run:* tier {escalation.tier}, since {_reason(escalation, limit)}{turns}.{sent_back}")
    if thread.escalation_problem:
        word = "No longer run"
        if thread.is_escalated:
            word = "No further run" if escalation and escalation.has_result else "The longer run has no result"
        lines.append(f"*{word}:* {escape(clip(thread.escalation_problem, limit))}.")
    return lines


def _reason(escalation: Escalation, limit: int) -> str:
    if escalation.decided_by:
        return f"{mention(escalation.decided_by)} asked for it"
    return escape(clip(escalation.reason, limit))


def _cost(escalation: Escalation) -> str:
    if escalation.cost_usd is None:
        return "cost unknown"
    return f"at most ${escalation.cost_usd:.2f}" if escalation.cost_usd else "no cost reported"
