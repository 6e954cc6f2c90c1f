"""Sessions and their chains as mrkdwn: each session with its own figures, a chain with their sum (spec 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks import cost as cost_text
from blocks.text import clip, escape, format_count, moment
from bot.models.cost import Cost, sum_figures, sum_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from bot.models.session import Session
    from bot.models.session_chain import SessionChain, SessionLink
    from bot.models.thread import Thread

CHAIN_MARK = "⛓"
"""Mark of a session that is part of an escalation."""

_REASON = 160
_STEPS = 6
"""Newest steps of a question that are shown."""
_AGENT = "investigator"


def describe_session(session: Session, now: datetime) -> str:
    """Describe one session: tier, agent, model, start, outcome, turns, duration and cost."""
    if not session.uses_model:
        return _describe_checks(session, now)
    agent = f"Tier {session.tier} {escape(session.agent)} on {escape(session.model)}, {moment(session.started_at)}"
    is_running = session.outcome == "running"
    milliseconds = (now - session.started_at).total_seconds() * 1000 if is_running else session.duration_ms
    reason = f" ({escape(clip(' '.join(session.reason.split()), _REASON))})" if session.reason else ""
    turns = format_count(session.num_turns, "turn")
    figures = f"{turns}, {format_duration(milliseconds)}, {format_cost([session])}"
    return f"*Session #{session.session_id}* {agent}: {session.outcome.replace('_', ' ')}{reason}; {figures}."


def _describe_checks(session: Session, now: datetime) -> str:
    """Describe the session of an outage: its checks, from the first unhealthy one to the recovery."""
    is_running = session.outcome == "running"
    milliseconds = (now - session.started_at).total_seconds() * 1000 if is_running else session.duration_ms
    state = "not over" if is_running else "over" if session.outcome == "answered" else "its end was not seen"
    figures = f"{format_count(session.num_turns, 'check run')}, {format_duration(milliseconds)}, no cost"
    begin = f"*Session #{session.session_id}* Tier {session.tier}, checks of an outage, {moment(session.started_at)}"
    return f"{begin}: {state}; {figures}."


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


def describe_steps(thread: Thread) -> str:
    """Describe the investigations of an escalated question as steps, each with its cost, and their sum.

    They are those of the thread's document, with the run under way as the last; empty for fewer than two.
    """
    runs = [run for run in thread.runs if run.agent == _AGENT]
    steps = [_Step(run.session_id, run.tier, run.turns, sum_figures([run])) for run in runs]
    current = thread.escalation
    if current and current.session_id and current.session_id not in [step.session_id for step in steps]:
        usd = current.cost_usd or 0.0
        cost = Cost(usd=usd, unsure_usd=usd, unknown_runs=int(current.cost_usd is None))
        steps.append(_Step(current.session_id, current.tier, current.turns, cost, state="under way, "))
    if len(steps) < 2:
        return ""
    lines = [
        " ".join(filter(None, (step.describe(), *_describe_neighbours(steps, number))))
        for number, step in enumerate(steps)
    ]
    total = Cost(
        usd=sum(step.cost.usd for step in steps),
        unsure_usd=sum(step.cost.unsure_usd for step in steps),
        unknown_runs=sum(step.cost.unknown_runs for step in steps),
    )
    return "\n".join([*lines[-_STEPS:], f"In all {cost_text.format_cost(total)}."])


@dataclass(frozen=True)
class _Step:
    """One investigation of a question."""

    session_id: str
    tier: int
    turns: int
    cost: Cost
    state: str = ""

    @property
    def name(self) -> str:
        """Name its session and tier."""
        return f"Session #{self.session_id} (Tier {self.tier})"

    def describe(self) -> str:
        """Describe its figures."""
        figures = f"{format_count(self.turns, 'turn')}, {cost_text.format_cost(self.cost)}"
        return f"{self.name}: {self.state}{figures}."


def _describe_neighbours(steps: Sequence[_Step], number: int) -> Iterator[str]:
    """Yield the links to the tier before and to the next one."""
    step = steps[number]
    if number and steps[number - 1].tier < step.tier:
        yield f"Escalated from {steps[number - 1].name}."
    if number + 1 < len(steps) and steps[number + 1].tier > step.tier:
        yield f"Escalated to {steps[number + 1].name}."


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
