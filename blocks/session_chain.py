"""Sessions and their chains as mrkdwn: each session with its own figures, a chain with their sum (spec 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks import cost as cost_text
from blocks.text import clip, escape, format_count, moment
from bot.models.cost import sum_sessions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.session import Session
    from bot.models.session_chain import SessionChain, SessionLink

CHAIN_MARK = "⛓"
"""Mark of a session that is part of an escalation."""

_REASON = 160


def describe_session(session: Session, now: datetime) -> str:
    """Describe one session: tier, agent, model, start, outcome, turns, duration and cost."""
    agent = f"Tier {session.tier} {escape(session.agent)} on {escape(session.model)}, {moment(session.started_at)}"
    is_running = session.outcome == "running"
    milliseconds = (now - session.started_at).total_seconds() * 1000 if is_running else session.duration_ms
    reason = f" ({escape(clip(' '.join(session.reason.split()), _REASON))})" if session.reason else ""
    turns = format_count(session.num_turns, "turn")
    figures = f"{turns}, {format_duration(milliseconds)}, {format_cost([session])}"
    return f"*Session #{session.session_id}* {agent}: {session.outcome.replace('_', ' ')}{reason}; {figures}."


def describe_links(link: SessionLink, chain: SessionChain) -> str:
    """Describe the sessions from which, and to which, this one was escalated, or which one it checks; empty if there
    are none."""
    parent = chain.parent_of(link)
    checked = next((each for each in chain.members if each.session_id == link.parent_session_id), None)
    sentences = [f"Escalated from {_name(parent)}."] if parent else [f"Checks {_name(checked)}."] if checked else []
    sentences += [f"Escalated to {_name(child)}." for child in chain.children_of(link)]
    return " ".join(sentences)


def describe_chain(sessions: Sequence[Session]) -> str:
    """Describe a chain in a sentence: its sessions by tier, and their cost in sum."""
    tiers = sorted({session.tier for session in sessions})
    over = f"tiers {', '.join(map(str, tiers[:-1]))} and {tiers[-1]}" if len(tiers) > 1 else f"tier {tiers[0]}"
    return f"{format_count(len(sessions), 'session')} of {over}, in all {format_cost(sessions)}"


def format_cost(sessions: Sequence[Session]) -> str:
    """Format the cost of sessions, each counted once with its own cost."""
    cost = sum_sessions(sessions)
    return "cost unknown" if cost.unknown_runs == len(sessions) else cost_text.format_cost(cost, places=4)


def format_duration(milliseconds: float) -> str:
    """Format a duration in one unit, or in hours and minutes."""
    seconds = max(0, round(milliseconds / 1000))
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _name(link: SessionLink) -> str:
    return f"Session #{link.session_id} (Tier {link.tier})"
