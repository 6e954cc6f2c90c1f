"""Building blocks of transitions: change the document, move its status, start a run, close."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol

from bot.decide.escalation import EscalationPolicy
from bot.decide.redaction.redactor import Redactor
from bot.decide.rubric import NAMES, choose_rubric
from bot.models.decision import Round
from bot.models.effect import Effect, Investigate
from bot.models.status_change import StatusChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from bot.decide.classify.settlement import SettlingWords
    from bot.decide.retrieval.normalised_question import Normaliser
    from bot.decide.working_hours import WorkingHours
    from bot.models.card import CardPlace, HandOver
    from bot.models.route import Route
    from bot.models.status import Outcome, Status
    from bot.models.status_reaction import ReactionNames
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.models.viewed_page import SubjectProject


class QuestionRouter(Protocol):
    """Router of questions."""

    def route(self, text: str, channel: str, subject: SubjectProject | None = None) -> Route | None:
        """Return the role and project of a question; `None` if the best match among all projects is to be used.

        `subject` is the project of a question in a direct message.
        """


@dataclass(frozen=True, slots=True)
class WorkflowLimits:
    """Settings of the state machine."""

    debounce: timedelta
    """Quiet time after each message before `collecting` ends."""
    debounce_cap: timedelta = timedelta(seconds=30)
    """Longest `collecting` time, however many messages come."""
    validator_bounces: int = 1
    """Drafts of one question that the gate may send back by itself."""
    expiry: timedelta = timedelta(hours=72)
    """Time that a card waits for a decision after its last change."""
    remind: timedelta | None = None
    """Time until the operator is reminded, and between reminders; `None` for never."""
    hand_over: timedelta | None = None
    """Time until the question goes to the next operator; `None` for never."""
    escalation: EscalationPolicy = field(default_factory=EscalationPolicy)
    """Rules for runs in a process of their own; by default there are none."""
    project_names: Callable[[], Sequence[str]] = tuple
    """Names of all projects, by which a question may name several of them."""
    progress: timedelta | None = None
    """Time after which a run gets a progress message; `None` for never."""
    hours: WorkingHours | None = None
    """Hours in which the times of reminders and hand-overs count; all hours without it."""
    cards: Mapping[str, CardPlace] = field(default_factory=dict)
    """Place of a channel's cards, where that is not the operator's direct message alone."""
    router: QuestionRouter | None = None
    """Router of questions; without it the best match among all projects is used."""
    marks: ReactionNames | None = None
    """Reactions that show a question's state; `None` for none."""
    model: str = "keyword"
    """Model of the investigator, or the name of the engine that needs no model."""
    tier_models: Mapping[int, str] = field(default_factory=dict)
    """Models of tiers 2 and 3, or the programs in their place, where they differ from `model`."""
    redactor: Redactor = field(default_factory=Redactor)
    """Removal of secrets from the name of a task."""
    settling: SettlingWords | None = None
    """Words by which an asker settles a question; without them no message settles one."""
    normaliser: Normaliser | None = None
    """Removal of greetings and of the bot's name from the search text; `None` for none."""
    alert_pause: timedelta = timedelta(minutes=10)
    """Time after which a repeated alert with something new becomes part of its question again."""
    is_stopped: bool = False
    """True if an admin has stopped Triage: no run starts or goes on."""
    second_approver: bool = False
    """True if two different people must approve."""
    hold_low: bool = False
    """True if drafts of low confidence are held, and nobody is asked to decide on them."""
    reads_files: bool = False
    """True if text files that were sent with a question are read."""
    asker_may_approve: bool = True
    """True if an operator may approve the answer to their own question."""

    def normalise(self, text: str) -> str:
        """Return the text without greetings and the bot's name, for the search."""
        return self.normaliser.normalise(text) if self.normaliser else text


@dataclass(frozen=True, slots=True)
class Transition:
    """Result of `advance`. `accepted` is false when the event changed no state, even if something was noted."""

    thread: Thread | None
    effect: Effect | None = None
    accepted: bool = True
    refusal: str | None = None
    """Reason for refusing a press, other than that it came too late."""


