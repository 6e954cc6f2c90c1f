"""A thread's document: everything that is known of one question, kept in `state/<thread_id>.json` (spec 1, 4.1).

Changed only by `decide/workflow.advance`, saved only by `triage/orchestrator`. Card and reply are pictures of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.models.asker_line import AskerLine
from bot.models.card import AskedOwner, Card, HandOver
from bot.models.decision import Decision, FirstApproval, Round
from bot.models.draft import Draft
from bot.models.external import External
from bot.models.fact import Fact
from bot.models.findings import EvidenceCheck, EvidenceRef, EvidenceSource, InvestigatorReturn, ProposedTriageFile
from bot.models.hint import Visibility
from bot.models.markup import bare, named
from bot.models.message import Ts
from bot.models.reasons import BounceCode
from bot.models.repeated_question import AskedBefore
from bot.models.route import Route
from bot.models.run_figures import RunFigures
from bot.models.settlement import Acknowledgement, Denial, SettledWord
from bot.models.status import Mode, Outcome, QuestionType, Status
from bot.models.status_change import StatusChange
from bot.models.status_reaction import Mark
from bot.models.task import Dispatch, Earlier
from bot.models.thread_id import ThreadId
from bot.models.thread_message import ThreadMessage
from bot.models.verdict import CountedVerdict, GateVerdict, ValidatorReturn
from bot.models.viewed_page import SubjectProject
from bot.models.waiting import Waiting


class Thread(Fact):
    """The document. Times are RFC 3339 in UTC; user, channel and message ids are Slack's."""

    schema_version: Literal[1] = 1
    """The form of this document; `adapters/documents` brings older ones up to it."""
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
    """The names of the people and channels whose ids stand in its messages; empty where the name is not known."""
    question_round: int = 1
    left_out: tuple[Ts, ...] = ()
    """The newest messages that are no part of a question, which a restart does not take for unread ones."""
    anchor: Ts | None = None
    """The message that the current question began with, which carries its reaction."""
    marks: tuple[Mark, ...] = ()
    """The bot's reactions that are to stand, or may stand still."""

    status: Status
    status_history: tuple[StatusChange, ...]
    due_at: datetime | None = None
    """When the sweeper shall say `Due`: a window's end, its turn, a doubtful post's end, a waiting card's next step."""
    waiting: Waiting | None = None
    """Set while a question that is `collecting` waits for its turn."""
    run_id: str | None = None
    """The run that is alive; the result of any other run is dropped."""
    inbox: tuple[Ts, ...] = ()
    """Messages that the live run, or the reply on its way, has not read."""
    reworded: tuple[ThreadMessage, ...] = ()
    """Those of its inbox that the question was made of, as they ask something else since the reply was approved."""

    subject: SubjectProject | None = None
    """What its first question is about by where it was asked, in a direct message."""
    route: Route | None = None
    """Which role and project its questions go to; `None` where there are no rules."""
    task: str | None = None
    """The slug of its task (`decide/slug`); `None` in documents from before tasks had one."""
    dispatches: tuple[Dispatch, ...] = ()
    """Every run of a role, over all its questions, oldest first."""
    earlier: tuple[Earlier, ...] = ()
    """What its last questions came to, for the next one; oldest first."""
    rubric: str = ""
    """Which kind of question it was taken for, and why."""
    project: str | None = None
    paused_project: str | None = None
    """The paused project that the question fits better than `project`."""
    engine: str | None = None
    fallback: str | None = None
    """Why the draft was not made by the engine that the settings name."""
    investigator_task_id: str | None = None
    investigator_round: int = 0
    investigator_return: InvestigatorReturn | None = None
    found_nothing: bool = False
    """True if the findings say that nothing answers the question."""
    chance: float | None = None
    """How often such a draft names the right place, where that was measured."""
    cited: tuple[EvidenceRef, ...] | None = None
    """The references of the draft's text, opened by code since somebody edited it; `None`: those of the findings."""
    opening: str | None = None
    """The id of the look at an edited text's references that is under way; the result of any other is dropped."""
    opening_problem: str | None = None
    """Why the references of an edited text could not be opened at all."""
    served_edited_by: str | None = None
    """Where an approved answer serves again: who had edited it."""
    recorded: tuple[EvidenceCheck, ...] = ()
    """What the run's own record says of references to what tools of other servers answered."""
    evidence_checks: tuple[EvidenceCheck, ...] = ()
    sources: tuple[EvidenceSource, ...] = ()
    """Where people can look at the references, as of the findings."""
    code_of: datetime | None = None
    """Of when the code was that the findings rest on, where it could not be fetched since."""
    owners: tuple[str, ...] = ()
    """Whom an operator may ask about the cited files: users and user groups."""
    asked_owner: AskedOwner | None = None
    unopened: tuple[str, ...] = ()
    """References whose lines the investigator did not open in its run."""
    asked_before: tuple[AskedBefore, ...] = ()
    """Where the same was asked before in this channel."""
    hinted: tuple[ThreadId, ...] = ()
    """The threads whose hints the investigator saw."""
    visibility: Visibility | None = None
    """Who read the channel when the findings were made; `None` where hints are off."""
    external: External | None = None
    """The people of another company around the current question."""
    unsupported: tuple[str, ...] = ()
    """Numbers, paths and names of the draft that stand neither in a cited text nor in the question."""
    validator_task_id: str | None = None
    validator_return: ValidatorReturn | None = None
    unvalidated: str | None = None
    """Why no validator looked at the draft, though there is one."""
    verdict: GateVerdict | None = None
    judged: tuple[CountedVerdict, ...] = ()
    """Every judgement of a draft in this thread, oldest first, those of earlier questions too."""
    rounds: tuple[Round, ...] = ()
    """The drafts of this question that were sent back, oldest first."""
    runs: tuple[RunFigures, ...] = ()
    """What the agents' runs for this question took, oldest first."""
    validator_bounces: int = 0
    operator_bounces: int = 0
    feedback: str | None = None
    bounced_as: BounceCode | None = None
    """What an operator gave as the reason, beside `feedback`."""
    failure: str | None = None
    """Why the last run ended without findings."""

    is_escalated: bool = False
    escalation_tmux_session: str | None = None
    escalation_transcript_path: str | None = None

    drafts_made: int = 0
    draft_pending: Draft | None = None
    nudged: str | None = None
    """The draft that its operator was told of in the channel, or was to be told of; once each."""
    expires_at: datetime | None = None
    """When a card that waits for a decision expires."""
    remind_at: datetime | None = None
    """When its operator is told once more that it waits."""
    hand_over_at: datetime | None = None
    """When the next operator gets it."""
    announce_at: datetime | None = None
    """When its operator is told that it waits, where nobody was at work when it began to."""
    held_low: bool = False
    """True if its draft is of low confidence, and nobody is asked to decide on it (`approval.hold_low`)."""
    stale: str | None = None
    """What happened after the draft was made that the operator must know before approving."""
    own_ts: Ts | None = None
    """What the bot itself has said there beside its replies, as far as an operator was told of it."""
    settled_word: SettledWord | None = None
    """The asker's word that the current question is settled, or may be."""
    acknowledged: tuple[Acknowledgement, ...] = ()
    """The words of its askers that a reply served, over all its questions, oldest first."""
    denied: tuple[Denial, ...] = ()
    """The words that a reply did not serve, each of which began its next question, oldest first."""
    asker_line: AskerLine | None = None
    """What its asker is shown of how the question ended without an answer."""
    held_back: Literal["stop", "mute"] | None = None
    """Why an approved reply is not posted any more; it is looked for first, since it may just have been."""
    first_approval: FirstApproval | None = None
    decision: Decision | None = None
    outcome: Outcome | None = None
    user_approved_at: datetime | None = None
    doubts: int = 0
    """How often the post of the approved reply ended in doubt."""
    posted_message_id: Ts | None = None
    keeps_note: bool = False
    """True if the proposed note is to be written before the reply is posted."""
    triage_file_path: str | None = None
    """The note that was kept, as `search_knowledge` names it."""
    note_problem: str | None = None
    """Why it could not be kept."""

    card: Card
    progress: Card | None = None
    """The message that says that its run takes long, in whose thread its card is posted."""
    replaced: tuple[Card, ...] = ()
    """Cards of this operator that another one took the place of, and that are still to be taken away."""
    hand_overs: tuple[HandOver, ...] = ()
    """To whom the question passed, oldest first, over all questions of the thread."""
    revision: int = 1
    """Grows with every change that the card shows."""
    version: int = 0
    """Grows with every save; a save that names an older one is refused."""

    started_at: datetime
    last_event_at: datetime
    closed_at: datetime | None = None

    @property
    def root_ts(self) -> str:
        """The `thread_ts` that a reply is posted under."""
        return self.thread_id.rsplit("-", 1)[1]

    @property
    def is_open(self) -> bool:
        """Return whether work or a decision is outstanding."""
        return self.status != "closed"

    @property
    def waits_briefly(self) -> bool:
        """Return whether its `due_at` is a matter of seconds: the end of a window or of a settling time."""
        return self.due_at is not None and not (self.waiting or self.is_worked_on or self.status == "pending-user")

    @property
    def is_worked_on(self) -> bool:
        """Return whether an investigation or a check goes on."""
        return self.status in ("investigating", "bounced-round-1", "awaiting-validation")

    @property
    def asked_at(self) -> datetime:
        """When the current question was taken in."""
        return next((line.at for line in reversed(self.status_history) if line.next == "collecting"), self.started_at)

    @property
    def approved_first(self) -> FirstApproval | None:
        """The first of two approvals, as long as it is of what the card shows now."""
        first, draft = self.first_approval, self.draft_pending
        holds = first and draft and (first.draft_id, first.stale) == (draft.draft_id, self.stale)
        return first if holds else None

    @property
    def references(self) -> tuple[EvidenceRef, ...]:
        """The references that the draft rests on as it is now."""
        if self.cited is not None:
            return self.cited
        return self.investigator_return.evidence_refs if self.investigator_return else ()

    @property
    def proposed_note(self) -> ProposedTriageFile | None:
        """What the findings would keep for the next such question."""
        return self.investigator_return.proposed_triage_file if self.investigator_return else None

    @property
    def question(self) -> str:
        """The messages of the current question as people read them, oldest first, joined by newlines."""
        return named("\n".join(m.content for m in self.asked), self.names)

    @property
    def read_question(self) -> str:
        """The same with what its files say."""
        return named("\n".join(m.read_content for m in self.asked), self.names)

    @property
    def search_text(self) -> str:
        """The same as it is searched for and compared: the one normalised question of every engine."""
        words = [(bare(m.content) if m.asks is None else m.asks, m.read_words) for m in self.asked]
        return "\n".join(said for each in words for said in each if said)

    @property
    def unread(self) -> tuple[str, ...]:
        """The files of the current question, and parts of them, that nobody has read."""
        return tuple(dict.fromkeys(name for m in self.asked for name in m.still_unread))

    @property
    def shared(self) -> tuple[str, ...]:
        """Whose messages were shared in the current question."""
        return tuple(dict.fromkeys(name for m in self.asked for name in m.shared))

    @property
    def asked(self) -> tuple[ThreadMessage, ...]:
        """The messages of the current question, oldest first, and what others have written since."""
        return tuple(m for m in self.messages if m.round == self.question_round)

    @property
    def is_behind(self) -> bool:
        """Return whether a card of it, of now or of before, is not as it should be."""
        is_told = self.progress is None or self.progress.drawn == self.revision
        return self.card.drawn != self.revision or bool(self.to_retire) or bool(self.replaced) or not is_told

    @property
    def to_retire(self) -> tuple[HandOver, ...]:
        """The hand-overs that the card of before does not tell of yet."""
        return tuple(one for one in self.hand_overs if not one.is_shown)
