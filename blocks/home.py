"""App Home: the overview for an operator, an introduction for everybody else. At most a hundred blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.cost import format_cost
from blocks.health import EMOJI, fit_rows
from blocks.queue_view import work_row
from blocks.services import LEGEND, describe_service, summarise
from blocks.session_chain import CHAIN_MARK, describe_steps
from blocks.system_events import describe_event
from blocks.text import Block, button, clip, context, escape, format_count, header, moment, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.home import HomeView, Today
    from bot.models.thread import Thread

PAUSE, RESUME, REFRESH = "home_pause", "home_resume", "home_refresh"
"""Ids of the buttons at the top."""

PROBLEMS = 5
"""Access problems shown at most; `status` lists all."""

RUNNING = 10
"""Running threads listed at most, escalated ones included."""

ESCALATED = 5
"""Escalated threads listed at most."""

SERVICES = 10
"""Services listed at most, those that are not healthy first; the command `services` lists more."""

EVENTS = 3
"""Events of escalations listed at most; the command `events` lists more."""


def build_operator_home(picture: HomeView) -> dict[str, Any]:
    """Build the operator's view: pending and running questions, the day's figures, and Pause."""
    return _view(
        header("Triage"),
        section(_state(picture)),
        *map(section, picture.problems[:PROBLEMS]),
        *([section(clip(picture.message, 2_000))] if picture.message else []),
        _buttons(picture),
        header(_waiting(picture)),
        *picture.waiting,
        *_escalations(picture),
        header("Running"),
        *_running_rows(picture),
        *_services(picture),
        *_events(picture),
        header("Today"),
        section(_format_today(picture.today)),
        context(f"Counted from midnight, {escape(picture.zone)}. As of {moment(picture.at)}; Refresh updates it."),
    )


def welcome(channels: Sequence[str], *, is_member: bool = True) -> dict[str, Any]:
    """Build the view for anybody else; `channels` are the ids of the channels that Triage reads, and only members may
    give commands."""
    names = ", ".join(f"<#{channel}>" for channel in channels[:20])
    rest = f" and {len(channels) - 20} more" if len(channels) > 20 else ""
    return _view(
        header("Triage"),
        section(
            "Triage drafts answers to questions in this team's channels, from its code and docs. A colleague reads "
            "each draft and approves, changes or drops it; a reply that was sent without that says so."
        ),
        header("How to ask"),
        section(
            f"Ask as you would ask a colleague, in {names or 'a channel that Triage reads'}{rest}. Say what you want "
            "to know, where you have looked and what you expected. Add to it in the thread; the answer comes there."
        ),
        section(
            "To have Triage leave a thread alone, reply `!mute` in it, or what your team says instead; a mention "
            f"brings it back.{' `/triage help` lists its commands.' if is_member else ''}"
        ),
    )


def _view(*blocks: Block) -> dict[str, Any]:
    return {"type": "home", "blocks": list(blocks)}


def _waiting(picture: HomeView) -> str:
    number = picture.waiting_in_all
    waits = f"{format_count(number, 'question')} wait{'s' if number == 1 else ''}" if number else "Nothing waits"
    return f"{waits} for a decision"


def _state(picture: HomeView) -> str:
    since = f" since {moment(picture.since)}" if picture.since and picture.state != "running" else ""
    health = "" if picture.connected else " *Not connected to Slack:* what you see may be behind."
    held_text = f" {picture.held_count} questions wait for Resume." if picture.held_count else ""
    return f"*{picture.state.capitalize()}*{since}.{held_text}{health}"


def _buttons(picture: HomeView) -> Block:
    control = ("Pause", PAUSE) if picture.state == "running" else ("Resume", RESUME)
    buttons = [
        *([(*control, "Triage in this workspace")] if picture.may_control else []),
        ("Refresh", REFRESH, "this page"),
    ]
    return {
        "type": "actions",
        "elements": [button(text, action, "now", about=about) for text, action, about in buttons],
    }


def _running_rows(picture: HomeView) -> list[Block]:
    rows = [block for thread in picture.running for block in _row(thread, picture)]
    left = picture.running_in_all - len(picture.running)
    rest = [f"… and {left} more."] if left > 0 else []
    rest += [f"{picture.in_line} wait for their turn."] if picture.in_line else []
    return [*rows, *map(context, rest)] or [section("Nothing.")]


def _escalations(picture: HomeView) -> list[Block]:
    """Build the rows of long runs, if there are any."""
    if not picture.escalated:
        return []
    left = picture.escalated_in_all - len(picture.escalated)
    rows: list[Block] = []
    for thread in picture.escalated:
        steps = describe_steps(thread)
        rows += [*_row(thread, picture), *([context(f"{CHAIN_MARK} {steps}")] if steps else [])]
    return [header("Escalated"), *rows, *([context(f"… and {left} more.")] if left > 0 else [])]


def _services(picture: HomeView) -> list[Block]:
    """Build the states of services, if any are checked."""
    if not picture.services:
        return []
    rows = [
        f"{EMOJI[state.status] if state.status else ':white_circle:'} "
        f"{describe_service(state, picture.at, url=picture.url, detail='short')}"
        for state in picture.services
    ]
    shown = fit_rows(rows, "service", most=SERVICES, bullet="")
    note = f"{LEGEND} `/triage services` shows more."
    return [header("Services"), section(f"{summarise(picture.services)}\n{shown}"), context(note)]


def _events(picture: HomeView) -> list[Block]:
    """Build the events of escalations, if there were any."""
    if not picture.events:
        return []
    rows = [section(describe_event(event)) for event in picture.events[:EVENTS]]
    return [header("Events of escalations"), *rows, context("`/triage events` lists all of the last day.")]


def _row(thread: Thread, picture: HomeView) -> list[Block]:
    return work_row(thread, url=picture.url, now=picture.at, held_reason=picture.held_reasons.get(thread.thread_id))


def _format_today(today: Today | None) -> str:
    if today is None:
        return "The day's figures cannot be read at the moment."
    drafts = f"{today.drafts} draft{'' if today.drafts == 1 else 's'}"
    return (
        f"{drafts}, {today.approved} approved, {today.bounced} bounced, cost {format_cost(today.cost)}. "
        "`/triage metrics` has more."
    )
