"""The small moves that every transition is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from bot.decide.rubric import NAMES, choose
from bot.models.decision import Round
from bot.models.effect import Effect, Investigate
from bot.models.status_change import StatusChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from bot.decide.classify.settlement import SettlingWords
    from bot.decide.working_hours import WorkingHours
    from bot.models.card import CardPlace, HandOver
    from bot.models.route import Route
    from bot.models.status import Outcome, Status
    from bot.models.status_reaction import MarkNames
    from bot.models.thread import Thread
    from bot.models.thread_event import Happening
    from bot.models.viewed_page import SubjectProject


@dataclass(frozen=True, slots=True)
class WorkflowLimits:
    """The settings that decide how a thread moves."""

    debounce: timedelta
    """How long `collecting` waits for more after each message."""
    debounce_cap: timedelta = timedelta(seconds=30)
    """How long it waits at most, however many come."""
    validator_bounces: int = 1
    """How many drafts of one question the gate may send back by itself."""
    expiry: timedelta = timedelta(hours=72)
    """How long a card waits for a decision after its last change."""
    remind: timedelta | None = None
    """How long it waits until its operator is reminded, and again from then on; never without it."""
    hand_over: timedelta | None = None
    """How long it waits until the next operator gets it; for ever without it."""
    progress: timedelta | None = None
    """How long a run may take until its operator is told that it goes on; for ever without it."""
    hours: WorkingHours | None = None
    """The hours in which the times of reminders and hand-overs pass; all of them without it."""
    cards: Mapping[str, CardPlace] = field(default_factory=dict)
    """Where the cards of a channel go that do not only go to the operator's direct message."""
    route: Callable[[str, str, SubjectProject | None], Route | None] | None = None
    """Which role and project a question goes to, by its text, its channel and what it is about in a direct message;
    `None` where none of them says it."""
    marks: MarkNames | None = None
    """The reactions that say where a question stands; none without it."""
    model: str = "keyword"
    """What a run is made with: the investigator's model, or the engine that needs none."""
    redact: Callable[[str], str] = str
    """Takes secrets out of what names a task."""
    settling: SettlingWords | None = None
    """The words by which an asker says that their question is settled; no word settles one without it."""
    normalise: Callable[[str], str] = str
    """Takes greetings and the bot's own name out of what is searched for."""
    is_stopped: bool = False
    """True if an admin has stopped Triage, so that no run begins or goes on."""
    second_approver: bool = False
    """True if two different people must approve."""
    hold_low: bool = False
    """True if nobody is asked to decide on a draft of low confidence."""
    reads_files: bool = False
    """True if text files that were sent with a question are read."""
    asker_may_approve: bool = True
    """True if an operator may approve the answer to their own question."""


@dataclass(frozen=True, slots=True)
class Transition:
    """What `advance` decided. `accepted` is false when the happening changed nothing, whatever was noted of it."""

    thread: Thread | None
    effect: Effect | None = None
    accepted: bool = True
    refusal: str | None = None
    """Why a press was not accepted, where it is not that it came too late."""


def changed(thread: Thread, happening: Happening, **changes: Any) -> Transition:
    """The document with `changes`, which the card must show."""
    return Transition(thread.evolve(revision=thread.revision + 1, last_event_at=happening.at, **changes))


def moved(thread: Thread, happening: Happening, status: Status, **changes: Any) -> Transition:
    """The document in another status."""
    line = StatusChange(at=happening.at, previous=thread.status, next=status)
    return changed(thread, happening, status=status, status_history=(*thread.status_history, line), **changes)


def investigate(thread: Thread, happening: Happening, status: Status, **changes: Any) -> Transition:
    """A new run, which reads every message of the question."""
    run_id = happening.fresh
    asked = thread.evolve(**changes)
    bounced = asked.decision if asked.decision and asked.decision.action == "bounce" else None
    rubric = choose(asked.search_text, bounced.reason if bounced else "")
    begun: dict[str, Any] = {
        "due_at": None,
        "waiting": None,
        "run_id": run_id,
        "investigator_task_id": run_id,
        "question_type": rubric.question_type,
        "rubric": f"{NAMES[rubric.question_type]}, since {rubric.why}",
        "investigator_round": thread.investigator_round + 1,
        "inbox": (),
        "stale": None,
        "failure": None,
        "opening": None,
    }
    step = moved(thread, happening, status, **(changes | begun))
    return Transition(step.thread, Investigate(run_id=run_id))


def sent_back(thread: Thread, by: Literal["checks", "validator", "operator"], attack: str) -> tuple[Round, ...]:
    """The rounds, and after them the draft that is sent back now."""
    if thread.draft_pending is None or thread.investigator_return is None:
        return thread.rounds
    refs = tuple(reference.ref for reference in thread.references)
    number, draft = thread.investigator_round, thread.draft_pending.text
    return (*thread.rounds, Round(number=number, draft=draft, refs=refs, by=by, attack=attack))


def closed(thread: Thread, happening: Happening, outcome: Outcome, **changes: Any) -> Transition:
    """The end of a question."""
    ending: dict[str, Any] = {"outcome": outcome, "closed_at": happening.at, "run_id": None, "due_at": None}
    ending |= {"waiting": None, "hand_overs": tuple(_to_tell(thread))}
    return moved(thread, happening, "closed", **(ending | changes))


def _to_tell(thread: Thread) -> Iterator[HandOver]:
    """Its hand-overs; the card of the first of two who approve is to tell how the question ended."""
    for one in thread.hand_overs:
        yield one.evolve(is_shown=False) if one.for_second and one.at >= thread.asked_at else one


def window_end(thread: Thread, happening: Happening, limits: WorkflowLimits) -> datetime:
    """When a question that was added to is complete; one that waits for its turn does not lose it by that."""
    longest = thread.asked_at + max(limits.debounce, limits.debounce_cap)
    end = min(happening.at + limits.debounce, max(longest, happening.at))
    return max(end, thread.due_at) if thread.waiting and thread.due_at else end


def clip(text: str, limit: int = 200) -> str:
    """The beginning of a message, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"
