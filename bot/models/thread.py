"""Document of a thread: all data about one question, kept in `state/<thread_id>.json` (spec 1, 4.1).

Changed only by `decide/workflow.advance`, saved only by `triage/orchestrator`. Card and reply are rendered from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from bot.models.markup import fill_names
from bot.models.status import WORKED_ON
from bot.models.thread_fields import ThreadFields

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.card import HandOver
    from bot.models.decision import FirstApproval
    from bot.models.findings import EvidenceRef, ProposedTriageFile
    from bot.models.thread_message import ThreadMessage


class Thread(ThreadFields):
    """One document, with what follows from its fields."""

    @property
    def root_ts(self) -> str:
        """Return the `thread_ts` for replies."""
        return self.thread_id.rsplit("-", 1)[1]

    @property
    def is_open(self) -> bool:
        """Return whether work or a decision is outstanding."""
        return self.status != "closed"

    @property
    def may_be_removed(self) -> bool:
        """Return whether its document may be removed: it is closed, and no fix of it is under way."""
        return not self.is_open and not (self.fix and self.fix.is_live)

    @property
    def waits_briefly(self) -> bool:
        """Return whether it waits for seconds only: the end of a debounce or search delay."""
        return self.due_at is not None and not (self.waiting or self.is_worked_on or self.status == "pending-user")

    @property
    def has_next(self) -> bool:
        """Return whether a question that was set aside, or an outage that nobody was asked about, has its turn next."""
        return self.set_aside is not None or (self.incident is not None and self.incident.is_unasked)

    @property
    def is_about_incident(self) -> bool:
        """Return whether the current question is about its incident, so that nobody is its asker."""
        return self.incident is not None and self.incident.question_round == self.question_round

    @property
    def is_about_alert(self) -> bool:
        """Return whether the current question is about its alert, or about a notice that may be one."""
        return self.alert is not None and self.alert.question_round == self.question_round

    @property
    def is_about_outage(self) -> bool:
        """Return whether the current question is about an incident or an alert that is not over."""
        is_incident = self.incident is not None and self.is_about_incident and not self.incident.is_over
        is_alert = self.alert is not None and self.is_about_alert and self.alert.recovered_at is None
        return is_incident or is_alert

    @property
    def is_about_order(self) -> bool:
        """Return whether the current question is its created task."""
        return self.order is not None and self.order.question_round == self.question_round

    @property
    def press_ids(self) -> dict[str, Any]:
        """Return the ids of the draft and of the card that a press on the present card carries."""
        draft = self.draft_pending
        if draft:
            return {"draft_id": draft.draft_id, "nonce": draft.nonce}
        return {"draft_id": f"{self.thread_id}/0", "nonce": self.card.nonce}

    @property
    def run_tier(self) -> Literal[1, 2, 3]:
        """Return the tier of the run that works on it: 1 inside the bot."""
        return self.escalation.tier if self.escalation and self.status == "escalated" else 1

    @property
    def is_worked_on(self) -> bool:
        """Return whether an investigation or a check is running."""
        return self.status in WORKED_ON

    @property
    def asked_at(self) -> datetime:
        """Return the time when the current question began."""
        return next((line.at for line in reversed(self.status_history) if line.next == "collecting"), self.started_at)

    @property
    def approved_first(self) -> FirstApproval | None:
        """Return the first of two approvals, if it is for the card's present content."""
        first, draft = self.first_approval, self.draft_pending
        holds = first and draft and (first.draft_id, first.stale) == (draft.draft_id, self.stale)
        return first if holds else None

    @property
    def references(self) -> tuple[EvidenceRef, ...]:
        """Return the references of the current draft."""
        drafted = self.investigator_return.evidence_refs if self.investigator_return else ()
        return drafted if self.cited is None else self.cited

    @property
    def proposed_note(self) -> ProposedTriageFile | None:
        """Return the note proposed in the findings."""
        return self.investigator_return.proposed_triage_file if self.investigator_return else None

    @property
    def question(self) -> str:
        """Return the current question as readable text: its messages, oldest first, joined by newlines."""
        return fill_names("\n".join(m.content for m in self.question_messages), self.names)

    @property
    def read_question(self) -> str:
        """Return the question including the text of its files."""
        return fill_names("\n".join(m.read_content for m in self.question_messages), self.names)

    @property
    def search_text(self) -> str:
        """Return the normalised question, which all engines search for and compare."""
        return "\n".join(text for m in self.question_messages for text in (m.asks, m.read_words) if text)

    @property
    def unread(self) -> tuple[str, ...]:
        """Return the files of the current question, and parts of them, that were not read."""
        return tuple(dict.fromkeys(name for m in self.question_messages for name in m.still_unread))

    @property
    def shared(self) -> tuple[str, ...]:
        """Return the authors of messages shared in the current question."""
        return tuple(dict.fromkeys(name for m in self.question_messages for name in m.shared))

    @property
    def question_messages(self) -> tuple[ThreadMessage, ...]:
        """Return the messages of the current question, oldest first, including later ones by others."""
        return tuple(m for m in self.messages if m.round == self.question_round)

    @property
    def revisions(self) -> tuple[int, int, int]:
        """Return the revisions that its card and the messages of its incident and its fix show."""
        return self.revision, self.incident.revision if self.incident else 0, self.fix.revision if self.fix else 0

    @property
    def has_line_to_say(self) -> bool:
        """Return whether a line for its asker was not begun, or the one about a recovery is not done."""
        recovery = self.incident.recovery if self.incident else None
        is_told = self.asker_line is None or self.asker_line.is_begun
        return not is_told or (recovery is not None and not recovery.is_done)

    @property
    def is_behind(self) -> bool:
        """Return whether one of its cards, or the message of its incident, its task or its fix, is not up to date."""
        is_told = self.progress is None or self.progress.drawn == self.revision
        is_told = is_told and not (self.incident and self.incident.is_behind)
        is_told = is_told and not (self.order and self.order.is_title_behind)
        is_told = is_told and not (self.fix and self.fix.is_behind)
        return self.card.drawn != self.revision or bool(self.to_retire) or bool(self.replaced) or not is_told

    @property
    def lacks_views(self) -> bool:
        """Return whether something of it is to be shown, said or marked yet."""
        return self.is_behind or self.has_line_to_say or any(not mark.is_done for mark in self.marks)

    @property
    def to_retire(self) -> tuple[HandOver, ...]:
        """Return the hand-overs not yet shown on the previous card."""
        return tuple(hand_over for hand_over in self.hand_overs if not hand_over.is_shown)
