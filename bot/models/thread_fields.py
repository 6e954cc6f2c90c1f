"""Fields of a thread's document, by the names that its file has (spec 1, 4.1); `Thread` adds what follows from them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.models.alert import AlertRecord
from bot.models.answer_change import AnswerChange, UncheckedNotes
from bot.models.asker_line import AskerLine
from bot.models.card import AskedOwner, Card, HandOver
from bot.models.decision import Decision, FirstApproval, Round
from bot.models.draft import Draft
from bot.models.escalation import Escalation
from bot.models.external import External
from bot.models.fact import Fact
from bot.models.findings import EvidenceCheck, EvidenceRef, EvidenceSource, InvestigatorReturn
from bot.models.fix import Fix
from bot.models.hint import Visibility
from bot.models.incident import Incident
from bot.models.message import Ts
from bot.models.reasons import BounceCode
from bot.models.repeated_question import AskedBefore
from bot.models.route import Route
from bot.models.run_figures import RunFigures
from bot.models.set_aside import SetAside
from bot.models.settlement import Acknowledgement, Denial, SettledWord
from bot.models.status import Mode, Outcome, QuestionType, Status
from bot.models.status_change import StatusChange
from bot.models.status_reaction import StatusReaction
from bot.models.task import Dispatch, EarlierQuestion
from bot.models.task_order import TaskOrder
from bot.models.thread_id import ThreadId
from bot.models.thread_message import ThreadMessage
from bot.models.verdict import CountedVerdict, GateVerdict, ValidatorReturn
from bot.models.viewed_page import SubjectProject
from bot.models.waiting import Waiting


class ThreadFields(Fact):
    """Fields of one document. Times are RFC 3339 in UTC; user, channel and message ids are Slack's."""

    schema_version: Literal[1] = 1
    """The version of the format; documents of another are unreadable."""
    thread_id: ThreadId
    team_id: str
    chat_id: str
    chat_name: str
    mode: Mode
    operator: str
    original_message_id: Ts
    original_sender_id: str
    original_sender_name: str
    question_type: QuestionType = "other"
    messages: tuple[ThreadMessage, ...]
    names: dict[str, str] = Field(default_factory=dict)
    """The names of the people and channels whose ids occur in its messages; empty if a name is not known."""
    question_round: int = 1
    first_round: int | None = None
    """The number under which the current question first began, if it was started again."""
    left_out: tuple[Ts, ...] = ()
    """The newest messages that are not part of a question; a restart must not treat them as unread."""
    anchor: Ts | None = None
    """The first message of the current question, which carries its reaction."""
    marks: tuple[StatusReaction, ...] = ()
    """The bot's reactions that are wanted, or may still exist."""
    status: Status
    status_history: tuple[StatusChange, ...]
    due_at: datetime | None = None
    """Time of the next `Due`: the end of a debounce or search delay, its turn, or a pending card's next step."""
    waiting: Waiting | None = None
    """Set while a question that is `collecting` waits for its turn."""
    run_id: str | None = None
    """The live run; results of other runs are dropped."""
    inbox: tuple[Ts, ...] = ()
    """Messages that neither the live run nor the outgoing reply has read."""
    reworded: tuple[ThreadMessage, ...] = ()
    """Messages of the inbox that were part of the question and were edited after the approval."""
    set_aside: SetAside | None = None
    """What people asked before an outage, which is the current question: taken up once that is decided on or over."""
    subject: SubjectProject | None = None
    """The project of its first question if asked in a direct message."""
    route: Route | None = None
    """The role and project for its questions; `None` without routing rules."""
    task: str
    """The slug of its task (`decide/slug`)."""
    dispatches: tuple[Dispatch, ...] = ()
    """Every run of a role, over all its questions, oldest first."""
    earlier: tuple[EarlierQuestion, ...] = ()
    """Results of its last questions, for the next one; oldest first."""
    rubric: str = ""
    """The detected type of the question, with the reason."""
    project: str | None = None
    paused_project: str | None = None
    """The paused project that fits the question better than `project`."""
    engine: str | None = None
    fallback: str | None = None
    """The reason why the configured engine did not make the draft."""
    unchecked_notes: tuple[UncheckedNotes, ...] = ()
    answer_changes: tuple[AnswerChange, ...] = ()
    investigator_task_id: str | None = None
    investigator_round: int = 0
    investigator_return: InvestigatorReturn | None = None
    found_nothing: bool = False
    """True if nothing was found that answers the question."""
    chance: float | None = None
    """Measured frequency with which such a draft names the right place; `None` if not measured."""
    cited: tuple[EvidenceRef, ...] | None = None
    """The references of an edited draft's text, opened by code; `None`: those of the findings."""
    opening: str | None = None
    """The id of the running check of an edited text's references; results of others are dropped."""
    opening_problem: str | None = None
    """The reason why the references of an edited text could not be opened at all."""
    served_edited_by: str | None = None
    """For a reused approved answer: the person who had edited it."""
    recorded: tuple[EvidenceCheck, ...] = ()
    """Checks of references to answers of external tool servers, from the run's own record."""
    evidence_checks: tuple[EvidenceCheck, ...] = ()
    sources: tuple[EvidenceSource, ...] = ()
    """Web locations of the references, as of the findings."""
    code_of: datetime | None = None
    """The date of the code that the findings rest on, if it could not be fetched since."""
    owners: tuple[str, ...] = ()
    """Owners of the cited files whom an operator may ask: users and user groups."""
    asked_owner: AskedOwner | None = None
    unopened: tuple[str, ...] = ()
    """References whose lines the investigator did not open in its run."""
    asked_before: tuple[AskedBefore, ...] = ()
    """Earlier threads of this channel with the same question."""
    hinted: tuple[ThreadId, ...] = ()
    """The threads whose hints the investigator saw."""
    visibility: Visibility | None = None
    """The readers of the channel at the time of the findings; `None` if hints are off."""
    external: External | None = None
    """The people of another company around the current question."""
    unsupported: tuple[str, ...] = ()
    """Numbers, paths and names of the draft that occur neither in a cited text nor in the question."""
    validator_task_id: str | None = None
    validator_return: ValidatorReturn | None = None
    unvalidated: str | None = None
    """The reason why no validator checked the draft, if there is a validator."""
    verdict: GateVerdict | None = None
    judged: tuple[CountedVerdict, ...] = ()
    """Every verdict on a draft in this thread, oldest first, earlier questions included."""
    rounds: tuple[Round, ...] = ()
    """The drafts of this question that were sent back, oldest first."""
    runs: tuple[RunFigures, ...] = ()
    """Figures of the agents' runs for this question, oldest first."""
    validator_bounces: int = 0
    operator_bounces: int = 0
    feedback: str | None = None
    bounced_as: BounceCode | None = None
    """The operator's reason code, in addition to `feedback`."""
    failure: str | None = None
    """The reason why the last run ended without findings."""
    stopped_by: str | None = None
    """The person who stopped the last run, or stopped it before it began; `None` once a run begins again."""

    incident: Incident | None = None
    """The services that the thread was opened for; `None` for a question of a person or a program."""
    alert: AlertRecord | None = None
    """The alert of another program that the thread was opened for."""
    fix: Fix | None = None
    """The newest fix of a defect that findings of the thread name."""
    order: TaskOrder | None = None
    """The task that a command created, for which the thread was opened."""
    is_escalated: bool = False
    """True if a run of tier 2 or 3 was decided on for the current question."""
    escalation: Escalation | None = None
    escalation_problem: str | None = None
    """The reason why a longer run did not start, or ended without a result."""
    escalation_tmux_session: str | None = None
    escalation_transcript_path: str | None = None
    drafts_made: int = 0
    draft_pending: Draft | None = None
    nudged: str | None = None
    """The draft that was announced to its operator in the channel, or was about to be; once each."""
    expires_at: datetime | None = None
    """The time when a card that waits for a decision expires."""
    remind_at: datetime | None = None
    """The time of the next reminder to its operator."""
    hand_over_at: datetime | None = None
    """The time of the hand-over to the next operator."""
    announce_at: datetime | None = None
    """The time to notify its operator, if nobody was at work when it began to wait."""
    held_low: bool = False
    """True if its draft has low confidence, and nobody is asked to decide on it (`approval.hold_low`)."""
    stale: str | None = None
    """The change since the draft was made that the operator must know before approving."""
    own_ts: Ts | None = None
    """The bot's own last message there besides its replies, as far as an operator was informed of it."""
    settled_word: SettledWord | None = None
    """The asker's statement that the current question is settled, or may be."""
    acknowledged: tuple[Acknowledgement, ...] = ()
    """The askers' confirmations that a reply helped, over all its questions, oldest first."""
    denied: tuple[Denial, ...] = ()
    """The statements that a reply did not help, each of which began its next question, oldest first."""
    asker_line: AskerLine | None = None
    """The line for its asker if the question ended without an answer."""
    held_back: Literal["stop", "mute"] | None = None
    """The reason why an approved reply is no longer posted; it is looked for first, since it may just have been."""
    first_approval: FirstApproval | None = None
    decision: Decision | None = None
    outcome: Outcome | None = None
    user_approved_at: datetime | None = None
    doubts: int = 0
    """Number of doubtful posts of the approved reply."""
    posted_message_id: Ts | None = None
    keeps_note: bool = False
    """True if the proposed note is to be written before the reply is posted."""
    triage_file_path: str | None = None
    """The stored note, as `search_knowledge` names it."""
    note_problem: str | None = None
    """The reason why it could not be stored."""
    card: Card
    progress: Card | None = None
    """The message about a long run, in whose thread the card is posted."""
    replaced: tuple[Card, ...] = ()
    """Replaced cards of this operator that are still to be deleted."""
    hand_overs: tuple[HandOver, ...] = ()
    """The hand-overs, oldest first, over all questions of the thread."""
    revision: int = 1
    """Incremented with every change visible on the card."""
    version: int = 0
    """Incremented with every save; saving an older version is refused."""
    started_at: datetime
    last_event_at: datetime
    closed_at: datetime | None = None