def change_thread(thread: Thread, event: ThreadEvent, **changes: Any) -> Transition:
    """Return the step with changes that the card must show."""
    return Transition(with_change(thread, event, **changes))


def with_change(thread: Thread, event: ThreadEvent, **changes: Any) -> Thread:
    """Return the document with changes that the card must show."""
    return thread.evolve(revision=thread.revision + 1, last_event_at=event.at, **changes)


def move_thread(thread: Thread, event: ThreadEvent, status: Status, **changes: Any) -> Transition:
    """Move the document to another status."""
    return Transition(_with_status(thread, event, status, **changes))


def _with_status(thread: Thread, event: ThreadEvent, status: Status, **changes: Any) -> Thread:
    line = StatusChange(at=event.at, previous=thread.status, next=status)
    return with_change(thread, event, status=status, status_history=(*thread.status_history, line), **changes)


def investigate(thread: Thread, event: ThreadEvent, status: Status, **changes: Any) -> Transition:
    """Start a new run of tier 1, which reads every message of the question."""
    if thread.escalation and thread.escalation.has_result:  # the draft of the longer run is given up
        changes = {"escalation": thread.escalation.evolve(has_result=False), "escalation_problem": None} | changes
    return Transition(begin_run(thread, event, status, **changes), Investigate(run_id=event.fresh))


def begin_run(thread: Thread, event: ThreadEvent, status: Status, **changes: Any) -> Thread:
    """Return the document with a new run, whose id is the event's fresh id."""
    run_id = event.fresh
    updated = thread.evolve(**changes)
    bounced = updated.decision if updated.decision and updated.decision.action == "bounce" else None
    rubric = choose_rubric(updated.search_text, bounced.reason if bounced else "")
    run_fields: dict[str, Any] = {
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
        "stopped_by": None,
        "opening": None,
    }
    return _with_status(thread, event, status, **(changes | run_fields))


def add_round(thread: Thread, by: Literal["checks", "validator", "operator"], attack: str) -> tuple[Round, ...]:
    """Return the rounds, with the draft that is sent back now."""
    if thread.draft_pending is None or thread.investigator_return is None:
        return thread.rounds
    refs = tuple(reference.ref for reference in thread.references)
    number, draft = thread.investigator_round, thread.draft_pending.text
    return (*thread.rounds, Round(number=number, draft=draft, refs=refs, by=by, attack=attack))


def close_thread(thread: Thread, event: ThreadEvent, outcome: Outcome, **changes: Any) -> Transition:
    """Close a question; messages that nobody has read are not kept for the next one unless `changes` keep them."""
    ending: dict[str, Any] = {"outcome": outcome, "closed_at": event.at, "run_id": None, "due_at": None}
    ending |= {"inbox": (), "waiting": None, "hand_overs": tuple(_to_tell(thread))}
    return move_thread(thread, event, "closed", **(ending | changes))


def without_unread(thread: Thread) -> Thread:
    """Return the document of a closed question without the messages that waited for the next one; what comes next
    anyway keeps its time."""
    return thread.evolve(inbox=(), due_at=thread.due_at if thread.has_next else None)


def _to_tell(thread: Thread) -> Iterator[HandOver]:
    """Yield the hand-overs; the first approver's card is updated with the outcome, too."""
    for hand_over in thread.hand_overs:
        yield (
            hand_over.evolve(is_shown=False) if hand_over.for_second and hand_over.at >= thread.asked_at else hand_over
        )


def window_end(thread: Thread, event: ThreadEvent, limits: WorkflowLimits) -> datetime | None:
    """Return the time at which an extended question is complete; one that waits for its turn keeps it.

    A created task has none: its scheduler starts it.
    """
    if thread.is_about_order:
        return None
    longest = thread.asked_at + max(limits.debounce, limits.debounce_cap)
    end = min(event.at + limits.debounce, max(longest, event.at))
    return max(end, thread.due_at) if thread.waiting and thread.due_at else end


_MAX_CHARS_QUOTED = 200


def clip(text: str) -> str:
    """Return the beginning of a text, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_CHARS_QUOTED else f"{flat[: _MAX_CHARS_QUOTED - 1]}…"
